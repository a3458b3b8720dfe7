"""Ways to damage bytes: any bytes (``BYTES``), and those of a structure, which stays readable so that the damage
reaches what is behind it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore_compat._format.records import frame
from mindspore_compat._format.wire import FormatError, fields, write_varint

__all__ = ["BYTES", "JSON", "PROTOBUF", "json_value", "protobuf_field", "refitted", "framed", "NUMBERS", "TEXTS"]

Rng = np.random.Generator
Change = Callable[[bytes, Any], bytes]
NUMBERS = [
    0,
    1,
    2,
    127,
    128,
    255,
    2**15,
    2**16,
    2**24,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**40,
    2**53,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
TEXTS = [
    b"",
    b"\xff\xfe",
    b"../../../../../../etc/passwd",
    b"/etc/passwd",
    b"/dev/zero",
    b"/dev/stdin",
    b".",
    b"..",
    b"\0",
    b"a" * 5000,
    b"%s%n{0}",
    b"__import__('os').system('touch /tmp/pwned')",
    b"__class__",
    b"nan",
    b"-1",
    b"1e999",
    b"9" * 5000,
    b"\xed\xa0\x80",
    "é".encode("latin-1"),
]


# --- any bytes --------------------------------------------------------------------------------------------------------


def truncate(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    return data[: rng.integers(0, len(data) + 1)]


def flip(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    result = bytearray(data or b"\0")
    for _ in range(rng.integers(1, 5)):
        result[rng.integers(len(result))] ^= 1 << int(rng.integers(8))
    return bytes(result)


def splice(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    other = others[rng.integers(len(others))]
    return data[: rng.integers(0, len(data) + 1)] + other[rng.integers(0, len(other) + 1) :]


def replace(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    place = rng.integers(len(data) + 1)
    return data[:place] + rng.bytes(int(rng.integers(0, 40))) + data[place + rng.integers(0, 40) :]


def repeat(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    start, length = int(rng.integers(len(data) + 1)), int(rng.integers(1, 60))
    return data[:start] + data[start : start + length] * int(rng.integers(2, 300)) + data[start + length :]


def number(data: bytes, rng: Rng, others: list[bytes]) -> bytes:
    """A hostile number in the place of some bytes, as protobuf writes it, or of fixed length."""
    value, place = NUMBERS[rng.integers(len(NUMBERS))], int(rng.integers(len(data) + 1))
    if rng.random() < 0.5:
        return data[:place] + write_varint(value) + data[place + rng.integers(0, 4) :]
    length = (1, 2, 4, 8)[rng.integers(4)]
    return (
        data[:place]
        + (value % (1 << 8 * length)).to_bytes(length, ("little", "big")[rng.integers(2)])
        + data[place + length :]
    )


BYTES: list[Callable[[bytes, Any, list[bytes]], bytes]] = [truncate, flip, flip, splice, replace, repeat, number]


# --- protobuf ---------------------------------------------------------------------------------------------------------

_MOST_FIELDS = 3000


def _parsed(data: bytes) -> list[tuple[int, int, Any]] | None:
    """[(number, kind, value)] if the bytes are a message."""
    view, found = memoryview(data), []
    try:
        for field, kind, first, last in fields(view, 0, len(view)):
            found.append((field, kind, first if kind == 0 else bytes(view[first:last])))
            if len(found) > _MOST_FIELDS:
                return None
    except FormatError:
        return None
    return found


def _written(items: list[tuple[int, int, Any]]) -> bytes:
    parts = []
    for field, kind, value in items:
        parts.append(write_varint(field << 3 | kind))
        parts.append(write_varint(value) if kind == 0 else (write_varint(len(value)) if kind == 2 else b"") + value)
    return b"".join(parts)


def _changed_field(items: list[tuple[int, int, Any]], place: int, rng: Rng) -> None:
    field, kind, value = items[place]
    choice = rng.integers(8)
    if choice == 0:
        del items[place]
    elif choice == 1:
        items[place:place] = [items[place]] * int(rng.integers(1, 60))
    elif choice == 2:
        items.append(items.pop(place))
    elif choice == 3:
        items[place] = (int(rng.integers(1, 22)), kind, value)
    elif kind == 0:
        items[place] = (
            field,
            0,
            NUMBERS[rng.integers(len(NUMBERS))] if rng.random() < 0.7 else int(rng.integers(0, 300)),
        )
    elif kind == 2 and choice == 4:
        items[place] = (field, 2, _nested(value, field, rng))
    elif kind == 2 and choice == 5:
        items[place] = (field, 0, NUMBERS[rng.integers(len(NUMBERS))])
    elif kind == 2 and choice == 6:
        other = items[rng.integers(len(items))]
        items[place] = (field, 2, other[2] if other[1] == 2 else b"")
    elif kind == 2:
        items[place] = (field, 2, TEXTS[rng.integers(len(TEXTS))] if rng.random() < 0.6 else flip(value, rng, []))
    else:
        items[place] = (field, kind, rng.bytes(len(value)))


def _nested(value: bytes, field: int, rng: Rng) -> bytes:
    """The message inside of itself, often."""
    own = int(rng.choice([field, 1, 5, 17]))
    for _ in range((3, 40, 95, 300, 3000)[rng.integers(5)]):
        value = write_varint(own << 3 | 2) + write_varint(len(value)) + value
    return value


def protobuf_field(data: bytes, rng: Rng) -> bytes:
    """One field at any depth changed; the lengths around it fit again."""
    items = _parsed(data)
    if not items:
        return flip(data, rng, [])
    place = int(rng.integers(len(items)))
    field, kind, value = items[place]
    if kind == 2 and value and rng.random() < 0.8 and _parsed(value):
        items[place] = (field, kind, protobuf_field(value, rng))
    else:
        _changed_field(items, place, rng)
    return _written(items)


def swapped_fields(data: bytes, rng: Rng) -> bytes:
    """Two changes, or three."""
    for _ in range(rng.integers(2, 4)):
        data = protobuf_field(data, rng)
    return data


PROTOBUF: tuple[Change, ...] = (protobuf_field, protobuf_field, swapped_fields)


# --- JSON -------------------------------------------------------------------------------------------------------------


def _hostile_json(rng: Rng) -> Any:
    choices: list[Any] = [
        None,
        True,
        -1,
        0,
        1,
        2**31,
        2**53,
        2**63,
        -(2**63),
        2**64,
        10**30,
        10**400,
        1.5,
        float("nan"),
        float("inf"),
        "",
        "x",
        "é\ud800",
        "../../etc/passwd",
        "/etc/passwd",
        "a" * 5000,
        [],
        {},
        [[]],
        [1, 2, 3],
        {"a": 1},
        [None],
        [-1],
        ["x"],
        [2**40] * 3,
        [1] * 70,
        [0],
    ]
    return choices[rng.integers(len(choices))]


def json_value(data: bytes, rng: Rng) -> bytes:
    """One value at any depth replaced, or a key taken away, added or given twice."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip(data, rng, [])
    places: list[tuple[Any, Any]] = []

    def collect(item: Any) -> None:
        for key, part in item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ():
            places.append((item, key))
            collect(part)

    collect(value)
    for _ in range(rng.integers(1, 3)):
        if not places:
            value = _hostile_json(rng)
            break
        item, key = places[rng.integers(len(places))]
        choice = rng.random()
        if choice < 0.15 and isinstance(item, dict):
            item.pop(key, None)
        elif choice < 0.25 and isinstance(item, dict):
            item[str(_hostile_json(rng))] = item.get(key)
        elif choice < 0.35:
            other, at = places[rng.integers(len(places))]
            with_it = other.get(at) if isinstance(other, dict) else other[at] if at < len(other) else None
            _put(item, key, json.loads(json.dumps(with_it)))
        else:
            _put(item, key, _hostile_json(rng))
    return json.dumps(value).encode("utf-8", "replace")


