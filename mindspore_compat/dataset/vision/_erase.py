"""Erasure of parts of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real, several
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random, python_random
from mindspore_compat.dataset.core.validator_helpers import (
    UINT8_MAX,
    check_pos_int32,
    check_probability,
)
from mindspore_compat.dataset.transforms._operation import Implementation
from mindspore_compat.dataset.vision._checks import check_fill, check_scale
from mindspore_compat.dataset.vision._image import check_image
from mindspore_compat.dataset.vision._operation import ImageOperation, uniform

__all__ = ["CutOut", "Erase", "RandomErasing"]


@arguments
class Erase(ImageOperation):
    """A box of the image set to `value`; with `inplace` in the given array itself."""

    top: Annotated[int, integer(0)]
    left: Annotated[int, integer(0)]
    height: Annotated[int, check_pos_int32]
    width: Annotated[int, check_pos_int32]
    value: Annotated[Any, several(real(0, UINT8_MAX), (3,), lambda value: (value,))] = 0.0
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
    scale: Annotated[tuple[float, float], check_scale] = (0.02, 0.33)
    ratio: Annotated[tuple[float, float], several(real(0, above=True), is_ordered=True)] = (0.3, 3.3)
    value: Annotated[Any, kind_of(int, list, tuple, str)] = 0
    inplace: Annotated[bool, flag] = False
    max_attempts: Annotated[int, check_pos_int32] = 10

    def _prepare(self) -> None:
        if not isinstance(self.value, str):
            check_fill(self.value, "value")
        elif self.value != "random":
            raise ValueError(f"value must be 'random', a number or three numbers, but got {self.value!r}.")

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
    length: Annotated[int, check_pos_int32]
    num_patches: Annotated[int, check_pos_int32] = 1
    is_hwc: Annotated[bool, flag] = True

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "CutOut")
        image = image.copy()
        view = image if self.is_hwc else image.transpose(1, 2, 0)
        height, width = view.shape[:2]
        if self.length > height or self.length > width:
            raise RuntimeError(f"CutOut: box size {self.length} is too large for the image {(height, width)}.")
        engine = engine_of(self)
        for _ in range(self.num_patches):  # parts of them may lie outside
            bottom, right = engine.integer(0, height + self.length), engine.integer(0, width + self.length)
            view[max(0, bottom - self.length) : bottom, max(0, right - self.length) : right] = 0
        return image
