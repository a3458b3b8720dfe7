"""Bytes of a MindRecord row: MessagePack for plain fields, packed integers, blobs.

A row is two records: one in a raw page (uint64 little-endian length, MessagePack map of the plain fields, by name) and
one in a blob page (the same length prefix, then every blob field by name: uint64 big-endian length and bytes; a single
blob field stands alone; none at all is four zero bytes). int32 and int64 arrays are packed: uint32 big-endian count,
two bits per element for its width (1, 2, 4 or 8 bytes, first element in the high bits), then the elements,
little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.ragged import numbers_at, split, spread, windows

_WIDTHS = (1, 2, 4, 8)
_WIDTHS_OF_KIND = np.array(_WIDTHS, np.int64)
#: the two bits of the four elements that a byte of a head stands for
_KINDS_OF_HEAD = (np.arange(256)[:, None] >> np.array([6, 4, 2, 0])) & 3


def encode_map(values: dict[str, Any]) -> bytes:
    """Return MessagePack of a flat map of str to int, float or str."""
    if len(values) < 16:
        head = bytes([0x80 | len(values)])
    else:
        head = b"\xde" + struct.pack(">H", len(values))
    return head + b"".join(_encode_str(key) + _encode_value(values[key]) for key in sorted(values))


def _encode_str(text: str) -> bytes:
    data = text.encode("utf-8")
    size = len(data)
    if size < 32:
        return bytes([0xA0 | size]) + data
    if size < 1 << 8:
        return b"\xd9" + bytes([size]) + data
    return (b"\xda" + struct.pack(">H", size) if size < 1 << 16 else b"\xdb" + struct.pack(">I", size)) + data


def _encode_value(value: Any) -> bytes:
    if isinstance(value, str):
        return _encode_str(value)
    if isinstance(value, float):
        is_short = value != value or struct.unpack(">f", _float32(value))[0] == value
        return b"\xca" + _float32(value) if is_short else b"\xcb" + struct.pack(">d", value)
    if 0 <= value < 128 or -32 <= value < 0:
        return struct.pack(">b", value)
    codes = zip((b"\xcc", b"\xcd", b"\xce", b"\xcf"), [">B", ">H", ">I", ">Q"], strict=True)
    if value < 0:
        codes = zip((b"\xd0", b"\xd1", b"\xd2", b"\xd3"), [">b", ">h", ">i", ">q"], strict=True)
    for code, layout in codes:
        try:
            return code + struct.pack(layout, value)
        except struct.error:
            continue
    raise ValueError(f"The integer {value} does not fit into 64 bits.")


def _float32(value: float) -> bytes:
    try:
        return struct.pack(">f", value)
    except OverflowError:
        return struct.pack(">f", 0.0)


_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}


def decode_map(data: bytes) -> dict[str, Any]:
    """Return the map that `encode_map` wrote. Raises: ValueError for anything else."""
    try:
        if data[0] >> 4 == 8:
            count, place = data[0] & 15, 1
        elif data[0] == 0xDE:
            count, place = struct.unpack_from(">H", data, 1)[0], 3
        else:
            raise ValueError(f"expected a map, found byte {data[0]:#x}")
        values = {}
        for _ in range(count):
            key, place = _decode_value(data, place)
            values[key], place = _decode_value(data, place)
    except (IndexError, struct.error, TypeError) as error:
        raise ValueError(f"broken MessagePack record of {len(data)} bytes: {error}") from error
    return values


def _decode_value(data: bytes, place: int) -> tuple[Any, int]:
    code = data[place]
    if code < 0x80:
        return code, place + 1
    if code >= 0xE0:
        return code - 256, place + 1
    if code in (0xC2, 0xC3):
        return code == 0xC3, place + 1
    if code in _NUMBERS:
        layout = _NUMBERS[code]
        return struct.unpack_from(layout, data, place + 1)[0], place + 1 + struct.calcsize(layout)
    if code >> 5 == 5:
        size, start = code & 31, place + 1
    elif code in _LENGTHS:
        size = struct.unpack_from(_LENGTHS[code], data, place + 1)[0]
        start = place + 1 + struct.calcsize(_LENGTHS[code])
    else:
        raise ValueError(f"unknown MessagePack byte {code:#x}")
    if start + size > len(data):
        raise ValueError(f"broken MessagePack record: a string of {size} bytes in {len(data)}")
    return data[start : start + size].decode("utf-8"), start + size


def encode_blobs(values: Sequence[bytes | np.ndarray]) -> bytes:
    """Return blob fields, in the order of their names."""
    parts = [v if isinstance(v, bytes) else _pack(v) if v.dtype.kind == "i" else v.tobytes() for v in values]
    if not parts:
        return bytes(4)
    return parts[0] if len(parts) == 1 else b"".join(struct.pack(">Q", len(p)) + p for p in parts)


def bytes_saved(values: Sequence[bytes | np.ndarray]) -> int:
    """Return the bytes saved by packing the integer arrays; the header holds the sum."""
    return sum(v.nbytes - len(_pack(v)) for v in values if not isinstance(v, bytes) and v.dtype.kind == "i")


def decode_blobs(data: bytes, fields: Sequence[dict[str, Any]]) -> list[np.ndarray]:
    """Return the blob fields of a row as arrays; `fields` are their schema entries, by name. Raises: ValueError."""
    if len(fields) == 1:
        return [_to_array(data, fields[0])]
    arrays, place = [], 0
    for field in fields:
        if place + 8 > len(data):
            raise ValueError(f"broken blob record of {len(data)} bytes")
        size = struct.unpack_from(">Q", data, place)[0]
        place += 8
        if place + size > len(data):
            raise ValueError(f"broken blob record: a field of {size} bytes in {len(data)}")
        arrays.append(_to_array(data[place : place + size], field))
        place += size
    return arrays


def bytes_column(data: np.ndarray) -> np.ndarray:
    """Return a field of bytes as one string; `select` of a release replaces it."""
    return data.view(f"S{len(data)}") if len(data) else np.array([b""])


def _to_array(data: bytes, field: dict[str, Any]) -> np.ndarray:
    if field["type"] == "bytes":
        return bytes_column(np.frombuffer(bytearray(data), np.uint8))
    dtype = np.dtype(field["type"])
    array = _unpack(data, dtype) if dtype.kind == "i" else np.frombuffer(bytearray(data), dtype)
    return array.reshape(field["shape"])


def decode_blob_columns(
    buffer: np.ndarray, starts: np.ndarray, stops: np.ndarray, fields: dict[str, dict[str, Any]], wanted: Sequence[str]
) -> dict[str, Any]:
    """Return blob fields of many rows at once, with all their records in one buffer; `fields` are the schema's, by name
    in their order.

    Returns: for each wanted field a block or a list of the rows' arrays. Raises: ValueError, which does not tell the
    row.
    """
    longs = windows(buffer, ">u8")
    found: dict[str, Any] = {}
    places = starts
    for name, field in fields.items():
        if len(fields) == 1:
            sizes = stops - starts
        else:
            if (places + 8 > stops).any():
                raise ValueError("broken blob record")
            sizes, places = longs[places].astype(np.int64), places + 8
        if (sizes < 0).any() or (places + sizes > stops).any():
            raise ValueError("broken blob record")
        if name in wanted:
            found[name] = _to_column(buffer, places, sizes, field)
        places = places + sizes
    return found


def _to_column(buffer: np.ndarray, places: np.ndarray, sizes: np.ndarray, field: dict[str, Any]) -> Any:
    if field["type"] == "bytes":
        spans = zip(places.tolist(), sizes.tolist(), strict=True)
        return [bytes_column(buffer[start : start + size]) for start, size in spans]
    dtype = np.dtype(field["type"])
    if dtype.kind == "i":
        values, counts = _unpack_all(buffer, places, sizes)
        values = values.astype(dtype)
    else:
        if (sizes % dtype.itemsize).any():
            raise ValueError("broken blob record")
        counts = sizes // dtype.itemsize
        values = numbers_at(buffer, places, counts, dtype.str)
    rows = split(values, counts)
    if isinstance(rows, np.ndarray):
        return rows.reshape(len(rows), *rows[0].reshape(field["shape"]).shape)
    return [row.reshape(field["shape"]) for row in rows]


def _unpack_all(buffer: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `_unpack` of many: all values one after another as int64, and the count of each."""
    if (sizes < 4).any():
        raise ValueError("broken integer field")
    counts = windows(buffer, ">u4")[places].astype(np.int64)
    heads = -(-counts // 4)
    bodies = places + 4 + heads
    if (4 + heads > sizes).any():
        raise ValueError("broken integer field")
    total = int(counts.sum())
    bits = _KINDS_OF_HEAD[buffer[spread(places + 4, heads)]]  # four elements a byte
    if (counts % 4).any():
        bits = bits.reshape(-1)[spread((np.cumsum(heads) - heads) * 4, counts)]
    widths = _WIDTHS_OF_KIND[bits.reshape(-1)]
    ends = np.cumsum(widths)
    stops = np.cumsum(counts)
    last = np.concatenate([np.zeros(1, np.int64), ends])[stops]
    first = np.concatenate([np.zeros(1, np.int64), last[:-1]])
    if (bodies + last - first != places + sizes).any():
        raise ValueError("broken integer field")
    if not total:
        return np.empty(0, np.int64), counts
    words = windows(buffer, "<i8")[np.repeat(bodies - first, counts) + ends - widths]
    shift = 64 - 8 * widths
    return (words << shift) >> shift, counts


def _pack(array: np.ndarray) -> bytes:
    flat = array.ravel().astype(np.int64)
    kinds = np.zeros(len(flat), np.uint8)
    for bits in (7, 15, 31):
        kinds += (flat < -(1 << bits)) | (flat >= 1 << bits)
    if array.dtype == np.int32:
        kinds = np.minimum(kinds, 2)
    padded = np.zeros(-(-len(flat) // 4) * 4, np.uint8)
    padded[: len(flat)] = kinds
    groups = padded.reshape(-1, 4)
    heads = groups[:, 0] << 6 | groups[:, 1] << 4 | groups[:, 2] << 2 | groups[:, 3]
    mask = np.arange(8) < np.asarray(_WIDTHS)[kinds][:, None]
    body = flat.astype("<i8").view(np.uint8).reshape(-1, 8)[mask]
    return struct.pack(">I", len(flat)) + heads.astype(np.uint8).tobytes() + body.tobytes()


def _unpack(data: bytes, dtype: np.dtype) -> np.ndarray:
    if len(data) < 4:
        raise ValueError(f"broken integer field of {len(data)} bytes")
    count = struct.unpack_from(">I", data)[0]
    head_size = -(-count // 4)
    if 4 + head_size > len(data):
        raise ValueError(f"broken integer field: {count} elements in {len(data)} bytes")
    heads = np.frombuffer(data, np.uint8, head_size, 4)
    kinds = (heads[:, None] >> np.array([6, 4, 2, 0], np.uint8) & 3).ravel()[:count]
    widths = np.asarray(_WIDTHS)[kinds]
    body = np.frombuffer(data, np.uint8, offset=4 + head_size)
    if widths.sum() != len(body):
        raise ValueError(f"broken integer field: {int(widths.sum())} bytes expected, {len(body)} found")
    mask = np.arange(8) < widths[:, None]
    wide = np.zeros((count, 8), np.uint8)
    wide[mask] = body
    values = wide.view("<i8").ravel()
    shift = 64 - 8 * widths
    return ((values << shift) >> shift).astype(dtype)
