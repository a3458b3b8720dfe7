"""Streams of the current device. MindSpore: ``mindspore.runtime.stream``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat.runtime.event import Event

__all__ = [
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "set_cur_stream",
    "synchronize",
]


class Stream:
    """Queue of work on the device; different ones may overlap. On a CPU there is only one.

    Args:
        priority: on a device; -1 before 0.

    Examples:
        >>> stream = ms.runtime.Stream()
        >>> with ms.runtime.StreamCtx(stream):
        ...     total = ms.ops.ones(2) + 1
        >>> stream.synchronize()
        >>> print(stream.query())
        True
    """

    def __init__(self, priority: int = 0, **kwargs: Any) -> None:
        device = current_device()
        self._stream: Any = kwargs.get("stream")
        if isinstance(self._stream, Stream):
            self._stream = self._stream._stream
        elif self._stream is None and device.type != "cpu":
            self._stream = torch.cuda.Stream(device, priority=priority)
        self.device_name = "CPU" if self._stream is None else "GPU"
        self.device_id = 0 if self._stream is None else self._stream.device.index

    @property
    def id(self) -> int:
        """The stream's number; 0 is the default one."""
        return 0 if self._stream is None else self._stream.stream_id

    def stream_id(self) -> int:
        """Return `id`."""
        return self.id

    def device_stream(self) -> int:
        """Return CUDA's handle; 0 on a CPU."""
        return 0 if self._stream is None else self._stream.cuda_stream

    stream_ptr = device_stream

    def record_event(self, event: Event | None = None) -> Event:
        """Mark the present end of the stream, in ``event`` or in a new one."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Let later work of the stream wait for ``event``."""
        event.wait(self)

    def wait_stream(self, stream: Stream) -> None:
        """Let later work of the stream wait for the present work of ``stream``."""
        self.wait_event(stream.record_event())

    def synchronize(self) -> None:
        """Wait for the stream's work."""
        if self._stream is not None:
            self._stream.synchronize()

    def query(self) -> bool:
        """Return whether the stream's work is done."""
        return self._stream is None or self._stream.query()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._stream == other._stream

    def __hash__(self) -> int:
        return hash((self.id, self.device_id))

    def __repr__(self) -> str:
        return f"Stream(device_name={self.device_name}, device_id:{self.device_id}, stream id:{self.id})"


def synchronize() -> None:
    """Wait for all work of the device."""
    if current_device().type != "cpu":
        torch.cuda.synchronize(current_device())


def _of_torch(stream: Any) -> Stream:
    return Stream(stream=stream)


def current_stream() -> Stream:
    """Return the stream of new work."""
    device = current_device()
    return Stream() if device.type == "cpu" else _of_torch(torch.cuda.current_stream(device))


def default_stream() -> Stream:
    """Return the default stream of new work."""
    device = current_device()
    return Stream() if device.type == "cpu" else _of_torch(torch.cuda.default_stream(device))


def communication_stream() -> Stream:
    """Return the stream that collectives wait for: the current one. torch's collectives run in their own streams, in
    order with the current one.
    """
    return current_stream()


def set_cur_stream(stream: Stream | None) -> None:
    """Put work into ``stream`` from now on; None changes nothing."""
    if stream is None:
        return
    if stream._stream is not None:
        torch.cuda.set_stream(stream._stream)


class StreamCtx:
    """Context ``with StreamCtx(stream):`` for work in ``stream``, then in the one before. None changes nothing."""

    def __init__(self, ctx_stream: Stream | None) -> None:
        self.stream, self.prev_stream = ctx_stream, None  # type: Stream | None, Stream | None

    def __enter__(self) -> None:
        if self.stream is not None:
            self.prev_stream = current_stream()
            set_cur_stream(self.stream)

    def __exit__(self, *error: object) -> None:
        set_cur_stream(self.prev_stream)
