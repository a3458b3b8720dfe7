"""The metric `MeanSurfaceDistance`. MindSpore: ``mindspore.train.MeanSurfaceDistance``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics._surface import SurfaceDistance

__all__ = ["MeanSurfaceDistance"]


class MeanSurfaceDistance(SurfaceDistance):
    """Mean distance from the edge of the prediction to that of the truth; ``symmetric`` averages both directions.

    ``update(predicted, true, label)`` takes two label images and the label.
    """

    def eval(self) -> Any:
        self._require_update(self._is_update)
        found = [self._distances(self._y_pred_edges, self._y_edges)]
        if self.symmetric:
            found.append(self._distances(self._y_edges, self._y_pred_edges))
        if any(not item.size for item in found):
            return np.inf
        return np.mean([item.mean() for item in found])
