"""The background writer of a recorder: a thread that makes histograms and pictures, encodes and writes.

Records go through a queue; at about `_MOST_BYTES` or `_MOST_RECORDS` waiting ones, `submit` blocks until they are
written. `flush` and `close` return when everything is with the system, so a killed process loses no flushed data.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np

from mindspore_compat._format.events import MINDSPORE_VALUES, Values, event, make_histogram, make_picture, summary_event
from mindspore_compat._format.proto.summary import Summary
from mindspore_compat.log import logger
from mindspore_compat.train.summary._tensorboard import EventFile, FileIsFull, TensorBoardFile

_MOST_RECORDS = 4096
_MOST_BYTES = 1 << 28
#: plugin -> key of its field in LineageEvent
LINEAGE_KEYS = {
    "train_lineage": b"\x32",
    "eval_lineage": b"\x3a",
    "dataset_graph": b"\x4a",
    "custom_lineage_data": b"\x52",
}
_VERSION = (b"\x1a", b"MindSpore.Event:1")
_SPARE_BYTES, _SPARE_KINDS, _SPARE_OF_A_KIND = 1 << 20, 64, 2
_READ_ONLY = 0o400
_IDLE = 1.0  # seconds without a record until a flush
_GATHER = 0.01  # waking up for every record would take the GIL from the training each time

Groups = list[tuple[str, list[tuple[str, Any]]]]


class RecordWriter:
    """Writer of one recorder's files.

    Args:
        summary, lineage: paths of MindSpore's files.
        export: folder for exported tensors, or None.
        limit: max_file_size of each of MindSpore's files.
        tensorboard: folder of the TensorBoard file, or None.
    """

    def __init__(
        self, summary: str, lineage: str, export: str | None, limit: int | None, tensorboard: str | None
    ) -> None:
        self.summary_file = EventFile(summary, _VERSION, _READ_ONLY, limit)
        self._summary: EventFile | None = self.summary_file
        self._lineage: EventFile | None = EventFile(lineage, None, _READ_ONLY, limit)
        self._export = export
        self._tensorboard = TensorBoardFile(tensorboard) if tensorboard is not None else None
        self._queue: queue.SimpleQueue[tuple[Callable[..., None], tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._hurry = threading.Event()
        self._errors: list[Exception] = []
        self._records = self._bytes = 0
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._spare: dict[tuple[tuple[int, ...], np.dtype], list[np.ndarray]] = {}

    def room(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return an array for a value to record, reusing a written one if possible. Freeing arrays in this thread seems
        to let the C library release the end of the heap. The training's next steps then request it again page by page.
        """
        try:
            return self._spare[shape, dtype].pop()
        except (KeyError, IndexError):
            return np.empty(shape, dtype)

    def _keep_room(self, array: np.ndarray) -> None:
        if array.nbytes <= _SPARE_BYTES:
            if len(self._spare) > _SPARE_KINDS:
                self._spare.clear()
            rooms = self._spare.setdefault((array.shape, array.dtype), [])
            if len(rooms) < _SPARE_OF_A_KIND:
                rooms.append(array)

    def submit(self, groups: Groups, step: int, wall_time: float, size: int) -> None:
        """Queue the values of a step for writing; ``size`` is their approximate number of bytes."""
        self.call(self._write, groups, step, wall_time, size=size)

    def call(self, function: Callable[..., None], *arguments: Any, size: int = 0) -> None:
        """Queue ``function(*arguments)`` for the thread; ``size`` bytes wait with it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="mindspore_compat summary writer", daemon=True)
            self._thread.start()
        self._records += 1
        self._bytes += size
        self._queue.put((function, arguments))
        if self._records >= _MOST_RECORDS or self._bytes >= _MOST_BYTES:
            self._wait()

    def _wait(self) -> None:
        """Wait until the thread has processed everything before."""
        self._records = self._bytes = 0
        if self._thread is None or self._process != os.getpid():  # a forked child has no such thread
            return
        reached = threading.Event()
        self._queue.put((reached.set, ()))
        self._hurry.set()
        reached.wait()
        self._hurry.clear()

    def flush(self, wait: bool = True) -> None:
        """Return when everything is with the system; without ``wait``, queue the flush."""
        if self._thread is not None:
            self._queue.put((self._flush_files, ()))
            if wait:
                self._wait()

    def close(self) -> None:
        """Flush, and end the thread."""
        if self._thread is not None and self._process == os.getpid():
            self._queue.put((self._close_files, ()))
            self._queue.put(None)
            self._hurry.set()
            self._thread.join()
        self._thread = None

    def take_error(self) -> Exception | None:
        """Return the first error that was not taken yet."""
        return self._errors.pop(0) if self._errors else None

    # --- in the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            try:
                job = self._queue.get(timeout=_IDLE)
            except queue.Empty:
                self._flush_files()
                continue
            if job is None:
                return
            function, arguments = job
            self._guard(function, *arguments)
            if self._queue.empty():
                self._hurry.wait(_GATHER)

    def _guard(self, function: Any, *arguments: Any) -> None:
        """Run; an error is logged and kept for `take_error`."""
        try:
            function(*arguments)
        except Exception as error:
            logger.error("summary data was not written: %s: %s", type(error).__name__, error)
            self._errors.append(error)

    def _files(self) -> list[str]:
        return [name for name in ("_summary", "_lineage", "_tensorboard") if getattr(self, name) is not None]

    def _flush_files(self) -> None:
        for name in self._files():
            self._to_file(name, getattr(self, name).flush)

    def _close_files(self) -> None:
        for name in self._files():
            self._guard(getattr(self, name).close)
            setattr(self, name, None)

    def _to_file(self, name: str, function: Any, *arguments: Any) -> None:
        """Run for one of the files; one that is full, or cannot be written, is dropped, and the others continue."""
        try:
            function(*arguments)
        except FileIsFull as error:
            logger.warning("%s", error)
            self._give_up(name)
        except OSError as error:
            logger.error("summary file given up: %s", error)
            self._errors.append(error)
            self._give_up(name)

    def _give_up(self, name: str) -> None:
        self._guard(getattr(self, name).close)
        setattr(self, name, None)

    def _write(self, groups: Groups, step: int, wall_time: float) -> None:
        values: list[tuple[str, str, Any]] = []
        for plugin, items in groups:
            for tag, payload in items:
                if plugin == "graph":
                    self._write_graph(wall_time, payload)
                elif plugin in LINEAGE_KEYS:
                    self._write_lineage(wall_time, plugin, payload)
                else:
                    self._guard(self._make, plugin, tag, payload, step, values)
        if not values:
            return
        if self._summary is not None:
            summary = Summary()
            for kind, tag, value in values:
                MINDSPORE_VALUES[kind](summary.value.add(tag=tag), value)
            self._to_file("_summary", self._summary.write, summary_event(wall_time, step, summary))
        if self._tensorboard is not None:
            self._to_file("_tensorboard", self._tensorboard.record, wall_time, step, values)

    def _make(self, plugin: str, tag: str, payload: Any, step: int, values: list[tuple[str, str, Any]]) -> None:
        """Convert an array to its file value, at the end of ``values``."""
        value = payload
        if plugin == "histogram":
            value = make_histogram(payload, reuse=True)  # our own copy
            self._keep_room(payload)
        elif plugin == "image":
            value = make_picture(payload)
            self._keep_room(payload)
            if value is None:
                logger.error(
                    "the image %r of shape %s is not written: it must be NCHW with C 1 or 3, and not empty.",
                    tag,
                    payload.shape,
                )
                return
        elif plugin == "tensor":
            array, data_type, export = payload
            if export:
                self._export_npy(tag, step, array)
            with np.errstate(over="ignore"):
                value = Values(array.shape, data_type, array.astype("<f4"))
        values.append((plugin, tag, value))

    def _write_graph(self, wall_time: float, graph: bytes) -> None:
        if self._summary is not None:
            self._to_file("_summary", self._summary.write, event(wall_time, b"\x22", graph))
        if self._tensorboard is not None:
            self._guard(self._to_file, "_tensorboard", self._tensorboard.graph, wall_time, graph)

    def _write_lineage(self, wall_time: float, plugin: str, body: bytes) -> None:
        if self._lineage is not None:
            self._to_file("_lineage", self._lineage.write, event(wall_time, LINEAGE_KEYS[plugin], body))
        if self._tensorboard is not None:
            self._guard(self._to_file, "_tensorboard", self._tensorboard.lineage, wall_time, plugin, body)

    def _export_npy(self, tag: str, step: int, array: np.ndarray) -> None:
        assert self._export is not None
        folder = os.path.join(self._export, "tensor")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{quote(tag, safe='')}_{step}.npy")
        if os.path.exists(path):
            os.unlink(path)  # it is read-only
        np.save(path, array)
        os.chmod(path, _READ_ONLY)
