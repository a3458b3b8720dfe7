"""MindSpore: ``mindspore.experimental.optim.NAdam``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.experimental.optim.adam import Adam
from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim._device import in_single
from mindspore_compat.nn.optim.adam import update_moments

__all__ = ["NAdam"]


class NAdam(CountingOptimizer):
    """m, v as usual; mu_t = beta1·(1 - 0.5·0.96^(t·momentum_decay)); p -= lr·((1 - mu_t)/(1 - Πmu)·g + mu_(t+1)/(1 -
    Πmu·mu_(t+1))·m)/(sqrt(v/(1 - beta2ᵗ)) + eps).
    """

    @arguments_of(Adam, without="amsgrad maximize", momentum_decay="weight_decay")
    def __init__(self, params: Any, lr: Any = 2e-3, momentum_decay: float = 4e-3, **defaults: Any) -> None:
        super().__init__(params, {"lr": lr, **defaults, "momentum_decay": momentum_decay})
        self._add_counter()
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")
        self.mu_product: list[Parameter] = [
            self._count(1.0, "mu_product_" + item.name, torch.float32) for item in self.parameters
        ]

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        beta1, beta2 = group["betas"]
        moments1, moments2 = self._at(self.exp_avg, part), self._at(self.exp_avg_sq, part)
        step, decay = self._step, group["momentum_decay"]
        factor = beta1 * (1.0 - 0.5 * torch.pow(0.96, step * decay))
        following = beta1 * (1.0 - 0.5 * torch.pow(0.96, (step + 1.0) * decay))
        products = self._at(self.mu_product, part)
        torch._foreach_mul_(products, factor)
        with in_single((params, moments1, moments2), gradients) as (params, moments1, moments2, gradients):
            update_moments(moments1, moments2, gradients, beta1, beta2)
            divisors = torch._foreach_sqrt(torch._foreach_div(moments2, 1.0 - torch.pow(beta2, step)))
            torch._foreach_add_(divisors, group["eps"])
            for param, gradient, moment, divisor, product in zip(params, gradients, moments1, divisors, products):
                change = gradient * (rate * (1.0 - factor) / (1.0 - product))
                change.add_(moment * (rate * following / (1.0 - product * following)))
                param.sub_(change.div_(divisor))
