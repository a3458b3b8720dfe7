"""MindSpore: ``mindspore.experimental.optim.Rprop``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import CountingOptimizer

__all__ = ["Rprop"]


class Rprop(CountingOptimizer):
    """Each element's step grows by etas[1] where its gradient keeps the sign, and shrinks by etas[0] where it changes
    (the gradient then counts as 0), within ``step_sizes``; the first is lr. p -= sign(g)·step. Weight decay has no
    effect.
    """

    _decays_gradients = False

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})
        self.prev = self.parameters.clone(prefix="prev", init="zeros")
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")
        self._add_counter()

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        shrink, grow = group["etas"]
        low, high = group["step_sizes"]
        is_first = self._step == 1.0
        previous, sizes = self._at(self.prev, part), self._at(self.step_size, part)
        for param, gradient, before, size in zip(params, gradients, previous, sizes):
            product = gradient * before
            factor = torch.where(product > 0, grow, torch.where(product < 0, shrink, 1.0)).to(size.dtype)
            size.copy_(torch.clamp(torch.where(is_first, rate, size) * factor, low, high))
            before.copy_(torch.where(product < 0, 0.0, gradient))
            param.sub_(torch.sign(before) * size)
