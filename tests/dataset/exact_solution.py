"""Linear equations solved exactly and then rounded, in place of LAPACK's least squares.

The last bit of `np.linalg.lstsq` depends on the CPU, and pixels at the edge of a perspective on that bit. What draws or
compares such images, here and where real MindSpore makes the expectations, solves with this instead.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np

__all__ = ["exact_lstsq"]


def _solved(matrix: Any, values: Any, rcond: Any = None) -> tuple[np.ndarray]:
    """As `np.linalg.lstsq` of an invertible matrix, of which callers read the solution alone."""
    rows = [[*map(Fraction, row), Fraction(value)] for row, value in zip(matrix.tolist(), values.tolist(), strict=True)]
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k, row in enumerate(rows):
            if k != i:
                rows[k] = [value - row[i] * unit for value, unit in zip(row, rows[i], strict=True)]
    return (np.array([float(row[-1]) for row in rows]),)


@contextlib.contextmanager
def exact_lstsq() -> Iterator[None]:
    """Within, `np.linalg.lstsq` gives the same numbers on every CPU."""
    with mock.patch.object(np.linalg, "lstsq", _solved):
        yield
