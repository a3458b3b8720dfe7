"""The metric `HausdorffDistance`. MindSpore: ``mindspore.train.HausdorffDistance``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics._surface import SurfaceMetric, edge
from mindspore_compat.train.metrics.metric import rearrange_inputs

__all__ = ["HausdorffDistance"]


class HausdorffDistance(SurfaceMetric):
    """Largest distance (or a ``percentile`` of them) from an edge place of one label image to the edge of the other.

    Both directions count unless ``directed``. ``update(predicted, true, label)``; ``crop`` only saves work.
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        self.percentile, self.directed, self.crop = percentile, directed, crop
        super().__init__(distance_metric)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._masks(inputs)
        if self.crop:
            predicted, true = _cropped(predicted, true)
        self._y_pred_edges, self._y_edges = edge(predicted), edge(true)
        self._is_update = True

    def _percentile(self, distances: np.ndarray) -> Any:
        if not distances.size:
            return np.inf
        if not self.percentile:
            return distances.max()
        return np.percentile(distances, self.percentile)

    def eval(self) -> Any:
        self._require_update(self._is_update)
        forward = self._percentile(self._distances(self._y_pred_edges, self._y_edges))
        if self.directed:
            return forward
        return max(forward, self._percentile(self._distances(self._y_edges, self._y_pred_edges)))


def _cropped(predicted: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both masks, cut to the box that holds all their places; axes of length 1 are dropped, as in MindSpore."""
    places = np.nonzero(predicted | true)
    box = tuple(slice(axis.min(), axis.max() + 1) for axis in places)
    return np.squeeze(predicted[box]), np.squeeze(true[box])
