"""MindSpore: ``mindspore.nn.Adadelta``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_scaled_
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """a = rho·a + (1 - rho)·g²; u = g·sqrt(d + epsilon)/sqrt(a + epsilon); d = rho·d + (1 - rho)·u²; p -= lr·u."""

    _repeats = "on a device"

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = not_negative(rho, "rho")
        self.epsilon = not_negative(epsilon, "epsilon")
        self.accum = self.parameters.clone(prefix="accum", init=0)  # type: ignore[attr-defined]
        self.accum_update = self.parameters.clone(prefix="accum_update", init=0)  # type: ignore[attr-defined]

    def construct(self, grads: Any) -> Any:
        return super().construct(grads)

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        squares, deltas = self._picked(self.accum, picks), self._picked(self.accum_update, picks)
        torch._foreach_mul_(squares, self.rho)
        torch._foreach_addcmul_(squares, gradients, gradients, 1.0 - self.rho)
        updates = list(torch._foreach_add(deltas, self.epsilon))
        torch._foreach_div_(updates, torch._foreach_add(squares, self.epsilon))
        torch._foreach_sqrt_(updates)
        torch._foreach_mul_(updates, gradients)
        torch._foreach_mul_(deltas, self.rho)
        torch._foreach_addcmul_(deltas, updates, updates, 1.0 - self.rho)
        add_scaled_(parameters, updates, -rate)
