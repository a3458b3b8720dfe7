"""Arithmetic, reductions and polynomials as numpy does. Upstream: ``mindspore.numpy.math_ops``."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.numpy.utils import as_tensor, axes_of, cast, float_of
from mindspore_compat.ops import function as F

_UNARY: dict[str, Callable[..., Any]] = {
    "abs": torch.abs,
    "absolute": torch.abs,
    "arccos": torch.acos,
    "arccosh": torch.acosh,
    "arcsin": torch.asin,
    "arcsinh": torch.asinh,
    "arctan": torch.atan,
    "arctanh": torch.atanh,
    "bitwise_not": torch.bitwise_not,
    "ceil": torch.ceil,
    "cos": torch.cos,
    "cosh": torch.cosh,
    "deg2rad": torch.deg2rad,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "fabs": torch.abs,
    "floor": torch.floor,
    "invert": torch.bitwise_not,
    "log": torch.log,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "log2": torch.log2,
    "negative": torch.neg,
    "positive": torch.positive,
    "rad2deg": torch.rad2deg,
    "radians": torch.deg2rad,
    "reciprocal": torch.reciprocal,
    "rint": torch.round,
    "sign": torch.sign,
    "signbit": torch.signbit,
    "sin": torch.sin,
    "sinh": torch.sinh,
    "sqrt": torch.sqrt,
    "square": kernels.square,
    "tan": torch.tan,
    "tanh": kernels.tanh,
    "trunc": torch.trunc,
    "cbrt": lambda x: torch.sign(float_of(x)) * kernels.pow(torch.abs(float_of(x)), 1 / 3),
}
_BINARY: dict[str, Callable[..., Any]] = {
    "add": F.add,
    "subtract": F.sub,
    "multiply": F.mul,
    "divide": F.true_divide,
    "true_divide": F.true_divide,
    "floor_divide": F.floor_div,
    "mod": F.floor_mod,
    "remainder": F.floor_mod,
    "fmod": F.fmod,
    "power": F.pow,
    "float_power": lambda x, y: F.pow(float_of(x), y),
    "maximum": F.maximum,
    "minimum": F.minimum,
    "arctan2": lambda x, y: F.atan2(float_of(x), float_of(y)),
    "bitwise_and": F.bitwise_and,
    "bitwise_or": F.bitwise_or,
    "bitwise_xor": F.bitwise_xor,
    "copysign": F.copysign,
    "gcd": F.gcd,
    "lcm": F.lcm,
    "heaviside": F.heaviside,
    "hypot": lambda x, y: F.hypot(float_of(x), float_of(y)),
    "logaddexp": F.logaddexp,
    "logaddexp2": F.logaddexp2,
}


def _unary(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, dtype: Any = None) -> Any:
        return cast(function(as_tensor(x)), dtype)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"numpy's ``{name}``, element by element."
    return op


def _binary(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x1: Any, x2: Any, dtype: Any = None) -> Any:
        return cast(function(wrap(as_tensor(x1)), wrap(as_tensor(x2))), dtype)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"numpy's ``{name}``, element by element."
    return op


globals().update({name: _unary(name, function) for name, function in _UNARY.items()})
globals().update({name: _binary(name, function) for name, function in _BINARY.items()})

__all__ = [
    *_UNARY,
    *_BINARY,
    "divmod",
    "clip",
    "around",
    "round",
    "fix",
    "sum",
    "mean",
    "average",
    "max",
    "min",
    "amax",
    "amin",
    "ptp",
    "std",
    "var",
    "argmax",
    "argmin",
    "argwhere",
    "count_nonzero",
    "cumsum",
    "cumprod",
    "nansum",
    "nanmean",
    "nanmax",
    "nanmin",
    "nanstd",
    "nanvar",
    "nancumsum",
    "diff",
    "ediff1d",
    "trapz",
    "gradient",
    "matmul",
    "dot",
    "inner",
    "outer",
    "tensordot",
    "kron",
    "cross",
    "matrix_power",
    "multi_dot",
    "convolve",
    "correlate",
    "cov",
    "corrcoef",
    "bincount",
    "histogram",
    "histogramdd",
    "histogram2d",
    "digitize",
    "searchsorted",
    "interp",
    "polyadd",
    "polysub",
    "polymul",
    "polyval",
    "polyder",
    "polyint",
    "unwrap",
    "promote_types",
    "result_type",
    "clamp",
]


def divmod(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """(floor quotient, remainder)."""
    left, right = wrap(as_tensor(x1)), wrap(as_tensor(x2))
    return cast(left // right, dtype), cast(left % right, dtype)


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Any:
    """Cut to [xmin, xmax]."""
    if xmin is None and xmax is None:
        raise ValueError("For 'clip', one of 'xmin' and 'xmax' must not be None.")
    return cast(F.clip_by_value(as_tensor(x), xmin, xmax), dtype)


clamp = clip


def around(a: Any, decimals: int = 0) -> Any:
    """Rounded half to even."""
    return wrap(torch.round(as_tensor(a), decimals=decimals) if decimals else torch.round(as_tensor(a)))


round = around


def fix(x: Any) -> Any:
    """Rounded towards zero."""
    return wrap(torch.trunc(float_of(as_tensor(x))))


# --- reductions -------------------------------------------------------------------------------------------------------


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """Sum over an axis; ints give int64."""
    result = torch.sum(as_tensor(a), axes_of(axis), keepdims)
    return cast(result if initial is None else result + initial, dtype)


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Mean over an axis; ints give an int."""
    return cast(F.mean(as_tensor(a), axes_of(axis), keepdims), dtype)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Weighted mean; with ``returned`` also the sum of weights."""
    source = float_of(as_tensor(x))
    if weights is None:
        result = torch.mean(source, axes_of(axis))
        total = torch.full_like(result, source.numel() / builtins.max(result.numel(), 1))
    else:
        weight = as_tensor(weights).to(source.dtype)
        if weight.dim() != source.dim():
            weight = torch.reshape(weight, [-1 if i == axis % source.dim() else 1 for i in range(source.dim())])
        weight = torch.Tensor.expand(weight, tuple(source.shape))
        total = torch.sum(weight, axes_of(axis))
        result = torch.sum(source * weight, axes_of(axis)) / total
    return (wrap(result), wrap(total)) if returned else wrap(result)


def _extreme(largest: bool) -> Callable[..., Any]:
    def op(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
        source = as_tensor(a)
        if where is not True:
            if initial is None:
                raise ValueError("For 'max' and 'min', 'initial' must be given when 'where' is given.")
            source = torch.where(as_tensor(where), source, torch.as_tensor(initial, dtype=source.dtype))
        axes = tuple(range(source.dim())) if axis is None else axes_of(axis)
        found = (torch.amax if largest else torch.amin)(source, axes, keepdims)
        if initial is not None:
            found = torch.clamp(found, min=initial) if largest else torch.clamp(found, max=initial)
        return wrap(found)

    op.__doc__ = f"{'Maximum' if largest else 'Minimum'} over an axis."
    return op


max = amax = _extreme(True)
min = amin = _extreme(False)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Maximum - minimum."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Variance with divisor n - ddof."""
    return wrap(torch.var(float_of(as_tensor(x)), axes_of(axis), correction=ddof, keepdim=keepdims))


