"""MindSpore: ``mindspore.experimental.optim.RMSprop``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._device import add_quotients_, in_single
from mindspore_compat.nn.optim._groups import states_on_demand

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """s = alpha·s + (1 - alpha)·g², centered also a = alpha·a + (1 - alpha)·g; d = sqrt(s - a²) + eps; p -= lr·g/d, or
    with momentum b = momentum·b + g/d; p -= lr·b.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        self.mean_grad = states_on_demand(self.parameters, "mean_grad")
        self.mean_square = self.parameters.clone(prefix="mean_square", init="zeros")
        self.moment = states_on_demand(self.parameters, "moment")

    def _update(self, group: dict[str, Any], part: slice, params: list[Any], gradients: list[Any], rate: float) -> None:
        moments = self._at(self.moment, part) if group["momentum"] > 0 else []
        means = self._at(self.mean_grad, part) if group["centered"] else []
        states = self._at(self.mean_square, part), means, moments
        with in_single((params, *states), gradients) as lists:
            self._advance(group, rate, *lists)

    @staticmethod
    def _advance(
        group: dict[str, Any],
        rate: float,
        params: list[Any],
        squares: list[Any],
        means: list[Any],
        moments: list[Any],
        gradients: list[Any],
    ) -> None:
        alpha, momentum = group["alpha"], group["momentum"]
        torch._foreach_mul_(squares, alpha)
        torch._foreach_addcmul_(squares, gradients, gradients, 1.0 - alpha)
        if group["centered"]:
            torch._foreach_lerp_(means, gradients, 1.0 - alpha)
            squares = list(torch._foreach_addcmul(squares, means, means, -1.0))
        divisors = torch._foreach_sqrt(squares)
        torch._foreach_add_(divisors, group["eps"])
        if momentum > 0:
            torch._foreach_mul_(moments, momentum)
            torch._foreach_addcdiv_(moments, gradients, divisors)
            torch._foreach_add_(params, moments, alpha=-rate)
        else:
            add_quotients_(params, gradients, divisors, -rate)
