"""Text of a Tensor's values: ``str`` by numpy, ``repr`` as MindSpore's C++ writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

_EDGE = 3  # this many are shown on each side of what is left out
_MOST, _MOST_IN_A_LINE = 2 * _EDGE, 1000  # of an axis; of the axis of a Tensor that has but one
_PER_LINE = {"f": 12, "b": 12}  # with one axis; of other kinds 24
_FIXED = {2: (11, 4), 4: (15, 8), 8: (15, 8)}  # bytes of a float: width and digits
_BRIEF = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)  # floats that numpy does not have


def str_values(array: np.ndarray, dtype: torch.dtype) -> str:
    """Return the values as MindSpore's ``str`` shows them: numpy's text, and six decimals for bfloat16."""
    if dtype is not torch.bfloat16:
        return str(array)
    return np.array2string(array, formatter={"float_kind": lambda x: f"{x:.6f}"})


def repr_values(array: np.ndarray, dtype: torch.dtype) -> str:
    """Return the values as MindSpore's repr shows them. Floats are in scientific notation with the dtype's digits.
    Integers and floats that numpy does not have are as wide as the widest one shown. A 0-d value has at most six
    digits.
    """
    if array.ndim == 0:
        return _short(array.item())
    if not array.size:
        return ""
    shown = array[np.ix_(*(_places(size, array.ndim) for size in array.shape))]
    brief = dtype in _BRIEF
    text = _writer(shown, brief)
    return "".join(_lines(array, text, 0, 24 if brief else _PER_LINE.get(array.dtype.kind, 24)))


def _places(size: int, ndim: int) -> np.ndarray:
    """Return the places of an axis that are shown."""
    if size <= (_MOST if ndim > 1 else _MOST_IN_A_LINE):
        return np.arange(size)
    return np.r_[:_EDGE, size - _EDGE : size]


def _short(value: Any) -> str:
    if isinstance(value, complex):
        return f"{value.real:g}{value.imag:+g}j"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _writer(shown: np.ndarray, brief: bool) -> Callable[[Any], str]:
    kind = shown.dtype.kind
    if kind == "f" and not brief:
        width, digits = _FIXED[shown.dtype.itemsize]
        return lambda value: f"{value:{width}.{digits}e}"
    if kind == "c":
        return lambda value: _short(complex(value))
    width = 5 if kind == "b" else max(len(_short(value)) for value in shown.ravel().tolist())
    return lambda value: _short(value.item()).rjust(width)


def _lines(array: np.ndarray, text: Callable[[Any], str], depth: int, per_line: int) -> Iterator[str]:
    """Yield ``array`` in brackets: a part of the Tensor, ``depth`` axes down."""
    whole = depth + array.ndim
    places = _places(len(array), whole)
    cut = len(places) < len(array)
    yield "["
    for number, place in enumerate(places):
        last = number == len(places) - 1
        gap = cut and number == _EDGE - 1  # the omitted part comes next
        if array.ndim > 1:
            yield from _lines(array[place], text, depth + 1, per_line)
            line = "\n" + " " * (depth + 1)
            yield "" if last else f",{line}...{line}" if gap else f",{line}"
        else:
            yield text(array[place]) + ("" if last else " ... " if gap else ", ")
            if whole == 1 and not cut and not (number + 1) % per_line:
                yield "\n "
    yield "]"
