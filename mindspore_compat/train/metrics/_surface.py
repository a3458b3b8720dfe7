"""Edges of label regions and distances between them, for the three surface metrics. Needs scipy."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._api.validate import check_str_in
from mindspore_compat.train.metrics.metric import Metric, rearrange_inputs

DISTANCES = ("euclidean", "chessboard", "taxicab")


def ndimage() -> Any:
    """Return scipy.ndimage, which only these metrics need."""
    try:
        import scipy.ndimage
    except ImportError as error:
        raise ImportError("The metrics of surface distances need scipy: pip install scipy.") from error
    return scipy.ndimage


class SurfaceMetric(Metric):
    """A metric of the edges of one label's regions in two label images of one shape."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        self.distance_metric = check_str_in(distance_metric, "distance_metric", DISTANCES, type(self).__name__)
        self.clear()

    def clear(self) -> None:
        self._y_pred_edges: Any = 0
        self._y_edges: Any = 0
        self._is_update = False

    def _masks(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the two images as masks of the label, all checked."""
        self._check_count(inputs, "predicted value, true value, label index", 3)
        predicted, true, label = self._convert_data(inputs[0]), self._convert_data(inputs[1]), inputs[2]
        where = f"For '{type(self).__name__}.update'"
        if label not in predicted and label not in true:
            raise ValueError(f"{where}, neither image has the label {label}.")
        if predicted.size == 0 or predicted.shape != true.shape:
            raise ValueError(
                f"{where}, the images must have one shape and elements, but got {predicted.shape}, {true.shape}."
            )
        return (predicted if predicted.dtype == bool else predicted == label), (
            true if true.dtype == bool else true == label
        )

    def _distances(self, edges: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return for each edge place the distance to the nearest one of ``other``; infinite if that has none."""
        if not np.any(edges):
            return np.array([])
        if not np.any(other):
            return np.full(int(edges.sum()), np.inf)
        if self.distance_metric == "euclidean":
            return ndimage().distance_transform_edt(~other)[edges]
        return ndimage().distance_transform_cdt(~other, metric=self.distance_metric)[edges]


class SurfaceDistance(SurfaceMetric):
    """A metric of the edges of both images, in one direction or, if ``symmetric``, both."""

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        self.symmetric = symmetric
        super().__init__(distance_metric)

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        self._y_pred_edges, self._y_edges = (edge(mask) for mask in self._masks(inputs))
        self._is_update = True


def edge(mask: np.ndarray) -> np.ndarray:
    """Return the places of a mask that erosion removes."""
    return ndimage().binary_erosion(mask) ^ mask
