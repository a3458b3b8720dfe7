"""Brightness, contrast, saturation, sharpness, hue and gamma by factors, given or drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, real, several
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, check_value
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._checks import check_factor_range
from mindspore_compat.dataset.vision._image import as_matrix, check_image, is_pil
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    RandomImageOperation,
    around_middle,
    uniform,
)

#: A factor of colour so near to 1 changes nothing.
_NEAR = 0.00195

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
]


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
