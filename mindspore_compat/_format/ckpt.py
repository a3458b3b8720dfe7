"""Codec of MindSpore's ``.ckpt`` files: one protobuf ``Checkpoint`` of ``Value{tag, TensorProto{dims, tensor_type,
tensor_content}}``.

Reading returns numpy arrays on the given bytes. Writing yields pieces of the file, with tensor contents as they are in
memory. So no message object holds a content, and protobuf's limit of 2 GiB a message does not apply; protobuf's own
message class would have it. Layout: docs/design/ckpt-format.md.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindspore_compat._format.dtypes import MAP_TYPES, NUMPY_OF, STRING
from mindspore_compat._format.wire import _SMALL, BYTES, VARINT, FormatError, fields, read_varint, write_varint

SLICE_BYTES = 512 * 1024 * 1024  # contents above are cut into several values
_MAX_DIMS = 64  # of torch and numpy; also bounds what a hostile file makes us collect
_MOST_VALUES, _BYTES_A_VALUE = 100_000, 2048  # of any file, and one more for each 2,048 bytes
_MAX_UNKNOWN = 64  # fields of later versions that one message may hold


@dataclass
class Entry:
    """Tensor or string of a checkpoint.

    ``content`` is the raw row-major buffer: an object with the buffer protocol; or a flat sequence of bytes with
    ``len`` and slices, such as a uint8 tensor, whose slices are passed through unchanged; or, from a file with slices,
    a list of buffers.
    """

    name: str
    tensor_type: str
    dims: tuple[int, ...]
    content: Any
    place: int | None = None  # in the file it comes from

    def byte_count(self) -> int:
        """Return the length of the content."""
        return sum(map(len, parts_of(self)))

    def described(self) -> str:
        """Return its name and location, for messages."""
        return repr(self.name) + ("" if self.place is None else f" at byte {self.place}")

    def text(self) -> str:
        """Return the content of a ``str`` entry."""
        try:
            return (
                b"".join(bytes(part) for part in parts_of(self))
                .decode("utf-32-le", errors="surrogatepass")
                .rstrip("\0")
            )
        except UnicodeDecodeError:
            raise FormatError(f"the text {self.described()} is no UTF-32") from None


@dataclass
class MapEntry:
    """Map parameter: keys, values, status."""

    name: str
    parts: tuple[Entry, Entry, Entry]


def parts_of(entry: Entry) -> list[Any]:
    """Return the content as flat sequences of bytes, in order."""
    return [_flat(part) for part in entry.content] if isinstance(entry.content, list) else [_flat(entry.content)]


def _flat(part: Any) -> Any:
    if hasattr(part, "data_ptr"):  # a tensor, whose bytes are fetched when they are written
        return part
    view = memoryview(part)
    return view.cast("B") if view.nbytes else memoryview(b"")


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def _dims(data: memoryview, start: int, end: int, field: tuple[int, int, int, int]) -> Iterator[int]:
    """Yield the dims of one field: a number, or many of them packed, which a proto2 reader accepts as well."""
    _, kind, first, last = field
    if kind == VARINT:
        yield _signed(first)
    while kind == BYTES and first < last:
        value, first = read_varint(data, first, last)
        yield _signed(value)


def _tensor(data: memoryview, start: int, end: int, name: str) -> Entry:
    dims: list[int] = []
    tensor_type, content, unknown = None, None, 0
    for field in fields(data, start, end):
        number, kind, first, last = field
        if number == 1 and kind in (VARINT, BYTES):
            for dim in _dims(data, start, end, field):
                dims.append(dim)
                if len(dims) > _MAX_DIMS:
                    raise FormatError(f"the tensor {name!r} at byte {start} has more than {_MAX_DIMS} dimensions")
        elif number == 2 and kind == BYTES:
            tensor_type = bytes(data[first : min(last, first + 64)]).decode("utf-8", errors="replace")
        elif number == 3 and kind == BYTES:
            content = data[first:last]
        else:
            unknown = _counted(unknown, start)
    if tensor_type is None or content is None:
        raise FormatError(
            f"the tensor {name!r} at byte {start} has no {'tensor_type' if tensor_type is None else 'tensor_content'}"
        )
    if any(dim < 0 for dim in dims):
        raise FormatError(f"the tensor {name!r} at byte {start} has a negative dimension: {dims}")
    return Entry(name, tensor_type, tuple(dims), content, start)


def _counted(unknown: int, start: int) -> int:
    if unknown >= _MAX_UNKNOWN:
        raise FormatError(f"the message at byte {start} has more than {_MAX_UNKNOWN} unknown fields")
    return unknown + 1


def _value(data: memoryview, start: int, end: int) -> Entry | MapEntry | None:
    name, tensor, parts, unknown = None, None, None, 0
    for field, kind, first, last in fields(data, start, end):
        if field == 1 and kind == BYTES:
            try:
                name = str(data[first:last], "utf-8")
            except UnicodeDecodeError:
                raise FormatError(f"the tag at byte {first} is not UTF-8") from None
        elif field == 2 and kind == BYTES:
            tensor, parts = (first, last), None  # of a oneof the last one counts
        elif field == 3 and kind == BYTES:
            tensor, parts = None, (first, last)
        else:
            unknown = _counted(unknown, start)
    if name is None:
        raise FormatError(f"the value at byte {start} has no tag")
    if tensor is not None:
        return _tensor(data, *tensor, name)
    if parts is None:
        return None
    found: list[Entry] = []
    for field, kind, first, last in fields(data, *parts):
        if field == 1 and kind == BYTES and len(found) < 4:
            found.append(_tensor(data, first, last, name))
        else:
            unknown = _counted(unknown, start)
    if len(found) != 3:
        raise FormatError(f"the map parameter {name!r} at byte {start} has {len(found)} tensors instead of 3")
    return MapEntry(name, (found[0], found[1], found[2]))


def _values(data: memoryview) -> Iterator[Entry | MapEntry]:
    unknown = 0
    for number, kind, start, end in fields(data, 0, len(data)):
        if number != 1 or kind != BYTES:
            unknown = _counted(unknown, 0)
            continue
        value = _value(data, start, end)
        if value is not None:
            yield value


def _joined(pieces: list[Entry]) -> Entry:
    if len(pieces) == 1:
        return pieces[0]
    last = pieces[-1]
    return Entry(last.name, last.tensor_type, last.dims, [piece.content for piece in pieces], last.place)


def read(data: Any) -> dict[str, Entry | MapEntry]:
    """Return {tag: entry} of a file; neighbouring values of one tag are one tensor, a later group replaces an earlier.

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
                keys, values, statuses = (_stacked([item.parts[k] for item in pending]) for k in range(3))
                result[first.name] = MapEntry(first.name, (keys, values, statuses))
            else:
                result[first.name] = _joined(pending)
            pending.clear()

    for count, value in enumerate(_values(view), 1):
        check_count(count, len(view))
        if pending and (pending[0].name != value.name or type(pending[0]) is not type(value)):
            close()
        pending.append(value)
    close()
    return result


