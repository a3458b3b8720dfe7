"""The codec of MindSpore's ``.ckpt`` files: one protobuf ``Checkpoint`` of ``Value{tag, TensorProto{dims, tensor_type, tensor_content}}``.

Reading hands out numpy arrays that view the given bytes; writing yields the pieces of the file with tensor contents as they are
in memory, so no message object ever holds a content and 2 GiB is no limit. Layout: docs/design/ckpt-format.md.
"""
from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, Iterable, Iterator

import numpy as np

from mindspore_compat._format.dtypes import NUMPY_OF, STRING, item_bytes
from mindspore_compat._format.wire import BYTES, VARINT, FormatError, fields, write_varint

__all__ = ["Entry", "MapEntry", "read", "write", "split_crc", "SLICE_BYTES"]

SLICE_BYTES = 512 * 1024 * 1024  # contents above are cut into several values
_CRC_MARK = b"crc_num"
_CRC_TAIL = len(_CRC_MARK) + 10


@dataclass
class Entry:
    """A tensor or string of a checkpoint. ``content`` is the raw row-major buffer (any object with the buffer protocol)."""

    name: str
    tensor_type: str
    dims: tuple[int, ...]
    content: Any

    def text(self) -> str:
        """The content of a ``str`` entry."""
        return bytes(self.content).decode("utf-32-le", errors="strict").rstrip("\0")


@dataclass
class MapEntry:
    """A map parameter: keys, values, status."""

    name: str
    parts: tuple[Entry, Entry, Entry]


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _tensor(data: memoryview, start: int, end: int, name: str) -> Entry:
    dims: list[int] = []
    tensor_type, content = None, (start, start)
    for number, kind, first, last in fields(data, start, end):
        if number == 1 and kind == VARINT:
            dims.append(_signed(first))
        elif number == 1 and kind == BYTES:  # packed, which a proto2 reader accepts as well
            from mindspore_compat._format.wire import read_varint
            while first < last:
                value, first = read_varint(data, first, last)
                dims.append(_signed(value))
        elif number == 2 and kind == BYTES:
            tensor_type = bytes(data[first:last]).decode("utf-8", errors="replace")
        elif number == 3 and kind == BYTES:
            content = (first, last)
    if tensor_type is None:
        raise FormatError(f"the tensor {name!r} at byte {start} has no tensor_type")
    if any(dim < 0 for dim in dims):
        raise FormatError(f"the tensor {name!r} at byte {start} has a negative dimension: {dims}")
    return Entry(name, tensor_type, tuple(dims), data[content[0]:content[1]])


def _values(data: memoryview) -> Iterator[Entry | MapEntry]:
    for number, kind, start, end in fields(data, 0, len(data)):
        if number != 1 or kind != BYTES:
            continue
        name, tensor, parts = None, None, None
        for field, field_kind, first, last in fields(data, start, end):
            if field_kind != BYTES:
                continue
            if field == 1:
                try:
                    name = str(data[first:last], "utf-8")
                except UnicodeDecodeError:
                    raise FormatError(f"the tag at byte {first} is not UTF-8") from None
            elif field == 2:
                tensor = (first, last)
            elif field == 3:
                parts = (first, last)
        if name is None:
            raise FormatError(f"the value at byte {start} has no tag")
        if tensor is not None:
            yield _tensor(data, *tensor, name)
        elif parts is not None:
            found = [_tensor(data, first, last, name) for field, field_kind, first, last in fields(data, *parts) if field == 1 and field_kind == BYTES]
            if len(found) != 3:
                raise FormatError(f"the map parameter {name!r} at byte {start} has {len(found)} tensors instead of 3")
            yield MapEntry(name, (found[0], found[1], found[2]))


def _joined(pieces: list[Entry]) -> Entry:
    if len(pieces) == 1:
        return pieces[0]
    last = pieces[-1]
    return Entry(last.name, last.tensor_type, last.dims, b"".join(bytes(piece.content) for piece in pieces))


