"""MindSpore: ``mindspore.nn.FTRL``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["FTRL"]


class FTRL(Optimizer):
    """n' = n + g²; linear += g - (n'^k - n^k)/lr · p, k = -lr_power;
    p = (sign(linear)·l1 - linear) / (n'^k/lr + 2·l2) where |linear| > l1, else 0.

    The learning rate must be one number. Without groups, weight decay spares no parameter.
    """

    _repeats = "on a device"
    _takes_rows = True
    _row_states = ("moments", "linear")

    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: Any = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "For 'FTRL', the learning rate must be one number: its sums are of quotients by the rate, and another "
                f"rate would rescale the weights. But got {learning_rate!r}."
            )
        self.l1, self.l2, self.use_locking = not_negative(l1, "l1"), not_negative(l2, "l2"), use_locking
        self.lr_power = -not_negative(-lr_power, "-lr_power")
        self.moments = self.parameters.clone(prefix="moments", init=not_negative(initial_accum, "initial_accum"))  # type: ignore[attr-defined]
        self.linear = self.parameters.clone(prefix="linear", init="zeros")  # type: ignore[attr-defined]
        if not self.is_group:
            self.decay_flags = (True,) * self.param_length

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        power = -self.lr_power
        for p, g, total, linear in zip(
            parameters, gradients, self._picked(self.moments, picks), self._picked(self.linear, picks)
        ):
            before = torch.pow(total, power)
            torch._C.TensorBase.addcmul_(total, g, g)
            after = torch.pow(total, power)
            torch._C.TensorBase.add_(linear, torch.sub(g, torch.mul(torch.sub(after, before) / rate, p)))
            moved = torch.div(torch.sub(torch.mul(torch.sign(linear), self.l1), linear), after / rate + 2 * self.l2)
            torch._C.TensorBase.copy_(p, torch.where(torch.abs(linear) > self.l1, moved, torch.zeros_like(moved)))
