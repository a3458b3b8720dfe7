"""``tf.train.Example`` messages of many rows, parsed together while all have the same features in the same order, as
one writer's have.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat._format.ragged import all_alike, numbers_at, split, varints, windows
from mindspore_compat._format.wire import FormatError

#: the list that a Feature holds, by its tag
_KINDS = {0x0A: "bytes_list", 0x12: "float_list", 0x1A: "int64_list"}
_LENGTH_BYTES = 4
_LONGER = 0x80808080
_TRUE = b"\1"
_MOST_FEATURES = 1000


def _length_forms() -> dict[int, tuple[int, int]]:
    """Return the bytes of a length (0: too many), and its bits behind the tag, by the highest bits of the four bytes
    behind the tag.
    """
    forms = {}
    for bits in range(16):
        size = next((number + 1 for number in range(4) if not bits >> number & 1), 0)
        forms[sum(0x80 << 8 * number for number in range(4) if bits >> number & 1)] = (
            size,
            sum(0x8000 << 8 * number for number in range(size)),
        )
    return forms


_LENGTHS = _length_forms()
Feature = tuple[str, "np.ndarray | list[np.ndarray]"]


def _same(first: np.ndarray, second: np.ndarray) -> bool:
    return first.tobytes() == second.tobytes()  # half the time of comparing them as arrays, for so few


class _Unlike(Exception):
    """Signal that rows differ, or hold data that are read one by one: the caller reads them so."""


class _Cursor:
    """Position in each row."""

    def __init__(self, buffer: np.ndarray, places: np.ndarray) -> None:
        self.buffer, self.places = buffer, places
        self._words = windows(buffer, "<i8")

    @cached_property
    def ends(self) -> np.ndarray:
        """The places where a varint may end."""
        return np.flatnonzero(self.buffer < 128)

    def field(self) -> tuple[int, np.ndarray]:
        """Return the tag common to all rows, and the length behind it in each."""
        words = self._words[self.places]
        tags = words.astype(np.uint8).tobytes()
        if tags[0] >= 128 or tags != tags[:1] * len(tags):
            raise _Unlike
        size, mask = _LENGTHS[int(words[0]) >> 8 & _LONGER]
        if size and all_alike(words & mask):  # as many bytes in all rows
            values = words >> 8 & 0x7F
            for number in range(1, size):
                values |= words >> 8 + number & 0x7F << 7 * number
            self.places = self.places + (1 + size)
            return tags[0], values
        words >>= 8
        values = words & 0x7F
        sizes: Any = 2
        is_longer = words & 0x80 != 0
        shift = 7
        while _TRUE in is_longer.tobytes():
            if shift == 7 * _LENGTH_BYTES:
                raise _Unlike
            words >>= 8
            values += np.where(is_longer, words & 0x7F, 0) << shift
            sizes = sizes + is_longer
            is_longer &= words & 0x80 != 0
            shift += 7
        self.places = self.places + sizes
        return tags[0], values

    def part(self, tag: int, stops: np.ndarray) -> np.ndarray:
        """Enter a field of that tag, which must fill its row up to ``stops``."""
        found, length = self.field()
        if found != tag or not _same(self.places + length, stops):
            raise _Unlike
        return length


def read_in_step(
    buffer: np.ndarray, starts: np.ndarray, stops: np.ndarray, wanted: set[str]
) -> dict[str, Feature] | None:
    """Return the features ``wanted``: kind and values, as a block or a list of rows. None if the rows must be read one
    by one.
    """
    try:
        return _read(buffer, starts, stops, wanted)
    except (_Unlike, FormatError, IndexError, UnicodeDecodeError):
        return None


def _read(buffer: np.ndarray, starts: np.ndarray, stops: np.ndarray, wanted: set[str]) -> dict[str, Feature]:
    cursor = _Cursor(buffer, starts)
    cursor.part(0x0A, stops)  # Example.features
    found: dict[str, Feature] = {}
    names: set[str] = set()
    while _TRUE in (cursor.places < stops).tobytes():
        tag, length = cursor.field()
        if tag != 0x0A or len(names) > _MOST_FEATURES:  # Features.feature
            raise _Unlike
        end = cursor.places + length
        name = _name(cursor)
        if name in names or _TRUE in (end > stops).tobytes():
            raise _Unlike
        names.add(name)
        if name in wanted:
            found[name] = _feature(cursor, end)
        cursor.places = end
    if not _same(cursor.places, stops):
        raise _Unlike
    return found


def _name(cursor: _Cursor) -> str:
    tag, lengths = cursor.field()
    length = int(lengths[0])
    if tag != 0x0A or not all_alike(lengths) or not 0 < length <= 1 << 10:
        raise _Unlike
    names = cursor.buffer[cursor.places[:, None] + np.arange(length)].tobytes()
    if names != names[:length] * len(lengths):
        raise _Unlike
    cursor.places = cursor.places + length
    return names[:length].decode()


def _feature(cursor: _Cursor, end: np.ndarray) -> Feature:
    cursor.part(0x12, end)
    tag, length = cursor.field()
    kind = _KINDS.get(tag, "")
    if not kind or not _same(cursor.places + length, end):
        raise _Unlike
    length = cursor.part(0x0A, end)  # one value of bytes, or packed numbers
    if not length.all():
        raise _Unlike
    buffer, places = cursor.buffer, cursor.places
    if kind == "int64_list":
        return kind, split(*varints(buffer, places, length, cursor.ends))
    if kind == "float_list":
        if (length % 4).any():
            raise _Unlike
        return kind, split(numbers_at(buffer, places, length // 4, "<f4"), length // 4)
    return kind, [
        buffer[place : place + size].copy() for place, size in zip(places.tolist(), length.tolist(), strict=True)
    ]
