"""The metric `Dice`. MindSpore: ``mindspore.train.Dice``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._api.validate import check_positive_float
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Dice"]


class Dice(Metric):
    """Sum over batches of 2·|A∩B| / (|A|² + |B|² + smooth), divided by the number of samples; as in MindSpore."""

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = check_positive_float(smooth, "smooth", "")
        self.clear()

    def clear(self) -> None:
        self._dice_coeff_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        if predicted.shape != true.shape:
            raise self._shape_error(predicted, true)
        self._samples_num += true.shape[0]
        a, b = predicted.flatten(), true.flatten()
        self._dice_coeff_sum += 2 * float(np.dot(a, b)) / float(np.dot(a, a) + np.dot(b, b) + self.smooth)

    def eval(self) -> float:
        self._require_update(self._samples_num)
        return self._dice_coeff_sum / float(self._samples_num)
