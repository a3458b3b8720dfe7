"""What a running pipeline costs, recorded in the files that MindInsight shows: queues and processor time of each
operation, waiting for each batch, memory. Upstream: the data engine's ``ProfilingManager``.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.errors import failed_pipeline
from mindspore_compat.dataset.engine._execution import usage
from mindspore_compat.dataset.engine._execution.columns import Row

if TYPE_CHECKING:
    from mindspore_compat.dataset.engine._execution.apart import Epochs
    from mindspore_compat.dataset.engine._node import Node
    from mindspore_compat.dataset.engine.iterators import Iterator as PipelineIterator

__all__ = ["Charged", "Manager", "Queue", "forget", "manager", "rows_of", "spent"]

_log = logging.getLogger("mindspore_compat")

#: What records now.
recording: Recording | None = None

_OTHER_NAMES = {
    "Mind": "MindRecord",
    "NumpySlices": "Generator",
    "Padded": "Generator",
    "PaddedBatch": "Batch",
    "TFRecord": "TFReader",
}
#: Operations that upstream runs within the one above: they have no queue.
_INLINE = ("Concat", "EpochCtrl", "Project", "Rename", "Repeat", "Skip", "Take", "Zip")
#: Kinds of lines of the iterator's file.
_PIPELINE_TIME, _PUSH_TIME, _BATCH_TIME = (0, 0), (0, 1), (0, 2)
_QUEUE = 1


class Queue(NamedTuple):
    """Results that wait: at most `length` may, `size` do."""

    length: int
    size: int


class _Sample(NamedTuple):
    time: float
    process: tuple[float, float]
    charged: dict[int, tuple[float, float]]
    queues: dict[int, Queue]
    machine: dict[str, int]
    memory: dict[str, float]
    system_memory: dict[str, float]


class _Operation(NamedTuple):
    key: int  # of the node
    kind: str
    children: list[int]
    workers: int


class _Spent:
    """Charges a node with the time that this thread works, without what is charged to others within."""

    _local = threading.local()

    def __init__(self, record: Recording, node: Node) -> None:
        self._record, self._key = record, id(node)

    def __enter__(self) -> None:
        self._turn(push=True)

    def __exit__(self, *error: object) -> None:
        self._turn(push=False)

    def _turn(self, push: bool) -> None:
        now, local = resource.getrusage(resource.RUSAGE_THREAD), self._local
        stack = local.__dict__.setdefault("stack", [])
        if stack:
            self._record.charge(stack[-1], now.ru_utime - local.mark.ru_utime, now.ru_stime - local.mark.ru_stime)
        stack.append(self._key) if push else stack.pop()
        local.mark = now


class _Nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


_NOTHING = _Nothing()


def spent(node: Node) -> _Spent | _Nothing:
    """Work of `node`, in the thread that does it."""
    return _NOTHING if recording is None else _Spent(recording, node)


class Charged:
    """A function whose work is a node's."""

    def __init__(self, node: Node, function: Callable[[Any], Any]) -> None:
        self._node, self._function = node, function

    def __call__(self, work: Any) -> Any:
        with spent(self._node):
            return self._function(work)


def rows_of(node: Node, rows: Iterator[Row]) -> Iterator[Row]:
    """`rows`, the stream of a node, whose work is charged to it if this is recorded when the stream begins."""
    return rows if recording is None else _charged(recording, node, rows)


def _charged(record: Recording, node: Node, rows: Iterator[Row]) -> Iterator[Row]:
    while True:
        try:
            with _Spent(record, node):
                row = next(rows)
        except StopIteration:
            return
        yield row


