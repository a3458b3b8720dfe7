"""Collectives as functions that give new tensors, with gradients. Upstream: ``mindspore.communication.comm_func``.

Ranks that are given are ranks in the world. Where a handle is given beside the result, it is None unless
``async_op=True``; the result is there after its ``wait``, and has no gradient then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat.common._wrap import plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication import _in_place, _in_place_roots, _neighbours, _peers, _start
from mindspore_compat.communication._arguments import (
    checked_group,
    checked_op,
    checked_rank,
    checked_tensor,
    checked_tensors,
    sizes_of,
)
from mindspore_compat.communication._handles import CommHandle

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

_OPS = ("sum", "prod", "min", "max")
_WORLD = "hccl_world_group"


def _later(like: torch.Tensor, shape: tuple[int, ...], begin: Callable[[Any], CommHandle | None]) -> tuple[Any, Any]:
    """(a tensor of that shape that ``begin`` fills, its handle)."""
    output = plain(like).new_empty(shape)
    return wrap(output), begin(output)


def all_reduce(tensor: Any, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """(``tensor`` reduced over the members, handle)."""
    x = checked_tensor(tensor, "all_reduce")
    checked_op(op, "all_reduce", _OPS)
    found = checked_group(group, async_op)
    if async_op:
        output = plain(x).clone()
        return wrap(output), _in_place.all_reduce(output, op, group, True)
    return collectives.all_reduce(x, op, found), None


def all_gather_into_tensor(tensor: Any, group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """(the members' tensors joined along the first axis, handle)."""
    x, found = checked_tensor(tensor, "all_gather_into_tensor"), checked_group(group, async_op)
    if async_op:
        shape = (found.size * x.shape[0], *x.shape[1:]) if x.dim() else (found.size,)
        return _later(x, shape, lambda output: _in_place.all_gather_into_tensor(output, x, group, True))
    return collectives.all_gather(x, found), None


def reduce_scatter_tensor(tensor: Any, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Any, Any]:
    """(this member's part of the first axis of what is reduced, handle)."""
    x = checked_tensor(tensor, "reduce_scatter_tensor")
    checked_op(op, "reduce_scatter_tensor", _OPS)
    found = checked_group(group, async_op)
    if async_op:
        shape = (sizes_of(None, x.shape[0], found.size, "input")[0], *x.shape[1:])
        return _later(x, shape, lambda output: _in_place.reduce_scatter_tensor(output, x, op, group, True))
    return collectives.reduce_scatter(x, op, found), None


def reduce(tensor: Any, dst: int, op: str = "sum", group: str = _WORLD) -> Any:
    """``tensor`` reduced at world rank ``dst``; the others get zeros of shape (1,)."""
    x, found = checked_tensor(tensor, "reduce"), checked_group(group)
    checked_op(op, "reduce", _OPS)
    return collectives.reduce(x, found.group_rank_of(checked_rank(dst, "reduce", "dst")), op, found)


def broadcast(tensor: Any, src: int = 0, group: str = _WORLD) -> Any:
    """``tensor`` as world rank ``src`` has it."""
    x, found = checked_tensor(tensor, "broadcast"), checked_group(group)
    return collectives.broadcast(x, found.group_rank_of(checked_rank(src, "broadcast", "src")), found)


def scatter_tensor(tensor: Any, src: int = 0, group: str = _WORLD) -> Any:
    """This member's part of the first axis of world rank ``src``'s tensor."""
    x, found = checked_tensor(tensor, "scatter_tensor"), checked_group(group)
    return collectives.scatter(x, found.group_rank_of(checked_rank(src, "scatter_tensor", "src")), found)


def gather_into_tensor(tensor: Any, dst: int = 0, group: str = _WORLD) -> Any:
    """The members' tensors joined at world rank ``dst``; the others get zeros of shape (1,)."""
    x, found = checked_tensor(tensor, "gather_into_tensor"), checked_group(group)
    return collectives.gather(x, found.group_rank_of(checked_rank(dst, "gather_into_tensor", "dst")), found)


def barrier(group: str = _WORLD) -> None:
    """Wait for all members."""
    if not isinstance(group, str):
        raise TypeError(f"group must be type of string, but got {type(group)}")
    _in_place_roots.barrier(group)


def all_to_all_with_output_shape(
    output_shape_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> tuple[Any, Any]:
    """(what the members send as their tensor for this one, handle).

    Args:
        output_shape_list: shapes of what comes, or tensors of those shapes.
        input_tensor_list: the i-th tensor goes to member i.
    """
    found = checked_group(group, async_op)
    xs = checked_tensors(input_tensor_list, found.size)
    shapes = [_shape_of(item) for item in _checked_shapes(output_shape_list)]
    flat, send, receive = (
        torch.cat([torch.reshape(x, (-1,)) for x in xs]),
        [x.numel() for x in xs],
        [math.prod(shape) for shape in shapes],
    )
    if async_op:
        outputs = [plain(flat).new_empty(shape) for shape in shapes]
        return wrap(tuple(outputs)), _in_place_roots.all_to_all(outputs, xs, group, True)
    came = collectives.all_to_all_v(flat, send, receive, found)
    parts = torch.split(came, receive)
    return tuple(wrap(torch.reshape(part, shape)) for part, shape in zip(parts, shapes)), None


def _checked_shapes(shapes: Any) -> Any:
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(f"Expected list or tuple, but got {type(shapes)}.")
    for shape in shapes:
        if not isinstance(shape, (torch.Tensor, tuple, list)):
            raise TypeError(f"Expected tensor or tuple, but got {type(shape)}")
    return shapes


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
    """(rows that came from all members, handle): equally many, or as the sizes say.

    Args:
        output_shape: the result's shape, or a tensor of that shape.
    """
    x, found = checked_tensors([tensor])[0], checked_group(group, async_op)
    shape = _shape_of(_checked_shapes([output_shape])[0])
    send = sizes_of(input_split_sizes, x.shape[0], found.size, "input")
    receive = sizes_of(output_split_sizes, shape[0], found.size, "output")
    if async_op:
        return _later(x, shape, lambda output: _in_place_roots.all_to_all_single(output, x, receive, send, group, True))
    return wrap(torch.reshape(collectives.all_to_all_v(x, send, receive, found), shape)), None


def all_to_all_v_c(
    output: Any, input: Any, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> Any:
    """Rows go to all members and come into ``output``; element [i·size + j] of the matrix is what i sends to j. A
    handle, or None.
    """
    x, out = checked_tensors([input])[0], checked_tensors([output])[0]
    found = checked_group(group, async_op)
    if not isinstance(send_count_matrix, list):
        raise TypeError(f"send_count_matrix must be list, but got {type(send_count_matrix)}")
    if not all(isinstance(count, int) for count in send_count_matrix):
        raise TypeError("send_count_matrix elements must be of type int")
    size, own = found.size, found.rank
    if size * size != len(send_count_matrix):
        raise TypeError(f"send_count_matrix must be square matrix, but got {len(send_count_matrix)}.")
    send = send_count_matrix[own * size : (own + 1) * size]
    receive = send_count_matrix[own::size]
    return _in_place_roots.all_to_all_single(out, x, receive, send, group, async_op)


def send(tensor: Any, dst: int = 0, group: str = _WORLD, tag: int = 0) -> None:
    """Send to world rank ``dst``."""
    _peers.send(tensor, dst, group, tag)


def recv(tensor: Any, src: int = 0, group: str = _WORLD, tag: int = 0) -> Any:
    """What world rank ``src`` sends, of the shape and type of ``tensor``."""
    output, handle = irecv(checked_tensor(tensor, "recv"), src, group, tag)
    handle.wait()
    return output


def isend(tensor: Any, dst: int = 0, group: str = _WORLD, tag: int = 0) -> CommHandle:
    """Begin to send to world rank ``dst``."""
    return _peers.isend(tensor, dst, group, tag)


def irecv(tensor: Any, src: int = 0, group: str = _WORLD, tag: int = 0) -> tuple[Any, CommHandle]:
    """(what world rank ``src`` sends, of the shape and type of ``tensor``, handle)."""
    output = torch.empty_like(plain(checked_tensor(tensor, "irecv")))
    return wrap(output), _peers.irecv(output, src, group, tag)


class P2POp:
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
        if not (isinstance(op, str) or callable(op)):
            raise TypeError(f"op must be type of string or function, but got type of {type(op)}")
        name = op if isinstance(op, str) else getattr(op, "__name__", "")
        if name not in ("isend", "irecv"):
            raise ValueError(f"Expected ``op`` to be of type ``isend`` or `irecv``, but got {name}")
        if not isinstance(tensor, (torch.Tensor, tuple)):
            raise TypeError(f"Expected ``tensor`` to be type of tuple or Tensor, but got {type(tensor)}.")
        if tag != 0:
            raise NotImplementedError("``tag`` not support yet.")
        if not isinstance(peer, int):
            raise TypeError(f"peer must be type of int, but got type of {type(peer)}")
        self.op, self.tensor, self.peer, self.group, self.tag, self.recv_dtype = (
            op,
            tensor,
            peer,
            group,
            tag,
            recv_dtype,
        )


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
    """All of them at once; what came at the places of the receives, zeros of shape () at those of the sends."""
    if not isinstance(p2p_op_list, list):
        raise TypeError(f"p2p_op_list must be type of list, but got type of {p2p_op_list}.")
    if not p2p_op_list:
        raise TypeError("p2p_op_list can not be empty list.")
    if not all(isinstance(item, P2POp) for item in p2p_op_list):
        raise TypeError("must be type of P2POp")
    found = checked_group(p2p_op_list[0].group)
    if not _start.is_running():
        raise RuntimeError("For batch_isend_irecv, there is no other process: start several, see docs/distributed.md.")
    kinds = [item.op if isinstance(item.op, str) else item.op.__name__ for item in p2p_op_list]
    peers = [found.group_rank_of(item.peer) for item in p2p_op_list]
    tensors = [item.tensor for item, kind in zip(p2p_op_list, kinds) if kind == "isend"]
    likes = [_like(item, place) for place, (item, kind) in enumerate(zip(p2p_op_list, kinds)) if kind == "irecv"]
    came = iter(
        _neighbours.exchange(
            tensors,
            [peer for peer, kind in zip(peers, kinds) if kind == "isend"],
            [peer for peer, kind in zip(peers, kinds) if kind == "irecv"],
            likes,
            found,
        )
    )
    return tuple(next(came) if kind == "irecv" else wrap(torch.zeros(())) for kind in kinds)
