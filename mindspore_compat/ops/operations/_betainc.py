"""Regularized incomplete beta function, which torch does not have. Part of ``math_ops``.

Source: Lentz's evaluation of the continued fraction, Numerical Recipes 6.4. It converges fast for x < (a + 1) / (a + b
+ 2); I_x(a, b) = 1 - I_{1 - x}(b, a) gives the rest.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._declare import plain

__all__ = ["Betainc"]

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


Betainc = plain("Betainc", _betainc)
