"""Running a function over a stream of tasks, in order: in this process, in threads or in DataLoader workers."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.randomness import Key, seeded

__all__ = ["Executor", "ProcessExecutor", "SerialExecutor", "Task", "ThreadExecutor"]

#: What is random about the task, and what it works on.
Task = tuple[Key, Any]
Function = Callable[[Any], Any]

#: Below this size an array travels faster through the pipe than through a shared memory segment.
_SHARE_FROM_BYTES = 1 << 14


class Executor(Protocol):
    """One per pipeline node and iterator; `map` is called once an epoch."""

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]: ...

    def close(self) -> None: ...


def _run(function: Function, task: Task) -> Any:
    key, work = task
    with seeded(key):
        return function(work)


class SerialExecutor:
    """Each task runs when its result is asked for."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        for task in tasks:
            yield _run(self._function, task)

    def close(self) -> None:
        """Nothing to release."""


class ThreadExecutor:
    """For operations that release the GIL, such as decoding images."""

    def __init__(self, function: Function, num_workers: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._function = function
        self._ahead = 2 * num_workers
        self._pool = ThreadPoolExecutor(num_workers, thread_name_prefix="dataset")

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        pending: deque[Any] = deque()
        try:
            for task in tasks:
                pending.append(self._pool.submit(_run, self._function, task))
                if len(pending) >= self._ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def close(self) -> None:
        """Wait for the tasks that run; those that wait are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Tasks:
    """The sampler of the DataLoader: hands out the tasks of the current epoch."""

    def __init__(self) -> None:
        self.current: Iterable[Task] = ()

    def __iter__(self) -> Iterator[Task]:
        return iter(self.current)


class _WorkerSide:
    """The dataset of the DataLoader: lives in the worker process."""

    def __init__(self, function: Function, share: bool) -> None:
        self._function = function
        self._share = share

    def __getitem__(self, task: Task) -> Any:
        # User functions draw from these two; seeded per task, the result does not depend on the number of workers.
        seed = int(np.random.SeedSequence(task[0]).generate_state(1)[0])
        random.seed(seed)
        np.random.seed(seed)
        result = _run(self._function, task)
        return _map_arrays(result, _to_shared) if self._share else result


def _map_arrays(value: Any, convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_map_arrays(v, convert) for v in value)
    if isinstance(value, dict):
        return {k: _map_arrays(v, convert) for k, v in value.items()}
    return convert(value)


def _to_shared(value: Any) -> Any:
    import torch

    if isinstance(value, np.ndarray) and value.nbytes >= _SHARE_FROM_BYTES and value.dtype.kind in "biuf":
        return torch.from_numpy(np.require(value, requirements=["C", "W"]))
    return value


def _from_shared(value: Any) -> Any:
    return value.numpy() if hasattr(value, "detach") else value


def _identity(value: Any) -> Any:
    return value


class ProcessExecutor:
    """For Python functions: worker processes that live as long as the iterator, over all its epochs. They never touch
    CUDA.
    """

    def __init__(self, function: Function, num_workers: int, seed: int) -> None:
        import torch
        from torch.utils.data import DataLoader

        self._tasks = _Tasks()
        prefetch = max(1, min(config.get_prefetch_size(), 16) // num_workers)
        self._loader: DataLoader | None = DataLoader(
            _WorkerSide(function, config.get_enable_shared_mem()),  # type: ignore[arg-type]
            batch_size=None,
            sampler=self._tasks,  # type: ignore[arg-type]
            num_workers=num_workers,
            collate_fn=_identity,
            prefetch_factor=max(2, prefetch),
            persistent_workers=True,
            multiprocessing_context=config.get_multiprocessing_start_method(),
            # Its own generator: the worker seeds must not be drawn from the user's torch generator.
            generator=torch.Generator().manual_seed(seed),
        )

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        if self._loader is None:
            raise RuntimeError("The worker processes of this iterator were stopped.")
        self._tasks.current = tasks
        for result in self._loader:
            yield _map_arrays(result, _from_shared)

    def close(self) -> None:
        """Stop the workers."""
        loader, self._loader = self._loader, None
        iterator = getattr(loader, "_iterator", None)
        if iterator is not None:
            iterator._shutdown_workers()
