"""The callback `EarlyStopping`, and the monitored value of it and of `ReduceLROnPlateau`. MindSpore:
``mindspore.train.EarlyStopping``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from mindspore_compat._api.validate import check_non_negative_int, check_one_of
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.log import logger
from mindspore_compat.parallel._utils import _get_parallel_mode
from mindspore_compat.train.callback._callback import Callback, RunContext, _handle_loss

__all__ = ["Monitored", "EarlyStopping"]

_SMALLER_IS_BETTER = tuple(
    ("hausdorff_distance mae mse loss perplexity mean_surface_distance root_mean_square_distance eval_loss").split()
)


class Monitored:
    """Monitored value.

    Args:
        monitor: "loss" for the training loss, "eval_loss" or a metric's name for those of the evaluation in
            `Model.fit`.
        mode: "min", "max", or "auto", which decides by the name.
        min_delta: what an improvement must exceed.

    Raises:
        TypeError: for wrong types. ValueError: for an unknown mode.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float, owner: str) -> None:
        self.monitor, self.owner, self.min_delta = monitor, owner, abs(min_delta)
        check_one_of(mode, "mode", ("auto", "min", "max"), owner)
        self.smaller = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)

    @property
    def worst(self) -> float:
        """The value that every other one improves on."""
        return math.inf if self.smaller else -math.inf

    def improves(self, value: Any, other: Any) -> bool:
        """Return whether ``value`` is better than ``other`` by more than ``min_delta``."""
        return bool(
            np.less(value, other - self.min_delta) if self.smaller else np.greater(value, other + self.min_delta)
        )

    def value(self, cb_params: Any, purpose: str) -> Any:
        """Return the current value (the mean over processes); None without one. As in MindSpore, 0 counts as none."""
        results: dict[str, Any] = {}
        if self.monitor == "loss":
            found = _handle_loss(cb_params.get("net_outputs"))
        else:
            results = cb_params.get("eval_results") or {}
            found = results.get(self.monitor)
        if isinstance(found, torch.Tensor):
            found = found.detach().cpu().numpy()
        if found is None:
            logger.warning(
                "%s is conditioned on %s, which is not available. Available choices are: %s",
                purpose,
                self.monitor,
                {"loss", *results},
            )
        if isinstance(found, np.ndarray) and found.size != 1:
            raise ValueError(f"{self.owner} only supports scalar monitor now.")
        if found is None or not found:
            return None
        return _mean_over_processes(np.array(found))


def _mean_over_processes(value: Any) -> Any:
    if _get_parallel_mode() == "stand_alone" or not dist.is_available() or not dist.is_initialized():
        return value
    total = torch.tensor(float(value), device="cuda" if dist.get_backend() == "nccl" else "cpu")
    dist.all_reduce(total)
    return np.array(total.item() / dist.get_world_size())


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
