"""Names of MindSpore 1.x for operations on PIL images. Upstream: ``mindspore.dataset.vision.py_transforms``.

Where today's operation does for PIL images what these did, it is the same class; the others differ in defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation
from mindspore_compat.dataset.transforms.py_transforms import Compose, RandomApply, RandomChoice, RandomOrder
from mindspore_compat.dataset.transforms.transforms import not_random
from mindspore_compat.dataset.vision import transforms as _now
from mindspore_compat.dataset.vision._image import is_pil
from mindspore_compat.dataset.vision.transforms import (
    HWC2CHW,
    AutoContrast,
    CenterCrop,
    Equalize,
    FiveCrop,
    Grayscale,
    HsvToRgb,
    Invert,
    LinearTransformation,
    MixUp,
    Pad,
    RandomAffine,
    RandomColor,
    RandomColorAdjust,
    RandomCrop,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomPerspective,
    RandomResizedCrop,
    RandomRotation,
    RandomSharpness,
    RandomVerticalFlip,
    Resize,
    RgbToHsv,
    TenCrop,
    ToPIL,
    ToTensor,
    UniformAugment,
)
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


class Decode(_now.Decode):
    """The bytes of an image file as a PIL image of RGB."""

    def __init__(self) -> None:
        super().__init__(to_pil=True)


class ComposeOp:
    """Name of 0.x: an object that gives `Compose` when it is called,
    ``dataset.map(operations=ComposeOp(transforms)())``.
    """

    def __init__(self, transforms: Sequence[Any]) -> None:
        self._compose = Compose(list(transforms))

    def __call__(self) -> Compose:
        return self._compose


class _ChannelsFirst:
    """An array of floats (C, H, W) is expected. Raises: TypeError, NotImplementedError."""

    def _check_floats(self, image: Any) -> None:
        if is_pil(image) or not isinstance(image, np.ndarray):
            raise TypeError(f"img should be NumPy image. Got {type(image)}; use ToTensor before Normalize.")
        if image.ndim != 3:
            raise TypeError(f"img dimension should be 3 (C, H, W). Got {image.ndim}.")
        if image.dtype.kind != "f":
            raise NotImplementedError(
                f"Unsupported image datatype: [{image.dtype}], pls execute [ToTensor] before [Normalize]."
            )


class Normalize(_ChannelsFirst, _now.Normalize):
    """``(image - mean) / std`` of an array of floats (C, H, W), such as `ToTensor` gives."""

    has_block = False

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__(mean, std, is_hwc=False)

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            self._check_floats(value)
        return super()._apply(*values)


class NormalizePad(_ChannelsFirst, _now.NormalizePad):
    """`Normalize` with a channel of zeros added."""

    def __init__(self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32") -> None:
        super().__init__(mean, std, dtype, is_hwc=False)

    def _apply(self, *values: Any) -> tuple:
        for value in values:
            self._check_floats(value)
        return super()._apply(*values)


class CutOut(_now.CutOut):
    """`num_patches` random squares of an array (C, H, W) set to 0."""

    def __init__(self, length: int, num_patches: int = 1) -> None:
        super().__init__(length, num_patches, is_hwc=False)


Cutout = CutOut


class ToType(_now.ToType):
    """The array as `output_type`."""

    def __init__(self, output_type: Any) -> None:
        super().__init__(output_type)


class RgbToBgr(PyTensorOperation):
    """The order of the channels turned round; (..., 3) with `is_hwc`, else (..., 3, H, W)."""

    implementation = Implementation.PY

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = is_hwc

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return np.flip(image, -1 if self.is_hwc else -3).copy()
