"""Argument checks shared by datasets, samplers and transforms; exception types are upstream's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from mindspore_compat._api.errors import warn_once

__all__ = [
    "FLOAT_MAX_INTEGER",
    "INT32_MAX",
    "INT32_MIN",
    "INT64_MAX",
    "INT64_MIN",
    "UINT32_MAX",
    "UINT8_MAX",
    "check_columns",
    "check_dir",
    "check_file",
    "check_int",
    "check_nonzero",
    "check_pos_int32",
    "check_probability",
    "check_real",
    "check_value",
    "row_sizes",
    "type_check",
    "type_check_list",
    "workers_in_range",
]

UINT8_MAX = 255
INT32_MAX = 2147483647
INT32_MIN = -INT32_MAX - 1
UINT32_MAX = 4294967295
INT64_MAX = 9223372036854775807
INT64_MIN = -INT64_MAX - 1
FLOAT_MAX_INTEGER = 16777216


def type_check(arg: Any, types: type | tuple[type, ...], arg_name: str) -> None:
    """Raise TypeError unless `arg` is one of `types`; a bool passes for an int only where bool is listed."""
    types = types if isinstance(types, tuple) else (types,)
    if isinstance(arg, types) and not (isinstance(arg, bool) and bool not in types):
        return
    shown = '""' if isinstance(arg, str) and not arg else arg
    raise TypeError(f"Argument {arg_name} with value {shown} is not of type {list(types)}, but got {type(arg)}.")


def type_check_list(args: Sequence[Any], types: type | tuple[type, ...], arg_name: str) -> None:
    """`type_check` of every element."""
    for i, arg in enumerate(args):
        type_check(arg, types, f"{arg_name}[{i}]")


def check_value(value: float, interval: tuple[float, float], arg_name: str) -> None:
    """Raise ValueError unless ``interval[0] <= value <= interval[1]``."""
    low, high = interval
    if not low <= value <= high:
        raise ValueError(f"Input {arg_name} is not within the required interval of [{low}, {high}]. Got {value}.")


def check_int(value: Any, name: str, low: int = INT32_MIN, high: int = INT32_MAX) -> Any:
    """An int in [low, high]; returned."""
    type_check(value, int, name)
    check_value(value, (low, high), name)
    return value


def check_nonzero(value: Any, name: str) -> Any:
    """An int other than 0; returned."""
    check_int(value, name)
    if value == 0:
        raise ValueError(
            f"Input {name} is not within the required interval of [{INT32_MIN}, 0) and (0, {INT32_MAX}]. Got 0."
        )
    return value


def check_real(
    value: Any, name: str, low: float = -FLOAT_MAX_INTEGER, high: float = FLOAT_MAX_INTEGER, above: bool = False
) -> Any:
    """A number in [low, high], or with `above` in (low, high]; returned."""
    type_check(value, (float, int), name)
    check_value(value, (low, high), name)
    if above and value == low:
        raise ValueError(f"Input {name} is not within the required interval of ({low}, {high}]. Got {value}.")
    return value


def check_probability(prob: Any, name: str = "prob") -> float:
    """A number in [0, 1]; returned."""
    type_check(prob, (float, int), name)
    check_value(prob, (0.0, 1.0), name)
    return prob


def check_pos_int32(value: Any, arg_name: str) -> Any:
    """An int in [1, INT32_MAX]; returned."""
    return check_int(value, arg_name, 1)


def check_dir(path: Any, arg_name: str = "dataset_dir") -> None:
    """Raise unless `path` is a readable folder."""
    type_check(path, (str, os.PathLike), arg_name)
    if not os.path.isdir(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The folder {path} does not exist or is not a directory or permission denied!")


def check_file(path: Any) -> None:
    """Raise unless `path` is a readable file."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The file {path} does not exist or permission denied!")


def cpu_count() -> int:
    """CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def workers_in_range(num: Any) -> int:
    """Check a worker count; more than there are CPUs is lowered with one notice (upstream refuses it).

    Old scripts hard-code 8 or more and would not run on a smaller machine.
    """
    type_check(num, int, "num_parallel_workers")
    limit = cpu_count()
    if num < 1:
        raise ValueError(f"num_parallel_workers exceeds the boundary between 1 and {limit}! Got {num}.")
    if num > limit:
        warn_once(
            "dataset.num_parallel_workers",
            f"num_parallel_workers is lowered to the {limit} CPUs of this machine, but got {num}.",
        )
    return min(num, limit)


def row_sizes(max_rowsize: Any, batch_size: Any = 1) -> list[int]:
    """``max_rowsize`` as [for inputs, for outputs] in MB; kept for scripts that read it, no shared memory is reserved
    by it.

    Raises:
        TypeError: if it is neither int nor a list of two. ValueError: if a number is below -1.
    """
    if max_rowsize is None:
        return [-1, -1]
    type_check(max_rowsize, (int, list), "max_rowsize")
    sizes = max_rowsize if isinstance(max_rowsize, list) else [max_rowsize] * 2
    if len(sizes) != 2:
        raise TypeError("max_rowsize should be a single integer or a list[in_rowsize, out_rowsize] of length 2.")
    for size in sizes:
        check_value(size, (-1, INT32_MAX), "max_rowsize")
    factor = batch_size if isinstance(batch_size, int) else 1
    return [size if size == -1 else size * factor for size in sizes]


def check_columns(columns: Any, name: str) -> list[str]:
    """A non-empty list of different names, from a name or a list. Raises: TypeError, ValueError."""
    type_check(columns, (list, tuple, str), name)
    columns = [columns] if isinstance(columns, str) else list(columns)
    if not columns:
        raise ValueError(f"{name} should not be empty.")
    type_check_list(columns, str, name)
    for i, column in enumerate(columns):
        if not column:
            raise ValueError(f"{name}[{i}] should not be empty.")
    if len(set(columns)) != len(columns):
        raise ValueError(f"Every column name should not be same with others in column_names. Got {columns} as {name}.")
    return columns
