"""Arithmetic, comparison, logic and functions element by element."""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype, with_dtype_fallback
from mindspore_compat._ops.adapt import as_plain, pair, to_dtype
from mindspore_compat._ops.declare import classes, functions, op, primitive_class
from mindspore_compat._ops.special import _BESSEL, gammainc, gammaincc
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor import wrapping
from mindspore_compat._tensor.operators import floor_quotient, truncated_quotient, truncated_remainder
from mindspore_compat._tensor.operators import remainder as _remainder
from mindspore_compat._tensor.wrapping import wrap


def _unary(name: str, function: Callable[[Any], torch.Tensor], meaning: str = "", **names: Any) -> Any:
    """Return ``name(input)`` over a function of one tensor; ``names`` as in `op`."""

    def compute(input: Any) -> Any:
        try:
            return wrap(function(input))
        except RuntimeError as error:
            return wrap(retry_in_wider_dtype(error, function, (input,), None, name))

    compute.__name__ = compute.__qualname__ = name
    compute.__doc__ = f"{meaning or name.replace('_', ' ').capitalize()}, element by element."
    compute._has_dtype_fallback = True  # type: ignore[attr-defined]
    return op(compute, **names)


def _with_class(name: str, function: Any, inputs: str = "") -> tuple[Any, Any]:
    """Return the function, and the class over it."""
    return function, primitive_class(name, function, inputs=inputs)


def _binary(name: str, function: Callable[[Any, Any], torch.Tensor], **names: Any) -> Any:
    """Return ``name(input, other)`` over a function of two tensors of one dtype; numbers are taken on either side."""

    def compute(input: Any, other: Any) -> Any:
        try:
            return wrap(function(*pair(input, other)))
        except RuntimeError as error:
            return wrap(retry_in_wider_dtype(error, lambda *both: function(*pair(*both)), (input, other), None, name))

    compute.__name__ = compute.__qualname__ = name
    compute.__doc__ = f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element."
    compute._has_dtype_fallback = True  # type: ignore[attr-defined]
    return op(compute, **names)


_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def _by_methods(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return Python's operator by Tensor's own methods: MindNLP sets ``Tensor.__ne__`` to a call of `ops.ne`."""
    name = function.__name__
    forward, backward = (getattr(wrapping.TENSOR, f"__{item}__") for item in (name, _MIRRORED.get(name, f"r{name}")))

    def run(left: Any, right: Any) -> Any:
        found = forward(left, right) if isinstance(left, torch.Tensor) else backward(right, left)
        return function(left, right) if found is NotImplemented else found

    return run


def _operator(
    name: str, function: Callable[[Any, Any], Any], of_one_dtype: Callable[[Any, Any], torch.Tensor], **names: Any
) -> Any:
    """Return ``name(input, other)`` over a Python operator: `Tensor`'s own rules of promotion hold. Tensors of one
    dtype need none.
    """
    function = _by_methods(function) if isinstance(function, types.BuiltinFunctionType) else function

    def compute(input: Any, other: Any) -> Any:
        if isinstance(input, torch.Tensor):
            if isinstance(other, torch.Tensor) and input.dtype is other.dtype:
                try:
                    return wrap(of_one_dtype(input, other))
                except RuntimeError as error:
                    return wrap(retry_in_wider_dtype(error, of_one_dtype, (input, other), None, name))
        elif not isinstance(other, torch.Tensor):
            input = wrap(as_plain(input))
        found = function(input, other)
        if isinstance(found, bool):  # Python's answer where neither side knows how to compare
            raise TypeError(
                f"Failed calling {name}: its inputs must be Tensors or numbers, but got {type(input).__name__} and "
                f"{type(other).__name__}. Make a Tensor of a list."
            )
        return wrap(found)

    compute.__name__ = compute.__qualname__ = name
    compute.__doc__ = (
        f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element; one of them "
        "may be a number."
    )
    compute._has_dtype_fallback = True  # type: ignore[attr-defined]
    return op(compute, **names)


def _with_torchs_promotion(
    function: Callable[[Any, Any], torch.Tensor], python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Multiply or divide with torch's promotion: a 0-d float gives way to the other float. MindSpore's addition does
    not.
    """
    python = _by_methods(python)
    return lambda left, right: (
        function(left, right)
        if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor)
        else python(left, right)
    )


