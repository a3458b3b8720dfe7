"""Prioritized and reservoir buffers, queues and lists of tensors behind handles, and messages between actors and
learners.

MindSpore: ``mindspore.ops.operations._rl_inner_ops``, which mindrl imports, and ``_tensor_array`` (1.7 to 2.6), which
`nn.TensorArray` wraps. No gradient flows through an array.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import torch
import torch.distributed as dist

from mindspore_compat._graph.program import program
from mindspore_compat._ops.declare import Int, PositiveInt, classes, functions, primitive, primitive_class
from mindspore_compat._ops.other import assign
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.random_engines import LinearCongruential
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.communication import _groups, _start
from mindspore_compat.communication._collectives import sendable

_Run = Callable[..., Any]


_WORLD = "hccl_world_group"
_T = TypeVar("_T")


class Store(Generic[_T]):
    """Objects of a kind by their handles, which count from 0."""

    def __init__(self, kind: str) -> None:
        self._kind, self._items, self._next = kind, {}, itertools.count()  # type: ignore[var-annotated]

    def add(self, item: _T) -> int:
        """Keep an object; return its handle."""
        handle = next(self._next)
        self._items[handle] = item
        return handle

    def __getitem__(self, handle: Any) -> _T:
        program.not_repeatable(f"it uses a {self._kind}")
        try:
            return self._items[int(handle)]
        except KeyError:
            raise RuntimeError(
                f"There is no {self._kind} with the handle {int(handle)}: create it, and do not use it after it is "
                "closed or destroyed."
            ) from None

    def drop(self, handle: Any) -> None:
        """Let an object go."""
        self[handle]
        del self._items[int(handle)]


_by_priority: Store[PriorityBuffer] = Store("PriorityReplayBuffer")
_reservoirs: Store[ReservoirBuffer] = Store("ReservoirReplayBuffer")
_queues: Store[TensorQueue] = Store("TensorsQueue")


def _handle(value: int, *shape: int) -> Any:
    return wrap(torch.full(shape, value, device=current_device()))


def _dtypes(dtypes: Any) -> list[torch.dtype]:
    return [to_torch_dtype(dtype) for dtype in dtypes]


def _items(values: Sequence[Any]) -> Sequence[Any]:
    """The values of a call with one tuple of them, or with each as an argument."""
    return values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else values


# --- replay buffers ---------------------------------------------------------------------------------------------------
@primitive
def PriorityReplayBufferCreate(
    capacity: PositiveInt, alpha: float, shapes: Any, dtypes: Any, seed0: int = 0, seed1: int = 0
) -> _Run:
    """Create a buffer whose transitions are drawn by their priorities; returns its handle, int64 of shape (1,).

    Args:
        alpha: from 0, each transition is drawn alike, to 1, in proportion to the priorities.
        shapes, dtypes: of the components of a transition.
        seed0, seed1: of the draws; 0 and 0 take one from the global generator.
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"For 'PriorityReplayBufferCreate', 'alpha' must be in range of [0, 1], but got {alpha}.")
    handle = _by_priority.add(PriorityBuffer(capacity, alpha, shapes, _dtypes(dtypes), (seed0, seed1)))
    return lambda: _handle(handle, 1)


@primitive
def PriorityReplayBufferPush(handle: Int) -> _Run:
    """Append a transition, a tuple of tensors, with the greatest priority so far; returns the handle."""

    def run(*transition: Any) -> Any:
        _by_priority[handle].push(_items(transition))
        return _handle(handle, 1)

    return run


@primitive
def PriorityReplayBufferSample(handle: Int, batch_size: PositiveInt, shapes: Any, dtypes: Any) -> _Run:
    """(indices, weights, components of the transitions ...) of ``batch_size`` draws.

    Inputs:
        beta: exponent of the weights ``(n p) ** -beta`` that correct the draws, divided by the largest.
    """
    return lambda beta: _by_priority[handle].sample(batch_size, float(beta))


@primitive
def PriorityReplayBufferUpdate(handle: Int) -> _Run:
    """Set the priorities of the transitions at indices; returns the handle."""

    def run(indices: Any, priorities: Any) -> Any:
        _by_priority[handle].update(plain(indices).cpu().numpy(), plain(priorities).cpu().numpy())
        return _handle(handle, 1)

    return run


