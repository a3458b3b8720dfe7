"""Operations on colours and brightness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import check_int, check_probability, check_value, type_check
from mindspore_compat.dataset.transforms._operation import PyTensorOperation
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._image import check_image, is_pil
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    between,
    check_range,
    uniform,
)
from mindspore_compat.dataset.vision.utils import ConvertMode

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "AutoContrast",
    "ConvertColor",
    "Equalize",
    "Grayscale",
    "HsvToRgb",
    "Invert",
    "LinearTransformation",
    "Posterize",
    "RandomAdjustSharpness",
    "RandomAutoContrast",
    "RandomColor",
    "RandomColorAdjust",
    "RandomEqualize",
    "RandomGrayscale",
    "RandomInvert",
    "RandomLighting",
    "RandomPosterize",
    "RandomSharpness",
    "RandomSolarize",
    "RgbToHsv",
    "Solarize",
]


def _enhance(kind: str, image: Any, factor: float) -> Any:
    """PIL's ImageEnhance of that name."""
    from PIL import ImageEnhance

    return getattr(ImageEnhance, kind)(image).enhance(factor)


def _check_factor(factor: Any, name: str, limits: tuple[float, float] = (0, 16777216)) -> float:
    type_check(factor, (float, int), name)
    check_value(factor, limits, name)
    return factor


class _Adjust(ImageOperation):
    """One factor, one function for arrays, one PIL enhancer."""

    _function: Callable[[np.ndarray, float], np.ndarray]
    _enhancer = ""
    _factor_name = ""

    def _prepare(self) -> None:
        self.factor = getattr(self, self._factor_name)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        _color.check_rgb(image, type(self).__name__)
        return type(self)._function(image, self.factor)

    def _compute_pil(self, image: Any) -> Any:
        return _enhance(self._enhancer, image, self.factor)


@arguments
class AdjustBrightness(_Adjust):
    """Brighter by a factor; 0 is black, 1 leaves it."""

    _function = staticmethod(_color.adjust_brightness)
    _enhancer, _factor_name = "Brightness", "brightness_factor"

    brightness_factor: Annotated[float, _check_factor]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        if image.ndim == 2 or image.shape[2:] == (1,):  # only this one takes grey images
            return _color.adjust_brightness(image, self.factor).reshape(image.shape)
        return super()._compute(image)


@arguments
class AdjustContrast(_Adjust):
    """More contrast by a factor; 0 is one grey, 1 leaves it."""

    _function = staticmethod(_color.adjust_contrast)
    _enhancer, _factor_name = "Contrast", "contrast_factor"

    contrast_factor: Annotated[float, _check_factor]


@arguments
class AdjustSaturation(_Adjust):
    """More colour by a factor; 0 is grey, 1 leaves it."""

    _function = staticmethod(_color.adjust_saturation)
    _enhancer, _factor_name = "Color", "saturation_factor"

    saturation_factor: Annotated[float, _check_factor]


@arguments
class AdjustSharpness(_Adjust):
    """Sharper by a factor; 0 is smooth, 1 leaves it."""

    takes_pil = False
    _function = staticmethod(_color.adjust_sharpness)
    _factor_name = "sharpness_factor"

    sharpness_factor: Annotated[float, _check_factor]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "AdjustSharpness")
        return _color.adjust_sharpness(image, self.factor)


def _hue_pil(image: Any, factor: float) -> Any:
    from PIL import Image

    if image.mode in {"L", "1", "I", "F"}:
        return image
    hue, saturation, value = image.convert("HSV").split()
    turned = (np.asarray(hue).astype(np.int64) + int(factor * 255)) % 256
    return Image.merge("HSV", (Image.fromarray(turned.astype(np.uint8)), saturation, value)).convert(image.mode)


@arguments
class AdjustHue(ImageOperation):
    """Hue turned by `hue_factor` of the circle, in [-0.5, 0.5]."""

    hue_factor: Annotated[float, partial(_check_factor, limits=(-0.5, 0.5))]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        _color.check_rgb(image, "AdjustHue")
        return _color.adjust_hue(image, self.hue_factor)

    def _compute_pil(self, image: Any) -> Any:
        return _hue_pil(image, self.hue_factor)


