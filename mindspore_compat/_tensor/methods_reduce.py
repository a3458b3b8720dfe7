"""Tensor methods that reduce, scan or order, with MindSpore's arguments and torch's beside them."""

from __future__ import annotations

import functools
import operator
from typing import Any

import torch

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics import kernels, norms, subgradients
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype, with_dtype_fallback
from mindspore_compat._numerics.integer_results import cut_after, given_in, mean_in
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype

_Base = torch._C.TensorBase
_int32 = torch.int32


def _axes(axis: Any) -> Any:
    """Return None for all axes, else an int or a tuple."""
    if axis is None or axis.__class__ is int:
        return axis
    if isinstance(axis, (list, tuple)):
        return tuple(axis) or None
    if isinstance(axis, bool):
        raise TypeError(f"The axis must be int, tuple, list or None, but got the bool {axis}.")
    return operator.index(axis)


def _dtype(dtype: Any) -> Any:
    return None if dtype is None else to_torch_dtype(dtype)


def _either(name: str, first: Any, kwargs: dict[str, Any], *others: str) -> Any:
    """Return the value given under MindSpore's name or another one; `_no_more` raises TypeError for names left over."""
    for other in others:
        if other in kwargs:
            return kwargs.pop(other)
    return first


def _no_more(method: str, kwargs: dict[str, Any]) -> None:
    if kwargs:
        raise TypeError(f"For 'Tensor.{method}', the argument {sorted(kwargs)} is not known.")


def _extreme(
    self: Any,
    largest: bool,
    args: tuple,
    axis: Any = None,
    keepdims: Any = None,
    dim: Any = None,
    keepdim: Any = None,
    initial: Any = ...,
    where: Any = True,
    return_indices: bool = False,
) -> Any:
    """Return the maximum or minimum; (values, indices) for torch's ``dim`` or if asked for.

    A positional argument is ``dim`` in MindSpore's PyNative where only ``dim`` and ``keepdim`` are given, and ``axis``
    in compiled code.
    """
    by_axis = axis is not None or keepdims is not None or initial is not ... or where is not True or return_indices
    initial = None if initial is ... else initial
    by_dim = (
        dim is not None
        or keepdim is not None
        or (bool(args) and args[0].__class__ is int and not by_axis and not in_graph())
    )
    name = "max" if largest else "min"
    if len(args) > 2:
        raise TypeError(f"{name}() takes at most 2 positional arguments, axis and keepdims, but got {len(args)}.")
    first = args[0] if args else None
    flags = [*args[1:], keepdims, keepdim]
    axis = _axes(next((item for item in (first, axis, dim) if item is not None), None))
    keep = any(flags) and axis is not None
    value = self
    if where is not True:
        value = torch.where(where, value, constant(initial, self.device, self.dtype))
    if axis is None or isinstance(axis, tuple):
        dims = tuple(range(_Base.dim(self))) if axis is None else axis
        found = (torch.amax if largest else torch.amin)(value, dims, keep)
        indices: Any = torch.zeros((), dtype=torch.int64, device=self.device) if return_indices else None
    else:
        found, indices = (torch.max if largest else torch.min)(value, axis, keep)
    if initial is not None:
        found = subgradients.clamp(found, min=initial) if largest else subgradients.clamp(found, max=initial)
    return (wrap(found), wrap(indices)) if return_indices or by_dim else wrap(found)


def _arg_extreme(name: str, self: Any, axis: Any, *flags: Any) -> torch.Tensor:
    value = _Base.to(self, torch.uint8) if self.dtype is torch.bool else self
    return getattr(_Base, name)(value, _axes(axis), any(flags) and axis is not None)


def _as_floats(self: Any) -> torch.Tensor:
    return self if self.dtype.is_floating_point or self.dtype.is_complex else _Base.to(self, torch.float32)


def _torchs_order(inner: Any) -> Any:
    """Decorate ``sum`` with torch's ``sum(dim, keepdim, *, dtype)``."""

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 2 and args[1].__class__ is bool and "dtype" in kwargs:
            return inner(self, args[0], kwargs.pop("dtype"), args[1], **kwargs)
        return inner(self, *args, **kwargs)

    return method


