"""Operations on an image and its boxes together. Boxes are float32 (n, 4 or more): x, y, width, height in pixels, then
unchanged values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, kind_of
from mindspore_compat.dataset.core.randomness import engine_of
from mindspore_compat.dataset.core.validator_helpers import check_probability
from mindspore_compat.dataset.transforms._operation import TensorOperation
from mindspore_compat.dataset.vision._checks import check_interpolation, check_size
from mindspore_compat.dataset.vision._crop import RandomCrop, pad_image
from mindspore_compat.dataset.vision._flip import flip
from mindspore_compat.dataset.vision._image import check_image
from mindspore_compat.dataset.vision._operation import need_image
from mindspore_compat.dataset.vision._resize import RandomResizedCrop, crop_box, resize_image
from mindspore_compat.dataset.vision.utils import Border, Inter

__all__ = [
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]


class _WithBoxes(TensorOperation):
    """Base of operations on the columns image and boxes. A subclass gives `_both`, which may change its boxes."""

    draws = True

    is_multi_column = True

    def _as_input(self, value: Any) -> Any:
        need_image(value)
        return super()._as_input(value)

    def _compute(self, *arrays: Any) -> tuple:
        image, boxes = arrays
        check_image(image, type(self).__name__)
        _check_boxes(image, boxes)
        return self._both(image, boxes.copy())

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


def _check_boxes(image: np.ndarray, boxes: np.ndarray) -> None:
    if boxes.ndim < 2 or boxes.shape[1] < 4 or boxes.dtype != np.float32:
        raise RuntimeError(f"BoundingBox: should be float32 (n, 4 or more), but got {boxes.dtype} of {boxes.shape}.")
    height, width = image.shape[:2]
    right, bottom = boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    if (right > width).any() or (bottom > height).any() or (boxes[:, :2].astype(np.int64) < 0).any():
        raise RuntimeError(f"BoundingBox: out of bounds of the image ({height}, {width}): {boxes}.")


def _cropped(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return boxes as seen in a part of the image; those outside of it are dropped."""
    ends = boxes[:, :2] + boxes[:, 2:4]
    low, size = np.array([left, top], np.float32), np.array([width, height], np.float32)
    boxes = boxes[inside := ((boxes[:, :2] <= low + size) & (ends >= low)).all(1)]
    starts = np.clip(boxes[:, :2] - low, 0, None)
    boxes[:, 2:4] = np.minimum(ends[inside] - low, size) - starts
    boxes[:, :2] = starts
    return boxes


def _resized(boxes: np.ndarray, before: tuple[int, ...], after: tuple[int, ...]) -> np.ndarray:
    scale = np.array([after[1] / before[1], after[0] / before[0]], np.float32)
    boxes[:, :4] *= np.concatenate([scale, scale])
    return boxes


@arguments
class _RandomFlipWithBoxes(_WithBoxes):
    _is_vertical = False

    prob: Annotated[float, check_probability] = 0.5

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not engine_of(self).chance(np.float32(self.prob)):
            return image, boxes
        axis = 1 if self._is_vertical else 0
        boxes[:, axis] = np.float32(image.shape[1 - axis]) - boxes[:, axis] - boxes[:, axis + 2]
        return flip(image, self._is_vertical), boxes


class RandomHorizontalFlipWithBBox(_RandomFlipWithBoxes):
    """Image and boxes mirrored with probability `prob`."""


class RandomVerticalFlipWithBBox(_RandomFlipWithBoxes):
    """Image and boxes upside down with probability `prob`."""

    _is_vertical = True


@arguments
class ResizeWithBBox(_WithBoxes):
    """Image and boxes in another size: (height, width), or the length of the shorter side."""

    size: Annotated[Any, check_size]
    interpolation: Annotated[Inter, check_interpolation] = Inter.LINEAR

    def _mode(self) -> Inter:
        return self.interpolation

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        resized = resize_image(image, self.size, self._mode())
        return resized, _resized(boxes, image.shape, resized.shape)


class RandomResizeWithBBox(ResizeWithBBox):
    """`ResizeWithBBox` with an interpolation drawn for each row."""

    def __init__(self, size: Any) -> None:
        super().__init__(size)

    def _mode(self) -> Inter:
        return (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)[engine_of(self).integer(0, 3)]


@arguments
class RandomCropWithBBox(_WithBoxes):
    """A random box of `size` of the image; boxes outside of it are dropped. Arguments as of `RandomCrop`."""

    size: Any
    padding: Any = None
    pad_if_needed: bool = False
    fill_value: Any = 0
    padding_mode: Border = Border.CONSTANT

    def _prepare(self) -> None:
        self._crop = RandomCrop(self.size, self.padding, self.pad_if_needed, self.fill_value, self.padding_mode)

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        padding, top, left = self._crop._draw(image)
        boxes[:, :2] += np.array(padding[:2], np.float32)
        padded = pad_image(image, padding, self._crop.fill_value, self._crop.padding_mode)
        if padded.shape[:2] == tuple(self._crop.size):
            return padded, boxes
        return crop_box(padded, top, left, *self._crop.size), _cropped(boxes, top, left, *self._crop.size)


@arguments
class RandomResizedCropWithBBox(_WithBoxes):
    """A random part of the image, resized; boxes outside of it are dropped. Arguments as of `RandomResizedCrop`."""

    size: Any
    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3.0 / 4.0, 4.0 / 3.0)
    interpolation: Inter = Inter.BILINEAR
    max_attempts: int = 10

    def _prepare(self) -> None:
        self._crop = RandomResizedCrop(self.size, self.scale, self.ratio, self.interpolation, self.max_attempts)

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        box = self._crop._draw(image)
        result = self._crop._transform(image, *box)
        return result, _resized(_cropped(boxes, *box), box[2:], result.shape)


@arguments
class BoundingBoxAugment(_WithBoxes):
    """`transform` applied to the image inside of each box, with probability `ratio`; its result is resized if its size
    differs.
    """

    transform: Annotated[Any, kind_of(TensorOperation)]
    ratio: Annotated[float, check_probability] = 0.3

    def _inner(self) -> list[Any]:
        return [self.transform]

    def _both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        image, engine = image.copy(), engine_of(self)
        for box in boxes:
            if engine.single() < np.float32(self.ratio):
                left, top, width, height = (int(value) for value in box[:4])
                (result,) = self.transform._apply(crop_box(image, top, left, height, width))
                # a box that ends between pixels loses its last part
                image[top : top + height, left : left + width] = resize_image(result, (height, width), Inter.LINEAR)
        return image, boxes
