"""The metric `CosineSimilarity`. MindSpore: ``mindspore.train.CosineSimilarity``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._api.validate import check_str_in
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["CosineSimilarity"]


class CosineSimilarity(Metric):
    """The matrix of "cosine" or "dot" products between the rows of the last input (N, D), optionally reduced along its
    rows.
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        super().__init__()
        self.similarity = check_str_in(similarity, "similarity", ("dot", "cosine"), "CosineSimilarity")
        self.reduction = check_str_in(reduction, "reduction", ("none", "sum", "mean"), "CosineSimilarity")
        self.zero_diagonal = zero_diagonal
        self.clear()

    def clear(self) -> None:
        self.sqr_mtx_res: Any = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, inputs: Any) -> None:  # type: ignore[override]
        rows = self._convert_data(inputs)
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, ord=2, axis=1, keepdims=True)
        self.sqr_mtx_res = np.dot(rows, rows.T)
        self._is_update = True

    def eval(self) -> Any:
        self._require_update(self._is_update)
        result = self.sqr_mtx_res
        if self.zero_diagonal:
            np.fill_diagonal(result, 0)
        if self.reduction != "none":
            result = (np.mean if self.reduction == "mean" else np.sum)(result, axis=-1)
        return result
