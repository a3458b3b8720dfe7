"""MindSpore: ``mindspore.experimental.optim.Adam``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.adamw import FusedAdam
from mindspore_compat.nn.optim._device import Number, add_quotients_, in_single, single
from mindspore_compat.nn.optim.adam import update_moments

__all__ = ["Adam"]


class Adam(FusedAdam):
    """m, v as usual; p -= lr·sqrt(1 - beta2ᵗ)/(1 - beta1ᵗ) · m/(sqrt(v) + eps).

    As in MindSpore ``amsgrad`` has no effect here: its operator has no maximum; ``mint.optim.Adam`` supports it.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = ms.experimental.optim.Adam(net.trainable_params(), lr=0.1)
        >>> print([item.name for item in optimizer.exp_avg])
        ['exp_avg.weight', 'exp_avg.bias']
    """

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        rates, (beta1, beta2), _ = self._for_kernel(group, rate)
        moments1, moments2 = self._at(self.exp_avg, part), self._at(self.exp_avg_sq, part)
        with in_single((params, moments1, moments2), gradients) as (values, means, squares, slopes):
            update_moments(means, squares, slopes, beta1, beta2)
            divisors = torch._foreach_sqrt(squares)
            torch._foreach_add_(divisors, group["eps"])
            add_quotients_(values, means, divisors, -rates)

    def _for_kernel(self, group: dict[str, Any], rate: float) -> tuple[Number, tuple[float, float], Any]:
        (beta1, beta2), step = map(single, group["betas"]), self._step
        return rate * torch.sqrt(1.0 - torch.pow(beta2, step)) / (1.0 - torch.pow(beta1, step)), (beta1, beta2), None
