"""MindSpore: ``mindspore.experimental.optim.SGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._random.lazy_init import is_unmoved, unmoved
from mindspore_compat._tensor.wrapping import memory, plain
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._device import fused_sgd_, on_device
from mindspore_compat.nn.optim._fused import check_nesterov, clear_first, is_fusible, stat_step
from mindspore_compat.nn.optim._groups import states_on_demand

__all__ = ["SGD"]


class FusedSGD(Optimizer):
    """Arguments and sums of SGD, here and in ``mint.optim``; on a device torch's fused kernel."""

    _sums: str  # the name of the states
    _own_defaults: dict[str, Any] = {}

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
        defaults = {
            "lr": lr,
            "momentum": float(momentum),
            "dampening": float(dampening),
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            **self._own_defaults,
        }
        super().__init__(params, defaults)
        check_nesterov(nesterov, momentum, dampening)
        self._add_states()

    def _add_states(self) -> None:
        setattr(self, self._sums, states_on_demand(self.parameters, self._sums))

    def _suits_kernel(self, group: dict[str, Any], part: slice) -> bool:
        """Return whether the kernel has the group's arithmetic."""
        return not (group["momentum"] and group["dampening"])

    def _update_group(self, group: dict[str, Any], part: slice, gradients: list[Any], rate: float) -> None:
        params, slopes = list(map(memory, self.parameters[part])), list(map(plain, gradients))
        sums = list(map(memory, getattr(self, self._sums)[part])) if group["momentum"] else []
        fits = on_device(params[0]) and self._suits_kernel(group, part) and is_fusible(params, slopes, sums)
        if not fits:
            return super()._update_group(group, part, gradients, rate)
        drafts = self.__dict__["_drafts"]
        fused_sgd_(
            *(params, slopes, sums, rate, group["momentum"], group["weight_decay"]),
            nesterov=group["nesterov"],
            maximize=group["maximize"],
            found_inf=None if drafts is None else drafts.found_inf,
        )


class SGD(FusedSGD):
    """Without momentum p -= lr·g. With it: accum = g in the first step, then momentum·accum + (1 - dampening)·g; p -=
    lr·accum, or with Nesterov p -= lr·(g + momentum·accum). ``stat`` is 1 until a parameter's first step. On a device
    it stays on the host without dampening, as that of ``nn.SGD``.

    Examples:
        >>> net = nn.Dense(3, 2)
        >>> optimizer = ms.experimental.optim.SGD(net.trainable_params(), lr=0.1, momentum=0.9)
        >>> print(optimizer.lrs[0].name)
        learning_rate_group_0
    """

    _sums = "accum"
    _own_defaults = {"grad_centralization": False}

    def _add_states(self) -> None:
        super()._add_states()
        self.stat = states_on_demand(self.parameters, "stat", "ones")

    def _suits_kernel(self, group: dict[str, Any], part: slice) -> bool:
        return super()._suits_kernel(group, part) and (not group["momentum"] or all(map(is_unmoved, self.stat[part])))

    def _begin_step(self) -> None:
        for start, stop, group in zip(self.group_start_id, self.group_start_id[1:], self.param_groups):
            part, first = slice(start, stop), unmoved(self.stat[start]).flatten()[:1]
            # stat is 1 at first, or from a checkpoint
            if group["momentum"] and self._suits_kernel(group, part) and first.any():
                clear_first(self.accum[part], self.stat[part])

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        momentum, dampening = group["momentum"], group["dampening"]
        if momentum == 0.0:
            torch._foreach_add_(params, gradients, alpha=-rate)
            return
        accums, stats = self._at(self.accum, part), self._at(self.stat, part)
        stat_step(params, gradients, accums, stats, rate, momentum, dampening, group["nesterov"])
