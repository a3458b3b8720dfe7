"""Arithmetic of the colour operations on arrays (H, W, 3); the numbers are upstream's."""

from __future__ import annotations

import numpy as np

from mindspore_compat.dataset.vision._image import to_uint8

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_hue", "adjust_saturation", "adjust_sharpness", "auto_contrast",
    "equalize", "gray", "hsv_to_rgb", "rgb_to_hsv",
]  # fmt: skip


def check_rgb(image: np.ndarray, name: str) -> None:
    """Raise RuntimeError unless it is (H, W, 3)."""
    if image.ndim != 3 or image.shape[2] != 3:
        raise RuntimeError(f"{name}: image shape is incorrect, expected <H, W, 3>, but got {image.shape}.")


def _as_type(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return to_uint8(values) if dtype == np.uint8 else values.astype(dtype)


def gray(image: np.ndarray) -> np.ndarray:
    """Luminance (H, W) of RGB."""
    if image.dtype != np.uint8:
        return (image @ np.array([0.299, 0.587, 0.114])).astype(image.dtype)
    # OpenCV's fixed point of 15 bits.
    # The sums stay below 2**24, so that float32 is exact.
    weighted = image.astype(np.float32) @ np.array([9798, 19235, 3735], np.float32)
    return ((weighted.astype(np.int32) + (1 << 14)) >> 15).astype(np.uint8)


def _blend(first: np.ndarray, second: np.ndarray | np.floating, factor: float, dtype: np.dtype) -> np.ndarray:
    """``first * factor + second * (1 - factor)`` in float32."""
    weight = np.float32(factor)
    return _as_type(first.astype(np.float32) * weight + second * (np.float32(1) - weight), dtype)


def adjust_brightness(image: np.ndarray, factor: float) -> np.ndarray:
    """Scaled values."""
    return _as_type(image.astype(np.float32) * np.float32(factor), image.dtype)


def adjust_contrast(image: np.ndarray, factor: float) -> np.ndarray:
    """Mixed with the image's mean grey."""
    mean = np.float32(int(np.mean(gray(image)) + 0.5)) if image.dtype == np.uint8 else np.float32(np.mean(gray(image)))
    return _blend(image, mean, factor, image.dtype)


def adjust_saturation(image: np.ndarray, factor: float) -> np.ndarray:
    """Mixed with the grey image."""
    # Spread over the channels first: NumPy is slow over an axis of three.
    grey = np.repeat(gray(image).astype(np.float32), 3).reshape(image.shape)
    return _blend(image, grey, factor, image.dtype)


def adjust_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """Hue turned by `factor` of the circle."""
    if image.dtype != np.uint8:
        hsv = rgb_to_hsv(image)
        hsv[..., 0] = (hsv[..., 0] + factor) % 1.0
        return hsv_to_rgb(hsv).astype(image.dtype)
    # OpenCV's 8-bit HSV: full hue range of 256 one way, 255 the other.
    hsv = np.floor(rgb_to_hsv(image / 255.0) * (256.0, 255.0, 255.0) + 0.5)
    hsv[..., 0] = (hsv[..., 0] + int(factor * 255)) % 256
    return to_uint8(hsv_to_rgb(hsv / 255.0) * 255.0)


def adjust_sharpness(image: np.ndarray, factor: float) -> np.ndarray:
    """Mixed with the smoothed image (all but the outermost pixels)."""
    values = image.astype(np.float32)
    smooth = values.copy()
    total = sum(values[i : values.shape[0] - 2 + i, j : values.shape[1] - 2 + j] for i in range(3) for j in range(3))
    inner = (total + 4 * values[1:-1, 1:-1]) / 13
    smooth[1:-1, 1:-1] = _as_type(inner, image.dtype)
    return _blend(values, smooth, factor, image.dtype)


def rgb_to_hsv(image: np.ndarray) -> np.ndarray:
    """RGB in [0, 1] (..., 3) as hue, saturation, value in [0, 1]; float64."""
    rgb = np.asarray(image, dtype=np.float64)
    high, low = rgb.max(-1), rgb.min(-1)
    spread = high - low
    safe = np.where(spread == 0, 1, spread)
    red, green, blue = ((high - rgb[..., c]) / safe for c in range(3))
    hue = np.where(rgb[..., 0] == high, blue - green, np.where(rgb[..., 1] == high, 2 + red - blue, 4 + green - red))
    hue = np.where(spread == 0, 0, hue / 6 % 1)
    return np.stack([hue, np.where(high == 0, 0, spread / np.where(high == 0, 1, high)), high], -1)


def hsv_to_rgb(image: np.ndarray) -> np.ndarray:
    """The way back."""
    hue, saturation, value = (np.asarray(image[..., c], dtype=np.float64) for c in range(3))
    part = hue * 6
    sector = np.floor(part)
    part = part - sector
    p, q, t = value * (1 - saturation), value * (1 - saturation * part), value * (1 - saturation * (1 - part))
    choices = [(value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value), (value, p, q)]
    index = sector.astype(np.int64) % 6
    return np.stack([np.choose(index, [choice[c] for choice in choices]) for c in range(3)], -1)


def equalize(channel: np.ndarray) -> np.ndarray:
    """A uint8 channel with its histogram spread evenly."""
    histogram = np.bincount(channel.ravel(), minlength=256)
    first = int(np.flatnonzero(histogram)[0])
    rest = channel.size - histogram[first]
    if rest == 0:
        return channel
    histogram[first] = 0
    table = np.cumsum(histogram).astype(np.float32) * np.float32(255.0 / rest)
    return to_uint8(table)[channel]


def auto_contrast(channel: np.ndarray, cutoff: float, ignore: list[int]) -> np.ndarray:
    """A uint8 channel stretched to 0 .. 255 without `cutoff` percent at both ends and the values `ignore`."""
    histogram = np.bincount(channel.ravel(), minlength=256)
    histogram[ignore] = 0
    if cutoff:
        cut = int(histogram.sum() * cutoff / 100)
        for order in (range(256), range(255, -1, -1)):
            left = cut
            for i in order:
                taken = min(left, histogram[i])
                histogram[i] -= taken
                left -= taken
                if left <= 0:
                    break
    used = np.flatnonzero(histogram)
    if len(used) == 0 or used[-1] <= used[0]:
        return channel
    scale = np.float32(255.0 / (used[-1] - used[0]))
    table = np.arange(256, dtype=np.float32) * scale - np.float32(used[0]) * scale
    return np.clip(table, 0, 255).astype(np.uint8)[channel]
