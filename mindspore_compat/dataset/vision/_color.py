"""Colours: arithmetic on arrays (H, W, 3) with MindSpore's numbers; conversions, grey, HSV, linear maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil, opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random, python_random
from mindspore_compat.dataset.core.validator_helpers import check_probability
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    as_matrix,
    check_image,
)
from mindspore_compat.dataset.vision.utils import ConvertMode

__all__ = [
    "ConvertColor",
    "Grayscale",
    "HsvToRgb",
    "LinearTransformation",
    "RandomGrayscale",
    "RandomLighting",
    "RgbToHsv",
]


def check_rgb(image: np.ndarray, name: str) -> None:
    """Raise RuntimeError unless it is (H, W, 3), and of an accepted type."""
    check_image(image, name)
    if image.ndim != 3 or image.shape[2] != 3:
        raise RuntimeError(f"{name}: image shape is incorrect, expected <H, W, 3>, but got {image.shape}.")


def _table(values: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Return a uint8 image with each value replaced by that of a table of 256."""
    return opencv().LUT(np.ascontiguousarray(image), values.astype(np.uint8))


def to_uint8(values: np.ndarray) -> np.ndarray:
    """Return values rounded half to even and clipped to 0 .. 255, as OpenCV's saturate_cast does."""
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def gray(image: np.ndarray) -> np.ndarray:
    """Return luminance (H, W) of RGB."""
    if image.dtype == np.bool_:
        return gray(as_matrix(image)).astype(np.bool_)
    if image.dtype not in (np.uint8, np.uint16):
        return (image @ np.array([0.299, 0.587, 0.114])).astype(image.dtype)
    cv2 = opencv()
    return cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)


def _blend(first: np.ndarray, second: np.ndarray | np.floating, factor: float) -> np.ndarray:
    """Return ``first * factor + second * (1 - factor)`` in float32."""
    weight = np.float32(factor)
    return first.astype(np.float32) * weight + second * (np.float32(1) - weight)


def _mixed(first: np.ndarray, second: np.ndarray, factor: float) -> np.ndarray:
    """Return the blend of uint8 images, exact to MindSpore's last bit: in this order, with a float32 factor."""
    weight = float(np.float32(factor))
    return opencv().addWeighted(second, 1 - weight, np.ascontiguousarray(first), weight, 0).reshape(first.shape)


_LEVELS = np.arange(256, dtype=np.float32)


def adjust_brightness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return scaled values."""
    if image.dtype == np.uint8:
        return _table(to_uint8(_LEVELS * np.float32(factor)), image)
    wide = np.float64 if image.dtype == np.int32 else np.float32
    scaled = image.astype(wide) * wide(np.float32(factor))
    if image.dtype.kind in "iub":  # OpenCV rounds, and keeps to the type's range
        limits = np.iinfo(np.uint8 if image.dtype == np.bool_ else image.dtype)
        scaled = np.clip(np.rint(scaled), limits.min, limits.max)
    return scaled.astype(image.dtype)


def adjust_contrast(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image mixed with its mean grey."""
    if image.dtype == np.uint8:
        mean = np.rint(opencv().mean(gray(image))[0])  # halves to the even one
        return _table(_mixed(_LEVELS.astype(np.uint8), np.full(256, mean, np.uint8), factor), image)
    if image.dtype == np.uint16:
        return _mixed(image, np.full_like(image, np.rint(opencv().mean(gray(image))[0])), factor)
    return _blend(image, np.float32(np.mean(gray(image))), factor).astype(image.dtype)


def adjust_saturation(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image mixed with the grey image."""
    image = as_matrix(image)
    grey = opencv().merge([gray(image)] * 3)
    if image.dtype in (np.uint8, np.uint16):
        return _mixed(image, grey, factor)
    return _blend(image, grey.astype(np.float32), factor).astype(image.dtype)


def adjust_hue(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image with hue turned by `factor` of the circle."""
    if image.dtype != np.uint8:
        hsv = rgb_to_hsv(image)
        hsv[..., 0] = (hsv[..., 0] + factor) % 1.0
        return hsv_to_rgb(hsv).astype(image.dtype)
    cv2 = opencv()
    hsv = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2HSV_FULL)
    hsv[..., 0] += np.uint8(int(float(np.float32(factor)) * 255) % 256)  # wraps around
    return _bytes_of_hsv(hsv)