def _put(item: Any, key: Any, value: Any) -> None:
    if isinstance(item, dict) or key < len(item):
        item[key] = value


def nested_json(data: bytes, rng: Rng) -> bytes:
    """Deep nesting in the place of something."""
    depth = (50, 2000, 200_000)[rng.integers(3)]
    left, right = ((b"[", b"]"), (b'{"a":', b"}"))[rng.integers(2)]
    inner = left * depth + b"1" + (right * depth if rng.random() < 0.7 else b"")
    place = data.find(b":", int(rng.integers(len(data) + 1))) + 1
    return data[:place] + inner + data[place + 1 :] if place and rng.random() < 0.7 else inner


JSON: tuple[Change, ...] = (json_value, json_value, json_value, nested_json)


# --- around something -------------------------------------------------------------------------------------------------


def refitted(
    change: Change, split: Callable[[bytes], tuple[bytes, bytes, bytes]], join: Callable[[bytes, bytes, bytes], bytes]
) -> Change:
    """``change`` of the middle part of three that ``split`` gives; ``join`` puts them together again (with lengths and
    sums that fit).
    """

    def changed(data: bytes, rng: Rng) -> bytes:
        try:
            head, middle, tail = split(data)
        except (ValueError, IndexError):
            return flip(data, rng, [])
        return join(head, change(middle, rng), tail)

    changed.__name__ = f"{change.__name__} inside"
    return changed


def framed(change: Change) -> Change:
    """``change`` of the data of one record of an event file or TFRecord, whose sums fit again."""

    def changed(data: bytes, rng: Rng) -> bytes:
        records, place = [], 0
        while place + 16 <= len(data):
            length = int.from_bytes(data[place : place + 8], "little")
            records.append(data[place + 12 : place + 12 + length])
            place += 16 + length
        if not records:
            return flip(data, rng, [])
        chosen = int(rng.integers(len(records)))
        records[chosen] = change(records[chosen], rng)
        return b"".join(map(frame, records))

    changed.__name__ = f"{change.__name__} of a record"
    return changed


def crc32_tail(data: bytes) -> bytes:
    """The tail of a checkpoint with a CRC over these bytes."""
    return b"crc_num" + zlib.crc32(data).to_bytes(10, "big")
