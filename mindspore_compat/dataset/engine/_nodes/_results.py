"""What a per_batch_map has returned: checks, and columns of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.engine._execution.columns import stack_column, to_column

__all__ = ["check_kinds", "check_rows", "to_batch_column"]


_MIXED = "Batch: mismatched types returned from per_batch_map"


def check_kinds(results: Sequence[Any]) -> None:
    """RuntimeError where a dict stands beside what neither is a dict nor fits an array, as upstream: one dict for the
    batch goes with dicts only, lists of dicts with anything that has as many rows.
    """
    if any(isinstance(result, dict) for result in results) and not all(
        isinstance(result, (dict, np.ndarray)) for result in results
    ):
        raise RuntimeError(
            f"{_MIXED}: {[type(result).__name__ for result in results]}. Return a dict, or a list of dicts, for each "
            "column."
        )


def check_rows(results: Sequence[Any], names: Sequence[str]) -> None:
    """RuntimeError where a list of dicts, one a row, stands beside another number of rows."""
    counts = {
        len(result) for result in results if isinstance(result, list) and any(isinstance(i, dict) for i in result)
    }
    for result, name in zip(results, names, strict=True):
        if counts and not isinstance(result, dict) and len(result) != max(counts):
            raise RuntimeError(
                f"Invalid data, column: {name} expects: {max(counts)} rows returned from 'per_batch_map', but got: "
                f"{len(result)}"
            )


def _merged(dicts: list[Any]) -> dict[Any, list[Any]]:
    """{key: its values} of the dicts that a batch has for its rows."""
    if not all(isinstance(item, dict) and item.keys() == dicts[0].keys() for item in dicts):
        raise RuntimeError(f"{_MIXED}: the rows of a column must be dicts with the same keys.")
    return {key: [item[key] for item in dicts] for key in dicts[0]}


def to_batch_column(result: Any, what: str) -> Any:
    if isinstance(result, list) and result and any(isinstance(item, dict) for item in result):
        return _merged([item if isinstance(item, dict) else None for item in result])
    if isinstance(result, list) and result and not isinstance(result[0], (int, float, str, bytes)):
        return stack_column([to_column(value, what) for value in result], "of per_batch_map")
    return to_column(result, what)
