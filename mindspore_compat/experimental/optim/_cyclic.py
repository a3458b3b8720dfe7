"""Schedulers that go up and down: `CosineAnnealingLR`, `CosineAnnealingWarmRestarts`, `CyclicLR`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mindspore_compat.experimental.optim._scheduler import LRScheduler, per_group, put
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._groups import host_parameter, host_tensor

__all__ = ["CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR"]


class CosineAnnealingLR(LRScheduler):
    """eta_min + (base - eta_min)·(1 + cos(π·epoch/T_max))/2, step by step from the last rate."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        epoch, low = self._epoch, self.eta_min
        if epoch == 0:
            return list(self._last_lr)
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - low) * rise for base, rate in zip(self.base_lrs, self._last_lr)]
        now, before = (1 + math.cos(math.pi * at / self.T_max) for at in (epoch, epoch - 1))
        return [now / before * (rate - low) + low for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self._epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """As `CosineAnnealingLR`, begun anew after ``T_0`` epochs, then after ``T_mult`` times as many each time."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1
    ) -> None:
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} should be an integer and equal or greater than 1, but got {value}")
        self.T_0, self.T_i = host_parameter(float(T_0), "T_0"), host_parameter(float(T_0), "T_i")
        self.T_mult, self.eta_min = T_mult, host_tensor(eta_min)
        self.T_cur = host_parameter(float(last_epoch), "T_cur")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * float(self.T_cur) / float(self.T_i))) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: Any = None) -> bool:
        """Go on to the next epoch, or to ``epoch``, which may be a fraction.

        Raises:
            ValueError: if ``epoch`` is negative.
        """
        if epoch is None and self._epoch >= 0:
            at, current, period = self._epoch + 1, float(self.T_cur) + 1, float(self.T_i)
            if current >= period:
                current, period = current - period, period * self.T_mult
        else:
            at = 0.0 if epoch is None else float(epoch)
            if at < 0:
                raise ValueError(f"epoch should be a non-negative integer, but got {epoch}")
            current, period = self._position(at)
        put(self.T_cur, current)
        put(self.T_i, period)
        put(self.last_epoch, math.floor(at))
        for rate, value in zip(self._last_lr, self.get_lr()):
            put(rate, value)
        return True

    def _position(self, epoch: float) -> tuple[float, float]:
        """How far it is into its period, and how long that is."""
        first = float(self.T_0)
        if epoch < first:
            return epoch, first
        if self.T_mult == 1:
            return epoch % first, first
        passed = int(math.log(epoch / first * (self.T_mult - 1) + 1, self.T_mult))
        begun = first * (self.T_mult**passed - 1) / (self.T_mult - 1)
        return epoch - begun, first * self.T_mult**passed


class CyclicLR(LRScheduler):
    """The rate goes from ``base_lr`` up to ``max_lr`` in ``step_size_up`` steps and down again, over and over; each
    cycle's height is scaled by ``mode`` ("triangular", "triangular2", "exp_range") or ``scale_fn``, of the cycle or of
    the step ("iterations") as ``scale_mode`` says.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], Any] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        base, top = (
            per_group(value, optimizer, "Expected {} values for " + name + ", got {}")
            for value, name in ((base_lr, "base_lr"), (max_lr, "max_lr"))
        )
        if last_epoch == -1:
            for value, group in zip(base, optimizer.param_groups):
                put(group["lr"], value)
        self.max_lrs = [host_tensor(value) for value in top]
        up = float(step_size_up)
        self.total_step_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_up_ratio = up / self.total_step_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma = mode, gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        super().__init__(optimizer, last_epoch)
        self.base_lrs = [host_tensor(value) for value in base]

    def scale_fn(self, x: Any) -> Any:
        """The scale of a cycle's height."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular2":
            return 1 / 2.0 ** (x - 1)
        return self.gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self) -> list[Any]:
        cycle = math.floor(1 + self._epoch / self.total_step_size)
        x = 1.0 + self._epoch / self.total_step_size - cycle
        height = x / self.step_up_ratio if x <= self.step_up_ratio else (x - 1) / (self.step_up_ratio - 1)
        scale = self.scale_fn(host_tensor(cycle) if self.scale_mode == "cycle" else self.last_epoch)
        return [base + (top - base) * height * scale for base, top in zip(self.base_lrs, self.max_lrs)]
