"""The same initial weights on both sides: what an initializer draws depends on the shape alone. Standard library and
numpy only.
"""

from __future__ import annotations

import math
import random
import zlib
from statistics import NormalDist

import numpy as np

_SAMPLES = np.array([NormalDist().inv_cdf((i + 0.5) / 4096) for i in range(4096)])


def begin() -> None:
    """The generators of Python and numpy start alike, for projects that do not seed them."""
    random.seed(0)
    np.random.seed(0)


def uniform(low, high, shape):  # type: ignore[no-untyped-def]
    return _stream(shape).uniform(low, high, shape).astype(np.float32)


def normal(mean, sigma, shape):  # type: ignore[no-untyped-def]
    return (_stream(shape).standard_normal(shape) * sigma + mean).astype(np.float32)


def truncated(mean, sigma, low, high, shape):  # type: ignore[no-untyped-def]
    """Cut at mean + sigma·[low, high]."""
    inside = _SAMPLES[(_SAMPLES >= low) & (_SAMPLES <= high)]
    return (_stream(shape).choice(inside, shape) * sigma + mean).astype(np.float32)


def _stream(shape):  # type: ignore[no-untyped-def]
    return np.random.RandomState(
        zlib.crc32(repr(tuple(int(size) for size in shape)).encode()) ^ int(math.prod(shape)) & 0xFFFF
    )
