"""The callback `EarlyStopping`. MindSpore: ``mindspore.train.EarlyStopping``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.validate import check_non_negative_int
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.train.callback._callback import Callback, RunContext
from mindspore_compat.train.callback._monitor import Monitored

__all__ = ["EarlyStopping"]


class EarlyStopping(Callback):
    """End of the training after ``patience`` epochs in which the monitored value did not improve.

    Args:
        monitor: "eval_loss" or a metric's name in `Model.fit`; "loss" is the training loss.
        min_delta: what an improvement must exceed.
        verbose: print when it stops.
        mode: "min", "max", or "auto", which decides by the name.
        baseline: only values better than this end the waiting.
        restore_best_weights: load the weights of the best epoch when it stops.

    Raises:
        TypeError, ValueError: for wrong arguments; ValueError in an epoch whose value is no scalar.
    """

    _trains_only = True

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        owner = "EarlyStopping"
        self._monitored = Monitored(monitor, mode, min_delta, owner)
        self.monitor, self.mode, self.min_delta = monitor, mode, self._monitored.min_delta
        self.patience = check_non_negative_int(patience, "patience", owner)
        self.verbose, self.restore_best_weights, self.baseline = verbose, restore_best_weights, baseline
        self.wait = self.stopped_epoch = 0
        self.best: Any = self._monitored.worst
        self.best_weights_param_dict: dict[str, Any] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state."""
        self.wait = self.stopped_epoch = 0
        self.best, self.best_weights_param_dict = self._monitored.worst, None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Compare, and stop after ``patience`` epochs."""
        cb_params = run_context.original_args()
        current = self._monitored.value(cb_params, "Early stopping")
        if current is None:
            return
        network = cb_params.train_network if self.restore_best_weights else None
        if self.restore_best_weights and self.best_weights_param_dict is None:
            self.best_weights_param_dict = _snapshot(network)
        self.wait += 1
        if self._monitored.improves(current, self.best):
            self.best = current
            if self.restore_best_weights:
                self.best_weights_param_dict = _snapshot(network)
            if self.baseline is None or self._monitored.improves(current, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = cb_params.get("cur_epoch_num")
            run_context.request_stop()
            if self.best_weights_param_dict is not None:
                if self.verbose:
                    print("Restoring model weights from the end of the best epoch.")
                _restore(network, self.best_weights_param_dict)

    def on_train_end(self, run_context: RunContext) -> None:
        """Print the epoch it stopped at, with ``verbose``."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping")


def _snapshot(network: Any) -> dict[str, Any]:
    """Return copies of all Parameters and buffers, with the optimizer's if it is a Cell."""
    return {name: plain(value).clone() for name, value in network.state_dict(keep_vars=True).items()}


def _restore(network: Any, values: dict[str, Any]) -> None:
    for name, value in network.state_dict(keep_vars=True).items():
        plain(value).copy_(values[name])
