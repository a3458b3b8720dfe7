"""Files of the MindRecord format: header, pages, and the SQLite index beside each of them.

A file starts with a uint64 little-endian length and that much JSON (pages, schema, names of all shards), filled up to
`header_size`; page ``i`` starts at ``header_size + i * page_size``. ``<file>.db`` tells where each row is.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from contextlib import closing
from typing import Any

import numpy as np

from mindspore_compat.mindrecord._codec import decode_blobs, decode_map
from mindspore_compat.mindrecord.common.exceptions import MRMOpenError

__all__ = ["HEADER_SIZE", "PAGE_SIZE", "Shard", "read_header", "shard_paths"]

HEADER_SIZE = 1 << 24
PAGE_SIZE = 1 << 25
_KEYS = ("header_size", "page_size", "page", "schema", "shard_addresses")


def read_header(path: str) -> dict[str, Any]:
    """The header of a file. Raises: ValueError where there is none to read, MRMOpenError where it is none."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise ValueError(f"The file {path} does not exist or permission denied!")
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        prefix = stream.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else 0
        if not 0 < length <= size - 8:
            raise MRMOpenError(f"{path} is not a MindRecord file: header length {length} in a file of {size} bytes.")
        text = stream.read(length)
    try:
        header = json.loads(text)
        missing = [key for key in _KEYS if key not in header]
    except (ValueError, TypeError) as error:
        raise MRMOpenError(f"{path} is not a MindRecord file: its header is no JSON ({error}).") from error
    if missing or len(header["schema"]) != 1:
        raise MRMOpenError(
            f"{path} is not a MindRecord file that can be read: header without {missing or 'one schema'}."
        )
    return header


def shard_paths(files: str | list[str]) -> list[str]:
    """The files to read: a list as it is; for one name all shards that were written with it."""
    if not isinstance(files, str):
        return list(files)
    folder = os.path.dirname(files)
    return [os.path.join(folder, name) for name in read_header(files)["shard_addresses"]]


class Shard:
    """One file to read rows from; can be sent to worker processes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.header = read_header(path)
        self.schema: dict[str, dict[str, Any]] = self.header["schema"][0]["schema"]
        self.blob_fields: list[str] = self.header["schema"][0]["blob_fields"]
        self._places = self._read_index()
        self._stream: Any = None
        self._pid = -1

    def _read_index(self) -> np.ndarray:
        """Per row: raw page, start, end, blob page, start, end."""
        index = f"{self.path}.db"
        if not os.path.isfile(index):
            raise RuntimeError(f"The input: {index} is not exists. A MindRecord file needs its .db file beside it.")
        query = (
            "SELECT PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, PAGE_OFFSET_BLOB, "
            "PAGE_OFFSET_BLOB_END FROM INDEXES ORDER BY ROW_ID"
        )
        try:
            with closing(sqlite3.connect(f"file:{os.path.abspath(index)}?mode=ro", uri=True)) as database:
                rows = database.execute(query).fetchall()
        except sqlite3.DatabaseError as error:
            raise MRMOpenError(f"{index} is not the index of a MindRecord file: {error}.") from error
        return np.array(rows, dtype=np.int64).reshape(-1, 6)

    def __len__(self) -> int:
        return len(self._places)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stream": None, "_pid": -1}

    def _read(self, page: int, start: int, stop: int) -> bytes:
        if self._pid != os.getpid():  # a forked worker must not share the place in the file
            self._stream, self._pid = open(self.path, "rb"), os.getpid()  # noqa: SIM115
        self._stream.seek(self.header["header_size"] + page * self.header["page_size"] + start)
        data = self._stream.read(stop - start)
        length = struct.unpack_from("<Q", data)[0] if len(data) >= 8 else -1
        if len(data) != stop - start or length != len(data) - 8:
            raise MRMOpenError(f"{self.path} is broken: no row at offset {start} of page {page}.")
        return data[8:]

    def row(self, number: int, names: list[str]) -> dict[str, Any]:
        """The fields `names` of a row: plain values and arrays."""
        raw_page, raw_start, raw_stop, blob_page, blob_start, blob_stop = self._places[number].tolist()
        values: dict[str, Any] = {}
        try:
            if any(name not in self.blob_fields for name in names):
                values = decode_map(self._read(raw_page, raw_start, raw_stop))
            if any(name in self.blob_fields for name in names):
                blobs = decode_blobs(
                    self._read(blob_page, blob_start, blob_stop), [self.schema[n] for n in self.blob_fields]
                )
                values.update(zip(self.blob_fields, blobs, strict=True))
        except ValueError as error:
            raise MRMOpenError(f"{self.path} is broken in row {number}: {error}") from error
        return {name: values[name] for name in names}

    def close(self) -> None:
        """Close the file; the next read opens it again."""
        stream, self._stream, self._pid = self._stream, None, -1
        if stream is not None:
            stream.close()
