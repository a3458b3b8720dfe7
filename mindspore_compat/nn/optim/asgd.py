"""MindSpore: ``mindspore.nn.ASGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.parameter import ParameterTuple
from mindspore_compat.nn.optim._device import Number, Picks, Tensors, counted, number
from mindspore_compat.nn.optim._groups import host_tensor
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """p = p·(1 - lambd·eta) - eta·g; ax += (p - ax)·mu, or ax = p while mu is 1;
    eta = lr/(1 + lambd·lr·t)^alpha; mu = 1/max(1, t - t0), where t counts steps.
    """

    _counts = ("global_step", "mu", "eta")
    _repeats = "on a device"
    _answers_once = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = lambd
        self.alpha = alpha
        self.t0 = host_tensor([t0])
        names = [item.name for item in self.parameters]  # type: ignore[attr-defined]
        self.mu = ParameterTuple([self._count(1.0, f"mu_{name}") for name in names])
        self.eta = ParameterTuple([self._count(0.0, f"eta_{name}") for name in names])
        self.ax = self.parameters.clone(prefix="ax_", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        step = counted(self.global_step)
        states = (self._picked(item, picks) for item in (self.mu, self.eta, self.ax))
        for p, g, mu, eta, average in zip(parameters, gradients, *states):
            if isinstance(step, torch.Tensor):
                pace = torch.where(step == 1, rate, counted(eta))
                torch._C.TensorBase.mul_(p, 1.0 - self.lambd * pace)
                torch._C.TensorBase.sub_(p, torch.mul(g, pace))
                torch._C.TensorBase.lerp_(average, p, mu.to(p.dtype))  # of weight 1: p itself
                later = torch.reciprocal(torch.clamp(step - number(self.t0), min=1.0))
            else:
                weight, pace = mu.item(), rate if step == 1 else eta.item()
                torch._C.TensorBase.mul_(p, 1.0 - self.lambd * pace)
                torch._C.TensorBase.add_(p, g, alpha=-pace)
                if weight == 1.0:
                    torch._C.TensorBase.copy_(average, p)
                else:
                    torch._C.TensorBase.lerp_(average, p, weight)
                later = 1.0 / max(1.0, step - number(self.t0))
            torch._C.TensorBase.fill_(eta, rate / (1.0 + self.lambd * rate * step) ** self.alpha)
            torch._C.TensorBase.fill_(mu, later)
