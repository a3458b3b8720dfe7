"""Layout, type and value: ToTensor, Normalize, Rescale, HWC2CHW, conversions to and from PIL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.images import decode_rgb, is_pil, open_image
from mindspore_compat.dataset.core.arguments import Annotated, arguments, dtype_like, flag, real, several
from mindspore_compat.dataset.transforms._operation import Implementation, PyTensorOperation
from mindspore_compat.dataset.transforms.transforms import TypeCast
from mindspore_compat.dataset.vision._operation import ImageOperation, check_image

__all__ = ["Decode", "HWC2CHW", "Normalize", "NormalizePad", "Rescale", "ToNumpy", "ToPIL", "ToTensor", "ToType"]


@arguments
class Decode(ImageOperation):
    """The bytes of an image file as RGB: uint8 (H, W, 3), or a PIL image with `to_pil`.

    Examples:
        >>> ds.vision.write_jpeg("./black.jpg", np.zeros((4, 6, 3), np.uint8))
        >>> print(ds.vision.Decode()(np.fromfile("./black.jpg", np.uint8)).shape)
        (4, 6, 3)
    """

    to_pil: Annotated[bool, flag] = False

    def _prepare(self) -> None:
        self.implementation = Implementation.PY if self.to_pil else Implementation.C

    def _as_input(self, value: Any) -> Any:
        if isinstance(value, (bytes, bytearray)):
            return np.frombuffer(value, np.uint8)
        if isinstance(value, np.ndarray) and value.dtype.kind == "S":
            return np.frombuffer(value.tobytes(), np.uint8)
        return super()._as_input(value)

    def _compute(self, content: np.ndarray) -> Any:
        content = check_encoded(content, "Decode")
        return open_image(content).convert("RGB") if self.to_pil else decode_rgb(content)

    def _compute_pil(self, image: Any) -> Any:
        raise TypeError("Decode: the input is a PIL image, so it is decoded already.")


def check_encoded(content: np.ndarray, name: str) -> np.ndarray:
    """Return the bytes as uint8; TypeError unless they are a one-dimensional array of uint8 or int8."""
    if content.ndim != 1 or content.dtype not in (np.uint8, np.int8):
        raise TypeError(f"{name}: expected encoded bytes in one axis, but got {content.dtype} of {content.shape}.")
    return content.view(np.uint8)


@arguments
class Rescale(ImageOperation):
    """``image * rescale + shift`` as float32."""

    has_block = True
    is_pointwise = True

    rescale: Annotated[float, real()]
    shift: Annotated[float, real()]

    def _prepare(self) -> None:
        self.rescale, self.shift = np.float32(self.rescale), np.float32(self.shift)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        if self.rescale < 0:
            raise RuntimeError(f"Rescale: rescale must be greater than or equal to 0, got: {self.rescale:.6f}.")
        if self.shift:  # rounded once, as in MindSpore with its float64 products
            return (np.multiply(image, self.rescale, dtype=np.float64) + self.shift).astype(np.float32)
        result = image.astype(np.float32)
        result *= self.rescale
        return result

    _compute_block = _compute


@arguments
class Normalize(ImageOperation):
    """``(image - mean) / std`` per channel, as float32.

    Args:
        mean, std: one value per channel, or one for all; std in (0, 255], mean in [0, 255].
        is_hwc: channels come last (True) or first.

    Examples:
        >>> image = np.full((1, 1, 3), 127.5, np.float32)
        >>> print(ds.vision.Normalize(mean=[127.5, 0.0, 0.0], std=[1.0, 1.0, 2.0])(image))
        [[[  0.   127.5   63.75]]]
    """

    takes_batches = True
    has_block = True
    is_pointwise = True

    mean: Any
    std: Any
    is_hwc: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        self.mean, self.std = _check_mean_std(self.mean, self.std)
        self.random = False

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "Normalize")
        return self._normalize(image, (1 if image.ndim == 2 else image.shape[2 if self.is_hwc else 0]), image.ndim == 3)

    def _compute_block(self, images: np.ndarray) -> np.ndarray:
        check_image(images[0], "Normalize")
        return self._normalize(
            images, 1 if images.ndim == 3 else images.shape[3 if self.is_hwc else 1], images.ndim == 4
        )

    def _normalize(self, image: np.ndarray, channels: int, has_channels: bool) -> np.ndarray:
        if len(self.mean) not in (1, channels):
            raise RuntimeError(f"Normalize: {channels} channels do not match {len(self.mean)} values of mean and std.")
        result = image.astype(np.float32)
        if has_channels and not self.is_hwc:
            result -= self.mean.reshape(-1, 1, 1)
            result /= self.std.reshape(-1, 1, 1)
        elif len(self.mean) == 1:
            result -= self.mean
            result /= self.std
        else:
            # Pixels and channels in one axis: NumPy is slow over an axis of three.
            flat = result.reshape(*result.shape[:-2], -1)
            flat -= np.tile(self.mean, result.shape[-2])
            flat /= np.tile(self.std, result.shape[-2])
        return result


def _check_mean_std(mean: Any, std: Any) -> tuple[np.ndarray, np.ndarray]:
    mean, std = several(real(0, 255), ())(mean, "mean"), several(real(0, 255, above=True), ())(std, "std")
    if len(mean) != len(std):
        raise ValueError(f"Length of mean and std must be equal, but got {mean} and {std}.")
    return np.asarray(mean, np.float32), np.asarray(std, np.float32)


@arguments
class NormalizePad(ImageOperation):
    """`Normalize`, with a channel of zeros added.

    Args:
        dtype: "float32" or "float16", the type of the result.
    """

    mean: Sequence[float]
    std: Sequence[float]
    dtype: Any = "float32"
    is_hwc: Annotated[bool, flag] = True

    def _prepare(self) -> None:
        if self.dtype not in ("float32", "float16"):
            raise ValueError(f"dtype only supports float32 or float16, but got {self.dtype!r}.")
        self._normalize = Normalize(self.mean, self.std, self.is_hwc)
        self.dtype = np.dtype(self.dtype)

    def _compute(self, image: np.ndarray) -> np.ndarray:
        result = self._normalize._compute(image)
        axis = 2 if self.is_hwc else 0
        if result.ndim == 2:
            result = np.expand_dims(result, axis)
        zeros = np.zeros_like(result.take([0], axis=axis))
        return np.concatenate([result, zeros], axis).astype(self.dtype, copy=False)


class HWC2CHW(ImageOperation):
    """(H, W, C) to (C, H, W); an image (H, W) stays.

    Examples:
        >>> print(ds.vision.HWC2CHW()(np.zeros((4, 6, 3), np.uint8)).shape)
        (3, 4, 6)
    """

    has_block = True
    is_pointwise = True

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "HWC2CHW")
        return np.ascontiguousarray(image.transpose(2, 0, 1)) if image.ndim == 3 else image

    def _compute_block(self, images: np.ndarray) -> np.ndarray:
        check_image(images[0], "HWC2CHW")
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2)) if images.ndim == 4 else images


@arguments
class ToTensor(ImageOperation):
    """An image (H, W[, C]) as `output_type` (C, H, W) of values divided by 255, in float32."""

    has_block = True
    is_pointwise = True

    output_type: Annotated[Any, dtype_like] = np.float32

    def _compute(self, image: np.ndarray) -> np.ndarray:
        check_image(image, "ToTensor")
        return self._compute_block(image[None])[0]

    def _compute_block(self, images: np.ndarray) -> np.ndarray:
        check_image(images[0], "ToTensor")
        if images.ndim == 3:
            images = images[..., None]
        result = np.ascontiguousarray(images.transpose(0, 3, 1, 2), dtype=np.float32)
        result *= np.float32(1 / 255)  # not divided (but for PIL images): MindSpore's last bit, also of float64
        return result.astype(self.output_type, copy=False)

    def _compute_pil(self, image: Any) -> np.ndarray:
        array = np.asarray(image)
        channels_last = array if array.ndim == 3 else array[..., None]
        return np.ascontiguousarray(channels_last.transpose(2, 0, 1) / 255.0, dtype=self.output_type)


class ToType(TypeCast):
    """The image as `data_type`."""


class ToPIL(PyTensorOperation):
    """A uint8 image (H, W[, C]) as a PIL image; a PIL image stays."""

    implementation = Implementation.PY
    takes_pil = True

    def _compute(self, image: Any) -> Any:
        if is_pil(image):
            return image
        from PIL import Image

        if image.ndim not in (2, 3):  # pillow would make a column of undecoded bytes
            raise ValueError(f"The dimension of input image should be 2 or 3. Got {image.ndim}.")
        if image.ndim == 3 and image.shape[2] == 1:
            image = image[:, :, 0]
        return Image.fromarray(image)


class ToNumpy(PyTensorOperation):
    """A PIL image as an array."""

    takes_pil = True

    def _compute(self, image: Any) -> np.ndarray:
        return np.array(image) if is_pil(image) else image
