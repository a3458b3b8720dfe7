"""Operations on several columns: mix-up and cut-mix of batches of images and labels, and images with their boxes.

Boxes are float32 (n, 4 or more): x, y, width, height in pixels, then unchanged values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat._runtime.random_engines import Gamma, MersenneTwister
from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, integer, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random
from mindspore_compat.dataset.core.validator_helpers import FLOAT_MAX_INTEGER, check_probability
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation, TensorOperation
from mindspore_compat.dataset.vision._crop import RandomCrop, flip, pad_image
from mindspore_compat.dataset.vision._operation import check_image, check_interpolation, check_size, need_image
from mindspore_compat.dataset.vision._resize import RandomResizedCrop, crop_box, resize_image
from mindspore_compat.dataset.vision.utils import Border, ImageBatchFormat, Inter

__all__ = [
    "CutMixBatch",
    "MixUp",
    "MixUpBatch",
    "BoundingBoxAugment",
    "RandomCropWithBBox",
    "RandomHorizontalFlipWithBBox",
    "RandomResizeWithBBox",
    "RandomResizedCropWithBBox",
    "RandomVerticalFlipWithBBox",
    "ResizeWithBBox",
]


class _BatchOperation(TensorOperation):
    """Base of operations on a batch of images (N, H, W, C) and one-hot labels (N, classes) or (N, rows, classes)."""

    is_multi_column = True
    releases_gil = True

    draws = True

    def _check(self, images: np.ndarray, labels: np.ndarray) -> None:
        if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
            raise RuntimeError(
                f"{type(self).__name__}: expected a batch of images and as many one-hot labels, but got shapes "
                f"{images.shape} and {labels.shape}. Use OneHot before batch."
            )

    def _compute(self, *arrays: Any) -> tuple:
        self._check(*arrays[:2])
        return (*self._mix(*arrays[:2]), *arrays[2:])

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


@arguments
class MixUpBatch(_BatchOperation):
    """Images and labels mixed with those of a shuffled batch; the share is drawn from Beta(alpha, alpha) once per
    batch.
    """

    alpha: Annotated[float, real(0, above=True)] = 1.0

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        engine = engine_of(self)
        share = _share(Gamma(engine, self.alpha), Gamma(engine, self.alpha))
        order = engine.shuffled(len(images))
        if images.dtype == np.uint8:
            blend = opencv().addWeighted
            pairs = zip(images.reshape(len(images), -1), images[order].reshape(len(images), -1), strict=True)
            flat = [blend(one, float(share), other, float(1 - share), 0).ravel() for one, other in pairs]
            mixed = np.stack(flat).reshape(images.shape)
        else:
            mixed = (images * share + images[order] * (1 - share)).astype(images.dtype)
        return mixed, _blend_labels(labels, labels[order], share)


@arguments
class CutMixBatch(_BatchOperation):
    """With probability `prob` a box of each image is taken from another one; labels are mixed by the box's area."""

    image_batch_format: Annotated[ImageBatchFormat, kind_of(ImageBatchFormat)]
    alpha: Annotated[float, real(0, above=True)] = 1.0
    prob: Annotated[float, real(0, 1)] = 1.0

    def _mix(self, images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        engine = engine_of(self)
        order = engine.shuffled(len(images))
        first, second = Gamma(engine, self.alpha), Gamma(engine, self.alpha)
        mixed = images.copy()
        is_hwc = self.image_batch_format == ImageBatchFormat.NHWC
        height, width = images.shape[1:3] if is_hwc else images.shape[2:4]
        shares = np.ones(len(images), np.float32)
        for i in range(len(images)):
            share = _share(first, second)
            if engine.double() >= np.float32(self.prob):
                continue
            box = _draw_box(engine, height, width, share)
            place = (i, *box) if is_hwc else (i, slice(None), *box)
            source = (order[i], *place[1:])
            mixed[place] = images[source]
            area = (box[0].stop - box[0].start) * (box[1].stop - box[1].start)
            shares[i] = np.float32(1) - np.float32(area) / np.float32(height * width)
        return mixed, _blend_labels(labels, labels[order], shares.reshape(-1, *[1] * (labels.ndim - 1)))


def _share(first: Gamma, second: Gamma) -> np.float32:
    """Return a number from Beta(alpha, alpha)."""
    one, other = first.draw(), second.draw()
    return one / (one + other)


def _draw_box(engine: MersenneTwister, height: int, width: int, share: np.float32) -> tuple[slice, slice]:
    """Return a box of about ``1 - share`` of the area around a random middle, cut at the borders; never the whole
    image, and at least one pixel.
    """
    cut = np.sqrt(np.float32(1) - share)
    bounds = []
    for length in (width, height):
        middle, half = engine.integer(0, length), int(np.float32(length) * cut) // 2
        start, stop = (min(max(place, 0), length - 1) for place in (middle - half, middle + half))
        bounds.append(slice(start, start + min(max(stop - start, 1), max(length - 1, 1))))
    return bounds[1], bounds[0]


def _blend_labels(labels: np.ndarray, others: np.ndarray, share: Any) -> np.ndarray:
    return (labels * share + others * (1 - share)).astype(np.float32)


@arguments
class MixUp(PyTensorOperation):
    """Each of the `batch_size` images (and labels) mixed with the next one of the batch (`is_single`), or with the
    result at its place in the batch before; float64.

    Args:
        alpha: each image's share is drawn from Beta(alpha, alpha).
    """

    implementation = Implementation.PY
    is_multi_column = True

    draws = True

    batch_size: Annotated[int, integer(1, FLOAT_MAX_INTEGER)]
    alpha: Annotated[float, real(0, above=True)]
    is_single: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self.keeps_state = not self.is_single
        self._before: tuple[np.ndarray, np.ndarray] | None = None

    def _compute(self, *arrays: Any) -> tuple:
        images, labels = arrays
        share = numpy_random().beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            order = np.roll(np.arange(self.batch_size), -1)
            others = images[order], labels[order]
        elif self._before is None:  # the first batch stays
            share, others = np.ones(self.batch_size), (images, labels)
        else:
            others = self._before
        of_image, of_label = share.reshape(-1, 1, 1, 1), share.reshape(-1, 1)
        mixed = (of_image * images + (1 - of_image) * others[0], of_label * labels + (1 - of_label) * others[1])
        self._before = None if self.is_single else mixed
        return mixed


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
