"""Reductions, running sums, sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._numerics.integer_results import cut_after, given_in
from mindspore_compat._ops.adapt import all_axes, as_axes, as_int, as_ints, as_plain, dtype_or_none, in_range, to_dtype
from mindspore_compat._ops.declare import Bool, Int, Ints, Typed, classes, functions, op, primitive, primitive_class
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


_int32 = torch.int32


@op
def sort(input_x: Any, axis: int = -1, descending: bool = False) -> Any:
    """Return (sorted values, int32 indices)."""
    values, indices = torch.sort(input_x, axis, descending)
    return wrap(values), wrap(to_dtype(indices, _int32))


Sort = primitive_class("Sort", sort, axis=(Int, -1), descending=(Typed[bool], False), inputs="x")


@op
def msort(input: Any) -> Any:
    """Sort along the first axis."""
    return wrap(torch.msort(input))


@op
def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """Return the int32 indices that sort."""
    return wrap(to_dtype(torch.argsort(input, axis, descending), _int32))


def _as_they_are(input: Any, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
    places = torch.arange(input.shape[axis], device=input.device).reshape(
        -1, *[1] * (input.dim() - 1 - axis % input.dim())
    )
    return input.clone(), places.expand(input.shape)


@op(method="topk")
def topk(input: Any, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> Any:
    """Return (the k largest or smallest values along ``dim``, their int32 indices)."""
    axis, k = -1 if dim is None else dim, as_int(k)
    if input.dim() and k == input.shape[in_range(axis, input.dim())]:
        # all: equal ones stay in their order, and without `sorted` all do
        values, indices = (
            torch.sort(input, dim=axis, descending=largest, stable=True) if sorted else _as_they_are(input, axis)
        )
    else:
        values, indices = torch.topk(input, k, axis, largest, sorted)
    return wrap(values), wrap(to_dtype(indices, _int32))


@op(method="top_k")
def top_k(input_x: Any, k: int, sorted: bool = True) -> Any:
    """Return (the k largest values of the last axis, their int32 indices)."""
    return topk(input_x, k, -1, True, sorted)


@op(formerly="x=input", method="unique")
def unique(input: Any) -> Any:
    """Return (distinct elements in the order of first occurrence, index of each element in them)."""
    flat = torch.reshape(input, (-1,))
    values, inverse = torch.unique(flat, sorted=True, return_inverse=True)
    first = torch.full((values.numel(),), flat.numel(), dtype=torch.int64, device=input.device)
    first = torch.scatter_reduce(first, 0, inverse, torch.arange(flat.numel(), device=input.device), "amin")
    order = torch.argsort(first)
    place = torch.empty_like(order)
    place[order] = torch.arange(order.numel(), device=input.device)
    dtype = torch.int64 if input.dtype is torch.int64 else _int32
    return wrap(values[order]), wrap(to_dtype(torch.reshape(place[inverse], tuple(input.shape)), dtype))


Unique = primitive_class("Unique", unique, inputs="x")


@op(method="unique_with_pad")
def unique_with_pad(x: Any, pad_num: Any) -> Any:
    """Run `unique`, and pad the distinct elements by ``pad_num`` to the length of ``x``."""
    values, inverse = unique(x)
    result = torch.full_like(x, int(pad_num))
    result[: values.numel()] = values
    return wrap(result), inverse


UniqueWithPad = primitive_class("UniqueWithPad", unique_with_pad)


@op(formerly="x=input return_idx=return_inverse axis=dim", method="unique_consecutive")
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return elements without consecutive repetitions, and the other requested results."""
    return wrap(torch.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim))


@op
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Return the places to insert the values at, in order."""
    values = as_plain(values, sorted_sequence.dtype, sorted_sequence)
    return wrap(
        torch.searchsorted(sorted_sequence, values, out_int32=out_int32, right=right or side == "right", sorter=sorter)
    )


@op
def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """Return the number of the bucket of each element."""
    bounds = as_plain(list(boundaries) if isinstance(boundaries, tuple) else boundaries)
    return wrap(torch.bucketize(input, bounds, out_int32=True, right=right))


@with_dtype_fallback
def unravel_index(indices: Any, dims: Any) -> Any:
    """Return coordinates of flat indices in a shape, one row each axis."""
    return wrap(torch.stack(torch.unravel_index(indices, as_ints(dims))))


_int32 = torch.int32


def _mean(x: torch.Tensor, axis: Any, keep: bool) -> torch.Tensor:
    """Return the mean; ints give an int, as MindSpore's CPU does."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return torch.mean(x, axis, keep)
    return to_dtype(torch.mean(to_dtype(x, torch.float64), axis, keep), x.dtype)


