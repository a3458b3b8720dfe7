"""Opening of regular files, which end and do not wait."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, BinaryIO

from mindspore_compat._format.wire import FormatError

_MOST_JSON = 1 << 28  # a map of all the parameters there are has less
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: str) -> BinaryIO:
    """Return the file for reading. Do not open FIFOs, sockets and devices, which may wait for ever or never end; follow
    links to files.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise FormatError(f"{path} is no regular file")
    handle = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # another one by now
        os.close(handle)
        raise FormatError(f"{path} is no regular file")
    return os.fdopen(handle, "rb")


def read_regular(path: str, most: int | None = None) -> bytes:
    """Return the content of the file."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            raise FormatError(f"{path} has {size} bytes, more than the {most} that such a file may have")
        return file.read()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("an object has the same key twice")
    return result


def parse_json(data: bytes, what: str) -> Any:
    """Return the value of a JSON text; ``what`` names it in the message."""
    try:
        return json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise FormatError(f"{what} is no readable JSON: {error}") from None


def read_json(path: str, kind: type = dict) -> Any:
    """Return the value of a JSON file, which must be of this kind."""
    value = parse_json(read_regular(path, _MOST_JSON), path)
    if not isinstance(value, kind):
        raise FormatError(f"{path} must hold a JSON {kind.__name__}, but holds a {type(value).__name__}")
    return value
