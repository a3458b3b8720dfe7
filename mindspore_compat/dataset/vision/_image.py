"""Decoding and resizing of arrays (H, W[, C]); the numbers are OpenCV's, which upstream uses."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np

__all__ = ["check_image", "decode_rgb", "is_pil", "open_image", "resize", "to_uint8"]

_MOST_PIXELS, _PIXELS_OF_A_BYTE = 1 << 25, 256
_NEAREST, _LINEAR, _CUBIC, _AREA, _PILCUBIC = 0, 2, 3, 4, 5
#: OpenCV's fixed point for 8-bit images: weights are multiples of 1/2048.
_ONE = 2048


def is_pil(img: Any) -> bool:
    """Whether it is a PIL image; PIL is not imported for that."""
    return hasattr(img, "getbands") and hasattr(img, "convert")


@lru_cache
def _formats() -> list[str]:
    """What is opened: not all that PIL knows, since that starts Ghostscript for PostScript."""
    from PIL import Image, Jpeg2KImagePlugin, MpoImagePlugin, TiffImagePlugin, WebPImagePlugin  # noqa: F401  (they register themselves)

    Image.preinit()
    return [name for name in ("JPEG", "MPO", "PNG", "BMP", "DIB", "GIF", "PPM", "TIFF", "WEBP", "JPEG2000") if name in Image.OPEN]


def open_image(content: np.ndarray) -> Any:
    """A PIL image of the bytes of a file. Raises: RuntimeError for what is no image, or has far more pixels than its size can tell."""
    from PIL import Image

    try:
        image = Image.open(BytesIO(content.tobytes()), formats=_formats())
        if image.width * image.height > max(_MOST_PIXELS, _PIXELS_OF_A_BYTE * content.nbytes):
            raise ValueError(f"{image.width} by {image.height} pixels in {content.nbytes} bytes")
        image.load()
    except Exception as error:
        raise RuntimeError(f"Decode: decode image failed, unsupported or broken file ({error}).") from error
    return image


def decode_rgb(content: np.ndarray) -> np.ndarray:
    """The bytes of an image file as RGB, uint8 (H, W, 3)."""
    return np.array(open_image(content).convert("RGB"))


def check_image(image: np.ndarray, name: str, ranks: tuple[int, ...] = (2, 3)) -> None:
    """Raise RuntimeError unless the array is <H, W> or <H, W, C>."""
    if image.ndim not in ranks:
        raise RuntimeError(f"{name}: input tensor is not in shape of <H,W> or <H,W,C>, but got rank: {image.ndim}.")


def to_uint8(values: np.ndarray) -> np.ndarray:
    """Rounded half to even and cut to 0 .. 255, as OpenCV's saturate_cast does."""
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def resize(image: np.ndarray, size: tuple[int, int], interpolation: int) -> np.ndarray:
    """`image` (..., H, W[, C]; H and W in front of the last axis if there are 3 or more) in `size` (height, width)."""
    flat = image.ndim == 2
    block = image[..., None] if flat else image
    height, width = block.shape[-3:-1]
    if (height, width) == tuple(size):
        return image
    if interpolation == _PILCUBIC:
        return _resize_pil(image, size)
    exact_half = (height, width) == (2 * size[0], 2 * size[1])
    if interpolation == _LINEAR and exact_half and image.dtype == np.uint8:
        interpolation = _AREA
    resized = _resize_block(block, size, interpolation)
    return resized[..., 0] if flat else resized


def _resize_block(block: np.ndarray, size: tuple[int, int], interpolation: int) -> np.ndarray:
    height, width = block.shape[-3:-1]
    if interpolation == _NEAREST:
        rows = np.minimum((np.arange(size[0]) * (1.0 / (size[0] / height))).astype(np.int64), height - 1)
        columns = np.minimum((np.arange(size[1]) * (1.0 / (size[1] / width))).astype(np.int64), width - 1)
        return block[..., rows, :, :][..., columns, :]
    if interpolation == _AREA and size[0] <= height and size[1] <= width:
        return _resize_area(block, size)
    if block.dtype == np.uint8:
        return _resize_fixed_point(block, size, interpolation)
    dtype = block.dtype if block.dtype.kind == "f" else np.dtype(np.float32)
    ids, weights = _taps(width, size[1], interpolation)
    across = _blend_columns(block.astype(dtype, copy=False), ids, weights.astype(dtype))
    ids, weights = _taps(height, size[0], interpolation)
    down = sum(across[..., i, :] * w.astype(dtype)[:, None] for i, w in zip(ids.T, weights.T, strict=True))
    return down.reshape(*block.shape[:-3], *size, block.shape[-1])


