"""Resizing of arrays, by cubic curves or of 16-bit integers, with the rounding of MindSpore's OpenCV; the installed one
differs.
"""

from __future__ import annotations

import numpy as np

from mindspore_compat._format.images import opencv

_PARTS = 2048
#: elements that OpenCV adds up at a time, from the last pixel on; the rest from the first one on
_AT_A_TIME = {"uint8": 8, "uint16": 8, "int16": 8, "float32": 4}


def _weights(size: int, wanted: int, is_cubic: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return for each place of the result its source pixels (4 or 2, wanted) and their weights; cubic: a = -0.75."""
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
    """Return ``image`` (H, W[, C]) of bytes (cubic only), 16-bit integers or floats in ``size`` (height, width)."""
    across, weights_x = _weights(image.shape[1], size[1], is_cubic)
    down, weights_y = _weights(image.shape[0], size[0], is_cubic)
    kind = np.float64 if image.dtype == np.float64 else np.float32
    whole = image.dtype == np.uint8
    if whole:
        weights_x, weights_y = np.rint(weights_x * _PARTS), np.rint(weights_y * _PARTS)
    columns = _turned(image.reshape(*image.shape[:2], -1)).astype(kind)
    columns = _sum(columns.reshape(image.shape[1], -1), across, weights_x)
    rows = _turned(columns.reshape(size[1], len(image), -1)).reshape(len(image), -1)
    step = _AT_A_TIME.get(image.dtype.name, 0)
    together = rows.shape[1] // step * step if step else 0
    scaled = weights_y * kind(1 / _PARTS**2 if whole else 1)
    result = _sum(rows, down[::-1], scaled[::-1])
    rest = np.ascontiguousarray(rows[:, together:])
    if whole:  # in whole numbers, which float64 holds
        result[:, together:] = np.floor(_sum(rest.astype(np.float64), down, weights_y) / _PARTS**2 + 0.5)
    else:
        result[:, together:] = _sum(rest, down, scaled)
    if image.dtype.kind != "f":
        np.rint(result, out=result)
        np.clip(result, np.iinfo(image.dtype).min, np.iinfo(image.dtype).max, out=result)
    return result.astype(image.dtype).reshape(*size, *image.shape[2:])


def _turned(image: np.ndarray) -> np.ndarray:
    """Return (H, W, C) as (W, H, C), contiguous by rows; OpenCV is ten times faster, for up to four channels."""
    if image.shape[2] > 4:
        return np.ascontiguousarray(image.transpose(1, 0, 2))
    return opencv().transpose(image).reshape(image.shape[1], image.shape[0], -1)


def _sum(rows: np.ndarray, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted rows at the places (n, wanted), added in this order: (wanted, …)."""
    result, part = np.zeros((2, places.shape[1], rows.shape[1]), rows.dtype)
    for number, (place, weight) in enumerate(zip(places, weights)):
        taken = part if number else result
        np.take(rows, place, axis=0, out=taken, mode="clip")
        taken *= weight[:, None]
        if number:
            result += part
    return result