add = tensor_add = _operator("add", operator.add, torch.add, formerly="x=input y=other")
TensorAdd = primitive_class("TensorAdd", add)
_plain_sub = _operator("sub", operator.sub, torch.sub)
mul = multiply = tensor_mul = tensor_muls = _operator(
    "mul",
    _with_torchs_promotion(torch.mul, operator.mul),
    torch.mul,
    formerly="x=input y=other value=other",
    method="mul",
)
Mul = primitive_class("Mul", mul)
true_divide = _operator(
    "true_divide",
    _with_torchs_promotion(torch.div, operator.truediv),
    torch.div,
    formerly="value=other",
    shown="dividend divisor",
    method="true_divide",
)
floor_div = floor_divide = floordiv = tensor_floordiv = _operator(
    "floor_divide", operator.floordiv, floor_quotient, method="floor_divide"
)
FloorDiv = primitive_class("FloorDiv", floor_div, inputs="input other")
floor_div = op(floor_div, name="floor_div", shown="x y")
floor_mod = remainder = _operator(
    "remainder", operator.mod, _remainder, formerly="x=input y=other divisor=other", method="remainder"
)
floor_mod = op(floor_mod, name="floor_mod", shown="x y", method="floor_mod")
FloorMod = primitive_class("FloorMod", floor_mod)
floormod = op(floor_mod, name="floormod", shown="x y")
tensor_mod = op(floor_mod, name="tensor_mod", shown="x y")
_power = _operator("pow", operator.pow, kernels.pow)


@op(fallback=False, formerly="x=input y=exponent power=exponent", method="pow")
def pow(input: Any, exponent: Any) -> Any:
    """Return the power of ``input`` to ``exponent``, element by element; one of them may be a number."""
    return _power(input, exponent)


Pow = primitive_class("Pow", pow)


pows = tensor_pow = pow
equal = eq = _operator("equal", operator.eq, torch.eq, formerly="x=input y=other", method="eq equal")
Equal = primitive_class("Equal", equal)
not_equal = ne = _operator("not_equal", operator.ne, torch.ne, formerly="x=input y=other", method="ne not_equal")
NotEqual = primitive_class("NotEqual", not_equal)
greater = gt = tensor_gt = _operator(
    "greater", operator.gt, torch.gt, formerly="x=input y=other", method="greater gt", in_method="x=other"
)
Greater = primitive_class("Greater", greater)
greater_equal = ge = tensor_ge = _operator(
    "greater_equal", operator.ge, torch.ge, formerly="x=input y=other", method="ge greater_equal", in_method="x=other"
)
GreaterEqual = primitive_class("GreaterEqual", greater_equal)
less = lt = tensor_lt = _operator("less", operator.lt, torch.lt, formerly="x=input y=other", method="less lt")
Less = primitive_class("Less", less)
less_equal = le = tensor_le = _operator(
    "less_equal", operator.le, torch.le, formerly="x=input y=other", method="le less_equal"
)
LessEqual = primitive_class("LessEqual", less_equal)


exp, Exp = _with_class("Exp", _unary("exp", torch.exp, formerly="x=input"))
tensor_exp = exp
expm1, Expm1 = _with_class("Expm1", _unary("expm1", torch.expm1, formerly="x=input"))
tensor_expm1 = expm1
isnan, IsNan = _with_class("IsNan", _unary("isnan", torch.isnan, formerly="x=input"), inputs="x")
isnan_ext = op(isnan, name="isnan_ext", shown="tensor")


@op(fallback=False, formerly="x=input y=other")
def sub(input: Any, other: Any) -> Any:
    """Return input - other; one of them may be a number. A bool tensor, which torch will not subtract, takes the
    other's dtype.
    """
    for item in (input, other):
        if isinstance(item, torch.Tensor) and item.dtype is torch.bool:
            input, other = pair(input, other)
            return wrap(torch.logical_xor(input, other) if input.dtype is torch.bool else torch.sub(input, other))
    return _plain_sub(input, other)


