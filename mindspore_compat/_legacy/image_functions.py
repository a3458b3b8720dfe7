"""Functions on PIL images that the zoo's `research/cv/autoaugment/src/dataset/autoaugment/ops/enhance.py` and
`mindarmour/natural_robustness/transform/image/natural_perturb.py` call.

MindSpore: ``mindspore.dataset.vision.py_transforms_util``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.images import is_pil
from mindspore_compat.dataset.vision._adjust import _enhance
from mindspore_compat.dataset.vision._crop import RandomCrop
from mindspore_compat.dataset.vision._geometric import rotate as _rotate
from mindspore_compat.dataset.vision._operation import check_fill
from mindspore_compat.dataset.vision.utils import Border, Inter

augment_error_message = "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."


def _check(image: Any) -> None:
    if not is_pil(image):
        raise TypeError(augment_error_message.format(type(image)))


def is_numpy(image: Any) -> bool:
    """Return whether it is an array."""
    return isinstance(image, np.ndarray)


def adjust_brightness(img: Any, brightness_factor: float) -> Any:
    """Return a PIL image, brighter by a factor."""
    _check(img)
    return _enhance("Brightness", img, brightness_factor)


def adjust_contrast(img: Any, contrast_factor: float) -> Any:
    """Return a PIL image with contrast scaled."""
    _check(img)
    return _enhance("Contrast", img, contrast_factor)


def adjust_saturation(img: Any, saturation_factor: float) -> Any:
    """Return a PIL image with saturation scaled."""
    _check(img)
    return _enhance("Color", img, saturation_factor)


def rotate(img: Any, angle: float, resample: Inter, expand: bool, center: Any, fill_value: Any) -> Any:
    """Return a PIL image turned counter-clockwise."""
    _check(img)
    return _rotate(img, angle, resample, expand, center, check_fill(fill_value, "fill_value"))


def random_crop(img: Any, size: Any, padding: Any, pad_if_needed: bool, fill_value: Any, padding_mode: str) -> Any:
    """Return a random box of a PIL image."""
    _check(img)
    return RandomCrop(size, padding, pad_if_needed, fill_value, Border(padding_mode))(img)


def hwc_to_chw(img: Any) -> np.ndarray:
    """Return an array (height, width, channels) as a new one (channels, height, width); one of two axes as it is."""
    if not is_numpy(img):
        raise TypeError(f"img should be NumPy array. Got {type(img)}.")
    if img.ndim not in (2, 3):
        raise TypeError(f"img dimension should be 2 or 3. Got {img.ndim}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()
