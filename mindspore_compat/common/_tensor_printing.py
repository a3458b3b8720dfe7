"""How the values of a Tensor are written in its ``str`` and ``repr``."""

from __future__ import annotations

import numpy as np
import torch

__all__ = ["repr_values", "str_values"]

# floats that NumPy has no dtype for: MindSpore writes them itself, or by a NumPy dtype of its own
_FOREIGN = {getattr(torch, name) for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") if hasattr(torch, name)}
_EDGE = 3  # elements shown at either end of a long row
_ROW = 24  # numbers in a line of a vector


def str_values(array: np.ndarray, dtype: torch.dtype) -> str:
    """Values as MindSpore's ``str`` shows them: NumPy's text, and six decimals for a bfloat16."""
    if dtype is not torch.bfloat16:
        return str(array)
    return np.array2string(array, formatter={"float_kind": lambda x: f"{x:.6f}"})


def repr_values(array: np.ndarray, dtype: torch.dtype) -> str:
    """Values as MindSpore's ``repr`` shows them: floats in scientific notation with as many digits as the dtype
    carries; one without dimensions, and floats that NumPy lacks, with six digits at most.
    """
    if array.ndim == 0:
        value = array.item()
        if isinstance(value, complex):
            return f"{value.real:g}{value.imag:+g}j"
        return f"{value:g}" if isinstance(value, float) else str(value)
    if dtype in _FOREIGN:
        return _general(array)
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", threshold=1000)
    digits = {2: 4, 4: 8, 8: 8}[array.dtype.itemsize]
    return np.array2string(
        array, separator=", ", threshold=1000, formatter={"float_kind": lambda x: f"{x: .{digits}e}"}
    )


def _general(array: np.ndarray) -> str:
    """Six digits at most, padded to the longest that is shown; ``...`` in vectors beyond 1,000 elements and in
    axes of matrices beyond six.
    """
    if not array.size:
        return ""
    vector = array.ndim == 1
    limit = 1000 if vector else 2 * _EDGE
    shown = array
    for axis, size in enumerate(array.shape):
        if size > limit:
            shown = shown.take([*range(_EDGE), *range(size - _EDGE, size)], axis)
    width = max(len(f"{x:g}") for x in shown.ravel().tolist())

    def written(part: np.ndarray, shape: tuple[int, ...], depth: int) -> str:
        if len(shape) > 1:
            items, between = [written(one, shape[1:], depth + 1) for one in part], ",\n" + " " * (depth + 1)
            skipped = f"{between}...{between[1:]}"
        else:
            items, between, skipped = [f"{x:{width}g}" for x in part.tolist()], ", ", " ... "
        if shape[0] > limit:
            return f"[{between.join(items[:_EDGE])}{skipped}{between.join(items[_EDGE:])}]"
        if vector and len(items) > _ROW:
            lines = [", ".join(items[at : at + _ROW]) for at in range(0, len(items), _ROW)]
            return "[" + ", \n ".join(lines) + "]"
        return f"[{between.join(items)}]"

    return written(shown, array.shape, 0)
