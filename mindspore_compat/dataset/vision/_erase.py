"""Erasing parts of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random, python_random
from mindspore_compat.dataset.core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    UINT8_MAX,
    check_int,
    check_pos_int32,
    check_positive,
    check_probability,
    check_value,
    refused,
    type_check,
    type_check_list,
)
from mindspore_compat.dataset.transforms._operation import Implementation
from mindspore_compat.dataset.vision._checks import check_span, need_length, need_order
from mindspore_compat.dataset.vision._image import check_image
from mindspore_compat.dataset.vision._operation import ImageOperation, uniform

__all__ = ["CutOut", "Erase", "RandomErasing"]


def _check_color(value: Any, name: str) -> tuple[float, ...]:
    type_check(value, (float, int, tuple), name)
    values = (value,) * 3 if isinstance(value, (float, int)) else value
    type_check_list(values, (float, int), name)
    need_length(values, (3,), f"{name} should be a single integer/float or a 3-tuple.")
    for place, number in enumerate(values):
        check_value(number, (0, UINT8_MAX), f"{name}[{place}]")
    return value if isinstance(value, tuple) else (value,)


@arguments
class Erase(ImageOperation):
    """A box of the image set to `value`; with `inplace` in the given array itself."""

    top: Annotated[int, integer(0)]
    left: Annotated[int, integer(0)]
    height: Annotated[int, check_pos_int32]
    width: Annotated[int, check_pos_int32]
    value: Annotated[Any, _check_color] = 0.0
    inplace: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self.box = (self.top, self.left, self.height, self.width)
        self.value = np.asarray(self.value)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Erase")
        top, left, height, width = self.box
        if top + height > image.shape[0] or left + width > image.shape[1]:
            raise RuntimeError(f"Erase: box {self.box} is out of the image of {image.shape[:2]}.")
        image = image if self.inplace else image.copy()
        image[top : top + height, left : left + width] = self.value.astype(image.dtype)
        return image


def _check_pair(values: Any, name: str) -> Any:
    type_check(values, (list, tuple), name)
    type_check_list(values, (float, int), name)
    need_length(values, (2,), f"{name} should be a list or tuple of length 2.")
    return values


@arguments
class RandomErasing(ImageOperation):
    """A random box of an array (C, H, W) set to `value`, with probability `prob`.

    Args:
        scale: range of the box's part of the area; ratio: range of its height to width.
        value: a number, one per channel, or "random" for noise.
    """

    implementation = Implementation.PY
    draws = True
    prob: Annotated[float, check_probability] = 0.5
    scale: Annotated[tuple[float, float], _check_pair] = (0.02, 0.33)
    ratio: Annotated[tuple[float, float], _check_pair] = (0.3, 3.3)
    value: Annotated[Any, kind_of(int, list, tuple, str)] = 0
    inplace: Annotated[bool, flag] = False
    max_attempts: Annotated[int, integer(1, FLOAT_MAX_INTEGER, is_named=False)] = 10

    def _prepare(self) -> None:
        is_text, is_list = isinstance(self.value, str), isinstance(self.value, (list, tuple))
        if (is_text and self.value != "random") or (is_list and len(self.value) != 3):
            raise refused(
                ValueError,
                "The value for erasing should be either a single value, or a string 'random', or a sequence of 3 "
                "elements for RGB respectively.",
                self.value,
            )
        need_order(self.scale, "scale")
        check_span(self.scale, (0, FLOAT_MAX_INTEGER))
        check_positive(self.scale[1], "scale[1]")
        need_order(self.ratio, "ratio")
        for number in self.ratio:
            check_value(number, (0, FLOAT_MAX_INTEGER), above=True)
        if isinstance(self.value, int):
            check_value(self.value, (0, UINT8_MAX))
        for number in self.value if is_list else ():
            check_int(number, "value", 0, UINT8_MAX)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        if image.ndim != 3:
            raise TypeError(f"img dimension should be 3 (C, H, W). Got {image.ndim}.")
        box = self._draw_box(*image.shape[1:]) if self.prob > python_random().random() else None
        if box is None:
            return image
        top, left, height, width = box
        image = image if self.inplace else image.copy()
        if self.value == "random":
            fill = numpy_random().normal(0.0, 1.0, (image.shape[0], height, width))
        else:
            fill = np.asarray(self.value).reshape(-1, 1, 1)
        image[:, top : top + height, left : left + width] = fill
        return image

    def _compute_pil(self, image: Any) -> Any:
        if self.prob > python_random().random():
            raise TypeError(f"img should be NumPy array. Got {type(image)}. Use ToTensor() or np.array before.")
        return image

    def _draw_box(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        draw = python_random().randint
        for _ in range(self.max_attempts):
            area, aspect = uniform(self.scale) * (height * width), uniform(self.ratio)
            box_width = round((area * aspect) ** 0.5)
            box_height = round(box_width / aspect)
            if box_height < height and box_width < width:
                return draw(0, height - box_height), draw(0, width - box_width), box_height, box_width
        return None


@arguments
class CutOut(ImageOperation):
    """`num_patches` random squares of side `length` set to 0."""

    draws = True
    length: Annotated[int, integer(1, FLOAT_MAX_INTEGER, is_named=False)]
    num_patches: Annotated[int, integer(1, FLOAT_MAX_INTEGER, is_named=False)] = 1
    is_hwc: Annotated[bool, flag] = True

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "CutOut")
        image = image.copy()
        view = image if self.is_hwc else image.transpose(1, 2, 0)
        height, width = view.shape[:2]
        if self.length > height or self.length > width:
            raise RuntimeError(
                f"CutOut: box size is too large for image erase, box: {self.length}, image: {(height, width)}."
            )
        engine = engine_of(self)
        for _ in range(self.num_patches):  # parts of them may lie outside
            bottom, right = engine.integer(0, height + self.length), engine.integer(0, width + self.length)
            view[max(0, bottom - self.length) : bottom, max(0, right - self.length) : right] = 0
        return image
