"""Streams and events of ``torch.cuda``: torch's generic ones, which ask the device's guard."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import torch

__all__ = ["give_streams"]

_CUDA = 1  # torch's number of the device type


class Stream(torch.Stream):
    """``torch.cuda.Stream``."""

    def __new__(cls, device: Any = None, priority: int = 0, **kwargs: Any) -> Any:
        if "stream_id" in kwargs:
            return super().__new__(cls, priority=priority, **kwargs)
        index = torch.cuda._utils._get_device_index(device, optional=True)
        return super().__new__(cls, device=torch.device("cuda", index), priority=priority)

    @property
    def cuda_stream(self) -> int:
        return self.stream_id

    def wait_event(self, event: Any) -> None:
        event.wait(self)

    def wait_stream(self, stream: Any) -> None:
        self.wait_event(stream.record_event())

    def record_event(self, event: Any = None) -> Any:
        event = Event() if event is None else event
        event.record(self)
        return event


class Event(torch.Event):
    """``torch.cuda.Event``."""

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Any:
        index = torch.cuda.current_device()
        return super().__new__(cls, device=torch.device("cuda", index), enable_timing=enable_timing, blocking=blocking)

    _time = 0.0

    def record(self, stream: Any = None) -> None:
        super().record(torch.cuda.current_stream() if stream is None else stream)
        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        super().wait(torch.cuda.current_stream() if stream is None else stream)

    def elapsed_time(self, end: Any) -> float:
        return 1000 * (end._time - self._time)


def give_streams(library: ctypes.CDLL) -> None:
    """Put them into torch.cuda."""

    def current(device: int) -> tuple[int, int, int]:
        return library.fakecuda_current_stream(device), device, _CUDA

    def set_stream(stream_id: int, device_index: int, device_type: int) -> None:
        library.fakecuda_set_device(device_index)
        library.fakecuda_set_stream(device_index, stream_id)

    own: Any = torch._C
    own._cuda_getCurrentStream = current
    own._cuda_getCurrentRawStream = lambda device: current(device)[0]
    own._cuda_getDefaultStream = lambda device: (0, device, _CUDA)
    own._cuda_setStream = set_stream
    cuda: Any = torch.cuda
    cuda.Stream = cuda.streams.Stream = Stream
    cuda.Event = cuda.streams.Event = Event
