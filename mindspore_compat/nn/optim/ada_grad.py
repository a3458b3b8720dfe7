"""MindSpore: ``mindspore.nn.Adagrad``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_quotients_
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """a += g² (if ``update_slots``); p -= lr·g/sqrt(a). ``accum`` is the start value of a."""

    _repeats = "on a device"

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = update_slots
        self.accum = self.parameters.clone(prefix="accum", init=not_negative(accum, "accum"))  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        accums = self._picked(self.accum, picks)
        if self.update_slots:
            torch._foreach_addcmul_(accums, gradients, gradients, 1.0)
        add_quotients_(parameters, gradients, torch._foreach_sqrt(accums), -rate)