def check_count(count: int, size: int) -> None:
    """Raise FormatError for more values than a file of that size is likely to have: each takes nearly 2 KiB of memory,
    however small it is.
    """
    if count > _MOST_VALUES + size // _BYTES_A_VALUE:
        raise FormatError(f"there are more than {_MOST_VALUES} values in {size} bytes")


def _stacked(pieces: list[Entry]) -> Entry:
    """Join slices of a part of a map parameter: lengths of the first axis add up."""
    entry = _joined(pieces)
    rows = sum(piece.dims[0] if piece.dims else 1 for piece in pieces)
    return Entry(entry.name, entry.tensor_type, (rows, *entry.dims[1:]), entry.content, entry.place)


def check_length(entry: Entry) -> tuple[np.dtype, tuple[int, ...]]:
    """Return (numpy dtype, shape) of a tensor whose content has the right length."""
    if entry.tensor_type not in NUMPY_OF:
        raise FormatError(f"the tensor {entry.described()} has the unknown type {entry.tensor_type!r}")
    return _checked(entry, NUMPY_OF[entry.tensor_type])


def _checked(entry: Entry, dtype: np.dtype) -> tuple[np.dtype, tuple[int, ...]]:
    have = entry.byte_count()
    count = largest = 1
    for dim in entry.dims:
        count, largest = count * dim, largest * max(dim, 1)
    dims = entry.dims
    if dims == (0,) and have == dtype.itemsize:  # how 1.0 to 2.0 wrote 0-d tensors
        dims, count = (), 1
    if have != count * dtype.itemsize or largest * dtype.itemsize >= 1 << 63:
        raise FormatError(
            f"the tensor {entry.described()} of shape {list(dims)} and type {entry.tensor_type} needs "
            f"{count * dtype.itemsize} bytes, but the file holds {have}"
        )
    return dtype, dims