@primitive
def PriorityReplayBufferDestroy(handle: Int) -> _Run:
    """Let a buffer go; returns the handle."""

    def run() -> Any:
        _by_priority.drop(handle)
        return _handle(handle, 1)

    return run


@primitive
def ReservoirReplayBufferCreate(
    capacity: PositiveInt, shapes: Any, dtypes: Any, seed0: int = 0, seed1: int = 0
) -> _Run:
    """Create a buffer that keeps a uniform sample of all transitions; returns its handle, int64 of shape (1,).

    Args:
        shapes, dtypes: of the components of a transition.
        seed0, seed1: of the draws; 0 and 0 take one from the global generator.
    """
    handle = _reservoirs.add(ReservoirBuffer(capacity, shapes, _dtypes(dtypes), (seed0, seed1)))
    return lambda: _handle(handle, 1)


@primitive
def ReservoirReplayBufferPush(handle: Int) -> _Run:
    """Take a transition, a tuple of tensors, perhaps in place of another; returns the handle."""

    def run(*transition: Any) -> Any:
        _reservoirs[handle].push(_items(transition))
        return _handle(handle, 1)

    return run


@primitive
def ReservoirReplayBufferSample(handle: Int, batch_size: PositiveInt, shapes: Any, dtypes: Any) -> _Run:
    """The components of ``batch_size`` transitions, each drawn from the whole buffer."""
    return lambda: _reservoirs[handle].sample(batch_size)


@primitive
def ReservoirReplayBufferDestroy(handle: Int) -> _Run:
    """Let a buffer go; returns the handle."""

    def run() -> Any:
        _reservoirs.drop(handle)
        return _handle(handle, 1)

    return run


# --- queues -----------------------------------------------------------------------------------------------------------
@primitive
def TensorsQueueCreate(dtype: Any, shapes: Any, size: int = 0, name: str = "Q") -> _Run:
    """Create a queue of up to ``size`` tuples of tensors; returns its handle, int64 of shape ().

    Args:
        dtype: of all tensors. shapes: of the tensors of a tuple.
    """
    handle = _queues.add(TensorQueue(to_torch_dtype(dtype), shapes, size))
    return lambda: _handle(handle)


@primitive
def TensorsQueuePut(dtype: Any, shapes: Any) -> _Run:
    """Append a tuple of tensors.

    Raises:
        RuntimeError: the queue is full.
    """
    return lambda handle, elements: _queues[handle].put(elements)


@primitive
def TensorsQueueGet(dtype: Any, shapes: Any, pop_after_get: bool = False) -> _Run:
    """Return the first tuple, and remove it where ``pop_after_get`` is True.

    Raises:
        RuntimeError: the queue is empty.
    """
    return lambda handle: _queues[handle].get(pop_after_get)


def _size(handle: Any) -> Any:
    """The number of tuples in a queue."""
    return _handle(len(_queues[handle].items))


TensorsQueueSize = primitive_class("TensorsQueueSize", _size)


def _clear(handle: Any) -> None:
    """Empty a queue, which stays."""
    _queues[handle].items.clear()


TensorsQueueClear = primitive_class("TensorsQueueClear", _clear)


def _close(handle: Any) -> None:
    """Let a queue go."""
    _queues.drop(handle)


TensorsQueueClose = primitive_class("TensorsQueueClose", _close)


# --- parameters and returns -------------------------------------------------------------------------------------------
@primitive
def BatchAssign(lock: bool = True) -> _Run:
    """Assign each Parameter of a second tuple to that of a first one.

    Raises:
        ValueError: the tuples have other lengths or shapes.
    """

    def run(dst_model: Any, source_model: Any) -> None:
        for target, source in zip(dst_model, source_model, strict=True):
            assign(target, source)

    return run


@primitive
def DiscountedReturn(gamma: float) -> _Run:
    """Returns of a sequence: each is the reward and ``gamma`` times the next one, unless the episode ends there.

    Inputs:
        reward: (time, batch, ...). done: bool, (time, batch, ...), whether an episode ends. last_state_value: (batch,
        ...), the return after the last step.
    """
    if not 0 < gamma <= 1:
        raise ValueError(f"For 'DiscountedReturn', 'gamma' must be in range of (0, 1], but got {gamma}.")

    def run(reward: Any, done: Any, last_state_value: Any) -> Any:
        goes_on = gamma * (~done).to(reward.dtype)
        returns = [last_state_value]
        for step in reversed(range(reward.shape[0])):
            returns.append(reward[step] + goes_on[step] * returns[-1])
        return wrap(torch.stack(returns[:0:-1]))

    return run


