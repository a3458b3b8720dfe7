"""Rows of a batch decoded together give what they give one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from mindspore_compat._format.examples import read_in_step
from mindspore_compat._format.ragged import gather, spread, varints
from mindspore_compat._format.tfrecord import EXAMPLE
from mindspore_compat._format.wire import FormatError
from mindspore_compat.mindrecord._codec import decode_blob_columns, decode_blobs, encode_blobs

INTS = st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-300, 300)), min_size=1, max_size=9)
FLOATS = st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=5)
ROW = st.fixed_dictionaries({"ids": INTS, "ein Wort": FLOATS, "b": st.binary(min_size=1, max_size=300)}).map(
    lambda row: dict(sorted(row.items()))
)


def joined(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    stops = np.cumsum([len(part) for part in parts])
    return np.frombuffer(b"".join(parts) + bytes(8), np.uint8), stops - [len(part) for part in parts], stops


def example(row: dict[str, Any]) -> bytes:
    message = EXAMPLE.Example()
    for name, values in row.items():
        feature = message.features.feature.add(key=name).value
        if isinstance(values, bytes):
            feature.bytes_list.value.append(values)
        else:
            (feature.int64_list if isinstance(values[0], int) else feature.float_list).value.extend(values)
    return message.SerializeToString()


@given(st.lists(ROW, min_size=1, max_size=6))
def test_examples_read_in_step(rows: list[dict[str, Any]]) -> None:
    found = read_in_step(*joined([example(row) for row in rows]), {"ids", "ein Wort", "b"})
    assert found is not None
    assert {name: kind for name, (kind, _) in found.items()} == {
        "ids": "int64_list",
        "ein Wort": "float_list",
        "b": "bytes_list",
    }
    for number, row in enumerate(rows):
        assert found["ids"][1][number].tolist() == row["ids"] and found["ids"][1][number].dtype == np.int64
        assert found["ein Wort"][1][number].tolist() == row["ein Wort"]
        assert found["b"][1][number].tobytes() == row["b"]


@given(st.lists(ROW, min_size=1, max_size=3), st.data())
def test_damaged_examples_are_left_to_who_reads_them_one_by_one(rows: list[dict[str, Any]], data: Any) -> None:
    parts = [bytearray(example(row)) for row in rows]
    part = data.draw(st.sampled_from(parts))
    part[data.draw(st.integers(0, len(part) - 1))] = data.draw(st.integers(0, 255))
    wanted = {"ids", "ein Wort", "b"}
    found = read_in_step(*joined([bytes(each) for each in parts]), wanted) or {}
    try:
        features = [
            {entry.key: entry.value for entry in EXAMPLE.Example.FromString(bytes(raw)).features.feature}
            for raw in parts
        ]
    except DecodeError:
        assert set(found) != wanted  # one is lacking, so that the rows are read one by one, which raises
        return
    for name, (kind, values) in found.items():
        for number in range(len(parts)):
            expected = getattr(features[number][name], kind).value
            same = (
                b"".join(expected) == values[number].tobytes()
                if kind == "bytes_list"
                else np.array_equal(np.array(expected, values[number].dtype), values[number], equal_nan=True)
            )
            assert same


def test_rows_of_other_features_or_order_are_not_read_in_step() -> None:
    one, other, more = example({"a": [1], "b": [2.0]}), example({"b": [2.0], "a": [1]}), example({"a": [1]})
    assert read_in_step(*joined([one, one]), {"a"}) is not None
    assert read_in_step(*joined([one, other]), {"a"}) is None
    assert read_in_step(*joined([one, more]), {"a"}) is None


@given(st.lists(INTS, min_size=1, max_size=5))
def test_varints(rows: list[list[int]]) -> None:
    def encode(value: int) -> bytes:
        value, found = value % 2**64, bytearray()
        while value > 127:
            found.append(value & 127 | 128)
            value >>= 7
        return bytes([*found, value])

    buffer, starts, stops = joined([b"".join(map(encode, row)) for row in rows])
    values, counts = varints(buffer, starts, stops - starts, np.flatnonzero(buffer < 128))
    assert values.tolist() == [value for row in rows for value in row] and counts.tolist() == list(map(len, rows))


@pytest.mark.parametrize("data", [b"\x80", b"\x01\xff", b"\xff" * 10 + b"\x01"])
def test_varints_that_are_none(data: bytes) -> None:
    with pytest.raises(FormatError):
        buffer = np.frombuffer(data + bytes(8), np.uint8)
        varints(buffer, np.array([0]), np.array([len(data)]), np.flatnonzero(buffer < 128))


FIELDS = {
    "b": {"type": "bytes"},
    "f": {"type": "float64", "shape": [-1]},
    "i": {"type": "int32", "shape": [-1]},
    "l": {"type": "int64", "shape": [-1]},
}


@given(
    st.lists(
        st.tuples(
            st.binary(max_size=9),
            st.lists(st.floats(allow_nan=False), max_size=4),
            st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9),
            INTS,
        ),
        min_size=1,
        max_size=5,
    ),
    st.booleans(),
)
def test_blob_fields(rows: list[tuple], alike: bool) -> None:
    rows = rows[:1] * 3 if alike else rows
    records = [
        encode_blobs([b, np.array(f, np.float64), np.array(i, np.int32), np.array(n, np.int64)]) for b, f, i, n in rows
    ]
    found = decode_blob_columns(*joined(records), FIELDS, list(FIELDS))
    for number, record in enumerate(records):
        for name, wanted in zip(FIELDS, decode_blobs(record, list(FIELDS.values())), strict=True):
            got = found[name][number]
            assert (got.dtype, got.shape, got.tolist()) == (wanted.dtype, wanted.shape, wanted.tolist())


@given(st.lists(INTS, min_size=1, max_size=3), st.data())
def test_damaged_blob_fields(rows: list[list[int]], data: Any) -> None:
    fields = {name: FIELDS[name] for name in ("f", "l")}
    parts = [bytearray(encode_blobs([np.array(row, np.float64), np.array(row, np.int64)])) for row in rows]
    part = data.draw(st.sampled_from(parts))
    part[data.draw(st.integers(0, len(part) - 1))] = data.draw(st.integers(0, 255))
    try:
        wanted = [decode_blobs(bytes(each), list(fields.values())) for each in parts]
    except ValueError:
        with pytest.raises(ValueError):
            decode_blob_columns(*joined([bytes(each) for each in parts]), fields, list(fields))
        return
    found = decode_blob_columns(*joined([bytes(each) for each in parts]), fields, list(fields))
    for number, values in enumerate(wanted):
        assert all(
            np.array_equal(found[name][number], value, equal_nan=True)
            for name, value in zip(fields, values, strict=True)
        )


def test_spread_and_gather(tmp_path: Any) -> None:
    assert spread(np.array([5, 0, 9]), np.array([2, 0, 3]), 2).tolist() == [5, 7, 9, 11, 13]
    (tmp_path / "a").write_bytes(b"abcdef")
    with open(tmp_path / "a", "rb") as stream:
        buffer, starts, stops = gather([stream.fileno()], np.array([0, 0]), np.array([4, 1]), np.array([2, 3]))
        assert [buffer[a:b].tobytes() for a, b in zip(starts, stops, strict=True)] == [b"ef", b"bcd"]
        with pytest.raises(FormatError, match="cut off: no 3 bytes at byte 4"):
            gather([stream.fileno()], np.array([0]), np.array([4]), np.array([3]))
