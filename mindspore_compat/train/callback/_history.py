"""The callback `History`. MindSpore: ``mindspore.train.History``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat.train.callback._callback import Callback, RunContext

__all__ = ["History"]


class History(Callback):
    """History of the mean of the network's (first) output and the metrics, for each epoch, in ``history``; epochs in
    ``epoch``.
    """

    _trains_only = True

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        """Start a new list of epochs."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        """Record the epoch."""
        cb_params = run_context.original_args()
        if self.epoch is None:
            self.epoch = {"epoch": []}
        self.epoch["epoch"].append(cb_params.get("cur_epoch_num", 1))
        output = cb_params.net_outputs
        if isinstance(output, (tuple, list)) and isinstance(output[0], torch.Tensor):
            output = output[0]
        if isinstance(output, torch.Tensor):
            output = np.mean(output.detach().cpu().numpy())
        for name, value in {"net_output": output, **(cb_params.get("metrics") or {})}.items():
            self.history.setdefault(name, []).append(value)
