"""Readers of a dataset's files: broken or missing ones raise RuntimeError with the file's name, as in MindSpore."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

import numpy as np

from mindspore_compat._format.source import open_regular, parse_json
from mindspore_compat._format.wire import FormatError

#: what content that is not as expected raises
_WRONG = (AttributeError, LookupError, OSError, OverflowError, RecursionError, SyntaxError, TypeError, ValueError)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Let errors of content that is not as expected be RuntimeErrors with the file's name."""
    try:
        yield
    except FormatError as error:  # names the file itself
        raise RuntimeError(f"Invalid file, {error}.") from error
    except _WRONG as error:
        raise RuntimeError(f"Invalid file, {path}: {type(error).__name__}: {error}.") from error


def read_array(path: str) -> np.ndarray:
    """Return the bytes of a file as an array of its own. Raises: RuntimeError."""
    try:  # for each image; `reading` would cost two microseconds
        with open_regular(path) as stream:
            return np.fromfile(stream, np.uint8)
    except (OSError, FormatError) as error:
        raise RuntimeError(f"Invalid file, failed to open file: {path} ({error}).") from error


def read_bytes(path: str) -> bytes:
    """Return the content of a file. Raises: RuntimeError."""
    return read_array(path).tobytes()


def read_xml(path: str) -> ElementTree.Element:
    """Return the root of an XML file. Raises: RuntimeError for invalid XML."""
    with reading(path):
        return ElementTree.fromstring(read_bytes(path))


def read_json_file(path: str) -> Any:
    """Return the value of a JSON file. Raises: RuntimeError."""
    with reading(path):
        return parse_json(read_bytes(path), path)


def lines_of(path: str) -> list[str]:
    """Return the lines of a file of text, without their ends. Raises: RuntimeError."""
    lines = read_bytes(path).decode("utf-8", "surrogateescape").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def words_of(path: str) -> list[str]:
    """Return the words of a text file, split at white space. Raises: RuntimeError."""
    return read_bytes(path).decode("utf-8", "surrogateescape").split()


def folders_in(path: str) -> list[str]:
    """Return names of the folders in a folder, sorted. Raises: RuntimeError."""
    return sorted(entry.name for entry in _entries(path) if os.path.isdir(entry.path))


def files_in(path: str, *endings: str) -> list[str]:
    """Return full names of the files in a folder, of these extensions (default: all), sorted. Raises: RuntimeError."""
    found = (entry.path for entry in _entries(path) if not endings or os.path.splitext(entry.name)[1] in endings)
    return sorted(file for file in found if os.path.isfile(file))


def _entries(path: str) -> list[os.DirEntry]:
    with reading(path), os.scandir(path) as entries:
        return list(entries)


def is_picture(path: str) -> bool:
    """Return whether a file begins as a JPEG, PNG, GIF or BMP does. Raises: RuntimeError."""
    return read_bytes(path)[:3].startswith((b"\xff\xd8\xff", b"\x89PN", b"GIF", b"BM"))