class Recording:
    """One pipeline, the first that gives a row; others are left out, with a warning, as upstream."""

    def __init__(self) -> None:
        self._interval = config.get_monitor_sampling_interval()
        self._lock, self._one_sample = threading.Lock(), threading.Lock()
        self._charged: dict[int, list[float]] = {}
        self._processes: dict[int, tuple[float, float]] = {}  # what was charged of workers' time
        self._iterator: ref[PipelineIterator] | None = None
        self._dataset: Node | None = None  # kept, as operations are known by their nodes' ids
        self._operations: list[_Operation] = []
        self._has_warned = False
        self._lines: list[str] = []
        self._batches = 0
        self._samples: list[_Sample] = []
        self.take_sample()
        self._is_over = threading.Event()
        self._sampler = threading.Thread(target=self._sample_often, name="dataset profile", daemon=True)
        self._sampler.start()

    def charge(self, key: int, user: float, system: float) -> None:
        """Seconds of processor time to a node."""
        with self._lock:
            times = self._charged.setdefault(key, [0.0, 0.0])
            times[0] += user
            times[1] += system

    def next_row(self, iterator: PipelineIterator, rows: Iterator[Row]) -> Row:
        """The next of an iterator's rows."""
        if self._iterator is None:
            self._dataset, self._operations = iterator.dataset, _operations_of(iterator)
            self._iterator = ref(iterator)
            self._charge_processes(has_begun=True)
        elif self._iterator() is not iterator:
            if not self._has_warned:
                _log.warning("Dataset Profiling is already enabled for a different data pipeline.")
                self._has_warned = True
            return next(rows)
        begin = time.monotonic()
        try:
            row = next(rows)
        except StopIteration:
            self.take_sample()  # workers may end now
            raise
        end = time.monotonic()
        self._batches += 1
        took, at = round((end - begin) * 1000), round(end * 1000)
        queue = self._queues().get(self._operations[0].key, Queue(0, 0))
        for kind, part, value in ((*_PUSH_TIME, 0), (*_BATCH_TIME, took), (*_PIPELINE_TIME, took)):
            self._lines.append(f"{kind} {part} {self._batches} {value} {at}\n")
        self._lines.append(f"{_QUEUE} {queue.length} {self._batches} {queue.size} {at}\n")
        return row

    def end(self) -> None:
        """No more is recorded."""
        self._is_over.set()
        self._sampler.join()
        self.take_sample()

    def save(self, folder: str, rank: str) -> None:
        """Three files; none if no pipeline ran."""
        if not self._operations:
            return
        write_atomically(f"{folder}/dataset_iterator_profiling_{rank}.txt", [line.encode() for line in self._lines])
        for name, value in (("pipeline_profiling", self._pipeline()), ("minddata_cpu_utilization", self._processors())):
            write_atomically(f"{folder}/{name}_{rank}.json", [json.dumps(value).encode()])

    # ---- sampling

    def _epochs(self) -> Epochs | None:
        iterator = self._iterator() if self._iterator is not None else None
        return None if iterator is None else iterator._epochs

    def _queues(self) -> dict[int, Queue]:
        epochs = self._epochs()
        return {} if epochs is None else epochs.queues()

    def _charge_processes(self, has_begun: bool = False) -> None:
        """Worker processes' time since the last call to the nodes that they work for; `has_begun`: what they did up to
        now is not counted.
        """
        epochs = self._epochs()
        for key, numbers in ({} if epochs is None else epochs.processes()).items():
            for number in numbers:
                times = usage.process_times(number)
                if times is not None:
                    before = self._processes.get(number, (0.0, 0.0))
                    self._processes[number] = times
                    if not has_begun:
                        self.charge(key, times[0] - before[0], times[1] - before[1])

    def take_sample(self) -> None:
        """How things stand now."""
        with self._one_sample:
            self._charge_processes()
            own = resource.getrusage(resource.RUSAGE_SELF)
            with self._lock:
                charged = {key: (times[0], times[1]) for key, times in self._charged.items()}
            sample = _Sample(
                time.monotonic(),
                (own.ru_utime, own.ru_stime),
                charged,
                self._queues(),
                usage.machine(),
                usage.memory(),
                usage.system_memory(),
            )
            self._samples.append(sample)

    def _sample_often(self) -> None:
        while not self._is_over.wait(self._interval / 1000):
            self.take_sample()

    # ---- what is saved

    def _pipeline(self) -> dict[str, Any]:
        queues = [sample.queues for sample in self._samples[1:]]
        rows = []
        for number, operation in enumerate(self._operations):
            found = [each.get(operation.key, Queue(0, 0)) for each in queues]
            queue = {"length": max(each.length for each in found), "size": [each.size for each in found]}
            row: dict[str, Any] = {"children": operation.children} if operation.children else {}
            row["metrics"] = None if operation.kind in _INLINE else {"output_queue": queue}
            rows.append({**row, "num_workers": operation.workers, "op_id": number, "op_type": f"{operation.kind}Op"})
        return {"op_info": rows, "sampling_interval": self._interval}

    def _processors(self) -> dict[str, Any]:
        pairs = list(zip(self._samples, self._samples[1:]))
        cores = os.cpu_count() or 1

        def shares(times: list[tuple[float, float]]) -> dict[str, list[float]]:
            """Percent of all processors' time, between samples."""
            spans = [(b.time - a.time) * cores for a, b in pairs]
            return {
                name: [
                    round(100 * (b[place] - a[place]) / span, 1) if span else 0.0
                    for a, b, span in zip(times, times[1:], spans)
                ]
                for place, name in enumerate(("user_utilization", "sys_utilization"))
            }

        def of_machine(name: str) -> list[float]:
            return [
                round(100 * (b.machine[name] - a.machine[name]) / max(b.machine["all"] - a.machine["all"], 1), 1)
                for a, b in pairs
            ]

        later = self._samples[1:]
        return {
            "cpu_processor_num": cores,
            "device_info": {
                "context_switch_count": [b.machine["switches"] - a.machine["switches"] for a, b in pairs],
                "idle_utilization": of_machine("idle"),
                "io_utilization": of_machine("waiting"),
                "runnable_process": [sample.machine["running"] for sample in later],
                "sys_utilization": of_machine("system"),
                "user_utilization": of_machine("user"),
            },
            "op_info": [
                {"metrics": shares([each.charged.get(operation.key, (0.0, 0.0)) for each in self._samples]), "op_id": n}
                for n, operation in enumerate(self._operations)
            ],
            "process_info": shares([sample.process for sample in self._samples]),
            "process_memory_info": {
                f"{kind}_mbytes": [sample.memory[kind] for sample in later] for kind in ("pss", "rss", "vss")
            },
            "sampling_interval": self._interval,
            "system_memory_info": {
                f"{kind}_sys_memory_mbytes": [sample.system_memory[kind] for sample in later]
                for kind in ("available", "total", "used")
            },
            "time_stamp": [round(sample.time * 1000) for sample in later],
        }


