"""Emulation of MindSpore's workers ("lanes") for a node with random rows. A row's place alone decides its lane and its
random numbers; the number of threads here does not matter.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.memory import empty
from mindspore_compat.dataset.core.randomness import Streams, narrowed

#: Which of a task's rows.
Rows = slice | np.ndarray


class Lanes:
    """Lanes of one node, for the life of an iterator. The rows of a pass go to the lanes in turns, and so does the mark
    at its end: the next pass begins with the lane after that. With `restarts` each pass begins with the first.
    """

    def __init__(self, count: int, restarts: bool, make_streams: Callable[[int], Streams]) -> None:
        self.count = count
        self._restarts, self._make_streams = restarts, make_streams
        self._streams: dict[int, Streams] = {}
        self._place = 0
        self._lengths: deque[float] = deque()

    def streams(self, lane: int) -> Streams:
        """Return the random streams of a lane."""
        if lane not in self._streams:
            self._streams[lane] = self._make_streams(lane)
        return self._streams[lane]

    def expect(self, rows: float) -> None:
        """Announce a pass of `rows` rows, after the passes known so far."""
        self._lengths.append(rows)

    def finish(self) -> None:
        """End the expected passes."""
        while self._lengths:
            self._end_pass()

    def _end_pass(self) -> None:
        self._lengths.popleft()
        self._place = 0 if self._restarts else self._place + 1

    def next_rows(self, count: int) -> list[tuple[int, int]]:
        """Return the next rows: (lane of the first, number of rows in this pass) for each pass that has some."""
        found = []
        while count:
            if not self._lengths:
                self._lengths.append(math.inf)
            rows = int(min(count, self._lengths[0]))
            if rows:
                found.append((self._place % self.count, rows))
            self._place += rows
            self._lengths[0] -= rows
            count -= rows
            if not self._lengths[0]:
                self._end_pass()
        return found


class RoundRobin:
    """Order of tasks in the lanes of one node, during one pass of the node above. A task waits, lane by lane, for those
    before it, so that threads work on several tasks at once.
    """

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes
        self._given = [0] * lanes.count
        self._done = [0] * lanes.count
        self._changed = threading.Condition()
        self._is_open = False

    def ticket(self, count: int) -> WorkerTask:
        """Return the ticket for the next `count` rows; tasks call this in order."""
        parts = []
        for lane, rows in _by_lane(self.lanes.next_rows(count), self.lanes.count):
            parts.append((lane, rows, self._given[lane]))
            self._given[lane] += 1
        return WorkerTask(self, count, parts)

    def open(self) -> None:
        """Release all waiting tasks after a failure: the reader stops here."""
        with self._changed:
            self._is_open = True
            self._changed.notify_all()

    def turn(self, lane: int, number: int, function: Callable[[], Any]) -> Any:
        """Return ``function()`` when it is this task's turn in the lane, with the lane's random streams."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_open or self._done[lane] == number)
        try:
            with narrowed(lane, self.lanes.streams(lane)):
                return function()
        finally:
            with self._changed:
                self._done[lane] += 1
                self._changed.notify_all()


class WorkerTask:
    """The lanes of a task's rows, and its turn in each."""

    def __init__(self, turns: RoundRobin, count: int, parts: list[tuple[int, Rows, int]]) -> None:
        self._turns, self._count = turns, count
        self.parts = parts

    def through(self, function: Callable[[Any], Any], row: Any) -> Any:
        """Return ``function(row)`` of the one row."""
        lane, _, number = self.parts[0]
        return self._turns.turn(lane, number, lambda: function(row))

    def give_up(self) -> None:
        """Release all waiting tasks: this ticket's task failed. See `RoundRobin.open`."""
        self._turns.open()

    def columns_through(self, function: Callable[[list[Any]], list[Any]], columns: Sequence[Any]) -> list[Any]:
        """Return `function` of the columns, lane by lane. Raises: the exception of the first row that fails."""
        done, failures = [], []
        for lane, rows, number in self.parts:
            some = [some_rows(column, rows) for column in columns]
            try:
                done.append(self._turns.turn(lane, number, partial(function, some)))
            except Exception as error:
                error.row = int(np.arange(self._count)[rows][getattr(error, "row", 0)])  # type: ignore[attr-defined]
                failures.append(error)
        if failures:
            raise min(failures, key=lambda error: error.row)  # type: ignore[attr-defined]
        return self.together(done)

    def together(self, parts: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the columns, joined from `parts`, which holds those of each lane."""
        if len(parts) == 1:
            return list(parts[0])
        counts = {len(part) for part in parts}
        if len(counts) > 1:
            raise RuntimeError(f"The function of a map operation returned {sorted(counts)} columns, by row.")
        return [self._column(column) for column in zip(*parts, strict=True)]

    def _column(self, parts: Sequence[Any]) -> Any:
        kinds = {(part.shape[1:], part.dtype) if isinstance(part, np.ndarray) else None for part in parts}
        if None not in kinds and len(kinds) == 1:
            block = empty((self._count, *parts[0].shape[1:]), parts[0].dtype)
            for (_, rows, _), part in zip(self.parts, parts, strict=True):
                block[rows] = part
            return block
        column: list[Any] = [None] * self._count
        for (_, rows, _), part in zip(self.parts, parts, strict=True):
            for place, value in zip(np.arange(self._count)[rows].tolist(), part, strict=True):
                column[place] = value
        return column


class InLanes:
    """Adapter from a function of a row to one of the row and its ticket."""

    is_split = True

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.in_process = function

    def __call__(self, work: tuple[WorkerTask, Any]) -> Any:
        ticket, row = work
        return ticket.through(self.in_process, row)

    def split(self, work: tuple[WorkerTask, Any]) -> list[tuple[int, Any]]:
        """Return (process, its work): without the ticket, as the process has one lane only."""
        ticket, row = work
        return [(ticket.parts[0][0], row)]

    def join(self, work: tuple[WorkerTask, Any], results: list[Any]) -> Any:
        """Return the process's result."""
        return results[0]


def some_rows(column: Any, rows: Rows) -> Any:
    """Return some rows of a column."""
    if isinstance(rows, slice) or isinstance(column, np.ndarray):
        return column[rows]
    return [column[place] for place in rows]


def _by_lane(pieces: list[tuple[int, int]], count: int) -> Iterator[tuple[int, Rows]]:
    """Yield (lane, its rows) of rows that go to `count` lanes in turns; `pieces`: (first lane, number of rows)."""
    if not pieces:
        return
    if len(pieces) == 1:
        ((first, rows),) = pieces
        if count == 1:
            yield 0, slice(None)
            return
        for place in range(min(count, rows)):
            yield (first + place) % count, slice(place, None, count)
        return
    lanes = np.concatenate([np.arange(first, first + rows) % count for first, rows in pieces])
    for lane in dict.fromkeys(lanes.tolist()):
        yield lane, np.flatnonzero(lanes == lane)
