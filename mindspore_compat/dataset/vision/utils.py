"""Enums of the image operations, and file access. MindSpore: ``mindspore.dataset.vision.utils``."""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Any

import numpy as np

from mindspore_compat._format.images import decode_rgb, encode_image, is_pil, open_image
from mindspore_compat.dataset.core.validator_helpers import check_file

__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]


class Inter(IntEnum):
    """Interpolation of pixels."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, Enum):
    """Padding outside of an image."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageBatchFormat(IntEnum):
    """Order of the axes of a batch of images."""

    NHWC = 0
    NCHW = 1


class ImageReadMode(IntEnum):
    """Result of `read_image`."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class SliceMode(IntEnum):
    """Treatment of a remainder in `SlicePatches`."""

    PAD = 0
    DROP = 1


class ConvertMode(IntEnum):
    """Source and result of `ConvertColor`."""

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class AutoAugmentPolicy(str, Enum):
    """Published policy of `AutoAugment`."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


def get_image_size(image: Any) -> list[int]:
    """Return [height, width] of an array (H, W[, C]) or PIL image."""
    return list(_image_shape(image)[:2])


def get_image_num_channels(image: Any) -> int:
    """Return number of channels of an array (H, W[, C]) or PIL image."""
    shape = _image_shape(image)
    return shape[2] if len(shape) == 3 else 1


def _image_shape(image: Any) -> tuple[int, ...]:
    if is_pil(image):
        return (image.size[1], image.size[0], len(image.getbands()))
    return image.shape


def read_file(filename: str) -> np.ndarray:
    """Return a file's bytes as a uint8 array."""
    return np.fromfile(filename, np.uint8)


def write_file(filename: str, data: np.ndarray) -> None:
    """Write the uint8 array `data`."""
    if not isinstance(data, np.ndarray) or data.dtype != np.uint8 or data.ndim != 1:
        raise TypeError("Input data is not a one-dimensional numpy.ndarray of uint8.")
    data.tofile(filename)


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """Return an image file as an array (H, W, C); UNCHANGED keeps an image of one channel, and gives others as RGB."""
    check_file(filename)
    mode, content = ImageReadMode(mode), np.fromfile(filename, np.uint8)
    image = open_image(content)
    is_gray = len(image.getbands()) == 1 and image.mode != "P"
    if mode == ImageReadMode.COLOR or (mode == ImageReadMode.UNCHANGED and not is_gray):
        return decode_rgb(content)
    if image.mode == "1" or (not is_gray and image.format != "PNG"):
        image = image.convert("L")
    array = np.array(image)
    if mode == ImageReadMode.GRAYSCALE and array.dtype == np.uint16:
        array = (array >> 8).astype(np.uint8)
    elif not is_gray and image.format == "PNG":  # libpng's weights of red, green, blue, and its rounding
        array = (decode_rgb(content).astype(np.uint32) @ np.array([9797, 19234, 3737], np.uint32) >> 15).astype(
            np.uint8
        )
    return array[..., None]


def encode_jpeg(image: np.ndarray, quality: int = 75) -> np.ndarray:
    """Return a uint8 image (H, W[, C]) as the bytes of a JPEG file."""
    if not 1 <= quality <= 100:
        raise RuntimeError(f"Invalid quality {quality}, should be in range of [1, 100].")
    return encode_image(image, "JPEG", quality=quality)


def encode_png(image: np.ndarray, compression_level: int = 6) -> np.ndarray:
    """Return a uint8 image (H, W[, C]) as the bytes of a PNG file."""
    if not 0 <= compression_level <= 9:
        raise RuntimeError(f"Invalid compression_level {compression_level}, should be in range of [0, 9].")
    return encode_image(image, "PNG", compress_level=compression_level)


def write_jpeg(filename: str, image: np.ndarray, quality: int = 75) -> None:
    """Write `image` as a JPEG file."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: np.ndarray, compression_level: int = 6) -> None:
    """Write `image` as a PNG file."""
    write_file(filename, encode_png(image, compression_level))