#: for red, green and blue: index of the level in each sixth of the circle
_LEVEL_OF = np.array([[0, 2, 1, 1, 3, 0], [3, 0, 0, 2, 1, 1], [1, 1, 3, 0, 0, 2]])


def _bytes_of_hsv(hsv: np.ndarray) -> np.ndarray:
    """Return RGB of hue, saturation and value, all bytes, in the float32 of MindSpore's OpenCV. With AVX2 it truncates
    32 pixels of a row at a time and rounds the rest; other OpenCVs round all.
    """
    one, whole = np.float32(1), np.float32(1 / 255)
    hue, saturation, value = hsv.astype(np.float32).transpose(2, 0, 1)
    hue, saturation, value = hue * (np.float32(6) / np.float32(255)), saturation * whole, value * whole
    sixth = np.trunc(hue)
    rest = hue - sixth
    exact = saturation.astype(np.float64)  # each of these is rounded once
    parts = one, one - saturation, *((1 - exact * one_rest).astype(np.float32) for one_rest in (rest, one - rest))
    levels = np.stack([value * part for part in parts]) * np.float32(255)
    rgb = np.stack([np.take_along_axis(levels, row[sixth.astype(np.int64) % 6][None], 0)[0] for row in _LEVEL_OF], -1)
    together = rgb.shape[1] // 32 * 32
    np.trunc(rgb[:, :together], out=rgb[:, :together])
    return to_uint8(rgb)


def adjust_sharpness(image: np.ndarray, factor: float) -> np.ndarray:
    """Return the image mixed with the smoothed image (all but the outermost pixels)."""
    cv2 = opencv()
    image = np.ascontiguousarray(as_matrix(image))
    kernel = np.ones((3, 3), np.float32)
    kernel[1, 1] = 5
    smooth = image.copy()
    smooth[1:-1, 1:-1] = cv2.filter2D(image, -1, kernel / 13).reshape(image.shape)[1:-1, 1:-1]
    weight = float(np.float32(factor))
    return cv2.addWeighted(image, weight, smooth, 1 - weight, 0).reshape(image.shape)


def rgb_to_hsv(image: np.ndarray) -> np.ndarray:
    """Return RGB in [0, 1] (..., 3) as hue, saturation, value in [0, 1]; float64."""
    rgb = np.asarray(image, dtype=np.float64)
    high, low = rgb.max(-1), rgb.min(-1)
    spread = high - low
    safe = np.where(spread == 0, 1, spread)
    red, green, blue = ((high - rgb[..., c]) / safe for c in range(3))
    hue = np.where(rgb[..., 0] == high, blue - green, np.where(rgb[..., 1] == high, 2 + red - blue, 4 + green - red))
    hue = np.where(spread == 0, 0, hue / 6 % 1)
    return np.stack([hue, np.where(high == 0, 0, spread / np.where(high == 0, 1, high)), high], -1)


def hsv_to_rgb(image: np.ndarray) -> np.ndarray:
    """Return the inverse of `rgb_to_hsv`."""
    hue, saturation, value = (np.asarray(image[..., c], dtype=np.float64) for c in range(3))
    part = hue * 6
    sector = np.floor(part)
    part = part - sector
    p, q, t = value * (1 - saturation), value * (1 - saturation * part), value * (1 - saturation * (1 - part))
    choices = [(value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value), (value, p, q)]
    index = sector.astype(np.int64) % 6
    return np.stack([np.choose(index, [choice[c] for choice in choices]) for c in range(3)], -1)


def equalize(channel: np.ndarray) -> np.ndarray:
    """Return a uint8 channel with its histogram spread evenly."""
    histogram = np.bincount(channel.ravel(), minlength=256)
    first = int(np.flatnonzero(histogram)[0])
    rest = channel.size - histogram[first]
    if rest == 0:
        return channel
    histogram[first] = 0
    table = np.cumsum(histogram).astype(np.float32) * np.float32(255.0 / rest)
    return _table(to_uint8(table), channel)


def auto_contrast(channel: np.ndarray, cutoff: float, ignore: list[int]) -> np.ndarray:
    """Return a uint8 channel stretched to 0 .. 255 without `cutoff` percent at both ends and the values `ignore`."""
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
    return _table(np.clip(table, 0, 255), channel)


