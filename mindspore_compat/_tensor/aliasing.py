"""Who else looks at the memory of a Tensor: when its values are written where they are, and when it gets other memory.

As upstream, `set_data` leaves what others look at as it is, and so does ``x[mask] = v``. In compiled code a write to a
Parameter is seen by whoever looks at it from outside, but what the code itself took of it before
(``row = self.state[0]``) keeps its values, and so does what a derivative needs of them. A block that is computed again
in the backward pass writes once.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.mode import current, in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._tensor import tracing, wrapping
from mindspore_compat.context import in_jit, is_graph_mode

__all__ = """
    TAKEN_BEFORE Views WrittenOnce before_assignment for_writing has_parted is_of_parameter num_aliases
    replace_values write_values
""".split()

#: why a step is not replayed whose views of a Parameter would change with it
TAKEN_BEFORE = "it writes to a Parameter of which it has taken a part, or the values, before"

_get_data, _set_data = torch._C.TensorBase.data.__get__, torch._C.TensorBase.data.__set__  # type: ignore[attr-defined]
_storage_of = torch._C.TensorBase.untyped_storage
_recorders: Callable[[], int] = torch._C._len_torch_dispatch_stack

_Parameter = torch.nn.Parameter
_OF_PLACES = (torch.Tensor, list, np.ndarray, bool)
_unseen = torch._C.DisableTorchFunction  # who records must not take it for the program's

#: how many `Views` there are of each memory
_views: Counter[int] = Counter()


class Views(list[torch.Tensor]):
    """Tensors on the memory of Parameters that this package keeps for itself, and takes anew once those have other
    memory. They do not count as somebody who looks there; so keep them here alone, and do not change the list.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        super().__init__(tensors)
        self._places = [place for place in map(_place, {id(tensor): tensor for tensor in self}.values()) if place]
        _views.update(self._places)

    def __del__(self) -> None:
        for place in self._places:
            _views[place] -= 1
            if not _views[place]:
                del _views[place]


class _Thread(threading.local):
    """Whether compiled code in this thread has written to a Parameter after it took something of it; and who wants to
    know what Parameters are before they are written to.
    """

    was_copied = False
    watching: tuple[WrittenOnce, ...] = ()


_running = _Thread()


def was_copied() -> bool:
    """Whether compiled code has written to a Parameter after it took something of it, since this was asked last."""
    found, _running.was_copied = _running.was_copied, False
    return found


def replace_values(target: torch.Tensor, value: torch.Tensor) -> None:
    """``target`` takes over values of its shape. As upstream, arrays and Tensors that look at its memory, and
    Parameters that share it, keep what they have: it gets other memory if there are any.

    A single number is always written where it is, for captured steps read rates and counters there; and so is
    all while operators are recorded, which is how a recorder sees it.
    """
    program.values_written()
    for_writing(target)
    stays = tracing.is_tracing() or not target.dim() or _recorders()
    if stays or not num_aliases(target):
        _write(target, value)
    else:
        wrapping.TENSOR.data.fset(target, torch.empty_like(_get_data(target)).copy_(value))


def is_of_parameter(tensor: torch.Tensor) -> bool:
    """Whether it is a Parameter, or outside of differentiation a view of one: ``net.weight[0][1] = 2`` has no
    derivative in MindSpore.
    """
    if isinstance(tensor, _Parameter):
        return True
    return tensor.requires_grad and not THREAD.running and isinstance(tensor._base, _Parameter)


def before_assignment(target: Any, index: Any) -> Any:
    """The index, before ``target[index] = value`` where it is no int or slice. As upstream, tuples of these are written
    where they are; with anything else the Tensor gets other memory if others look at it, but not one that is itself
    given by an index (``x[0]``), through which its origin is written. Nor do Tensors with a derivative, nor Parameters
    by lists and Tensors of places.
    """
    items = index if index.__class__ is tuple else (index,)
    if items is index and not any(isinstance(item, _OF_PLACES) for item in items):
        return index
    if tracing.is_tracing() or target._is_part or not (target._has_array or num_aliases(target)) or _recorders():
        return index
    if isinstance(target, _Parameter):
        if len(items) == 1 and (isinstance(items[0], list) or getattr(items[0], "dtype", torch.bool) is not torch.bool):
            return index
    elif target.requires_grad and not is_of_parameter(target):
        return index
    if not ((is_graph_mode() or in_jit.depth) and in_graph()):
        wrapping.TENSOR.data.fset(target, _get_data(target).clone())
        target._has_array = False
    return index


def write_values(target: torch.Tensor, value: torch.Tensor) -> None:
    """``target`` takes over values of its shape where it is: who looks there sees them, but for compiled code."""
    program.values_written()
    _write(for_writing(target), value)


