"""Operations on image sizes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat._format.images import decode_rgb, is_pil
from mindspore_compat._format.jpeg_part import cut_jpeg
from mindspore_compat._runtime.random_engines import MersenneTwister
from mindspore_compat.dataset.core.arguments import Annotated, arguments, integer, with_default
from mindspore_compat.dataset.core.randomness import engine_of, python_random
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32
from mindspore_compat.dataset.vision._basic import check_encoded
from mindspore_compat.dataset.vision._operation import (
    ImageOperation,
    RandomImageOperation,
    check_box,
    check_image,
    check_interpolation,
    check_ratio,
    check_scale,
    check_size,
    resize,
    uniform,
)
from mindspore_compat.dataset.vision.utils import Inter

__all__ = ["RandomCropDecodeResize", "RandomResize", "RandomResizedCrop", "Resize", "ResizedCrop"]

#: Inter to PIL's numbers (Image.Resampling).
PIL_RESAMPLING = {Inter.NEAREST: 0, Inter.ANTIALIAS: 1, Inter.BILINEAR: 2, Inter.BICUBIC: 3}


def pil_resampling(interpolation: Inter) -> int:
    """Return PIL's number of an interpolation. Raises: TypeError for AREA."""
    if interpolation not in PIL_RESAMPLING:
        raise TypeError(f"Current Interpolation is not supported with PIL input. Got {interpolation.name}.")
    return PIL_RESAMPLING[interpolation]


def resize_image(image: Any, size: tuple[int, int] | int, interpolation: Inter) -> Any:
    """Return an array or PIL image in `size`; an int is the length of the shorter side, the ratio stays."""
    height, width = image.size[::-1] if is_pil(image) else image.shape[:2]
    if isinstance(size, int):
        size = (size, int(size * width / height)) if height < width else (int(size * height / width), size)
    if is_pil(image):
        return image if image.size == size[::-1] else image.resize(size[::-1], pil_resampling(interpolation))
    if interpolation == Inter.ANTIALIAS:
        raise TypeError(f"img should be PIL image. Got {type(image)}. ANTIALIAS is of PIL's; use ToPIL() before.")
    return resize(image, size, interpolation)


@arguments
class Resize(RandomImageOperation):
    """The image in another size, interpolated without antialiasing (arrays) or as PIL does (PIL images).

    Args:
        size: (height, width), or the length of the shorter side.

    Examples:
        >>> print(ds.vision.Resize((8, 6))(np.zeros((4, 4, 3), np.uint8)).shape)
        (8, 6, 3)
    """

    takes_batches = True
    has_block = True

    size: Annotated[Any, check_size]
    interpolation: Annotated[Inter, check_interpolation] = Inter.LINEAR

    def _transform(self, image: Any) -> Any:
        if not is_pil(image):
            check_image(image, "Resize")
        return resize_image(image, self.size, self.interpolation)

    def _compute_block(self, images: np.ndarray) -> np.ndarray:
        check_image(images[0], "Resize")
        return np.stack([self._transform(image) for image in images])


@arguments
class ResizedCrop(ImageOperation):
    """A box cut out and resized."""

    top: Annotated[int, integer(0)]
    left: Annotated[int, integer(0)]
    height: Annotated[int, check_pos_int32]
    width: Annotated[int, check_pos_int32]
    size: Annotated[Any, check_box]
    interpolation: Annotated[Inter, check_interpolation] = Inter.BILINEAR

    def _prepare(self) -> None:
        self.box = (self.top, self.left, self.height, self.width)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "ResizedCropOp")
        return resize_image(crop_box(image, *self.box), self.size, self.interpolation)