@arguments
class AdjustGamma(ImageOperation):
    """``gain * value ** gamma`` with values in [0, 1]."""

    takes_batches = True

    gamma: Annotated[float, _check_factor]
    gain: Annotated[float, kind_of(float, int)] = 1

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "AdjustGamma")
        if image.dtype.kind == "f":
            return np.clip(np.power(image, self.gamma) * self.gain, 0, 1).astype(np.float32)
        return opencv().LUT(np.ascontiguousarray(image), np.asarray(self._table(), np.uint8)).reshape(image.shape)

    def _table(self) -> list[int]:
        return [min(int((255 + 1 - 1e-3) * self.gain * (i / 255.0) ** self.gamma), 255) for i in range(256)]

    def _compute_pil(self, image: Any) -> Any:
        mode = image.mode
        return image.convert("RGB").point(self._table() * 3).convert(mode)


def _check_adjust(
    value: Any, name: str, center: float = 1.0, low: float = 0.0, high: float = float("inf")
) -> tuple[float, float]:
    type_check(value, (int, float, list, tuple), name)
    if isinstance(value, (int, float)):
        if value < 0:
            raise ValueError(f"The input value of {name} cannot be negative, but got {value}.")
        check_value(value, (0, max(high, 0)), name)
        return (max(center - value, low), center + value)
    return check_range(value, name, low, high)


@arguments
class RandomColorAdjust(RandomImageOperation):
    """Brightness, contrast, saturation and hue drawn from ranges; x stands for 1 - x .. 1 + x (hue: -x .. x)."""

    brightness: Annotated[Any, _check_adjust] = (1, 1)
    contrast: Annotated[Any, _check_adjust] = (1, 1)
    saturation: Annotated[Any, _check_adjust] = (1, 1)
    hue: Annotated[Any, partial(_check_adjust, center=0.0, low=-0.5, high=0.5)] = (0, 0)

    def _draw(self, image: Any) -> tuple:
        factors = [uniform(r) for r in (self.brightness, self.contrast, self.saturation, self.hue)]
        return (factors, current_rng().permutation(4))

    def _transform(self, image: Any, *parameters: Any) -> Any:
        factors, order = parameters
        if not is_pil(image):
            _color.check_rgb(image, "RandomColorAdjust")
        for i in order:
            # PIL's way is lossy even where nothing is adjusted, and upstream goes it.
            if is_pil(image) or factors[i] != (0 if i == 3 else 1):
                image = _ADJUSTERS[i][is_pil(image)](image, factors[i])
        return image


_ADJUSTERS: list[tuple[Callable, Callable]] = [
    (_color.adjust_brightness, lambda image, factor: _enhance("Brightness", image, factor)),
    (_color.adjust_contrast, lambda image, factor: _enhance("Contrast", image, factor)),
    (_color.adjust_saturation, lambda image, factor: _enhance("Color", image, factor)),
    (_color.adjust_hue, _hue_pil),
]


