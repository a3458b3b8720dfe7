"""MindSpore: ``mindspore.mint.optim.SGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.experimental.optim.sgd import FusedSGD
from mindspore_compat.nn.optim._fused import momentum_step

__all__ = ["SGD"]


class SGD(FusedSGD, CountingOptimizer):
    """torch's SGD: without momentum p -= lr·g. With it: buf = g in the first step, then momentum·buf + (1 -
    dampening)·g; p -= lr·buf, or with Nesterov p -= lr·(g + momentum·buf). Weight decay is added to the gradients.

    The rate is the group's "lr", which schedulers change; MindSpore always uses the group's initial one.

    Raises:
        TypeError: for other types. ValueError: for a negative rate or decay, or Nesterov without momentum.
    """

    _sums = "momentum_buf"

    def _add_states(self) -> None:
        super()._add_states()
        self._add_counter()

    def _begin_step(self) -> None:
        """Count the first step as 0."""

    def _end_step(self) -> None:
        super()._begin_step()

    def _rate(self, number: int, group: dict[str, Any]) -> float:
        return float(group["lr"])

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        momentum, dampening = group["momentum"], group["dampening"]
        if momentum == 0:
            torch._foreach_add_(params, gradients, alpha=-rate)
            return
        taken = gradients
        if dampening:  # the first step takes the gradient itself; the buffer is 0 then
            factor = torch.where(self._step == 0, 1.0, 1.0 - dampening)
            taken = list(torch._foreach_mul(gradients, factor))
        momentum_step(params, taken, self._at(self.momentum_buf, part), rate, momentum, nesterov=group["nesterov"])
