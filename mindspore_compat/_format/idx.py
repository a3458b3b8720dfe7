"""Files of the IDX format, plain or gzipped: big-endian magic number, one size for each axis, then the values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mindspore_compat._format.compressed import CompressedFile
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError


def read_images(path: str) -> np.ndarray:
    """Return the images of a file in MNIST's format, (n, 28, 28) uint8. Raises: FormatError."""
    images = read_idx(path, 2051, 3)
    if images.shape[1:] != (28, 28):
        raise FormatError(f"shape of image in {path} should be (28, 28), but got {images.shape[1:]}")
    return images


def read_idx(path: str, magic: int, rank: int, dtype: str = "u1") -> np.ndarray:
    """Return the values of a file with this `magic` number and as many axes. Raises: FormatError."""
    read, size = _source(path)
    start = 4 * (rank + 1)
    head = np.frombuffer(read(0, min(start, size)), ">i4", min(start, size) // 4).tolist()
    if len(head) != rank + 1 or head[0] != magic:
        raise FormatError(f"{path} is not an MNIST file: magic number {head[:1]}, expected {magic}")
    shape = tuple(head[1:])
    if min(shape) < 0 or size - start != math.prod(shape) * np.dtype(dtype).itemsize:
        raise FormatError(f"{path} should have {math.prod(shape)} values of shape {shape} after its header")
    return np.frombuffer(read(start, size - start), dtype).reshape(shape)


def _source(path: str) -> tuple[Any, int]:
    """Return (what reads a part by its place and length, size) of a file, or of what a gzipped one holds."""
    if path.endswith(".gz"):
        content = CompressedFile(path, "GZIP")
        return content.read, content.size
    try:
        with open_regular(path) as stream:
            data = np.fromfile(stream, np.uint8)
    except (OSError, FormatError) as error:
        raise FormatError(f"failed to open file: {path} ({error})") from error
    return lambda place, length: data[place : place + length], len(data)