Sub = primitive_class("Sub", sub)
tensor_sub = sub


@op(formerly="x=input", method="subtract")
def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return input - alpha * other; bools that are subtracted count as int64."""
    if isinstance(other, bool):
        other = int(other)
    elif isinstance(other, torch.Tensor) and other.dtype is torch.bool:
        other = to_dtype(other, torch.int64)
    if isinstance(alpha, torch.Tensor) or alpha != 1:
        other = other * alpha
    return sub(input, other)


@op(fallback=False, formerly="x=input y=other value=other", method="div divide")
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return input / other, rounded by "floor" or "trunc" if ``rounding_mode`` says so."""
    if rounding_mode is None:
        return true_divide(input, other)
    return _rounded_quotient(input, other, rounding_mode)


Div = primitive_class("Div", div)


@with_dtype_fallback
def _rounded_quotient(input: Any, other: Any, rounding_mode: str) -> Any:
    return wrap(torch.div(*pair(input, other), rounding_mode=rounding_mode))


divide = div


def quotient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x / y of one dtype; of integers rounded towards zero."""
    return torch.div(x, y) if x.dtype.is_floating_point or x.dtype.is_complex else truncated_quotient(x, y)


@op
def tensor_div(x: Any, y: Any) -> Any:
    """Return x / y in the common dtype: ints give an int, rounded towards zero."""
    return wrap(quotient(*pair(x, y)))


RealDiv = primitive_class("RealDiv", tensor_div)


@with_dtype_fallback
def div_no_nan(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where y is 0."""
    x, y = pair(x, y)
    zero = y == 0
    return wrap(
        torch.where(zero, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(zero, torch.ones_like(y), y))
    )


DivNoNan = primitive_class("DivNoNan", div_no_nan, inputs="x1 x2")


@with_dtype_fallback
def mul_no_nan(x: Any, y: Any) -> Any:
    """Return x * y, and 0 where y is 0, even if x is infinite or nan."""
    x, y = pair(x, y)
    return wrap(torch.where((y == 0) & ~torch.isfinite(x), torch.zeros((), dtype=x.dtype, device=x.device), x) * y)


MulNoNan = primitive_class("MulNoNan", mul_no_nan)


@op
def truncate_div(x: Any, y: Any) -> Any:
    """Return x / y, rounded towards zero."""
    return wrap(truncated_quotient(*pair(x, y)))


TruncateDiv = primitive_class("TruncateDiv", truncate_div)


truncate_mod = fmod = _binary("fmod", truncated_remainder, method="fmod")
truncate_mod = op(truncate_mod, name="truncate_mod", shown="x y")
TruncateMod = primitive_class("TruncateMod", truncate_mod)
maximum = _binary("maximum", torch.maximum, formerly="x=input y=other", method="maximum")
Maximum = primitive_class("Maximum", maximum)
minimum = _binary("minimum", torch.minimum, formerly="x=input y=other", method="minimum")
Minimum = primitive_class("Minimum", minimum)
fmax, Fmax = _with_class("Fmax", _binary("fmax", subgradients.fmax, method="fmax"), inputs="x1 x2")
fmin, Fmin = _with_class("Fmin", _binary("fmin", subgradients.fmin, method="fmin"), inputs="x1 x2")
atan2 = arctan2 = _binary("atan2", torch.atan2, formerly="x=input y=other", method="arctan2 atan2")
Atan2 = primitive_class("Atan2", atan2)
hypot, Hypot = _with_class("Hypot", _binary("hypot", torch.hypot, formerly="x=input", method="hypot"), inputs="x1 x2")
gcd, Gcd = _with_class("Gcd", _binary("gcd", torch.gcd, formerly="x1=input x2=other", method="gcd"))
lcm, Lcm = _with_class("Lcm", _binary("lcm", torch.lcm, formerly="x1=input x2=other", method="lcm"), inputs="x1 x2")
logaddexp = _binary("logaddexp", torch.logaddexp, formerly="x1=input x2=other", method="logaddexp")
logaddexp2 = _binary("logaddexp2", torch.logaddexp2, formerly="x1=input x2=other", method="logaddexp2")
_KEPT_FLOATS = (torch.float16, torch.float32, torch.float64)
_copysign = _binary("copysign", torch.copysign)


