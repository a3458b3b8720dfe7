"""Base of Precision and Recall: hits and a divisor for each class (classification) or each sample (multilabel)."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import EvaluationBase, one_hot_pair, rearrange_inputs


class Rate(EvaluationBase):
    """Hits divided by predicted (precision) or true (recall) positives."""

    _of_predicted = True

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.eps = sys.float_info.min
        self.clear()

    def clear(self) -> None:
        self._class_num = 0
        multilabel = self._type == "multilabel"
        self._true_positives: Any = np.empty(0) if multilabel else 0
        self._divisors: Any = np.empty(0) if multilabel else 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._classes(inputs)
        if self._type == "classification":
            predicted, true = one_hot_pair(self, self._class_num, predicted, true)
        else:
            predicted, true = (item.swapaxes(1, 0).reshape(self._class_num, -1) for item in (predicted, true))
        divisors, hits = (predicted if self._of_predicted else true).sum(axis=0), (true * predicted).sum(axis=0)
        if self._type == "multilabel":
            self._true_positives = np.concatenate((self._true_positives, hits))
            self._divisors = np.concatenate((self._divisors, divisors))
        else:
            self._true_positives = self._true_positives + hits
            self._divisors = self._divisors + divisors

    def eval(self, average: bool = False) -> Any:
        """Return one value a class (or sample, in the multilabel case); with ``average`` their mean."""
        self._require_update(self._class_num)
        rates = self._true_positives / (self._divisors + self.eps)
        return rates.mean() if average else rates
