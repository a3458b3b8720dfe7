"""MindSpore: ``mindspore.nn.AdaMax``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_quotients_, counted, in_single, number
from mindspore_compat.nn.optim._groups import host_tensor
from mindspore_compat.nn.optim.adam import check_betas
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["AdaMax"]


class AdaMax(Optimizer):
    """m = beta1·m + (1 - beta1)·g; v = max(beta2·v, |g|); p -= lr/(1 - beta1ᵗ) · m/(v + eps)."""

    _counts = ("global_step", "beta1_power")
    _repeats = "on a device"

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        check_betas(beta1, beta2, eps, "AdaMax")
        self.beta1, self.beta2, self.eps = host_tensor(beta1), host_tensor(beta2), host_tensor(eps)
        self.beta1_power = self._count([1.0], "beta1_power")
        self.moment1 = self.parameters.clone(prefix="moment1", init="zeros")  # type: ignore[attr-defined]
        self.moment2 = self.parameters.clone(prefix="moment2", init="zeros")  # type: ignore[attr-defined]

    def _begin_step(self) -> None:
        torch._C.TensorBase.mul_(self.beta1_power, number(self.beta1))

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        moments, largest = self._picked(self.moment1, picks), self._picked(self.moment2, picks)
        pace = rate / (1.0 - counted(self.beta1_power))
        with in_single((parameters, moments, largest), gradients) as (parameters, moments, largest, gradients):
            torch._foreach_lerp_(moments, gradients, 1.0 - number(self.beta1))
            torch._foreach_mul_(largest, number(self.beta2))
            torch._foreach_maximum_(largest, torch._foreach_abs(gradients))
            add_quotients_(parameters, moments, torch._foreach_add(largest, number(self.eps)), -pace)
