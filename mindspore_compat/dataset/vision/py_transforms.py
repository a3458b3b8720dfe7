"""Names of MindSpore 1.x for operations on PIL images. MindSpore: ``mindspore.dataset.vision.py_transforms``.

A current operation with the same effect on PIL images is the same class; the others differ in defaults.
"""

# ruff: noqa: F403, F405 (names come by `*` from a file that lists them)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation
from mindspore_compat.dataset.transforms.py_transforms import Compose, RandomApply, RandomChoice, RandomOrder
from mindspore_compat.dataset.transforms.transforms import not_random
from mindspore_compat.dataset.vision import transforms as _now
from mindspore_compat.dataset.vision.transforms import *
from mindspore_compat.dataset.vision.utils import Border, Inter

__all__ = [
    "AutoContrast",
    "Border",
    "CenterCrop",
    "Compose",
    "ComposeOp",
    "CutOut",
    "Cutout",
    "Decode",
    "Equalize",
    "FiveCrop",
    "Grayscale",
    "HWC2CHW",
    "HsvToRgb",
    "Inter",
    "Invert",
    "LinearTransformation",
    "MixUp",
    "Normalize",
    "NormalizePad",
    "Pad",
    "PyTensorOperation",
    "RandomAffine",
    "RandomApply",
    "RandomChoice",
    "RandomColor",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomOrder",
    "RandomPerspective",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSharpness",
    "RandomVerticalFlip",
    "Resize",
    "RgbToBgr",
    "RgbToHsv",
    "TenCrop",
    "ToPIL",
    "ToTensor",
    "ToType",
    "UniformAugment",
    "not_random",
]


class Decode(_now.Decode):  # type: ignore[no-redef]
    """The bytes of an image file as a PIL image of RGB."""

    def __init__(self) -> None:
        super().__init__(to_pil=True)


class ComposeOp:
    """Name of 0.x: a callable that returns `Compose`, ``dataset.map(operations=ComposeOp(transforms)())``."""

    def __init__(self, transforms: Sequence[Any]) -> None:
        self._compose = Compose(list(transforms))

    def __call__(self) -> Compose:
        return self._compose


def _need_floats(image: Any) -> None:
    """Raise TypeError unless it is an array of floats (C, H, W): PIL images have other values and channels last."""
    if not isinstance(image, np.ndarray) or image.ndim != 3 or image.dtype.kind != "f":
        what = f"{image.dtype} of shape {image.shape}" if isinstance(image, np.ndarray) else type(image).__name__
        raise TypeError(f"expected an array of floats (C, H, W), but got {what}; use ToTensor before.")


class Normalize(_now.Normalize):  # type: ignore[no-redef]
    """``(image - mean) / std`` of an array of floats (C, H, W), such as `ToTensor` gives."""

    has_block = False

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__(mean, std, is_hwc=False)

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            _need_floats(value)
        return super()._apply(*values)


class NormalizePad(_now.NormalizePad):  # type: ignore[no-redef]
    """`Normalize` with a channel of zeros added."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32") -> None:
        super().__init__(mean, std, dtype, is_hwc=False)

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            _need_floats(value)
        return super()._apply(*values)


class CutOut(_now.CutOut):  # type: ignore[no-redef]
    """`num_patches` random squares of an array (C, H, W) set to 0."""

    def __init__(self, length: int, num_patches: int = 1) -> None:
        super().__init__(length, num_patches, is_hwc=False)


Cutout = CutOut


class ToType(_now.ToType):  # type: ignore[no-redef]
    """The array as `output_type`."""

    def __init__(self, output_type: Any) -> None:
        super().__init__(output_type)


class RgbToBgr(PyTensorOperation):
    """The channels reversed; (..., 3) with `is_hwc`, else (..., 3, H, W)."""

    implementation = Implementation.PY

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = is_hwc

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return np.flip(image, -1 if self.is_hwc else -3).copy()
