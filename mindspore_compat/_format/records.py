"""Framing of event files, equal in MindSpore and TensorBoard: length, its CRC, data, their CRC.

CRC-32C is computed here. tensorboard's takes 1.6 times as long for 60 bytes (9 against 6 µs), 20 times for 2,000, and
50 to 90 times for more (1 MB: 287 against 5 ms). google-crc32c is faster (0.1 µs; 1 MB: 0.14 ms), but not always
installed. As an option it would come on top of this code, which is a small part of the time of a summary.
"""

from __future__ import annotations

import functools
import os
import struct
import threading
from array import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError

#: bytes of a record beside its data
OVERHEAD = 16
_POLYNOMIAL = 0x82F63B78
_HEADER = struct.Struct("<QI")
_CRC = struct.Struct("<I")
_MAXIMUM = 1 << 40
_BLOCK, _BLOCKS_AT_ONCE = 1024, 12  # few enough for the buffers to stay in the cache
_local = threading.local()
_SMALL = 1536  # bytes from which the vectorized sum is the faster one


def _make_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _make_table()


def crc32c(data: Any) -> int:
    """Return the CRC-32C (Castagnoli) of a buffer."""
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
    """Return the effect of both halves of four bytes at once on the sum."""
    pairs = _pair_table()
    return array("I", (pairs[pairs & 0xFFFF] ^ pairs >> 16).tobytes()), array("I", pairs.tobytes())


@functools.cache
def _pair_table() -> np.ndarray:
    """Return the effect of two bytes at once on the sum."""
    single = np.array(_TABLE, np.uint32)
    values = np.arange(1 << 16, dtype=np.uint32)
    for _ in range(2):
        values = single[values & 0xFF] ^ values >> 8
    return values


@functools.cache
def _place_tables() -> np.ndarray:
    """Return the effect of each value of a byte at each place of a block on the sum after the block: (place, value)."""
    single = np.array(_TABLE, np.uint32)
    tables = np.empty((_BLOCK, 256), np.uint32)
    tables[-1] = single
    for place in range(_BLOCK - 2, -1, -1):
        tables[place] = single[tables[place + 1] & 0xFF] ^ tables[place + 1] >> 8
    return tables


@functools.cache
def _block_tables() -> list[array]:
    """Return the four bytes of a sum after a block of zeros. They are the first four places of it, since sum and data
    are joined by xor.
    """
    return [array("I", _place_tables()[byte].tobytes()) for byte in range(4)]


def _crc_of_many(data: np.ndarray) -> int:
    """Return the CRC of many blocks. The sum is linear: compute it for each block, then join. Few calls of numpy, since
    each of them releases the interpreter's lock and waits for it again. Zeros in front change nothing.
    """
    blocks = -(-len(data) // _BLOCK)
    padded = np.zeros(blocks * _BLOCK, np.uint8)
    start = len(padded) - len(data)
    padded[start:] = data
    padded[start : start + 4] ^= 0xFF
    tables = _place_tables().reshape(-1)
    places, indices, found = _scratch()
    first, second, third, fourth = _block_tables()
    crc = 0
    for begin in range(0, blocks, _BLOCKS_AT_ONCE):
        part = padded[begin * _BLOCK : (begin + _BLOCKS_AT_ONCE) * _BLOCK].reshape(-1, _BLOCK)
        number = len(part)
        np.add(part, places, out=indices[:number])
        tables.take(indices[:number], out=found[:number], mode="wrap")
        for own in np.bitwise_xor.reduce(found[:number], axis=1).tolist():
            crc = own ^ first[crc & 0xFF] ^ second[crc >> 8 & 0xFF] ^ third[crc >> 16 & 0xFF] ^ fourth[crc >> 24]
    return crc ^ 0xFFFFFFFF


def _scratch() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the offset of each place's table, and buffers for indices and table values, for each thread. Memory
    allocated for every record would cost page faults, in other threads, too.
    """
    if not hasattr(_local, "scratch"):
        shape = _BLOCKS_AT_ONCE, _BLOCK
        _local.scratch = np.arange(_BLOCK) * 256, np.empty(shape, np.intp), np.empty(shape, np.uint32)
    return _local.scratch  # type: ignore[no-any-return]


def masked_crc32c(data: Any) -> int:
    """Return the CRC as records store it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@functools.lru_cache(maxsize=4096)
def _header(length: int) -> bytes:
    return _HEADER.pack(length, masked_crc32c(length.to_bytes(8, "little")))


def frame(data: bytes) -> bytes:
    """Return a whole record."""
    return b"".join((_header(len(data)), data, _CRC.pack(masked_crc32c(data))))


def iterate_records(
    path: str, check: bool = True, damaged: Callable[[FormatError], object] | None = None
) -> Iterator[bytes]:
    """Yield the data of each record of a file. A cut-off tail, as a killed writer leaves it, ends the iteration.

    Args:
        check: compare the CRCs.
        damaged: is called with the error of each record whose data have the wrong CRC, which is left out then; behind a
            wrong length nothing can be found.
    """
    with open_regular(path) as file:
        place = 0
        while True:
            head = file.read(12)
            if len(head) < 12:
                return
            length, head_crc = _HEADER.unpack(head)
            if length > _MAXIMUM or (check and masked_crc32c(head[:8]) != head_crc):
                raise FormatError(
                    f"{path}: the record at byte {place} is damaged (its length {length} does not fit its checksum)."
                )
            if length + 4 > os.fstat(file.fileno()).st_size - place - len(head):  # before memory is taken for it
                return
            body = file.read(length + 4)
            if len(body) < length + 4:
                return
            data = body[:length]
            if check and masked_crc32c(data) != _CRC.unpack_from(body, length)[0]:
                error = FormatError(
                    f"{path}: the record at byte {place} is damaged (the checksum of its data is wrong)."
                )
                if damaged is None:
                    raise error
                damaged(error)
            else:
                yield data
            place += length + OVERHEAD
