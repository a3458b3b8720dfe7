"""Argument checks of `SummaryRecord` and `SummaryCollector`."""

from __future__ import annotations

import os
import re
from typing import Any

from mindspore_compat._api.validate import check_type

__all__ = ["check_file_part", "check_export_options", "make_directory"]


def check_file_part(text: str) -> None:
    """Raise ValueError unless a prefix or suffix consists of letters, digits, '_' and, later, '.'."""
    pattern = r"^\w+[0-9a-zA-Z\_\.]*$"
    if re.match(pattern, text, re.ASCII) is None:
        raise ValueError(f"The '{text}' is illegal, it must be match regular'{pattern}' by flags'{re.ASCII}.'")


def check_export_options(options: Any) -> dict[str, Any] | None:
    """Return the options, if they are None or {"tensor_format": "npy" or None}."""
    if options is None:
        return None
    check_type(options, "export_options", dict, "SummaryRecord")
    unknown = set(options) - {"tensor_format"}
    if unknown:
        raise ValueError(f"For 'SummaryRecord', the keys {unknown} of 'export_options' are unsupported.")
    if options.get("tensor_format") not in ("npy", None):
        raise ValueError(
            f"For 'SummaryRecord', the tensor_format {options['tensor_format']!r} is unsupported; use 'npy'."
        )
    return dict(options)


def make_directory(path: Any, name: str) -> str:
    """Return the absolute path of a folder, made (mode 0700) if missing.

    Raises:
        TypeError: unless it is a str. ValueError: if it is blank. OSError: if it cannot be made or is not a folder.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"The {name} is invalid, the type should be string. It is {path!r}.")
    if not str(path):
        raise ValueError(f"The {name} is invalid, it should be non-blank.")
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
