"""The framing of event files, MindSpore's and TensorBoard's alike: length, its CRC, data, their CRC."""
from __future__ import annotations

import functools
import struct
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mindspore_compat._format.wire import FormatError

__all__ = ["crc32c", "masked_crc32c", "frame", "OVERHEAD", "iterate_records"]

#: bytes of a record beside its data
OVERHEAD = 16
_POLYNOMIAL = 0x82F63B78
_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")
_MAXIMUM = 1 << 40
_LANE = 16  # bytes that each lane of the vectorized sum takes
_SMALL = 2048  # bytes from which the vectorized sum is the faster one


def _make_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _make_table()


def crc32c(data: Any) -> int:
    """CRC-32C (Castagnoli) of a buffer."""
    if len(data) >= _SMALL:
        return _crc_of_many(np.frombuffer(data, np.uint8))
    crc, table = 0xFFFFFFFF, _TABLE
    whole = len(data) & ~3
    if whole:
        low, high = _word_tables()
        for word in _words(whole >> 2)(data):
            crc ^= word
            crc = low[crc & 0xFFFF] ^ high[crc >> 16]
    for byte in data[whole:]:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


@functools.cache
def _words(number: int) -> Callable[[Any], tuple[int, ...]]:
    return struct.Struct(f"<{number}I").unpack_from


@functools.cache
def _word_tables() -> tuple[array, array]:
    """What the two halves of four bytes at once do to the sum."""
    pairs = _pair_table()
    return array("I", (pairs[pairs & 0xFFFF] ^ pairs >> 16).tobytes()), array("I", pairs.tobytes())


@functools.cache
def _pair_table() -> np.ndarray:
    """What two bytes at once do to the sum."""
    single = np.array(_TABLE, np.uint32)
    values = np.arange(1 << 16, dtype=np.uint32)
    for _ in range(2):
        values = single[values & 0xFF] ^ values >> 8
    return values


@functools.cache
def _advance_tables(level: int) -> np.ndarray:
    """Four tables (one a byte of the sum) that append ``_LANE << level`` zero bytes."""
    if level == 0:
        columns = 1 << np.arange(32, dtype=np.uint32)
        pairs = _pair_table()
        for _ in range(_LANE // 2):
            columns = pairs[columns & 0xFFFF] ^ columns >> 16
    else:
        columns = _advance(_advance_tables(level - 1), _advance(_advance_tables(level - 1), 1 << np.arange(32, dtype=np.uint32)))
    values = np.arange(256, dtype=np.uint32)
    tables = np.zeros((4, 256), np.uint32)
    for bit in range(8):
        chosen = (values >> bit & 1).astype(bool)
        for byte in range(4):
            tables[byte, chosen] ^= columns[8 * byte + bit]
    return tables


def _advance(tables: np.ndarray, sums: np.ndarray) -> np.ndarray:
    return tables[0][sums & 0xFF] ^ tables[1][sums >> 8 & 0xFF] ^ tables[2][sums >> 16 & 0xFF] ^ tables[3][sums >> 24]


def _crc_of_many(data: np.ndarray) -> int:
    """The sum is linear: many lanes at once, joined pair by pair. Zeros in front change nothing, so the lanes are a power of two."""
    lanes = 1 << max((len(data) - 1) // _LANE, 1).bit_length()
    padded = np.zeros(lanes * _LANE, np.uint8)
    start = len(padded) - len(data)
    padded[start:] = data
    padded[start:start + 4] ^= 0xFF
    words = padded.view("<u2").reshape(lanes, _LANE // 2).T.astype(np.uint32)
    pairs = _pair_table()
    sums = np.zeros(lanes, np.uint32)
    for column in words:
        sums = pairs[(sums ^ column) & 0xFFFF] ^ sums >> 16
    level = 0
    while len(sums) > 1:
        sums = _advance(_advance_tables(level), sums[::2]) ^ sums[1::2]
        level += 1
    return int(sums[0]) ^ 0xFFFFFFFF


def masked_crc32c(data: Any) -> int:
    """The CRC as records store it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@functools.lru_cache(maxsize=4096)
def _header(length: int) -> bytes:
    return _HEADER.pack(length, masked_crc32c(length.to_bytes(8, "little")))


def frame(data: bytes) -> bytes:
    """A whole record."""
    return b"".join((_header(len(data)), data, _CRC.pack(masked_crc32c(data))))


def iterate_records(path: str, check: bool = True) -> Iterator[bytes]:
    """The data of each record of a file. A cut-off tail, as a killed writer leaves it, ends the iteration.

    Raises:
        FormatError: for a wrong CRC (with ``check``), or a length that cannot be one.
    """
    with open(path, "rb") as file:
        place = 0
        while True:
            head = file.read(12)
            if len(head) < 12:
                return
            length, head_crc = _HEADER.unpack(head)
            if length > _MAXIMUM or (check and masked_crc32c(head[:8]) != head_crc):
                raise FormatError(f"{path}: the record at byte {place} is damaged (its length {length} does not fit its checksum).")
            body = file.read(length + 4)
            if len(body) < length + 4:
                return
            data = body[:length]
            if check and masked_crc32c(data) != _CRC.unpack_from(body, length)[0]:
                raise FormatError(f"{path}: the record at byte {place} is damaged (the checksum of its data is wrong).")
            yield data
            place += length + OVERHEAD
