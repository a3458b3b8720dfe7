"""Operations on the values of pixels: equalize, contrast, invert, posterize, solarize; and random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, real, several
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import (
    check_probability,
    check_real,
    check_value,
)
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._adjust import AdjustSharpness
from mindspore_compat.dataset.vision._checks import check_bits, check_ignored, twice
from mindspore_compat.dataset.vision._image import as_matrix, check_image
from mindspore_compat.dataset.vision._operation import ImageOperation, RandomImageOperation

__all__ = [
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