def _blend_columns(block: np.ndarray, ids: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., H, W, C) to (..., H, target * C). Pixels and channels in one axis: NumPy is slow over an axis of three."""
    channels = block.shape[-1]
    flat = block.reshape(*block.shape[:-2], -1)
    spread = ids[..., None] * channels + np.arange(channels)
    return sum(
        np.take(flat, spread[:, k].ravel(), axis=-1) * np.repeat(weights[:, k], channels) for k in range(ids.shape[1])
    )


def _resize_fixed_point(block: np.ndarray, size: tuple[int, int], interpolation: int) -> np.ndarray:
    ids, weights = _taps(block.shape[-2], size[1], interpolation)
    across = _blend_columns(block, ids, _fixed(weights))
    ids, weights = _taps(block.shape[-3], size[0], interpolation)
    fixed = _fixed(weights)[:, :, None]
    if interpolation == _CUBIC:
        total = sum(across[..., i, :].astype(np.int64) * fixed[:, k] for k, i in enumerate(ids.T))
        result = np.clip((total + (1 << 21)) >> 22, 0, 255)
    else:
        # The two-tap kernel cuts off bits on the way, so that 32 bits are enough.
        across >>= 4
        result = (sum((across[..., i, :] * fixed[:, k]) >> 16 for k, i in enumerate(ids.T)) + 2) >> 2
    return result.astype(np.uint8).reshape(*block.shape[:-3], *size, block.shape[-1])


def _fixed(weights: np.ndarray) -> np.ndarray:
    return np.rint(weights.astype(np.float32) * _ONE).astype(np.int32)


@lru_cache(maxsize=256)
def _taps(length: int, target: int, interpolation: int) -> tuple[np.ndarray, np.ndarray]:
    """For each of `target` pixels: the source pixels it is made of and their weights, both (target, taps)."""
    scale = 1.0 / (target / length)  # as OpenCV rounds it
    if interpolation == _AREA:  # enlarging
        return _area_linear_taps(length, target)
    place = ((np.arange(target) + 0.5) * scale - 0.5).astype(np.float32)
    start = np.floor(place).astype(np.int64)
    part = (place - start).astype(np.float32)
    if interpolation == _CUBIC:
        a = np.float32(-0.75)
        w0 = ((a * (part + 1) - 5 * a) * (part + 1) + 8 * a) * (part + 1) - 4 * a
        w1 = ((a + 2) * part - (a + 3)) * part * part + 1
        w2 = ((a + 2) * (1 - part) - (a + 3)) * (1 - part) * (1 - part) + 1
        weights = np.stack([w0, w1, w2, 1 - w0 - w1 - w2], -1)
        return np.clip(start[:, None] + np.arange(-1, 3), 0, length - 1), weights
    return np.clip(np.stack([start, start + 1], -1), 0, length - 1), np.stack([1 - part, part], -1)


def _area_linear_taps(length: int, target: int) -> tuple[np.ndarray, np.ndarray]:
    inverse = target / length
    scale = 1.0 / inverse
    position = np.arange(target)
    start = np.floor(position * scale).astype(np.int64)
    part = ((position + 1) - (start + 1) * inverse).astype(np.float32)
    part = np.where(part <= 0, 0, part - np.floor(part)).astype(np.float32)
    part[start >= length - 1] = 0
    start = np.clip(start, 0, length - 1)
    return np.stack([start, np.minimum(start + 1, length - 1)], -1), np.stack([1 - part, part], -1)


def _resize_area(block: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Each target pixel is the mean of the area it covers."""
    height, width = block.shape[-3:-1]
    values = block.astype(np.float32)
    rows, columns = _area_weights(height, size[0]), _area_weights(width, size[1])
    across = np.einsum("wv,...vc->...wc", columns, values)
    result = np.einsum("hg,...gwc->...hwc", rows, across)
    if block.dtype != np.uint8:
        return result.astype(block.dtype)
    if height % size[0] == 0 and width % size[1] == 0 and (height // size[0], width // size[1]) == (2, 2):
        return ((result * 4 + 2).astype(np.int32) >> 2).astype(np.uint8)
    return to_uint8(result)


@lru_cache(maxsize=256)
def _area_weights(length: int, target: int) -> np.ndarray:
    edges = np.arange(target + 1) * (length / target)
    pixels = np.arange(length)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    weights = np.clip(overlap, 0, None)
    return (weights / weights.sum(1, keepdims=True)).astype(np.float32)


def _resize_pil(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    from PIL import Image

    if image.ndim != 3 or image.shape[2] != 3:
        raise RuntimeError(
            f"Resize: Interpolation mode PILCUBIC only supports images of 3 channels, but got {image.shape}."
        )
    if image.dtype == np.uint8:
        return np.array(Image.fromarray(image).resize(size[::-1], Image.Resampling.BICUBIC))
    bands = [
        Image.fromarray(image[..., c].astype(np.float32)).resize(size[::-1], Image.Resampling.BICUBIC) for c in range(3)
    ]
    return np.stack([np.asarray(band) for band in bands], -1).astype(image.dtype)
