"""MindSpore: ``mindspore.experimental.optim.AdamW``."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._tensor.wrapping import memory, plain
from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim._device import Number, add_quotients_, in_single, on_device
from mindspore_compat.nn.optim._fused import adam_step, is_fusible
from mindspore_compat.nn.optim._groups import states_on_demand
from mindspore_compat.nn.optim.adam import update_moments

__all__ = ["AdamW"]


class FusedAdam(CountingOptimizer):
    """Arguments and states of Adam and AdamW, here and in ``mint.optim``; on a device torch's fused kernel."""

    _counter = "state_step"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
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
        for name in ("exp_avg", "exp_avg_sq"):
            setattr(self, name, self.parameters.clone(prefix=name, init="zeros"))
        if not self._amsgrad_in_group:
            self.max_exp_avg_sq = states_on_demand(self.parameters, "max_exp_avg_sq")
        self._add_counter()

    def _tops(self, group: dict[str, Any], part: slice) -> Sequence[Any]:
        """The running maxima of v, of a group with ``amsgrad``."""
        return ()

    def _update_group(self, group: dict[str, Any], part: slice, gradients: list[Any], rate: float) -> None:
        """By the kernel if it takes the tensors: it makes no temporaries, and leaves a step out without `Drafts`."""
        states = self.parameters[part], self.exp_avg[part], self.exp_avg_sq[part], self._tops(group, part)
        params, means, squares, tops = [list(map(memory, items)) for items in states]
        slopes = list(map(plain, gradients))
        if not on_device(params[0]) or not is_fusible(params, slopes, means, squares, tops):
            return super()._update_group(group, part, gradients, rate)
        drafts = self.__dict__["_drafts"]
        kernel_rate, betas, step = self._for_kernel(group, rate)
        adam_step(
            *(params, slopes, means, squares, tops, kernel_rate, betas, group["eps"], group["weight_decay"]),
            is_decoupled=not self._decays_gradients,
            found_inf=None if drafts is None else drafts.found_inf,
            step=step,
            maximize=group["maximize"],
        )

    def _for_kernel(self, group: dict[str, Any], rate: float) -> tuple[Number, tuple[float, float], Any]:
        """(the rate, the betas, the count of steps that corrects the bias or None for no correction)."""
        return rate, group["betas"], self._step.to(torch.float32)


class DecoupledAdam(FusedAdam):
    """`AdamW`'s update, for both packages."""

    _decays_gradients = False

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        beta1, beta2 = group["betas"]
        moments1, squares = self._at(self.exp_avg, part), self._at(self.exp_avg_sq, part)
        maxima = self._at(self._tops(group, part), slice(None))
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

    @arguments_of(FusedAdam)
    def __init__(self, weight_decay: float = 1e-2, **given: Any) -> None:
        super().__init__(weight_decay=weight_decay, **given)

    def _tops(self, group: dict[str, Any], part: slice) -> Sequence[Any]:
        return self.max_exp_avg_sq[part] if group["amsgrad"] else ()

    def _for_kernel(self, group: dict[str, Any], rate: float) -> tuple[Number, tuple[float, float], Any]:
        """Return a count and a rate for the kernel that give MindSpore's bias corrections, which are of float32.

        The kernel corrects in float64; at the first step, that of v differs by 1e-5.
        """
        beta1, beta2 = group["betas"]
        corrections = [1.0 - torch.pow(beta, self._step).to(torch.float64) for beta in (beta1, beta2)]
        step = (torch.log(1.0 - corrections[1]) / math.log(beta2 or sys.float_info.min)).to(torch.float32)
        return rate * (1.0 - torch.pow(beta1, step.to(torch.float64))) / corrections[0], group["betas"], step
