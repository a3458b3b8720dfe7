"""Checks of the arguments that MindRecord's writers and readers share, with upstream's exceptions and words."""

from __future__ import annotations

import os
from typing import Any

from mindspore_compat.mindrecord.common.exceptions import ParamValueError

__all__ = ["FORBIDDEN", "check_consumers", "check_paths", "check_shards"]

#: what names of files may not hold
FORBIDDEN = frozenset("\\/:*?\"<>|`&;'")


def check_paths(names: Any) -> None:
    """A file's name or a list of such. Raises: ParamValueError."""
    for name in names if isinstance(names, list) else [names]:
        if not name:
            raise ParamValueError("Invalid parameter value. File path is not allowed None or empty!")
        if not isinstance(name, str):
            raise ParamValueError(f"Invalid parameter value. File path: {name} is not string.")
        last = os.path.basename(name)
        if not last:
            raise ParamValueError("Invalid parameter value. File path can not end with '/'")
        if FORBIDDEN & set(last):
            raise ParamValueError(
                f"Invalid parameter value. File name should not contains any of {' '.join(sorted(FORBIDDEN))}, but got "
                f"{last!r}."
            )
        if last != last.strip(" "):
            raise ParamValueError(f"Invalid parameter value. File name should not start/end with space: {last!r}.")


def check_consumers(number: Any) -> None:
    """Reader threads, which are not used here: upstream takes no more than there are cores, here any number passes.

    Raises: ParamValueError.
    """
    if number is None:
        raise ParamValueError("Invalid parameter value. Parameter num_consumer is None.")
    if not isinstance(number, int):
        raise ParamValueError("Invalid parameter value. Parameter num_consumer is not int.")
    if number < 1:
        raise ParamValueError(f"Invalid parameter value. Parameter num_consumer: {number} should be at least 1.")


def check_shards(number: Any, most: int) -> None:
    """Number of files. Raises: ParamValueError."""
    if number is None:
        raise ParamValueError("Invalid parameter value. Parameter shard_num is None.")
    if not isinstance(number, int):
        raise ParamValueError("Invalid parameter value. Parameter shard_num's type is not int.")
    if not 0 < number <= most:
        raise ParamValueError(
            f"Invalid parameter value. Parameter shard_num's value: {number} should between 1 and {most}."
        )
