"""MindSpore: ``mindspore.experimental.optim.RAdam``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.experimental.optim.adam import Adam
from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim.adam import update_moments

__all__ = ["RAdam"]


class RAdam(CountingOptimizer):
    """m, v as usual; rho = 2/(1 - beta2) - 1, rho_t = rho - 2t·beta2ᵗ/(1 - beta2ᵗ). Where rho_t > 5: p -= lr·m/(1 -
    beta1ᵗ)·r·sqrt(1 - beta2ᵗ)/(sqrt(v) + eps) with the rectification r, else p -= lr·m/(1 - beta1ᵗ).
    """

    @arguments_of(Adam, without="amsgrad maximize")
    def __init__(self, params: Any, **defaults: Any) -> None:
        super().__init__(params, defaults)
        self._add_counter()
        self.exp_avg = self.parameters.clone(prefix="exp_avg", init="zeros")
        self.exp_avg_sq = self.parameters.clone(prefix="exp_avg_sq", init="zeros")

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        beta1, beta2 = group["betas"]
        moments1, moments2 = self._at(self.exp_avg, part), self._at(self.exp_avg_sq, part)
        update_moments(moments1, moments2, gradients, beta1, beta2)
        step = self._step
        power = torch.pow(beta2, step)
        correction = 1.0 - power
        limit = float(np.float32(2.0) / (np.float32(1.0) - np.float32(beta2)) - np.float32(1.0))  # as MindSpore rounds
        length = limit - 2.0 * step * power / correction
        is_long = length > 5.0
        rectified = (length - 4.0) * (length - 2.0) * limit / ((limit - 4.0) * (limit - 2.0) * length)
        factor = torch.sqrt(torch.where(is_long, rectified, 1.0)) * torch.sqrt(correction)
        divisors = torch._foreach_sqrt(moments2)
        torch._foreach_add_(divisors, group["eps"])
        scaled = rate / (1.0 - torch.pow(beta1, step))
        for param, moment, divisor in zip(params, moments1, divisors):
            param.sub_(moment * scaled * torch.where(is_long, factor / divisor, torch.ones_like(divisor)))
