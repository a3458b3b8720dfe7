"""numpy's functions that work element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.numpy.utils import as_tensor, cast, float_of
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

__all__ = [*_UNARY, *_BINARY, "divmod", "clip", "around", "round", "fix", "clamp"]


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
