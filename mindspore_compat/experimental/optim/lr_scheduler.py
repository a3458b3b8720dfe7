"""Schedulers of the rates in ``optimizer.param_groups``. MindSpore: ``mindspore.experimental.optim.lr_scheduler``.

A scheduler sets the rates when it is made and at each ``step()``. All of its data are on the CPU: nothing waits.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import memory
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._groups import host_parameter, host_tensor

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]


def put(parameter: Parameter, value: Any) -> None:
    memory(parameter).fill_(float(value))


def copied(parameter: Any) -> Tensor:
    return host_tensor(float(parameter))


def per_group(value: Any, optimizer: Optimizer, message: str) -> list[Any]:
    """Return ``value`` for each group; a list or tuple has one for each."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(message.format(count, len(value)))
    return list(value)


class LRScheduler:
    """Base: a subclass defines ``get_lr()``, which returns each group's rate for ``last_epoch``, from ``_last_lr`` (the
    Parameters that hold the rates) or ``base_lrs`` (the first ones).

    Args:
        optimizer: one of ``mindspore.experimental.optim`` or ``mindspore.mint.optim``.
        last_epoch: -1 starts anew; another number goes on, with "initial_lr" in every group.

    Raises:
        KeyError: without "initial_lr" when going on.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copied(group["lr"]))
        self.base_lrs: list[Any] = [group["initial_lr"] for group in optimizer.param_groups]
        self.optimizer = optimizer
        self._last_lr: list[Parameter] = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = host_parameter(float(last_epoch), "last_epoch_" + type(self).__name__)
        self.step()

    def get_lr(self) -> list[Any]:
        """Return each group's rate for ``last_epoch``."""
        raise NotImplementedError(f"{type(self).__name__} must define 'get_lr()', which gives each group's rate.")

    def get_last_lr(self) -> list[Tensor]:
        """Return the current rates."""
        return [copied(rate) for rate in self._last_lr]

    @property
    def _epoch(self) -> float:
        return float(self.last_epoch)

    def step(self, epoch: Any = None) -> bool:
        """Advance to the next epoch, or to ``epoch``."""
        closed_form = getattr(self, "_get_closed_form_lr", None)
        put(self.last_epoch, self._epoch + 1 if epoch is None else epoch)
        values = self.get_lr() if epoch is None or closed_form is None else closed_form()
        for rate, value in zip(self._last_lr, values):
            put(rate, value)
        return True


