"""Operations on the values of pixels: factors of brightness, contrast, saturation, sharpness, hue and gamma; equalize,
contrast, invert, posterize, solarize. Given or drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil, opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, real, several
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    check_probability,
    check_real,
    check_value,
)
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    RandomImageOperation,
    around_middle,
    as_matrix,
    check_bits,
    check_factor_range,
    check_ignored,
    check_image,
    twice,
    uniform,
)

__all__ = [
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustGamma",
    "AdjustHue",
    "AdjustSaturation",
    "AdjustSharpness",
    "RandomColor",
    "RandomColorAdjust",
    "RandomSharpness",
    "AutoContrast",
    "Equalize",
    "Invert",
    "Posterize",
    "RandomAdjustSharpness",
    "RandomAutoContrast",
    "RandomEqualize",
    "RandomInvert",
    "RandomPosterize",
    "RandomSolarize",
    "Solarize",
]

#: A factor of colour so near to 1 changes nothing.
_NEAR = 0.00195


def _enhance(kind: str, image: Any, factor: float) -> Any:
    """Return an image changed by PIL's ImageEnhance of that name."""
    from PIL import ImageEnhance

    return getattr(ImageEnhance, kind)(image).enhance(factor)


class _Adjust(ImageOperation):
    """Base of adjustments: one factor, one function for arrays, one PIL enhancer."""

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
    """Brighter by a factor; 0 is black, 1 changes nothing."""

    _function = staticmethod(_color.adjust_brightness)
    _enhancer, _factor_name = "Brightness", "brightness_factor"

    brightness_factor: Annotated[float, real(0)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "AdjustBrightness")
        if image.ndim == 2 or image.shape[2:] == (1,):  # only this one takes grey images
            return _color.adjust_brightness(image, self.factor).reshape(image.shape)
        return super()._compute(image)


@arguments
class AdjustContrast(_Adjust):
    """More contrast by a factor; 0 is one grey, 1 changes nothing."""

    _function = staticmethod(_color.adjust_contrast)
    _enhancer, _factor_name = "Contrast", "contrast_factor"

    contrast_factor: Annotated[float, real(0)]


@arguments
class AdjustSaturation(_Adjust):
    """More colour by a factor; 0 is grey, 1 changes nothing."""

    _function = staticmethod(_color.adjust_saturation)
    _enhancer, _factor_name = "Color", "saturation_factor"

    saturation_factor: Annotated[float, real(0)]