def _prod_over(x: torch.Tensor, axis: Any, keep: bool, dtype: torch.dtype | None = None) -> torch.Tensor:
    axes = all_axes(axis, x.dim())
    if len(axes) == x.dim() > 0:  # at once, as the method and loaded files
        return torch.reshape(kernels.prod(x, dtype=dtype), (1,) * x.dim() if keep else ())
    for item in sorted(axes, reverse=True):
        x = kernels.prod(x, item, keep, dtype=dtype)
    return to_dtype(x, dtype or x.dtype)  # of no axes as well


def _prod(x: torch.Tensor, axis: Any, keep: bool, dtype: torch.dtype | None = None) -> torch.Tensor:
    return given_in(_prod_over, x, axis, keep, dtype=dtype or _kept(x))


def _kept(x: torch.Tensor) -> torch.dtype | None:
    """Return the dtype in which torch keeps that of ``x``: floats keep it without one."""
    return None if x.dtype.is_floating_point else x.dtype


# --- class-form reductions: axis () is all ----------------------------------------------------------------------------
@op
def reduce_sum(x: Any, axis: Any = (), keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """Sum over ``axis``; ``()`` is all axes, or none with ``skip_mode``. The dtype stays."""
    axis = as_axes(axis)
    if axis is None and skip_mode:
        return x
    if x.dtype is torch.bool:  # as MindSpore's CPU: the sum of bools is a bool
        return reduce_any(x, axis, keep_dims)
    return wrap(torch.sum(x, axis, keep_dims, dtype=_kept(x)))


@op(fallback=False)
def reduce_mean(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Mean over ``axis``; ``()`` is all axes."""
    return wrap(_mean(x, as_axes(axis), keep_dims))


ReduceMean = primitive_class("ReduceMean", reduce_mean, keep_dims=(Bool, False), settable=True)


@op
def reduce_max(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the maximum over ``axis``; ``()`` is all axes."""
    return wrap(torch.amax(x, all_axes(axis, x.dim()), keep_dims))


ReduceMax = primitive_class("ReduceMax", reduce_max, keep_dims=(Bool, False), settable=True)


@op
def reduce_min(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the minimum over ``axis``; ``()`` is all axes."""
    return wrap(torch.amin(x, all_axes(axis, x.dim()), keep_dims))


ReduceMin = primitive_class("ReduceMin", reduce_min, keep_dims=(Bool, False), settable=True)


@with_dtype_fallback
def reduce_prod(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return the product over ``axis``; ``()`` is all axes."""
    return wrap(_prod(x, axis, keep_dims))


ReduceProd = primitive_class("ReduceProd", reduce_prod, keep_dims=(Bool, False), settable=True)


def reduce_all(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return whether all elements over ``axis`` are true."""
    x = to_dtype(x, torch.bool)
    return wrap(torch.all(x, all_axes(axis, x.dim()), keep_dims) if x.dim() else x)


ReduceAll = primitive_class("ReduceAll", reduce_all, keep_dims=(Bool, False), inputs="input axis", settable=True)


def reduce_any(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Return whether any element over ``axis`` is true."""
    x = to_dtype(x, torch.bool)
    return wrap(torch.any(x, all_axes(axis, x.dim()), keep_dims) if x.dim() else x)


ReduceAny = primitive_class("ReduceAny", reduce_any, keep_dims=(Bool, False), settable=True)


# --- function form ----------------------------------------------------------------------------------------------------
@op(fallback=False)
def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Sum over ``dim`` (None: all); bools and ints give int64."""
    return wrap(given_in(torch.sum, input, as_axes(dim), keepdim, dtype=dtype_or_none(dtype)))


@op(fallback=False)
def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Mean over ``axis`` (None: all); ints give an int."""
    return wrap(_mean(x, as_axes(axis), keep_dims))


@op(formerly="x=input")
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


@op(formerly="x=input keep_dims=keepdims")
def max(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return (maximum over ``axis``, its index); without an axis the maximum of all and index 0."""
    return _extreme(input, axis, keepdims, initial, where, True)


@op(formerly="x=input keep_dims=keepdims")
def min(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return (minimum over ``axis``, its index); without an axis the minimum of all and index 0."""
    return _extreme(input, axis, keepdims, initial, where, False)


@op(formerly="x=input keep_dims=keepdims", method="amax")
def amax(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return the maximum over ``axis`` (None: all)."""
    input = _limited(input, initial, where, False)
    found = torch.amax(input, all_axes(axis, input.dim()), keepdims)
    return wrap(found if initial is None else subgradients.clamp(found, min=initial))


@op(formerly="x=input keep_dims=keepdims", method="amin")
def amin(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """Return the minimum over ``axis`` (None: all)."""
    input = _limited(input, initial, where, True)
    found = torch.amin(input, all_axes(axis, input.dim()), keepdims)
    return wrap(found if initial is None else subgradients.clamp(found, max=initial))


@op(formerly="x=input", method="aminmax")
def aminmax(input: Any, *, axis: Any = 0, keepdims: bool = False) -> Any:
    """Return (minimum, maximum) over ``axis``; at equal elements the first has the gradient."""
    return min(input, axis, keepdims)[0], max(input, axis, keepdims)[0]


@op(fallback=False, formerly="x=input")
def all(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Return whether all elements over ``axis`` (None: all) are true."""
    return reduce_all(input, () if axis is None else axis, keep_dims)


@op(fallback=False, formerly="x=input")
def any(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Return whether any element over ``axis`` (None: all) is true."""
    return reduce_any(input, () if axis is None else axis, keep_dims)


@op
def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance over ``axis`` (None: all) with divisor n - ddof."""
    return wrap(torch.var(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


@op(formerly="input_x=input unbiased=ddof keep_dims=keepdims")
def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation over ``axis`` (None: all) with divisor n - ddof."""
    return wrap(torch.std(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


@op(method="var_mean")
def var_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return (variance, mean) over ``axis``."""
    return wrap(torch.var_mean(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


@op(method="std_mean")
def std_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return (standard deviation, mean) over ``axis``."""
    return wrap(torch.std_mean(input, as_axes(axis), correction=int(ddof), keepdim=keepdims))


@op(formerly="x=input dim=axis keepdim=keepdims", method="median")
def median(input: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """Return (lower median over ``axis``, its index)."""
    return wrap(tuple(torch.median(input, axis, keepdims)))


@op(formerly="x=input", method="nanmedian")
def nanmedian(input: Any, axis: Any = -1, keepdims: bool = False) -> Any:
    """Return (lower median without nans, its index)."""
    return wrap(tuple(torch.nanmedian(input, axis, keepdims)))


@op(method="nansum")
def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Sum with nans as 0."""
    default = torch.int64 if input.dtype is torch.bool else input.dtype
    return wrap(cut_after(torch.nansum, input, as_axes(axis), keepdims, dtype=dtype_or_none(dtype) or default))


@op(method="nanmean")
def nanmean(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Mean without nans."""
    return wrap(torch.nanmean(input, as_axes(axis), keepdims, dtype=dtype_or_none(dtype)))


@op(method="quantile")
def quantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the q-th quantiles, linearly interpolated."""
    return wrap(torch.quantile(input, as_plain(q, input.dtype, input), axis, keepdims))


@op(method="nanquantile")
def nanquantile(input: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the q-th quantiles without nans."""
    return wrap(torch.nanquantile(input, as_plain(q, input.dtype, input), axis, keepdims))


@op(formerly="x=input axis=dim keep_dims=keepdim keepdims=keepdim", method="logsumexp")
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return log(sum(exp(input))) over ``dim``."""
    return wrap(kernels.logsumexp(input, all_axes(dim, input.dim()), keepdim))


@op(method="count_nonzero")
def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = _int32) -> Any:
    """Return the number of elements over ``axis`` that are not zero."""
    return wrap(torch.sum(torch.ne(x, 0), as_axes(axis), keep_dims, dtype=dtype_or_none(dtype)))


@op(hidden="axis keepdims", formerly="x=input")
def argmax(input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the int64 index of the maximum over ``dim`` (None: of all, flattened)."""
    if input.dtype is torch.bool:
        input = to_dtype(input, torch.uint8)
    return wrap(torch.argmax(input, axis if dim is None else dim, keepdim or keepdims))


@op(formerly="x=input")
def argmin(input: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the int32 index of the minimum over ``axis`` (None: of all, flattened)."""
    return wrap(to_dtype(torch.argmin(input, axis, bool(keepdims)), _int32))


@with_dtype_fallback
def argmax_with_value(input: Any, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (int64 index of the maximum over ``axis``, the maximum)."""
    values, indices = torch.max(input, axis, keep_dims)
    return wrap(indices), wrap(values)


ArgMaxWithValue = primitive_class(
    "ArgMaxWithValue", argmax_with_value, axis=(Int, 0), keep_dims=(Bool, False), settable=True
)


@with_dtype_fallback
def argmin_with_value(input: Any, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (int64 index of the minimum over ``axis``, the minimum)."""
    values, indices = torch.min(input, axis, keep_dims)
    return wrap(indices), wrap(values)


ArgMinWithValue = primitive_class(
    "ArgMinWithValue", argmin_with_value, axis=(Int, 0), keep_dims=(Bool, False), settable=True
)


@op
def trace(input: Any) -> Any:
    """Return the sum of the main diagonal of a matrix, in its dtype."""
    return wrap(torch.trace(input).to(input.dtype))


Trace = primitive_class("Trace", trace)


@op(method="bincount")
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return the count of each non-negative int, as float32. Whole floats count as ints."""
    if input.dtype is torch.bool or input.dtype.is_floating_point:
        input = to_dtype(input, torch.int64)
    counts = torch.bincount(input, weights, int(minlength))
    return wrap(counts if weights is not None else to_dtype(counts, torch.float32))


@op(method="histc")
def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    """Return counts in ``bins`` equal bins between ``min`` and ``max`` (0 and 0: the data's own range)."""
    counts = torch.histc(input if input.dtype is torch.float64 else to_dtype(input, torch.float32), bins, min, max)
    return wrap(counts if input.dtype.is_floating_point else to_dtype(counts, input.dtype))


@op
def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the n-th difference along ``axis``."""
    return wrap(torch.diff(x, n, axis, prepend, append))


diff_ext = op(diff, name="diff_ext", shown="input n dim")


@op
def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """Return the integral by the trapezoidal rule."""
    return wrap(torch.trapezoid(y, dx=dx, dim=dim) if x is None else torch.trapezoid(y, x, dim=dim))


@op
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariance matrix of variables in rows."""
    if input.dtype is torch.float16:
        input = to_dtype(input, torch.float32)
    return wrap(kernels.cov(input, correction=correction, fweights=fweights, aweights=aweights))


_int32 = torch.int32


@op
def cumsum(x: Any, axis: Any, dtype: Any = None) -> Any:
    """Return the running sum over ``axis``; the dtype stays."""
    return wrap(given_in(torch.cumsum, x, as_int(axis), dtype=dtype_or_none(dtype) or _kept(x)))


@op
def cumprod(input: Any, dim: Any, dtype: Any = None) -> Any:
    """Return the running product over ``dim``; ints give int64."""
    return wrap(given_in(torch.cumprod, input, as_int(dim), dtype=dtype_or_none(dtype)))


@with_dtype_fallback
def cumulative(scan: Any, x: Any, axis: int, exclusive: bool, reverse: bool, start: float) -> Any:
    """Return ``scan`` over ``axis``, from the end if ``reverse``, without the element itself if ``exclusive``
    (``start`` comes first).
    """
    axis = as_int(axis)
    if reverse:
        x = torch.flip(x, (axis,))
    result = scan(x, axis)
    if exclusive:
        first = torch.full_like(torch.narrow(result, axis, 0, 1), start)
        result = torch.cat((first, torch.narrow(result, axis, 0, result.shape[axis] - 1)), axis)
    return wrap(torch.flip(result, (axis,)) if reverse else result)


@op(formerly="x=input", method="cummax")
def cummax(input: Any, axis: int) -> Any:
    """Return (running maximum, its int64 index) over ``axis``."""
    return wrap(tuple(torch.cummax(input, axis)))


Cummax = primitive_class(
    "Cummax", cummax, "(running maximum, its index).", axis=(int, ...), inputs="input", settable=True
)


@op(formerly="x=input", method="cummin")
def cummin(input: Any, axis: int) -> Any:
    """Return (running minimum, its int32 index) over ``axis``."""
    values, indices = torch.cummin(input, axis)
    return wrap(values), wrap(to_dtype(indices, _int32))


Cummin = primitive_class(
    "Cummin", cummin, "(running minimum, its index).", axis=(int, ...), inputs="input", settable=True
)


@op(method="logcumsumexp")
def logcumsumexp(input: Any, axis: int) -> Any:
    """Log of the running sum of exponentials."""
    return wrap(torch.logcumsumexp(input, axis))


def _bincount(array: Any, size: Any, weights: Any) -> Any:
    """Return the sums of ``weights``, or counts if they are empty, for numbers below ``size``; ignore the others."""
    inside = torch.flatten(array) < int(size)
    values = torch.flatten(weights)[inside] if weights.numel() else None
    found = torch.bincount(torch.flatten(array)[inside], values, int(size))
    return wrap(found.to(weights.dtype))


Bincount = primitive_class("Bincount", lambda array, size, weights: _bincount(array, size, weights))

ReduceSum = primitive_class(
    "ReduceSum",
    reduce_sum,
    "Sum over ``axis``; ``()`` is all axes, or none with ``skip_mode``.",
    keep_dims=(Bool, False),
    skip_mode=(bool, False),
    settable=True,
)


@primitive(settable=True)
def ReduceStd(
    axis: Ints[int | list | tuple | torch.Tensor] = (), unbiased: bool = True, keep_dims: bool = False
) -> _Run:
    """(standard deviation, mean) over ``axis``."""
    return lambda x: std_mean(x, axis, int(unbiased), keep_dims)


@primitive(settable=True)
def Argmax(axis: Int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the maximum over ``axis``."""
    dtype = dtype_or_none(output_type) or torch.int32
    return lambda input_x: wrap(to_dtype(torch.argmax(input_x, axis), dtype))


@primitive(settable=True)
def Argmin(axis: Int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the minimum over ``axis``."""
    dtype = dtype_or_none(output_type) or torch.int32
    return lambda x: wrap(to_dtype(torch.argmin(x, axis), dtype))


@primitive(settable=True)
def CumSum(exclusive: Bool = False, reverse: Bool = False) -> _Run:
    """Running sum over ``axis``."""
    return lambda input, axis: cumulative(cumsum, input, axis, exclusive, reverse, 0)


@primitive(settable=True)
def CumProd(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Running product over ``axis``."""
    return lambda x, axis: cumulative(lambda x, axis: cumprod(x, axis, dtype=_kept(x)), x, axis, exclusive, reverse, 1)


@primitive
def CumulativeLogsumexp(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Log of the running sum of exponentials."""
    return lambda x, axis: cumulative(torch.logcumsumexp, x, axis, exclusive, reverse, torch.finfo(x.dtype).min)


@primitive
def Median(global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False) -> _Run:
    """(lower median, its index) over ``axis`` or of all."""
    function = torch.nanmedian if ignore_nan else torch.median
    if global_median:

        def of_all(x: Any) -> Any:
            if not x.numel() and not x.dtype.is_floating_point:  # of no integers 0, of no floats nan
                value = torch.zeros((), dtype=x.dtype, device=x.device)
            else:
                value = function(x)
            return wrap(value), wrap(torch.zeros((), dtype=torch.int64, device=x.device))

        return of_all
    return lambda x: wrap(tuple(function(x, axis, keep_dims)))


@primitive
def Quantile(dim: Any = None, keep_dims: bool = False, ignore_nan: bool = False) -> _Run:
    """The q-th quantiles."""
    function = nanquantile if ignore_nan else quantile
    return lambda x, q: function(x, q, dim, keep_dims)


@primitive
def CountNonZero(dims: Any = None) -> _Run:
    """int64 count of the elements that are not zero."""
    return lambda x: count_nonzero(x, () if dims is None else dims, False, torch.int64)


@primitive
def Histogram(bins: int = 100, min: float = 0.0, max: float = 0.0) -> _Run:
    """Counts in equal bins, in the dtype of the input."""
    return lambda x: histc(x, bins, min, max)


@primitive(inputs="x range")
def HistogramFixedWidth(nbins: int, dtype: Literal["int32"] = "int32") -> _Run:
    """int32 counts in ``nbins`` equal bins of a range; what lies outside goes into the outer ones."""

    def run(x: Any, value_range: Any) -> Any:
        low, high = value_range.tolist()
        places = torch.clamp(torch.floor((x - low) * (nbins / (high - low))).to(torch.int64), 0, nbins - 1)
        return wrap(to_dtype(torch.bincount(torch.reshape(places, (-1,)), minlength=nbins), torch.int32))

    return run


@primitive(inputs="input")
def Bucketize(boundaries: Any) -> _Run:
    """The int32 number of the bucket of each element; a boundary belongs to the bucket that it begins."""
    return lambda input: bucketize(input, list(boundaries), right=True)


def _square_sums(x: Any, y: Any) -> Any:
    """Return (the sum of squares of ``x``, that of ``y``)."""
    return wrap((torch.sum(kernels.square(x)), torch.sum(kernels.square(y))))


SquareSumAll = primitive_class("SquareSumAll", _square_sums)
EqualCount = primitive_class(
    "EqualCount", lambda x, y: wrap(torch.reshape(torch.sum(torch.eq(x, y)), (1,)).to(x.dtype))
)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