def crop_box(image: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return the box of an array or PIL image. Raises: RuntimeError beyond the array; PIL fills with zeros."""
    if is_pil(image):
        return image.crop((left, top, left + width, top + height))
    if top + height > image.shape[0] or left + width > image.shape[1]:
        raise RuntimeError(f"Crop: {(top, left, height, width)} is out of the image of {image.shape[:2]}.")
    return image[top : top + height, left : left + width]


@arguments
class RandomResizedCrop(RandomImageOperation):
    """A random part of the image, resized.

    Args:
        size: (height, width) of the result, or both in one number.
        scale: range of the part's area; ratio: range of its width to height.
        max_attempts: after this number of parts that do not fit, the middle is taken.
    """

    takes_batches = True
    is_multi_column = True

    size: Annotated[Any, check_box]
    scale: Annotated[tuple[float, float], with_default((0.08, 1.0), check_scale)] = (0.08, 1.0)
    ratio: Annotated[tuple[float, float], check_ratio] = (3.0 / 4.0, 4.0 / 3.0)
    interpolation: Annotated[Inter, check_interpolation] = Inter.BILINEAR
    max_attempts: Annotated[int, check_pos_int32] = 10

    draws = True

    def _draw(self, image: Any) -> tuple[int, int, int, int]:
        if not is_pil(image):
            check_image(image, "RandomResizedCrop")
        height, width = image.size[::-1] if is_pil(image) else image.shape[:2]
        if is_pil(image):
            return _draw_box_of_pil(height, width, self.scale, self.ratio, self.max_attempts)
        return _draw_box(engine_of(self), height, width, self)

    def _transform(self, image: Any, *box: Any) -> Any:
        return resize_image(crop_box(image, *box), self.size, self.interpolation)


def _draw_box(engine: MersenneTwister, height: int, width: int, how: RandomResizedCrop) -> tuple[int, int, int, int]:
    """Return (top, left, height, width) of a random part of an array."""
    logs = [np.float32(math.log(np.float32(one))) for one in how.ratio]
    for _ in range(how.max_attempts):
        scale = float(engine.single(*how.scale))
        aspect = float(np.exp(engine.single(*logs)))
        box_width = _rounded(math.sqrt(height * width * scale * aspect))
        box_width, box_height = max(1, box_width), max(1, _rounded(box_width / aspect))
        if box_width <= width and box_height <= height:
            left, top = engine.integer(0, width - box_width), engine.integer(0, height - box_height)
            return top, left, box_height, box_width
    low, high = (float(np.float32(one)) for one in how.ratio)
    box_height, box_width = height, width
    if width / height < low:
        box_height = max(1, _rounded(width / low))
    elif width / height > high:
        box_width = max(1, _rounded(height * high))
    return _rounded((height - box_height) / 2), _rounded((width - box_width) / 2), box_height, box_width


def _rounded(value: float) -> int:
    """Return the nearest whole number, halves away from 0."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def _draw_box_of_pil(
    height: int, width: int, scale: tuple[float, float], ratio: tuple[float, float], max_attempts: int
) -> tuple[int, int, int, int]:
    """Return (top, left, height, width) of a random part of a PIL image."""
    draw = python_random().randint
    log_ratio = (math.log(ratio[0]), math.log(ratio[1]))
    for _ in range(max_attempts):
        area = uniform(scale) * height * width
        aspect = math.exp(uniform(log_ratio))
        box_width = round(math.sqrt(area * aspect))
        box_height = round(box_width / aspect)
        if 0 < box_width <= width and 0 < box_height <= height:
            top, left = draw(0, height - box_height), draw(0, width - box_width)
            return top, left, box_height, box_width
    box_height, box_width = height, width
    if width / height < ratio[0]:
        box_height = max(1, round(width / ratio[0]))
    elif width / height > ratio[1]:
        box_width = max(1, round(height * ratio[1]))
    return round((height - box_height) / 2), round((width - box_width) / 2), box_height, box_width


class RandomCropDecodeResize(RandomResizedCrop):
    """`Decode` and `RandomResizedCrop` in one; for the bytes of an image file."""

    def _check(self, *images: Any) -> None:
        for image in images:
            if is_pil(image):
                raise TypeError("RandomCropDecodeResize: the input is a PIL image, so it is decoded already.")
            check_encoded(image, "RandomCropDecodeResize")

    def _apply(self, *values: Any) -> tuple:
        contents = [v if is_pil(v) else self._as_input(v) for v in values]
        self._check(*contents)
        files = [content.view(np.uint8) for content in contents]
        images = [decode_rgb(file) for file in files]
        super()._check(*images)
        box = self._draw(images[0])
        parts = [cut_jpeg(*one, box) for one in zip(files, images, strict=True)]
        return tuple(resize_image(part, self.size, self.interpolation) for part in parts)


@arguments
class RandomResize(RandomImageOperation):
    """`Resize` with an interpolation drawn for each row."""

    takes_pil = False
    takes_batches = True
    is_multi_column = True
    draws = True

    size: Annotated[Any, check_size]

    def _draw(self, image: Any) -> tuple:
        return ((Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)[engine_of(self).integer(0, 3)],)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        check_image(image, "Resize")
        return resize_image(image, self.size, parameters[0])
