"""Incomplete gamma functions with derivatives by both arguments; torch has none by the first."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["gammainc", "gammaincc"]

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


@torch.no_grad()
def _by_order(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return dP/da from four differences."""
    order, place = a.double(), x.double()
    step = torch.clamp(order / 4, max=_STEP)

    def at(count: int) -> torch.Tensor:
        return torch.special.gammainc(order + count * step, place)

    return ((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)).to(a.dtype)


def gammainc(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return P(a, x), element by element."""
    return _LowerGamma.apply(*torch.broadcast_tensors(a, x)) if a.requires_grad else torch.special.gammainc(a, x)


def gammaincc(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return 1 - P(a, x), element by element."""
    if not a.requires_grad:
        return torch.special.gammaincc(a, x)
    lower = gammainc(a, x)
    return torch.special.gammaincc(a.detach(), x.detach()) + (lower.detach() - lower)
