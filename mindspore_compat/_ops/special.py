"""Bessel functions, gamma and beta functions that torch lacks, or whose derivatives it lacks.

Sources: Abramowitz and Stegun 9.1 and 9.6 for derivatives of Bessel functions; Lentz's evaluation of the continued
fraction, Numerical Recipes 6.4, for the incomplete beta function. It converges fast for x < (a + 1) / (a + b + 2);
I_x(a, b) = 1 - I_{1 - x}(b, a) gives the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._ops.declare import classes, functions, primitive_class
from mindspore_compat._tensor.wrapping import wrap

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
_BESSEL = {name: _of(name) for name in _VALUES}

_SLOPES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "j0": lambda x: -_BESSEL["j1"](x),
    "j1": lambda x: torch.where(x == 0, 0.5, _BESSEL["j0"](x) - _BESSEL["j1"](x) / torch.where(x == 0, 1, x)),
    "y0": lambda x: -_BESSEL["y1"](x),
    "y1": lambda x: _BESSEL["y0"](x) - _BESSEL["y1"](x) / x,
    "k0": lambda x: -_BESSEL["k1"](x),
    "k1": lambda x: -_BESSEL["k0"](x) - _BESSEL["k1"](x) / x,
    "k0e": lambda x: _BESSEL["k0e"](x) - _BESSEL["k1e"](x),
    "k1e": lambda x: _BESSEL["k1e"](x) * (1 - 1 / x) - _BESSEL["k0e"](x),
}
_STEP = 1e-3  # of the differences, in float64: their error is about 1e-12


class _LowerGamma(torch.autograd.Function):
    """The regularized lower incomplete gamma function P(a, x) of tensors of one shape."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, x)
        return torch.special.gammainc(a, x)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, x = ctx.saved_tensors
        slope = torch.exp(torch.xlogy(a - 1, x) - x - torch.lgamma(a))
        by_a = _by_order(a, x) if ctx.needs_input_grad[0] else None
        return None if by_a is None else grads[0] * by_a, grads[0] * slope


def _by_order(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return dP/da from four differences, differentiable again."""
    order, place = a.double(), x.double()
    step = torch.clamp(order.detach() / 4, max=_STEP)

    def at(count: int) -> torch.Tensor:
        return _LowerGamma.apply(order + count * step, place)

    return ((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)).to(a.dtype)


def gammainc(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return P(a, x), element by element."""
    a, x = torch.broadcast_tensors(a, x)
    return _LowerGamma.apply(a, x) if a.requires_grad else torch.special.gammainc(a, x)


def gammaincc(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return 1 - P(a, x), element by element."""
    if not a.requires_grad:
        return torch.special.gammaincc(a, x)
    lower = gammainc(a, x)
    return torch.special.gammaincc(a.detach(), x.detach()) + (lower.detach() - lower)


_ROUNDS = 300  # at a = b = 10⁴ 250 are needed
_TINY = 1e-300


def _fraction(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    def safe(value: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.abs(value) < _TINY, _TINY, value)

    c, d = torch.ones_like(x), 1 / safe(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _ROUNDS + 1):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / safe(1 + term * d), safe(1 + term / c)
            found = found * d * c
    return found


class _Betainc(torch.autograd.Function):
    """Autograd function, differentiable by x; MindSpore gives 0 for a and b."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b, x)
        exact_a, exact_b, exact = a.double(), b.double(), x.double()
        swaps = exact > (exact_a + 1) / (exact_a + exact_b + 2)
        p, q = torch.where(swaps, exact_b, exact_a), torch.where(swaps, exact_a, exact_b)
        y = torch.where(swaps, 1 - exact, exact)
        front = torch.exp(
            torch.lgamma(p + q) - torch.lgamma(p) - torch.lgamma(q) + torch.xlogy(p, y) + torch.special.xlog1py(q, -y)
        )
        part = front * _fraction(p, q, y) / p
        found = torch.where(swaps, 1 - part, part)
        found = torch.where((exact < 0) | (exact > 1) | (exact_a <= 0) | (exact_b <= 0), torch.nan, found)
        return found.to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b, x = ctx.saved_tensors
        scale = torch.lgamma(a + b) - torch.lgamma(a) - torch.lgamma(b)
        density = torch.exp(torch.special.xlog1py(b - 1, -x) + torch.xlogy(a - 1, x) + scale)
        return torch.zeros_like(a), torch.zeros_like(b), grads[0] * density


def _betainc(a: Any, b: Any, x: Any) -> Any:
    """Return I_x(a, b): the integral of t^(a - 1) (1 - t)^(b - 1) up to x, divided by that up to 1; float32 or float64.

    Differentiable by ``x``; the gradients by ``a`` and ``b`` are 0, as MindSpore's.
    """
    if not x.is_floating_point():
        raise TypeError(f"For 'Betainc', the inputs must be float32 or float64, but got {x.dtype}.")
    return wrap(_Betainc.apply(a, b, x))


Betainc = primitive_class("Betainc", _betainc)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
