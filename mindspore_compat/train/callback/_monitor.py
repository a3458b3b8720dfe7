"""Base of `EarlyStopping` and `ReduceLROnPlateau`: the monitored value, and its improvement."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from mindspore_compat._api.validate import check_one_of
from mindspore_compat.parallel._utils import _get_parallel_mode
from mindspore_compat.train.callback._callback import _handle_loss

__all__ = ["Monitored"]

_log = logging.getLogger("mindspore_compat")
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
            _log.warning(
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