def for_writing(*targets: torch.Tensor) -> Any:
    """Return the first of the targets, None of none: Parameters that are to be written to in place. In graph mode what
    was taken of their memory before keeps it, and so does what a derivative needs of their values.
    """
    for watcher in _running.watching:
        watcher.keep(targets)
    if (is_graph_mode() or in_jit.depth) and not tracing.is_tracing():
        for target in targets:
            if not isinstance(target, _Parameter) or not in_graph():
                continue
            if THREAD.running and torch.is_grad_enabled():
                if _may_be_kept(target):
                    _part_from_derivative(target)
            elif num_aliases(target) > current().aliases.get(id(target), _ANY) and _may_be_kept(target):
                _leave_memory(target)
    return targets[0] if targets else None  # a stage of a pipeline may have no Parameters


_ANY = 1 << 62  # of a Parameter that the code has not read: others may share its memory


def _note_parting() -> None:
    _running.was_copied = True
    program.not_repeatable(TAKEN_BEFORE)


class WrittenOnce:
    """What compiled code writes to Parameters that runs, and runs again in the backward pass (`Cell.recompute`). As
    upstream, the first run alone writes: the others find Parameters as it did, and leave them as they are by then. What
    operators write beside their results (the statistics of batch norm) is written again, as upstream, too.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.before: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # what it writes to, and what was there

    @contextlib.contextmanager
    def a_run(self) -> Iterator[None]:
        """The context of a run; a later one may begin before the first has ended, where that differentiates."""
        if not self.has_begun:
            self.has_begun = True
            _running.watching += (self,)
            try:
                yield
            finally:
                _running.watching = tuple(watcher for watcher in _running.watching if watcher is not self)
        elif self.before:
            now = [(target, torch.clone(_get_data(target))) for target, _ in self.before.values()]
            self._put(self.before.values())
            try:
                with self._keeping_aliases():
                    yield
            finally:
                self._put(now)
        else:
            yield

    def keep(self, targets: Iterable[torch.Tensor]) -> None:
        for target in targets:
            if id(target) not in self.before and isinstance(target, _Parameter):
                self.before[id(target)] = (target, torch.clone(_get_data(target)))

    def _keeping_aliases(self) -> Any:
        """Torch's checkpoint keeps a Parameter without a gradient as the Python object that it is."""
        pack, unpack = torch._C._autograd._top_saved_tensors_default_hooks(True)
        return torch.autograd.graph.saved_tensors_hooks(
            lambda tensor: pack(torch.Tensor.detach(tensor) if id(tensor) in self.before else tensor), unpack
        )

    @staticmethod
    def _put(values: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> None:
        for target, value in values:
            if _may_be_kept(target):
                _part_from_derivative(target)
            _get_data(target).copy_(value)


def _may_be_kept(target: torch.Tensor) -> bool:
    """Whether a derivative may keep it, or a view of it. Torch's hooks and ``.grad`` stand in its C++ object."""
    if not _place(target) or target._backward_hooks or target.grad is not None:
        return False
    return target._use_count() > 1 or num_aliases(target) > 0


def _part_from_derivative(target: torch.Tensor) -> None:
    """Let what is written now not be seen by what torch has kept for a derivative: the C++ object behind ``target``,
    which gets memory of its own while the Python object gets another one, or views of it, which keep the memory.
    """
    if target._use_count() > 1:
        before = wrapping.wrap(torch.clone(_get_data(target)))  # a recorder sees it, and knows this object
        with _unseen():
            memory, copy = _get_data(target), _get_data(before)
            if target.requires_grad:  # the derivative by it is that by both
                before.requires_grad_()
                THREAD.before_writes += ((target, before),)
            torch._C._swap_tensor_impl(target, before)
            _set_data(target, memory)
            _set_data(before, copy)
            del memory, copy
    if num_aliases(target) > current().aliases.get(id(target), 0):
        _leave_memory(target)


def _leave_memory(target: torch.Tensor) -> None:
    """Give a Parameter memory of its own: views of it keep the old one, with its values."""
    wrapping.TENSOR.data.fset(target, torch.clone(_get_data(target)))
    _note_parting()


def _write(target: torch.Tensor, value: torch.Tensor) -> None:
    wrapping.memory(target).copy_(wrapping.unaliased(target, value))


def _place(tensor: torch.Tensor) -> int:
    """The address of torch's storage; 0 of torch.func's tensors and distributed ones, which lie nowhere."""
    try:
        with _unseen():
            return _storage_of(tensor)._cdata
    except RuntimeError:
        return 0


_users: Callable[[int], int] = torch._C._storage_Use_Count  # type: ignore[attr-defined]


def num_aliases(tensor: torch.Tensor) -> int:
    """How many others look at its memory: Tensors, arrays, what torch keeps for a derivative; not `Views`."""
    place = _place(tensor)
    return _users(place) - _ALONE - _views.get(place, 0) if place else 0


_nobody_else = torch.empty(1)
_ALONE = _users(_place(_nobody_else))
