"""Rotation, affine and perspective maps of arrays (H, W[, C]); the numbers are OpenCV's, which upstream uses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["affine_matrix", "perspective_matrix", "rotation_matrix", "warp_affine", "warp_perspective"]

_NEAREST, _LINEAR, _CUBIC = 0, 2, 3
#: OpenCV's fixed point: places in 1/1024, weights for 1/32 of a pixel.
_PLACE, _PART, _PART_BITS = 1024, 32, 5


def rotation_matrix(angle: float, center: tuple[float, float], scale: float = 1.0) -> np.ndarray:
    """Counter-clockwise by `angle` degrees around `center` (x, y)."""
    a, b = scale * math.cos(math.radians(angle)), scale * math.sin(math.radians(angle))
    x, y = center
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]])


def affine_matrix(
    angle: float, translate: Sequence[float], scale: float, shear: Sequence[float], center: tuple[float, float]
) -> np.ndarray:
    """From the target to the source: rotation, shear, scale around `center` (x, y), then translation; angles in
    degrees.
    """
    rotation, shear_x, shear_y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    x, y = center
    # M = translate * center * (rotate * shear * scale) * center^-1; this is its inverse.
    a = math.cos(rotation - shear_y) / math.cos(shear_y)
    b = -math.cos(rotation - shear_y) * math.tan(shear_x) / math.cos(shear_y) - math.sin(rotation)
    c = math.sin(rotation - shear_y) / math.cos(shear_y)
    d = -math.sin(rotation - shear_y) * math.tan(shear_x) / math.cos(shear_y) + math.cos(rotation)
    inverse = np.array([[d, -b], [-c, a]]) / scale
    shift = np.array([x, y]) - inverse @ np.array([x + translate[0], y + translate[1]])
    return np.concatenate([inverse, shift[:, None]], 1)


def invert_affine(matrix: np.ndarray) -> np.ndarray:
    """The map the other way round."""
    inverse = np.linalg.inv(matrix[:, :2])
    return np.concatenate([inverse, -inverse @ matrix[:, 2:]], 1)


def perspective_matrix(start: Sequence[Sequence[float]], end: Sequence[Sequence[float]]) -> np.ndarray:
    """The 3x3 map that takes four points (x, y) to four others."""
    rows, values = [], []
    for (x, y), (u, v) in zip(start, end, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        values += [u, v]
    return np.append(
        np.linalg.lstsq(np.array(rows, np.float64), np.array(values, np.float64), rcond=None)[0], 1.0
    ).reshape(3, 3)


def warp_affine(
    image: np.ndarray, inverse: np.ndarray, size: tuple[int, int], interpolation: int, fill: Sequence[float]
) -> np.ndarray:
    """Target pixel p takes the source pixel at ``inverse @ p``; outside of the source stands `fill`."""
    y, x = np.arange(size[0]), np.arange(size[1])
    offset = _PLACE // 2 if interpolation == _NEAREST else _PLACE // _PART // 2
    place_x = (
        np.rint(inverse[0, 0] * x * _PLACE) + (np.rint((inverse[0, 1] * y + inverse[0, 2]) * _PLACE) + offset)[:, None]
    )
    place_y = (
        np.rint(inverse[1, 0] * x * _PLACE) + (np.rint((inverse[1, 1] * y + inverse[1, 2]) * _PLACE) + offset)[:, None]
    )
    shift = 10 if interpolation == _NEAREST else 10 - _PART_BITS
    return _remap(image, place_x.astype(np.int64) >> shift, place_y.astype(np.int64) >> shift, interpolation, fill)


def warp_perspective(
    image: np.ndarray, inverse: np.ndarray, size: tuple[int, int], interpolation: int, fill: Sequence[float]
) -> np.ndarray:
    """As `warp_affine`, with a 3x3 map."""
    y, x = np.mgrid[0 : size[0], 0 : size[1]].astype(np.float64)
    w = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    w = np.divide(1 if interpolation == _NEAREST else _PART, w, out=np.zeros_like(w), where=w != 0)
    place_x = np.rint((inverse[0, 0] * x + inverse[0, 1] * y + inverse[0, 2]) * w).astype(np.int64)
    place_y = np.rint((inverse[1, 0] * x + inverse[1, 1] * y + inverse[1, 2]) * w).astype(np.int64)
    return _remap(image, place_x, place_y, interpolation, fill)


def _remap(image: np.ndarray, x: np.ndarray, y: np.ndarray, interpolation: int, fill: Sequence[float]) -> np.ndarray:
    """Pixels at places: whole ones for NEAREST, else in 1/32."""
    channels = 1 if image.ndim == 2 else image.shape[2]
    border = np.asarray([fill[min(c, len(fill) - 1)] for c in range(channels)], dtype=image.dtype)
    source = image.reshape(*image.shape[:2], channels)
    if interpolation == _NEAREST:
        result = _pick(source, x, y, border)
    elif interpolation == _CUBIC:
        result = _mix(source, x, y, border, _cubic_weights(), start=-1)
    else:
        part = np.arange(_PART) / _PART
        result = _mix(source, x, y, border, np.stack([1 - part, part], -1), start=0)
    return result.reshape(*x.shape, *image.shape[2:])


def _pick(source: np.ndarray, x: np.ndarray, y: np.ndarray, border: np.ndarray) -> np.ndarray:
    height, width = source.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    picked = source[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.where(inside[..., None], picked, border)


def _cubic_weights() -> np.ndarray:
    part = np.arange(_PART) / _PART
    a = -0.75
    w0 = ((a * (part + 1) - 5 * a) * (part + 1) + 8 * a) * (part + 1) - 4 * a
    w1 = ((a + 2) * part - (a + 3)) * part * part + 1
    w2 = ((a + 2) * (1 - part) - (a + 3)) * (1 - part) * (1 - part) + 1
    return np.stack([w0, w1, w2, 1 - w0 - w1 - w2], -1)


def _mix(
    source: np.ndarray, x: np.ndarray, y: np.ndarray, border: np.ndarray, weights: np.ndarray, start: int
) -> np.ndarray:
    across, down = weights[x & (_PART - 1)], weights[y & (_PART - 1)]
    x, y = x >> _PART_BITS, y >> _PART_BITS
    total: np.ndarray | float = 0.0
    for j in range(weights.shape[1]):
        for i in range(weights.shape[1]):
            weight = down[..., j] * across[..., i]
            total = total + weight[..., None] * _pick(source, x + start + i, y + start + j, border)
    if source.dtype != np.uint8:
        return np.asarray(total).astype(source.dtype)
    return np.clip(np.floor(np.asarray(total) + 0.5), 0, 255).astype(np.uint8)
