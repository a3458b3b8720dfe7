"""Writer of safetensors files in pieces, in the library's own order, and reader of their headers; the safetensors
package reads the tensors. Its own writer writes to a path, or returns all bytes at once. It has no pieces for the
background writer process or for tensors on a device, and no atomic files.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

from mindspore_compat._format.ckpt import Entry, check_count, parts_of
from mindspore_compat._format.dtypes import item_bytes
from mindspore_compat._format.source import open_regular, parse_json
from mindspore_compat._format.wire import FormatError

#: tensor_type: dtype of the header. The file has no word for the others.
DTYPES: dict[str, str] = {
    "Bool": "BOOL",
    "UInt8": "U8",
    "Int8": "I8",
    "Int4": "I8",
    "Float8E5M2": "F8_E5M2",
    "Float8E4M3FN": "F8_E4M3",
    "Int16": "I16",
    "UInt16": "U16",
    "Float16": "F16",
    "BFloat16": "BF16",
    "Int32": "I32",
    "UInt32": "U32",
    "Float32": "F32",
    "Float64": "F64",
    "Int64": "I64",
    "UInt64": "U64",
    "Complex64": "C64",
}
_BYTES = {word: item_bytes(kind) for kind, word in DTYPES.items()}  # of an element, by the word of the header
_MAX_DIMS = 64  # of torch
_MAX_HEADER = 100_000_000  # of the library
# tensors lie in this order of their dtypes (last first), then by name: the widest are at the front, so all are aligned
_ORDER = tuple(("BOOL U8 I8 F8_E5M2 F8_E4M3 I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64").split())


def write(entries: Sequence[Entry], metadata: dict[str, str]) -> Iterator[Any]:
    """Yield the bytes of a file, in pieces; contents are passed through without a copy.

    Raises:
        FormatError: for a dtype that the format does not have.
    """
    for entry in entries:
        if entry.tensor_type not in DTYPES:
            raise FormatError(
                f"the value {entry.name!r} has the type {entry.tensor_type}, which a safetensors file cannot hold"
            )
    ordered = sorted(entries, key=lambda entry: (-_ORDER.index(DTYPES[entry.tensor_type]), entry.name.encode("utf-8")))
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    place = 0
    for entry in ordered:
        count = 1
        for dim in entry.dims:
            count *= dim
        end = place + count * item_bytes(entry.tensor_type)
        header[entry.name] = {
            "dtype": DTYPES[entry.tensor_type],
            "shape": list(entry.dims),
            "data_offsets": [place, end],
        }
        place = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for entry in ordered:
        yield from parts_of(entry)


class Place(NamedTuple):
    """Dtype, shape and bytes of a tensor: from ``first`` to ``last`` of the file."""

    dtype: str
    shape: tuple[int, ...]
    first: int
    last: int


def read_header(path: str) -> tuple[dict[str, str], dict[str, tuple[tuple[int, ...], int]]]:
    """Return (metadata, {name: (shape, bytes)} in the order of the file)."""
    with open_regular(path) as file:
        metadata, places = read_places(file, path)
    return metadata, {name: (place.shape, place.last - place.first) for name, place in places.items()}


def read_places(file: BinaryIO, path: str) -> tuple[dict[str, str], dict[str, Place]]:
    """Return (metadata, {name: Place} in the order of the file); ``path`` is for messages."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(_MAX_HEADER, size - 8):
        raise FormatError(
            f"the safetensors header of {path} is damaged: its length is {length}, that of the file {size}"
        )
    header = parse_json(file.read(length), f"the safetensors header of {path}")
    try:
        check_count(len(header), size)
        metadata = header.pop("__metadata__", None) or {}
        if not all(isinstance(value, str) for value in metadata.values()):
            raise ValueError("the metadata must be texts")
        places = {name: _place(name, 8 + length, **item) for name, item in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise FormatError(f"the safetensors header of {path} is damaged: {error}") from None
    end = 8 + length
    for name, place in sorted(places.items(), key=lambda item: item[1][2:]):
        if place.first != end:
            raise FormatError(
                f"the safetensors header of {path} is damaged: {name!r} begins at byte {place.first}, not at {end}"
            )
        end = place.last
    if end != size:
        raise FormatError(f"the safetensors file {path} should have {end} bytes, but has {size}")
    return metadata, places


def _place(name: str, start: int, dtype: Any, shape: Any, data_offsets: Any) -> Place:
    """Return the place of a tensor in the header, with contents from the byte ``start``; ValueError if it contradicts
    itself.
    """
    first, last = data_offsets
    if len(shape) > _MAX_DIMS:
        raise ValueError(f"{name!r} has {len(shape)} dimensions")
    if any(type(number) is not int or number < 0 for number in (*shape, first, last)):
        raise ValueError(
            f"the shape and the offsets of {name!r} must be counts, but are {shape!r:.200} and {data_offsets!r:.200}"
        )
    if dtype in _BYTES and last - first != math.prod(shape) * _BYTES[dtype]:
        raise ValueError(
            f"{name!r} of the type {dtype} and the shape {shape!r:.200} must not have {last - first} bytes"
        )
    return Place(dtype, tuple(shape), start + first, start + last)
