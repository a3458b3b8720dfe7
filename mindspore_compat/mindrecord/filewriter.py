"""Writer of MindRecord files. MindSpore: ``mindspore.mindrecord.FileWriter``."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from mindspore_compat import log
from mindspore_compat.mindrecord._codec import bytes_saved, encode_blobs, encode_map
from mindspore_compat.mindrecord._file import (
    FIELD_NAME,
    HEADER_SIZE,
    PAGE_SIZE,
    SIZES,
    Shard,
    check_index,
    read_header,
    shard_paths,
)
from mindspore_compat.mindrecord.common.exceptions import MRMDefineIndexError, MRMInvalidSchemaError, ParamValueError

__all__ = ["FileWriter"]

#: types of the fields that are no blobs
_PLAIN = {"int32": int, "int64": int, "float32": float, "float64": float, "string": str}
_SQL = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}


class FileWriter:
    """Writer of rows (dicts) to `shard_num` MindRecord files; a later `commit` makes them readable.

    Args:
        file_name: of the file; with several shards their numbers are appended.
        overwrite: delete files of that name; otherwise they are an error at the first write.

    Examples:
        >>> writer = ms.mindrecord.FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 4}])
        >>> writer.commit()
        >>> print(ds.MindDataset("data.mindrecord").get_dataset_size())
        2
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        width = len(str(shard_num - 1))
        self._paths = [file_name] if shard_num == 1 else [f"{file_name}{i:0{width}d}" for i in range(shard_num)]
        self._overwrite, self._committed = overwrite, False
        self._header_size, self._page_size = HEADER_SIZE, PAGE_SIZE
        self._schema: dict[str, dict[str, Any]] = {}
        self._description = ""
        self._index: list[str] = []
        self._shards: list[_ShardWriter] | None = None

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """Return a writer that adds rows to existing files; their schema stays."""
        header = read_header(file_name)
        for path in shard_paths(file_name):
            Shard(path)  # checks that it and its index can be read
        writer = cls(file_name)
        folder = os.path.dirname(file_name)
        writer._paths = [os.path.join(folder, name) for name in header["shard_addresses"]]
        writer._header_size, writer._page_size = header["header_size"], header["page_size"]
        writer._schema, writer._description = header["schema"][0]["schema"], header["schema"][0].get("desc", "")
        writer._index = [field["index_field"] for field in header.get("index_fields") or []]
        writer._shards = [_ShardWriter(path, writer, read_header(path)) for path in writer._paths]
        return writer

    def add_schema(self, content: dict[str, dict[str, Any]], desc: str | None = None) -> None:
        """Describe the fields: ``{"type": "int32|int64|float32|float64|string|bytes"[, "shape": [-1, 3]]}``.

        Raises: MRMInvalidSchemaError.
        """
        if self._schema:
            raise MRMInvalidSchemaError("Schema is not allowed to be changed; it was added before.")
        if not content:
            raise MRMInvalidSchemaError("Schema format is error. Detail: expected a non-empty dict.")
        checked = {name: _check_field(name, field) for name, field in content.items()}
        self._schema = {name: checked[name] for name in sorted(checked)}
        self._description = desc or ""

    def add_index(self, index_fields: list[str]) -> None:
        """Set the fields in the .db file; default: all that are no blobs.

        Raises: MRMDefineIndexError for a name that the schema does not have, or a blob.
        """
        for name in index_fields:
            if name in self.blob_fields or name not in self._schema:
                raise MRMDefineIndexError(f"Index field '{name}' is no field of the schema, or no primitive type.")
        self._index = list(index_fields)

    def set_header_size(self, header_size: int) -> None:
        """Set the bytes for the header: a power of two in [16 KB, 128 MB]."""
        self._header_size = _check_size(header_size, "header_size")

    def set_page_size(self, page_size: int) -> None:
        """Set the bytes of a page, the largest size of a row: a power of two in [32 KB, 256 MB]."""
        self._page_size = _check_size(page_size, "page_size")

    @property
    def blob_fields(self) -> list[str]:
        """Fields stored as blobs: bytes and arrays, by name."""
        return sorted(n for n, f in self._schema.items() if f["type"] == "bytes" or "shape" in f)

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Add rows. Rows that do not fit the schema are skipped with a warning.

        Args:
            parallel_writer: without effect (MindSpore's writer processes).

        Raises: RuntimeError where no row fits, there is no schema, or files exist.
        """
        shards = self._open()
        encoded = [e for e in (self._encode(row, i) for i, row in enumerate(raw_data)) if e is not None]
        if not encoded:
            raise RuntimeError(
                "There is no valid data which can be written by 'write_raw_data' to mindrecord file. Please check the "
                "abnormal input data indicated in the warning log above."
            )
        for shard, part in zip(shards, np.array_split(np.arange(len(encoded)), len(shards)), strict=True):
            shard.add([encoded[i] for i in part])

    def _open(self) -> list[_ShardWriter]:
        if self._committed:
            raise RuntimeError(
                "Not allowed to call `write_raw_data` on flushed MindRecord files. "
                "FileWriter.open_for_append adds rows to files that are there."
            )
        if self._shards is None:
            if not self._schema:
                raise RuntimeError("There is no schema; call add_schema before write_raw_data.")
            for path in self._paths:
                for name in (path, f"{path}.db"):
                    if os.path.exists(name) and not self._overwrite:
                        raise RuntimeError(
                            f"Invalid file, mindrecord files already exist. Please check file path: {name}. "
                            "Use overwrite=True."
                        )
                    if os.path.exists(name):
                        os.remove(name)
            if not self._index:
                self._index = sorted(set(self._schema) - set(self.blob_fields))
            self._shards = [_ShardWriter(path, self, None) for path in self._paths]
        return self._shards

    def _encode(self, row: dict[str, Any], number: int) -> tuple[bytes, bytes, tuple, int] | None:
        """Return raw record, blob record, index values and bytes saved by packing; None, with a warning, for a row that
        does not fit.
        """
        try:
            plain = {n: _plain_value(n, row, f["type"]) for n, f in self._schema.items() if n not in self.blob_fields}
            values = [_blob_value(n, row, self._schema[n]) for n in self.blob_fields]
            blobs = encode_blobs(values)
            records = [struct.pack("<Q", len(r)) + r for r in (encode_map(plain or {"id": 0}), blobs)]
            if max(map(len, records)) > self._page_size:
                raise ValueError(f"a row of {max(map(len, records))} bytes is larger than page_size {self._page_size}")
        except (ValueError, TypeError, KeyError) as error:
            log.warning(f"write_raw_data: row {number} is left out: {error}")
            return None
        return records[0], records[1], tuple(plain[name] for name in self._index), bytes_saved(values)

    def commit(self) -> None:
        """Write the remaining rows, the headers and the .db files."""
        for shard in self._open():
            shard.commit()
        self._shards = None
        self._committed = True


def _check_field(name: str, field: Any) -> dict[str, Any]:
    where = f"Schema format is error. Detail: Field '{name}'"
    if not isinstance(name, str) or not FIELD_NAME.fullmatch(name):
        raise MRMInvalidSchemaError(f"{where} should be composed of '0-9' or 'a-z' or 'A-Z' or '_'.")
    if not isinstance(field, dict) or "type" not in field or set(field) - {"type", "shape"}:
        raise MRMInvalidSchemaError(f"{where} needs a 'type' and may have a 'shape', but is {field!r}.")
    kind = field["type"]
    if (kind not in _PLAIN and kind != "bytes") or ("shape" in field and kind in ("bytes", "string")):
        raise MRMInvalidSchemaError(f"{where} contain illegal attribute '{kind}'.")
    shape = field.get("shape", [])
    if not isinstance(shape, list) or any(not isinstance(n, int) or n < -1 for n in shape) or shape.count(-1) > 1:
        raise MRMInvalidSchemaError(f"{where} has an illegal shape {shape}.")
    return dict(sorted(field.items()))


def _plain_value(name: str, row: dict[str, Any], kind: str) -> Any:
    if name not in row:
        raise ValueError(f"field '{name}' is missing")
    value: Any = row[name].item() if isinstance(row[name], np.generic) else row[name]
    expected: Any = _PLAIN[kind]
    if isinstance(value, bool) or not isinstance(value, (int, float) if expected is float else expected):
        raise TypeError(f"field '{name}' should be {kind}, but is {type(value)}")
    if kind == "int32" and not -(1 << 31) <= value < 1 << 31:
        raise ValueError(f"field '{name}': {value} does not fit into int32")
    return expected(value)


def _blob_value(name: str, row: dict[str, Any], field: dict[str, Any]) -> bytes | np.ndarray:
    if name not in row:
        raise ValueError(f"field '{name}' is missing")
    value = row[name]
    if field["type"] == "bytes":
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError(f"field '{name}' should be bytes, but is {type(value)}")
        return bytes(value)
    if not isinstance(value, np.ndarray) or value.dtype != np.dtype(field["type"]):
        raise TypeError(f"field '{name}' is no array of {field['type']}: {getattr(value, 'dtype', type(value))}")
    fixed = [n for n in field["shape"] if n != -1]
    size = int(np.prod(fixed)) if fixed else 1
    if size == 0 or value.size % size or (-1 not in field["shape"] and value.size != size):
        raise ValueError(f"field '{name}' of shape {value.shape} does not fit {field['shape']}")
    return value


def _check_size(size: Any, name: str) -> int:
    low, high = SIZES[name]
    if not isinstance(size, int) or not low <= size <= high or size & (size - 1):
        raise ParamValueError(f"'{name}' should be a power of two in [{low}, {high}], got {size!r}.")
    return size


class _ShardWriter:
    """One unfinished file. Rows of one row group share one blob page and one raw page."""

    def __init__(self, path: str, writer: FileWriter, header: dict[str, Any] | None) -> None:
        self._path, self._writer = path, writer
        self._pages: list[dict[str, Any]] = [] if header is None else header["page"]
        self._rows = max((p["end_row_id"] for p in self._pages), default=0)
        self._blob_count = sum(p["page_type"] == "BLOB_DATA" for p in self._pages)
        self._raw_count = len(self._pages) - self._blob_count
        self._saved = 0 if header is None else header.get("compression_size", 0)
        self._entries: list[tuple] = []
        self._blob: tuple[dict[str, Any], bytearray] | None = None
        self._raw: tuple[dict[str, Any], bytearray] | None = None
        self._stream = open(path, "wb" if header is None else "r+b")  # noqa: SIM115
        os.chmod(path, 0o600)

    def add(self, rows: Sequence[tuple[bytes, bytes, tuple, int]]) -> None:
        """Add encoded rows."""
        limit = self._writer._page_size
        for raw, blob, index, saved in rows:
            self._saved += saved
            if self._blob is None or len(self._blob[1]) + len(blob) > limit or self._raw_is_full(len(raw)):
                self._start_group(len(raw))
            assert self._blob is not None and self._raw is not None
            (blob_page, blob_data), (raw_page, raw_data) = self._blob, self._raw
            places = (
                raw_page["page_id"],
                len(raw_data),
                len(raw_data) + len(raw),
                blob_page["page_type_id"],
                blob_page["page_id"],
                len(blob_data),
                len(blob_data) + len(blob),
            )
            raw_data += raw
            blob_data += blob
            self._entries.append((self._rows, *places, *(v for value in index for v in (0, value))))
            self._rows += 1
            blob_page["end_row_id"] = self._rows

    def _raw_is_full(self, size: int) -> bool:
        return self._raw is None or len(self._raw[1]) + size > self._writer._page_size

    def _start_group(self, raw_size: int) -> None:
        self._flush_blob()
        page = self._new_page("BLOB_DATA", self._blob_count, self._rows)
        self._blob_count += 1
        self._blob = (page, bytearray())
        group = page["page_type_id"]
        if self._raw_is_full(raw_size):
            self._flush_raw()
            self._raw = (self._new_page("RAW_DATA", self._raw_count, 0), bytearray())
            self._raw_count += 1
            self._raw[0]["row_group_ids"] = [{"id": group, "offset": 0}]
        else:
            assert self._raw is not None
            self._raw[0]["row_group_ids"].append({"id": group, "offset": len(self._raw[1])})

    def _new_page(self, kind: str, type_id: int, start: int) -> dict[str, Any]:
        page = {
            "end_row_id": 0,
            "page_id": len(self._pages),
            "page_size": 0,
            "page_type": kind,
            "page_type_id": type_id,
            "row_group_ids": [{"id": 0, "offset": 0}],
            "shard_id": self._shard_id(),
            "start_row_id": start,
        }
        self._pages.append(page)
        return page

    def _shard_id(self) -> int:
        return self._writer._paths.index(self._path)

    def _flush_blob(self) -> None:
        self._write_page(self._blob)
        self._blob = None

    def _flush_raw(self) -> None:
        self._write_page(self._raw)
        self._raw = None

    def _write_page(self, page: tuple[dict[str, Any], bytearray] | None) -> None:
        if page is None:
            return
        page[0]["page_size"] = len(page[1])
        self._stream.seek(self._writer._header_size + page[0]["page_id"] * self._writer._page_size)
        self._stream.write(page[1])

    def commit(self) -> None:
        """Write the open pages, the header and the index."""
        self._flush_blob()
        self._flush_raw()
        self._write_header()
        self._stream.close()
        self._write_index()

    def _write_header(self) -> None:
        writer = self._writer
        schema = {"blob_fields": writer.blob_fields, "desc": writer._description, "schema": writer._schema}
        header = {
            "header_size": writer._header_size,
            "index_fields": [{"index_field": name, "schema_id": 0} for name in writer._index] or None,
            "page": self._pages,
            "page_size": writer._page_size,
            "compression_size": self._saved,
            "schema": [schema],
            "shard_addresses": [os.path.basename(path) for path in writer._paths],
            "shard_id": self._shard_id(),
            "statistics": None,
            "version": "3.0",
        }
        data = json.dumps(header, separators=(",", ":"), sort_keys=False).encode()
        if len(data) + 8 > writer._header_size:
            raise RuntimeError(f"The header of {len(data)} bytes does not fit; call set_header_size with more.")
        self._stream.seek(0)
        self._stream.write(struct.pack("<Q", len(data)) + data)
        self._stream.truncate(max(self._stream.seek(0, os.SEEK_END), writer._header_size))

    def _write_index(self) -> None:
        fields = self._writer._index
        columns = [
            f'INC_{i} INT, "{name}_0" {_SQL[self._writer._schema[name]["type"]]}' for i, name in enumerate(fields)
        ]
        keys = ["ROW_ID", *(f"INC_{i}" for i in range(len(fields)))]
        names = (
            "ROW_ID",
            "PAGE_ID_RAW",
            "PAGE_OFFSET_RAW",
            "PAGE_OFFSET_RAW_END",
            "ROW_GROUP_ID",
            "PAGE_ID_BLOB",
            "PAGE_OFFSET_BLOB",
            "PAGE_OFFSET_BLOB_END",
        )
        table = ", ".join([*(f"{name} INT NOT NULL" for name in names), *columns, f"PRIMARY KEY({', '.join(keys)})"])
        path = f"{self._path}.db"
        with closing(sqlite3.connect(path)) as database, database:
            check_index(database)
            database.execute(f"CREATE TABLE IF NOT EXISTS INDEXES({table})")
            database.execute("CREATE TABLE IF NOT EXISTS SHARD_NAME(NAME TEXT NOT NULL)")
            if not database.execute("SELECT count(*) FROM SHARD_NAME").fetchone()[0]:
                database.execute("INSERT INTO SHARD_NAME VALUES (?)", (os.path.basename(self._path),))
            marks = ", ".join("?" * (len(names) + 2 * len(fields)))
            database.executemany(f"INSERT INTO INDEXES VALUES ({marks})", self._entries)
        os.chmod(path, 0o600)
        self._entries = []
