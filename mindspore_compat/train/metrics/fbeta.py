"""The metrics `Fbeta` and `F1`. MindSpore: ``mindspore.train.Fbeta`` and ``F1``."""

from __future__ import annotations

import sys
from typing import Any

from mindspore_compat.train.metrics.metric import (
    Metric,
    from_one_hot,
    one_hot_pair,
    rearrange_inputs,
    same_class_number,
)

__all__ = ["Fbeta", "F1"]


class Fbeta(Metric):
    """Weighted harmonic mean of precision and recall for each class; ``eval(average=True)`` gives their mean."""

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.eps = sys.float_info.min
        if not beta > 0:
            raise ValueError(f"For 'Fbeta', the argument 'beta' must be greater than 0, but got {beta}.")
        self.beta = beta
        self.clear()

    def clear(self) -> None:
        self._true_positives: Any = 0
        self._actual_positives: Any = 0
        self._positives: Any = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        true = from_one_hot(predicted, true)
        self._class_num = same_class_number(self, self._class_num, predicted)
        predicted, true = one_hot_pair(self, self._class_num, predicted, true)
        self._true_positives = self._true_positives + (true * predicted).sum(axis=0)
        self._positives = self._positives + predicted.sum(axis=0)
        self._actual_positives = self._actual_positives + true.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        self._require_update(self._class_num)
        square = self.beta**2
        values = (1.0 + square) * self._true_positives / (square * self._actual_positives + self._positives + self.eps)
        return values.mean() if average else values


class F1(Fbeta):
    """`Fbeta` with beta = 1."""

    def __init__(self) -> None:
        super().__init__(1.0)
