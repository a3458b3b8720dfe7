"""The metrics `MAE` and `MSE`. MindSpore: ``mindspore.train.MAE`` and ``MSE``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["MAE", "MSE"]


class _Error(Metric):
    """Sum over all elements of a function of the difference, divided by the number of samples (axis 0)."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._error_sum = 0.0
        self._samples_num = 0

    def _error(self, difference: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        self._error_sum += float(self._error(true.reshape(predicted.shape) - predicted).sum())
        self._samples_num += true.shape[0]

    def eval(self) -> Any:
        self._require_update(self._samples_num)
        return self._error_sum / self._samples_num


class MAE(_Error):
    """Absolute differences, summed, per sample."""

    def _error(self, difference: np.ndarray) -> np.ndarray:
        return np.abs(difference)


class MSE(_Error):
    """Squared differences, summed, per sample."""

    def _error(self, difference: np.ndarray) -> np.ndarray:
        return np.power(difference, 2)
