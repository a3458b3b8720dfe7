"""MindSpore: ``mindspore.nn.Rprop``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, Picks, Tensors, counted
from mindspore_compat.nn.optim.optimizer import Optimizer

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Each element has its own step, which grows by ``etas[1]`` while its gradient keeps its sign and shrinks by
    ``etas[0]`` when it turns; then that gradient counts as 0. p -= sign(g)·step. Steps start at the learning rate and
    stay within ``step_sizes``.
    """

    _repeats = "on a device"
    _answers_once = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self.prev = self.parameters.clone(prefix="prev", init="zeros")  # type: ignore[attr-defined]
        self.step_size = self.parameters.clone(prefix="step_size", init="zeros")  # type: ignore[attr-defined]

    def _update(self, parameters: Tensors, gradients: Tensors, rate: Number, decay: Number, picks: Picks) -> None:
        first = counted(self.global_step) == 1
        for p, g, before, step in zip(
            parameters, gradients, self._picked(self.prev, picks), self._picked(self.step_size, picks)
        ):
            turn = torch.sign(torch.mul(g, before))
            factor = torch.where(turn > 0, self.etaplus, torch.where(turn < 0, self.etaminus, 1.0))
            if isinstance(first, torch.Tensor):
                size = torch.where(first, rate, step)
            else:
                size = torch.full_like(g, rate) if first else step
            torch._C.TensorBase.copy_(
                step, torch.clamp(torch.mul(size, factor), self.step_size_min, self.step_size_max)
            )
            kept = torch.where(turn < 0, torch.zeros_like(g), g)
            torch._C.TensorBase.sub_(p, torch.mul(torch.sign(kept), step))
            torch._C.TensorBase.copy_(before, kept)
