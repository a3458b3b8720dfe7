"""Running a function over a stream of tasks, in order: in the thread that iterates, or in others (`processes.py`: in
processes).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.randomness import Key, seeded

__all__ = ["Ahead", "Executor", "Function", "SerialExecutor", "Task", "ThreadExecutor", "run"]

#: What is random about the task, and what it works on.
Task = tuple[Key, Any]
Function = Callable[[Any], Any]
_WAITING = 1 << 25


class Executor(Protocol):
    """One per pipeline node and iterator; `map` is called once an epoch."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]: ...

    def close(self) -> None: ...


def run(function: Function, task: Task) -> Any:
    """One task, with random operations drawing from its generator."""
    key, work = task
    with seeded(key):
        return function(work)


class Ahead:
    """How many tasks may run ahead of the reader, which bounds the results that wait however slow the
    reader is.

    Two a worker; of small results more, up to `prefetch_size` or `_WAITING` bytes: then a reader that comes late finds
    work done.
    """

    def __init__(self, num_workers: int) -> None:
        self._least, self._most = 2 * num_workers, config.get_prefetch_size()
        self.limit = min(self._least, self._most)

    def learn(self, result: Any) -> Any:
        """Set the limit by the size of a result, which is returned."""
        self.limit = min(max(self._least, _WAITING // max(_size(result), 1)), self._most)
        return result


def _size(result: Any) -> int:
    """Bytes of the arrays of a result, about."""
    if isinstance(result, (tuple, list)):
        if len(result) > 8:  # rows of a column
            return len(result) * _size(result[0])
        return sum(map(_size, result))
    return int(getattr(result, "nbytes", 64))


class SerialExecutor:
    """Each task runs when its result is asked for."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        for task in tasks:
            yield run(self._function, task)

    def close(self) -> None:
        """Nothing to release."""


class ThreadExecutor:
    """For operations that release Python's lock, and to be ahead of the reader. Threads live for one epoch."""

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
            # tasks that run are waited for, but not by themselves: an iterator may be collected as garbage in one of
            # its threads
            pool.shutdown(wait=not threading.current_thread().name.startswith("dataset"), cancel_futures=True)

    def close(self) -> None:
        """Nothing to release: the end of an epoch's iterator, or of the reader's interest in it, has done so."""
