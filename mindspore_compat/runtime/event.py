"""Upstream: ``mindspore.runtime.Event``."""

from __future__ import annotations

import time
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device

__all__ = ["Event"]


class Event:
    """A mark in a stream, made by `record`.

    Args:
        enable_timing: whether `elapsed_time` gives times.
        blocking: whether `synchronize` sleeps instead of spinning.

    Raises:
        TypeError: unless both are bools.

    Examples:
        >>> event = ms.runtime.Event()
        >>> event.record()
        >>> print(event.query())
        True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        for name, value in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(value, bool):
                raise TypeError(f"For 'Event', the '{name}' must be a bool, but got {type(value).__name__}.")
        self._enable_timing, self._blocking = enable_timing, blocking
        self._event: Any = None  # on a device
        self._time: float | None = None  # on a CPU, where what was called is done

    def _stream_of(self, stream: Any, method: str) -> Any:
        """torch's stream of ``stream``, None for the current one."""
        if stream is None:
            return None
        if not hasattr(stream, "device_stream"):
            raise TypeError(f"For '{method}', the argument 'stream' should be Stream, but got {type(stream)}.")
        return stream._stream

    def record(self, stream: Any = None) -> None:
        """Mark what is in ``stream`` (None: the current one) by now."""
        where = self._stream_of(stream, "record")
        if current_device().type == "cpu":
            self._time = time.perf_counter()
            return
        if self._event is None:
            self._event = torch.cuda.Event(enable_timing=self._enable_timing, blocking=self._blocking)
        self._event.record(where)

    def wait(self, stream: Any = None) -> None:
        """Let what comes into ``stream`` (None: the current one) wait for what was marked."""
        where = self._stream_of(stream, "wait")
        if self._event is not None:
            self._event.wait(where)

    def synchronize(self) -> None:
        """Wait for what was marked."""
        if self._event is not None:
            self._event.synchronize()

    def query(self) -> bool:
        """Whether all that was marked is done."""
        return self._event is None or self._event.query()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to that of ``end_event``. On a CPU 0.0 unless both have ``enable_timing``.

        Raises:
            TypeError: if ``end_event`` is no Event. RuntimeError: on a device, without ``enable_timing`` or marks.
        """
        if not isinstance(end_event, Event):
            raise TypeError(f"For 'elapsed_time', the argument 'end_event' should be Event, but got {type(end_event)}.")
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
