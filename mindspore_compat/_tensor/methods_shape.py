"""Tensor methods that change shapes or pick elements, with MindSpore's arguments and torch's beside them."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.indexing import as_indices, in_range
from mindspore_compat._tensor.wrapping import wrap

_Base = torch._C.TensorBase
#: pairs of axes of a matrix that are no change as a permutation
_KEEPING = ((0, 1), (-2, -1), (0, -1), (-2, 1))
_get_shape = _Base.size


def _only(method: str, args: tuple, kwargs: dict[str, Any], *names: str) -> tuple:
    """Return the one argument, given under one of its names."""
    if args or len(kwargs) != 1 or not kwargs.keys() <= set(names):
        raise TypeError(f"For 'Tensor.{method}', the argument must be given once, but got {args} and {sorted(kwargs)}.")
    return (next(iter(kwargs.values())),)


def whole_lengths(shape: Any) -> list[Any]:
    """Return lengths with ints for whole floats: a quotient of ints was an int in graphs of 1.x."""
    lengths = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return [int(item) if isinstance(item, float) and item.is_integer() else item for item in lengths]


class ShapeMethods:
    """Mixin; holds no state."""

    __slots__ = ()

    def view(self: Any, *shape: Any) -> Any:
        """Return the same values in another shape; copy only if necessary.

        Examples:
            >>> print(Tensor([1, 2, 3, 4]).view(2, 2))
            [[1 2]
             [3 4]]
        """
        if len(shape) == 1 and isinstance(shape[0], torch.dtype):
            return wrap(_Base.view(self, shape[0]))
        try:
            return wrap(_Base.reshape(self, *shape))
        except TypeError:
            return wrap(_Base.reshape(self, whole_lengths(shape)))

    def reshape(self: Any, *shape: Any, **kwargs: Any) -> Any:
        """Return the same values in another shape; one length may be -1.

        Examples:
            >>> print(Tensor([1, 2, 3, 4]).reshape(2, -1))
            [[1 2]
             [3 4]]
        """
        if kwargs:
            shape = _only("reshape", shape, kwargs, "shape")
        try:
            return wrap(_Base.reshape(self, *shape))
        except TypeError:
            return wrap(_Base.reshape(self, whole_lengths(shape)))

    def transpose(self: Any, *axes: Any, **kwargs: Any) -> Any:
        """Exchange two axes, given as two ints like torch's ``transpose(dim0, dim1)``; for a matrix in compiled code,
        two ints are a permutation. Otherwise permute all axes, given as one sequence or as arguments; without any,
        reverse them.
        """
        if kwargs:
            if axes or kwargs.keys() != {"axes"}:
                return wrap(_Base.transpose(self, *axes, **kwargs))
            axes = (kwargs["axes"],)
        is_pair = len(axes) == 2
        if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
            axes = tuple(axes[0])
        if not axes or axes == (None,):
            axes = tuple(range(_Base.dim(self) - 1, -1, -1))
        if is_pair and not (axes in _KEEPING and _Base.dim(self) == 2 and in_graph()):
            return wrap(_Base.transpose(self, *axes))
        return wrap(_Base.permute(self, axes))

    def expand_dims(self: Any, axis: int) -> Any:
        """Insert an axis of length 1 at ``axis``."""
        return wrap(_Base.unsqueeze(self, axis))

    def unsqueeze(self: Any, dim: Any = None, *, axis: Any = None) -> Any:
        """Insert an axis of length 1 at ``dim``."""
        return wrap(_Base.unsqueeze(self, axis if dim is None else dim))

    def squeeze(self: Any, *axis: Any, **kwargs: Any) -> Any:
        """Remove the axes of length 1: all, or those among the named ones."""
        names = axis or tuple(kwargs.pop(name) for name in ("axis", "dim") if name in kwargs)
        if kwargs:
            raise TypeError(f"For 'Tensor.squeeze', the argument {sorted(kwargs)} is not known.")
        if not names or names == (None,) or names == ((),):
            return wrap(_Base.squeeze(self))
        dims = names[0] if len(names) == 1 else names
        return wrap(_Base.squeeze(self, dims if isinstance(dims, int) else tuple(dims)))

    def flatten(self: Any, *dims: Any, order: Any = "C", start_dim: Any = 0, end_dim: Any = -1) -> Any:
        """Join axes ``start_dim`` to ``end_dim``; order "F" is column-major. The order may come first, or as in torch
        the axes.
        """
        if dims and isinstance(dims[0], str):
            order, *dims = dims  # type: ignore[assignment]
        start_dim, end_dim = (*dims, *(start_dim, end_dim)[len(dims) :])
        if order not in ("C", "F"):
            raise ValueError(f"For 'Tensor.flatten', argument 'order' value must be 'C' or 'F', but got {order!r}.")
        value = _Base.permute(self, tuple(range(_Base.dim(self) - 1, -1, -1))) if order == "F" else self
        flat = _Base.flatten(value, start_dim, end_dim)
        return wrap(_Base.clone(flat) if (start_dim, end_dim) == (1, -1) else flat)

    def broadcast_to(self: Any, *shape: Any, **kwargs: Any) -> Any:
        """Repeat to ``shape``; -1 keeps a length."""
        if kwargs:
            shape = _only("broadcast_to", shape, kwargs, "shape", "size")
        return wrap(_Base.expand(self, *shape))

    def tile(self: Any, *dims: Any, **kwargs: Any) -> Any:
        """Repeat the tensor as a whole along each axis."""
        if kwargs:
            dims = _only("tile", dims, kwargs, "reps", "dims", "multiples")
        return wrap(_Base.tile(self, *dims))

    def repeat(self: Any, *repeats: Any, axis: Any = None, **kwargs: Any) -> Any:
        """Repeat each element along ``axis`` (None: flattened), as numpy.

        One repetition for each axis of the tensor (2.x and torch) repeats the tensor as a whole instead.
        """
        if kwargs or not repeats:
            repeats = _only("repeat", repeats, kwargs, "repeats")
        dims, first, several = _Base.dim(self), repeats[0], len(repeats) > 1
        # A repetition of 0 leaves no element, one below is refused: what programs of 1.x write so is an axis.
        if axis is None and len(repeats) == 2 and (dims > 2 or repeats[1] <= 0):
            axis, several = repeats[1], False
        if axis is None:
            if several:
                return wrap(_Base.repeat(self, *repeats))
            if (
                isinstance(first, (tuple, list))
                and len(first) >= dims
                and (dims > 1 or len(first) != _Base.numel(self))
            ):
                return wrap(_Base.repeat(self, *first))
        count = first
        if isinstance(count, (tuple, list)):
            count = int(count[0]) if len(count) == 1 else constant(count, self.device)
        return wrap(_Base.repeat_interleave(self, count, axis))

    def repeat_interleave(
        self: Any, repeats: Any, dim: Any = None, *, axis: Any = None, output_size: Any = None
    ) -> Any:
        """Repeat each element along ``dim`` (None: flattened)."""
        repeats = constant(repeats, self.device) if isinstance(repeats, (tuple, list)) else repeats
        return wrap(_Base.repeat_interleave(self, repeats, axis if dim is None else dim, output_size=output_size))

    def resize(self: Any, *new_shape: Any) -> Any:
        """Return the first elements in another shape, padded with zeros."""
        if not new_shape:
            return self
        shape = tuple(new_shape[0]) if isinstance(new_shape[0], (tuple, list)) else new_shape
        flat, count = _Base.reshape(self, -1), math.prod(shape)
        missing = count - _Base.numel(flat)
        flat = torch.nn.functional.pad(flat, (0, missing)) if missing > 0 else flat[:count]
        return wrap(_Base.reshape(flat, shape))

    def split(
        self: Any, split_size_or_sections: Any = None, axis: Any = 0, *, split_size: Any = None, dim: Any = None
    ) -> Any:
        """Split along ``axis`` into pieces of an equal length, or of the lengths given."""
        sizes = split_size if split_size_or_sections is None else split_size_or_sections
        if isinstance(sizes, int):
            return wrap(tuple(torch._VF.split(self, sizes, axis if dim is None else dim)))  # type: ignore[attr-defined]
        return wrap(tuple(torch._VF.split_with_sizes(self, list(sizes), axis if dim is None else dim)))  # type: ignore[attr-defined]

    def chunk(self: Any, chunks: Any, axis: Any = 0, *, dim: Any = None) -> Any:
        """Split into at most ``chunks`` pieces of equal length; the last may be shorter."""
        return wrap(tuple(_Base.chunk(self, chunks, axis if dim is None else dim)))

    def diagonal(
        self: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, *, dim1: Any = None, dim2: Any = None
    ) -> Any:
        """Return a diagonal of the plane of two axes, as last axis."""
        return wrap(_Base.diagonal(self, offset, axis1 if dim1 is None else dim1, axis2 if dim2 is None else dim2))

    @with_dtype_fallback
    def trace(self: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Any:
        """Return the sum along a diagonal."""
        return self.diagonal(offset, axis1, axis2).sum(
            -1, dtype=self.dtype if dtype is None and self.dtype is torch.bool else dtype
        )

    # --- picking elements ---

    @with_dtype_fallback
    def take(self: Any, indices: Any, axis: Any = None, mode: str = "clip") -> Any:
        """Return elements along ``axis`` (None: flattened); clip or wrap indices out of range ("clip", "wrap")."""
        if mode not in ("raise", "wrap", "clip"):
            raise ValueError(
                f"For 'Tensor.take', the argument 'mode' should be one of in ['raise', 'wrap', 'clip'], but got {mode}."
            )
        source, axis = (_Base.reshape(self, -1), 0) if axis is None else (self, in_range(axis, _Base.dim(self)))
        length, places = _get_shape(source)[axis], as_indices(indices, self)
        if mode == "wrap":
            places = torch.remainder(places, length)
        elif mode == "clip":
            places = torch.remainder(
                torch.clamp(places, -length, length - 1), length
            )  # MindSpore counts from the end within the length
        shape = tuple(_get_shape(source))
        result = torch.index_select(source, axis, _Base.reshape(places, -1))
        return wrap(_Base.reshape(result, (*shape[:axis], *places.shape, *shape[axis + 1 :])))

    @with_dtype_fallback
    def choose(self: Any, choices: Any, mode: str = "clip") -> Any:
        """Return at each place the element of ``choices[self]``."""
        items = (
            torch.unbind(choices)
            if isinstance(choices, torch.Tensor)
            else [torch.as_tensor(item, device=self.device) for item in choices]
        )
        stacked = torch.stack(torch.broadcast_tensors(*items, torch.empty(_get_shape(self), device=self.device))[:-1])
        places = as_indices(self, self)
        places = torch.remainder(places, len(items)) if mode == "wrap" else torch.clamp(places, 0, len(items) - 1)
        index = _Base.expand(places, stacked.shape[1:])
        return wrap(torch.squeeze(torch.gather(stacked, 0, torch.unsqueeze(index, 0)), 0))

    @with_dtype_fallback
    def scatter(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Return a copy with ``src`` at the indices of an axis; int32 indices are accepted."""
        values = {**dict(zip(("axis", "index", "src", "reduce"), args, strict=False)), **kwargs}
        axis = values.pop("axis", values.pop("dim", None))
        src = values.pop("src", values.pop("value", None))
        index, reduce = as_indices(values.pop("index"), self), values.pop("reduce", "none")
        if reduce != "none" and isinstance(src, torch.Tensor):
            how = {"add": "sum", "multiply": "prod"}.get(reduce, reduce)
            return wrap(_Base.scatter_reduce(self, axis, index, src, how, **values))
        values = values if reduce == "none" else {"reduce": reduce, **values}
        return wrap(_Base.scatter(self, axis, index, src, **values))

    @with_dtype_fallback
    def unfold(self: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
        """Return windows of (N, C, H, W) as columns; torch's ``unfold(dimension, size, step)`` is
        ``torch.Tensor.unfold``.
        """
        return wrap(kernels.unfold(self, kernel_size, dilation, padding, stride))
