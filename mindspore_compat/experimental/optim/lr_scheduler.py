"""Schedulers of the rates in ``optimizer.param_groups``. Upstream: ``mindspore.experimental.optim.lr_scheduler``.

A scheduler sets the rates when it is made and at each ``step()``. All of it lies on the CPU: nothing waits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.experimental.optim._cyclic import CosineAnnealingLR, CosineAnnealingWarmRestarts, CyclicLR
from mindspore_compat.experimental.optim._plateau import ReduceLROnPlateau
from mindspore_compat.experimental.optim._scheduler import LRScheduler, copied, per_group, put
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._groups import host_parameter

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


class StepLR(LRScheduler):
    """The rate is multiplied by ``gamma`` every ``step_size`` epochs.

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
    """The base rate times a factor that goes in a line from ``start_factor`` to ``end_factor`` in ``total_iters``
    epochs.
    """

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
    """The rate is multiplied by ``gamma`` at each epoch."""

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
    """The base rate times ``lr_lambda(last_epoch)``, which is one function, or one for each group."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas: list[Callable[..., Any]] = per_group(
            lr_lambda, optimizer, "Expected {} lr_lambdas, but got {}"
        )
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """The rate is multiplied by ``lr_lambda(last_epoch)`` at each epoch."""

    def get_lr(self) -> list[Any]:
        if self._epoch <= 0:
            return list(self._last_lr)
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, self._last_lr)]


class MultiStepLR(LRScheduler):
    """The rate is multiplied by ``gamma`` at each epoch in ``milestones``."""

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
    """The base rate times ``factor`` until epoch ``total_iters``."""

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
        """Go on to the next epoch."""
        put(self.last_epoch, float(self.last_epoch) + 1)
        epoch = int(self.last_epoch)
        number = bisect_right(self.milestones, epoch)
        if number > 0 and self.milestones[number - 1] == epoch:
            self._schedulers[number].step(0)
        else:
            self._schedulers[number].step()

    def get_last_lr(self) -> list[Tensor]:
        """The rates in force."""
        return [copied(rate) for rate in self._last_lr]
