"""Bessel functions whose derivatives torch does not have. Parts of ``math_func``; derivatives by Abramowitz and Stegun
9.1, 9.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["BESSEL"]

_special: Any = torch.special
_j0, _j1, _y0, _y1 = _special.bessel_j0, _special.bessel_j1, _special.bessel_y0, _special.bessel_y1
_k0, _k1 = _special.modified_bessel_k0, _special.modified_bessel_k1
_k0e, _k1e = _special.scaled_modified_bessel_k0, _special.scaled_modified_bessel_k1


class _Bessel(torch.autograd.Function):
    """Function of the table by its name; its derivative uses the same functions, so it is differentiable, too."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, name: str) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.name = name
        return _VALUES[name](x)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grads[0] * _SLOPES[ctx.name](x), None


def _of(name: str) -> Callable[[torch.Tensor], torch.Tensor]:
    def function(x: torch.Tensor) -> torch.Tensor:
        if x.dtype in (torch.float16, torch.bfloat16):  # torch has no kernels of them
            return _Bessel.apply(x.float(), name).to(x.dtype)
        return _Bessel.apply(x, name)

    return function


_VALUES: dict[str, Any] = {
    "j0": _j0, "j1": _j1, "y0": _y0, "y1": _y1, "k0": _k0, "k1": _k1, "k0e": _k0e, "k1e": _k1e
}  # fmt: skip
#: "j0" and its like -> the differentiable function
BESSEL = {name: _of(name) for name in _VALUES}
_SLOPES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "j0": lambda x: -BESSEL["j1"](x),
    "j1": lambda x: torch.where(x == 0, 0.5, BESSEL["j0"](x) - BESSEL["j1"](x) / torch.where(x == 0, 1, x)),
    "y0": lambda x: -BESSEL["y1"](x),
    "y1": lambda x: BESSEL["y0"](x) - BESSEL["y1"](x) / x,
    "k0": lambda x: -BESSEL["k1"](x),
    "k1": lambda x: -BESSEL["k0"](x) - BESSEL["k1"](x) / x,
    "k0e": lambda x: BESSEL["k0e"](x) - BESSEL["k1e"](x),
    "k1e": lambda x: BESSEL["k1e"](x) * (1 - 1 / x) - BESSEL["k0e"](x),
}
