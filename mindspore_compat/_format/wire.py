"""Protobuf wire rules of checkpoints, with bounds: varints, tags, length-delimited fields."""

from __future__ import annotations

from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_SMALL = [bytes([value]) for value in range(0x80)]


class FormatError(ValueError):
    """Error for malformed bytes, with their location."""


def read_varint(data: memoryview, position: int, end: int) -> tuple[int, int]:
    """Return (value, position after it)."""
    result = shift = 0
    while True:
        if position >= end:
            raise FormatError(f"the data end inside a number at byte {position}")
        byte = data[position]
        position += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            if result >= 1 << 64:
                raise FormatError(f"a number at byte {position} does not fit into 64 bits")
            return result, position
        shift += 7
        if shift > 63:
            raise FormatError(f"a number at byte {position} is longer than 10 bytes")


def write_varint(value: int) -> bytes:
    """Return ``value`` as a varint; negative ones in two's complement of 64 bits, as protobuf writes them."""
    if 0 <= value < 0x80:
        return _SMALL[value]
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data: memoryview, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield (field number, wire type, start, end) of each field between two positions.

    For `BYTES` start and end bound the content; for `VARINT` start is the value itself and end is unused.
    """
    position = start
    while position < end:
        key, after = data[position], position + 1  # one byte, nearly always: no call for that
        if key >= 0x80:
            key, after = read_varint(data, position, end)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise FormatError(f"field number 0 at byte {position}")
        position = after
        if kind == VARINT:
            value, position = read_varint(data, position, end)
            yield number, kind, value, 0
            continue
        if kind == BYTES:
            length = data[position] if position < end else 0x80
            if length < 0x80:
                position += 1
            else:
                length, position = read_varint(data, position, end)
        elif kind in (FIXED64, FIXED32):
            length = 8 if kind == FIXED64 else 4
        else:
            raise FormatError(f"unknown wire type {kind} of field {number} at byte {position}")
        if length > end - position:
            raise FormatError(
                f"field {number} at byte {position} claims {length} bytes, but only {end - position} are left"
            )
        yield number, kind, position, position + length
        position += length
