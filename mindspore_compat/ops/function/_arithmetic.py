"""Arithmetic, comparison and bitwise operators on two inputs, element by element. Part of
``mindspore.ops.function.math_func``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback, with_dtype_fallback
from mindspore_compat._tensor.operators import floor_quotient, truncated_quotient, truncated_remainder
from mindspore_compat._tensor.operators import remainder as _remainder
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_plain, pair, to_dtype
from mindspore_compat.ops.function._elementwise import _binary, _operator, exp, expm1, isnan, reciprocal
from mindspore_compat.ops.function._gamma import gammainc, gammaincc

__all__ = """
    accumulate_n add addcdiv addcmul addn approximate_equal arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or
    bitwise_right_shift bitwise_xor complex copysign div div_no_nan divide eq equal float_power floor_div
    floor_divide floor_mod floordiv floormod fmax fmin fmod gcd ge greater greater_equal gt heaviside hypot igamma
    igammac inv isclose lcm ldexp le lerp less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor lt
    maximum minimum mod mul mul_no_nan multiply ne nextafter not_equal polar pow pows real_div remainder
    squared_difference sub subtract tensor_add tensor_div tensor_exp isnan_ext float_power_ext erfinv_ tensor_expm1
    tensor_floordiv tensor_ge tensor_gt tensor_le tensor_lt tensor_mod tensor_mul tensor_muls tensor_pow tensor_sub
    true_divide truncate_div truncate_mod xdivy xlogy zeta
""".split()


def _with_torchs_promotion(
    function: Callable[[Any, Any], torch.Tensor], python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """Multiply or divide with torch's promotion: a 0-d float gives way to the other float. MindSpore's addition does
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

floor_mod = floormod = remainder = tensor_mod = mod = _operator("remainder", operator.mod, _remainder)

_power = _operator("pow", operator.pow, kernels.pow)


def pow(input: Any, exponent: Any) -> Any:
    """Return the power of ``input`` to ``exponent``, element by element; one of them may be a number."""
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
    """Return input - other; one of them may be a number. A bool tensor, which torch will not subtract, takes the
    other's dtype.
    """
    for item in (input, other):
        if isinstance(item, torch.Tensor) and item.dtype is torch.bool:
            input, other = pair(input, other)
            return wrap(torch.logical_xor(input, other) if input.dtype is torch.bool else torch.sub(input, other))
    return _plain_sub(input, other)


tensor_sub = sub


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return input - alpha * other; bools that are subtracted count as int64."""
    if isinstance(other, bool):
        other = int(other)
    elif isinstance(other, torch.Tensor) and other.dtype is torch.bool:
        other = to_dtype(other, torch.int64)
    return sub(input, other if alpha == 1 else mul(other, alpha))


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return input / other, rounded by "floor" or "trunc" if ``rounding_mode`` says so."""
    if rounding_mode is None:
        return true_divide(input, other)
    return _rounded_quotient(input, other, rounding_mode)


@with_dtype_fallback
def _rounded_quotient(input: Any, other: Any, rounding_mode: str) -> Any:
    return wrap(torch.div(*pair(input, other), rounding_mode=rounding_mode))


divide = div


def quotient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return x / y of one dtype; of integers rounded towards zero."""
    return torch.div(x, y) if x.dtype.is_floating_point or x.dtype.is_complex else truncated_quotient(x, y)


def real_div(x: Any, y: Any) -> Any:
    """Return x / y in the common dtype: ints give an int, rounded towards zero."""
    return wrap(quotient(*pair(x, y)))


tensor_div = real_div


def div_no_nan(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where y is 0."""
    x, y = pair(x, y)
    zero = y == 0
    return wrap(
        torch.where(zero, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(zero, torch.ones_like(y), y))
    )


def mul_no_nan(x: Any, y: Any) -> Any:
    """Return x * y, and 0 where y is 0, even if x is infinite or nan."""
    x, y = pair(x, y)
    return wrap(torch.where((y == 0) & ~torch.isfinite(x), torch.zeros((), dtype=x.dtype, device=x.device), x) * y)


def truncate_div(x: Any, y: Any) -> Any:
    """Return x / y, rounded towards zero."""
    return wrap(truncated_quotient(*pair(x, y)))


truncate_mod = fmod = _binary("fmod", truncated_remainder)

maximum = _binary("maximum", torch.maximum)

minimum = _binary("minimum", torch.minimum)

fmax = _binary("fmax", subgradients.fmax)

fmin = _binary("fmin", subgradients.fmin)

atan2 = arctan2 = _binary("atan2", torch.atan2)

hypot = _binary("hypot", torch.hypot)

gcd = _binary("gcd", torch.gcd)

lcm = _binary("lcm", torch.lcm)

logaddexp = _binary("logaddexp", torch.logaddexp)

logaddexp2 = _binary("logaddexp2", torch.logaddexp2)

