"""Checks and columns of arguments and results of batch functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.engine._execution.columns import stack_column, to_column
from mindspore_compat.dataset.transforms._operation import call_user_function

__all__ = ["as_rows", "check_kinds", "to_batch_column", "to_int32"]


_MIXED = "Batch: mismatched types returned from per_batch_map"


def check_kinds(results: Sequence[Any]) -> None:
    """Raise RuntimeError for a dict beside a value that is no dict and fits no array, as in MindSpore: one dict for the
    batch goes with dicts only, lists of dicts with anything of as many rows.
    """
    if any(isinstance(result, dict) for result in results) and not all(
        isinstance(result, (dict, np.ndarray)) for result in results
    ):
        raise RuntimeError(
            f"{_MIXED}: {[type(result).__name__ for result in results]}. Return a dict, or a list of dicts, for each "
            "column."
        )


def as_rows(results: tuple, names: Sequence[str], count: int) -> tuple:
    """Return `results` in MindSpore's form: arrays (and dicts) are whole batches of any length; where one column is
    anything else, each column is a list of the batch's `count` rows. Raises: RuntimeError.
    """
    if all(isinstance(result, (np.ndarray, dict)) for result in results):
        return results
    columns = tuple(call_user_function(list, (result,), "batch operation: per_batch_map failed.") for result in results)
    for column, name in zip(columns, names, strict=True):
        if len(column) != count:
            raise RuntimeError(
                f"Invalid data, column: {name} expects: {count} rows returned from 'per_batch_map', got: {len(column)}"
            )
    return columns


def _merged(dicts: list[Any]) -> dict[Any, list[Any]]:
    """Return {key: its values} of the dicts that a batch has for its rows."""
    if not all(isinstance(item, dict) and item.keys() == dicts[0].keys() for item in dicts):
        raise RuntimeError(f"{_MIXED}: the rows of a column must be dicts with the same keys.")
    return {key: [item[key] for item in dicts] for key in dicts[0]}


def _is_plain(values: list[Any]) -> bool:
    """Return whether NumPy converts all values together as it does each: others have no dtype in common."""
    return type(values[0]) in (int, float, bool, str, bytes) and all(type(v) is type(values[0]) for v in values)


def to_batch_column(result: Any, what: str) -> Any:
    if isinstance(result, list) and any(isinstance(item, dict) for item in result):
        return _merged([item if isinstance(item, dict) else None for item in result])
    if isinstance(result, list) and not _is_plain(result):
        return stack_column([to_column(value, what) for value in result], "of per_batch_map")
    return to_column(result, what)


def to_int32(value: Any, refusal: str, least: int = -(2**31)) -> int:
    """Return a function's result `value` as a C++ int. Raise RuntimeError for Python's floats, strings, arrays of
    several numbers, and numbers below `least` or beyond 32 bits.
    """
    is_refused = (
        isinstance(value, (float, str, bytes))
        or np.iscomplexobj(value)
        or (isinstance(value, np.ndarray) and value.size != 1)
    )
    try:
        number = None if is_refused else int(value.flat[0] if isinstance(value, np.ndarray) else value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not least <= number < 2**31:
        raise RuntimeError(f"{refusal}, but got {value!r}.")
    return number
