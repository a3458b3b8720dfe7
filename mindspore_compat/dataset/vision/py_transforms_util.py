"""Functions on PIL images that some projects call. Upstream: ``mindspore.dataset.vision.py_transforms_util``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.vision._adjust import _enhance, _hue_pil
from mindspore_compat.dataset.vision._checks import check_fill, check_padding
from mindspore_compat.dataset.vision._crop import RandomCrop, pad_image
from mindspore_compat.dataset.vision._flip import flip
from mindspore_compat.dataset.vision._geometric import rotate as _rotate
from mindspore_compat.dataset.vision._image import is_pil
from mindspore_compat.dataset.vision._resize import crop_box, resize_image
from mindspore_compat.dataset.vision.utils import Border, Inter

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "augment_error_message",
    "crop",
    "horizontal_flip",
    "hwc_to_chw",
    "is_numpy",
    "is_pil",
    "pad",
    "random_crop",
    "resize",
    "rotate",
    "to_type",
    "vertical_flip",
]

augment_error_message = "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."


def _check(image: Any) -> None:
    if not is_pil(image):
        raise TypeError(augment_error_message.format(type(image)))


def is_numpy(image: Any) -> bool:
    """Whether it is an array."""
    return isinstance(image, np.ndarray)


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """A PIL image, brighter by a factor."""
    _check(img)
    return _enhance("Brightness", img, brightness_factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """A PIL image with contrast scaled."""
    _check(img)
    return _enhance("Contrast", img, contrast_factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """A PIL image with saturation scaled."""
    _check(img)
    return _enhance("Color", img, saturation_factor)


def adjust_hue(img: Any, hue_factor: float) -> Any:
    """A PIL image with hue turned by a part of the circle in [-0.5, 0.5]."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"hue_factor {hue_factor} is not in [-0.5, 0.5].")
    _check(img)
    return _hue_pil(img, hue_factor)


def horizontal_flip(img: Any) -> Any:
    """A PIL image mirrored."""
    _check(img)
    return flip(img, is_vertical=False)


def vertical_flip(img: Any) -> Any:
    """A PIL image upside down."""
    _check(img)
    return flip(img, is_vertical=True)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """A box of a PIL image."""
    _check(img)
    return crop_box(img, top, left, height, width)


def resize(img: Any, size: Any, interpolation: Inter = Inter.BILINEAR) -> Any:
    """A PIL image in `size` (height, width), or with `size` as its shorter side."""
    _check(img)
    return resize_image(img, size if isinstance(size, int) else tuple(size), interpolation)


def rotate(img: Any, angle: float, resample: Inter, expand: bool, center: Any, fill_value: Any) -> Any:
    """A PIL image turned counter-clockwise."""
    _check(img)
    return _rotate(img, angle, resample, expand, center, check_fill(fill_value))


def pad(img: Any, padding: Any, fill_value: Any, padding_mode: str) -> Any:
    """A PIL image with pixels added around."""
    _check(img)
    return pad_image(img, check_padding(padding), check_fill(fill_value), padding_mode)


def random_crop(img: Any, size: Any, padding: Any, pad_if_needed: bool, fill_value: Any, padding_mode: str) -> Any:
    """A random box of a PIL image."""
    _check(img)
    return RandomCrop(size, padding, pad_if_needed, fill_value, Border(padding_mode))(img)


def hwc_to_chw(img: Any) -> np.ndarray:
    """An array (height, width, channels) as a new one (channels, height, width); one of two axes as it is."""
    if not is_numpy(img):
        raise TypeError(f"img should be NumPy array. Got {type(img)}.")
    if img.ndim not in (2, 3):
        raise TypeError(f"img dimension should be 2 or 3. Got {img.ndim}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def to_type(img: Any, output_type: Any) -> np.ndarray:
    """An array in another type."""
    if not is_numpy(img):
        raise TypeError(f"img should be NumPy image. Got {type(img)}.")
    try:
        return img.astype(output_type)
    except TypeError:
        raise RuntimeError(f"output_type: {output_type} is not a valid datatype.") from None
