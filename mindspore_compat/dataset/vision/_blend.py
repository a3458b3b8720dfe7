"""Resizing of arrays, by cubic curves or of 16-bit integers, in the numbers of the OpenCV that upstream has; those
installed give others.

Each axis takes four pixels (LINEAR: two) with float32 weights. A pixel's weights come from its place in float32, and
those of uint8 are whole 1/2048.
"""

from __future__ import annotations

import numpy as np

__all__ = ["resize_blended"]

_PARTS = 2048
#: how many elements OpenCV adds up at a time, beginning with the last pixel; the rest begins with the first one
_AT_A_TIME = {"uint8": 8, "uint16": 8, "int16": 8, "float32": 4}


def _weights(size: int, wanted: int, is_cubic: bool) -> tuple[np.ndarray, np.ndarray]:
    """For each place of the result the pixels (4 or 2, wanted) that it takes and their weights; cubic: a = -0.75."""
    places = ((np.arange(wanted) + 0.5) * (1.0 / (wanted / size)) - 0.5).astype(np.float32)
    first = np.floor(places)
    x, a, one = places - first, np.float32(-0.75), np.float32(1)
    if not is_cubic:
        x[(first < 0) | (first >= size - 1)] = 0
        return np.clip(first.astype(np.int64) + np.arange(2)[:, None], 0, size - 1), np.stack([one - x, x])
    y = one - x
    before = ((a * (x + one) - 5 * a) * (x + one) + 8 * a) * (x + one) - 4 * a
    left, right = (((a + 2) * d - (a + 3)) * d * d + one for d in (x, y))
    pixels = np.clip(first.astype(np.int64) + np.arange(-1, 3)[:, None], 0, size - 1)
    return pixels, np.stack([before, left, right, one - before - left - right])


def resize_blended(image: np.ndarray, size: tuple[int, int], is_cubic: bool) -> np.ndarray:
    """``image`` (H, W[, C]) of bytes (cubic only), 16-bit integers or floats in ``size`` (height, width)."""
    across, weights_x = _weights(image.shape[1], size[1], is_cubic)
    down, weights_y = _weights(image.shape[0], size[0], is_cubic)
    kind = np.float64 if image.dtype == np.float64 else np.float32
    whole = image.dtype == np.uint8
    if whole:
        weights_x, weights_y = np.rint(weights_x * _PARTS), np.rint(weights_y * _PARTS)
    columns = image.reshape(*image.shape[:2], -1)
    rows = sum((columns[:, p].astype(kind) * w[:, None] for p, w in zip(across, weights_x)), kind(0))
    rows, weights_y = rows.reshape(len(image), -1), weights_y[..., None]
    together = rows.shape[1] // _AT_A_TIME.get(image.dtype.name, rows.shape[1] + 1)
    together *= _AT_A_TIME.get(image.dtype.name, 0)
    result = np.empty((size[0], rows.shape[1]), kind)
    scaled = weights_y * kind(1 / _PARTS**2 if whole else 1)
    _sum(result[:, :together], rows[:, :together], down[::-1], scaled[::-1])
    if whole:  # in whole numbers, which float64 holds
        rest = rows[:, together:].astype(np.float64)
        total = _sum(np.empty((size[0], rest.shape[1])), rest, down, weights_y)
        result[:, together:] = np.floor(total / _PARTS**2 + 0.5)
    else:
        _sum(result[:, together:], rows[:, together:], down, scaled)
    if image.dtype.kind != "f":
        result = np.rint(result).clip(np.iinfo(image.dtype).min, np.iinfo(image.dtype).max)
    return result.astype(image.dtype).reshape(*size, *image.shape[2:])


def _sum(result: np.ndarray, rows: np.ndarray, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weighted rows, added in this order."""
    np.multiply(rows[places[0]], weights[0], out=result)
    for place, weight in zip(places[1:], weights[1:]):
        result += rows[place] * weight
    return result
