"""MindRecord files are data: whatever stands in them, a reader reads them and their index and does nothing else."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.mindrecord import FileReader, FileWriter, MRMOpenError


def _written(folder: Path, name: str = "m", fields: tuple[str, ...] = ("a",), rows: int = 5, shards: int = 1) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    writer = FileWriter(str(folder / name), shards)
    writer.add_schema({**{field: {"type": "int64"} for field in fields}, "v": {"type": "float32", "shape": [-1]}})
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.write_raw_data([{**dict.fromkeys(fields, i), "v": np.full(100, i, np.float32)} for i in range(rows)])
    writer.commit()
    return folder / name


def _values(path: Path, field: str = "a") -> list[Any]:
    return [row[field] for row in FileReader(str(path)).get_next()]


@pytest.mark.parametrize("folder", ["a#b", "a?mode=rwc", "100%25", "a%41", "ä b", "a;b", "a'b\"c"])
def test_any_folder_can_be_written_and_read(tmp_path: Path, folder: str) -> None:
    path = _written(tmp_path / folder)
    assert _values(path) == list(range(5))
    assert len(ds.MindDataset(str(path))) == 5
    assert sorted(item.name for item in (tmp_path / folder).iterdir()) == ["m", "m.db"]


def test_a_quoted_name_opens_no_other_file(tmp_path: Path) -> None:
    path, other = _written(tmp_path / "a%41"), _written(tmp_path / "aA", rows=3)
    (tmp_path / "aA" / "m.db").write_bytes(b"no index")
    assert _values(path) == list(range(5))
    with pytest.raises(MRMOpenError, match="not a database. .*aA/m.db"):
        _values(other)


def test_field_names_are_quoted(tmp_path: Path) -> None:
    path = _written(tmp_path, fields=("1st", "select"))
    assert _values(path, "1st") == list(range(5))


def test_many_threads_read_one_file(tmp_path: Path) -> None:
    path = _written(tmp_path, rows=60)
    dataset = ds.MindDataset(str(path), shuffle=False)
    wrong: list[Any] = []

    def read(seed: int) -> None:
        try:
            for number in np.random.RandomState(seed).permutation(60).tolist() * 5:
                row = dataset._fetch(np.array([number]))[0]
                if row[0] != number or (row[1] != number).any():
                    wrong.append((number, row))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- the index --------------------------------------------------------------------------------------------------------

_COLUMNS = (
    "ROW_ID, PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, PAGE_OFFSET_BLOB, PAGE_OFFSET_BLOB_END"
)
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x"


def _sql(text: str) -> Callable[[Path], None]:
    def change(index: Path) -> None:
        with closing(sqlite3.connect(index)) as database, database:
            database.executescript(text)

    return change


_VIEW = (
    "DROP TABLE INDEXES; CREATE VIEW INDEXES AS "
    + _ENDLESS
    + " AS ROW_ID, 0 AS PAGE_ID_RAW, 0 AS PAGE_OFFSET_RAW, 0 AS PAGE_OFFSET_RAW_END, "
    "0 AS PAGE_ID_BLOB, 0 AS PAGE_OFFSET_BLOB, 0 AS PAGE_OFFSET_BLOB_END FROM c"
)
_COMPUTED = (
    "DROP TABLE INDEXES; CREATE TABLE INDEXES(ROW_ID INT, PAGE_ID_RAW INT, PAGE_OFFSET_RAW INT, PAGE_OFFSET_RAW_END "
    "INT, PAGE_ID_BLOB INT, PAGE_OFFSET_BLOB INT, PAGE_OFFSET_BLOB_END AS (length(hex(zeroblob(400000000))))); INSERT "
    "INTO INDEXES VALUES (0, 0, 0, 9, 1, 0)"
)
_TRIGGER = f"CREATE TRIGGER t BEFORE INSERT ON INDEXES BEGIN INSERT INTO SHARD_NAME {_ENDLESS} FROM c; END"


@pytest.mark.parametrize(
    "change",
    [
        _sql(_VIEW),
        _sql(_COMPUTED),
        _sql(_TRIGGER),
        _sql("DROP TABLE INDEXES; CREATE VIRTUAL TABLE INDEXES USING fts5(" + _COLUMNS + ")"),
        _sql("DROP TABLE INDEXES"),
        _sql("UPDATE INDEXES SET PAGE_ID_RAW = 'x'"),
        _sql("UPDATE INDEXES SET PAGE_OFFSET_BLOB = 0.5"),
        _sql("UPDATE INDEXES SET PAGE_OFFSET_BLOB_END = 9223372036854775807"),
        _sql("UPDATE INDEXES SET PAGE_ID_BLOB = -1"),
        _sql("UPDATE INDEXES SET PAGE_ID_BLOB = 4611686018427387904"),
        _sql("UPDATE INDEXES SET PAGE_OFFSET_RAW = 20"),
        lambda index: index.write_bytes(b""),
        lambda index: index.write_bytes(b"SQLite format 3\0" + bytes(5000)),
    ],
    ids="view|computed|trigger|virtual|none|text|fraction|far end|negative|far page|reversed|empty|zeros".split("|"),
)
def test_an_index_that_is_no_plain_table_is_refused(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = _written(tmp_path)
    change(tmp_path / "m.db")
    before = (tmp_path / "m.db").read_bytes()
    with pytest.raises(MRMOpenError, match="m"):
        _values(path)
    assert (tmp_path / "m.db").read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["m", "m.db"]


def test_nothing_is_appended_through_a_trigger(tmp_path: Path) -> None:
    path = _written(tmp_path)
    writer = FileWriter.open_for_append(str(path))
    _sql(_TRIGGER)(tmp_path / "m.db")
    with pytest.raises(MRMOpenError, match="more than tables"):
        FileWriter.open_for_append(str(path))
    writer.write_raw_data([{"a": 1, "v": np.zeros(3, np.float32)}])
    with pytest.raises(ValueError, match="more than tables"):
        writer.commit()


def test_the_index_is_not_written_to(tmp_path: Path) -> None:
    path = _written(tmp_path)
    journal = tmp_path / "m.db-journal"
    journal.write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))  # a hot journal would be rolled back
    before = (tmp_path / "m.db").read_bytes()
    assert _values(path) == list(range(5))
    assert (tmp_path / "m.db").read_bytes() == before
    assert journal.exists()


# --- the header and rows ----------------------------------------------------------------------------------------------


def _with_header(path: Path, change: Callable[[Any], Any]) -> None:
    data = path.read_bytes()
    length = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + length])
    changed = change(header)
    text = json.dumps(header if changed is None else changed).encode()
    path.write_bytes((struct.pack("<Q", len(text)) + text).ljust(1 << 14, b"\0")[: 1 << 14] + data[1 << 14 :])


@pytest.mark.parametrize("name", ["/etc/passwd", "../m", "sub/m", "..", "", "m\0"])
def test_shards_stay_in_their_folder(tmp_path: Path, name: str) -> None:
    path = _written(tmp_path / "in")
    _written(tmp_path, rows=2)
    _with_header(path, lambda header: header.update(shard_addresses=[name]))
    for read in (_values, lambda file: ds.MindDataset(str(file)), lambda file: FileWriter.open_for_append(str(file))):
        with pytest.raises(MRMOpenError, match="m is not a MindRecord file.*shard_addresses"):
            read(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: [],
        lambda header: header.update(header_size="x"),
        lambda header: header.update(header_size=-1 << 20),
        lambda header: header.update(page_size=1 << 60),
        lambda header: header.update(page=[1]),
        lambda header: header.update(schema={"a": 1}),
        lambda header: header["schema"][0].update(blob_fields=["a"]),
        lambda header: header["schema"][0]["schema"].update(v={"type": "O", "shape": [1]}),
        lambda header: header["schema"][0]["schema"].update(v={"type": "float32", "shape": "x"}),
        lambda header: header.update(shard_addresses=[1]),
        lambda header: header.update(index_fields=[{"index_field": "a_0 INT); DROP TABLE x; --"}]),
    ],
)
def test_a_header_of_other_types_is_refused(tmp_path: Path, change: Callable[[Any], Any]) -> None:
    path = _written(tmp_path)
    _with_header(path, change)
    with pytest.raises(MRMOpenError, match="m is not a MindRecord file"):
        _values(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["schema"][0]["schema"].update(b={"type": "int64"}),
        lambda header: header["schema"][0]["schema"].update(a={"type": "string"}),
        lambda header: header["schema"][0]["schema"].update(v={"type": "float32", "shape": [7]}),
    ],
)
def test_a_row_that_does_not_fit_the_schema_is_refused(tmp_path: Path, change: Callable[[Any], Any]) -> None:
    path = _written(tmp_path)
    _with_header(path, change)
    with pytest.raises(MRMOpenError, match="m is broken in row 0"):
        _values(path)


def test_a_header_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = _written(tmp_path)
    path.write_bytes(struct.pack("<Q", 200000) + b"[" * 200000)
    with pytest.raises(MRMOpenError, match="m is not a MindRecord file"):
        _values(path)
