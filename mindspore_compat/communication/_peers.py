"""Sends and receives between two members, with handles; ranks are those in the world."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.communication import _start
from mindspore_compat.communication._arguments import (
    checked_group,
    checked_rank,
    checked_tensor,
)
from mindspore_compat.communication._collectives import calling, sendable
from mindspore_compat.communication._groups import Group
from mindspore_compat.communication._handles import (
    CommHandle,
    write,
)

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def _peer(rank: Any, owner: str, name: str, group: str | None) -> Group:
    checked_rank(rank, owner, name)
    found = checked_group(group)
    found.group_rank_of(rank)
    if not _start.is_running():
        raise RuntimeError(f"For {owner}, there is no other process: start several, see docs/distributed.md.")
    return found


def isend(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to send to world rank ``dst``."""
    x, found = checked_tensor(tensor, "isend"), _peer(dst, "isend", "dst", group)
    if dst == _start.world_rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    with calling("isend"):
        return CommHandle([dist.isend(sendable(x), dst, found.handle, tag)], None, "isend")


def irecv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to receive from world rank ``src`` into ``tensor``."""
    x, found = checked_tensor(tensor, "irecv"), _peer(src, "irecv", "src", group)
    buffer = torch.empty_like(sendable(x))
    with calling("irecv"):
        work = dist.irecv(buffer, src, found.handle, tag)
    return CommHandle([work], lambda: write(x, buffer), "irecv")


def send(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send to world rank ``dst``."""
    isend(tensor, dst, group, tag).wait()


def recv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Receive from world rank ``src`` into ``tensor``; gives 0."""
    irecv(tensor, src, group, tag).wait()
    return 0


class P2POp:
    """One send or receive of `batch_isend_irecv`.

    Args:
        op: "isend", "irecv", or the function of that name.
        peer: a world rank.
    """

    def __init__(self, op: Any, tensor: Any, peer: int, group: str | None = None, tag: int = 0) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", "")
        if name not in ("isend", "irecv"):
            raise TypeError(f"Expected op to be of type isend or irecv, but got {op}")
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"Expected tensor to be Tensor, but got {type(tensor)}.")
        checked_rank(peer, "P2POp", "peer")
        if tag != 0:
            raise NotImplementedError("tag is not support yet.")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag


def batch_isend_irecv(p2p_op_list: Any) -> list[CommHandle]:
    """Begin all of them at once; the one handle waits for all."""
    if not p2p_op_list:
        raise TypeError("p2p_op_list can not be empty list.")
    if not all(isinstance(item, P2POp) for item in p2p_op_list):
        raise TypeError("The elements in p2p_op_list must be type of P2POp.")
    if any(item.group != p2p_op_list[0].group for item in p2p_op_list):
        raise TypeError("The group name in p2p_op_list must be consistent.")
    handles = []
    for item in p2p_op_list:
        run = irecv if (item.op if isinstance(item.op, str) else item.op.__name__) == "irecv" else isend
        handles.append(run(item.tensor, item.peer, item.group))

    def finish() -> None:
        for handle in handles:
            handle.wait()

    return [CommHandle((), finish, "batch_isend_irecv")]
