"""Execution of a function over a stream of tasks, in order: in the iterating thread, in others, or in processes.

Worker processes are for Python functions: they live as long as the iterator, over all its epochs, and never touch CUDA.
Each has a pipe of its own; tasks go to them in turns, results come back in the order of the tasks. Large arrays lie in
shared memory (anonymous files, `memfd_create`, passed through the pipe). A worker makes the batch in it, the reader
gets views, and the worker reuses it when the last view is gone. The files have no names, so a killed process leaves
nothing behind.
"""

from __future__ import annotations

import mmap
import os
import queue
import random
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection, current_process, get_context, reduction
from typing import Any, Protocol

import numpy as np

from mindspore_compat.dataset.core import config, memory
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


#: Smaller arrays travel faster through the pipe.
_SHARE_FROM_BYTES = 1 << 14
_CHECK_PARENT = 5.0  # seconds


class _Segment:
    """Memory shared by two processes; `address` is its address in this one."""

    def __init__(self, handle: int, size: int) -> None:
        self.size = size
        self._map = mmap.mmap(handle, size)
        self.bytes = np.frombuffer(self._map, np.uint8)
        self.address = self.bytes.__array_interface__["data"][0]

    def array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        count = int(np.prod(shape, dtype=np.int64))
        return self.bytes[: count * dtype.itemsize].view(dtype).reshape(shape)


class _Sent:
    """Placeholder of an array: its position in shared memory."""

    def __init__(self, number: int, shape: tuple[int, ...], dtype: str) -> None:
        self.number, self.shape, self.dtype = number, shape, dtype


def _map_arrays(value: Any, convert: Callable[[Any], Any]) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_map_arrays(v, convert) for v in value)
    if isinstance(value, dict):
        return {k: _map_arrays(v, convert) for k, v in value.items()}
    return convert(value)


# --- in the worker ----------------------------------------------------------------------------------------------------