def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Standard deviation with divisor n - ddof."""
    return wrap(torch.std(float_of(as_tensor(x)), axes_of(axis), correction=ddof, keepdim=keepdims))


def argmax(a: Any, axis: int | None = None) -> Any:
    """The index of the maximum."""
    return wrap(torch.argmax(as_tensor(a), axis))


def argmin(a: Any, axis: int | None = None) -> Any:
    """The index of the minimum."""
    return wrap(torch.argmin(as_tensor(a), axis).to(torch.int32))


def argwhere(a: Any) -> Any:
    """Coordinates of the elements that are not zero."""
    return wrap(torch.argwhere(as_tensor(a)))


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """How many elements are not zero."""
    return wrap(torch.sum(torch.ne(as_tensor(x), 0), axes_of(axis), keepdims, dtype=torch.int32))


def _sum_dtype(dtype: torch.dtype) -> torch.dtype:
    return torch.int32 if dtype in (torch.bool, torch.int8, torch.int16, torch.uint8) else dtype


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sum; without an axis flattened."""
    source = as_tensor(a)
    return cast(
        torch.cumsum(
            torch.reshape(source, (-1,)) if axis is None else source, axis or 0, dtype=_sum_dtype(source.dtype)
        ),
        dtype,
    )


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Running product; without an axis flattened."""
    source = as_tensor(a)
    return cast(
        torch.cumprod(torch.reshape(source, (-1,)) if axis is None else source, axis or 0, dtype=source.dtype), dtype
    )


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Sum without nans."""
    return cast(F.nansum(as_tensor(a), axes_of(axis), keepdims), dtype)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Mean without nans."""
    return cast(torch.nanmean(float_of(as_tensor(a)), axes_of(axis), keepdims), dtype)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sum without nans."""
    return cumsum(torch.nan_to_num(as_tensor(a), 0.0, float("inf"), float("-inf")), axis, dtype)


