"""Reductions and order statistics. Part of ``mindspore.ops.function.math_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._numerics.integer_results import cut_after, given_in
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import (
    all_axes,
    as_axes,
    as_plain,
    dtype_or_none,
    to_dtype,
)

__all__ = """
    sum mean prod max min amax amin aminmax all any std var std_mean var_mean median nanmedian nansum nanmean
    quantile nanquantile logsumexp count_nonzero argmax argmin trace bincount histc diff trapz cov reduce_sum
    reduce_mean reduce_max reduce_min reduce_prod reduce_all reduce_any argmax_with_value argmin_with_value diff_ext
""".split()


_int32 = torch.int32


def _mean(x: torch.Tensor, axis: Any, keep: bool) -> torch.Tensor:
    """Return the mean; ints give an int, as MindSpore's CPU does."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return torch.mean(x, axis, keep)
    return to_dtype(torch.mean(to_dtype(x, torch.float64), axis, keep), x.dtype)


def _prod_over(x: torch.Tensor, axis: Any, keep: bool, dtype: torch.dtype | None = None) -> torch.Tensor:
    dtype, axes = dtype or x.dtype, all_axes(axis, x.dim())
    if len(axes) == x.dim() > 0:  # at once, as the method and loaded files
        return torch.reshape(kernels.prod(x, dtype=dtype), (1,) * x.dim() if keep else ())
    for item in sorted(axes, reverse=True):
        x = kernels.prod(x, item, keep, dtype=dtype)
    return x


def _prod(x: torch.Tensor, axis: Any, keep: bool, dtype: torch.dtype | None = None) -> torch.Tensor:
    return given_in(_prod_over, x, axis, keep, dtype=dtype or x.dtype)


# --- class-form reductions: axis () is all ----------------------------------------------------------------------------


