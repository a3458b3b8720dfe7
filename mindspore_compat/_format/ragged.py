"""Many records at once: read into one buffer, and numbers of all their lengths taken out of it without a loop over rows."""
from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from mindspore_compat._format.wire import FormatError

__all__ = ["gather", "numbers_at", "spread", "split", "varints", "windows"]

_MARGIN = 8  # bytes behind the last record, for numbers are loaded whole
_SEVENS_OF = np.array([0x7F7F7F7F7F7F7F7F & (1 << 8 * n) - 1 for n in range(9)], np.uint64)
_LOW = [np.uint64(0x007F007F007F007F), np.uint64(0x00003FFF00003FFF), np.uint64(0x000000000FFFFFFF)]
_HIGH = [np.uint64(0x7F007F007F007F00), np.uint64(0x3FFF00003FFF0000), np.uint64(0x0FFFFFFF00000000)]


def gather(handles: Sequence[int], files: np.ndarray, offsets: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records of open files in one buffer. Returns: the buffer, where each starts in it, and where it stops.

    Raises:
        FormatError: where a file ends before its record.
    """
    stops = np.cumsum(lengths)
    starts = stops - lengths
    buffer = np.empty(int(stops[-1]) + _MARGIN, np.uint8)
    buffer[-_MARGIN:] = 0
    view = memoryview(buffer.data)
    preadv = os.preadv
    for file, offset, start, stop in zip(files.tolist(), offsets.tolist(), starts.tolist(), stops.tolist(), strict=True):
        if preadv(handles[file], [view[start:stop]], offset) != stop - start:
            raise FormatError(f"cut off: no {stop - start} bytes at byte {offset}")
    return buffer, starts, stops


def windows(buffer: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers that start at each byte of a buffer of bytes."""
    size = np.dtype(dtype).itemsize
    return np.ndarray((len(buffer) - size + 1,), dtype, buffer, strides=(1,))


def spread(starts: np.ndarray, counts: np.ndarray, step: int = 1) -> np.ndarray:
    """``starts[i], starts[i] + step, ...``, ``counts[i]`` of them, for all i one after another."""
    ends = np.cumsum(counts)
    return np.repeat(starts - (ends - counts) * step, counts) + np.arange(int(ends[-1]) if len(ends) else 0) * step


def numbers_at(buffer: np.ndarray, starts: np.ndarray, counts: np.ndarray, dtype: str) -> np.ndarray:
    """``counts[i]`` numbers from each start on, of all rows one after another."""
    return windows(buffer, dtype)[spread(starts, counts, np.dtype(dtype).itemsize)]


def split(values: np.ndarray, counts: np.ndarray) -> np.ndarray | list[np.ndarray]:
    """Values of rows one after another as a block (rows, ...) if all rows have as many, else as a list of rows."""
    if len(counts) and (counts == counts[0]).all():
        return values.reshape(len(counts), int(counts[0]))
    return [part.copy() for part in np.split(values, np.cumsum(counts)[:-1])]


def varints(buffer: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The int64 of packed protobuf varints in parts of a buffer. Returns: all of them, and how many each part has.

    Raises:
        FormatError: where a part ends within a number, or a number has more than ten bytes.
    """
    places = spread(starts, lengths)
    data = buffer[places]
    ends = np.flatnonzero(data < 128)
    if len(ends) == len(data):  # each a byte
        return data.astype(np.int64), lengths
    stops = np.cumsum(lengths)
    if (data[stops[lengths > 0] - 1] >= 128).any():
        raise FormatError("a number that is cut off")
    sizes = np.empty_like(ends)
    sizes[0] = ends[0] + 1
    np.subtract(ends[1:], ends[:-1], out=sizes[1:])
    longest = int(sizes.max())
    if longest > 10:
        raise FormatError("a number of more than ten bytes")
    first = places[ends - sizes + 1]
    value = windows(buffer, "<u8")[first] & _SEVENS_OF[np.minimum(sizes, 8)]
    steps = 1 if longest < 3 else 2 if longest < 5 else 3
    for shift, low, high in zip((1, 2, 4)[:steps], _LOW, _HIGH):  # groups of 7 bits, of 14, of 28 put together
        value = (value & low) | ((value & high) >> np.uint64(shift))
    for number in range(8, longest):
        longer = np.flatnonzero(sizes > number)
        value[longer] |= buffer[first[longer] + number].astype(np.uint64) % np.uint64(128) << np.uint64(7 * number)
    counts = np.searchsorted(ends, stops)
    counts[1:] -= counts[:-1].copy()
    return value.view(np.int64), counts