def _array(entry: Entry, dtype: np.dtype, dims: tuple[int, ...]) -> np.ndarray:
    parts = parts_of(entry)
    content = parts[0] if len(parts) == 1 else b"".join(parts)
    return np.frombuffer(content, dtype).reshape(dims) if len(content) else np.zeros(dims, dtype)


def to_array(entry: Entry) -> np.ndarray:
    """Return the entry as a numpy array, on its own buffer unless that is in slices (bfloat16 and float8 as bits)."""
    return _array(entry, *check_length(entry))


def to_arrays(entry: MapEntry) -> list[np.ndarray]:
    """Return keys, values and status of a map parameter."""
    for part in entry.parts:
        if part.tensor_type not in MAP_TYPES:
            raise FormatError(f"the map parameter {part.described()} has the unknown type {part.tensor_type!r}")
    return [_array(part, *_checked(part, np.dtype(part.tensor_type))) for part in entry.parts]


def _field(number: int, length: int) -> bytes:
    return _SMALL[number << 3 | BYTES] + write_varint(length)


@functools.lru_cache(maxsize=1 << 14)  # a network is saved again and again
def _head(name: str, tensor_type: str, dims: tuple[int, ...], count: int) -> bytes:
    """Return the bytes before a tensor's content of that length."""
    tag, kind = name.encode("utf-8"), tensor_type.encode("ascii")
    tensor = b"".join([b"\x08" + write_varint(dim) for dim in dims]) + _field(2, len(kind)) + kind + _field(3, count)
    value = _field(1, len(tag)) + tag + _field(2, len(tensor) + count)
    return _field(1, len(value) + len(tensor) + count) + value + tensor


def _pieces(entry: Entry) -> Iterator[Any]:
    for content in parts_of(entry):
        total = len(content)
        for start in range(0, max(total, 1), SLICE_BYTES):
            part = content if total <= SLICE_BYTES else content[start : start + SLICE_BYTES]
            yield _head(entry.name, entry.tensor_type, entry.dims, min(total - start, SLICE_BYTES))
            yield part


def write(entries: Iterable[Entry]) -> Iterator[Any]:
    """Yield the bytes of a file, in pieces; contents are passed through without a copy."""
    for entry in entries:
        content = entry.content
        if hasattr(content, "data_ptr") and len(content) <= SLICE_BYTES:  # as `_pieces`, which takes longer
            yield _head(entry.name, entry.tensor_type, entry.dims, len(content))
            yield content
        else:
            yield from _pieces(entry)


def string_entry(name: str, value: str) -> Entry:
    """Return a ``str`` entry as numpy's ``U`` buffer; the empty string is one zero character."""
    return Entry(name, STRING, (0,), value.encode("utf-32-le", errors="surrogatepass") or bytes(4))