def read(data: Any) -> dict[str, Entry | MapEntry]:
    """{tag: entry} of a whole file; neighbouring values of one tag are one tensor, a later group replaces an earlier.

    Raises:
        FormatError: with the byte where it is wrong.
    """
    view = memoryview(data)
    result: dict[str, Entry | MapEntry] = {}
    pending: list[Any] = []

    def close() -> None:
        if pending:
            first = pending[0]
            if isinstance(first, MapEntry):
                result[first.name] = MapEntry(first.name, tuple(_stacked([item.parts[k] for item in pending]) for k in range(3)))  # type: ignore[arg-type]
            else:
                result[first.name] = _joined(pending)
            pending.clear()

    for value in _values(view):
        if pending and (pending[0].name != value.name or type(pending[0]) is not type(value)):
            close()
        pending.append(value)
    close()
    return result


def _stacked(pieces: list[Entry]) -> Entry:
    """Slices of a part of a map parameter: lengths of the first axis add up."""
    entry = _joined(pieces)
    rows = sum(piece.dims[0] if piece.dims else 1 for piece in pieces)
    return Entry(entry.name, entry.tensor_type, (rows, *entry.dims[1:]), entry.content)


def to_array(entry: Entry) -> np.ndarray:
    """The entry as a numpy array on the entry's own buffer (bfloat16 and float8 as bits).

    Raises:
        FormatError: for an unknown type or a content of the wrong length.
    """
    if entry.tensor_type not in NUMPY_OF:
        raise FormatError(f"the tensor {entry.name!r} has the unknown type {entry.tensor_type!r}")
    dtype = NUMPY_OF[entry.tensor_type]
    have = len(memoryview(entry.content).cast("B")) if len(memoryview(entry.content)) else 0
    count = 1
    for dim in entry.dims:
        count *= dim
    dims = entry.dims
    if dims == (0,) and have == dtype.itemsize:  # how 1.0 to 2.0 wrote 0-d tensors
        dims, count = (), 1
    if have != count * dtype.itemsize:
        raise FormatError(f"the tensor {entry.name!r} of shape {list(dims)} and type {entry.tensor_type} needs {count * dtype.itemsize} bytes, "
                          f"but the file holds {have}")
    return np.frombuffer(entry.content, dtype).reshape(dims) if have else np.zeros(dims, dtype)


def split_crc(data: memoryview) -> tuple[memoryview, int | None]:
    """(the messages, the CRC-32 stored behind them or None)."""
    if len(data) >= _CRC_TAIL and bytes(data[-_CRC_TAIL:-10]) == _CRC_MARK:
        return data[:-_CRC_TAIL], int.from_bytes(data[-10:], "big")
    return data, None


def crc_tail(crc: int) -> bytes:
    """What `split_crc` looks for."""
    return _CRC_MARK + crc.to_bytes(10, "big")


def _field(number: int, length: int) -> bytes:
    return write_varint(number << 3 | BYTES) + write_varint(length)


def _pieces(entry: Entry) -> Iterator[Any]:
    name, kind = entry.name.encode("utf-8"), entry.tensor_type.encode("ascii")
    content = memoryview(entry.content)
    content = content.cast("B") if content.nbytes else memoryview(b"")
    dims = b"".join(b"\x08" + write_varint(dim) for dim in entry.dims)
    for start in range(0, max(len(content), 1), SLICE_BYTES):
        part = content[start:start + SLICE_BYTES]
        head = dims + _field(2, len(kind)) + kind + _field(3, len(part))
        inner = _field(1, len(name)) + name + _field(2, len(head) + len(part))
        yield _field(1, len(inner) + len(head) + len(part)) + inner + head
        yield part


def write(entries: Iterable[Entry]) -> Iterator[Any]:
    """The bytes of a file, in pieces; contents are passed through without a copy."""
    for entry in entries:
        yield from _pieces(entry)


def string_entry(name: str, value: str) -> Entry:
    """A ``str`` entry as numpy's ``U`` buffer; the empty string is one zero character."""
    return Entry(name, STRING, (0,), value.encode("utf-32-le") or b"\0" * item_bytes(STRING))


def crc_of(pieces: Iterable[Any]) -> Iterator[Any]:
    """The pieces, followed by the CRC tail over them."""
    crc = 0
    for piece in pieces:
        crc = zlib.crc32(piece, crc)
        yield piece
    yield crc_tail(crc)
