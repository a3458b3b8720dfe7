"""The metric `RootMeanSquareDistance`. MindSpore: ``mindspore.train.RootMeanSquareDistance``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics._surface import SurfaceMetric, edge
from mindspore_compat.train.metrics.metric import rearrange_inputs

__all__ = ["RootMeanSquareDistance"]


class RootMeanSquareDistance(SurfaceMetric):
    """Mean squared distance from the edge of the prediction to that of the truth; ``symmetric`` gives the root of the
    mean over both directions (without it MindSpore takes no root, and neither does this).
    """

    _label_error = TypeError

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        self.symmetric = symmetric
        super().__init__(distance_metric)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        self._y_pred_edges, self._y_edges = (edge(mask) for mask in self._masks(inputs))
        self._is_update = True

    def eval(self) -> Any:
        self._require_update(self._is_update)
        forward = self._distances(self._y_pred_edges, self._y_edges)
        if not forward.size:
            return np.inf
        if not self.symmetric:
            return (forward**2).mean()
        backward = self._distances(self._y_edges, self._y_pred_edges)
        return np.sqrt(np.mean([(forward**2).mean(), (backward**2).mean()])) if backward.size else np.inf
