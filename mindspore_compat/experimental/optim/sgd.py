"""MindSpore: ``mindspore.experimental.optim.SGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._fused import check_nesterov, stat_step
from mindspore_compat.nn.optim._groups import states_on_demand

__all__ = ["SGD"]


class SGD(Optimizer):
    """Without momentum p -= lr·g. With it: accum = g in the first step, then momentum·accum + (1 - dampening)·g; p -=
    lr·accum, or with Nesterov p -= lr·(g + momentum·accum). ``stat`` is 1 until a parameter's first step.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = ms.experimental.optim.SGD(net.trainable_params(), lr=0.1, momentum=0.9)
        >>> print(optimizer.lrs[0].name)
        learning_rate_group_0
    """

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        momentum = float(momentum)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "grad_centralization": False,
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            group["dampening"] = float(group["dampening"])
        check_nesterov(nesterov, momentum, dampening)
        self.accum = states_on_demand(self.parameters, "accum")
        self.stat = states_on_demand(self.parameters, "stat", "ones")

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        momentum, dampening = group["momentum"], group["dampening"]
        if momentum == 0.0:
            torch._foreach_add_(params, gradients, alpha=-rate)
            return
        accums, stats = self._at(self.accum, part), self._at(self.stat, part)
        stat_step(params, gradients, accums, stats, rate, momentum, dampening, group["nesterov"])
