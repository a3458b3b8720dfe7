"""How the values of a Tensor are written in its ``repr``."""

from __future__ import annotations

import numpy as np

__all__ = ["repr_values"]


def repr_values(array: np.ndarray) -> str:
    """Values as MindSpore's repr shows them: floats in scientific notation with as many digits as the dtype carries;
    one without dimensions with six digits at most.
    """
    if array.ndim == 0:
        value = array.item()
        if isinstance(value, complex):
            return f"{value.real:g}{value.imag:+g}j"
        return f"{value:g}" if isinstance(value, float) else str(value)
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", threshold=1000)
    digits = {2: 4, 4: 8, 8: 8}[array.dtype.itemsize]
    return np.array2string(
        array, separator=", ", threshold=1000, formatter={"float_kind": lambda x: f"{x: .{digits}e}"}
    )