@op(shown="x", method="copysign")
def copysign(x: Any, other: Any) -> Any:
    """Return |x| with the sign of ``other``: of x's dtype, float32 where that is bfloat16 or no float."""
    result = _copysign(x, other)
    if not isinstance(x, torch.Tensor):
        return result
    return wrap(to_dtype(result, x.dtype if x.dtype in _KEPT_FLOATS else torch.float32))


heaviside = _binary("heaviside", torch.heaviside, shown="input values", formerly="x=input", method="heaviside")
Heaviside = primitive_class("Heaviside", heaviside, inputs="x values")


@op(method="nextafter")
def nextafter(input: Any, other: Any) -> Any:
    """Return the next number that the dtype has after ``input``, towards ``other``."""
    return wrap(torch.where(input == other, input, torch.nextafter(input, other)))  # the gradient by input is 1


NextAfter = primitive_class("NextAfter", nextafter)


_squared_difference = _binary("squared_difference", lambda x, y: kernels.square(x - y))
SquaredDifference = primitive_class("SquaredDifference", _squared_difference, inputs="x y")
igamma, Igamma = _with_class("Igamma", _binary("igamma", gammainc, method="igamma"), inputs="a x")
igammac, Igammac = _with_class("Igammac", _binary("igammac", gammaincc, method="igammac"), inputs="a x")
zeta, Zeta = _with_class("Zeta", _binary("zeta", lambda x, q: torch.special.zeta(x.detach(), q)))
_xlogy = _binary("xlogy", torch.xlogy)


@op(formerly="x=input y=other", method="xlogy")
def xlogy(input: Any, other: Any) -> Any:
    """Return input * log(other), 0 where input is; beside a number, which counts as float32, 16-bit floats are cast to
    it.
    """
    if not isinstance(other, torch.Tensor) and input.dtype in (torch.float16, torch.bfloat16):
        input = to_dtype(input, torch.float32)
    elif not isinstance(input, torch.Tensor) and other.dtype in (torch.float16, torch.bfloat16):
        other = to_dtype(other, torch.float32)
    return _xlogy(input, other)


Xlogy = primitive_class("Xlogy", xlogy)


bitwise_and = _binary(
    "bitwise_and", torch.bitwise_and, formerly="x=input y=other", method="bitwise_and", in_method="x=other"
)
BitwiseAnd = primitive_class("BitwiseAnd", bitwise_and)
bitwise_or = _binary(
    "bitwise_or", torch.bitwise_or, formerly="x=input y=other", method="bitwise_or", in_method="x=other"
)
BitwiseOr = primitive_class("BitwiseOr", bitwise_or)
bitwise_xor = _binary(
    "bitwise_xor", torch.bitwise_xor, formerly="x=input y=other", method="bitwise_xor", in_method="x=other"
)
BitwiseXor = primitive_class("BitwiseXor", bitwise_xor)
bitwise_left_shift = _binary("bitwise_left_shift", torch.bitwise_left_shift, method="bitwise_left_shift")
LeftShift = primitive_class("LeftShift", bitwise_left_shift, inputs="x1 x2")
bitwise_right_shift = _binary("bitwise_right_shift", torch.bitwise_right_shift, method="bitwise_right_shift")
RightShift = primitive_class("RightShift", bitwise_right_shift, inputs="input_x input_y")
logical_and = _binary("logical_and", torch.logical_and, formerly="x=input y=other", method="logical_and")
LogicalAnd = primitive_class("LogicalAnd", logical_and, inputs="x y")
logical_or = _binary("logical_or", torch.logical_or, formerly="x=input y=other", method="logical_or")
LogicalOr = primitive_class("LogicalOr", logical_or, inputs="x y")
logical_xor, LogicalXor = _with_class("LogicalXor", _binary("logical_xor", torch.logical_xor, method="logical_xor"))
_complex, Complex = _with_class("Complex", _binary("complex", torch.complex), inputs="real imag")


