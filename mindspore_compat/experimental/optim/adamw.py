"""MindSpore: ``mindspore.experimental.optim.AdamW``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim._device import add_quotients_, in_single
from mindspore_compat.nn.optim.adam import update_moments

__all__ = ["AdamW"]


class AdamStates(CountingOptimizer):
    """Arguments and states of Adam and AdamW, here and in ``mint.optim``."""

    _counter = "state_step"
    _moments: tuple[str, ...] = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")

    def __init__(
        self,
        params: Any,
        lr: Any,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
        amsgrad: bool,
        maximize: bool,
    ) -> None:
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        for name in self._moments:
            setattr(self, name, self.parameters.clone(prefix=name, init="zeros"))
        self._add_counter()


class DecoupledAdam(AdamStates):
    """p *= 1 - lr·weight_decay; m, v as usual; p -= lr/(1 - beta1ᵗ) · m/(sqrt(v)/sqrt(1 - beta2ᵗ) + eps); with
    ``amsgrad`` the running maximum of v takes its place.
    """

    _decays_gradients = False

    def _maxima(self, group: dict[str, Any], part: slice) -> list[Any]:
        """Return the running maxima of a group with ``amsgrad``."""
        start = self.group_start_id[[item is group for item in self.param_groups].index(True)]
        return self._at(group["max_exp_avg_sq"], slice(part.start - start, part.stop - start))

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        beta1, beta2 = group["betas"]
        moments1, squares = self._at(self.exp_avg, part), self._at(self.exp_avg_sq, part)
        maxima = self._maxima(group, part) if group.get("amsgrad") else []
        step = self._step
        with in_single((params, moments1, squares, maxima), gradients) as (values, means, squares, tops, slopes):
            update_moments(means, squares, slopes, beta1, beta2)
            if not self._decays_gradients and group["weight_decay"]:
                torch._foreach_mul_(values, 1.0 - rate * group["weight_decay"])
            if group.get("amsgrad"):
                torch._foreach_maximum_(tops, squares)
                squares = tops
            divisors = torch._foreach_sqrt(squares)
            torch._foreach_div_(divisors, torch.sqrt(1.0 - torch.pow(beta2, step)))
            torch._foreach_add_(divisors, group["eps"])
            add_quotients_(values, means, divisors, -rate / (1.0 - torch.pow(beta1, step)))


class AdamW(DecoupledAdam):
    """Adam with decoupled weight decay: p *= 1 - lr·weight_decay; m, v as usual; p -= lr/(1 - beta1ᵗ) ·
    m/(sqrt(v)/sqrt(1 - beta2ᵗ) + eps); with ``amsgrad`` the running maximum of v takes its place.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize)

    def _maxima(self, group: dict[str, Any], part: slice) -> list[Any]:
        return self._at(self.max_exp_avg_sq, part)
