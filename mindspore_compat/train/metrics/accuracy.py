"""The metric `Accuracy`. MindSpore: ``mindspore.train.Accuracy``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import EvaluationBase, rearrange_inputs

__all__ = ["Accuracy"]


class Accuracy(EvaluationBase):
    """Share of right predictions.

    Classification: predictions (N, C, ...) against class indices (N, ...) or one-hot labels. Multilabel: 0/1 arrays of
    one shape, where a sample counts only if all its labels are right.
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._classes(inputs)
        if self._type == "classification":
            correct = np.equal(predicted.argmax(axis=1), true).reshape(-1)
        else:
            rows = [item.swapaxes(1, item.ndim - 1).reshape(-1, self._class_num) for item in (predicted, true)]
            correct = np.equal(*rows).all(axis=1)
        self._correct_num += correct.sum()
        self._total_num += correct.shape[0]

    def eval(self) -> Any:
        self._require_update(self._total_num)
        return self._correct_num / self._total_num
