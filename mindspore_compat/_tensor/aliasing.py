"""Aliasing: writes to a Tensor whose memory others share, in place or with new memory.

As MindSpore, `set_data` and ``x[mask] = v`` leave aliases unchanged. In compiled code, aliases outside see a write to a
Parameter. What the code took of it before (``row = self.state[0]``) and what autograd saved keep their values. A block
that runs again in the backward pass writes once.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd import saved_copies
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.mode import current, in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._tensor import tracing, wrapping
from mindspore_compat.context import in_jit, is_graph_mode

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
    """Views of Parameters that this package caches, and renews once a Parameter has other memory. They do not count as
    aliases: keep them here alone, and do not change the list.
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


def has_views(tensor: torch.Tensor) -> bool:
    """Return whether there are `Views` of its memory."""
    return _place(tensor) in _views


class _Thread(threading.local):
    """Flag of this thread: compiled code has written to a Parameter after it took a part of it. ``watching`` are the
    `WrittenOnce` that save Parameters before a write.
    """

    was_copied = False
    watching: tuple[WrittenOnce, ...] = ()


_running = _Thread()


def was_copied() -> bool:
    """Return whether compiled code has written to a Parameter after it took a part of it; reset the flag."""
    found, _running.was_copied = _running.was_copied, False
    return found


def replace_values(target: torch.Tensor, value: torch.Tensor) -> None:
    """Set the values of ``target`` to ``value``, of its shape. As in MindSpore, aliases (arrays, Tensors, other
    Parameters) keep their values: ``target`` gets new memory if there are any.

    A single number is always written in place, since captured steps read rates and counters there. So is everything
    while a recorder runs, since it sees only in-place writes.
    """
    program.values_written()
    for_writing(target)
    stays = tracing.is_tracing() or not target.dim() or _recorders()
    if stays or not num_aliases(target):
        _write(target, value)
    else:
        wrapping.TENSOR.data.fset(target, torch.empty_like(_get_data(target)).copy_(value))


def is_of_parameter(tensor: torch.Tensor) -> bool:
    """Return whether it is a Parameter, or outside of differentiation a view of one: ``net.weight[0][1] = 2`` has no
    derivative in MindSpore. A program's class of Parameters (MindNLP) counts, too.
    """
    if isinstance(tensor, _Parameter):
        return True
    if not tensor.requires_grad or THREAD.running:
        return False
    return isinstance(tensor._base, _Parameter) or (tensor.is_leaf and type(tensor) is not wrapping.TENSOR)


def before_assignment(target: Any, index: Any) -> Any:
    """Prepare ``target[index] = value`` and return the index. As MindSpore, an int, a slice and tuples of these write
    in place. With other indices a Tensor with aliases gets new memory first.

    These keep their memory: a Tensor that is itself an indexing result (``x[0]``), since its origin is written through
    it; a Tensor with a derivative; a Parameter indexed by a list or an integer Tensor.
    """
    items = index if index.__class__ is tuple else (index,)
    if items is index and not any(isinstance(item, _OF_PLACES) for item in items):
        return index
    place = items[0] if len(items) == 1 else None
    by_places = isinstance(place, list) or getattr(place, "dtype", torch.bool) is not torch.bool
    if not (isinstance(target, _Parameter) and by_places):
        leave_aliases(target)
    return index


def leave_aliases(target: Any) -> None:
    """Give a Tensor that has aliases new memory, outside of compiled code."""
    if tracing.is_tracing() or target._is_part or not (target._has_array or num_aliases(target)) or _recorders():
        return
    if target.requires_grad and not is_of_parameter(target):
        return
    if not ((is_graph_mode() or in_jit.depth) and in_graph()):
        saved_copies.before_writing(target)
        if isinstance(target, _Parameter) or target.requires_grad:
            wrapping.TENSOR.data.fset(target, _get_data(target).clone())
        else:  # a C++ object of its own: that of `stop_gradient(x)` counts its writes as writes to x
            torch._C._swap_tensor_impl(target, _get_data(target).clone())
        target._has_array = False


def leave_derivative(target: Any) -> None:
    """Replace a Tensor that has a derivative and aliases by its copy, outside of compiled code."""
    is_result = target.requires_grad and not (target.is_leaf or target._is_part or is_of_parameter(target))
    if is_result and not in_graph() and num_aliases(target):
        torch._C._swap_tensor_impl(target, wrapping.wrap(torch.clone(target)))


