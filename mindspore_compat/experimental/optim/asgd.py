"""MindSpore: ``mindspore.experimental.optim.ASGD``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common.parameter import Parameter
from mindspore_compat.experimental.optim.optimizer import CountingOptimizer

__all__ = ["ASGD"]


class ASGD(CountingOptimizer):
    """p = p·(1 - lambd·eta) - eta·g; ax += mu·(p - ax); then eta = lr/(1 + lambd·lr·t)^alpha, mu = 1/max(1, t - t0).
    The first eta is lr, the first mu 1.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        self.mu: list[Parameter] = [self._count(1.0, "mu_" + item.name, torch.float32) for item in self.parameters]
        self.eta: list[Parameter] = [self._count(0.0, "eta_" + item.name, torch.float32) for item in self.parameters]
        self.ax = self.parameters.clone(prefix="ax", init="zeros")
        self._add_counter()

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        lambd, step = group["lambd"], self._step
        weight = 1.0 / torch.clamp(step - group["t0"], min=1.0)
        later = rate / torch.pow(1.0 + lambd * rate * step, group["alpha"])
        states = (self._at(state, part) for state in (self.eta, self.mu, self.ax))
        for param, gradient, eta, mu, average in zip(params, gradients, *states):
            eta.copy_(torch.where(step == 1.0, rate, eta))
            param.mul_(1.0 - lambd * eta).sub_(gradient * eta)
            average.lerp_(param, mu.to(param.dtype))
            eta.copy_(later)
            mu.copy_(weight)