@op(method="inv")
def inv(x: Any) -> Any:
    """Return the reciprocal, element by element; of integers rounded towards zero, the least number at 0."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return reciprocal(x)
    one = torch.tensor(1, dtype=x.dtype, device=x.device)
    at_zero = torch.iinfo(x.dtype).min if x.dtype.itemsize > 2 else 0  # as C++ cuts infinity
    return wrap(torch.where(x == 0, at_zero, truncated_quotient(one, torch.where(x == 0, one, x))))


Inv = primitive_class("Inv", inv)


@op
def polar(abs: Any, angle: Any) -> Any:
    """Return the complex numbers of these lengths and angles, element by element."""
    return wrap(torch.polar(*pair(abs, angle)))


Polar = primitive_class("Polar", polar)


@op(method="xdivy")
def xdivy(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where x is 0."""
    x, y = pair(x, y)
    return wrap(
        torch.where(
            x == 0, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(x == 0, torch.ones_like(y), y)
        )
    )


Xdivy = primitive_class("Xdivy", xdivy)


@op(formerly="other=exponent", method="float_power")
def float_power(input: Any, exponent: Any) -> Any:
    """Return input ** exponent in float64."""
    return wrap(torch.float_power(input, exponent))


float_power_ext = float_power


@op
def erfinv_(input: Any) -> Any:
    """Run `erfinv` in place."""
    return wrap(torch.Tensor.erfinv_(input))


