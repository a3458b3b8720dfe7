"""Events in streams. MindSpore: ``mindspore.runtime.Event``."""

from __future__ import annotations

import time
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device

__all__ = ["Event"]


class Event:
    """A mark in a stream, set by `record`.

    Args:
        enable_timing: whether `elapsed_time` gives times.
        blocking: whether `synchronize` sleeps instead of spinning.

    Examples:
        >>> event = ms.runtime.Event()
        >>> event.record()
        >>> print(event.query())
        True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self._enable_timing, self._blocking = enable_timing, blocking
        self._event: Any = None  # on a device
        self._time: float | None = None  # on a CPU, where calls are synchronous

    def record(self, stream: Any = None) -> None:
        """Mark the present end of ``stream`` (None: the current one)."""
        where = None if stream is None else stream._stream
        if current_device().type == "cpu":
            self._time = time.perf_counter()
            return
        if self._event is None:
            self._event = torch.cuda.Event(enable_timing=self._enable_timing, blocking=self._blocking)
        self._event.record(where)

    def wait(self, stream: Any = None) -> None:
        """Let later work of ``stream`` (None: the current one) wait for the mark."""
        where = None if stream is None else stream._stream
        if self._event is not None:
            self._event.wait(where)

    def synchronize(self) -> None:
        """Wait for the mark."""
        if self._event is not None:
            self._event.synchronize()

    def query(self) -> bool:
        """Return whether all work before the mark is done."""
        return self._event is None or self._event.query()

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds from this mark to ``end_event``'s. On a CPU 0.0 unless both have ``enable_timing``.

        Raises:
            RuntimeError: on a device, without ``enable_timing`` or marks.
        """
        if self._event is not None and end_event._event is not None:
            return self._event.elapsed_time(end_event._event)
        if self._event is not None or end_event._event is not None:
            raise RuntimeError("For 'elapsed_time', both events must be recorded on the device.")
        if self._time is None or end_event._time is None or not (self._enable_timing and end_event._enable_timing):
            return 0.0
        return 1e3 * (end_event._time - self._time)

    def __repr__(self) -> str:
        created = self._event is not None or self._time is not None
        pointer = 0 if self._event is None else self._event.cuda_event
        return (
            f"Event(enable_timing={int(self._enable_timing)}, blocking:{int(self._blocking)}, "
            f"is_created:{int(created)}, event:{pointer})"
        )
