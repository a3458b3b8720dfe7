"""Base class and argument checks of the image operations."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, UINT8_MAX, check_value, type_check
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation
from mindspore_compat.dataset.vision._image import is_pil
from mindspore_compat.dataset.vision.utils import Border, Inter

__all__ = [
    "ImageOperation",
    "PilOperation",
    "RandomImageOperation",
    "between",
    "check_border",
    "check_box",
    "check_fill",
    "check_interpolation",
    "check_padding",
    "check_range",
    "check_size",
    "each_image",
    "uniform",
]


class ImageOperation(TensorOperation):
    """An operation on arrays (H, W[, C]) that also takes PIL images.

    A subclass gives `_compute` (array to array) and, where PIL's own result is upstream's, `_compute_pil` (image to
    image). Those that upstream has for arrays only are not `takes_pil`: they make an array of a PIL image, and so what
    comes after them is done as for arrays.
    """

    takes_pil = True
    releases_gil = True

    def _apply(self, *values: Any) -> tuple:
        if len(values) == 1 and self.takes_pil and is_pil(values[0]):
            return (self._compute_pil(values[0]),)
        if len(values) == 1 and self.takes_batches:
            return (each_image(self._compute, self._as_input(values[0])),)
        return super()._apply(*values)

    def _compute_pil(self, image: Any) -> Any:
        return self._compute(np.asarray(image))


def each_image(function: Callable[[Any], Any], images: Any) -> Any:
    """`function` of an image; of an array (..., H, W, C) the images' results in its place."""
    if is_pil(images) or images.ndim <= 3:
        return function(images)
    results = np.stack([function(image) for image in images.reshape(-1, *images.shape[-3:])])
    return results.reshape(*images.shape[:-3], *results.shape[1:])


class RandomImageOperation(ImageOperation):
    """Draws parameters once per row and applies them to the row's columns (several with `is_multi_column`).

    A subclass gives `_draw(image) -> parameters` and `_transform(image, *parameters)`, both for arrays and PIL images.
    """

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        images = [self._as_input(v) for v in values]
        if not self.takes_batches:
            self._check(*images)
            parameters = self._draw(images[0])
            return tuple(self._transform(image, *parameters) for image in images)
        firsts = [
            image if is_pil(image) or image.ndim <= 3 else image.reshape(-1, *image.shape[-3:])[0] for image in images
        ]
        self._check(*firsts)
        parameters = self._draw(firsts[0])
        return tuple(each_image(lambda one: self._transform(one, *parameters), image) for image in images)

    def _check(self, *images: Any) -> None:
        sizes = {image.size[::-1] if is_pil(image) else image.shape[:2] for image in images}
        if len(sizes) > 1:
            raise RuntimeError(f"{type(self).__name__}: Input images must have the same size, but got {sorted(sizes)}.")

    def _draw(self, image: Any) -> tuple:
        return ()

    def _transform(self, image: Any, *parameters: Any) -> Any:
        raise NotImplementedError


class PilOperation(PyTensorOperation):
    """An operation on PIL images only. Raises: TypeError for arrays."""

    implementation = Implementation.PY
    takes_pil = True
    releases_gil = True

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            if not is_pil(value):
                raise TypeError(
                    f"img should be PIL image. Got {type(value)}. Use Decode(to_pil=True) for an encoded or ToPIL() "
                    "for a decoded image."
                )
        return super()._apply(*values)

    def _as_input(self, value: Any) -> Any:
        return value

    def _compute(self, *arrays: Any) -> Any:
        raise NotImplementedError


def check_size(size: Any, name: str = "size") -> tuple[int, int] | int:
    """A positive int or (height, width). Raises: TypeError, ValueError."""
    if isinstance(size, (list, tuple)):
        if len(size) != 2:
            raise TypeError(f"{name} should be a single integer or a list/tuple (h, w) of length 2, but got {size}.")
        for value in size:
            type_check(value, int, name)
            check_value(value, (1, FLOAT_MAX_INTEGER), name)
        return (size[0], size[1])
    if not isinstance(size, int) or isinstance(size, bool):
        raise TypeError(f"{name} should be a single integer or a list/tuple (h, w) of length 2, but got {size!r}.")
    check_value(size, (1, FLOAT_MAX_INTEGER), name)
    return size


def check_box(size: Any, name: str = "size") -> tuple[int, int]:
    """(height, width), where an int stands for both."""
    size = check_size(size, name)
    return (size, size) if isinstance(size, int) else size


def check_interpolation(interpolation: Any, name: str = "interpolation") -> Inter:
    """An `Inter`."""
    if not isinstance(interpolation, Inter):
        raise TypeError(
            f"Argument {name} with value {interpolation} is not of type {[Inter]}, but got {type(interpolation)}."
        )
    return interpolation


def check_border(mode: Any, name: str = "padding_mode") -> str:
    """A `Border`; its value."""
    type_check(mode, Border, name)
    return mode.value


def check_fill(fill_value: Any, name: str = "fill_value") -> tuple[int, ...]:
    """An int in [0, 255] or 3 of them; always 3."""
    type_check(fill_value, (int, tuple), name)
    values = (fill_value,) * 3 if isinstance(fill_value, int) else fill_value
    if len(values) != 3:
        raise TypeError(f"fill_value should be a single integer or a 3-tuple, but got {fill_value}.")
    for value in values:
        type_check(value, int, name)
        check_value(value, (0, UINT8_MAX), name)
    return values


def check_padding(padding: Any, name: str = "padding") -> tuple[int, int, int, int]:
    """(left, top, right, bottom) of an int, (left and right, top and bottom) or all four."""
    type_check(padding, (tuple, list, numbers.Number), "padding")
    values = (padding,) * 4 if isinstance(padding, numbers.Number) else tuple(padding)
    if len(values) == 2:
        values = (values[0], values[1], values[0], values[1])
    if len(values) != 4:
        raise ValueError(f"The size of the padding list or tuple should be 2 or 4, but got {padding}.")
    for value in values:
        type_check(value, int, "pad_value")
        check_value(value, (0, 2147483647), "pad_value")
    return values  # type: ignore[return-value]


def check_range(value: Any, name: str, low: float = -float("inf"), high: float = float("inf")) -> tuple[float, float]:
    """Two ordered numbers within [low, high]."""
    type_check(value, (list, tuple), name)
    if len(value) != 2:
        raise TypeError(f"{name} must be a sequence with length 2, but got {value}.")
    for item in value:
        type_check(item, (int, float), name)
        check_value(item, (low, high), name)
    if value[0] > value[1]:
        raise ValueError(f"{name} should be in (min,max) format. Got (max,min): {value}.")
    return (value[0], value[1])


def between(low: float = -float("inf"), high: float = float("inf")) -> Callable[[Any, str], Any]:
    """Two ordered numbers within [low, high], as a check."""
    return partial(check_range, low=low, high=high)


def uniform(limits: Sequence[float]) -> float:
    """A number between the two limits, from the pipeline's generator."""
    return limits[0] if limits[0] == limits[1] else float(current_rng().uniform(limits[0], limits[1]))
