"""Base of all captures: records operators, notices memory reads in Python, and identifies tensors."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

T = TypeVar("T")
_Base = torch._C.TensorBase

#: functions of torch that let Python read or write a tensor's memory, which no dispatch mode sees
READS_MEMORY = frozenset(
    {
        "numpy",
        "tolist",
        "__array__",
        "__dlpack__",
        "data_ptr",
        "untyped_storage",
        "storage",
        "share_memory_",
        "apply_",
        "map_",
        "map2_",
    }
)


def place_of(tensor: torch.Tensor) -> tuple[Any, ...]:
    """Return the address of its elements, equal for two objects on the same ones. Recorders do not see it."""
    with torch._C.DisableTorchFunction():
        return _Base.data_ptr(tensor), tuple(tensor.shape), _Base.stride(tensor), tensor.dtype


class Identity(Generic[T]):
    """Table of tensors by object.

    Args:
        holds: keep the tensors alive. Otherwise an entry is dropped with its tensor: a tape of a whole step must not
            hold the step's memory.
    """

    __slots__ = ("_entries", "_holds")

    def __init__(self, holds: bool) -> None:
        self._entries: dict[int, tuple[Any, T]] = {}
        self._holds = holds

    def put(self, tensor: torch.Tensor, known: T) -> T:
        self._entries[id(tensor)] = (tensor if self._holds else weakref.ref(tensor), known)
        return known

    def get(self, tensor: torch.Tensor) -> T | None:
        """Return the entry, None for an unknown tensor; an id may belong to a later tensor."""
        found = self._entries.get(id(tensor))
        if found is None or (found[0] if self._holds else found[0]()) is not tensor:
            return None
        return found[1]

    def alive(self) -> Iterator[tuple[torch.Tensor, T]]:
        """Yield the known tensors that are alive, with their entries."""
        for entry, known in list(self._entries.values()):
            tensor = entry if self._holds else entry()
            if tensor is not None:
                yield tensor, known

    def sharing(self, tensor: torch.Tensor) -> Iterator[tuple[torch.Tensor, T]]:
        """Yield the known tensors in the storage of ``tensor``, with their entries. ``as_subclass`` and the like make
        objects that no operator or function shows.
        """
        with torch._C.DisableTorchFunction():
            storage = _Base.untyped_storage(tensor).data_ptr()
            for other, known in self.alive() if storage else ():
                if _Base.untyped_storage(other).data_ptr() == storage:
                    yield other, known


class Recorder(TorchDispatchMode):
    """Mode that sees every aten operator of this thread, below autograd. Subclasses handle it in ``saw``."""

    recomputes = False  # a part of the computation runs again in the backward pass, to hold less memory

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()
        self.paused = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return torch's flag: False here, since True imports Dynamo, which takes seconds."""
        return False

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Suspend recording."""
        self.paused = True
        try:
            yield
        finally:
            self.paused = False

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        if self.paused:
            return func(*args, **(kwargs or {}))
        return self.saw(func, args, kwargs or {})

    def saw(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a called operator, record it, and return its result."""
        raise NotImplementedError

    def memory_read(self, name: str, tensor: Any) -> None:
        """Handle that Python is about to read (or write) the memory of a tensor by torch's function ``name``."""
        raise NotImplementedError


class Reading(TorchFunctionMode):
    """Mode that notices functions that bypass every dispatch mode; the recorder handles them."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        if not self.recorder.paused:
            name = getattr(func, "__name__", "")
            if name in READS_MEMORY:
                self.recorder.memory_read(name, args[0])
            return self.called(func, name, args, kwargs or {})
        return func(*args, **(kwargs or {}))

    def called(self, func: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run one of torch's functions, above autograd."""
        return func(*args, **kwargs)
