"""The seam of all captures: who sees the operators, who notices that Python looks, and which tensor is which."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["READS_MEMORY", "Identity", "Reading", "Recorder", "place_of"]

T = TypeVar("T")
_Base = torch._C.TensorBase

#: functions of torch that give Python a tensor's memory, or let Python write there, which no dispatch mode sees
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
    """Where its elements lie, equal for two objects on the same ones; it is not the network that reads the address."""
    with torch._C.DisableTorchFunction():
        return _Base.data_ptr(tensor), tuple(tensor.shape), _Base.stride(tensor), tensor.dtype


class Identity(Generic[T]):
    """What is known of each tensor, as the object that it is.

    Args:
        holds: keep the tensors alive. If not, what is known of a tensor goes with it: a tape of a whole step must not
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
        """None for a tensor that is not known; another one may have got the id of one that is gone."""
        found = self._entries.get(id(tensor))
        if found is None or (found[0] if self._holds else found[0]()) is not tensor:
            return None
        return found[1]

    def alive(self) -> Iterator[tuple[torch.Tensor, T]]:
        """The known tensors that are still there, and what is known of them."""
        for entry, known in list(self._entries.values()):
            tensor = entry if self._holds else entry()
            if tensor is not None:
                yield tensor, known

    def sharing(self, tensor: torch.Tensor) -> Iterator[tuple[torch.Tensor, T]]:
        """The known tensors, and what is known of them, in whose storage ``tensor`` lies: ``as_subclass`` and the like
        make objects that neither an operator nor a function of torch shows.
        """
        with torch._C.DisableTorchFunction():
            storage = _Base.untyped_storage(tensor).data_ptr()
            for other, known in self.alive() if storage else ():
                if _Base.untyped_storage(other).data_ptr() == storage:
                    yield other, known


class Recorder(TorchDispatchMode):
    """Sees every aten operator of this thread, below autograd. Subclasses say what becomes of it in ``saw``."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()
        self.paused = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """torch's: here False, as keeping Dynamo out means to import it, which takes seconds."""
        return False

    @contextmanager
    def pause(self) -> Iterator[None]:
        """What runs inside is not recorded."""
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
        """An operator is called: run it, write it down, and return its result."""
        raise NotImplementedError

    def memory_read(self, name: str, tensor: Any) -> None:
        """Python is about to read (or write) the memory of a tensor by torch's function ``name``."""
        raise NotImplementedError


class Reading(TorchFunctionMode):
    """Notices the functions that go past every dispatch mode, and has the recorder say what follows of it."""

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
        """One of torch's functions is called, above autograd."""
        return func(*args, **kwargs)
