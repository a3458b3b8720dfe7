"""`CSVDataset`, and MindSpore's form of CSV: quotes around whole fields only, line ends within them, empty lines
skipped.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from mindspore_compat.dataset.engine._sources.described import REQUIRED, TEXTS, Argument
from mindspore_compat.dataset.engine._sources.files import read_bytes
from mindspore_compat.dataset.engine._sources.records import RecordsDataset
from mindspore_compat.dataset.engine._sources.shards import found_files


@lru_cache
def _field(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]|"")*+)"|([^"{mark}\r\n]*+))({mark}|[\r\n]+|\Z)')


def csv_rows(path: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a file. Raises: RuntimeError."""
    text = read_bytes(path).decode("utf-8", "surrogateescape").lstrip("\r\n")
    rows: list[list[str]] = []
    row: list[str] = []
    place, pattern = 0, _field(delimiter)
    while place < len(text) or row:
        match = pattern.match(text, place)
        if match is None:
            raise RuntimeError(
                f"Invalid csv, {path} has a quote where none may be, or one that does not end, in row {len(rows) + 1}."
            )
        quoted, plain, end = match.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        if end != delimiter:
            rows.append(row)
            row = []
        place = match.end()
    return rows


FILES = Argument("dataset_files", REQUIRED, None, REQUIRED)


def _check_delimiter(value: Any, name: str) -> None:
    if len(value) != 1 or value in '"\r\n':
        raise ValueError(f"{name} should be one character, no quote and no line end, but got {value!r}.")


def _check_defaults(value: Any, name: str) -> None:
    if not all(isinstance(item, (str, int, float)) for item in value):
        raise TypeError(f"{name} should be a list of str, int or float, but got {value!r}.")


class CSVDataset(RecordsDataset):
    """Rows of CSV files.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        column_defaults: an int, a float or a text for each column says its type, int32, float32 or text; default: all
            texts.
        column_names: default: the first row of the file, which then is no data.
        shuffle, num_shards, shard_id: as of `TextFileDataset`.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if a row has another number
            of columns, or a value another type.
    """

    arguments = (
        FILES,
        Argument("field_delim", ",", _check_delimiter, ","),
        Argument("column_defaults", None, _check_defaults, ()),
        Argument("column_names", None, None, ()),
        *TEXTS,
    )
    dataset_files: list[str]
    field_delim: str
    column_defaults: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dataset_files = found_files(self.dataset_files)
        # `column_names` is a dataset's own attribute: the argument is stored elsewhere
        self._given_names: list[str] = list(self.__dict__.pop("column_names"))
        self._has_header = not self._given_names
        if self._has_header:
            rows = csv_rows(self.dataset_files[0], self.field_delim)
            if not rows:
                raise self._nothing()
            self._given_names = rows[0]

    def _columns(self) -> list[tuple[str, str]]:
        kinds = [
            "int32" if isinstance(value, int) else "float32" if isinstance(value, float) else "text"
            for value in self.column_defaults
        ]
        return [(name, kinds[i] if i < len(kinds) else "text") for i, name in enumerate(self._given_names)]

    def _files(self) -> list[str]:
        return self.dataset_files

    def _records(self, path: str) -> list[Any]:
        rows = csv_rows(path, self.field_delim)
        if self._has_header and rows[:1] != [self._given_names]:
            raise RuntimeError(f"Invalid csv, the first row of {path} is not {self._given_names}.")
        return rows[1:] if self._has_header else rows

    def _values(self, record: Any, path: str) -> tuple:
        columns = self._columns()
        if len(record) != len(columns):
            raise RuntimeError(f"Invalid csv, {path} has {len(record)} columns, not {len(columns)}: {record!r:.200}.")
        return tuple(_number(kind, value, path) for (_, kind), value in zip(columns, record, strict=True))


_LEADING = {"int32": re.compile(r"\s*[+-]?\d+"), "float32": re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")}


def _number(kind: str, text: str, path: str) -> Any:
    """Return the number at the start of a text, as in MindSpore."""
    if kind == "text":
        return text
    match = _LEADING[kind].match(text)
    if match is None or (kind == "int32" and not -(2**31) <= int(match[0]) < 2**31):
        raise RuntimeError(f"Invalid csv, failed to parse {text!r:.80} of {path} as {kind}.")
    return int(match[0]) if kind == "int32" else np.float32(match[0])