def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Maximum without nans."""
    source = as_tensor(a)
    return cast(
        max(torch.where(torch.isnan(source), torch.full_like(source, float("-inf")), source), axis, keepdims), dtype
    )


def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Minimum without nans."""
    source = as_tensor(a)
    return cast(
        min(torch.where(torch.isnan(source), torch.full_like(source, float("inf")), source), axis, keepdims), dtype
    )


def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Variance without nans."""
    source = float_of(as_tensor(a))
    count = torch.sum(torch.logical_not(torch.isnan(source)), axes_of(axis), True)
    center = torch.nansum(source, axes_of(axis), True) / count
    result = torch.nansum(kernels.square(source - center), axes_of(axis), keepdims)
    return cast(result / (torch.reshape(count, tuple(result.shape)) - ddof), dtype)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Standard deviation without nans."""
    return cast(torch.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


# --- differences and integrals ----------------------------------------------------------------------------------------


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The n-th difference."""
    ends = [None if item is None else as_tensor(item) for item in (prepend, append)]
    return wrap(torch.diff(as_tensor(a), n, axis, *ends))


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of the flattened input, with values put at both ends."""
    parts = [torch.diff(torch.reshape(as_tensor(ary), (-1,)))]
    if to_begin is not None:
        parts.insert(0, torch.reshape(as_tensor(to_begin), (-1,)).to(parts[0].dtype))
    if to_end is not None:
        parts.append(torch.reshape(as_tensor(to_end), (-1,)).to(parts[0].dtype))
    return wrap(torch.cat(parts))


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    source = float_of(as_tensor(y))
    return wrap(
        torch.trapezoid(source, dx=dx, dim=axis) if x is None else torch.trapezoid(source, as_tensor(x), dim=axis)
    )


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences."""
    source = float_of(as_tensor(f))
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


# --- products ---------------------------------------------------------------------------------------------------------


def _float_pair(x1: Any, x2: Any) -> tuple[torch.Tensor, torch.Tensor]:
    left, right = as_tensor(x1), as_tensor(x2)
    common = torch.promote_types(left.dtype, right.dtype)
    return torch.Tensor.to(left, common), torch.Tensor.to(right, common)


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """The matrix product."""
    return cast(kernels.matmul(*_float_pair(x1, x2)), dtype)


def dot(a: Any, b: Any) -> Any:
    """numpy's ``dot``."""
    left, right = _float_pair(a, b)
    if left.dim() == 0 or right.dim() == 0:
        return wrap(left * right)
    if right.dim() <= 2:
        return wrap(kernels.matmul(left, right))
    return wrap(kernels.tensordot(left, right, ([left.dim() - 1], [right.dim() - 2])))


def inner(a: Any, b: Any) -> Any:
    """The product over the last axes."""
    return wrap(kernels.inner(*_float_pair(a, b)))


def outer(a: Any, b: Any) -> Any:
    """The outer product of the flattened inputs."""
    left, right = _float_pair(a, b)
    return wrap(torch.outer(torch.reshape(left, (-1,)), torch.reshape(right, (-1,))))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The product summed over axes."""
    left, right = _float_pair(a, b)
    return F.tensor_dot(left, right, axes)


def kron(a: Any, b: Any) -> Any:
    """The Kronecker product."""
    return wrap(torch.kron(*_float_pair(a, b)))


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """The cross product of vectors of 2 or 3 elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = (torch.movedim(item, source, -1) for item, source in zip(_float_pair(a, b), (axisa, axisb)))
    flat = left.shape[-1] == 2 and right.shape[-1] == 2
    left, right = (torch.nn.functional.pad(item, (0, 1)) if item.shape[-1] == 2 else item for item in (left, right))
    result = torch.linalg.cross(left, right, dim=-1)
    return wrap(result[..., 2] if flat else torch.movedim(result, -1, axisc))


def matrix_power(a: Any, n: int) -> Any:
    """The n-th power of a square matrix."""
    return wrap(kernels.matrix_power(as_tensor(a), n))


def multi_dot(arrays: Any) -> Any:
    """The product of several matrices."""
    return wrap(kernels.multi_dot([as_tensor(item) for item in arrays]))


def _sliding(a: Any, v: Any, mode: str, turn: bool) -> Any:
    left, right = _float_pair(a, v)
    if turn:
        if right.numel() > left.numel():
            left, right = right, left
        right = torch.flip(right, (0,))
    swapped = right.numel() > left.numel()
    if swapped:
        left, right = torch.flip(right, (0,)), torch.flip(left, (0,))
    k = right.numel()
    pads = {"valid": (0, 0), "same": ((k - 1) // 2 if turn is False else k // 2, 0), "full": (k - 1, k - 1)}
    if mode not in pads:
        raise ValueError(
            f"For 'convolve' and 'correlate', the 'mode' must be 'full', 'same' or 'valid', but got {mode!r}."
        )
    before, after = pads[mode]
    if mode == "same":
        before, after = k // 2, k - 1 - k // 2
        if turn:
            before, after = k - 1 - (k - 1) // 2, (k - 1) // 2
    padded = torch.nn.functional.pad(left, (before, after))
    windows = torch.Tensor.unfold(padded, 0, k, 1)
    return wrap(kernels.matmul(windows, right))


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The convolution of 1-d inputs."""
    return _sliding(a, v, mode, True)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The correlation of 1-d inputs."""
    return _sliding(a, v, mode, False)


# --- statistics -------------------------------------------------------------------------------------------------------


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    """The covariance matrix."""
    source = _observations(m, y, rowvar)
    correction = (0 if bias else 1) if ddof is None else ddof
    weights = [None if item is None else as_tensor(item) for item in (fweights, aweights)]
    return cast(kernels.cov(source, correction=correction, fweights=weights[0], aweights=weights[1]), dtype)


def _observations(m: Any, y: Any, rowvar: bool) -> torch.Tensor:
    rows = [torch.atleast_2d(float_of(as_tensor(item))) for item in (m, y) if item is not None]
    rows = [item if rowvar or item.shape[0] == 1 else torch.t(item) for item in rows]
    return torch.cat(rows) if len(rows) > 1 else rows[0]


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The matrix of correlation coefficients."""
    return cast(kernels.corrcoef(_observations(x, y, rowvar)), dtype)


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Any:
    """How often each non-negative int occurs."""
    counts = torch.bincount(
        as_tensor(x), None if weights is None else as_tensor(weights), builtins.max(minlength, length or 0)
    )
    return wrap((counts if length is None else counts[:length]).to(torch.float32))


def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """(counts as float32, edges)."""
    source = as_tensor(a).detach().cpu().numpy()
    bins = as_tensor(bins).numpy() if isinstance(bins, (torch.Tensor, list, tuple)) else bins
    weights = None if weights is None else as_tensor(weights).detach().cpu().numpy()
    counts, edges = np.histogram(source, bins, range, weights=weights, density=density)
    return wrap(torch.from_numpy(counts.astype(np.float32))), wrap(torch.from_numpy(edges.astype(np.float32)))


def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """(counts as float32, list of edges) of points in rows."""
    points = as_tensor(sample).detach().cpu().numpy()
    counts, edges = np.histogramdd(
        points, bins, range, density, None if weights is None else as_tensor(weights).detach().cpu().numpy()
    )
    return wrap(torch.from_numpy(counts.astype(np.float32))), [
        wrap(torch.from_numpy(item.astype(np.float32))) for item in edges
    ]


def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """(counts as float32, edges of x, edges of y)."""
    counts, edges = histogramdd(torch.stack((as_tensor(x), as_tensor(y)), 1), bins, range, weights, density)
    return counts, edges[0], edges[1]


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The number of the bin of each element, for rising or falling edges."""
    source, edges = float_of(as_tensor(x)), float_of(as_tensor(bins))
    if edges.numel() > 1 and bool(edges[0] > edges[-1]):
        found = torch.searchsorted(torch.flip(edges, (0,)), source, right=not right)
        return wrap((edges.numel() - found).to(torch.int32))
    return wrap(torch.searchsorted(edges, source, right=not right).to(torch.int32))


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where values would be inserted."""
    return wrap(as_tensor(a)).searchsorted(as_tensor(v), side, sorter)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Linear interpolation between points."""
    places, points, values = (float_of(as_tensor(item)) for item in (x, xp, fp))
    above = torch.clamp(torch.searchsorted(points, places), 1, points.numel() - 1)
    x0, x1, y0, y1 = points[above - 1], points[above], values[above - 1], values[above]
    result = y0 + (y1 - y0) * (places - x0) / (x1 - x0)
    result = torch.where(places < points[0], values[0] if left is None else torch.as_tensor(float(left)), result)
    return wrap(
        torch.where(places > points[-1], values[-1] if right is None else torch.as_tensor(float(right)), result)
    )


# --- polynomials ------------------------------------------------------------------------------------------------------


def _aligned(a1: Any, a2: Any) -> tuple[torch.Tensor, torch.Tensor]:
    left, right = (torch.atleast_1d(as_tensor(item)) for item in (a1, a2))
    length = builtins.max(left.numel(), right.numel())
    padded = [torch.nn.functional.pad(item, (length - item.numel(), 0)) for item in (left, right)]
    return padded[0], padded[1]


def polyadd(a1: Any, a2: Any) -> Any:
    """The sum of polynomials, highest power first."""
    return wrap(torch.add(*_aligned(a1, a2)))


def polysub(a1: Any, a2: Any) -> Any:
    """The difference of polynomials."""
    return wrap(torch.sub(*_aligned(a1, a2)))


def polymul(a1: Any, a2: Any) -> Any:
    """The product of polynomials."""
    return convolve(torch.atleast_1d(as_tensor(a1)), torch.atleast_1d(as_tensor(a2)))


def polyval(p: Any, x: Any) -> Any:
    """The value of a polynomial."""
    coefficients, point = as_tensor(p), as_tensor(x)
    result = torch.zeros_like(point)
    for coefficient in coefficients:
        result = result * point + coefficient
    return wrap(result)


def polyder(p: Any, m: int = 1) -> Any:
    """The m-th derivative of a polynomial."""
    coefficients = as_tensor(p)
    for _ in range(m):
        powers = torch.arange(coefficients.numel() - 1, 0, -1)
        coefficients = coefficients[:-1] * powers
    return wrap(coefficients)


def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The m-th integral of a polynomial."""
    coefficients = float_of(as_tensor(p))
    constants = [0.0] * m if k is None else list(np.broadcast_to(np.asarray(k, np.float32), (m,)))
    for constant in constants:
        powers = torch.arange(coefficients.numel(), 0, -1)
        coefficients = torch.cat((coefficients / powers, torch.tensor([float(constant)])))
    return wrap(coefficients)


def unwrap(p: Any, discont: float = np.pi, axis: int = -1) -> Any:
    """Angles without jumps of more than ``discont``."""
    source = float_of(as_tensor(p))
    steps = torch.diff(source, dim=axis)
    turned = torch.remainder(steps + np.pi, 2 * np.pi) - np.pi
    turned = torch.where((turned == -np.pi) & (steps > 0), torch.full_like(turned, np.pi), turned)
    shift = torch.where(torch.abs(steps) < discont, torch.zeros_like(steps), turned - steps)
    first = torch.zeros_like(torch.narrow(source, axis, 0, 1))
    return wrap(source + torch.cat((first, torch.cumsum(shift, axis)), axis))


def promote_types(type1: Any, type2: Any) -> Any:
    """The dtype that holds both."""
    return torch.promote_types(to_torch_dtype(type1), to_torch_dtype(type2))


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that holds all."""
    dtypes = [
        item
        if isinstance(item, torch.dtype)
        else as_tensor(item).dtype
        if not isinstance(item, (type, str))
        else to_torch_dtype(item)
        for item in arrays_and_dtypes
    ]
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = torch.promote_types(result, dtype)
    return result
