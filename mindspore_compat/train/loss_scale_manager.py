"""Loss scale managers. MindSpore: ``mindspore.train.loss_scale_manager``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import torch

from mindspore_compat._api.validate import check_number
from mindspore_compat._runtime.arrivals import Arrivals
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.nn.wrap.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell

__all__ = ["LossScaleManager", "FixedLossScaleManager", "DynamicLossScaleManager"]


class LossScaleManager:
    """Base of managers: the scale, notification of overflows, and the Cell that updates the scale inside a step."""

    def get_loss_scale(self) -> Any:
        """Return the current scale."""

    def update_loss_scale(self, overflow: bool) -> None:
        """Record whether the step overflowed."""

    def get_update_cell(self) -> Any:
        """Return the Cell for ``TrainOneStepWithLossScaleCell``; None for a scale that a plain step applies."""


class FixedLossScaleManager(LossScaleManager):
    """A constant scale; with ``drop_overflow_update`` steps that overflow are dropped.

    Examples:
        >>> print(ms.FixedLossScaleManager(1024.0).get_loss_scale())
        1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = check_number(loss_scale, "loss_scale", "FixedLossScaleManager", (int, float), 1)
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether steps that overflow are dropped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        """Do nothing: the scale is fixed."""

    def get_update_cell(self) -> Any:
        if not self._drop_overflow_update:
            return None
        return FixedLossScaleUpdateCell(self._loss_scale)


def _caught_up(name: str) -> Any:
    """Return a property for an attribute that overflows change: reading it first counts all that were sent."""

    def read(self: DynamicLossScaleManager) -> Any:
        self._catch_up(wait=True)
        return self.__dict__[name]

    def write(self: DynamicLossScaleManager, value: Any) -> None:
        self.__dict__[name] = value

    return property(read, write)


class DynamicLossScaleManager(LossScaleManager):
    """Scale that is divided by ``scale_factor`` on overflow, and multiplied after ``scale_window`` steps without; never
    below 1.

    Overflows on a device are counted on arrival at the host, at the latest when the manager is read.
    """

    _overflows = cached_property(lambda self: Arrivals())  # when needed: a subclass may not call the constructor
    loss_scale, bad_step = _caught_up("loss_scale"), _caught_up("bad_step")
    cur_iter, last_overflow_iter = _caught_up("cur_iter"), _caught_up("last_overflow_iter")

    def __init__(self, init_loss_scale: float = 2**24, scale_factor: float = 2, scale_window: int = 2000) -> None:
        owner = "DynamicLossScaleManager"
        self.loss_scale = check_number(init_loss_scale, "init_loss_scale", owner, (int, float), 1)
        if scale_factor <= 0:
            raise ValueError(f"For '{owner}', 'scale_factor' must be above 0, but got {scale_factor}.")
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter = 1, 0
        self.bad_step_max, self.bad_step = 1000, 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the scale.

        Raises:
            RuntimeError: after more than 1000 overflows in a row.
        """
        if isinstance(overflow, torch.Tensor) and overflow.is_cuda:
            self._overflows.send(plain(overflow))
            self._catch_up(wait=False)
        else:
            self._catch_up(wait=True)
            self._count(bool(overflow))

    def _catch_up(self, wait: bool) -> None:
        for overflow, _ in self._overflows.arrived(wait):
            self._count(bool(overflow.all()))

    def _count(self, overflow: bool) -> None:
        state = self.__dict__  # without catching up again
        if overflow:
            state["loss_scale"] = max(state["loss_scale"] * self.decrease_ratio, 1)
            state["last_overflow_iter"] = state["cur_iter"]
            state["bad_step"] += 1
        else:
            if (state["cur_iter"] - state["last_overflow_iter"]) % self.scale_window == 0:
                state["loss_scale"] *= self.increase_ratio
            state["bad_step"] = 0
        if state["bad_step"] > self.bad_step_max:
            raise RuntimeError(
                f"The loss overflowed {state['bad_step']} times in a row, more than {self.bad_step_max}. Lower the "
                "learning "
                "rate or check the data."
            )
        state["cur_iter"] += 1

    def get_drop_overflow_update(self) -> bool:
        """Return True."""
        return True

    def get_update_cell(self) -> Any:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)
