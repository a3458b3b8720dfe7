"""MindSpore: ``mindspore.experimental.optim.Adadelta``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import Optimizer

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """a = rho·a + (1 - rho)·g²; u = sqrt(d + eps)/sqrt(a + eps)·g; d = rho·d + (1 - rho)·u²; p -= lr·u."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize})
        self.accum = self.parameters.clone(prefix="accum", init=0)
        self.accum_update = self.parameters.clone(prefix="accum_update", init=0)

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        rho, eps = group["rho"], group["eps"]
        accums, updates = self._at(self.accum, part), self._at(self.accum_update, part)
        torch._foreach_mul_(accums, rho)
        torch._foreach_addcmul_(accums, gradients, gradients, 1.0 - rho)
        changes = torch._foreach_sqrt(torch._foreach_add(updates, eps))
        torch._foreach_div_(changes, torch._foreach_sqrt(torch._foreach_add(accums, eps)))
        torch._foreach_mul_(changes, gradients)
        torch._foreach_mul_(updates, rho)
        torch._foreach_addcmul_(updates, changes, changes, 1.0 - rho)
        torch._foreach_add_(params, changes, alpha=-rate)
