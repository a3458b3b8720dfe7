"""MindSpore: ``mindspore.nn.ProximalAdagrad``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, in_single, number
from mindspore_compat.nn.optim._groups import host_tensor, not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["ProximalAdagrad"]


class ProximalAdagrad(Optimizer):
    """a += g²; r = lr/sqrt(a); q = p - r·g; p = sign(q)·max(|q| - r·l1, 0)/(1 + r·l2), the threshold for l1 > 0."""

    _repeats = "on a device"
    _takes_rows = True
    _row_states = ("accum",)

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2 = host_tensor(not_negative(l1, "l1")), host_tensor(not_negative(l2, "l2"))
        self.use_locking = use_locking
        self.accum = self.parameters.clone(prefix="accum", init=not_negative(accum, "accum"))  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        for p in parameters:
            if not p.is_floating_point():
                raise TypeError(f"For 'ProximalAdagrad', '{p.name}' must be of floats, but is {p.dtype}.")
        with in_single((parameters, self._picked(self.accum, picks)), gradients) as lists:
            self._advance(rate, *lists)

    def _advance(self, rate: Number, parameters: list[Any], accums: list[Any], gradients: list[Any]) -> None:
        torch._foreach_addcmul_(accums, gradients, gradients, 1.0)
        l1, l2 = number(self.l1), number(self.l2)
        for p, g, accum in zip(parameters, gradients, accums):
            step = torch.mul(torch.rsqrt(accum), rate)
            moved = torch.sub(p, torch.mul(step, g))
            if l1 > 0:
                moved = torch.mul(
                    torch.sign(moved), torch.clamp(torch.sub(torch.abs(moved), torch.mul(step, l1)), min=0.0)
                )
            torch._C.TensorBase.copy_(p, torch.div(moved, torch.add(torch.mul(step, l2), 1.0)))