class _Shelf:
    """The worker's segments: free ones, and those of the current result."""

    def __init__(self, pipe: connection.Connection) -> None:
        self._pipe = pipe
        self._segments: dict[int, _Segment] = {}
        self._free: list[int] = []
        self._by_address: dict[int, int] = {}
        self._made = 0
        self.new: list[tuple[int, int, int]] = []
        self.dropped: list[int] = []

    def put_back(self, numbers: Iterable[int]) -> None:
        self._free.extend(numbers)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if size < _SHARE_FROM_BYTES or dtype.kind not in "biufc":
            return np.empty(shape, dtype)
        fitting = [number for number in self._free if size <= self._segments[number].size <= 4 * size]
        number = min(fitting, key=lambda each: self._segments[each].size) if fitting else self._make(size)
        if fitting:
            self._free.remove(number)
        segment = self._segments[number]
        self._by_address[segment.address] = number
        return segment.array(shape, dtype)

    def _make(self, size: int) -> int:
        for number in self._free:  # of other sizes than what comes now
            self._by_address.pop(self._segments.pop(number).address, None)
        self.dropped.extend(self._free)
        self._free.clear()
        size = -(-size * 9 // 8 // mmap.PAGESIZE) * mmap.PAGESIZE  # some more, for batches of nearly one size
        handle = os.memfd_create("dataset", os.MFD_CLOEXEC)
        os.ftruncate(handle, size)
        self._made += 1
        self._segments[self._made] = _Segment(handle, size)
        self.new.append((self._made, handle, size))
        return self._made

    def send(self, result: Any) -> None:
        """Send a result; large arrays stay in shared memory, or are copied there."""
        used: set[int] = set()

        def shared(value: Any) -> Any:
            if not isinstance(value, np.ndarray) or value.nbytes < _SHARE_FROM_BYTES or value.dtype.kind not in "biufc":
                return value
            number = self._by_address.get(value.__array_interface__["data"][0])
            if number is None or number in used or not value.flags.c_contiguous:
                place = self.empty(value.shape, value.dtype)
                place[...] = value
                number = self._by_address[place.__array_interface__["data"][0]]
            used.add(number)
            return _Sent(number, value.shape, value.dtype.str)

        message = _map_arrays(result, shared)
        self._pipe.send((True, message, [(number, size) for number, _, size in self.new], self.dropped))
        for _, handle, _ in self.new:
            reduction.send_handle(self._pipe, handle, os.getppid())
            os.close(handle)
        self._free.extend(number for number in self._by_address.values() if number not in used)
        self._by_address.clear()
        self.new, self.dropped = [], []


def _worker_main(
    pipe: connection.Connection,
    others: list[connection.Connection],
    function: Function,
    shares: bool,
    parent: int,
    seed: int | None,
    draws_on: bool,
) -> None:
    for other in others:  # copied by the fork: workers that were started before would not see the parent's death
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if draws_on:
        current_process()._config["daemon"] = False  # type: ignore[attr-defined]  # it may have workers of its own
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(0)  # its threads did not come along
    shelf = _Shelf(pipe) if shares else None
    if shelf is not None and not draws_on:  # threads of its own would lay things there, too
        memory.set_maker(shelf.empty)
    if seed is not None:
        config.set_seed(seed)
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    # in a thread of its own: the parent must be able to send while this process waits for it to take a result
    threading.Thread(target=_receive, args=(pipe, tasks, parent), daemon=True).start()
    while True:
        task, returned = tasks.get()
        if task is None:
            break
        try:
            if shelf is not None:
                shelf.put_back(returned)
            if seed is None and not draws_on:
                _seed(task)
                result = run(function, task)
            else:  # tasks come in their order, and each goes on where the one before stopped, as in MindSpore
                result = function(task[1])
            if shelf is not None:
                shelf.send(result)
            else:
                pipe.send((True, result, [], []))
        except (BrokenPipeError, ConnectionResetError):
            break
        except BaseException as error:
            pipe.send((False, _portable(error), [], []))
    os._exit(0)  # nothing of the parent's that was forked is to be ended here


def _receive(pipe: connection.Connection, tasks: queue.SimpleQueue[Any], parent: int) -> None:
    try:
        while True:
            if pipe.poll(_CHECK_PARENT):
                tasks.put(pipe.recv())
            elif os.getppid() != parent:
                break
    except (EOFError, OSError):
        pass
    os._exit(0)


def _seed(task: Task) -> None:
    """Seed the two generators of user functions per task: the result does not depend on the number of workers."""
    seed = int(np.random.SeedSequence(task[0]).generate_state(1)[0])
    random.seed(seed)
    np.random.seed(seed)


class _Remote(Exception):
    """The traceback of an exception in a worker, as its cause."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _portable(error: BaseException) -> tuple[Any, str]:
    """Return the sendable form of an exception: itself, else its text in a RuntimeError."""
    text = "".join(traceback.format_exception(error))
    try:
        if not isinstance(error, Exception):  # SystemExit and the like are not for the parent
            raise TypeError
        reduction.ForkingPickler.loads(reduction.ForkingPickler.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return error, text


# --- in the process that iterates -------------------------------------------------------------------------------------


class _Lease:
    """The owner of an array in a segment: the worker may reuse the segment when this is deleted."""

    def __init__(self, segment: _Segment, sent: _Sent, number: int, returned: deque[int]) -> None:
        self._segment, self._number, self._returned = segment, number, returned
        self.__array_interface__ = {
            "data": (segment.address, False),
            "shape": sent.shape,
            "typestr": sent.dtype,
            "version": 3,
        }

    def __del__(self) -> None:
        self._returned.append(self._number)


class _Worker:
    def __init__(
        self, function: Function, others: list[_Worker], shares: bool, seed: int | None, draws_on: bool
    ) -> None:
        context: Any = get_context(config.get_multiprocessing_start_method())
        self.pipe, end = context.Pipe()
        ends = [self.pipe, *(other.pipe for other in others)] if context.get_start_method() == "fork" else []
        self.process = context.Process(
            target=_worker_main, args=(end, ends, function, shares, os.getpid(), seed, draws_on), daemon=True
        )
        self.process.start()
        end.close()
        self._segments: dict[int, _Segment] = {}
        self._returned: deque[int] = deque()
        #: results that are still to come
        self.owed = 0

    def send(self, task: Task) -> None:
        free = [self._returned.popleft() for _ in range(len(self._returned))]
        try:
            self.pipe.send((task, free))
        except OSError as error:
            raise self._ended() from error
        self.owed += 1

    def receive(self) -> Any:
        try:
            while not connection.wait([self.pipe, self.process.sentinel]):
                pass
            is_good, result, new, dropped = self.pipe.recv()
            for number in dropped:
                del self._segments[number]
            for number, size in new:
                handle = reduction.recv_handle(self.pipe)
                self._segments[number] = _Segment(handle, size)
                os.close(handle)
        except (EOFError, OSError) as error:
            raise self._ended() from error
        self.owed -= 1
        if not is_good:
            problem, text = result
            raise problem from _Remote(text)
        return _map_arrays(result, self._found)

    def _found(self, value: Any) -> Any:
        if not isinstance(value, _Sent):
            return value
        return np.asarray(_Lease(self._segments[value.number], value, value.number, self._returned))

    def _ended(self) -> RuntimeError:
        self.process.join(timeout=1)
        code = self.process.exitcode
        reason = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        return RuntimeError(
            f"The subprocess of dataset may exit unexpected or be killed: worker process {self.process.pid} {reason}."
        )

    def close(self) -> None:
        self.pipe.close()
        if os.getpid() != self.process._parent_pid:  # type: ignore[attr-defined]  # a fork of the iterating process
            return
        self.process.terminate()
        self.process.join(timeout=2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class Lanewise(Protocol):
    """Function that splits a task by lanes, each run in the process of its number."""

    in_process: Function

    def split(self, work: Any) -> list[tuple[int, Any]]: ...

    def join(self, work: Any, results: list[Any]) -> Any: ...


class ProcessExecutor:
    """Tasks in `num_workers` processes: in turns, or with `lanes` each part in its own process. A process's generators
    begin with `seed` and its number.

    `draws_on`: the tasks are parts of one work and continue the process's generators (which begin with `seed`, if there
    is one), instead of a generator for each task.
    """

    def __init__(
        self,
        function: Function,
        num_workers: int,
        lanes: Lanewise | None = None,
        seed: int | None = None,
        draws_on: bool = False,
    ) -> None:
        self._workers: list[_Worker] = []
        self._lanes = lanes
        self._ahead = Ahead(num_workers)
        shares = config.get_enable_shared_mem() and hasattr(os, "memfd_create")
        try:
            for number in range(num_workers):
                self._workers.append(
                    _Worker(function, self._workers, shares, seed if draws_on else None, draws_on)
                    if lanes is None or seed is None
                    else _Worker(lanes.in_process, self._workers, shares, (seed + number) % 2**32, draws_on)
                )
        except BaseException:
            self.close()
            raise

    def map(self, tasks: Iterable[Task]) -> Iterator[Any]:
        if not self._workers:
            raise RuntimeError("The worker processes of this iterator were stopped.")
        for worker in self._workers:  # of an epoch that was not read to its end
            while worker.owed:
                worker.receive()
        pending: deque[tuple[list[_Worker], Any]] = deque()
        for number, task in enumerate(tasks):
            pending.append((self._send(number, task), task[1]))
            while len(pending) >= self._ahead.limit:
                yield self._ahead.learn(self._receive(*pending.popleft()))
        while pending:
            yield self._receive(*pending.popleft())

    def _send(self, number: int, task: Task) -> list[_Worker]:
        """Send the task; return its workers."""
        if self._lanes is None:
            parts = [(number % len(self._workers), task[1])]
        else:
            parts = self._lanes.split(task[1])
        for place, part in parts:
            self._workers[place].send((task[0], part))
        return [self._workers[place] for place, _ in parts]

    def _receive(self, workers: list[_Worker], work: Any) -> Any:
        if self._lanes is None:
            return workers[0].receive()
        results, failures = [], []
        for worker in workers:
            try:
                results.append(worker.receive())
            except Exception as error:
                failures.append(error)
        if failures:
            raise failures[0]
        return self._lanes.join(work, results)

    def close(self) -> None:
        """Stop the workers."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.close()
