"""The callback `ReduceLROnPlateau`. MindSpore: ``mindspore.train.ReduceLROnPlateau``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.validate import check_float_range, check_non_negative_int
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._early_stop import Monitored

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(Callback):
    """Callback that multiplies the learning rate by ``factor`` after ``patience`` epochs without an improvement of the
    monitored value.

    Args:
        monitor, mode, min_delta: as for `EarlyStopping`.
        verbose: print when it reduces.
        cooldown: epochs to leave it alone after that.
        min_lr: lower bound.

    Raises:
        TypeError, ValueError: for wrong arguments; ValueError in training if the optimizer has no single constant
            learning rate.
    """

    _trains_only = True

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        owner = "ReduceLROnPlateau"
        self._monitored = Monitored(monitor, mode, min_delta, owner)
        self.monitor, self.mode, self.min_delta = monitor, mode, self._monitored.min_delta
        self.factor = check_float_range(factor, "factor", owner, 0.0, 1.0, (False, False))
        self.patience = check_non_negative_int(patience, "patience", owner)
        self.verbose, self.min_lr = verbose, min_lr
        self.cooldown = check_non_negative_int(cooldown, "cooldown", owner)
        self.cooldown_counter = self.wait = 0
        self.best: Any = self._monitored.worst

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state."""
        self.cooldown_counter = self.wait = 0
        self.best = self._monitored.worst

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Compare, and reduce after ``patience`` epochs."""
        cb_params = run_context.original_args()
        optimizer = cb_params.optimizer
        if not isinstance(optimizer, torch.optim.Optimizer) and not isinstance(optimizer.learning_rate, Parameter):
            raise ValueError("For 'ReduceLROnPlateau', the optimizer's learning rate must be one float.")
        current = self._monitored.value(cb_params, "Learning rate reduction")
        if current is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._monitored.improves(current, self.best):
            self.best, self.wait = current, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(optimizer, cb_params.cur_epoch_num)
                self.cooldown_counter, self.wait = self.cooldown, 0

    def _reduce(self, optimizer: Any, epoch: int) -> None:
        if isinstance(optimizer, torch.optim.Optimizer):
            for group in optimizer.param_groups:
                if float(group["lr"]) > self.min_lr:
                    group["lr"] = max(float(group["lr"]) * self.factor, self.min_lr)
                    self._tell(epoch, group["lr"])
            return
        rate = optimizer.learning_rate
        if float(rate) > self.min_lr:
            reduced = rate * self.factor
            new: Any = reduced if not float(reduced) < self.min_lr else self.min_lr
            rate.set_data(new if isinstance(new, torch.Tensor) else Tensor(float(new), torch.float32).to(rate.device))
            self._tell(epoch, new)

    def _tell(self, epoch: int, rate: Any) -> None:
        if self.verbose:
            print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {rate}.")
