"""The top-k metrics. MindSpore: ``mindspore.train.TopKCategoricalAccuracy`` and its two common cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics.metric import Metric, from_one_hot, rearrange_inputs

__all__ = ["TopKCategoricalAccuracy", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy"]


class TopKCategoricalAccuracy(Metric):
    """Share of samples with their class among the ``k`` largest predictions (N, C); labels (N,) or one-hot."""

    def __init__(self, k: int) -> None:
        super().__init__()
        if k < 1:
            raise ValueError(f"For 'TopKCategoricalAccuracy', the 'k' must be at least 1, but got {k}.")
        self.k = k
        self.clear()

    def clear(self) -> None:
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._operands(inputs)
        true = from_one_hot(predicted, true).reshape(-1, 1)
        best = np.argsort(-predicted, axis=1)[:, : self.k]
        self._correct_num += (best == true).sum()
        self._samples_num += true.shape[0]

    def eval(self) -> Any:
        self._require_update(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 1."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """`TopKCategoricalAccuracy` with k = 5."""

    def __init__(self) -> None:
        super().__init__(5)