@arguments
class AdjustSharpness(_Adjust):
    """Sharper by a factor; 0 is smooth, 1 changes nothing."""

    takes_pil = False
    _function = staticmethod(_color.adjust_sharpness)
    _factor_name = "sharpness_factor"

    sharpness_factor: Annotated[float, real(0)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Sharpness")
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

    hue_factor: Annotated[float, real(-0.5, 0.5)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        _color.check_rgb(image, "AdjustHue")
        return _color.adjust_hue(image, self.hue_factor)

    def _compute_pil(self, image: Any) -> Any:
        return _hue_pil(image, self.hue_factor)


@arguments
class AdjustGamma(ImageOperation):
    """``gain * value ** gamma`` with values in [0, 1]; of floats ``(gain * value) ** gamma``, as in MindSpore."""

    takes_batches = True

    gamma: Annotated[float, real(0)]
    gain: Annotated[float, real()] = 1

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "AdjustGamma")
        if image.dtype.kind == "f":
            return np.clip(np.power(image * self.gain, self.gamma), 0, 1).astype(np.float32)
        filled = (
            opencv()
            .LUT(np.ascontiguousarray(as_matrix(image)), np.asarray(self._table(), np.uint8))
            .reshape(image.shape)
        )
        return filled != 0 if image.dtype == np.bool_ else filled.view(image.dtype)

    def _table(self) -> list[int]:
        return [min(int((255 + 1 - 1e-3) * self.gain * (i / 255.0) ** self.gamma), 255) for i in range(256)]

    def _compute_pil(self, image: Any) -> Any:
        if len(image.getbands()) not in (1, 3):
            return image  # as in MindSpore
        mode = image.mode
        return image.convert("RGB").point(self._table() * 3).convert(mode)


def _check_adjust(
    value: Any, name: str, center: float = 1.0, low: float = 0, high: float = FLOAT_MAX_INTEGER
) -> tuple[float, float]:
    if isinstance(value, (int, float)):
        check_value(value, (0, high), name)
        value = (max(center - value, 0) if low == 0 else center - value, center + value)
    return several(real(low, high), is_ordered=True)(value, name)


@arguments
class RandomColorAdjust(RandomImageOperation):
    """Brightness, contrast, saturation and hue drawn from ranges; x means 1 - x .. 1 + x (hue: -x .. x).

    Examples:
        >>> image = np.full((2, 2, 3), 100, np.uint8)
        >>> print(ds.vision.RandomColorAdjust(brightness=(0.5, 0.5))(image)[0, 0])
        [50 50 50]
    """

    brightness: Annotated[Any, _check_adjust] = (1, 1)
    contrast: Annotated[Any, _check_adjust] = (1, 1)
    saturation: Annotated[Any, _check_adjust] = (1, 1)
    hue: Annotated[Any, partial(_check_adjust, center=0.0, low=-0.5, high=0.5)] = (0, 0)

    draws = True

    def _draw(self, image: Any) -> tuple:
        ranges = (self.brightness, self.contrast, self.saturation, self.hue)
        if is_pil(image):
            drawn, order = [uniform(r) for r in ranges], [0, 1, 2, 3]
            python_random().shuffle(order)
            return (drawn, order)
        engine = engine_of(self)
        order, factors = engine.shuffled(4).tolist(), [1.0, 1.0, 1.0, 0.0]
        for i in order:
            if tuple(ranges[i]) != (factors[i], factors[i]):
                factors[i] = float(engine.single(*ranges[i]))
        return (factors, order)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        factors, order = parameters
        if not is_pil(image):
            _color.check_rgb(image, "RandomColorAdjust")
        for i in order:
            # PIL's conversion is lossy even without an adjustment, also in MindSpore.
            if is_pil(image) or factors[i] != (0 if i == 3 else 1):
                image = _ADJUSTERS[i][is_pil(image)](image, factors[i])
        return image


_ADJUSTERS: list[tuple[Callable, Callable]] = [
    (_color.adjust_brightness, lambda image, factor: _enhance("Brightness", image, factor)),
    (_color.adjust_contrast, lambda image, factor: _enhance("Contrast", image, factor)),
    (_color.adjust_saturation, lambda image, factor: _enhance("Color", image, factor)),
    (_color.adjust_hue, _hue_pil),
]


def _factor(limits: tuple[float, float]) -> float:
    """Return a number between the two limits."""
    return (limits[1] - limits[0]) * python_random().random() + limits[0]


@arguments
class RandomColor(RandomImageOperation):
    """`AdjustSaturation` by a factor drawn from `degrees`."""

    draws = True
    degrees: Annotated[Any, check_factor_range] = (0.1, 1.9)

    def _draw(self, image: Any) -> tuple:
        return (_factor(self.degrees) if is_pil(image) else float(engine_of(self).single(*self.degrees)),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        if is_pil(image):
            return _enhance("Color", image, parameters[0])
        _color.check_rgb(image, "RandomColor")
        if abs(parameters[0] - 1) < _NEAR:
            return image
        return _color.adjust_saturation(image, parameters[0])


class RandomSharpness(RandomColor):
    """`AdjustSharpness` by a factor drawn from `degrees`."""

    def _draw(self, image: Any) -> tuple:
        return (_factor(self.degrees) if is_pil(image) else around_middle(engine_of(self), self.degrees),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        if is_pil(image):
            return _enhance("Sharpness", image, parameters[0])
        check_image(image, "Sharpness")
        return _color.adjust_sharpness(image, parameters[0])


class _ByChannel(ImageOperation):
    """A function of each uint8 channel."""

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, type(self).__name__)
        image = as_matrix(image)
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


def _check_cutoff(cutoff: Any, name: str) -> float:
    check_real(cutoff, name)
    check_value(cutoff, (0, 50), name, below=True)
    return cutoff


@arguments
class AutoContrast(_ByChannel):
    """Values stretched to 0 .. 255, without `cutoff` percent at both ends and without the values `ignore`."""

    cutoff: Annotated[float, _check_cutoff] = 0.0
    ignore: Annotated[Any, check_ignored] = None

    def _prepare(self) -> None:
        self.ignore = list(self.ignore or ())

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
        if image.dtype == np.float16:
            raise RuntimeError("Invert: input of type float16 is not supported; use TypeCast to float32 before.")
        return _inverted(image)

    def _compute_pil(self, image: Any) -> Any:
        from PIL import ImageOps

        return ImageOps.invert(image)


def _inverted(image: np.ndarray) -> np.ndarray:
    """Return 255 minus the image, kept to the range of its type."""
    if image.dtype.kind not in "iu" or image.dtype == np.uint8:
        return (255 - image).astype(image.dtype)
    limits = np.iinfo(image.dtype)
    return np.clip(255 - image.astype(np.int64), limits.min, limits.max).astype(image.dtype)


@arguments
class Posterize(ImageOperation):
    """Only the upper `bits` of each value."""

    bits: Annotated[int, integer(0, 8)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return posterize(image, self.bits)


def posterize(image: np.ndarray, bits: int) -> np.ndarray:
    """Keep only the upper `bits` of each value."""
    check_image(image, "Posterize")
    image = as_matrix(image)
    if image.dtype not in (np.uint8, np.int8):
        raise RuntimeError(f"Posterize: data type of input image should be int8 or uint8, but got {image.dtype}.")
    return image.view(np.uint8) & np.uint8(256 - (1 << (8 - bits)))


@arguments
class RandomPosterize(RandomImageOperation):
    """`Posterize` with bits drawn from a range in [1, 8]."""

    draws = True
    bits: Annotated[Any, check_bits] = (8, 8)

    def _draw(self, image: Any) -> tuple:
        low, high = self.bits
        return (int(low) if low == high else engine_of(self).integer(int(low), int(high)),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return posterize(np.asarray(image), parameters[0])


@arguments
class Solarize(ImageOperation):
    """Values within `threshold` (min, max; or a number for min = max) inverted."""

    threshold: Annotated[Any, several(real(0, 255), spread=twice, is_ordered=True)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return solarize(image, *self.threshold)


def solarize(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """Invert values within the limits; equal limits mean: from there on."""
    check_image(image, "Solarize")
    inside = image >= low if low == high else (image >= low) & (image <= high)
    return np.where(inside, _inverted(image), image).astype(image.dtype)


@arguments
class RandomSolarize(RandomImageOperation):
    """`Solarize` between two limits drawn from `threshold`."""

    draws = True
    threshold: Annotated[tuple[int, int], several(integer(0, 255), is_ordered=True)] = (0, 255)

    def _draw(self, image: Any) -> tuple:
        low, high = map(int, self.threshold)
        engine = engine_of(self)
        drawn = sorted([engine.integer(low, high), engine.integer(low, high)])
        return (drawn[0], drawn[1])

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return solarize(np.asarray(image), *parameters)


class _Maybe(ImageOperation):
    """Another operation with probability `prob`."""

    takes_pil = False
    draws = True
    prob: float
    operation: ImageOperation

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        arrays = tuple(map(self._as_input, values))
        if engine_of(self).chance(np.float32(self.prob)):
            return self.operation._apply(*arrays)
        for array in arrays:  # errors do not depend on chance: one pixel shows them
            self.operation._apply(array[:1, :1] if array.ndim > 1 else array)
        return arrays


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

    degree: Annotated[float, real(0)]
    prob: Annotated[float, check_probability] = 0.5

    def _prepare(self) -> None:
        self.operation = AdjustSharpness(self.degree)
