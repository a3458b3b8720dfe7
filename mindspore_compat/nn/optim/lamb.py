"""MindSpore: ``mindspore.nn.Lamb``. Source of the method: https://arxiv.org/abs/1904.00962."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import (
    Number,
    Picks,
    Tensors,
    add_scaled_,
    as_weight,
    counted,
    divided,
    in_single,
    is_zero,
    number,
    on_device,
)
from mindspore_compat.nn.optim._fused import average_, descend_, is_fusible
from mindspore_compat.nn.optim._groups import host_tensor
from mindspore_compat.nn.optim.adam import check_betas, update_moments
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["Lamb"]


class Lamb(Optimizer):
    """u = m̂/(sqrt(v̂) + eps) + weight_decay·p; p -= lr·ratio·u, where ratio = ‖p‖/‖u‖, at most 10, and 1 where a norm
    is 0.
    """

    _decoupled_decay = True
    _repeats = "on a device"
    _fused_states = ("moments1", "moments2")
    _has_temporaries = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        check_betas(beta1, beta2, eps, "Lamb")
        self.beta1, self.beta2, self.eps = host_tensor([beta1]), host_tensor([beta2]), host_tensor([eps])
        self.params = self.parameters
        self.moments1 = self.parameters.clone(prefix="lamb_m", init="zeros")  # type: ignore[attr-defined]
        self.moments2 = self.parameters.clone(prefix="lamb_v", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        moments1, moments2 = self._picked(self.moments1, picks), self._picked(self.moments2, picks)
        if self._is_fused() and is_fusible(parameters, gradients, moments1, moments2):
            found_inf = self._found_inf()
            products = torch._foreach_mul(gradients, gradients)
            average_(moments2, products, number(self.beta2), products, found_inf)
            average_(moments1, gradients, number(self.beta1), products, found_inf)
            del products  # there is one list of temporaries at a time
            step = counted(self.global_step)
            updates = divided(moments2, 1.0 - number(self.beta2) ** step)
            torch._foreach_sqrt_(updates)
            torch._foreach_add_(updates, number(self.eps))
            torch._foreach_reciprocal_(updates)
            torch._foreach_mul_(updates, moments1)
            torch._foreach_div_(updates, as_weight(1.0 - number(self.beta1) ** step))
            self._weigh(updates, parameters, decay)
            descend_(parameters, updates, rate, found_inf)
            return
        with in_single((parameters, moments1, moments2), gradients) as lists:
            self._advance(rate, decay, *lists)

    def _advance(
        self,
        rate: Number,
        decay: Number,
        parameters: list[Any],
        moments1: list[Any],
        moments2: list[Any],
        gradients: list[Any],
    ) -> None:
        update_moments(moments1, moments2, gradients, number(self.beta1), number(self.beta2))
        step = counted(self.global_step)
        divisors = divided(moments2, 1.0 - number(self.beta2) ** step)
        torch._foreach_sqrt_(divisors)
        torch._foreach_add_(divisors, number(self.eps))
        updates = divided(moments1, 1.0 - number(self.beta1) ** step)
        torch._foreach_div_(updates, divisors)
        self._weigh(updates, parameters, decay)
        add_scaled_(parameters, updates, -rate)

    def _is_fused(self) -> bool:
        return on_device(self.global_step)

    @staticmethod
    def _weigh(updates: list[Any], parameters: list[Any], decay: Number) -> None:
        """Add the decay, and multiply by the ratios of the norms."""
        if not is_zero(decay):
            add_scaled_(updates, parameters, decay)
        weights, norms = (torch.stack(torch._foreach_norm(items)) for items in (parameters, updates))
        ratios = torch.where((weights > 0) & (norms > 0), weights / norms, 1.0).clamp(max=10.0)
        torch._foreach_mul_(updates, torch.unbind(ratios))
