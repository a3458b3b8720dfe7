"""Colour spaces: conversions, grey, HSV, linear maps of colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, flag, kind_of, real
from mindspore_compat.dataset.core.randomness import engine_of, numpy_random, python_random
from mindspore_compat.dataset.core.validator_helpers import check_probability
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation
from mindspore_compat.dataset.vision import _color
from mindspore_compat.dataset.vision._image import check_image, is_pil
from mindspore_compat.dataset.vision._operation import ImageOperation, PilOperation, RandomImageOperation
from mindspore_compat.dataset.vision.utils import ConvertMode

__all__ = [
    "ConvertColor",
    "Grayscale",
    "HsvToRgb",
    "LinearTransformation",
    "RandomGrayscale",
    "RandomLighting",
    "RgbToHsv",
]


@arguments
class RandomLighting(RandomImageOperation):
    """PCA noise of AlexNet, of strength `alpha`."""

    _VECTORS = np.array(
        [
            [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
            [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
            [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
        ]
    )

    draws = True
    alpha: Annotated[float, real(0)] = 0.05

    def _draw(self, image: Any) -> tuple:
        if is_pil(image):
            return (self._VECTORS @ numpy_random().normal(0.0, self.alpha, 3),)
        return (self._VECTORS @ engine_of(self).single_normals(3, self.alpha).astype(np.float64),)

    def _transform(self, image: Any, *parameters: Any) -> Any:
        array = np.asarray(image)
        _color.check_rgb(array, "RandomLighting")
        if array.dtype == np.uint8 and not is_pil(image):
            return _color.to_uint8(array + parameters[0].astype(np.float32))
        lit = np.clip(array + parameters[0], 0, 255).astype(array.dtype)
        if not is_pil(image):
            return lit
        from PIL import Image

        return Image.fromarray(lit)


@arguments
class ConvertColor(ImageOperation):
    """Channels reordered, added, dropped or merged to grey."""

    convert_mode: Annotated[ConvertMode, kind_of(ConvertMode)]

    def _compute(self, image: np.ndarray) -> np.ndarray:
        mode = self.convert_mode
        check_image(image, "ConvertColor")
        image = image[..., None] if image.ndim == 2 else image
        channels, is_from_gray, is_to_gray = image.shape[2], mode in (8, 9), mode in (6, 7, 10, 11)
        if channels not in ((1,) if is_from_gray else (3, 4) if is_to_gray else (1, 3, 4)):
            raise RuntimeError(f"ConvertColor: {mode.name} does not take an image of {channels} channels.")
        if channels == 1:
            image = np.repeat(image, 3, -1)
        is_swapped = mode in (2, 3, 4, 5, 6, 10)
        color = image[..., 2::-1] if is_swapped else image[..., :3]
        if is_to_gray:
            return _color.gray(color)
        if mode in (0, 2, 5, 9):
            return np.concatenate([color, image[..., 3:]], -1) if channels == 4 else _with_alpha(color)
        return np.ascontiguousarray(color)


def _with_alpha(image: np.ndarray) -> np.ndarray:
    top = np.iinfo(image.dtype).max if image.dtype.kind == "u" else 1
    return np.concatenate([image, np.full_like(image[..., :1], top)], -1)


def _grayscale(image: Any, channels: int) -> Any:
    from PIL import Image

    grey = image.convert("L")
    return grey if channels == 1 else Image.merge("RGB", (grey, grey, grey))


@arguments
class Grayscale(PilOperation):
    """A PIL image in grey, with 1 or 3 equal channels."""

    num_output_channels: Annotated[int, kind_of(int)] = 1

    def _prepare(self) -> None:
        if self.num_output_channels not in (1, 3):
            raise ValueError(f"num_output_channels should be either 1 or 3. Got {self.num_output_channels}.")

    def _compute(self, image: Any) -> Any:
        return _grayscale(image, self.num_output_channels)


@arguments
class RandomGrayscale(PilOperation):
    """A PIL image in grey with probability `prob`; the number of channels stays."""

    draws = True
    prob: Annotated[float, check_probability] = 0.1

    def _compute(self, image: Any) -> Any:
        channels = 1 if image.mode == "L" else 3
        return _grayscale(image, channels) if self.prob > python_random().random() else image


@arguments
class _HsvOperation(PyTensorOperation):
    """Base of HSV operations, on arrays (..., 3) with `is_hwc`, else (..., 3, H, W)."""

    implementation = Implementation.PY
    _function = staticmethod(_color.rgb_to_hsv)
    is_hwc: Annotated[bool, flag] = False

    def _compute(self, image: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise TypeError(f"img should have 3 or 4 dimensions and 3 channels in axis {axis}. Got {image.shape}.")
        return np.moveaxis(type(self)._function(np.moveaxis(image, axis, -1)), -1, axis)


class RgbToHsv(_HsvOperation):
    """RGB in [0, 1] as hue, saturation and value."""


class HsvToRgb(_HsvOperation):
    """Hue, saturation and value as RGB."""

    _function = staticmethod(_color.hsv_to_rgb)


@arguments
class LinearTransformation(PyTensorOperation):
    """``(flat image - mean_vector) @ transformation_matrix`` of an array (C, H, W), in its shape."""

    implementation = Implementation.PY
    transformation_matrix: Annotated[np.ndarray, kind_of(np.ndarray)]
    mean_vector: Annotated[np.ndarray, kind_of(np.ndarray)]

    def _prepare(self) -> None:
        shape = self.transformation_matrix.shape
        if self.mean_vector.shape * 2 != shape:
            raise ValueError(f"transformation_matrix {shape} and mean_vector {self.mean_vector.shape} do not match.")

    def _compute(self, image: np.ndarray) -> np.ndarray:
        return ((image.ravel() - self.mean_vector) @ self.transformation_matrix).reshape(image.shape)
