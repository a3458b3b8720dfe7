"""Readers of array files: records of one size, IDX, MATLAB."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format import idx
from mindspore_compat._format.compressed import most_bytes
from mindspore_compat._format.matlab import read_variables
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.engine._sources.files import read_array, read_bytes, reading


def joined(parts: Sequence[tuple[Any, ...]], shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    """Return the columns of all parts, one after another."""
    if not parts:
        return np.empty((0, *shape), np.uint8), np.empty(0, np.uint32)
    return tuple(np.concatenate(columns) if len(columns) > 1 else columns[0] for columns in zip(*parts, strict=True))


def check_equal(images: np.ndarray, labels: np.ndarray, images_path: str, labels_path: str) -> None:
    if len(images) != len(labels):
        raise RuntimeError(f"Invalid file, {images_path}: {len(images)} images, {labels_path}: {len(labels)} labels.")


def fixed_records(path: str, size: int) -> np.ndarray:
    """Return a file of records of `size` bytes."""
    content = read_array(path)
    if len(content) == 0 or len(content) % size:
        raise RuntimeError(f"Invalid file, {path} should hold records of {size} bytes, but has {len(content)} bytes.")
    return content.reshape(-1, size)


def read_idx(path: str, magic: int, rank: int, dtype: str = "u1") -> np.ndarray:
    """Return a file of the IDX format. Raises: RuntimeError."""
    with reading(path):
        return idx.read_idx(path, magic, rank, dtype)


def read_images(path: str) -> np.ndarray:
    """Return the images of an IDX file, (n, 28, 28) uint8. Raises: RuntimeError."""
    with reading(path):
        return idx.read_images(path)


def read_mat(path: str) -> dict[str, Any]:
    """Return a file of MATLAB. Raises: FileNotFoundError; RuntimeError."""
    if not os.path.lexists(path):
        raise FileNotFoundError(path)
    try:
        return read_variables(read_bytes(path), most_bytes(path))
    except FormatError as error:
        raise RuntimeError(f"Invalid file, failed to read {path}: {error}.") from error