_KEPT_FLOATS = (torch.float16, torch.float32, torch.float64)
_copysign = _binary("copysign", torch.copysign)


def copysign(x: Any, other: Any) -> Any:
    """Return |x| with the sign of ``other``: of x's dtype, float32 where that is bfloat16 or no float."""
    result = _copysign(x, other)
    if not isinstance(x, torch.Tensor):
        return result
    return wrap(to_dtype(result, x.dtype if x.dtype in _KEPT_FLOATS else torch.float32))


heaviside = _binary("heaviside", torch.heaviside)


def nextafter(input: Any, other: Any) -> Any:
    """Return the next number that the dtype has after ``input``, towards ``other``."""
    return wrap(torch.where(input == other, input, torch.nextafter(input, other)))  # the gradient by input is 1


squared_difference = _binary("squared_difference", lambda x, y: kernels.square(x - y))

igamma = _binary("igamma", gammainc)

igammac = _binary("igammac", gammaincc)

zeta = _binary("zeta", torch.special.zeta)

_xlogy = _binary("xlogy", torch.xlogy)


def xlogy(input: Any, other: Any) -> Any:
    """Return input * log(other), 0 where input is; beside a number, which counts as float32, 16-bit floats are cast to
    it.
    """
    if not isinstance(other, torch.Tensor) and input.dtype in (torch.float16, torch.bfloat16):
        input = to_dtype(input, torch.float32)
    elif not isinstance(input, torch.Tensor) and other.dtype in (torch.float16, torch.bfloat16):
        other = to_dtype(other, torch.float32)
    return _xlogy(input, other)


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
    """Return the reciprocal, element by element; of integers rounded towards zero, the least number at 0."""
    if x.dtype.is_floating_point or x.dtype.is_complex:
        return reciprocal(x)
    one = torch.tensor(1, dtype=x.dtype, device=x.device)
    at_zero = torch.iinfo(x.dtype).min if x.dtype.itemsize > 2 else 0  # as C++ cuts infinity
    return wrap(torch.where(x == 0, at_zero, truncated_quotient(one, torch.where(x == 0, one, x))))


def polar(abs: Any, angle: Any) -> Any:
    """Return the complex numbers of these lengths and angles, element by element."""
    return wrap(torch.polar(*pair(abs, angle)))


def xdivy(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where x is 0."""
    x, y = pair(x, y)
    return wrap(
        torch.where(
            x == 0, torch.zeros((), dtype=x.dtype, device=x.device), x / torch.where(x == 0, torch.ones_like(y), y)
        )
    )


def float_power(input: Any, exponent: Any) -> Any:
    """Return input ** exponent in float64."""
    return wrap(torch.float_power(input, exponent))


float_power_ext = float_power


def erfinv_(input: Any) -> Any:
    """Run `erfinv` in place."""
    return wrap(torch.Tensor.erfinv_(input))


def ldexp(x: Any, other: Any) -> Any:
    """Return x * 2**other; the power of a Tensor of integers is of float32."""
    x, power = as_plain(x), as_plain(int(other) if isinstance(other, bool) else other)
    if isinstance(other, torch.Tensor) and not other.dtype.is_floating_point:
        power = to_dtype(power, torch.int32) if power.dtype is torch.bool else power
        x = to_dtype(x, torch.float32) if x.dtype in (torch.float16, torch.bfloat16) else x
    return wrap(torch.ldexp(x, power))


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


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """Return input + value * tensor1 * tensor2."""
    if isinstance(value, float) and not (input.is_floating_point() or input.is_complex()):
        value = int(value)  # of the tensors' dtype, as MindSpore has it
    return input + tensor1 * tensor2 * value


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """Return input + value * tensor1 / tensor2."""
    return input + tensor1 / tensor2 * value


def addn(x: Any) -> Any:
    """Return the sum of a sequence of tensors."""
    items = x if isinstance(x, (tuple, list)) else (x,)
    total = items[0]
    for item in items[1:]:
        total = torch.add(total, item)
    return wrap(total)


accumulate_n = addn


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether |input - other| <= atol + rtol * |other|."""
    return wrap(torch.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan))


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-05) -> Any:
    """Return whether |x - y| < tolerance."""
    x, y = pair(x, y)
    return wrap(torch.abs(x - y) < tolerance)


_FAST = """
    add sub mul true_divide div floor_divide remainder pow equal not_equal greater greater_equal less less_equal
    maximum minimum fmod fmax fmin atan2 hypot gcd lcm logaddexp logaddexp2 heaviside squared_difference igamma igammac
    zeta bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift logical_and logical_or logical_xor
    complex tensor_exp isnan_ext tensor_expm1
"""  # from `_operator`, `_binary` and `_unary`, which have the fallback
apply_dtype_fallback(globals(), __all__, skip=_FAST)
