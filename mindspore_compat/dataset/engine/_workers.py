"""Running a function over a stream of tasks, in order: in the thread that iterates, or in others (`_processes.py`: in processes)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.randomness import Key, seeded

__all__ = ["Executor", "Function", "SerialExecutor", "Task", "ThreadExecutor", "run", "tasks_ahead"]

#: What is random about the task, and what it works on.
Task = tuple[Key, Any]
Function = Callable[[Any], Any]


class Executor(Protocol):
    """One per pipeline node and iterator; `map` is called once an epoch."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]: ...

    def close(self) -> None: ...


def run(function: Function, task: Task) -> Any:
    """One task, with random operations drawing from its generator."""
    key, work = task
    with seeded(key):
        return function(work)


def tasks_ahead(num_workers: int) -> int:
    """How many tasks are begun before the first result is asked for; so many results wait at most, however slow the reader is."""
    return min(2 * num_workers, config.get_prefetch_size())


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
    """For operations that release Python's lock, and to be ahead of the reader."""

    def __init__(self, function: Function, num_workers: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._function = function
        self._ahead = tasks_ahead(num_workers)
        self._pool = ThreadPoolExecutor(num_workers, thread_name_prefix="dataset")

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        pending: deque[Any] = deque()
        try:
            for task in tasks:
                pending.append(self._pool.submit(run, self._function, task))
                if len(pending) >= self._ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def close(self) -> None:
        """Wait for the tasks that run; those that wait are dropped."""
        # an iterator may be collected as garbage in one of its own threads, which can not wait for itself
        is_own = threading.current_thread().name.startswith("dataset")
        self._pool.shutdown(wait=not is_own, cancel_futures=True)
