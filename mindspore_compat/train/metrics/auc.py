"""The metric `auc`. MindSpore: ``mindspore.train.auc``."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["auc"]


def auc(x: np.ndarray, y: np.ndarray, reorder: bool = False) -> Any:
    """Return the area under the curve y(x) by the trapezoidal rule; ``x`` must be monotonic or sorted by ``reorder``.

    Raises:
        TypeError: unless both are numpy arrays. ValueError: for other shapes, unequal lengths, or an ``x`` that is not
            monotonic.
    """
    for array in (x, y):
        if array.ndim != 1 and array.shape[1:] != (1,):
            raise ValueError(f"For 'auc', the arrays must have one axis, but got the shape {array.shape}.")
    x, y = x.ravel(), y.ravel()
    if len(x) != len(y):
        raise ValueError(f"For 'auc', 'x' and 'y' must have the same length, but got {len(x)} and {len(y)}.")
    if len(x) < 2:
        raise ValueError(f"For 'auc', there must be two points at least, but got {len(x)}.")
    direction = 1
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    elif np.any(np.diff(x) < 0):
        if not np.all(np.diff(x) <= 0):
            raise ValueError(f"For 'auc', 'x' must be monotonic, or reorder=True, but got {x}.")
        direction = -1
    trapezoid = getattr(np, "trapezoid", None) or np.trapz  # type: ignore[attr-defined]  # numpy 2 renamed it
    return direction * trapezoid(y, x)
