"""Operations on the values of pixels: equalize, contrast, invert, posterize, solarize; and those by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import check_int, check_probability, type_check
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._adjust import AdjustSharpness, check_factor
from mindspore_compat.dataset.vision._image import check_image
from mindspore_compat.dataset.vision._operation import ImageOperation, RandomImageOperation, between, check_range

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

    degree: Annotated[float, check_factor]
    prob: Annotated[float, check_probability] = 0.5

    def _prepare(self) -> None:
        self.operation = AdjustSharpness(self.degree)
