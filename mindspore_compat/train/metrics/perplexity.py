"""The metric `Perplexity`. MindSpore: ``mindspore.train.Perplexity``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat._api.validate import check_type
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Perplexity"]


class Perplexity(Metric):
    """exp of the mean negative log of the label's probability; probabilities (N, C), labels (N,)."""

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = (
            None if ignore_label is None else check_type(ignore_label, "ignore_label", int, "Perplexity")
        )
        self.clear()

    def clear(self) -> None:
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, label = self._operands(inputs, "predicted value, label")
        if label.size != predicted.size / predicted.shape[-1]:
            raise RuntimeError(f"For 'Perplexity.update', the shapes {predicted.shape} and {label.shape} do not fit.")
        label = label.reshape(-1)
        chosen = predicted[np.arange(label.size), label.astype(int)]
        count = chosen.size
        if self.ignore_label is not None:
            kept = label != self.ignore_label
            chosen, count = chosen[kept], int(kept.sum())
        self._sum_metric -= float(np.sum(np.log(np.maximum(1e-10, chosen))))
        self._num_inst += count

    def eval(self) -> float:
        self._require_update(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)
