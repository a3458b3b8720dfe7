"""numpy's functions that work element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import pair
from mindspore_compat._ops.declare import op
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy.utils import as_tensor, cast, float_of, number_of, promoted
from mindspore_compat.ops import function as F


def _of_bools(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns bools for bools, which torch's refuses."""

    def apply(x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        if x.dtype is not torch.bool or any(item.dtype is not torch.bool for item in others):
            return function(x, *others)
        return torch.Tensor.to(function(*[number_of(item) for item in (x, *others)]), torch.bool)

    return apply


def _as_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return integers and 16-bit floats as float32, as MindSpore's kernels."""

    def apply(x: torch.Tensor) -> torch.Tensor:
        return function(x if x.dtype in (torch.float32, torch.float64) else torch.Tensor.to(x, torch.float32))

    return apply


_SMALL = (torch.bool, torch.int8, torch.uint8)


def _angle_of(x: torch.Tensor) -> torch.Tensor:
    """Return floats unchanged, integers of 8 bits as float16, others as float32."""
    return torch.Tensor.to(x, torch.float16) if x.dtype in _SMALL else float_of(x)


def _of_angle(function: Callable[..., Any]) -> Callable[..., Any]:
    def apply(*inputs: torch.Tensor) -> torch.Tensor:
        return function(*[_angle_of(item) for item in inputs])

    return apply


def _power_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the power; integers stay integers (bools int64), wrapped as NumPy's."""

    def apply(x: torch.Tensor) -> torch.Tensor:
        if x.dtype.is_floating_point or x.dtype.is_complex:
            return function(x)
        whole = torch.int64 if x.dtype is torch.bool else x.dtype
        return torch.Tensor.to(function(torch.Tensor.to(x, torch.float64)), whole)

    return apply


def _modulo(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the remainder; of integers by 0 it is 0."""

    def apply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        common = torch.promote_types(x.dtype, y.dtype)
        if common.is_floating_point or common.is_complex:
            return function(x, y)
        is_zero = torch.eq(y, 0)
        found = function(number_of(x), torch.where(is_zero, 1, number_of(y)))
        return torch.Tensor.to(torch.where(is_zero, 0, found), common)

    return apply


def _divisor(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return torch's divisor of integers; of floats by Euclid's algorithm."""

    def apply(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        common = torch.promote_types(x.dtype, y.dtype)
        left, right = (torch.Tensor.to(item, common) for item in torch.broadcast_tensors(x, y))
        if not common.is_floating_point:
            return _of_bools(function)(left, right)
        first, second = left, right
        for _ in range(_MOST_STEPS):
            is_done = torch.eq(second, 0)
            if bool(torch.all(is_done)):
                break
            rest = torch.remainder(first, torch.where(is_done, 1, second))
            first, second = torch.where(is_done, first, second), torch.where(is_done, second, rest)
        found = torch.abs(first)
        if function is F.gcd:
            return found
        return torch.where(
            torch.eq(found, 0), 0, torch.abs(left) * (torch.abs(right) / torch.where(found == 0, 1, found))
        )

    return apply


_MOST_STEPS = 100
_UNARY: dict[str, Callable[..., Any]] = {
    "abs": _of_bools(torch.abs),
    "absolute": _of_bools(torch.abs),
    "arccos": _of_angle(torch.acos),
    "arccosh": _of_angle(torch.acosh),
    "arcsin": _of_angle(torch.asin),
    "arcsinh": _of_angle(torch.asinh),
    "arctan": _of_angle(torch.atan),
    "arctanh": _of_angle(torch.atanh),
    "bitwise_not": torch.bitwise_not,
    "ceil": _as_floats(torch.ceil),
    "cos": _of_angle(torch.cos),
    "cosh": _of_angle(torch.cosh),
    "deg2rad": torch.deg2rad,
    "exp": torch.exp,
    "exp2": _power_of(torch.exp2),
    "expm1": torch.expm1,
    "fabs": _of_bools(torch.abs),
    "floor": torch.floor,
    "invert": torch.bitwise_not,
    "log": torch.log,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "log2": torch.log2,
    "negative": torch.neg,
    "positive": torch.clone,
    "rad2deg": torch.rad2deg,
    "radians": torch.deg2rad,
    "reciprocal": _power_of(torch.reciprocal),
    "rint": torch.round,
    "sign": lambda x: torch.sign(x if x.dtype is torch.bool else float_of(x)),
    "signbit": torch.signbit,
    "sin": _of_angle(torch.sin),
    "sinh": _of_angle(torch.sinh),
    "sqrt": torch.sqrt,
    "square": kernels.square,
    "tan": _of_angle(torch.tan),
    "tanh": _of_angle(torch.tanh),
    "trunc": lambda x: torch.trunc(float_of(x)),
    "cbrt": _as_floats(lambda x: torch.sign(x) * kernels.pow(torch.abs(x), 1 / 3)),
}


def _step(x: torch.Tensor, at_zero: torch.Tensor) -> torch.Tensor:
    """Return torch's heaviside, which has no derivative, with that by the values at 0."""
    return torch.where(x == 0, at_zero, torch.heaviside(x.detach(), at_zero.detach()))


def _in_common(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a number as a float32 or int32 Tensor without axes, which takes part in promotion."""

    def op(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        common = promoted(x.dtype, y.dtype)
        return function(torch.Tensor.to(x, common), torch.Tensor.to(y, common))

    return op


_quotient = _in_common(F.true_divide)


_BINARY: dict[str, Callable[..., Any]] = {
    "add": F.add,
    "subtract": F.sub,
    "multiply": _in_common(F.mul),
    "divide": _quotient,
    "true_divide": _quotient,
    "floor_divide": _of_bools(F.floor_div),
    "mod": _modulo(F.floor_mod),
    "remainder": _modulo(F.floor_mod),
    "fmod": _modulo(F.fmod),
    "power": F.pow,
    "float_power": lambda x, y: F.pow(float_of(x), y),
    "maximum": F.maximum,
    "minimum": F.minimum,
    "arctan2": _of_angle(F.atan2),
    "bitwise_and": F.bitwise_and,
    "bitwise_or": F.bitwise_or,
    "bitwise_xor": F.bitwise_xor,
    "copysign": lambda x, y: torch.Tensor.to(F.copysign(x, y), x.dtype),
    "gcd": _divisor(F.gcd),
    "lcm": _divisor(F.lcm),
    "heaviside": lambda x, y: _step(*pair(x, y)),
    "hypot": lambda x, y: F.hypot(*[float_of(item) for item in pair(x, y)]),
    "logaddexp": F.logaddexp,
    "logaddexp2": F.logaddexp2,
}


_IN_THE_OTHERS_DTYPE = frozenset({"maximum", "minimum"})


def _like(value: Any, other: Any) -> Any:
    """Return a number in the dtype of the other operand, as MindSpore: 1.5 is 1 beside integers."""
    is_number = isinstance(value, (int, float)) and isinstance(other, torch.Tensor)
    return torch.full((), value, dtype=other.dtype, device=other.device) if is_number else value


def _unary(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, dtype: Any = None) -> Any:
        return cast(function(as_tensor(x)), dtype)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"numpy's ``{name}``, element by element."
    return op


def _binary(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x1: Any, x2: Any, dtype: Any = None) -> Any:
        if name in _IN_THE_OTHERS_DTYPE:
            x1, x2 = _like(x1, x2), _like(x2, x1)
        return cast(function(wrap(as_tensor(x1)), wrap(as_tensor(x2))), dtype)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"numpy's ``{name}``, element by element."
    return op


globals().update({name: _unary(name, function) for name, function in _UNARY.items()})
globals().update({name: _binary(name, function) for name, function in _BINARY.items()})
for _name, _argument in {"arccos": "input", "negative": "a", "positive": "a"}.items():  # MindSpore's names
    globals()[_name] = op(globals()[_name], name=_name, shown=_argument, fallback=False)

__all__ = [*_UNARY, *_BINARY, "divmod", "clip", "around", "round", "fix", "clamp"]


def divmod(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return (floor quotient, remainder)."""
    left, right = wrap(as_tensor(x1)), wrap(as_tensor(x2))
    return cast(_of_bools(F.floor_div)(left, right), dtype), cast(_modulo(F.floor_mod)(left, right), dtype)


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Any:
    """Clip to [xmin, xmax]."""
    return cast(F.clip_by_value(as_tensor(x), xmin, xmax), dtype)


clamp = clip


def around(a: Any, decimals: int = 0) -> Any:
    """Round half to even."""
    return wrap(torch.round(as_tensor(a), decimals=decimals) if decimals else torch.round(as_tensor(a)))


round = around


def fix(x: Any) -> Any:
    """Round towards zero."""
    return cast(_UNARY["trunc"](as_tensor(x)))
