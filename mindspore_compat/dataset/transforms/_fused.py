"""Fused operations, with the same results and faster."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.transforms._operation import TensorOperation, apply_operations, is_builtin

_MOST_CHANNELS = 4
#: dtypes of OpenCV's tables; others of equal size are viewed as these
_CARRIERS = {1: "u1", 2: "u2", 4: "f4", 8: "f8"}


def fuse(operations: Sequence[Any]) -> list[Any]:
    """Return `operations` with runs of pointwise ones as one `Pointwise`, a tokenizer with a lookup as one `Texts`."""
    fused: list[Any] = []
    for is_run, run in groupby(operations, lambda op: is_builtin(op) and op.is_pointwise):
        members = list(run)
        worth = is_run and any(op.releases_gil for op in members)
        fused.extend([Pointwise(members)] if worth else members)
    for place in range(len(fused) - 2, -1, -1):
        pair = fused[place : place + 2]
        if all(is_builtin(op) and op._plain() is not None for op in pair):
            fused[place : place + 2] = [Texts(pair)]
    return fused


class Texts(TensorOperation):
    """Two operations that have a `_plain` form, one after the other."""

    def __init__(self, transforms: Sequence[TensorOperation]) -> None:
        self.transforms = list(transforms)

    def on_column(self, column: Any) -> list[np.ndarray] | None:
        """Return the rows of a column of single texts, None for others."""
        if isinstance(column, np.ndarray) or any(
            not isinstance(row, np.ndarray) or row.ndim or row.dtype.kind != "U" for row in column
        ):
            return None
        first, second = (operation._plain() for operation in self.transforms)
        if first is None or second is None:
            return None
        return [np.asarray(second(first(row.item()))) for row in column]


class Pointwise(TensorOperation):
    """Pointwise `transforms`, one after another."""

    def __init__(self, transforms: Sequence[TensorOperation]) -> None:
        self.transforms = list(transforms)
        self._tables: dict[int, tuple[bool, np.ndarray] | None] = {}

    def _table(self, channels: int) -> tuple[bool, np.ndarray] | None:
        """Return (whether channels come first, values (channels, 256)), None if operations reject such images."""
        if channels not in self._tables:
            ramp = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], channels, 2)
            try:
                (result,) = apply_operations(self.transforms, (ramp,))
            except Exception:
                self._tables[channels] = None  # run one by one, they raise it for the original image
            else:
                is_first = result.shape == (channels, 256, 1)
                known = is_first or result.shape == ramp.shape
                values = result[..., 0] if is_first else result[:, 0].T
                self._tables[channels] = (
                    (is_first, np.ascontiguousarray(values)) if known and result.dtype.kind in "biuf" else None
                )
        return self._tables[channels]

    def on_column(self, column: Any) -> np.ndarray | None:
        """Return the block of a column of uint8 images (H, W, C) of one shape, None for any other."""
        first = column[0]
        if not isinstance(first, np.ndarray) or first.ndim != 3 or first.shape[2] > _MOST_CHANNELS or not first.size:
            return None
        is_block = isinstance(column, np.ndarray)
        if any(row.dtype != np.uint8 or row.shape != first.shape for row in (column[:1] if is_block else column)):
            return None
        found = self._table(first.shape[2])
        if found is None:
            return None
        is_first, table = found
        height, width, channels = first.shape
        result = np.empty((len(column), *((channels, height, width) if is_first else first.shape)), table.dtype)
        carrier = _CARRIERS[table.dtype.itemsize]
        _look_up(column, table.view(carrier), result.view(carrier), is_first)
        return result


def _look_up(column: Any, table: np.ndarray, result: np.ndarray, is_first: bool) -> None:
    cv2 = opencv()
    count, channels = len(column), len(table)
    images: list[Any] = list(column)
    targets = list(result)
    if isinstance(column, np.ndarray):  # each image as one line, so that a batch is one call a channel
        images = [np.ascontiguousarray(column).reshape(count, -1, channels)]
        targets = [
            result.reshape(count, channels, -1).transpose(1, 0, 2) if is_first else result.reshape(count, -1, channels)
        ]
    together = np.ascontiguousarray(table.T).reshape(1, 256, channels)
    planes = list(
        np.empty((channels, *images[0].shape[:2]), np.uint8)
    )  # reused for all images: allocation costs more than the work
    for image, target in zip(images, targets, strict=True):
        if not is_first:
            _into(target, cv2.LUT(image, together, target))
            continue
        for values, plane, place in zip(table, cv2.split(image, planes), target, strict=True):
            _into(place, cv2.LUT(plane, values.reshape(1, 256), place))


def _into(target: np.ndarray, filled: np.ndarray) -> None:
    """Copy into `target` if OpenCV could not write into it."""
    if filled is not target and not np.shares_memory(filled, target):
        target[...] = filled.reshape(target.shape)
