"""Arithmetic, comparison, bitwise and special functions, element by element. Part of
``mindspore.ops.function.math_func``.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._tensor_operators import floor_quotient
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_plain, pair, to_dtype

_special = torch.special
_float32 = torch.float32


def _unary(name: str, function: Callable[[Any], torch.Tensor], meaning: str = "") -> Callable[[Any], Any]:
    """``name(input)`` over a function of one tensor."""

    def op(input: Any) -> Any:
        return wrap(function(input))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{meaning or name.replace('_', ' ').capitalize()}, element by element."
    return op


def _binary(name: str, function: Callable[[Any, Any], torch.Tensor]) -> Callable[[Any, Any], Any]:
    """``name(input, other)`` over a function of two tensors of one dtype; numbers are taken on either side."""

    def op(input: Any, other: Any) -> Any:
        return wrap(function(*pair(input, other)))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element."
    return op


def _operator(
    name: str, function: Callable[[Any, Any], Any], of_one_dtype: Callable[[Any, Any], torch.Tensor]
) -> Callable[[Any, Any], Any]:
    """``name(input, other)`` over a Python operator: `Tensor`'s own rules of promotion hold. Tensors of one dtype need
    none.
    """

    def op(input: Any, other: Any) -> Any:
        if isinstance(input, torch.Tensor):
            if isinstance(other, torch.Tensor) and input.dtype is other.dtype:
                return wrap(of_one_dtype(input, other))
        elif not isinstance(other, torch.Tensor):
            input = wrap(as_plain(input))
        return wrap(function(input, other))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = (
        f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element; one of them "
        "may be a number."
    )
    return op


# --- one input --------------------------------------------------------------------------------------------------------

abs = absolute = _unary("abs", torch.abs)
acos = arccos = _unary("acos", torch.acos)
acosh = arccosh = _unary("acosh", torch.acosh)
asin = arcsin = _unary("asin", torch.asin)
asinh = arcsinh = _unary("asinh", torch.asinh)
atan = arctan = _unary("atan", torch.atan)
atanh = arctanh = _unary("atanh", torch.atanh)
angle = _unary("angle", torch.angle)
bessel_i0 = i0 = _unary("bessel_i0", torch.i0, "Modified Bessel function of the first kind, order 0")
bessel_i0e = _unary("bessel_i0e", _special.i0e)
bessel_i1 = _unary("bessel_i1", _special.i1)
bessel_i1e = _unary("bessel_i1e", _special.i1e)
bessel_j0 = _unary("bessel_j0", _special.bessel_j0)
bessel_j1 = _unary("bessel_j1", _special.bessel_j1)
bessel_k0 = _unary("bessel_k0", _special.modified_bessel_k0)
bessel_k0e = _unary("bessel_k0e", _special.scaled_modified_bessel_k0)
bessel_k1 = _unary("bessel_k1", _special.modified_bessel_k1)
bessel_k1e = _unary("bessel_k1e", _special.scaled_modified_bessel_k1)
bessel_y0 = _unary("bessel_y0", _special.bessel_y0)
bessel_y1 = _unary("bessel_y1", _special.bessel_y1)
ceil = _unary("ceil", torch.ceil)
conj = _unary("conj", lambda x: torch.conj(x).resolve_conj() if x.is_complex() else x)
cos = _unary("cos", torch.cos)
cosh = _unary("cosh", torch.cosh)
deg2rad = _unary("deg2rad", torch.deg2rad)
digamma = _unary("digamma", torch.digamma)
erf = _unary("erf", torch.erf)
erfc = _unary("erfc", torch.erfc)
erfinv = _unary("erfinv", torch.erfinv)
exp = _unary("exp", torch.exp)
exp2 = _unary("exp2", torch.exp2)
expm1 = _unary("expm1", torch.expm1)
floor = _unary("floor", torch.floor)
frac = _unary("frac", torch.frac)
imag = _unary("imag", lambda x: torch.imag(x) if x.is_complex() else torch.zeros_like(x))
invert = bitwise_not = _unary("invert", torch.bitwise_not, "Every bit flipped")
isfinite = _unary("isfinite", torch.isfinite)
isinf = _unary("isinf", torch.isinf)
isnan = _unary("isnan", torch.isnan)
isneginf = _unary("isneginf", torch.isneginf)
isposinf = _unary("isposinf", torch.isposinf)
isreal = _unary("isreal", torch.isreal)
lgamma = _unary("lgamma", torch.lgamma)
log = _unary("log", torch.log)
log10 = _unary("log10", torch.log10)
log1p = _unary("log1p", torch.log1p)
log2 = _unary("log2", torch.log2)
logical_not = _unary("logical_not", torch.logical_not)
neg = negative = _unary("neg", torch.neg)
positive = _unary("positive", torch.positive)
rad2deg = _unary("rad2deg", torch.rad2deg)
real = _unary("real", torch.real)
reciprocal = _unary("reciprocal", torch.reciprocal)
rint = _unary("rint", torch.round)
rsqrt = _unary("rsqrt", torch.rsqrt)
sgn = _unary("sgn", lambda x: torch.sgn(x) if x.is_complex() else torch.sign(x))
sign = _unary("sign", torch.sign)
signbit = _unary("signbit", torch.signbit)
sin = _unary("sin", torch.sin)
sinc = _unary("sinc", torch.sinc)
sinh = _unary("sinh", torch.sinh)


def sqrt(x: Any) -> Any:
    """Square root, element by element."""
    return wrap(torch.sqrt(x))


square = _unary("square", kernels.square)
tan = _unary("tan", torch.tan)
trunc = _unary("trunc", torch.trunc)


def round(input: Any, *, decimals: int = 0) -> Any:
    """Round half to even, to ``decimals`` places."""
    return wrap(torch.round(input, decimals=decimals) if decimals else torch.round(input))


def logit(input: Any, eps: float | None = None) -> Any:
    """log(x / (1 - x)), with x cut to [eps, 1 - eps] if ``eps`` is given."""
    return wrap(torch.logit(input, None if eps is None or eps < 0 else eps))


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """``input`` with nan and infinities replaced; None: 0 and the dtype's extremes."""
    return wrap(torch.nan_to_num(input, nan, posinf, neginf))


