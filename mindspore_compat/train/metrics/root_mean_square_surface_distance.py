"""The metric `RootMeanSquareDistance`. MindSpore: ``mindspore.train.RootMeanSquareDistance``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.train.metrics._surface import SurfaceDistance

__all__ = ["RootMeanSquareDistance"]


class RootMeanSquareDistance(SurfaceDistance):
    """Mean squared distance from the edge of the prediction to that of the truth; ``symmetric`` gives the root of the
    mean over both directions (without it MindSpore takes no root, and neither does this).
    """

    def eval(self) -> Any:
        self._require_update(self._is_update)
        forward = self._distances(self._y_pred_edges, self._y_edges)
        if not forward.size:
            return np.inf
        if not self.symmetric:
            return (forward**2).mean()
        backward = self._distances(self._y_edges, self._y_pred_edges)
        return np.sqrt(np.mean([(forward**2).mean(), (backward**2).mean()])) if backward.size else np.inf