@op
def ldexp(x: Any, other: Any) -> Any:
    """Return x * 2**other; the power of a Tensor of integers is of float32."""
    x, power = as_plain(x), as_plain(int(other) if isinstance(other, bool) else other)
    if isinstance(other, torch.Tensor) and not other.dtype.is_floating_point:
        power = to_dtype(power, torch.float32)  # torch's gradient by an int power is 0 for those below zero
        x = to_dtype(x, torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    return wrap(torch.ldexp(x, power))


@op(formerly="start=input", method="lerp")
def lerp(input: Any, end: Any, weight: Any) -> Any:
    """Return input + weight * (end - input)."""
    if input.dtype in (torch.float16, torch.bfloat16):  # torch rounds once
        wide = weight.float() if isinstance(weight, torch.Tensor) else weight
        return wrap(_between(input.float(), end.float(), wide).to(input.dtype))
    return wrap(_between(input, end, weight))


def _between(start: Any, end: Any, weight: Any) -> torch.Tensor:
    """Interpolate from the start: torch counts back from the end for weights of 0.5 or more, which differs for infinite
    ends.
    """
    return start + weight * (end - start)


@op(formerly="input_data=input x1=tensor1 x2=tensor2", method="addcmul")
def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """Return input + value * tensor1 * tensor2."""
    if isinstance(value, float) and not (input.is_floating_point() or input.is_complex()):
        value = int(value)  # of the tensors' dtype, as MindSpore has it
    return input + tensor1 * tensor2 * value


@op(formerly="input_data=input x1=tensor1 x2=tensor2", method="addcdiv")
def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """Return input + value * tensor1 / tensor2."""
    return input + tensor1 / tensor2 * (to_dtype(value, input.dtype) if isinstance(value, torch.Tensor) else value)


@op
def addn(x: Any) -> Any:
    """Return the sum of a sequence of tensors."""
    items = x if isinstance(x, (tuple, list)) else (x,)
    total = items[0]
    for item in items[1:]:
        total = torch.add(total, item)
    return wrap(total)


AddN = primitive_class("AddN", addn, inputs="inputs")
accumulate_n = addn


@op(formerly="x1=input x2=other", method="isclose")
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether |input - other| <= atol + rtol * |other|."""
    return wrap(torch.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan))


IsClose = primitive_class(
    "IsClose", isclose, rtol=(float, 1e-05), atol=(float, 1e-08), equal_nan=(bool, False), settable=True
)


@op(formerly="other=y", method="approximate_equal")
def approximate_equal(x: Any, y: Any, tolerance: float = 1e-05) -> Any:
    """Return whether |x - y| < tolerance."""
    x, y = pair(x, y)
    return wrap(torch.abs(x - y) < tolerance)


ApproximateEqual = primitive_class("ApproximateEqual", approximate_equal, tolerance=(float, 1e-05))


_special = torch.special
_float32 = torch.float32


def _in_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function, computed in float32 for 16-bit floats: torch has no kernels of its derivative for them."""

    def apply(x: Any) -> Any:
        is_half = x.dtype in (torch.float16, torch.bfloat16)
        return to_dtype(function(torch.Tensor.float(x)), x.dtype) if is_half else function(x)

    return apply


abs = absolute = _unary("abs", torch.abs, formerly="x=input", method="abs absolute")
ComplexAbs = primitive_class("ComplexAbs", abs, inputs="x")

acos = arccos = _unary("acos", torch.acos, formerly="x=input")
ACos = primitive_class("ACos", acos)
acosh = arccosh = _unary("acosh", torch.acosh, formerly="x=input")
Acosh = primitive_class("Acosh", acosh)
asin, Asin = _with_class("Asin", _unary("asin", torch.asin, formerly="x=input"))
arcsin = op(asin, name="arcsin", shown="x")
asinh = arcsinh = _unary("asinh", torch.asinh, formerly="x=input")
Asinh = primitive_class("Asinh", asinh)
atan = arctan = _unary("atan", torch.atan, formerly="x=input")
Atan = primitive_class("Atan", atan)
atanh = arctanh = _unary("atanh", torch.atanh, formerly="x=input")
Atanh = primitive_class("Atanh", atanh)
angle, Angle = _with_class("Angle", _unary("angle", torch.angle, formerly="x=input"))
bessel_i0 = i0 = _unary(
    "bessel_i0", torch.i0, "Modified Bessel function of the first kind, order 0", formerly="x=input"
)
bessel_i0 = op(bessel_i0, name="bessel_i0", shown="x", method="bessel_i0")
BesselI0 = primitive_class("BesselI0", bessel_i0)
bessel_i0e, BesselI0e = _with_class("BesselI0e", _unary("bessel_i0e", _special.i0e, shown="x"))
bessel_i1, BesselI1 = _with_class("BesselI1", _unary("bessel_i1", _in_single(_special.i1), shown="x"))
bessel_i1e, BesselI1e = _with_class("BesselI1e", _unary("bessel_i1e", _in_single(_special.i1e), shown="x"))
bessel_j0, BesselJ0 = _with_class("BesselJ0", _unary("bessel_j0", _BESSEL["j0"], shown="x"))
bessel_j1, BesselJ1 = _with_class("BesselJ1", _unary("bessel_j1", _BESSEL["j1"], shown="x"))
bessel_k0, BesselK0 = _with_class("BesselK0", _unary("bessel_k0", _BESSEL["k0"], shown="x"))
bessel_k0e, BesselK0e = _with_class("BesselK0e", _unary("bessel_k0e", _BESSEL["k0e"], shown="x"))
bessel_k1, BesselK1 = _with_class("BesselK1", _unary("bessel_k1", _BESSEL["k1"], shown="x"))
bessel_k1e, BesselK1e = _with_class("BesselK1e", _unary("bessel_k1e", _BESSEL["k1e"], shown="x"))
bessel_y0, BesselY0 = _with_class("BesselY0", _unary("bessel_y0", _BESSEL["y0"], shown="x"))
bessel_y1, BesselY1 = _with_class("BesselY1", _unary("bessel_y1", _BESSEL["y1"], shown="x"))
ceil, Ceil = _with_class("Ceil", _unary("ceil", torch.ceil, formerly="x=input"))
conj = _unary("conj", lambda x: torch.conj(x).resolve_conj() if x.is_complex() else torch.clone(x), method="conj")
Conj = primitive_class("Conj", conj)
cos, Cos = _with_class("Cos", _unary("cos", torch.cos, formerly="x=input"))
cosh, Cosh = _with_class("Cosh", _unary("cosh", torch.cosh, formerly="x=input"))
deg2rad = _unary("deg2rad", torch.deg2rad, shown="x")
digamma, Digamma = _with_class("Digamma", _unary("digamma", torch.digamma, method="digamma"))
erf, Erf = _with_class("Erf", _unary("erf", torch.erf, formerly="x=input"))
erfc, Erfc = _with_class("Erfc", _unary("erfc", torch.erfc, formerly="x=input"))
erfinv, Erfinv = _with_class("Erfinv", _unary("erfinv", torch.erfinv))
exp2 = _unary("exp2", torch.exp2, formerly="x=input")
floor, Floor = _with_class("Floor", _unary("floor", torch.floor, formerly="x=input"))
frac = _unary("frac", torch.frac, shown="x")
imag = _unary("imag", lambda x: torch.clone(torch.imag(x)) if x.is_complex() else torch.zeros_like(x))
Imag = primitive_class("Imag", imag)
invert = _unary("invert", torch.bitwise_not, "Every bit flipped")
invert = op(invert, name="invert", shown="x", method="invert")
Invert = primitive_class("Invert", invert)
isfinite, IsFinite = _with_class("IsFinite", _unary("isfinite", torch.isfinite, formerly="x=input"))
isinf, IsInf = _with_class("IsInf", _unary("isinf", torch.isinf))
isneginf = _unary("isneginf", torch.isneginf)
isposinf = _unary("isposinf", torch.isposinf)
isreal = _unary("isreal", torch.isreal, formerly="x=input")
lgamma, Lgamma = _with_class("Lgamma", _unary("lgamma", torch.lgamma), inputs="x")
log, Log = _with_class("Log", _unary("log", torch.log, formerly="x=input"))
log10 = _unary("log10", torch.log10, formerly="x=input")
log1p, Log1p = _with_class("Log1p", _unary("log1p", torch.log1p, formerly="x=input"))
log2 = _unary("log2", torch.log2, formerly="x=input")
logical_not, LogicalNot = _with_class("LogicalNot", _unary("logical_not", torch.logical_not, formerly="x=input"))
neg = negative = _unary("neg", torch.neg, formerly="x=input")
Neg = primitive_class("Neg", neg)
positive = _unary("positive", torch.clone, formerly="x=input")
rad2deg = _unary("rad2deg", torch.rad2deg, shown="x")
real, Real = _with_class("Real", _unary("real", lambda x: torch.clone(torch.real(x))))
reciprocal, Reciprocal = _with_class("Reciprocal", _unary("reciprocal", torch.reciprocal))
_rint, Rint = _with_class("Rint", _unary("rint", torch.round), inputs="x")
rsqrt, Rsqrt = _with_class("Rsqrt", _unary("rsqrt", torch.rsqrt))
sgn = _unary("sgn", lambda x: torch.sgn(x) if x.is_complex() else torch.sign(x), method="sgn")
sign, Sign = _with_class("Sign", _unary("sign", torch.sign))
signbit = _unary("signbit", torch.signbit)
sin, Sin = _with_class("Sin", _unary("sin", torch.sin, formerly="x=input"))
sinc, Sinc = _with_class("Sinc", _unary("sinc", torch.sinc, formerly="x=input"))
sinh, Sinh = _with_class("Sinh", _unary("sinh", torch.sinh, formerly="x=input"))


@op(fallback=False)
def sqrt(x: Any) -> Any:
    """Return the square root, element by element."""
    return wrap(torch.sqrt(x))


Sqrt = primitive_class("Sqrt", sqrt)


square, Square = _with_class("Square", _unary("square", kernels.square, formerly="x=input"))
tan, Tan = _with_class("Tan", _unary("tan", torch.tan, formerly="x=input"))
trunc, Trunc = _with_class("Trunc", _unary("trunc", torch.trunc, formerly="input_x=input"))


@op(fallback=False, formerly="x=input")
def round(input: Any, *, decimals: int = 0) -> Any:
    """Round half to even, to ``decimals`` places."""
    return wrap(torch.round(input, decimals=decimals) if decimals else torch.round(input))


Round = primitive_class("Round", lambda input, decimals=0: round(input, decimals=decimals))


@op(fallback=False, formerly="x=input", method="logit")
def logit(input: Any, eps: float | None = None) -> Any:
    """Return log(x / (1 - x)), with x cut to [eps, 1 - eps] if ``eps`` is given."""
    return wrap(torch.logit(input, None if eps is None or eps < 0 else eps))


Logit = primitive_class("Logit", logit, "log(x / (1 - x)).", eps=(float, -1.0), settable=True)


@op(fallback=False, formerly="x=input", method="nan_to_num")
def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Return ``input`` with nan and infinities replaced; None: 0 and the dtype's extremes."""
    return wrap(torch.nan_to_num(input, nan, posinf, neginf))


NanToNum = primitive_class(
    "NanToNum",
    nan_to_num,
    "Nans and infinities replaced.",
    nan=(Any, None),
    posinf=(Any, None),
    neginf=(Any, None),
    settable=True,
)


@op(fallback=False)
def polygamma(n: Any, input: Any) -> Any:
    """Return the n-th derivative of digamma."""
    return wrap(torch.polygamma(int(n), input))


Polygamma = primitive_class("Polygamma", polygamma, inputs="a x")


@op(fallback=False)
def mvlgamma(input: Any, p: int) -> Any:
    """Return the multivariate log-gamma of dimension ``p``."""
    return wrap(torch.mvlgamma(input, p))


Mvlgamma = primitive_class("Mvlgamma", mvlgamma, "Multivariate log-gamma.", p=(int, ...), inputs="x")


@op(fallback=False)
def population_count(input_x: Any) -> Any:
    """Return the number of set bits of each element, as uint8."""
    bits = input_x.element_size() * 8
    counts = builtins.sum(
        torch.bitwise_and(torch.bitwise_right_shift(input_x, shift), 1) for shift in builtins.range(bits)
    )
    return wrap(to_dtype(counts, torch.uint8))  # type: ignore[arg-type]


PopulationCount = primitive_class("PopulationCount", population_count, inputs="input")


@op(fallback=False)
def view_as_real(input: Any) -> Any:
    """Return a complex tensor as a float one with a last axis of (real, imaginary)."""
    return wrap(torch.clone(torch.view_as_real(input)))


@op(fallback=False)
def is_complex(input: Any) -> bool:
    """Return whether the dtype is complex."""
    return torch.is_complex(input)


@op(fallback=False, formerly="x=input")
def is_floating_point(input: Any) -> bool:
    """Return whether the dtype is a float."""
    return torch.is_floating_point(input)


@op(fallback=False)
def is_nonzero(input: Any) -> bool:
    """Return whether the only element is not zero."""
    return bool(input)


@op(fallback=False)
def eps(x: Any) -> Any:
    """Return a tensor like ``x`` filled with the smallest step above 1 in its dtype."""
    return wrap(torch.full_like(x, torch.finfo(x.dtype).eps))


Eps = primitive_class("Eps", eps)


Mod = primitive_class("Mod", fmod)


Abs = primitive_class("Abs", abs)

Add = primitive_class("Add", add)

AccumulateNV2 = primitive_class("AccumulateNV2", accumulate_n, inputs="inputs")


def _check_numerics(x: Any) -> Any:
    """Return ``x``."""
    for kind, found in (("NaN", torch.isnan(x)), ("Inf", torch.isinf(x))):
        if bool(torch.any(found)):
            raise RuntimeError(f"For 'CheckNumerics', the tensor had {kind} values. Look for where they arise.")
    return wrap(torch.clone(x))


CheckNumerics = primitive_class("CheckNumerics", _check_numerics)


def _compare_and_bitpack(x: Any, threshold: Any) -> Any:
    """Return uint8 of 8 bits each, x > threshold along the last axis; the first is the highest bit, of bools the
    lowest.
    """
    bits = torch.reshape(torch.gt(x, threshold), (*x.shape[:-1], x.shape[-1] // 8, 8))
    order = range(8) if x.dtype is torch.bool else range(7, -1, -1)
    weights = constant([1 << place for place in order], x.device)
    return wrap(to_dtype(torch.sum(bits * weights, -1), torch.uint8))


CompareAndBitpack = primitive_class("CompareAndBitpack", _compare_and_bitpack)
Lerp, LerpScalar = primitive_class("Lerp", lerp), primitive_class("LerpScalar", lerp)
Addcmul, Addcdiv = primitive_class("Addcmul", addcmul), primitive_class("Addcdiv", addcdiv)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
