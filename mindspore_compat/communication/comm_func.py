"""Collectives as functions that return new tensors, with gradients. MindSpore: ``mindspore.communication.comm_func``.

Arguments are world ranks. A handle beside the result is None unless ``async_op=True``; the result then exists after its
``wait``, and has no gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.communication import _collectives, _in_place
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication._in_place import CommHandle, checked_group, checked_tensors, sizes_of

__all__ = [
    "CommHandle",
    "P2POp",
    "all_gather_into_tensor",
    "all_reduce",
    "all_to_all_single_with_output_shape",
    "all_to_all_v_c",
    "all_to_all_with_output_shape",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "gather_into_tensor",
    "irecv",
    "isend",
    "recv",
    "reduce",
    "reduce_scatter_tensor",
    "scatter_tensor",
    "send",
]

_WORLD = "hccl_world_group"


def _later(like: torch.Tensor, shape: tuple[int, ...], begin: Callable[[Any], CommHandle | None]) -> tuple[Any, Any]:
    """Return (a tensor of that shape that ``begin`` fills, its handle)."""
    output = plain(like).new_empty(shape)
    return wrap(output), begin(output)


def all_reduce(tensor: Any, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """Return (``tensor`` reduced over the members, handle)."""
    found = checked_group(group)
    if async_op:
        output = plain(tensor).clone()
        return wrap(output), _in_place.all_reduce(output, op, group, True)
    return collectives.all_reduce(tensor, op, found), None


def all_gather_into_tensor(tensor: Any, group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """Return (the members' tensors joined along the first axis, handle)."""
    found = checked_group(group)
    if async_op:
        shape = (found.size * tensor.shape[0], *tensor.shape[1:]) if tensor.dim() else (found.size,)
        return _later(tensor, shape, lambda output: _in_place.all_gather_into_tensor(output, tensor, group, True))
    return collectives.all_gather(tensor, found), None


def reduce_scatter_tensor(tensor: Any, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """Return (this member's part of the first axis of the reduced tensor, handle)."""
    found = checked_group(group)
    if async_op:
        shape = (sizes_of(None, tensor.shape[0], found.size, "input")[0], *tensor.shape[1:])
        return _later(tensor, shape, lambda output: _in_place.reduce_scatter_tensor(output, tensor, op, group, True))
    return collectives.reduce_scatter(tensor, op, found), None


def reduce(tensor: Any, dst: int, op: str = "sum", group: str = _WORLD) -> Any:
    """Return ``tensor`` reduced at world rank ``dst``; the others get zeros of shape (1,)."""
    found = checked_group(group)
    return collectives.reduce(tensor, found.group_rank_of(dst), op, found)


def broadcast(tensor: Any, src: int = 0, group: str = _WORLD) -> Any:
    """Return the ``tensor`` of world rank ``src``."""
    found = checked_group(group)
    return collectives.broadcast(tensor, found.group_rank_of(src), found)


def scatter_tensor(tensor: Any, src: int = 0, group: str = _WORLD) -> Any:
    """Return this member's part of the first axis of world rank ``src``'s tensor."""
    found = checked_group(group)
    return collectives.scatter(tensor, found.group_rank_of(src), found)


def gather_into_tensor(tensor: Any, dst: int = 0, group: str = _WORLD) -> Any:
    """Return the members' tensors joined at world rank ``dst``; the others get zeros of shape (1,)."""
    found = checked_group(group)
    return collectives.gather(tensor, found.group_rank_of(dst), found)


def barrier(group: str = _WORLD) -> None:
    """Wait for all members."""
    _in_place.barrier(group)


def all_to_all_with_output_shape(
    output_shape_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> tuple[Any, Any]:
    """Return (the members' tensors for this one, handle).

    Args:
        output_shape_list: shapes of what comes, or tensors of those shapes.
        input_tensor_list: the i-th tensor goes to member i.
    """
    found = checked_group(group)
    xs = checked_tensors(input_tensor_list, found.size)
    shapes = [_shape_of(item) for item in output_shape_list]
    flat, send, receive = (
        torch.cat([torch.reshape(x, (-1,)) for x in xs]),
        [x.numel() for x in xs],
        [math.prod(shape) for shape in shapes],
    )
    if async_op:
        outputs = [plain(flat).new_empty(shape) for shape in shapes]
        return wrap(tuple(outputs)), _in_place.all_to_all(outputs, xs, group, True)
    came = collectives.all_to_all_v(flat, send, receive, found)
    parts = torch.split(came, receive)
    return tuple(wrap(torch.reshape(part, shape)) for part, shape in zip(parts, shapes)), None


def _shape_of(value: Any) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, torch.Tensor) else tuple(value)


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Any,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> tuple[Any, Any]:
    """Return (rows from all members, handle): equally many, or by the sizes.

    Args:
        output_shape: the result's shape, or a tensor of that shape.
    """
    found = checked_group(group)
    shape = _shape_of(output_shape)
    send = sizes_of(input_split_sizes, tensor.shape[0], found.size, "input")
    receive = sizes_of(output_split_sizes, shape[0], found.size, "output")
    if async_op:
        return _later(
            tensor, shape, lambda output: _in_place.all_to_all_single(output, tensor, receive, send, group, True)
        )
    return wrap(torch.reshape(collectives.all_to_all_v(tensor, send, receive, found), shape)), None


def all_to_all_v_c(
    output: Any, input: Any, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> Any:
    """Send rows to all members and receive into ``output``; element [i·size + j] of the matrix counts those from i to
    j. Return a handle, or None.
    """
    x, out, found = input, output, checked_group(group)
    size, own = found.size, found.rank
    if size * size != len(send_count_matrix):
        raise TypeError(f"send_count_matrix must be square matrix, but got {len(send_count_matrix)}.")
    send = send_count_matrix[own * size : (own + 1) * size]
    receive = send_count_matrix[own::size]
    return _in_place.all_to_all_single(out, x, receive, send, group, async_op)


def send(tensor: Any, dst: int = 0, group: str = _WORLD, tag: int = 0) -> None:
    """Send to world rank ``dst``."""
    _in_place.send(tensor, dst, group, tag)


def recv(tensor: Any, src: int = 0, group: str = _WORLD, tag: int = 0) -> Any:
    """Return a tensor from world rank ``src``, of the shape and type of ``tensor``."""
    output, handle = irecv(tensor, src, group, tag)
    handle.wait()
    return output


def isend(tensor: Any, dst: int = 0, group: str = _WORLD, tag: int = 0) -> CommHandle:
    """Begin to send to world rank ``dst``."""
    return _in_place.isend(tensor, dst, group, tag)


def irecv(tensor: Any, src: int = 0, group: str = _WORLD, tag: int = 0) -> tuple[Any, CommHandle]:
    """Return (a tensor from world rank ``src``, of the shape and type of ``tensor``, handle)."""
    output = torch.empty_like(plain(tensor))
    return wrap(output), _in_place.irecv(output, src, group, tag)


class P2POp(_in_place.P2POp):
    """One send or receive of `batch_isend_irecv`.

    Args:
        op: "isend", "irecv", or the function of that name.
        tensor: what is sent, or a tensor of the shape and type of what comes, or its shape.
        peer: a world rank.
        recv_dtype: the type of what comes, where ``tensor`` is a shape.
    """

    def __init__(
        self, op: Any, tensor: Any, peer: int, group: str | None = None, tag: int = 0, *, recv_dtype: Any = None
    ) -> None:
        super().__init__(op, tensor, peer, group, tag)
        self.recv_dtype = recv_dtype


def _like(item: P2POp, place: int) -> torch.Tensor:
    if isinstance(item.tensor, torch.Tensor):
        return item.tensor
    if item.recv_dtype is None:
        raise ValueError(
            f"'recv_dtype' of {place}th P2POp in p2p_op_list is None but op_types is'irecv' and P2POp.tensor is a "
            "tuple type."
        )
    return torch.empty(item.tensor, dtype=to_torch_dtype(item.recv_dtype), device=current_device())


def batch_isend_irecv(p2p_op_list: Any) -> tuple[Any, ...]:
    """Run all of them at once; return the received tensors, and zeros of shape () at the places of sends."""
    found = checked_group(p2p_op_list[0].group)
    kinds = [item.op if isinstance(item.op, str) else item.op.__name__ for item in p2p_op_list]
    peers = [found.group_rank_of(item.peer) for item in p2p_op_list]
    tensors = [item.tensor for item, kind in zip(p2p_op_list, kinds) if kind == "isend"]
    likes = [_like(item, place) for place, (item, kind) in enumerate(zip(p2p_op_list, kinds)) if kind == "irecv"]
    came = iter(
        _collectives.exchange(
            tensors,
            [peer for peer, kind in zip(peers, kinds) if kind == "isend"],
            [peer for peer, kind in zip(peers, kinds) if kind == "irecv"],
            likes,
            found,
        )
    )
    return tuple(next(came) if kind == "irecv" else wrap(torch.zeros(())) for kind in kinds)
