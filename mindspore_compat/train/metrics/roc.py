"""The metric `ROC`. MindSpore: ``mindspore.train.ROC``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["ROC"]


class ROC(Metric):
    """Receiver operating characteristic: (false positive rates, true positive rates, thresholds).

    Binary: scores and labels of one shape, ``pos_label`` (default 1) is the positive class. Multiclass: scores (N, C)
    and labels (N,) with ``class_num=C``: three lists with an array for each class.
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        self.y_pred: Any = 0
        self.y: Any = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        if predicted.ndim == true.ndim:
            if self.class_num not in (None, 1):
                raise self._value_error(
                    f"scores and labels of one shape are of one class, but 'class_num' is {self.class_num}"
                )
            self.class_num = 1
            self.pos_label = 1 if self.pos_label is None else self.pos_label
            predicted = predicted.flatten()
        elif predicted.ndim == true.ndim + 1:
            if self.pos_label is not None:
                raise self._value_error(f"several classes take no 'pos_label', but it is {self.pos_label}")
            if self.class_num != predicted.shape[1]:
                raise self._value_error(f"'class_num' must be {predicted.shape[1]}, but is {self.class_num}")
            predicted = np.moveaxis(predicted, 1, -1).reshape(-1, predicted.shape[1])
        else:
            raise self._shape_error(predicted, true)
        self.y_pred, self.y, self._is_update = predicted, true.flatten(), True

    def eval(self) -> tuple[Any, Any, Any]:
        self._require_update(self._is_update)
        if self.class_num == 1:
            return _curve(np.squeeze(self.y_pred), self.y, self.pos_label)
        curves = [_curve(self.y_pred[:, number], self.y, number) for number in range(self.class_num or 0)]
        return tuple(list(column) for column in zip(*curves))  # type: ignore[return-value]


def _curve(scores: np.ndarray, labels: np.ndarray, positive: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    order = np.argsort(-scores)
    scores, hits = scores[order], (labels[order] == positive).astype(np.int64)
    last = np.append(np.flatnonzero(np.diff(scores)), hits.size - 1)  # the last place of each distinct score
    true_positives = np.cumsum(hits)[last]
    false_positives = 1 + last - true_positives
    for name, counts in (("negative", false_positives), ("positive", true_positives)):
        if counts[-1] <= 0:
            raise ValueError(f"For 'ROC.eval', there is no {name} sample, so no {name} rate.")
    rates = [np.append(0, counts) / counts[-1] for counts in (false_positives, true_positives)]
    return rates[0], rates[1], np.append(scores[last][0] + 1, scores[last])