def reduce_sum(x: Any, axis: Any = (), keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """Sum over ``axis``; ``()`` is all axes, or none with ``skip_mode``. The dtype stays."""
    axis = as_axes(axis)
    if axis is None and skip_mode:
        return x
    if x.dtype is torch.bool:  # as MindSpore's CPU: the sum of bools is a bool
        return reduce_any(x, axis, keep_dims)
    return wrap(torch.sum(x, axis, keep_dims, dtype=x.dtype))


def reduce_mean(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Mean over ``axis``; ``()`` is all axes."""
    return wrap(_mean(x, as_axes(axis), keep_dims))


def reduce_max(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the maximum over ``axis``; ``()`` is all axes."""
    return wrap(torch.amax(x, all_axes(axis, x.dim()), keep_dims))


def reduce_min(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the minimum over ``axis``; ``()`` is all axes."""
    return wrap(torch.amin(x, all_axes(axis, x.dim()), keep_dims))


def reduce_prod(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the product over ``axis``; ``()`` is all axes."""
    return wrap(_prod(x, axis, keep_dims))


def reduce_all(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return whether all elements over ``axis`` are true."""
    x = to_dtype(x, torch.bool)
    return wrap(torch.all(x, all_axes(axis, x.dim()), keep_dims) if x.dim() else x)


def reduce_any(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return whether any element over ``axis`` is true."""
    x = to_dtype(x, torch.bool)
    return wrap(torch.any(x, all_axes(axis, x.dim()), keep_dims) if x.dim() else x)


# --- function form ----------------------------------------------------------------------------------------------------


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum over ``dim`` (None: all); bools and ints give int64."""
    return wrap(given_in(torch.sum, input, as_axes(dim), keepdim, dtype=dtype_or_none(dtype)))


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Mean over ``axis`` (None: all); ints give an int."""
    return wrap(_mean(x, as_axes(axis), keep_dims))


def prod(input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Any:
    """Return the product over ``axis`` (None: all)."""
    dtype = dtype_or_none(dtype)
    if dtype is None and not input.dtype.is_floating_point and not input.dtype.is_complex:
        dtype = torch.int64
    return wrap(_prod(input, axis, keep_dims, dtype))


def _limited(input: torch.Tensor, initial: Any, where: Any, low: bool) -> torch.Tensor:
    """Return ``input`` with ``initial`` in place of elements outside of ``where``, and as one more candidate."""
    if where is not None:
        if initial is None:
            raise ValueError(
                "For 'max' and 'min', 'initial' must be given when 'where' is given. Pass the value to start from."
            )
        input = torch.where(where, input, constant(initial, input.device, input.dtype))
    return input


def _extreme(input: Any, axis: Any, keepdims: bool, initial: Any, where: Any, largest: bool) -> Any:
    if axis is None:
        input = _limited(input, initial, where, not largest)
        found = torch.amax(input) if largest else torch.amin(input)
        if initial is not None:
            found = subgradients.clamp(found, min=initial) if largest else subgradients.clamp(found, max=initial)
        if keepdims:
            found = torch.reshape(found, (1,) * input.dim())
        return wrap(found), wrap(torch.zeros((), dtype=torch.int64, device=input.device))
    input = _limited(input, initial, where, not largest)
    if initial is not None:
        input = subgradients.clamp(input, min=initial) if largest else subgradients.clamp(input, max=initial)
    values, indices = torch.max(input, axis, keepdims) if largest else torch.min(input, axis, keepdims)
    return wrap(values), wrap(indices)


def max(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return (maximum over ``axis``, its index); without an axis the maximum of all and index 0."""
    return _extreme(input, axis, keepdims, initial, where, True)


def min(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return (minimum over ``axis``, its index); without an axis the minimum of all and index 0."""
    return _extreme(input, axis, keepdims, initial, where, False)


def amax(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return the maximum over ``axis`` (None: all)."""
    input = _limited(input, initial, where, False)
    found = torch.amax(input, all_axes(axis, input.dim()), keepdims)
    return wrap(found if initial is None else subgradients.clamp(found, min=initial))


def amin(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return the minimum over ``axis`` (None: all)."""
    input = _limited(input, initial, where, True)
    found = torch.amin(input, all_axes(axis, input.dim()), keepdims)
    return wrap(found if initial is None else subgradients.clamp(found, max=initial))


def aminmax(input: Any, *, axis: Any = 0, keepdims: bool = False) -> Any:
    """Return (minimum, maximum) over ``axis``; at equal elements the first has the gradient."""
    return min(input, axis, keepdims)[0], max(input, axis, keepdims)[0]


def all(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Return whether all elements over ``axis`` (None: all) are true."""
    return reduce_all(input, () if axis is None else axis, keep_dims)


def any(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Return whether any element over ``axis`` (None: all) is true."""
    return reduce_any(input, () if axis is None else axis, keep_dims)


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance over ``axis`` (None: all) with divisor n - ddof."""
    return wrap(torch.var(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation over ``axis`` (None: all) with divisor n - ddof."""
    return wrap(torch.std(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


def var_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return (variance, mean) over ``axis``."""
    return wrap(torch.var_mean(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


def std_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return (standard deviation, mean) over ``axis``."""
    return wrap(torch.std_mean(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


def median(input: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """Return (lower median over ``axis``, its index)."""
    return wrap(tuple(torch.median(input, axis, keepdims)))


def nanmedian(input: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """Return (lower median without nans, its index)."""
    return wrap(tuple(torch.nanmedian(input, axis, keepdims)))


def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Sum with nans as 0."""
    default = torch.int64 if input.dtype is torch.bool else input.dtype
    return wrap(cut_after(torch.nansum, input, as_axes(axis), keepdims, dtype=dtype_or_none(dtype) or default))


def nanmean(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Mean without nans."""
    return wrap(torch.nanmean(input, as_axes(axis), keepdims, dtype=dtype_or_none(dtype)))


def quantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the q-th quantiles, linearly interpolated."""
    return wrap(torch.quantile(input, as_plain(q, input.dtype, input), axis, keepdims))


def nanquantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the q-th quantiles without nans."""
    return wrap(torch.nanquantile(input, as_plain(q, input.dtype, input), axis, keepdims))


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return log(sum(exp(input))) over ``dim``."""
    return wrap(kernels.logsumexp(input, all_axes(dim, input.dim()), keepdim))


def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = _int32) -> Any:
    """Return the number of elements over ``axis`` that are not zero."""
    return wrap(torch.sum(torch.ne(x, 0), as_axes(axis), keep_dims, dtype=dtype_or_none(dtype)))


def argmax(input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the int64 index of the maximum over ``dim`` (None: of all, flattened)."""
    if input.dtype is torch.bool:
        input = to_dtype(input, torch.uint8)
    return wrap(torch.argmax(input, axis if dim is None else dim, keepdim or keepdims))


def argmin(input: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the int32 index of the minimum over ``axis`` (None: of all, flattened)."""
    return wrap(to_dtype(torch.argmin(input, axis, bool(keepdims)), _int32))


def argmax_with_value(input: Any, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (int64 index of the maximum over ``axis``, the maximum)."""
    values, indices = torch.max(input, axis, keep_dims)
    return wrap(indices), wrap(values)


def argmin_with_value(input: Any, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (int64 index of the minimum over ``axis``, the minimum)."""
    values, indices = torch.min(input, axis, keep_dims)
    return wrap(indices), wrap(values)


# --- the rest ---------------------------------------------------------------------------------------------------------


def trace(input: Any) -> Any:
    """Return the sum of the main diagonal of a matrix, in its dtype."""
    return wrap(torch.trace(input).to(input.dtype))


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return the count of each non-negative int, as float32. Whole floats count as ints."""
    if input.dtype is torch.bool or input.dtype.is_floating_point:
        input = to_dtype(input, torch.int64)
    counts = torch.bincount(input, weights, int(minlength))
    return wrap(counts if weights is not None else to_dtype(counts, torch.float32))


def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    """Return counts in ``bins`` equal bins between ``min`` and ``max`` (0 and 0: the data's own range)."""
    counts = torch.histc(input if input.dtype is torch.float64 else to_dtype(input, torch.float32), bins, min, max)
    return wrap(counts if input.dtype.is_floating_point else to_dtype(counts, input.dtype))


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the n-th difference along ``axis``."""
    return wrap(torch.diff(x, n, axis, prepend, append))


diff_ext = diff


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integral by the trapezoidal rule."""
    return wrap(torch.trapezoid(y, dx=dx, dim=dim) if x is None else torch.trapezoid(y, x, dim=dim))


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariance matrix of variables in rows."""
    if input.dtype is torch.float16:
        input = to_dtype(input, torch.float32)
    return wrap(kernels.cov(input, correction=correction, fweights=fweights, aweights=aweights))


apply_dtype_fallback(globals(), __all__, skip="sum mean reduce_mean all any reduce_all reduce_any")
