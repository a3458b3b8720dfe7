"""MindSpore: ``mindspore.nn.RMSProp``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, add_quotients_, as_weight, in_single, on_device
from mindspore_compat.nn.optim._fused import average_, is_fusible, momentum_step
from mindspore_compat.nn.optim._groups import not_negative
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    """s = decay·s + (1 - decay)·g²; u = momentum·u + lr·g/sqrt(s + epsilon); p -= u.

    ``centered`` subtracts the square of the mean gradient from s. ``mean_square`` starts at 1.
    """

    _repeats = "on a device"
    _fused_states = ("ms", "moment")
    _has_temporaries = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.centered = centered
        if centered:
            self.mg = self.parameters.clone(prefix="mean_grad", init="zeros")  # type: ignore[attr-defined]
        self.momentum, self.decay = not_negative(momentum, "momentum"), not_negative(decay, "decay")
        self.epsilon = not_negative(epsilon, "epsilon")
        self.ms = self.parameters.clone(prefix="mean_square", init="ones")  # type: ignore[attr-defined]
        self.moment = self.parameters.clone(prefix="moment", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        squares, moments = self._picked(self.ms, picks), self._picked(self.moment, picks)
        if self._is_fused() and is_fusible(parameters, gradients, squares, moments):
            found_inf = self._found_inf()
            products = torch._foreach_mul(gradients, gradients)
            average_(squares, products, self.decay, products, found_inf)
            del products  # there is one list of temporaries at a time
            updates = torch._foreach_add(squares, self.epsilon)
            torch._foreach_rsqrt_(updates)
            torch._foreach_mul_(updates, gradients)
            torch._foreach_mul_(updates, as_weight(rate))
            momentum_step(parameters, updates, moments, 1.0, self.momentum, found_inf=found_inf)
            return
        means = self._picked(self.mg, picks) if self.centered else []
        with in_single((parameters, squares, moments, means), gradients) as lists:
            self._advance(rate, *lists)

    def _is_fused(self) -> bool:
        return on_device(self.global_step) and self.decay > 0 and not self.centered

    def _advance(
        self,
        rate: Number,
        parameters: list[Any],
        squares: list[Any],
        moments: list[Any],
        means: list[Any],
        gradients: list[Any],
    ) -> None:
        torch._foreach_mul_(squares, self.decay)
        torch._foreach_addcmul_(squares, gradients, gradients, 1.0 - self.decay)
        if self.centered:
            torch._foreach_lerp_(means, gradients, 1.0 - self.decay)
            divisors = list(torch._foreach_addcmul(squares, means, means, -1.0))
            torch._foreach_add_(divisors, self.epsilon)
        else:
            divisors = list(torch._foreach_add(squares, self.epsilon))
        torch._foreach_sqrt_(divisors)
        torch._foreach_mul_(moments, self.momentum)
        add_quotients_(moments, gradients, divisors, rate)
        torch._foreach_sub_(parameters, moments)