def _operations_of(iterator: PipelineIterator) -> list[_Operation]:
    """The tree of an iterator's pipeline, from its end."""
    operations: list[_Operation] = []

    def add(node: Any, kind: str, below: Iterable[Node], workers: int = 1) -> int:
        number = len(operations)
        operations.append(_Operation(id(node), kind, [], workers))
        operations[number].children.extend(add_node(child) for child in below)
        return number

    def add_node(node: Node) -> int:
        name = type(node).__name__.removesuffix("Dataset").lstrip("_")
        kind = _OTHER_NAMES.get(name, name)
        workers = 1 if kind in (*_INLINE, "Shuffle") else getattr(node, "num_parallel_workers", None) or 1
        return add(node, kind, node.children, workers)

    dataset = iterator.dataset
    if iterator._epochs is not None and iterator._epochs.is_apart:
        add(dataset, "ReceiveBridge", ())
    elif iterator._num_epochs == 1:
        add_node(dataset)
    else:
        add(iterator, "EpochCtrl", (dataset,))
    return operations


class Manager:
    """Begins and ends recordings, one at a time. Upstream: ``_c_dataengine.ProfilingManager``."""

    def __init__(self) -> None:
        self._last: Recording | None = None
        self._has_started = False

    def init(self) -> None:
        """Forget the last recording. Raises: RuntimeError while one runs."""
        if recording is not None:
            raise failed_pipeline("Stop MD Profiler before reinitializing it.")
        self._last, self._has_started = None, False

    def start(self) -> None:
        """Record the first pipeline that gives a row from now on; in debug mode nothing, with a warning.

        Raises:
            RuntimeError: it runs already, or this is not Linux.
        """
        global recording
        if recording is not None:
            raise failed_pipeline("MD ProfilingManager is already running.")
        if not os.path.exists("/proc/self/smaps_rollup"):
            raise failed_pipeline("A data pipeline is profiled by what Linux tells in /proc, which is not there.")
        self._has_started = True
        if config.get_debug_mode():
            _log.warning("Dataset Profiling is not enabled in debug mode.")
        else:
            self._last = recording = Recording()

    def stop(self) -> None:
        """End. Raises: RuntimeError if nothing was started."""
        global recording
        if recording is not None and recording is self._last:
            ended, recording = recording, None
            ended.end()
        elif not self._has_started:
            raise failed_pipeline("MD ProfilingManager has not started yet.")
        else:
            _log.warning("MD ProfilingManager had already stopped.")

    def save(self, folder: str) -> None:
        """Write ``pipeline_profiling_<rank>.json``, ``minddata_cpu_utilization_<rank>.json`` and
        ``dataset_iterator_profiling_<rank>.txt`` of the last recording; nothing if no pipeline ran.

        Raises:
            RuntimeError: the folder is not there.
        """
        if not os.path.isdir(folder):
            raise failed_pipeline(f"Invalid file, can not get realpath of {folder!r}: there is no such folder.")
        if self._last is not None:
            if recording is self._last:
                recording.take_sample()
            self._last.save(folder, os.environ.get("RANK_ID") or "0")


#: The process's own.
manager = Manager()


def forget() -> None:
    """For a process that was forked: what its parent records is not its own."""
    global recording
    recording = None