class ReduceLROnPlateau:
    """Reduction of the rates by ``factor`` when a metric did not improve for more than ``patience`` steps.

    Args:
        optimizer: one of ``mindspore.experimental.optim`` or ``mindspore.mint.optim``.
        mode: "min" or "max", what an improvement is.
        factor: less than 1.
        patience: steps without improvement that are waited for.
        threshold: by how much the metric must improve, relative to the best ("rel") or not ("abs").
        threshold_mode: "rel" or "abs".
        cooldown: steps after a reduction in which nothing is counted.
        min_lr: the least rate, or one for each group.
        eps: smaller changes of the rate are not made.

    Raises:
        ValueError: for wrong arguments.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("The lr factor should be less than 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"`mode` should be 'min' or 'max', but got {mode}.")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"`threshold mode` should be 'rel' or 'abs', but got {threshold_mode}.")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.min_lrs = [host_tensor(low) for low in per_group(min_lr, optimizer, "Expected {} min_lrs, got {}")]
        self.mode_worse = float("inf") if mode == "min" else float("-inf")
        name = "last_epoch_" + type(self).__name__
        self.last_epoch = host_parameter(0, name, torch.int32)
        self.best = host_parameter(self.mode_worse, "best")
        self.cooldown_counter, self.wait = host_parameter(0.0, "cooldown_counter"), host_parameter(0.0, "wait")
        self._last_lr: list[Parameter] = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> bool:
        """Take the metric's newest value: a number, or a Tensor of one element (a wait, if it lies on a device)."""
        current, wait, cooling = float(metrics), float(self.wait), float(self.cooldown_counter)
        memory(self.last_epoch).add_(1)
        if self._is_improvement(current, float(self.best)):
            memory(self.best).fill_(current)
            wait = 0.0
        else:
            wait += 1
        if cooling > 0:
            cooling, wait = cooling - 1, 0.0
        if wait > self.patience:
            self._reduce_lr()
            cooling, wait = float(self.cooldown), 0.0
        memory(self.wait).fill_(wait)
        memory(self.cooldown_counter).fill_(cooling)
        return True

    def in_cooldown(self) -> bool:
        """Return whether a recent reduction still suspends the count."""
        return float(self.cooldown_counter) > 0

    def _reduce_lr(self) -> None:
        for rate, low in zip(self._last_lr, self.min_lrs):
            lower = max(float(rate) * self.factor, float(low))
            if float(rate) > lower + self.eps:
                memory(rate).fill_(lower)

    def _is_improvement(self, current: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            margin = 1.0 - self.threshold if self.mode == "min" else 1.0 + self.threshold
            limit = best * margin
        else:
            limit = best - self.threshold if self.mode == "min" else best + self.threshold
        return current < limit if self.mode == "min" else current > limit

    def get_last_lr(self) -> list[Tensor]:
        """Return the current rates."""
        return [host_tensor(float(rate)) for rate in self._last_lr]


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
    """`CosineAnnealingLR` with restarts after ``T_0`` epochs, then after ``T_mult`` times as many each time."""

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
        """Advance to the next epoch, or to ``epoch``, which may be a fraction.

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
        """Return the position in the current period, and the period's length."""
        first = float(self.T_0)
        if epoch < first:
            return epoch, first
        if self.T_mult == 1:
            return epoch % first, first
        passed = int(math.log(epoch / first * (self.T_mult - 1) + 1, self.T_mult))
        begun = first * (self.T_mult**passed - 1) / (self.T_mult - 1)
        return epoch - begun, first * self.T_mult**passed


class CyclicLR(LRScheduler):
    """Cycles from ``base_lr`` up to ``max_lr`` in ``step_size_up`` steps and down again. Each cycle's height is scaled
    by ``mode`` ("triangular", "triangular2", "exp_range") or by ``scale_fn`` of the cycle or of the step
    ("iterations"), as ``scale_mode`` says.
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
        """Return the scale of a cycle's height."""
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


class StepLR(LRScheduler):
    """Multiplication of the rate by ``gamma`` every ``step_size`` epochs.

    Examples:
        >>> optimizer = ms.experimental.optim.SGD(nn.Dense(3, 2).trainable_params(), lr=0.5)
        >>> scheduler = ms.experimental.optim.lr_scheduler.StepLR(optimizer, step_size=1)
        >>> _ = scheduler.step()
        >>> print(scheduler.get_last_lr()[0].asnumpy())
        0.05
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        changes = self._epoch != 0 and self._epoch % self.step_size == 0
        return [rate * (self.gamma if changes else 1.0) for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self._epoch // self.step_size) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """Base rate times a linear factor from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._epoch == 0:
            return [rate * self.start_factor for rate in self._last_lr]
        if self._epoch > self.total_iters:
            return list(self._last_lr)
        rise = self.end_factor - self.start_factor
        factor = 1.0 + rise / (self.total_iters * self.start_factor + (self._epoch - 1) * rise)
        return [rate * factor for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = min(self.total_iters, self._epoch) / self.total_iters
        return [base * (self.start_factor + (self.end_factor - self.start_factor) * passed) for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Multiplication of the rate by ``gamma`` at each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [rate * (1.0 if self._epoch == 0 else self.gamma) for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self._epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """base·(1 - epoch/total_iters)^power, 0 after ``total_iters`` epochs."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._epoch == 0 or self._epoch > self.total_iters:
            return list(self._last_lr)
        left, before = (1.0 - epoch / self.total_iters for epoch in (self._epoch, self._epoch - 1))
        return [rate * (left / before) ** self.power for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self._epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """Base rate times ``lr_lambda(last_epoch)``, which is one function, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas: list[Callable[..., Any]] = per_group(
            lr_lambda, optimizer, "Expected {} lr_lambdas, but got {}"
        )
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """Multiplication of the rate by ``lr_lambda(last_epoch)`` at each epoch."""

    def get_lr(self) -> list[Any]:
        if self._epoch <= 0:
            return list(self._last_lr)
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, self._last_lr)]


class MultiStepLR(LRScheduler):
    """Multiplication of the rate by ``gamma`` at each epoch in ``milestones``."""

    def __init__(self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones = Counter(map(index, milestones))
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [rate * self.gamma ** self.milestones[int(self._epoch)] for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = sum(count for milestone, count in self.milestones.items() if milestone <= self._epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """Base rate times ``factor`` until epoch ``total_iters``."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self._epoch == 0:
            return [rate * self.factor for rate in self._last_lr]
        return [rate / self.factor if self._epoch == self.total_iters else rate for rate in self._last_lr]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * (1.0 if self._epoch >= self.total_iters else self.factor) for base in self.base_lrs]


class SequentialLR:
    """Schedulers one after the other: ``milestones[i]`` is the epoch at which the next one takes over.

    Raises:
        ValueError: if they are of several optimizers, or the number of milestones is not one less than theirs.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        for number, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    "Sequential Schedulers expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"at index {number} is different from the optimizer passed in."
                )
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones "
                f"{len(milestones)}"
            )
        self._schedulers, self.milestones, self.optimizer = schedulers, milestones, optimizer
        self.last_epoch = host_parameter(float(last_epoch + 1), "last_epoch_" + type(self).__name__)
        for group in optimizer.param_groups:
            put(group["lr"], group["initial_lr"])
        for scheduler in schedulers:
            put(scheduler.last_epoch, float(scheduler.last_epoch) - 1)
        schedulers[0].step()
        self._last_lr: list[Parameter] = schedulers[0]._last_lr

    def step(self) -> None:
        """Advance to the next epoch."""
        put(self.last_epoch, float(self.last_epoch) + 1)
        epoch = int(self.last_epoch)
        number = bisect_right(self.milestones, epoch)
        if number > 0 and self.milestones[number - 1] == epoch:
            self._schedulers[number].step(0)
        else:
            self._schedulers[number].step()

    def get_last_lr(self) -> list[Tensor]:
        """Return the current rates."""
        return [copied(rate) for rate in self._last_lr]
