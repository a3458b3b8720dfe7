"""Cropping, padding, flipping, erasing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, check_pos_int32, check_value, type_check
from mindspore_compat.dataset.vision._image import check_image, is_pil
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    PilOperation,
    RandomImageOperation,
    check_border,
    check_fill,
    check_padding,
    check_probability,
    check_range,
    check_size,
    square,
    uniform,
)
from mindspore_compat.dataset.vision._resize import crop_box
from mindspore_compat.dataset.vision.utils import Border, SliceMode

__all__ = [
    "CenterCrop",
    "Crop",
    "CutOut",
    "Erase",
    "FiveCrop",
    "HorizontalFlip",
    "Pad",
    "PadToSize",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomVerticalFlip",
    "SlicePatches",
    "TenCrop",
    "VerticalFlip",
]


def pad_image(image: Any, padding: tuple[int, int, int, int], fill: tuple[int, ...], mode: str = "constant") -> Any:
    """An array or PIL image with (left, top, right, bottom) pixels added."""
    if not any(padding):
        return image
    if is_pil(image):
        return _pad_pil(image, padding, fill, mode)
    return pad_block(image[None], padding, fill, mode)[0]


def pad_block(images: np.ndarray, padding: tuple[int, int, int, int], fill: tuple[int, ...], mode: str) -> np.ndarray:
    """`pad_image` of a block (N, H, W[, C])."""
    left, top, right, bottom = padding
    if not any(padding):
        return images
    if mode != "constant":
        widths = ((0, 0), (top, bottom), (left, right), (0, 0))[: images.ndim]
        return np.pad(images, widths, mode)  # type: ignore[call-overload]
    count, height, width = images.shape[:3]
    padded = np.empty((count, height + top + bottom, width + left + right, *images.shape[3:]), images.dtype)
    padded[:] = fill[: images.shape[3]] if images.ndim == 4 and images.shape[3] <= len(fill) else fill[0]
    padded[:, top : top + height, left : left + width] = images
    return padded


def _pad_pil(image: Any, padding: tuple[int, int, int, int], fill: tuple[int, ...], mode: str) -> Any:
    from PIL import Image, ImageOps

    if mode == "constant":
        return ImageOps.expand(image, border=padding, fill=fill if len(image.getbands()) == 3 else fill[0])
    padded = Image.fromarray(pad_image(np.asarray(image), padding, fill, mode))
    if image.mode == "P":
        padded.putpalette(image.getpalette())
    return padded


class Pad(RandomImageOperation):
    """`padding` pixels added around the image.

    Args:
        padding: a number for all sides, (left and right, top and bottom), or (left, top, right, bottom).
        fill_value: one or three values in [0, 255] for Border.CONSTANT.
    """

    def __init__(self, padding: Any, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.padding = check_padding(padding)
        self.fill_value = check_fill(fill_value)
        self.padding_mode = check_border(padding_mode)

    def _transform(self, image: Any) -> Any:
        if not is_pil(image):
            check_image(image, "Pad")
        return pad_image(image, self.padding, self.fill_value, self.padding_mode)


class PadToSize(ImageOperation):
    """The image in a larger frame of `size`, `offset` (top, left) from its corner or in its middle."""

    def __init__(
        self, size: Any, offset: Any = None, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        self.size = square(check_size(size))
        type_check(offset, (int, list, tuple, type(None)), "offset")
        offsets = () if offset is None else (offset, offset) if isinstance(offset, int) else tuple(offset)
        if len(offsets) not in (0, 2):
            raise ValueError(f"The offset must be empty or of 2 values, but got {offset}.")
        for value in offsets:
            type_check(value, int, "offset")
            check_value(value, (0, INT32_MAX), "offset")
        self.offset = offsets
        self.fill_value = check_fill(fill_value)
        self.padding_mode = check_border(padding_mode)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "PadToSize")
        height, width = image.shape[:2]
        top, left = self.offset or ((self.size[0] - height) // 2, (self.size[1] - width) // 2)
        bottom, right = self.size[0] - height - top, self.size[1] - width - left
        if min(top, left, bottom, right) < 0:
            raise RuntimeError(
                f"PadToSize: the image of {image.shape[:2]} at offset {(top, left)} does not fit into {self.size}."
            )
        return pad_image(image, (left, top, right, bottom), self.fill_value, self.padding_mode)


class Crop(ImageOperation):
    """The box of `size` at `coordinates` (top, left)."""

    takes_pil = False

    def __init__(self, coordinates: Sequence[int], size: Any) -> None:
        type_check(coordinates, (list, tuple), "coordinates")
        if len(coordinates) != 2:
            raise TypeError(f"Coordinates should be a list/tuple (y, x) of length 2, but got {coordinates}.")
        for value in coordinates:
            type_check(value, int, "coordinates")
            check_value(value, (0, INT32_MAX), "coordinates")
        self.box = (coordinates[0], coordinates[1], *square(check_size(size)))

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Crop")
        return crop_box(image, *self.box)


class CenterCrop(RandomImageOperation):
    """The middle of the image, with zeros around where the image is smaller."""

    takes_batches = True

    def __init__(self, size: Any) -> None:
        self.size = square(check_size(size))

    def _transform(self, image: Any) -> Any:
        height, width = self.size
        if is_pil(image):
            return crop_box(
                image, round((image.size[1] - height) / 2), round((image.size[0] - width) / 2), height, width
            )
        check_image(image, "CenterCrop")
        extra = max(0, height - image.shape[0]), max(0, width - image.shape[1])
        image = pad_image(image, (-(-extra[1] // 2), -(-extra[0] // 2), extra[1] // 2, extra[0] // 2), (0, 0, 0))
        return crop_box(image, (image.shape[0] - height) // 2, (image.shape[1] - width) // 2, height, width)


class RandomCrop(RandomImageOperation):
    """A random box of `size`.

    Args:
        padding: pixels to add first, see `Pad`.
        pad_if_needed: add as many as it takes where the image is smaller.
    """

    takes_batches = True
    has_block = True
    is_multi_column = True

    def __init__(
        self,
        size: Any,
        padding: Any = None,
        pad_if_needed: bool = False,
        fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.size = square(check_size(size))
        type_check(pad_if_needed, bool, "pad_if_needed")
        self.padding = (0, 0, 0, 0) if padding is None else check_padding(padding)
        self.pad_if_needed = pad_if_needed
        self.fill_value = check_fill(fill_value)
        self.padding_mode = check_border(padding_mode)

    def _padding(self, image: Any) -> tuple[int, int, int, int]:
        height, width = image.size[::-1] if is_pil(image) else image.shape[:2]
        left, top, right, bottom = self.padding
        if self.pad_if_needed:
            missing = max(0, self.size[0] - height - top - bottom), max(0, self.size[1] - width - left - right)
            left, right, top, bottom = left + missing[1], right + missing[1], top + missing[0], bottom + missing[0]
        return left, top, right, bottom

    def _draw(self, image: Any) -> tuple:
        height, width = image.size[::-1] if is_pil(image) else image.shape[:2]
        left, top, right, bottom = padding = self._padding(image)
        spare = height + top + bottom - self.size[0], width + left + right - self.size[1]
        if min(spare) < 0:
            message = f"RandomCrop: Crop size {self.size} is larger than the (padded) image of {(height, width)}."
            raise ValueError(message) if is_pil(image) else RuntimeError(message)
        rng = current_rng()
        return padding, int(rng.integers(spare[0] + 1)), int(rng.integers(spare[1] + 1))

    def _compute_block(self, images: np.ndarray) -> np.ndarray:
        check_image(images[0], "RandomCrop")
        drawn = [self._draw(images[0]) for _ in range(len(images))]
        (left, top, right, bottom), height, width = drawn[0][0], *self.size
        fill = self.fill_value if images.ndim == 4 else self.fill_value[:1]
        padded = pad_block(images, (left, top, right, bottom), fill, self.padding_mode)
        result = np.empty((len(images), height, width, *images.shape[3:]), images.dtype)
        for i, (_, y, x) in enumerate(drawn):
            result[i] = padded[i, y : y + height, x : x + width]
        return result

    def _apply_block(self, *blocks: Any) -> tuple:
        if len(blocks) == 1:
            return super()._apply_block(*blocks)
        rows = [self._apply(*row) for row in zip(*blocks, strict=True)]
        return tuple(np.stack(column) for column in zip(*rows, strict=True))

    def _transform(self, image: Any, *parameters: Any) -> Any:
        padding, top, left = parameters
        if not is_pil(image):
            check_image(image, "RandomCrop")
        image = pad_image(image, padding, self.fill_value, self.padding_mode)
        return crop_box(image, top, left, *self.size)


def flip(image: Any, is_vertical: bool) -> Any:
    """An array or PIL image upside down or mirrored."""
    if is_pil(image):
        return image.transpose(1 if is_vertical else 0)  # Image.Transpose.FLIP_TOP_BOTTOM, FLIP_LEFT_RIGHT
    check_image(image, "Flip")
    if not is_vertical and image.dtype in (np.uint8, np.float32) and image.shape[2:] in ((), (1,), (3,), (4,)):
        return opencv().flip(np.ascontiguousarray(image), 1).reshape(image.shape)  # 20 times as fast as NumPy
    return np.ascontiguousarray(image[::-1] if is_vertical else image[:, ::-1])


class HorizontalFlip(RandomImageOperation):
    """The image mirrored."""

    takes_pil = False
    takes_batches = True

    def _transform(self, image: Any) -> Any:
        return flip(image, is_vertical=False)


class VerticalFlip(RandomImageOperation):
    """The image upside down."""

    takes_pil = False
    takes_batches = True

    def _transform(self, image: Any) -> Any:
        return flip(image, is_vertical=True)


class _RandomFlip(RandomImageOperation):
    is_multi_column = True
    has_block = True
    _is_vertical = False

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = check_probability(prob)

    def _draw(self, image: Any) -> tuple:
        return (current_rng().random() < self.prob,)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        return flip(image, self._is_vertical) if parameters[0] else image

    def _apply_block(self, *blocks: Any) -> tuple:
        chosen = current_rng().random(len(blocks[0])) < self.prob
        return tuple(self._flip_chosen(block, chosen) for block in blocks)

    def _flip_chosen(self, block: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        check_image(block[0], "Flip")
        result = block.copy()
        for place in np.flatnonzero(chosen):
            result[place] = flip(block[place], self._is_vertical)
        return result


class RandomHorizontalFlip(_RandomFlip):
    """The image mirrored with probability `prob`."""

    takes_batches = True


class RandomVerticalFlip(_RandomFlip):
    """The image upside down with probability `prob`."""

    _is_vertical = True


class FiveCrop(PilOperation):
    """The four corners and the middle of a PIL image."""

    def __init__(self, size: Any) -> None:
        self.size = square(check_size(size))

    def _compute(self, image: Any) -> tuple:
        width, height = image.size
        crop_height, crop_width = self.size
        if crop_height > height or crop_width > width:
            raise ValueError(f"Crop size {self.size} is larger than input image size {(height, width)}.")
        bottom, right = height - crop_height, width - crop_width
        places = ((0, 0), (0, right), (bottom, 0), (bottom, right), (round(bottom / 2), round(right / 2)))
        return tuple(crop_box(image, top, left, crop_height, crop_width) for top, left in places)


class TenCrop(FiveCrop):
    """`FiveCrop` of the image and of the flipped image."""

    def __init__(self, size: Any, use_vertical_flip: bool = False) -> None:
        type_check(use_vertical_flip, bool, "use_vertical_flip")
        super().__init__(size)
        self.use_vertical_flip = use_vertical_flip

    def _compute(self, image: Any) -> tuple:
        return super()._compute(image) + super()._compute(flip(image, self.use_vertical_flip))


class SlicePatches(ImageOperation):
    """The image cut into `num_height` x `num_width` patches of one size, in reading order."""

    takes_pil = False

    def __init__(
        self, num_height: int = 1, num_width: int = 1, slice_mode: SliceMode = SliceMode.PAD, fill_value: int = 0
    ) -> None:
        check_pos_int32(num_height, "num_height")
        check_pos_int32(num_width, "num_width")
        type_check(slice_mode, SliceMode, "slice_mode")
        self.grid, self.slice_mode, self.fill_value = (num_height, num_width), slice_mode, check_fill(fill_value)

    def _compute(self, image: np.ndarray) -> tuple:
        check_image(image, "SlicePatches")
        is_padding = self.slice_mode == SliceMode.PAD
        sizes = [-(-n // k) if is_padding else n // k for n, k in zip(image.shape, self.grid, strict=False)]
        if is_padding:
            bottom, right = (size * k - n for size, k, n in zip(sizes, self.grid, image.shape, strict=False))
            image = pad_image(image, (0, 0, right, bottom), self.fill_value)
        height, width = sizes
        return tuple(
            image[i * height : (i + 1) * height, j * width : (j + 1) * width]
            for i in range(self.grid[0])
            for j in range(self.grid[1])
        )


class Erase(ImageOperation):
    """A box of the image set to `value`; with `inplace` in the given array itself."""

    def __init__(self, top: int, left: int, height: int, width: int, value: Any = 0.0, inplace: bool = False) -> None:
        for name, number in (("top", top), ("left", left)):
            type_check(number, int, name)
            check_value(number, (0, INT32_MAX), name)
        check_pos_int32(height, "height")
        check_pos_int32(width, "width")
        type_check(inplace, bool, "inplace")
        values = value if isinstance(value, (tuple, list)) else (value,)
        if len(values) not in (1, 3):
            raise TypeError(f"value should be a number or a sequence of 3, but got {value}.")
        self.box, self.value, self.inplace = (top, left, height, width), np.asarray(values), inplace

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Erase")
        top, left, height, width = self.box
        if top + height > image.shape[0] or left + width > image.shape[1]:
            raise RuntimeError(f"Erase: box {self.box} is out of the image of {image.shape[:2]}.")
        image = image if self.inplace else image.copy()
        image[top : top + height, left : left + width] = self.value.astype(image.dtype)
        return image


class RandomErasing(ImageOperation):
    """A random box of an array (C, H, W) set to `value`, with probability `prob`.

    Args:
        scale: range of the box's part of the area; ratio: range of its height to width.
        value: a number, one per channel, or "random" for noise.
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: tuple[float, float] = (0.02, 0.33),
        ratio: tuple[float, float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:
        self.prob = check_probability(prob)
        self.scale, self.ratio = check_range(scale, "scale", 0), check_range(ratio, "ratio", 0)
        type_check(value, (int, list, tuple, str), "value")
        if isinstance(value, str) and value != "random":
            raise ValueError(
                "The value for erasing should be either a single value, or a string 'random', or a sequence of 3."
            )
        type_check(inplace, bool, "inplace")
        check_pos_int32(max_attempts, "max_attempts")
        self.value, self.inplace, self.max_attempts = value, inplace, max_attempts

    def _compute(self, image: np.ndarray) -> np.ndarray:
        if image.ndim != 3:
            raise TypeError(f"img dimension should be 3 (C, H, W). Got {image.ndim}.")
        box = self._draw_box(*image.shape[1:]) if current_rng().random() < self.prob else None
        if box is None:
            return image
        top, left, height, width = box
        image = image if self.inplace else image.copy()
        if self.value == "random":
            fill = current_rng().standard_normal((image.shape[0], height, width))
        else:
            fill = np.asarray(self.value).reshape(-1, 1, 1)
        image[:, top : top + height, left : left + width] = fill
        return image

    def _draw_box(self, height: int, width: int) -> tuple[int, int, int, int] | None:
        rng = current_rng()
        for _ in range(self.max_attempts):
            area, aspect = uniform(self.scale) * height * width, uniform(self.ratio)
            box_height, box_width = round((area * aspect) ** 0.5), round((area / aspect) ** 0.5)
            if 0 < box_height < height and 0 < box_width < width:
                top, left = rng.integers(height - box_height + 1), rng.integers(width - box_width + 1)
                return int(top), int(left), box_height, box_width
        return None


class CutOut(ImageOperation):
    """`num_patches` random squares of side `length` set to 0."""

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        check_pos_int32(length, "length")
        check_pos_int32(num_patches, "num_patches")
        type_check(is_hwc, bool, "is_hwc")
        self.length, self.num_patches, self.is_hwc = length, num_patches, is_hwc

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "CutOut", (3,))
        image = image.copy()
        view = image if self.is_hwc else image.transpose(1, 2, 0)
        height, width = view.shape[:2]
        if self.length > height or self.length > width:
            raise RuntimeError(
                f"CutOut: box size is too large for image erase, box: {self.length}, image: {(height, width)}."
            )
        rng = current_rng()
        for _ in range(self.num_patches):
            top, left = rng.integers(height - self.length + 1), rng.integers(width - self.length + 1)
            view[top : top + self.length, left : left + self.length] = 0
        return image