def polygamma(n: Any, input: Any) -> Any:
    """The n-th derivative of digamma."""
    return wrap(torch.polygamma(int(n), input))


def mvlgamma(input: Any, p: int) -> Any:
    """Multivariate log-gamma of dimension ``p``."""
    return wrap(torch.mvlgamma(input, p))


def population_count(input_x: Any) -> Any:
    """The number of set bits of each element, as uint8."""
    bits = input_x.element_size() * 8
    counts = builtins.sum(
        torch.bitwise_and(torch.bitwise_right_shift(input_x, shift), 1) for shift in builtins.range(bits)
    )
    return wrap(to_dtype(counts, torch.uint8))  # type: ignore[arg-type]


# --- arithmetic with Python's operators -------------------------------------------------------------------------------


def _with_torchs_promotion(
    function: Callable[[Any, Any], torch.Tensor], python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Multiplication and division let a 0-d float give way to the other float, as torch does; addition upstream does
    not.
    """
    return lambda left, right: (
        function(left, right)
        if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
        else python(left, right)
    )


add = tensor_add = _operator("add", operator.add, torch.add)
_plain_sub = _operator("sub", operator.sub, torch.sub)
mul = multiply = tensor_mul = tensor_muls = _operator("mul", _with_torchs_promotion(torch.mul, operator.mul), torch.mul)
true_divide = _operator("true_divide", _with_torchs_promotion(torch.div, operator.truediv), torch.div)
floor_div = floor_divide = floordiv = tensor_floordiv = _operator("floor_divide", operator.floordiv, floor_quotient)
floor_mod = floormod = remainder = tensor_mod = mod = _operator("remainder", operator.mod, torch.remainder)
_power = _operator("pow", operator.pow, kernels.pow)


def pow(input: Any, exponent: Any) -> Any:
    """Power of ``input`` to ``exponent``, element by element; one of them may be a number."""
    return _power(input, exponent)


pows = tensor_pow = pow
equal = eq = _operator("equal", operator.eq, torch.eq)
not_equal = ne = _operator("not_equal", operator.ne, torch.ne)
greater = gt = tensor_gt = _operator("greater", operator.gt, torch.gt)
greater_equal = ge = tensor_ge = _operator("greater_equal", operator.ge, torch.ge)
less = lt = tensor_lt = _operator("less", operator.lt, torch.lt)
less_equal = le = tensor_le = _operator("less_equal", operator.le, torch.le)
tensor_exp, tensor_expm1, isnan_ext = exp, expm1, isnan


def sub(input: Any, other: Any) -> Any:
    """input - other; one of them may be a number. A bool tensor, which torch will not subtract, takes the other's
    dtype.
    """
    for item in (input, other):
        if isinstance(item, torch.Tensor) and item.dtype is torch.bool:
            input, other = pair(input, other)
            return wrap(torch.logical_xor(input, other) if input.dtype is torch.bool else torch.sub(input, other))
    return _plain_sub(input, other)


tensor_sub = sub


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other."""
    return sub(input, other if alpha == 1 else mul(other, alpha))


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other, rounded by "floor" or "trunc" if ``rounding_mode`` says so.

    Raises:
        ValueError: for another rounding mode.
    """
    if rounding_mode is None:
        return true_divide(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise ValueError(
            f"For ops.div, rounding_mode value must be None, 'floor' or 'trunc', but got {rounding_mode!r}."
        )
    return wrap(torch.div(*pair(input, other), rounding_mode=rounding_mode))


divide = div


def real_div(x: Any, y: Any) -> Any:
    """x / y in the common dtype: ints give an int, rounded towards zero."""
    x, y = pair(x, y)
    return wrap(
        torch.div(x, y) if x.dtype.is_floating_point or x.dtype.is_complex else torch.div(x, y, rounding_mode="trunc")
    )


tensor_div = real_div


def div_no_nan(x: Any, y: Any) -> Any:
    """x / y, and 0 where y is 0."""
    x, y = pair(x, y)
    zero = y == 0
    return wrap(
        torch.where(zero, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(zero, torch.ones_like(y), y))
    )


def mul_no_nan(x: Any, y: Any) -> Any:
    """x * y, and 0 where y is 0, even if x is infinite or nan."""
    x, y = pair(x, y)
    return wrap(torch.where(y == 0, torch.zeros((), dtype=x.dtype, device=x.device), x * y))


def truncate_div(x: Any, y: Any) -> Any:
    """x / y, rounded towards zero."""
    return wrap(torch.div(*pair(x, y), rounding_mode="trunc"))


truncate_mod = fmod = _binary("fmod", torch.fmod)
maximum = _binary("maximum", torch.maximum)
minimum = _binary("minimum", torch.minimum)
fmax = _binary("fmax", torch.fmax)
fmin = _binary("fmin", torch.fmin)
atan2 = arctan2 = _binary("atan2", torch.atan2)
hypot = _binary("hypot", torch.hypot)
gcd = _binary("gcd", torch.gcd)
lcm = _binary("lcm", torch.lcm)
logaddexp = _binary("logaddexp", torch.logaddexp)
logaddexp2 = _binary("logaddexp2", torch.logaddexp2)
copysign = _binary("copysign", torch.copysign)
heaviside = _binary("heaviside", torch.heaviside)
nextafter = _binary("nextafter", torch.nextafter)
squared_difference = _binary("squared_difference", lambda x, y: kernels.square(x - y))
igamma = _binary("igamma", torch.special.gammainc)
igammac = _binary("igammac", torch.special.gammaincc)
zeta = _binary("zeta", torch.special.zeta)
xlogy = _binary("xlogy", torch.xlogy)
bitwise_and = _binary("bitwise_and", torch.bitwise_and)
bitwise_or = _binary("bitwise_or", torch.bitwise_or)
bitwise_xor = _binary("bitwise_xor", torch.bitwise_xor)
bitwise_left_shift = _binary("bitwise_left_shift", torch.bitwise_left_shift)
bitwise_right_shift = _binary("bitwise_right_shift", torch.bitwise_right_shift)
logical_and = _binary("logical_and", torch.logical_and)
logical_or = _binary("logical_or", torch.logical_or)
logical_xor = _binary("logical_xor", torch.logical_xor)
complex = _binary("complex", torch.complex)


def inv(x: Any) -> Any:
    """Reciprocal, element by element."""
    return reciprocal(x)


def polar(abs: Any, angle: Any) -> Any:
    """The complex numbers of these lengths and angles, element by element."""
    return wrap(torch.polar(*pair(abs, angle)))


def xdivy(x: Any, y: Any) -> Any:
    """x / y, and 0 where x is 0."""
    x, y = pair(x, y)
    return wrap(
        torch.where(
            x == 0, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(x == 0, torch.ones_like(y), y)
        )
    )


def float_power(input: Any, exponent: Any) -> Any:
    """input ** exponent in float64."""
    return wrap(torch.float_power(input, exponent))


float_power_ext = float_power


def erfinv_(input: Any) -> Any:
    """`erfinv` in place."""
    return wrap(torch.Tensor.erfinv_(input))


def ldexp(x: Any, other: Any) -> Any:
    """x * 2**other."""
    return wrap(torch.ldexp(*[as_plain(item) for item in (x, other)]))


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight * (end - input)."""
    return wrap(torch.lerp(input, end, weight))


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value * tensor1 * tensor2."""
    return input + tensor1 * tensor2 * value


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value * tensor1 / tensor2."""
    return input + tensor1 / tensor2 * value


def addn(x: Any) -> Any:
    """The sum of a sequence of tensors."""
    items = x if isinstance(x, (tuple, list)) else (x,)
    total = items[0]
    for item in items[1:]:
        total = torch.add(total, item)
    return wrap(total)


accumulate_n = addn


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether |input - other| <= atol + rtol * |other|."""
    return wrap(torch.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan))


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-05) -> Any:
    """Whether |x - y| < tolerance."""
    x, y = pair(x, y)
    return wrap(torch.abs(x - y) < tolerance)


def view_as_real(input: Any) -> Any:
    """A complex tensor as a float one with a last axis of (real, imaginary)."""
    return wrap(torch.view_as_real(input))


def is_complex(input: Any) -> bool:
    """Whether the dtype is complex."""
    return torch.is_complex(input)


def is_floating_point(input: Any) -> bool:
    """Whether the dtype is a float."""
    return torch.is_floating_point(input)


def is_nonzero(input: Any) -> bool:
    """Whether the only element is not zero."""
    return bool(input)


def eps(x: Any) -> Any:
    """A tensor like ``x`` filled with the smallest step above 1 in its dtype."""
    return wrap(torch.full_like(x, torch.finfo(x.dtype).eps))


__all__ = [
    "abs",
    "absolute",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "addcdiv",
    "addcmul",
    "addn",
    "angle",
    "approximate_equal",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "complex",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "div",
    "div_no_nan",
    "divide",
    "eps",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "floor",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "floordiv",
    "floormod",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "gcd",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "heaviside",
    "hypot",
    "i0",
    "igamma",
    "igammac",
    "imag",
    "inv",
    "invert",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "lt",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "mul_no_nan",
    "multiply",
    "mvlgamma",
    "nan_to_num",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "not_equal",
    "polar",
    "polygamma",
    "population_count",
    "positive",
    "pow",
    "pows",
    "rad2deg",
    "real",
    "real_div",
    "reciprocal",
    "remainder",
    "rint",
    "round",
    "rsqrt",
    "sgn",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "squared_difference",
    "sub",
    "subtract",
    "tan",
    "tensor_add",
    "tensor_div",
    "tensor_exp",
    "isnan_ext",
    "float_power_ext",
    "erfinv_",
    "tensor_expm1",
    "tensor_floordiv",
    "tensor_ge",
    "tensor_gt",
    "tensor_le",
    "tensor_lt",
    "tensor_mod",
    "tensor_mul",
    "tensor_muls",
    "tensor_pow",
    "tensor_sub",
    "true_divide",
    "trunc",
    "truncate_div",
    "truncate_mod",
    "view_as_real",
    "xdivy",
    "xlogy",
    "zeta",
]
