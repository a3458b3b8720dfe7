"""Allocation of batch arrays: in this process's memory, or in a worker process in memory shared with its parent.

Only for arrays that are passed on at once: the memory is reused when the reader has finished with the batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Maker = Callable[[tuple[int, ...], np.dtype], np.ndarray]

_maker: Maker | None = None


def set_maker(maker: Maker | None) -> None:
    """Let `maker(shape, dtype)` make the arrays from now on."""
    global _maker
    _maker = maker


def empty(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an uninitialized array."""
    return np.empty(shape, dtype) if _maker is None else _maker(shape, np.dtype(dtype))


def stack(values: Sequence[np.ndarray]) -> np.ndarray:
    """Return `np.stack` of arrays of one shape and dtype."""
    return np.stack(values, out=empty((len(values), *values[0].shape), values[0].dtype))
