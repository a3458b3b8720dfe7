"""MindSpore: ``mindspore.experimental.optim.Adamax``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.experimental.optim.adam import Adam
from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim._device import add_quotients_, in_single

__all__ = ["Adamax"]


class Adamax(CountingOptimizer):
    """m as usual; u = max(beta2·u, |g| + eps); p -= lr/(1 - beta1ᵗ)·m/u."""

    @arguments_of(Adam, without="amsgrad")
    def __init__(self, params: Any, lr: Any = 2e-3, **defaults: Any) -> None:
        super().__init__(params, {"lr": lr, **defaults})
        self._add_counter()
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_inf = self.parameters.clone(prefix="exp_inf", init="zeros")

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        beta1, beta2 = group["betas"]
        averages, norms = self._at(self.exp_avg, part), self._at(self.exp_inf, part)
        with in_single((params, averages, norms), gradients) as (params, averages, norms, gradients):
            torch._foreach_lerp_(averages, gradients, 1.0 - beta1)
            torch._foreach_mul_(norms, beta2)
            sizes = torch._foreach_abs(gradients)
            torch._foreach_add_(sizes, group["eps"])
            torch._foreach_maximum_(norms, sizes)
            add_quotients_(params, averages, norms, -rate / (1.0 - torch.pow(beta1, self._step)))