class ReduceMethods:
    """Mixin; holds no state."""

    __slots__ = ()

    @_torchs_order
    def sum(
        self: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, **kwargs: Any
    ) -> Any:
        """Return the sum over ``axis`` (None: all), from ``initial``."""
        if isinstance(dtype, bool):  # torch's sum(dim, keepdim)
            dtype, keepdims = None, dtype
        if kwargs:
            keepdims = _either("keepdims", keepdims, kwargs, "keepdim", "keep_dims")
            axis = _either("axis", axis, kwargs, "dim")
            _no_more("sum", kwargs)
        dtype = None if dtype is None else to_torch_dtype(dtype)
        axis = axis if axis is None or axis.__class__ is int else _axes(axis)
        result = wrap(given_in(_Base.sum, self, axis, keepdims, dtype=dtype))
        if initial is None:
            return result
        return wrap(torch.ne(result + initial, 0)) if result.dtype is torch.bool else result + initial

    def mean(self: Any, axis: Any = None, keep_dims: Any = False, *, dtype: Any = None, **kwargs: Any) -> Any:
        """Return the mean over ``axis`` (None: all); ints give an int, as MindSpore's CPU does."""
        if kwargs:
            keep_dims = _either("keep_dims", keep_dims, kwargs, "keepdim", "keepdims")
            axis = _either("axis", axis, kwargs, "dim")
            _no_more("mean", kwargs)
        if dtype is None and not self.dtype.is_floating_point and not self.dtype.is_complex:
            return wrap(_Base.to(_Base.mean(_Base.to(self, torch.float64), _axes(axis), keep_dims), self.dtype))
        return wrap(mean_in(self, _axes(axis), keep_dims, dtype=_dtype(dtype)))

    def prod(self: Any, axis: Any = None, keep_dims: Any = False, dtype: Any = None, **kwargs: Any) -> Any:
        """Return the product over ``axis`` (None: all)."""
        if kwargs:
            keep_dims = _either("keep_dims", keep_dims, kwargs, "keepdim", "keepdims")
            axis = _either("axis", axis, kwargs, "dim")
            _no_more("prod", kwargs)
        if axis is None or axis == ():
            return wrap(given_in(kernels.prod, self, dtype=_dtype(dtype)))
        if isinstance(axis, (tuple, list)):
            for item in sorted((item % self.dim() for item in axis), reverse=True):
                self = self.prod(item, keep_dims, dtype)
            return self
        return wrap(given_in(kernels.prod, self, operator.index(axis), keep_dims, dtype=_dtype(dtype)))

    def max(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the maximum: max(axis=None, keepdims=False, *, initial, where, return_indices). max(dim,
        keepdim=False) returns (maximum, its index).

        A positional argument is ``dim``, and ``axis`` in code that MindSpore compiles (`in_graph`).
        """
        if args and isinstance(args[0], torch.Tensor):
            return wrap(torch.maximum(self, args[0]))
        try:
            return _extreme(self, True, args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, _extreme, (self, True, args), kwargs, "max")

    def min(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the minimum, as `max`."""
        if args and isinstance(args[0], torch.Tensor):
            return wrap(torch.minimum(self, args[0]))
        try:
            return _extreme(self, False, args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, _extreme, (self, False, args), kwargs, "min")

    def argmax_with_value(self: Any, axis: Any = 0, keep_dims: Any = False) -> Any:
        """Return (maximum over ``axis``, its index); the function of this name returns them the other way round, as
        MindSpore.
        """
        return self.max(axis=axis, keepdims=keep_dims, return_indices=True)

    def argmin_with_value(self: Any, axis: Any = 0, keep_dims: Any = False) -> Any:
        """Return (minimum over ``axis``, its index)."""
        return self.min(axis=axis, keepdims=keep_dims, return_indices=True)

    @with_dtype_fallback
    def argmax(self: Any, axis: Any = ..., keepdims: Any = False, *, dim: Any = None, keepdim: Any = False) -> Any:
        """Return the index of the maximum over ``axis`` (None: of all, flattened; default: None, but -1 in compiled
        code).
        """
        if axis is ...:
            axis = -1 if dim is None and _Base.dim(self) and in_graph() else None
        return wrap(_arg_extreme("argmax", self, axis if dim is None else dim, keepdims, keepdim))

    @with_dtype_fallback
    def argmin(self: Any, axis: Any = None, keepdims: Any = False, *, dim: Any = None, keepdim: Any = False) -> Any:
        """Return the int32 index of the minimum over ``axis`` (None: of all, flattened)."""
        found = _arg_extreme("argmin", self, axis if dim is None else dim, keepdims, keepdim)
        return wrap(_Base.to(found, _int32))

    def var(self: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False, **kwargs: Any) -> Any:
        """Return the variance over ``axis`` (None: all) with divisor n - ddof."""
        if kwargs:
            axis, ddof = _either("axis", axis, kwargs, "dim"), _either("ddof", ddof, kwargs, "correction", "unbiased")
            keepdims = _either("keepdims", keepdims, kwargs, "keepdim")
            _no_more("var", kwargs)
        return wrap(_Base.var(_as_floats(self), _axes(axis), correction=int(ddof), keepdim=keepdims))

    def std(self: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False, **kwargs: Any) -> Any:
        """Return the standard deviation over ``axis`` (None: all) with divisor n - ddof."""
        if kwargs:
            axis, ddof = _either("axis", axis, kwargs, "dim"), _either("ddof", ddof, kwargs, "correction", "unbiased")
            keepdims = _either("keepdims", keepdims, kwargs, "keepdim")
            _no_more("std", kwargs)
        return wrap(_Base.std(_as_floats(self), _axes(axis), correction=int(ddof), keepdim=keepdims))

    def all(self: Any, axis: Any = None, keep_dims: Any = False, *, dim: Any = None, keepdim: Any = False) -> Any:
        """Return whether all elements over ``axis`` (None: all) are true."""
        return _logical(_Base.all, self, axis if dim is None else dim, keep_dims or keepdim)

    def any(self: Any, axis: Any = None, keep_dims: Any = False, *, dim: Any = None, keepdim: Any = False) -> Any:
        """Return whether any element over ``axis`` (None: all) is true."""
        return _logical(_Base.any, self, axis if dim is None else dim, keep_dims or keepdim)

    @with_dtype_fallback
    def ptp(self: Any, axis: Any = None, keepdims: Any = False) -> Any:
        """Return maximum - minimum over ``axis``."""
        dims = tuple(range(_Base.dim(self))) if axis is None else _axes(axis)
        return wrap(torch.amax(self, dims, keepdims) - torch.amin(self, dims, keepdims))

    @with_dtype_fallback
    def norm(
        self: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, p: Any = None
    ) -> Any:
        """Return a vector or matrix norm. Without an order it is the root of the squares, of ints, too. A float 2
        without axes is that of all elements, an int 2 that of a matrix.
        """
        order = p if ord is None else ord
        if isinstance(order, float) and order == 2 and dim is None:
            order = None
        if order is None and not self.dtype.is_floating_point and not self.dtype.is_complex:
            self = _Base.to(self, torch.float32)
        result = norms.norm(self, order, _axes(dim), keepdim, None)
        return wrap(result if dtype is None else _Base.to(result, to_torch_dtype(dtype)))

    @with_dtype_fallback
    def cumsum(self: Any, axis: Any = None, dtype: Any = None, *, dim: Any = None) -> Any:
        """Return the running sum over ``axis`` (None: flattened); the dtype stays, small ints become int32."""
        axis = dim if axis is None else axis
        source = _Base.reshape(self, -1) if axis is None else self
        target = _dtype(dtype)
        if target is None:
            target = _int32 if self.dtype in (torch.bool, torch.int8, torch.int16, torch.uint8) else self.dtype
        return wrap(cut_after(_Base.cumsum, source, 0 if axis is None else operator.index(axis), dtype=target))

    @with_dtype_fallback
    def cumprod(self: Any, dim: Any, dtype: Any = None) -> Any:
        """Return the running product over ``dim``."""
        return wrap(given_in(_Base.cumprod, self, operator.index(dim), dtype=_dtype(dtype)))

    # --- order ---

    @with_dtype_fallback
    def sort(self: Any, axis: Any = -1, descending: Any = False, *, dim: Any = None, stable: Any = False) -> Any:
        """Return (sorted values, int32 indices)."""
        values, indices = torch.sort(self, dim=axis if dim is None else dim, descending=descending, stable=stable)
        return wrap(values), wrap(_Base.to(indices, _int32))

    @with_dtype_fallback
    def argsort(self: Any, axis: Any = -1, descending: Any = False, *, dim: Any = None, stable: Any = False) -> Any:
        """Return the int32 indices that sort."""
        return wrap(
            _Base.to(
                torch.argsort(self, dim=axis if dim is None else dim, descending=descending, stable=stable), _int32
            )
        )

    @with_dtype_fallback
    def searchsorted(self: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Return the places to insert values at, as int32."""
        if side not in ("left", "right"):
            raise ValueError(
                f"For 'Tensor.searchsorted', the argument 'side' should be one of in ['left', 'right'], but got {side}."
            )
        values = v if isinstance(v, torch.Tensor) else constant(v, self.device)
        return wrap(
            torch.searchsorted(self, _Base.to(values, self.dtype), out_int32=True, right=side == "right", sorter=sorter)
        )


def _logical(reduce: Any, self: Any, axis: Any, keep: Any) -> Any:
    value = self if self.dtype is torch.bool else _Base.to(self, torch.bool)
    axis = _axes(axis)
    if axis is None:
        if not keep:
            return wrap(reduce(value))
        axis = tuple(range(_Base.dim(value)))
    return wrap(reduce(value, axis, keep))
