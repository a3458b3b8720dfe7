"""Conversion of results of sources and functions to the columns of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.memory import stack

#: One sample or batch: a NumPy array (or an unchanged dict) per column.
Row = tuple[Any, ...]

_SUPPORTED_KINDS = "biufUSc"


def to_column(value: Any, what: str, copy: bool = False, item: str = "") -> Any:
    """Return `value` as a NumPy array; dicts stay. Raises RuntimeError where no array can be made of it."""
    if isinstance(value, np.ndarray):
        array = np.array(value) if copy else value
    elif isinstance(value, dict):
        return value
    elif value is None:
        raise RuntimeError(f"{what} must return arrays, numbers, strings, Tensors or dicts, but got None.")
    elif hasattr(value, "asnumpy"):
        array = np.array(value.asnumpy()) if copy else value.asnumpy()
    elif hasattr(value, "detach"):  # a plain torch tensor
        array = np.array(value.detach().cpu().numpy()) if copy else value.detach().cpu().numpy()
    else:
        try:
            array = np.array(value)
        except ValueError as error:  # ragged lists
            raise RuntimeError(f"{what} returned {type(value)}, of which no array can be made: {error}") from error
    if array.dtype.kind not in _SUPPORTED_KINDS:
        raise RuntimeError(f"{what} returned {type(value)}. {item}it is {array.dtype}, expected int, float or str.")
    return array


def to_row(value: Any, what: str, copy: bool = False) -> Row:
    """Return the result of a source's ``__getitem__`` or ``__next__`` as a row: a tuple or list holds columns, anything
    else is one column.
    """
    if isinstance(value, (int, float, str, bytes, dict, np.ndarray, np.generic)) or hasattr(value, "detach"):
        return (to_column(value, what, copy),)
    try:
        items = tuple(value)
    except TypeError:
        return (to_column(value, what, copy),)
    return tuple(to_column(item, what, copy, f"{i}th item of ") for i, item in enumerate(items, 1))


def has_object_values(array: np.ndarray) -> bool:
    """Return whether an array holds Python objects, which columns must not."""
    return array.dtype.kind not in _SUPPORTED_KINDS


def stack_column(values: Sequence[Any], name: str) -> Any:
    """Return rows of one column as a batch; dicts are stacked entry by entry."""
    first = values[0]
    if isinstance(first, dict):
        return {key: _stack_entry([to_column(v[key], "batch") for v in values], f"{name}[{key!r}]") for key in first}
    for value in values[1:]:
        if value.shape != first.shape:
            raise RuntimeError(
                f"Cannot batch tensors with different shapes in column {name}. First element had shape "
                f"{list(first.shape)} and this element had shape {list(value.shape)}. Use padded_batch, per_batch_map "
                "or a map that makes them equal."
            )
        if value.dtype != first.dtype and not value.dtype.kind == first.dtype.kind in "US":
            raise RuntimeError(
                f"Cannot batch tensors with different types in column {name}. First element had type {first.dtype} and "
                f"this element had type {value.dtype}."
            )
    if first.ndim == 0 or first.dtype.kind in "US":
        return np.array(values)
    return stack(values)


def _stack_entry(values: Sequence[Any], name: str) -> Any:
    try:
        return stack_column(values, name)
    except RuntimeError as error:
        raise RuntimeError(f"Batch: failed to create a NumPy array with primitive types. {error}") from error


def stackable(values: Sequence[Any], largest: int) -> np.ndarray | None:
    """Return values of one column as a block, or None if they differ in shape or dtype, are no arrays, or have more
    than `largest` bytes.
    """
    first = values[0]
    if (
        not isinstance(first, np.ndarray)
        or first.nbytes > largest
        or any(not isinstance(v, np.ndarray) or v.shape != first.shape or v.dtype != first.dtype for v in values)
    ):
        return None
    return np.stack(values)


def stack_columns(columns: Sequence[Any], names: Sequence[str]) -> Row:
    """Return columns as a batch; blocks stay as they are."""
    return tuple(
        c if isinstance(c, np.ndarray) else stack_column(c, name) for c, name in zip(columns, names, strict=True)
    )


def rows_of(column: Any) -> list[Any]:
    """Return the rows' values of a column; those of a block are views."""
    return [column[i, ...] for i in range(len(column))] if isinstance(column, np.ndarray) else column


def first_row(_: Any, columns: Sequence[Any]) -> Row:
    """Return the one row of columns of length 1."""
    return tuple(rows_of(column)[0] for column in columns)


def positions(wanted: Sequence[str], names: Sequence[str], what: str) -> list[int]:
    """Return the places of the `wanted` columns in `names`. Raises: RuntimeError."""
    for name in wanted:
        if name not in names:
            raise RuntimeError(f"Invalid parameter, {what} column name: {name} doesn't exist in {list(names)}.")
    return [list(names).index(name) for name in wanted]
