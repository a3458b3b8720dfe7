"""Arithmetic, reductions and polynomials as in numpy. MindSpore: ``mindspore.numpy.math_ops``."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.integer_results import given_in
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.numpy import _elementwise, _products, _statistics
from mindspore_compat.numpy._elementwise import *  # noqa: F403
from mindspore_compat.numpy._products import *  # noqa: F403
from mindspore_compat.numpy._statistics import *  # noqa: F403
from mindspore_compat.numpy._statistics import convolve
from mindspore_compat.numpy.utils import as_tensor, axes_of, cast, dtype_of, float32_of, float_of, number_of, promoted
from mindspore_compat.ops import function as F

__all__ = [
    *_elementwise.__all__,
    *_products.__all__,
    *_statistics.__all__,
    *"""
    sum mean average max min amax amin ptp std var argmax argmin argwhere count_nonzero cumsum cumprod nansum
    nanmean nanmax nanmin nanstd nanvar nancumsum diff ediff1d trapz gradient polyadd polysub polymul polyval
    polyder polyint unwrap promote_types result_type
    """.split(),
]


# --- reductions -------------------------------------------------------------------------------------------------------


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Return the sum over an axis; ints give int64."""
    kind = None if dtype is None else to_torch_dtype(dtype)
    result = given_in(torch.sum, as_tensor(a), axes_of(axis), keepdims, dtype=kind)
    return wrap(result) if initial is None else cast(result + initial, dtype)


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Return the mean over an axis; ints give an int."""
    return cast(F.mean(as_tensor(a), axes_of(axis), keepdims), dtype)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Return the weighted mean; with ``returned`` also the sum of weights."""
    given = weight = as_tensor(x)
    source, kind = float_of(given), given.dtype
    if weights is None:
        result = torch.mean(source, axes_of(axis))
        total = torch.full_like(result, source.numel() / builtins.max(result.numel(), 1))
    else:
        weight = as_tensor(weights)
        kind = promoted(kind, weight.dtype)
        if weight.dim() != source.dim():
            weight = torch.reshape(weight, [-1 if i == axis % source.dim() else 1 for i in range(source.dim())])
        weight = torch.Tensor.expand(weight, tuple(source.shape))
        total = torch.sum(weight, axes_of(axis))
        result = torch.sum(source * weight, axes_of(axis)) / total
    return (wrap(result.to(kind)), wrap(total.to(weight.dtype))) if returned else wrap(result.to(kind))


