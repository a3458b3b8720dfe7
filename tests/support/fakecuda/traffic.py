"""What reached, or waited for, the fake device while it was recorded."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["WAITS", "Event", "Traffic", "recorded", "set_sync_debug_mode"]

#: kinds at which the host waits for the device
WAITS = ("sync", "h2d", "d2h")
_HERE = str(Path(__file__).parent)
_ROOT = Path(__file__).parents[3]
_Receiver = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p)


class Event(NamedTuple):
    """One line of traffic.

    ``kind``: ``sync`` (the host waits), ``h2d`` and ``d2h`` (a copy that waits), ``h2d_nb`` and ``d2h_nb`` (one that
    does not), ``d2d`` (between devices), ``mix0`` (a number on the host beside tensors of the device: no wait),
    ``pin``, ``set_device``, ``record_event``, ``wait_event``, ``record_stream``.
    """

    kind: str
    operator: str
    stack: tuple[
        str, ...
    ]  # "file:line function" of this checkout, innermost first; autograd's threads have none of ours

    def __str__(self) -> str:
        return f"{self.kind} {self.operator} at {' < '.join(self.stack[:4]) or 'no line of this checkout'}"


class Traffic(list[Event]):
    """Events in their order."""

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self if event.kind in kinds]

    @property
    def waits(self) -> list[Event]:
        """Where the host waited."""
        return self.of(*WAITS)


_active: list[Traffic] = []
_busy = threading.local()


def _stack() -> tuple[str, ...]:
    found = []
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(str(_ROOT)) and not file.startswith(_HERE) and "site-packages" not in file:
            found.append(f"{file[len(str(_ROOT)) + 1 :]}:{frame.f_lineno} {frame.f_code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(found)


def tell(kind: str, operator: str) -> None:
    """Add an event to the recordings that are on."""
    if not _active or getattr(_busy, "on", False):
        return
    _busy.on = True
    try:
        event = Event(kind, operator, _stack())
        for traffic in _active:
            traffic.append(event)
    finally:
        _busy.on = False


@_Receiver
def _receive(kind: bytes, operator: bytes) -> None:
    tell(kind.decode(), operator.decode())


def connect(library: ctypes.CDLL) -> None:
    """Let the library tell here."""
    _connected.append(library)


_connected: list[ctypes.CDLL] = []


def recorded() -> contextlib.AbstractContextManager[Traffic]:
    """Record what the device sees within the block."""
    return _recording(Traffic())


@contextlib.contextmanager
def _recording(traffic: Traffic) -> Iterator[Traffic]:
    _active.append(traffic)
    for library in _connected:
        library.fakecuda_report_to(_receive)
    try:
        yield traffic
    finally:
        _active.remove(traffic)
        if not _active:
            for library in _connected:
                library.fakecuda_report_to(None)


class _Warner(Traffic):
    """Warns at host waits as torch does, and keeps nothing."""

    def append(self, event: Event) -> None:
        if event.kind in WAITS:
            warnings.warn(f"called a synchronizing CUDA operation: {event}", stacklevel=2)


_warning = contextlib.ExitStack()


def set_sync_debug_mode(mode: int) -> None:
    """What ``torch.cuda.set_sync_debug_mode`` calls: 0 is silent, 1 warns at each host wait."""
    if mode not in (0, 1):
        raise NotImplementedError("the fake CUDA device warns at host waits, and raises no errors")
    _warning.close()
    if mode:
        _warning.enter_context(_recording(_Warner()))
