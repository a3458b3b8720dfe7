"""Replay buffers and queues behind handles, returns, and messages between actors and learners. MindSpore:
``mindspore.ops.operations._rl_inner_ops``, which mindrl imports.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.communication import _groups, _start
from mindspore_compat.communication._collectives import sendable
from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import Int, PositiveInt, primitive
from mindspore_compat.ops._declare import plain as operator
from mindspore_compat.ops.operations._recurrent_ops import CudnnGRU  # noqa: F401
from mindspore_compat.ops.operations._stores import PriorityBuffer, ReservoirBuffer, Store, TensorQueue

__all__ = """
    BatchAssign CudnnGRU DiscountedReturn MuxReceive MuxSend PriorityReplayBufferCreate PriorityReplayBufferDestroy
    PriorityReplayBufferPush PriorityReplayBufferSample PriorityReplayBufferUpdate ReservoirReplayBufferCreate
    ReservoirReplayBufferDestroy ReservoirReplayBufferPush ReservoirReplayBufferSample TensorsQueueClear
    TensorsQueueClose TensorsQueueCreate TensorsQueueGet TensorsQueuePut TensorsQueueSize
""".split()

_Run = Callable[..., Any]
_WORLD = "hccl_world_group"
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


def _clear(handle: Any) -> None:
    """Empty a queue, which stays."""
    _queues[handle].items.clear()


def _close(handle: Any) -> None:
    """Let a queue go."""
    _queues.drop(handle)


TensorsQueueSize = operator("TensorsQueueSize", _size)
TensorsQueueClear = operator("TensorsQueueClear", _clear)
TensorsQueueClose = operator("TensorsQueueClose", _close)


# --- parameters and returns -------------------------------------------------------------------------------------------


@primitive
def BatchAssign(lock: bool = True) -> _Run:
    """Assign each Parameter of a second tuple to that of a first one.

    Raises:
        ValueError: the tuples have other lengths or shapes.
    """

    def run(dst_model: Any, source_model: Any) -> None:
        for target, source in zip(dst_model, source_model, strict=True):
            F.assign(target, source)

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


__getattr__ = module_getattr(
    __name__,
    unsupported=dict.fromkeys(
        ("EnvCreate", "EnvReset", "EnvStep"),
        "MindSpore has an environment for GPUs inside. Wrap one in Python with `PyFunc`.",
    ),
)