@arguments
class RandomColor(RandomImageOperation):
    """`AdjustSaturation` by a factor drawn from `degrees`."""

    degrees: Annotated[Sequence[float], between(0)] = (0.1, 1.9)

    def _draw(self, image: Any) -> tuple:
        return (uniform(self.degrees),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        if is_pil(image):
            return _enhance("Color", image, parameters[0])
        _color.check_rgb(image, "RandomColor")
        return _color.adjust_saturation(image, parameters[0])


class RandomSharpness(RandomColor):
    """`AdjustSharpness` by a factor drawn from `degrees`."""

    def _transform(self, image: Any, *parameters: Any) -> Any:
        if is_pil(image):
            return _enhance("Sharpness", image, parameters[0])
        return _color.adjust_sharpness(image, parameters[0])


class _ByChannel(ImageOperation):
    """A function of each uint8 channel."""

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, type(self).__name__)
        if image.dtype != np.uint8:
            raise RuntimeError(f"{type(self).__name__}: input must be uint8, but got {image.dtype}.")
        if image.ndim == 2:
            return self._channel(image)
        return np.stack([self._channel(image[..., c]) for c in range(image.shape[2])], -1)

    def _channel(self, channel: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class Equalize(_ByChannel):
    """Histograms spread evenly."""

    def _channel(self, channel: np.ndarray) -> np.ndarray:
        return _color.equalize(channel)

    def _compute_pil(self, image: Any) -> Any:
        from PIL import ImageOps

        return ImageOps.equalize(image)


@arguments
class AutoContrast(_ByChannel):
    """Values stretched to 0 .. 255, without `cutoff` percent at both ends and without the values `ignore`."""

    cutoff: Annotated[float, real(0, 50)] = 0.0
    ignore: Annotated[Any, kind_of(int, list, tuple)] = None

    def _prepare(self) -> None:
        given = self.ignore
        self.ignore = [] if given is None else [given] if isinstance(given, int) else list(given)
        for value in self.ignore:
            check_int(value, "ignore", 0, 255)

    def _channel(self, channel: np.ndarray) -> np.ndarray:
        return _color.auto_contrast(channel, self.cutoff, self.ignore)

    def _compute_pil(self, image: Any) -> Any:
        from PIL import ImageOps

        return ImageOps.autocontrast(image, self.cutoff, self.ignore or None)


class Invert(ImageOperation):
    """255 minus the image."""

    is_pointwise = True

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Invert")
        return (255 - image).astype(image.dtype)

    def _compute_pil(self, image: Any) -> Any:
        from PIL import ImageOps

        return ImageOps.invert(image)


@arguments
class Posterize(ImageOperation):
    """Only the upper `bits` of each value."""

    bits: Annotated[int, integer(0, 8)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return posterize(image, self.bits)


def posterize(image: np.ndarray, bits: int) -> np.ndarray:
    """See `Posterize`."""
    check_image(image, "Posterize")
    if image.dtype != np.uint8:
        raise RuntimeError(f"Posterize: input must be uint8, but got {image.dtype}.")
    return image & np.uint8(256 - (1 << (8 - bits)))


def _check_bits(bits: Any, name: str) -> tuple[int, int]:
    type_check(bits, (int, list, tuple), name)
    low, high = (bits, bits) if isinstance(bits, int) else check_range(bits, name, 1, 8)
    return check_int(low, name, 1, 8), check_int(high, name, 1, 8)


@arguments
class RandomPosterize(RandomImageOperation):
    """`Posterize` with bits drawn from a range in [1, 8]."""

    bits: Annotated[Any, _check_bits] = (8, 8)

    def _draw(self, image: Any) -> tuple:
        return (int(current_rng().integers(self.bits[0], self.bits[1] + 1)),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return posterize(np.asarray(image), parameters[0])


def _check_threshold(value: Any, name: str) -> tuple[float, float]:
    type_check(value, (int, float, list, tuple), name)
    return check_range((value, value) if isinstance(value, (int, float)) else value, name, 0, 255)


@arguments
class Solarize(ImageOperation):
    """Values within `threshold` (min, max; or a number for min = max) inverted."""

    threshold: Annotated[Any, _check_threshold]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return solarize(image, *self.threshold)


def solarize(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """See `Solarize`; equal limits mean: from there on."""
    check_image(image, "Solarize")
    inside = image >= low if low == high else (image >= low) & (image <= high)
    return np.where(inside, 255 - image, image).astype(image.dtype)


@arguments
class RandomSolarize(RandomImageOperation):
    """`Solarize` between two limits drawn from `threshold`."""

    threshold: Annotated[Sequence[int], between(0, 255)] = (0, 255)

    def _draw(self, image: Any) -> tuple:
        low, high = self.threshold
        drawn = sorted(current_rng().integers(int(low), int(high) + 1, 2).tolist())
        return (drawn[0], drawn[1])

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return solarize(np.asarray(image), *parameters)


class _Maybe(ImageOperation):
    """Another operation with probability `prob`."""

    takes_pil = False
    prob: float
    operation: ImageOperation

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        arrays = tuple(map(self._as_input, values))
        return self.operation._apply(*arrays) if current_rng().random() < self.prob else arrays


@arguments
class RandomInvert(_Maybe):
    """`Invert` with probability `prob`."""

    prob: Annotated[float, check_probability] = 0.5
    operation = Invert()


@arguments
class RandomEqualize(_Maybe):
    """`Equalize` with probability `prob`."""

    prob: Annotated[float, check_probability] = 0.5
    operation = Equalize()


@arguments
class RandomAutoContrast(_Maybe):
    """`AutoContrast` with probability `prob`."""

    cutoff: float = 0.0
    ignore: Any = None
    prob: Annotated[float, check_probability] = 0.5

    def _prepare(self) -> None:
        self.operation = AutoContrast(self.cutoff, self.ignore)


@arguments
class RandomAdjustSharpness(_Maybe):
    """`AdjustSharpness` by `degree` with probability `prob`."""

    degree: Annotated[float, _check_factor]
    prob: Annotated[float, check_probability] = 0.5

    def _prepare(self) -> None:
        self.operation = AdjustSharpness(self.degree)


@arguments
class RandomLighting(RandomImageOperation):
    """AlexNet's PCA noise of strength `alpha`."""

    _VECTORS = np.array(
        [
            [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
            [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
            [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
        ]
    )

    alpha: Annotated[float, _check_factor] = 0.05

    def _draw(self, image: Any) -> tuple:
        return (self._VECTORS @ current_rng().normal(0.0, self.alpha, 3),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        array = np.asarray(image)
        _color.check_rgb(array, "RandomLighting")
        lit = np.clip(array + parameters[0], 0, 255).astype(np.uint8)
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
        channels = 1 if image.ndim == 2 else image.shape[2]
        expected = {0: 3, 2: 3, 4: 3, 6: 3, 7: 3, 8: 1, 9: 1}.get(int(mode), 4)
        if channels != expected:
            raise RuntimeError(f"ConvertColor: {mode.name} needs {expected} channels, but the image is {image.shape}.")
        if mode in (ConvertMode.COLOR_GRAY2RGB, ConvertMode.COLOR_GRAY2RGBA):
            image = np.repeat(image.reshape(*image.shape[:2], 1), 3, -1)
            return image if mode == ConvertMode.COLOR_GRAY2RGB else _with_alpha(image)
        is_swapped = mode in (2, 3, 4, 5, 6, 10)
        color = image[..., 2::-1] if is_swapped else image[..., :3]
        if mode in (6, 7, 10, 11):
            return _color.gray(color)
        if mode in (0, 2):
            return _with_alpha(color)
        if mode == ConvertMode.COLOR_BGRA2RGBA:
            return np.concatenate([color, image[..., 3:]], -1)
        return np.ascontiguousarray(color)


def _with_alpha(image: np.ndarray) -> np.ndarray:
    top = 255 if image.dtype == np.uint8 else 1
    return np.concatenate([image, np.full_like(image[..., :1], top)], -1)


def _grayscale(image: Any, channels: int) -> Any:
    from PIL import Image

    grey = image.convert("L")
    return grey if channels == 1 else Image.merge("RGB", (grey, grey, grey))


@arguments
class Grayscale(PilOperation):
    """A PIL image in grey, with 1 or 3 equal channels."""

    num_output_channels: int = 1

    def _prepare(self) -> None:
        if self.num_output_channels not in (1, 3):
            raise ValueError(
                f"Number of channels of the output grayscale image should be 1 or 3, got {self.num_output_channels}."
            )

    def _compute(self, image: Any) -> Any:
        return _grayscale(image, self.num_output_channels)


@arguments
class RandomGrayscale(PilOperation):
    """A PIL image in grey with probability `prob`; the number of channels stays."""

    prob: Annotated[float, check_probability] = 0.1

    def _compute(self, image: Any) -> Any:
        channels = 1 if image.mode == "L" else 3
        return _grayscale(image, channels) if current_rng().random() < self.prob else image


@arguments
class _HsvOperation(PyTensorOperation):
    """On arrays (..., 3) with `is_hwc`, else (..., 3, H, W)."""

    _function = staticmethod(_color.rgb_to_hsv)
    is_hwc: Annotated[bool, flag] = False

    def _compute(self, image: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise ValueError(f"img should be 3 or 4 dimensional with 3 channels at axis {axis}, but got {image.shape}.")
        return np.moveaxis(type(self)._function(np.moveaxis(image, axis, -1)), -1, axis)


class RgbToHsv(_HsvOperation):
    """RGB in [0, 1] as hue, saturation and value."""


class HsvToRgb(_HsvOperation):
    """Hue, saturation and value as RGB."""

    _function = staticmethod(_color.hsv_to_rgb)


@arguments
class LinearTransformation(PyTensorOperation):
    """``(flat image - mean_vector) @ transformation_matrix`` of an array (C, H, W), in its shape."""

    transformation_matrix: Annotated[np.ndarray, kind_of(np.ndarray)]
    mean_vector: Annotated[np.ndarray, kind_of(np.ndarray)]

    def _prepare(self) -> None:
        shape = self.transformation_matrix.shape
        if len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(f"transformation_matrix should be a square matrix, got shape {shape}.")
        if self.mean_vector.shape != shape[:1]:
            raise ValueError(f"mean_vector length {self.mean_vector.shape} should match the matrix {shape}.")

    def _compute(self, image: np.ndarray) -> np.ndarray:
        if image.size != len(self.mean_vector):
            raise ValueError(
                f"transformation_matrix {self.transformation_matrix.shape} does not fit an image of {image.shape}."
            )
        return ((image.ravel() - self.mean_vector) @ self.transformation_matrix).reshape(image.shape)
