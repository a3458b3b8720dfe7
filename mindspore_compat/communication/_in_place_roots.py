"""Collectives with a root, and exchanges of all with all, that write into the tensors that they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.common._wrap import plain
from mindspore_compat.communication import _start
from mindspore_compat.communication._arguments import (
    checked_group,
    checked_rank,
    checked_tensor,
    checked_tensors,
    sizes_of,
)
from mindspore_compat.communication._collectives import calling, sendable
from mindspore_compat.communication._groups import Group
from mindspore_compat.communication._handles import (
    CommHandle,
    check_elements,
    done,
    exchanged,
    spread,
    write,
)

__all__ = [
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "gather",
    "gather_into_tensor",
    "scatter",
    "scatter_tensor",
]


def scatter_tensor(
    output_tensor: Any, input_tensor: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """This member's part of the first axis of what world rank ``src`` has."""
    x, out = (
        checked_tensor(input_tensor, "scatter_tensor"),
        checked_tensor(output_tensor, "scatter_tensor", "output"),
    )
    found = checked_group(group, async_op)
    checked_rank(src, "scatter_tensor", "src")
    return _scattered("scatter_tensor", out, list(torch.chunk(plain(x), found.size)), src, found, async_op)


def scatter(
    tensor: Any, scatter_list: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The i-th tensor of the list of world rank ``src`` into member i's ``tensor``."""
    parts = checked_tensors(scatter_list or [], same_shape=True)
    out = checked_tensor(tensor, "scatter", "output")
    checked_rank(src, "scatter", "src")
    found = checked_group(group, async_op)
    if found.group_rank_of(src) == found.rank:
        checked_tensors(parts, found.size)
        _matches(parts[0], out)
    return _scattered("scatter", out, list(parts), src, found, async_op)


def _matches(first: torch.Tensor, tensor: torch.Tensor) -> None:
    if first.dtype is not tensor.dtype:
        raise TypeError(f"The argument list tensor type must be equal to tensor type, but got {first.dtype}.")
    if first.shape != tensor.shape:
        raise TypeError(f"The argument list tensor shape must be equal to tensor shape, but got {tuple(first.shape)}.")


def _scattered(
    owner: str, out: torch.Tensor, parts: list[torch.Tensor], src: int, group: Group, async_op: bool
) -> CommHandle | None:
    root = group.group_rank_of(src)
    if not _start.is_running():
        return done(owner, [], lambda: write(out, parts[0]), async_op)
    buffer = torch.empty_like(sendable(out))
    given = [sendable(part).reshape(tuple(buffer.shape)) for part in parts] if group.rank == root else None
    with calling(owner):
        work = dist.scatter(buffer, given, src, group.handle, async_op=True)
    return done(owner, [work], lambda: write(out, buffer), async_op)


def gather_into_tensor(
    output_tensor: Any, input_tensor: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Join the members' tensors along the first axis into world rank ``dst``'s ``output_tensor``."""
    x = checked_tensor(input_tensor, "gather_into_tensor")
    out = checked_tensor(output_tensor, "gather_into_tensor", "output")
    checked_rank(dst, "gather_into_tensor", "dst")
    found = checked_group(group, async_op)
    outs: list[torch.Tensor] = []
    if found.group_rank_of(dst) == found.rank:
        check_elements(out, found.size * x.numel(), "gather_into_tensor")
        outs = list(torch.chunk(plain(out).view(-1), found.size))
    return _gathered("gather_into_tensor", x, outs, dst, found, async_op)


def gather(
    tensor: Any, gather_list: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The members' tensors into the list of world rank ``dst``."""
    x, outs = checked_tensor(tensor, "gather"), checked_tensors(gather_list or [], same_shape=True)
    checked_rank(dst, "gather", "dst")
    found = checked_group(group, async_op)
    if found.group_rank_of(dst) == found.rank:
        checked_tensors(outs, found.size)
        _matches(outs[0], x)
    return _gathered("gather", x, outs, dst, found, async_op)


def _gathered(
    owner: str, x: torch.Tensor, outs: Sequence[torch.Tensor], dst: int, group: Group, async_op: bool
) -> CommHandle | None:
    is_dst = group.group_rank_of(dst) == group.rank
    sent = sendable(x)
    buffers = [torch.empty_like(sent) for _ in range(group.size)] if is_dst else None
    if not _start.is_running():
        return done(owner, [], lambda: write(outs[0], sent), async_op)
    with calling(owner):
        work = dist.gather(sent, buffers, dst, group.handle, async_op=True)

    def finish() -> None:
        for out, buffer in zip(outs, buffers or ()):
            write(out, buffer)

    return done(owner, [work], finish, async_op)


def all_to_all(
    output_tensor_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """The i-th tensor of the inputs goes to member i; what comes goes into the outputs."""
    found = checked_group(group, async_op)
    xs, outs = checked_tensors(input_tensor_list, found.size), checked_tensors(output_tensor_list, found.size)
    flat = torch.cat([plain(x).reshape(-1) for x in xs])
    send, receive = [x.numel() for x in xs], [out.numel() for out in outs]
    return exchanged("all_to_all", flat, send, receive, found, lambda came: spread(came, outs), async_op)


def all_to_all_single(
    output: Any,
    input: Any,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """Rows of the first axis go to the members, equally or as the sizes say; what comes goes into ``output``."""
    x, out = checked_tensors([input])[0], checked_tensors([output])[0]
    found = checked_group(group, async_op)
    send = sizes_of(input_split_sizes, x.shape[0], found.size, "input")
    receive = sizes_of(output_split_sizes, out.shape[0], found.size, "output")
    return exchanged("all_to_all_single", x, send, receive, found, lambda came: write(out, came), async_op)


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> CommHandle | None:
    """Wait for all members; ``device_ids`` is without effect."""
    found = checked_group(group, async_op)
    if not _start.is_running():
        return CommHandle() if async_op else None
    with calling("barrier"):
        work = dist.barrier(found.handle, async_op=True)
    return done("barrier", [work], lambda: None, async_op)
