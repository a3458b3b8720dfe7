"""Execution of a function over a stream of tasks, in order: in the iterating thread, or in others (`processes.py`: in
processes).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.randomness import Key, seeded

#: The task's random key, and its work.
Task = tuple[Key, Any]
Function = Callable[[Any], Any]
_WAITING = 1 << 25


class Executor(Protocol):
    """Executor of one pipeline node and iterator; `map` is called once an epoch."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]: ...

    def close(self) -> None: ...


def run(function: Function, task: Task) -> Any:
    """Run one task, with random operations drawing from its generator."""
    key, work = task
    with seeded(key):
        return function(work)


class Ahead:
    """Number of tasks that may run ahead of the reader, which bounds the waiting results.

    Two a worker; of small results more, up to `prefetch_size` or `_WAITING` bytes: then a late reader finds finished
    work.
    """

    def __init__(self, num_workers: int) -> None:
        self._least, self._most = 2 * num_workers, config.get_prefetch_size()
        self.limit = min(self._least, self._most)

    def learn(self, result: Any) -> Any:
        """Set the limit by the size of a result; return the result."""
        self.limit = min(max(self._least, _WAITING // max(_size(result), 1)), self._most)
        return result


def _size(result: Any) -> int:
    """Return the approximate bytes of the arrays of a result."""
    if isinstance(result, (tuple, list)):
        if len(result) > 8:  # rows of a column
            return len(result) * _size(result[0])
        return sum(map(_size, result))
    return int(getattr(result, "nbytes", 64))


class SerialExecutor:
    """Executor that runs each task when its result is read."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        for task in tasks:
            yield run(self._function, task)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class ThreadExecutor:
    """Executor for operations that release the GIL, and for reading ahead. Threads live for one epoch."""

    def __init__(self, function: Function, num_workers: int) -> None:
        self._function, self._num_workers = function, num_workers
        self._ahead = Ahead(num_workers)

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(self._num_workers, thread_name_prefix="dataset")
        pending: deque[Any] = deque()
        try:
            for task in tasks:
                pending.append(pool.submit(run, self._function, task))
                while len(pending) >= self._ahead.limit:
                    yield self._ahead.learn(pending.popleft().result())
            while pending:
                yield pending.popleft().result()
        finally:
            # wait for running tasks, but not from inside one: an iterator may be collected as garbage in one of
            # its threads
            pool.shutdown(wait=not threading.current_thread().name.startswith("dataset"), cancel_futures=True)

    def close(self) -> None:
        """Do nothing: the end of an epoch's iterator, or its deletion, releases everything."""