@arguments
class RandomLighting(RandomImageOperation):
    """PCA noise of AlexNet, of strength `alpha`."""

    _VECTORS = np.array(
        [
            [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
            [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
            [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
        ]
    )

    draws = True
    alpha: Annotated[float, real(0)] = 0.05

    def _draw(self, image: Any) -> tuple:
        if is_pil(image):
            return (self._VECTORS @ numpy_random().normal(0.0, self.alpha, 3),)
        return (self._VECTORS @ engine_of(self).single_normals(3, self.alpha).astype(np.float64),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        array = np.asarray(image)
        check_rgb(array, "RandomLighting")
        if array.dtype == np.uint8 and not is_pil(image):
            return to_uint8(array + parameters[0].astype(np.float32))
        lit = np.clip(array + parameters[0], 0, 255).astype(array.dtype)
        if not is_pil(image):
            return lit
        from PIL import Image

        return Image.fromarray(lit)


@arguments
class ConvertColor(ImageOperation):
    """Channels reordered, added, dropped or merged to grey."""

    convert_mode: Annotated[ConvertMode, kind_of(ConvertMode)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        mode = self.convert_mode
        check_image(image, "ConvertColor")
        image = image[..., None] if image.ndim == 2 else image
        channels, is_from_gray, is_to_gray = image.shape[2], mode in (8, 9), mode in (6, 7, 10, 11)
        if channels not in ((1,) if is_from_gray else (3, 4) if is_to_gray else (1, 3, 4)):
            raise RuntimeError(f"ConvertColor: {mode.name} does not take an image of {channels} channels.")
        if channels == 1:
            image = np.repeat(image, 3, -1)
        is_swapped = mode in (2, 3, 4, 5, 6, 10)
        color = image[..., 2::-1] if is_swapped else image[..., :3]
        if is_to_gray:
            return gray(color)
        if mode in (0, 2, 5, 9):
            return np.concatenate([color, image[..., 3:]], -1) if channels == 4 else _with_alpha(color)
        return np.ascontiguousarray(color)


def _with_alpha(image: np.ndarray) -> np.ndarray:
    top = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
    return np.concatenate([image, np.full_like(image[..., :1], top)], -1)


def _grayscale(image: Any, channels: int) -> Any:
    from PIL import Image

    grey = image.convert("L")
    return grey if channels == 1 else Image.merge("RGB", (grey, grey, grey))


@arguments
class Grayscale(PilOperation):
    """A PIL image in grey, with 1 or 3 equal channels."""

    num_output_channels: Annotated[int, kind_of(int)] = 1

    def _prepare(self) -> None:
        if self.num_output_channels not in (1, 3):
            raise ValueError(f"num_output_channels should be either 1 or 3. Got {self.num_output_channels}.")

    def _compute(self, image: Any) -> Any:
        return _grayscale(image, self.num_output_channels)


@arguments
class RandomGrayscale(PilOperation):
    """A PIL image in grey with probability `prob`; the number of channels stays."""

    draws = True
    prob: Annotated[float, check_probability] = 0.1

    def _compute(self, image: Any) -> Any:
        channels = 1 if image.mode == "L" else 3
        return _grayscale(image, channels) if self.prob > python_random().random() else image


@arguments
class _HsvOperation(PyTensorOperation):
    """Base of HSV operations, on arrays (..., 3) with `is_hwc`, else (..., 3, H, W)."""

    implementation = Implementation.PY
    _function = staticmethod(rgb_to_hsv)
    is_hwc: Annotated[bool, flag] = False

    def _compute(self, image: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise TypeError(f"img should have 3 or 4 dimensions and 3 channels in axis {axis}. Got {image.shape}.")
        return np.moveaxis(type(self)._function(np.moveaxis(image, axis, -1)), -1, axis)


class RgbToHsv(_HsvOperation):
    """RGB in [0, 1] as hue, saturation and value."""


class HsvToRgb(_HsvOperation):
    """Hue, saturation and value as RGB."""

    _function = staticmethod(hsv_to_rgb)


@arguments
class LinearTransformation(PyTensorOperation):
    """``(flat image - mean_vector) @ transformation_matrix`` of an array (C, H, W), in its shape."""

    implementation = Implementation.PY
    transformation_matrix: Annotated[np.ndarray, kind_of(np.ndarray)]
    mean_vector: Annotated[np.ndarray, kind_of(np.ndarray)]

    def _prepare(self) -> None:
        shape = self.transformation_matrix.shape
        if self.mean_vector.shape * 2 != shape:
            raise ValueError(f"transformation_matrix {shape} and mean_vector {self.mean_vector.shape} do not match.")

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return ((image.ravel() - self.mean_vector) @ self.transformation_matrix).reshape(image.shape)
