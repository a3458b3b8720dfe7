"""Argument checks of `SummaryRecord` and `SummaryCollector`."""

from __future__ import annotations

import os
import re
from typing import Any

from mindspore_compat._api.validate import check_one_of


def check_file_part(text: str) -> None:
    """Raise ValueError unless a prefix or suffix consists of letters, digits, '_' and, later, '.'."""
    pattern = r"^\w+[0-9a-zA-Z\_\.]*$"
    if re.match(pattern, text, re.ASCII) is None:
        raise ValueError(f"The name {text!r} must match {pattern!r}.")


def check_export_options(options: Any) -> dict[str, Any] | None:
    """Return the options, if they are None or {"tensor_format": "npy" or None}."""
    if options is None:
        return None
    unknown = set(options) - {"tensor_format"}
    if unknown:
        raise ValueError(f"For 'SummaryRecord', 'export_options' takes 'tensor_format', not {sorted(unknown)}.")
    check_one_of(options.get("tensor_format"), "tensor_format", ("npy", None), "SummaryRecord")
    return dict(options)


def make_directory(path: Any, name: str) -> str:
    """Return the absolute path of a folder, made (mode 0700) if missing.

    Raises:
        TypeError: unless it is a str. ValueError: if it is blank. OSError: if it cannot be made or is not a folder.
    """
    if not str(path):
        raise ValueError(f"The '{name}' must name a folder, but is empty.")
    absolute = os.path.realpath(os.fspath(path))
    try:
        os.makedirs(absolute, mode=0o700, exist_ok=True)
    except OSError as error:
        raise type(error)(
            error.errno,
            f"the '{name}' cannot be made ({error.strerror}); choose a folder that you may write to",
            absolute,
        ) from None
    if not os.access(absolute, os.W_OK):
        raise PermissionError(13, f"the '{name}' may not be written to; choose another folder", absolute)
    return absolute