def write_values(target: torch.Tensor, value: torch.Tensor) -> None:
    """Write values to ``target`` in place: aliases see them, except in compiled code."""
    program.values_written()
    _write(for_writing(target), value)


def for_writing(*targets: torch.Tensor) -> Any:
    """Return the first target, None without targets. Call it before an in-place write to Parameters. In graph mode,
    earlier views and values that autograd saved keep what they hold.
    """
    for watcher in _running.watching:
        watcher.keep(targets)
    if (is_graph_mode() or in_jit.depth) and not tracing.is_tracing():
        kept = set() if THREAD.running else {cell for cell in current().kept if cell.__dict__["_captured"] is not None}
        read = {id(item) for cell in kept for item in cell.get_parameters()}  # a gradient of this call may need them
        for target in targets:
            if not isinstance(target, _Parameter) or not in_graph():
                continue
            if id(target) in read or (THREAD.running and torch.is_grad_enabled()):
                if _may_be_kept(target):
                    _part_from_derivative(target)
            elif num_aliases(target) > current().aliases.get(id(target), _ANY) and _may_be_kept(target):
                _leave_memory(target)
        if read:
            for cell in kept:
                cell.__dict__["_captured"].forward.before_writes += THREAD.before_writes
            THREAD.before_writes = ()
    return targets[0] if targets else None  # a stage of a pipeline may have no Parameters


_ANY = 1 << 62  # of a Parameter that the code has not read: others may share its memory


def _note_parting() -> None:
    _running.was_copied = True
    program.not_repeatable(TAKEN_BEFORE)


class WrittenOnce:
    """Parameter writes of a block that runs again in the backward pass (`Cell.recompute`). As MindSpore, only the first
    run writes. Later runs start from the same Parameters, and restore their present values at the end. Side effects of
    operators, such as batch norm statistics, are written again, as in MindSpore.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.before: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # what it writes to, and what was there

    @contextlib.contextmanager
    def a_run(self) -> Iterator[None]:
        """Open the context of one run. A later run may begin before the first has ended, if that differentiates."""
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
        """Detach saved Parameters: torch's checkpoint saves one without a gradient as the Python object itself."""
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
    """Return whether autograd may have saved it, or a view of it. Hooks and ``.grad`` belong to its C++ object."""
    if not _place(target) or target._backward_hooks or target.grad is not None:
        return False
    return target._use_count() > 1 or num_aliases(target) > 0


def _part_from_derivative(target: torch.Tensor) -> None:
    """Hide a write to ``target`` from autograd. The C++ object behind ``target`` gets memory of its own, and the Python
    object another C++ object. Views keep the old memory.
    """
    if target._use_count() > 1:
        before = wrapping.wrap(torch.clone(_get_data(target)))  # a recorder sees it, and knows this object
        with _unseen():
            memory, copy = _get_data(target), _get_data(before)
            if target.requires_grad and (target.is_floating_point() or target.is_complex()):
                before.requires_grad_()  # the derivative by it is that by both
                THREAD.before_writes += ((target, before),)
            torch._C._swap_tensor_impl(target, before)
            _set_data(target, memory)
            _set_data(before, copy)
            del memory, copy
    if num_aliases(target) > current().aliases.get(id(target), 0):
        _leave_memory(target)


def _leave_memory(target: torch.Tensor) -> None:
    """Give a Parameter memory of its own; its views keep the old memory and values."""
    wrapping.TENSOR.data.fset(target, torch.clone(_get_data(target)))
    _note_parting()


def _write(target: torch.Tensor, value: torch.Tensor) -> None:
    wrapping.memory(target).copy_(wrapping.unaliased(target, value))


def _place(tensor: torch.Tensor) -> int:
    """Return the address of torch's storage; 0 for tensors of torch.func and distributed ones, which have none."""
    try:
        with _unseen():
            return _storage_of(tensor)._cdata
    except RuntimeError:
        return 0


_users: Callable[[int], int] = torch._C._storage_Use_Count  # type: ignore[attr-defined]


def num_aliases(tensor: torch.Tensor) -> int:
    """Return the number of aliases: Tensors, arrays and tensors that autograd saved, but not `Views`."""
    try:
        with _unseen():
            place = _storage_of(tensor)._cdata
    except RuntimeError:  # as `_place`
        return 0
    return _users(place) - _ALONE - _views.get(place, 0)


_nobody_else = torch.empty(1)
_ALONE = _users(_place(_nobody_else))