def _extreme(largest: bool) -> Callable[..., Any]:
    def op(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
        source = as_tensor(a)
        if initial is not None:  # in the type of `a`, which the result keeps
            initial = as_tensor(initial).to(source.dtype).item()
        if where is not True:
            if initial is None:
                raise ValueError("For 'max' and 'min', 'initial' must be given when 'where' is given.")
            source = torch.where(as_tensor(where), source, constant(initial, source.device, source.dtype))
        axes = tuple(range(source.dim())) if axis is None else axes_of(axis)
        if not source.numel():
            raise ValueError(
                f"For 'max' and 'min', the input must have elements, but its shape is {tuple(source.shape)}."
            )
        found = (torch.amax if largest else torch.amin)(source, axes, keepdims)
        if initial is not None:
            found = subgradients.clamp(found, min=initial) if largest else subgradients.clamp(found, max=initial)
        return wrap(found)

    op.__doc__ = f"{'Maximum' if largest else 'Minimum'} over an axis."
    return op


max = amax = _extreme(True)
min = amin = _extreme(False)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return maximum - minimum."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance with divisor n - ddof."""
    return wrap(torch.var(float_of(as_tensor(x)), axes_of(axis), correction=ddof, keepdim=keepdims))


def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation with divisor n - ddof."""
    return wrap(torch.std(float_of(as_tensor(x)), axes_of(axis), correction=ddof, keepdim=keepdims))


def argmax(a: Any, axis: int | None = None) -> Any:
    """Return the index of the maximum."""
    return wrap(torch.argmax(number_of(as_tensor(a)), axis))


def argmin(a: Any, axis: int | None = None) -> Any:
    """Return the index of the minimum."""
    return wrap(torch.argmin(number_of(as_tensor(a)), axis).to(torch.int32))


def argwhere(a: Any) -> Any:
    """Return the coordinates of the elements that are not zero."""
    return wrap(torch.argwhere(as_tensor(a)))


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the number of elements that are not zero."""
    return wrap(torch.sum(torch.ne(as_tensor(x), 0), axes_of(axis), keepdims, dtype=torch.int32))


def _sum_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.int32 if dtype in (torch.bool, torch.int8, torch.int16, torch.uint8) else dtype


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the running sum; without an axis flattened."""
    source = as_tensor(a)
    kind = _sum_dtype(source.dtype)
    inner = torch.float32 if kind is torch.float16 else kind  # the sums are rounded
    found = torch.cumsum(torch.reshape(source, (-1,)) if axis is None else source, axis or 0, dtype=inner)
    return cast(torch.Tensor.to(found, kind), dtype)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the running product; without an axis flattened. Small integers give int32 or uint32, Python's int64."""
    source = as_tensor(a)
    kind = {torch.uint8: torch.uint32}.get(source.dtype, _sum_dtype(source.dtype))
    if not isinstance(a, torch.Tensor) and kind is torch.int32:
        kind = torch.int64
    inner = torch.int64 if kind is torch.uint32 else kind
    found = torch.cumprod(torch.reshape(source, (-1,)) if axis is None else source, axis or 0, dtype=inner)
    return cast(torch.Tensor.to(found, kind), dtype)


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum without nans."""
    return cast(F.nansum(as_tensor(a), axes_of(axis), bool(keepdims)), dtype)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the mean without nans."""
    return cast(torch.nanmean(_float32_of(a), axes_of(axis), bool(keepdims)), dtype)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the running sum without nans."""
    return cumsum(torch.nan_to_num(as_tensor(a), 0.0, float("inf"), float("-inf")), axis, dtype)


def _float32_of(a: Any) -> torch.Tensor:
    """Return floats of 32 bits or more."""
    source = as_tensor(a)
    return source if source.dtype in (torch.float32, torch.float64) else torch.Tensor.to(source, torch.float32)


def _without_nans(a: Any, instead: float) -> torch.Tensor:
    source = as_tensor(a)
    if not source.dtype.is_floating_point:
        return source
    return torch.where(torch.isnan(source), torch.full_like(source, instead), source)


def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the maximum without nans."""
    return cast(max(_without_nans(a, float("-inf")), axis, bool(keepdims)), dtype)


def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the minimum without nans."""
    return cast(min(_without_nans(a, float("inf")), axis, bool(keepdims)), dtype)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the variance without nans."""
    source, keepdims = _float32_of(a), bool(keepdims)
    count = torch.sum(torch.logical_not(torch.isnan(source)), axes_of(axis), True)
    center = torch.nansum(source, axes_of(axis), True) / count
    result = torch.nansum(kernels.square(source - center), axes_of(axis), keepdims)
    return cast(result / (torch.reshape(count, tuple(result.shape)) - ddof), dtype)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Return the standard deviation without nans."""
    return cast(torch.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


# --- differences and integrals ----------------------------------------------------------------------------------------


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the n-th difference."""
    source = as_tensor(a)
    lengths = (
        [1 if place == axis % source.dim() else size for place, size in enumerate(source.shape)] if source.dim() else []
    )
    ends = [None if item is None else as_tensor(item) for item in (prepend, append)]
    ends = [item.expand(lengths).to(source.dtype) if item is not None and item.dim() == 0 else item for item in ends]
    return wrap(torch.diff(source, n, axis, *ends))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of the flattened input, with values at both ends."""
    parts = [torch.diff(torch.reshape(as_tensor(ary), (-1,)))]
    if to_begin is not None:
        parts.insert(0, torch.reshape(as_tensor(to_begin), (-1,)).to(parts[0].dtype))
    if to_end is not None:
        parts.append(torch.reshape(as_tensor(to_end), (-1,)).to(parts[0].dtype))
    return wrap(torch.cat(parts))


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral by the trapezoidal rule."""
    source = float_of(as_tensor(y))
    if x is None:
        return wrap(torch.trapezoid(source, dx=dx, dim=axis))
    places = as_tensor(x)
    if places.dim() > source.dim():
        source = source.expand(places.shape)
    return wrap(torch.trapezoid(source, places, dim=axis))


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return central differences."""
    source = float32_of(as_tensor(f))
    axes = tuple(range(source.dim())) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    spacing = (
        [1.0] * len(axes)
        if not varargs
        else [float(varargs[0])] * len(axes)
        if len(varargs) == 1
        else [float(item) for item in varargs]
    )
    found = [
        wrap(torch.gradient(source, spacing=step, dim=item, edge_order=edge_order)[0])
        for item, step in zip(axes, spacing)
    ]
    return found[0] if len(found) == 1 else found


# --- polynomials ------------------------------------------------------------------------------------------------------


def _aligned(a1: Any, a2: Any) -> tuple[torch.Tensor, torch.Tensor]:
    left, right = (torch.atleast_1d(as_tensor(item)) for item in (a1, a2))
    length = builtins.max(left.numel(), right.numel())
    padded = [torch.nn.functional.pad(item, (length - item.numel(), 0)) for item in (left, right)]
    return padded[0], padded[1]


def polyadd(a1: Any, a2: Any) -> Any:
    """Return the sum of polynomials, highest power first."""
    return wrap(torch.add(*_aligned(a1, a2)))


def polysub(a1: Any, a2: Any) -> Any:
    """Return the difference of polynomials."""
    return wrap(torch.sub(*_aligned(a1, a2)))


def polymul(a1: Any, a2: Any) -> Any:
    """Return the product of polynomials."""
    return convolve(torch.atleast_1d(as_tensor(a1)), torch.atleast_1d(as_tensor(a2)))


def polyval(p: Any, x: Any) -> Any:
    """Return the value of a polynomial."""
    coefficients, point = as_tensor(p), as_tensor(x)
    result = torch.zeros_like(float32_of(point))
    for coefficient in torch.atleast_1d(coefficients):
        result = result * point + coefficient
    return wrap(result)


def polyder(p: Any, m: int = 1) -> Any:
    """Return the m-th derivative of a polynomial."""
    coefficients = as_tensor(p)
    for _ in range(m):
        powers = torch.arange(coefficients.numel() - 1, 0, -1, device=coefficients.device)
        coefficients = coefficients[:-1] * powers.to(coefficients.dtype)
    return wrap(coefficients)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return the m-th integral of a polynomial."""
    coefficients = float_of(as_tensor(p))
    constants = [0.0] * m if k is None else list(np.broadcast_to(np.asarray(k, np.float32), (m,)))
    for added in constants:
        powers = torch.arange(coefficients.numel(), 0, -1, device=coefficients.device)
        coefficients = torch.cat((coefficients / powers, coefficients.new_full((1,), float(added))))
    return wrap(coefficients)


def unwrap(p: Any, discont: float = np.pi, axis: int = -1) -> Any:
    """Return angles without jumps of more than ``discont``."""
    source = float32_of(as_tensor(p))
    steps = torch.diff(source, dim=axis)
    turned = torch.remainder(steps + np.pi, 2 * np.pi) - np.pi
    turned = torch.where((turned == -np.pi) & (steps > 0), torch.full_like(turned, np.pi), turned)
    shift = torch.where(torch.abs(steps) < discont, torch.zeros_like(steps), turned - steps)
    first = torch.zeros_like(torch.narrow(source, axis, 0, 1))
    return wrap(source + torch.cat((first, torch.cumsum(shift, axis)), axis))


def promote_types(type1: Any, type2: Any) -> Any:
    """Return the dtype that holds both."""
    return promoted(dtype_of(type1), dtype_of(type2))


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that holds all."""
    dtypes = [
        item
        if isinstance(item, torch.dtype)
        else as_tensor(item).dtype
        if not isinstance(item, (type, str))
        else dtype_of(item)
        for item in arrays_and_dtypes
    ]
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promoted(result, dtype)
    return result
