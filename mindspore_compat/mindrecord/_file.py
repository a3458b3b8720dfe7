"""Files of the MindRecord format: header, pages, and the SQLite index beside each of them.

A file starts with a uint64 little-endian length and that much JSON (pages, schema, names of all shards), padded to
`header_size`; page ``i`` starts at ``header_size + i * page_size``. ``<file>.db`` holds the place of each row.

Input is not trusted: a header may name files of its own folder only, the index must be a plain table, and every place
is checked against the size of the file before reading.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mindspore_compat._format.ragged import gather, windows
from mindspore_compat.mindrecord._codec import decode_blob_columns, decode_blobs, decode_map
from mindspore_compat.mindrecord.common.exceptions import MRMOpenError

HEADER_SIZE = 1 << 24
PAGE_SIZE = 1 << 25
#: smallest and largest size of a header and a page; both are powers of two
SIZES = {"header_size": (1 << 14, 1 << 27), "page_size": (1 << 15, 1 << 28)}
TYPES: dict[str, type] = {"int32": int, "int64": int, "float32": float, "float64": float, "string": str, "bytes": bytes}
FIELD_NAME = re.compile(r"[0-9a-zA-Z_]+")
_KEYS = ("header_size", "page_size", "page", "schema", "shard_addresses")
_PAGE_KEYS = {"end_row_id", "page_id", "page_type", "page_type_id"}
_PLACES = (
    "PAGE_ID_RAW",
    "PAGE_OFFSET_RAW",
    "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB",
    "PAGE_OFFSET_BLOB_END",
)
_LEAST_ROW = 8  # bytes of a row in the index: fewer than its columns


def read_header(path: str) -> dict[str, Any]:
    """Return the header of a file. Raises: RuntimeError for an unreadable file, MRMOpenError for an invalid header."""
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise RuntimeError(f"The input: {path} is not exists.")
    size = os.path.getsize(path)
    with open(path, "rb") as stream:
        prefix = stream.read(8)
        length = struct.unpack("<Q", prefix)[0] if len(prefix) == 8 else 0
        if not 0 < length <= min(size, SIZES["header_size"][1]) - 8:
            what = "header is larger than the upper limit" if length else f": {size} is smaller than the lower limit: 8"
            raise MRMOpenError(
                f"Invalid file, the size of mindrecord file{' ' if length else ''}{what}. "
                f"{path} is not a MindRecord file: header length {length} in a file of {size} bytes."
            )
        text = stream.read(length)
    try:
        header = json.loads(text)
        missing = [key for key in _KEYS if key not in header]
    except (ValueError, TypeError, RecursionError) as error:
        raise MRMOpenError(f"{path} is not a MindRecord file: its header is no JSON ({error}).") from error
    wrong = " and ".join(missing) or _wrong_in(header)
    if wrong:
        raise MRMOpenError(f"{path} is not a MindRecord file that can be read: no or a wrong {wrong} in its header.")
    return header  # type: ignore[no-any-return]


def _wrong_in(header: Any) -> str:
    """Return the first invalid part of a header; empty if there is none."""
    if not isinstance(header, dict):
        return "map"
    for key, (least, most) in SIZES.items():
        if not _is_int(header[key]) or not least <= header[key] <= most:
            return key
    pages, schemas, names, index = (
        header["page"],
        header["schema"],
        header["shard_addresses"],
        header.get("index_fields") or [],
    )
    if not isinstance(pages, list) or not all(
        isinstance(page, dict) and set(page) >= _PAGE_KEYS and _is_int(page["end_row_id"]) for page in pages
    ):
        return "page"
    if not isinstance(schemas, list) or len(schemas) != 1 or not isinstance(schemas[0], dict):
        return "schema (one is expected)"
    fields, blobs = schemas[0].get("schema"), schemas[0].get("blob_fields")
    if not isinstance(fields, dict) or not all(
        FIELD_NAME.fullmatch(name) and _is_field(field) for name, field in fields.items()
    ):
        return "schema"
    if not isinstance(blobs, list) or not all(isinstance(name, str) for name in blobs):
        return "blob_fields"
    if sorted(blobs) != sorted(name for name, field in fields.items() if field["type"] == "bytes" or "shape" in field):
        return "blob_fields"
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(name, str) and _is_plain_name(name) for name in names)
    ):
        return "shard_addresses (names of files beside it are expected)"
    if not isinstance(index, list) or not all(
        isinstance(item, dict) and _is_index(item.get("index_field"), fields, blobs) for item in index
    ):
        return "index_fields"
    return (
        ""
        if isinstance(schemas[0].get("desc", ""), str) and _is_int(header.get("compression_size", 0))
        else "desc or compression_size"
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_index(name: Any, fields: dict[str, Any], blobs: list[str]) -> bool:
    return isinstance(name, str) and name in fields and name not in blobs


def _is_field(field: Any) -> bool:
    if not isinstance(field, dict) or not isinstance(field.get("type"), str) or field["type"] not in TYPES:
        return False
    shape = field.get("shape", [])
    return isinstance(shape, list) and all(_is_int(size) and -1 <= size < 1 << 63 for size in shape)


def _is_plain_name(name: str) -> bool:
    return name not in ("", ".", "..") and not set("/\\\0") & set(name)


def shard_paths(files: str | list[str]) -> list[str]:
    """Return the files to read: a list as it is; for one name all shards that were written with it."""
    if not isinstance(files, str):
        return list(files)
    folder = os.path.dirname(files)
    paths = [os.path.join(folder, name) for name in read_header(files)["shard_addresses"]]
    if not os.path.isfile(f"{files}.db"):
        raise RuntimeError(f"The input: {files}.db is not exists. A MindRecord file needs its .db file beside it.")
    for path in paths:
        if not os.path.isfile(path):
            raise RuntimeError(
                f"Invalid file, mindrecord file: {path} cannot be found. Please check whether the mindrecord file "
                "exists and do not rename the mindrecord file."
            )
        if not os.path.isfile(f"{path}.db"):
            raise RuntimeError(
                f"Invalid file, failed to open mindrecord meta file. Please check whether the meta file: {path}.db "
                "exists and do not rename the mindrecord file and meta file."
            )
    return paths


@contextmanager
def _index_of(path: str) -> Iterator[sqlite3.Connection]:
    """Open the index read-only. The name is quoted: # and ? end a URI's path, % quotes. Immutable: no search for a
    journal file.
    """
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            check_index(database)
            _check_owner(database, path)
            yield database
    except sqlite3.DatabaseError as error:
        is_other = str(error) == "file is not a database"
        words = _unreadable(path, error) if is_other else f"{path} is not the index of a MindRecord file: {error}."
        raise MRMOpenError(words) from error
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as error:
        raise MRMOpenError(f"{path} is not the index of a MindRecord file: {error}.") from error


_OWNER = "SELECT NAME from SHARD_NAME;"


def _check_owner(database: sqlite3.Connection, path: str) -> None:
    """Raise MRMOpenError unless the index was written with the file beside it."""
    try:
        row = database.execute(_OWNER).fetchone()
    except sqlite3.Error as error:
        raise MRMOpenError(_unreadable(path, error)) from error
    file = path.removesuffix(".db")
    if row is None or row[0] != os.path.basename(file):
        raise MRMOpenError(
            f"Invalid file, mindrecord meta file: {path} and mindrecord file: {file} cannot match. Please do not "
            "rename the mindrecord file or meta file."
        )


def _unreadable(path: str, error: sqlite3.Error) -> str:
    return (
        f"Failed to execute the sql [ {_OWNER} ] while verifying meta file, {error}. Please check the meta file: {path}"
    )


def check_index(database: sqlite3.Connection) -> None:
    """Raise ValueError unless all are plain tables: a view, a trigger or a computed column would run code here."""
    if hasattr(database, "setlimit"):
        database.setlimit(0, 1 << 24)  # SQLITE_LIMIT_LENGTH
    database.execute("PRAGMA trusted_schema = OFF")
    found = database.execute("SELECT type, name, rootpage FROM sqlite_master LIMIT 100").fetchall()
    kinds = {name: kind for kind, name, _ in found}
    if set(kinds.values()) - {"table", "index"} or any(not place for _, _, place in found):
        raise ValueError("it holds more than tables")
    if kinds.get("INDEXES", "table") != "table" or kinds.get("SHARD_NAME", "table") != "table":
        raise ValueError("INDEXES is no table")
    hidden = database.execute("SELECT count(*) FROM pragma_table_xinfo('INDEXES') WHERE hidden != 0").fetchone()[0]
    if hidden:
        raise ValueError("it has computed columns")


def read_columns(shards: list[Shard], places: np.ndarray, numbers: np.ndarray, names: list[str]) -> dict[str, Any]:
    """Return fields of rows (row `numbers[i]` of shard `places[i]`): blob fields as a block or a list of arrays, others
    as a list of values.
    """
    schema = shards[0].schema
    blobs = {name: schema[name] for name in shards[0].blob_fields}
    columns: dict[str, Any] = {}
    if any(name in blobs for name in names):
        columns = decode_blob_columns(*_records(shards, places, numbers, 1), blobs, names)
    plain = [name for name in names if name not in blobs]
    if plain:
        buffer, starts, stops = _records(shards, places, numbers, 0)
        data = buffer.tobytes()
        maps = [decode_map(data[start:stop]) for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        columns.update({name: [shards[0].plain(name, values) for values in maps] for name in plain})
    return columns


def _records(
    shards: list[Shard], places: np.ndarray, numbers: np.ndarray, part: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    offsets, sizes = np.empty((2, len(places)), np.int64)
    for place in np.unique(places) if len(shards) > 1 else (0,):
        chosen = places == place
        offsets[chosen], sizes[chosen] = shards[place].span(numbers[chosen], part)
    if (sizes < 8).any():
        raise ValueError("broken record")
    buffer, starts, stops = gather([shard.handle() for shard in shards], places, offsets, sizes)
    if (windows(buffer, "<u8")[starts] != sizes.astype(np.uint64) - np.uint64(8)).any():
        raise ValueError("broken record")
    return buffer, starts + 8, stops


class Shard:
    """Reader of one file's rows, for any number of threads; can be sent to worker processes."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.header = read_header(path)
        self.schema: dict[str, dict[str, Any]] = self.header["schema"][0]["schema"]
        self.blob_fields: list[str] = self.header["schema"][0]["blob_fields"]
        self._places = self._read_index()
        self._opened: dict[str, Any] = {}

    def _read_index(self) -> np.ndarray:
        """Return per row: raw page, start, end, blob page, start, end."""
        index = f"{self.path}.db"
        if not os.path.isfile(index):
            raise RuntimeError(f"The input: {index} is not exists. A MindRecord file needs its .db file beside it.")
        most = os.path.getsize(index) // _LEAST_ROW  # a broken tree of pages may have no end
        parts, count = [np.empty((0, 7), np.int64)], 0
        with _index_of(index) as database:
            cursor = database.execute(f"SELECT ROW_ID, {', '.join(_PLACES)} FROM INDEXES")
            while rows := cursor.fetchmany(4096):
                count += len(rows)
                if count > most or any(type(value) is not int for row in rows for value in row):
                    raise ValueError("it has more rows than its size allows, or other values than numbers")
                parts.append(np.array(rows, dtype=np.int64))
        found = np.concatenate(parts)
        places = found[np.argsort(found[:, 0], kind="stable"), 1:]
        self._check_places(places)
        return places

    def _check_places(self, places: np.ndarray) -> None:
        header, page = self.header["header_size"], self.header["page_size"]
        room = max(os.path.getsize(self.path) - header, 0)
        pages, starts, stops = places[:, ::3], places[:, 1::3], places[:, 2::3]
        fits = (pages >= 0) & (pages <= room // page) & (starts >= 0) & (starts <= stops) & (stops <= page)
        fits &= np.where(fits, pages, 0) * page + np.where(fits, stops, 0) <= room
        if not fits.all():
            raise MRMOpenError(f"{self.path} is broken: row {int(np.argmin(fits.all(1)))} lies outside.")

    def __len__(self) -> int:
        return len(self._places)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": {}}

    def handle(self) -> int:
        """Return the open file's descriptor; read by position, since threads and forked processes share its offset."""
        stream = self._opened.get(self.path)
        if stream is None:  # of two threads here the first one's is kept, the other's closed
            stream = self._opened.setdefault(self.path, open(self.path, "rb", buffering=0))  # noqa: SIM115
        return stream.fileno()

    def _read(self, page: int, start: int, stop: int) -> bytes:
        data = os.pread(
            self.handle(), stop - start, self.header["header_size"] + page * self.header["page_size"] + start
        )
        length = struct.unpack_from("<Q", data)[0] if len(data) >= 8 else -1
        if len(data) != stop - start or length != len(data) - 8:
            raise MRMOpenError(f"{self.path} is broken: no row at offset {start} of page {page}.")
        return data[8:]

    def row(self, number: int, names: list[str]) -> dict[str, Any]:
        """Return the fields `names` of a row: plain values and arrays."""
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
            return {name: values[name] if name in self.blob_fields else self.plain(name, values) for name in names}
        except ValueError as error:
            raise MRMOpenError(f"{self.path} is broken in row {number}: {error}") from error

    def plain(self, name: str, values: dict[str, Any]) -> Any:
        """Return the value of a plain field, which must be of the schema's type. Raises: ValueError."""
        value, kind = values.get(name), self.schema[name]["type"]
        if not isinstance(value, (int, float) if TYPES[kind] is float else TYPES[kind]):
            raise ValueError(f"field '{name}' should be {kind}, but is {'missing' if value is None else value!r:.60}")
        half = 1 << (31 if kind == "int32" else 63)
        if TYPES[kind] is int and not -half <= value < half:  # type: ignore[operator]
            raise ValueError(f"field '{name}': {value} does not fit into {kind}")
        return value

    def span(self, number: np.ndarray, part: int) -> tuple[np.ndarray, np.ndarray]:
        """Return offsets and sizes of the raw (`part` 0) or blob (1) records of rows, with their length prefix."""
        page, start, stop = self._places[number, 3 * part : 3 * part + 3].T
        return self.header["header_size"] + page * self.header["page_size"] + start, stop - start

    def close(self) -> None:
        """Close the file; the next read opens it again."""
        stream = self._opened.pop(self.path, None)
        if stream is not None:
            stream.close()
