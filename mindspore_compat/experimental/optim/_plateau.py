"""`ReduceLROnPlateau` of ``lr_scheduler``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import memory
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.experimental.optim._scheduler import per_group
from mindspore_compat.experimental.optim.optimizer import Optimizer
from mindspore_compat.nn.optim._groups import host_parameter, host_tensor

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau:
    """Multiplies the rates by ``factor`` when a metric did not improve for more than ``patience`` steps.

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
        """Whether a reduction is so recent that nothing is counted."""
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
        """The rates in force."""
        return [host_tensor(float(rate)) for rate in self._last_lr]
