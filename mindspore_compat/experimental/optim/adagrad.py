"""MindSpore: ``mindspore.experimental.optim.Adagrad``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import CountingOptimizer
from mindspore_compat.nn.optim._device import add_quotients_, in_single

__all__ = ["Adagrad"]


class Adagrad(CountingOptimizer):
    """a += g²; p -= lr/(1 + t·lr_decay)·g/(sqrt(a) + eps), t from 0."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        self.accum = self.parameters.clone(prefix="accum", init=initial_accumulator_value)
        self._add_counter()

    def _begin_step(self) -> None:
        """Count the first step as 0."""

    def _end_step(self) -> None:
        super()._begin_step()

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        accums = self._at(self.accum, part)
        with in_single((params, accums), gradients) as (params, accums, gradients):
            torch._foreach_addcmul_(accums, gradients, gradients, 1.0)
            divisors = torch._foreach_sqrt(accums)
            torch._foreach_add_(divisors, group["eps"])
            add_quotients_(params, gradients, divisors, -rate / (1.0 + self._step * group["lr_decay"]))
