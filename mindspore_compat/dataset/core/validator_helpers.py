"""Argument checks shared by datasets, samplers and transforms; exception types are MindSpore's."""

from __future__ import annotations

import numbers
import os
from collections.abc import Sequence
from typing import Any

from mindspore_compat._api.errors import warn_once

UINT8_MAX = 255
INT32_MAX = 2147483647
INT32_MIN = -INT32_MAX - 1
UINT32_MAX = 4294967295
INT64_MAX = 9223372036854775807
FLOAT_MAX_INTEGER = 16777216


def refused(kind: type[Exception], words: str, value: Any, advice: str = "") -> Exception:
    """Return the exception for a bad argument: MindSpore's exact words, as programs compare them. The value and the
    advice stand in a note, which tracebacks show (before Python 3.11 behind the words).
    """
    note = f"Got {value!r}." + (f" {advice}" if advice else "")
    if not hasattr(BaseException, "add_note"):
        return kind(f"{words} {note}")
    error = kind(words)
    error.add_note(note)  # type: ignore[attr-defined]
    return error


def type_check(arg: Any, types: type | tuple[type, ...], arg_name: str) -> None:
    """Raise TypeError unless `arg` is one of `types`; a bool passes for an int only where bool is listed."""
    types = types if isinstance(types, tuple) else (types,)
    if not isinstance(arg, types) or (isinstance(arg, bool) and int in types and bool not in types):
        raise TypeError(f"Argument {arg_name} with value {arg!r} is not of type {list(types)}, but got {type(arg)}.")


def type_check_list(args: Sequence[Any], types: type | tuple[type, ...], arg_name: str) -> None:
    """Apply `type_check` to every element."""
    for i, arg in enumerate(args):
        type_check(arg, types, f"{arg_name}[{i}]")


def check_value(
    value: float, interval: tuple[float, float], arg_name: str = "", above: bool = False, below: bool = False
) -> None:
    """Raise ValueError unless ``interval[0] <= value <= interval[1]``, with `above` and `below` ``<``.

    Some of MindSpore's messages do not name the argument: then `arg_name` is empty.
    """
    low, high = interval
    if low <= value <= high and not (above and value == low) and not (below and value == high):
        return
    name = f"Input {arg_name}".rstrip()
    shown = f"{'(' if above else '['}{low}, {high}{')' if below else ']'}"
    raise refused(ValueError, f"{name} is not within the required interval of {shown}.", value)


def check_positive(value: float, arg_name: str = "") -> None:
    """Raise ValueError unless ``value > 0``."""
    if not value > 0:
        raise refused(ValueError, f"{f'Input {arg_name}'.rstrip()} must be greater than 0.", value)


def check_member(value: Any, members: Sequence[str], arg_name: str) -> Any:
    """Check for one of some texts; return it."""
    type_check(value, str, arg_name)
    if value not in members:
        raise refused(ValueError, f"Input {arg_name} is not within the valid set of {members}.", value)
    return value


def check_int(value: Any, name: str, low: int = INT32_MIN, high: int = INT32_MAX) -> Any:
    """Check for an int in [low, high]; return it."""
    type_check(value, int, name)
    check_value(value, (low, high), name)
    return value


def check_nonzero(
    value: Any, name: str, limit: int = INT32_MAX, low: int = INT32_MIN, types: tuple[type, ...] = (int,)
) -> Any:
    """Check for a number (by default an int) other than 0 in [low, limit]; return it."""
    type_check(value, types, name)
    if value == 0 or not low <= value <= limit:
        raise refused(ValueError, f"Input {name} is not within the interval of [{low}, 0) and (0, {limit}].", value)
    return value


def check_real(
    value: Any, name: str, low: float = -FLOAT_MAX_INTEGER, high: float = FLOAT_MAX_INTEGER, above: bool = False
) -> Any:
    """Check for a number in [low, high], or with `above` in (low, high]; return it."""
    if isinstance(value, bool):
        type_check(value, int, name)
    type_check(value, numbers.Real, name)
    check_value(value, (low, high), name, above)
    return value


def check_probability(prob: Any, name: str = "prob") -> float:
    """Check for a number in [0, 1]; return it."""
    return check_real(prob, name, 0.0, 1.0)


def check_pos_int32(value: Any, arg_name: str) -> Any:
    """Check for an int in [1, INT32_MAX]; return it."""
    return check_int(value, arg_name, 1)


def check_dir(path: Any, arg_name: str = "dataset_dir") -> None:
    """Raise unless `path` is a readable folder."""
    if not isinstance(path, os.PathLike):
        type_check(path, str, arg_name)
    if not os.path.isdir(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The folder {path} does not exist or is not a directory or permission denied!")


def check_file(path: Any) -> None:
    """Raise unless `path` is a readable file."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The file {path} does not exist or permission denied!")


def cpu_count() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


#: more workers than any machine has
_MOST_WORKERS = 128


def workers_in_range(num: Any) -> int:
    """Check a worker count; a count above the CPUs is lowered with one notice (MindSpore refuses it), one above
    `_MOST_WORKERS` is refused here, too.

    Old scripts hard-code 8 or more and would not run on a smaller machine.
    """
    type_check(num, int, "num_parallel_workers")
    limit = cpu_count()
    if num < 1 or num > max(limit, _MOST_WORKERS):
        raise refused(ValueError, f"num_parallel_workers exceeds the boundary between 1 and {limit}!", num)
    if num > limit:
        warn_once(
            "dataset.num_parallel_workers",
            f"num_parallel_workers is lowered to the {limit} CPUs of this machine, but got {num}.",
        )
    return min(num, limit)


def row_sizes(max_rowsize: Any, batch_size: Any = 1) -> list[int]:
    """Return ``max_rowsize`` as [for inputs, for outputs] in MB; kept for scripts that read it, no shared memory is
    reserved by it.

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


def check_num_samples(value: Any, name: str = "num_samples") -> Any:
    """Check for a number of samples; return it."""
    type_check(value, int, name)
    if not 0 <= value <= INT64_MAX:
        raise refused(ValueError, f"{name} exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)!", value)
    return value


def check_columns(columns: Any, name: str) -> list[str]:
    """Return a non-empty list of different names, from a name or a list. Raises: TypeError, ValueError."""
    if not isinstance(columns, tuple):
        type_check(columns, (list, str), name)
    columns = [columns] if isinstance(columns, str) else list(columns)
    if not columns:
        raise ValueError(f"{name} should not be empty.")
    type_check_list(columns, str, name)
    for i, column in enumerate(columns):
        if not column:
            raise ValueError(f"{name}[{i}] should not be empty.")
    if len(set(columns)) != len(columns):
        raise refused(ValueError, "Every column name should not be same with others in column_names.", columns)
    return columns