# --- messages ---------------------------------------------------------------------------------------------------------
_mailbox: deque[list[torch.Tensor]] = deque()  # of a process that is alone

_senders: dict[str, int] = {}  # group -> the world rank that `MuxReceive` last heard from


@primitive
def MuxSend(dest_rank: int, group: str = _WORLD) -> _Run:
    """Send a tuple of tensors to a member; -1 means the one that `MuxReceive` last heard from. A process that is alone
    keeps it for its own `MuxReceive`.
    """

    def run(*input_x: Any) -> None:
        program.not_repeatable("it communicates")
        values = [plain(item) for item in _items(input_x)]
        if not _start.is_running():
            _mailbox.append([item.clone() for item in values])
            return
        if dest_rank < 0 and group not in _senders:
            raise RuntimeError("For 'MuxSend', 'dest_rank' -1 answers a message, but none was received yet.")
        found = _groups.find(group)
        peer = found.world_rank_of(dest_rank) if dest_rank >= 0 else _senders[group]
        for item in values:
            dist.send(sendable(item), peer, found.handle)

    return run


@primitive
def MuxReceive(shape: Any, dtype: Any, group: str = _WORLD) -> _Run:
    """Receive a tuple of tensors from whichever member sends first.

    Args:
        shape: of each tensor. dtype: of all.

    Raises:
        RuntimeError: the process is alone and has sent nothing.
    """

    def run(input_x: Any = None) -> tuple[Any, ...]:
        program.not_repeatable("it communicates")
        likes = [torch.empty(tuple(one), dtype=to_torch_dtype(dtype), device=current_device()) for one in shape]
        if not _start.is_running():
            if not _mailbox:
                raise RuntimeError("For 'MuxReceive', there is no other process, and this one has sent nothing.")
            return tuple([wrap(like.copy_(item)) for like, item in zip(likes, _mailbox.popleft(), strict=True)])
        found, came, peer = _groups.find(group), [], None
        for like in likes:
            room = sendable(like)
            peer = dist.recv(room, peer, found.handle)
            came.append(wrap(room.to(like.dtype)))
        _senders[group] = int(peer)  # type: ignore[arg-type]
        return tuple(came)

    return run


_LEAST_PRIORITY = 1e-7


