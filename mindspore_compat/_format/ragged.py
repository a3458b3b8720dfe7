"""Reading of many records into one buffer, and of numbers at all their lengths, without a loop over rows."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from mindspore_compat._format.wire import FormatError

_MARGIN = 8  # bytes behind the last record, for numbers are loaded whole
_SEVENS_OF = np.array([0x7F7F7F7F7F7F7F7F & (1 << 8 * n) - 1 for n in range(9)], np.uint64)
_LOW = [np.uint64(0x007F007F007F007F), np.uint64(0x00003FFF00003FFF), np.uint64(0x000000000FFFFFFF)]
_HIGH = [np.uint64(0x7F007F007F007F00), np.uint64(0x3FFF00003FFF0000), np.uint64(0x0FFFFFFF00000000)]
_SEVENS_OF_4 = _SEVENS_OF[:5].astype(np.uint32)  # the same for numbers of up to four bytes, at half the width
_LOW_4, _HIGH_4 = np.array([0x007F007F, 0x00003FFF], np.uint32), np.array([0x7F007F00, 0x3FFF0000], np.uint32)


def gather(
    handles: Sequence[int], files: np.ndarray, offsets: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read records of open files into one buffer. Returns: the buffer, where each starts in it, and where it stops.

    Raises:
        FormatError: where a file ends before its record.
    """
    stops = np.cumsum(lengths)
    starts = stops - lengths
    buffer = np.empty(int(stops[-1]) + _MARGIN, np.uint8)
    buffer[-_MARGIN:] = 0
    view = memoryview(buffer.data)
    preadv = os.preadv
    for file, offset, start, stop in zip(
        files.tolist(), offsets.tolist(), starts.tolist(), stops.tolist(), strict=True
    ):
        if preadv(handles[file], [view[start:stop]], offset) != stop - start:
            raise FormatError(f"cut off: no {stop - start} bytes at byte {offset}")
    return buffer, starts, stops


def windows(buffer: np.ndarray, dtype: str) -> np.ndarray:
    """Return the numbers that start at each byte of a buffer of bytes."""
    size = np.dtype(dtype).itemsize
    return np.ndarray((len(buffer) - size + 1,), dtype, buffer, strides=(1,))


def all_alike(numbers: np.ndarray) -> bool:
    """Return whether all are equal; half the time of an array comparison, for so few."""
    data = numbers.tobytes()
    return data == data[: numbers.itemsize] * len(numbers)


def spread(starts: np.ndarray, counts: np.ndarray, step: int = 1) -> np.ndarray:
    """Return ``starts[i], starts[i] + step, ...``, ``counts[i]`` of them, for all i one after another."""
    if len(counts) and all_alike(counts):
        return (starts[:, None] + np.arange(int(counts[0])) * step).ravel()
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts) * step, counts) + np.arange(int(ends[-1]) if len(ends) else 0) * step


def numbers_at(buffer: np.ndarray, starts: np.ndarray, counts: np.ndarray, dtype: str) -> np.ndarray:
    """Return ``counts[i]`` numbers from each start on, of all rows one after another."""
    return windows(buffer, dtype)[spread(starts, counts, np.dtype(dtype).itemsize)]


def split(values: np.ndarray, counts: np.ndarray) -> np.ndarray | list[np.ndarray]:
    """Split values of consecutive rows: a block (rows, ...) if all rows have as many, else a list of rows."""
    if len(counts) and all_alike(counts):
        return values.reshape(len(counts), int(counts[0]))
    return [part.copy() for part in np.split(values, np.cumsum(counts)[:-1])]


def varints(
    buffer: np.ndarray, starts: np.ndarray, lengths: np.ndarray, ends: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the int64 of packed protobuf varints in parts of a buffer, given where in it are bytes below 128.

    Returns: all of them, and how many each part has.

    Raises:
        FormatError: where a part ends within a number, or a number has more than ten bytes.
    """
    stops = starts + lengths
    first_end = np.searchsorted(ends, starts)
    counts = np.searchsorted(ends, stops) - first_end
    if (buffer[stops[lengths > 0] - 1] >= 128).any():
        raise FormatError("a number that is cut off")
    if counts.tobytes() == lengths.tobytes():  # each a byte
        return buffer[spread(starts, lengths)].astype(np.int64), counts
    last = ends[spread(first_end, counts)]
    first = np.empty_like(last)
    np.add(last[:-1], 1, out=first[1:])
    has_some = counts > 0
    first[(np.cumsum(counts) - counts)[has_some]] = starts[has_some]
    sizes = last - first + 1
    longest = int(sizes.max())
    if longest > 10:
        raise FormatError("a number of more than ten bytes")
    if longest <= 4:
        short = windows(buffer, "<u4")[first] & _SEVENS_OF_4[sizes]
        for shift, low, high in zip((1, 2)[: 1 if longest < 3 else 2], _LOW_4, _HIGH_4):
            short = (short & low) | ((short & high) >> np.uint32(shift))
        return short.astype(np.int64), counts
    value = windows(buffer, "<u8")[first] & _SEVENS_OF[np.minimum(sizes, 8)]
    for shift, low, high in zip((1, 2, 4), _LOW, _HIGH):  # groups of 7 bits, of 14, of 28 put together
        value = (value & low) | ((value & high) >> np.uint64(shift))
    for number in range(8, longest):
        longer = np.flatnonzero(sizes > number)
        value[longer] |= buffer[first[longer] + number].astype(np.uint64) % np.uint64(128) << np.uint64(7 * number)
    return value.view(np.int64), counts