def _fitting(owner: str, value: Any, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A copy of a value, without history; a Python number takes the dtype where that holds it.

    Raises:
        TypeError: for another dtype. ValueError: for another shape.
    """
    if not isinstance(value, torch.Tensor):
        value = torch.tensor(value, device=current_device())
        value = value.to(dtype) if torch.can_cast(value.dtype, dtype) else value
    if value.dtype != dtype:
        raise TypeError(f"For '{owner}', the value must have the dtype {dtype}, but got {value.dtype}.")
    if tuple(value.shape) != tuple(shape):
        raise ValueError(f"For '{owner}', the value must have the shape {tuple(shape)}, but got {tuple(value.shape)}.")
    return value.detach().clone()


class TensorList:
    """Tensors of one shape by their places; a gap holds zeros.

    Args:
        limit: number of places, None where the list may grow.
    """

    def __init__(self, dtype: torch.dtype, shape: Sequence[int], limit: int | None) -> None:
        self.dtype, self.shape, self.limit = dtype, tuple(shape), limit
        self.items: list[torch.Tensor] = []

    def _zeros(self, *count: int) -> torch.Tensor:
        return torch.zeros((*count, *self.shape), dtype=self.dtype, device=current_device())

    def write(self, index: int, value: Any) -> None:
        """Put a value at a place.

        Raises:
            ValueError: for a place below 0 or past the limit.
        """
        if index < 0 or (self.limit is not None and index >= self.limit):
            raise ValueError(f"For 'TensorArrayWrite', the index {index} is out of a size of {self.limit}.")
        value = _fitting("TensorArrayWrite", value, self.shape, self.dtype)
        while len(self.items) <= index:
            self.items.append(self._zeros())
        self.items[index] = value

    def read(self, index: int) -> torch.Tensor:
        """Return a copy of the value at a place.

        Raises:
            ValueError: for a place that nothing was written to or behind.
        """
        if not 0 <= index < len(self.items):
            raise ValueError(f"For 'TensorArrayRead', the index {index} is out of a size of {len(self.items)}.")
        return self.items[index].clone()

    def stack(self) -> torch.Tensor:
        """Return all values along a new first axis; with a limit, zeros up to it."""
        if self.limit is not None:
            return torch.stack([*self.items, *self._zeros(self.limit - len(self.items))])
        return torch.stack(self.items) if self.items else self._zeros(0)


class TensorQueue:
    """Tuples of tensors, first in, first out."""

    def __init__(self, dtype: torch.dtype, shapes: Sequence[Sequence[int]], limit: int) -> None:
        self.dtype, self.shapes, self.limit = dtype, shapes, limit
        self.items: deque[list[torch.Tensor]] = deque()

    def put(self, values: Sequence[Any]) -> None:
        """Append an element.

        Raises:
            RuntimeError: if the queue is full.
        """
        if len(self.items) >= self.limit:
            raise RuntimeError(f"For 'TensorsQueuePut', the queue is full: its size is {self.limit}.")
        pairs = zip(values, self.shapes, strict=True)
        self.items.append([_fitting("TensorsQueuePut", value, shape, self.dtype) for value, shape in pairs])

    def get(self, pop: bool) -> tuple[Any, ...]:
        """Return the first element, and remove it where ``pop`` is True.

        Raises:
            RuntimeError: if the queue is empty.
        """
        if not self.items:
            raise RuntimeError("For 'TensorsQueueGet', the queue is empty.")
        return tuple([wrap(item.clone()) for item in (self.items.popleft() if pop else self.items[0])])


class _Buffer:
    """Transitions in columns, one tensor for each component."""

    def __init__(
        self, capacity: int, shapes: Sequence[Sequence[int]], dtypes: Sequence[torch.dtype], seeds: tuple[int, int]
    ) -> None:
        kinds = list(zip(shapes, dtypes, strict=True))
        self.columns = [torch.zeros((capacity, *shape), dtype=t, device=current_device()) for shape, t in kinds]
        self.capacity, self.pushed = capacity, 0
        self.engine = LinearCongruential(seeds[1] or seeds[0] or int(torch.randint(1, 2**31, ())))

    def __len__(self) -> int:
        return min(self.pushed, self.capacity)

    def _put(self, place: int, transition: Sequence[Any]) -> None:
        for column, value in zip(self.columns, transition, strict=True):
            column[place] = _fitting("the replay buffer", value, column.shape[1:], column.dtype)

    def _rows(self, places: np.ndarray) -> list[Any]:
        index = torch.from_numpy(places).to(self.columns[0].device)
        return [wrap(torch.index_select(column, 0, index)) for column in self.columns]

    def _check_filled(self) -> None:
        if not self.pushed:
            raise RuntimeError("The replay buffer is empty: push a transition before you sample.")


class PriorityBuffer(_Buffer):
    """Transitions drawn in proportion to their priorities (https://arxiv.org/abs/1511.05952).

    Args:
        alpha: exponent of the priorities; 0 draws each alike.
    """

    def __init__(self, capacity: int, alpha: float, shapes: Any, dtypes: Any, seeds: tuple[int, int]) -> None:
        super().__init__(capacity, shapes, dtypes, seeds)
        self.alpha, self.greatest = alpha, 1.0
        self.priorities = np.zeros(capacity)

    def push(self, transition: Sequence[Any]) -> None:
        """Append a transition with the greatest priority; a full buffer loses its oldest one."""
        place = self.pushed % self.capacity
        self._put(place, transition)
        self.priorities[place] = self.greatest**self.alpha
        self.pushed += 1

    def sample(self, count: int, beta: float) -> tuple[Any, ...]:
        """Return places, correction weights and transitions: one draw from each of ``count`` equal parts of the sum."""
        self._check_filled()
        priorities = self.priorities[: len(self)]
        sums = np.cumsum(priorities)
        masses = (self.engine.singles(count) + np.arange(count)) * (sums[-1] / count)
        places = np.minimum(np.searchsorted(sums, masses), len(self) - 1)
        weights = (priorities[places] / priorities.min()) ** -beta
        device = self.columns[0].device
        drawn = torch.from_numpy(places).to(device), torch.from_numpy(weights.astype(np.float32)).to(device)
        return (*map(wrap, drawn), *self._rows(places))

    def update(self, places: np.ndarray, priorities: np.ndarray) -> None:
        """Set priorities; one of 0 becomes 1e-7."""
        if np.any((places < 0) | (places >= len(self))):
            raise ValueError(f"For 'PriorityReplayBufferUpdate', an index is out of a size of {len(self)}.")
        values = priorities.astype(np.float64) ** self.alpha
        self.priorities[places] = np.where(values > 0, values, _LEAST_PRIORITY)
        self.greatest = max(self.greatest, float(priorities.max()))


class ReservoirBuffer(_Buffer):
    """A uniform sample of all transitions that were ever pushed (https://doi.org/10.1145/3147.3165)."""

    def push(self, transition: Sequence[Any]) -> None:
        """Take a transition, once the buffer is full with the probability ``capacity / number pushed``."""
        self.pushed += 1
        if self.pushed <= self.capacity:
            self._put(self.pushed - 1, transition)
        elif self.engine.single() < self.capacity / self.pushed:
            self._put(self.engine.integer(0, self.capacity - 1), transition)

    def sample(self, count: int) -> tuple[Any, ...]:
        """Return ``count`` transitions, each drawn anew from all in the buffer."""
        self._check_filled()
        return tuple(self._rows(self.engine.below(np.full(count, len(self)))))


_arrays: Store[TensorList] = Store("TensorArray")


def _number(value: int) -> Any:
    return wrap(torch.tensor(value, device=current_device()))


@primitive
def TensorArray(dtype: Any, element_shape: Any, dynamic_size: bool = True, size: int = 0, name: str = "TA") -> _Run:
    """Create an array of tensors; returns its handle.

    Args:
        dtype, element_shape: of each tensor.
        dynamic_size: whether the array may grow; else it has ``size`` places.
    """
    handle = _arrays.add(TensorList(to_torch_dtype(dtype), element_shape, None if dynamic_size else size))
    return lambda: _number(handle)


def _write(handle: Any, index: Any, value: Any) -> None:
    """Put a tensor at an index; places before it that were not written to hold zeros.

    Raises:
        ValueError: the index is past the size of an array that may not grow.
        TypeError: the tensor has another dtype. ValueError: it has another shape.
    """
    _arrays[handle].write(int(index), value)


TensorArrayWrite = primitive_class("TensorArrayWrite", _write)


def _array_clear(handle: Any) -> None:
    """Empty an array, which stays."""
    _arrays[handle].items.clear()


TensorArrayClear = primitive_class("TensorArrayClear", _array_clear)


def _array_close(handle: Any) -> None:
    """Let an array go."""
    _arrays.drop(handle)


TensorArrayClose = primitive_class("TensorArrayClose", _array_close)


def _array_size(handle: Any) -> Any:
    """The number of tensors in an array."""
    return _number(len(_arrays[handle].items))


TensorArraySize = primitive_class("TensorArraySize", _array_size)


@primitive
def TensorArrayRead(dtype: Any, element_shape: Any) -> _Run:
    """Return the tensor at an index.

    Raises:
        ValueError: the index is not below the array's size.
    """
    return lambda handle, index: wrap(_arrays[handle].read(int(index)))


@primitive
def TensorArrayStack(dtype: Any, element_shape: Any, dynamic_size: bool, size: int) -> _Run:
    """Return all tensors along a new first axis; of an array that may not grow with zeros up to its size."""
    return lambda handle: wrap(_arrays[handle].stack())


@primitive
def TensorArrayGather(dtype: Any, element_shape: Any) -> _Run:
    """Return the tensors at indices along a new first axis."""
    return lambda handle, indices: wrap(torch.stack([_arrays[handle].read(int(index)) for index in indices]))


__all__ = functions(globals())
PRIMITIVES = classes(globals())
