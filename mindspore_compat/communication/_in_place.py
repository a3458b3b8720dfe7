"""Collectives of all members into the tensors that they are given, without gradients: ``mint.distributed``'s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.common._wrap import plain
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication import _start
from mindspore_compat.communication._arguments import (
    checked_group,
    checked_op,
    checked_rank,
    checked_tensor,
    checked_tensors,
    sizes_of,
)
from mindspore_compat.communication._collectives import calling, sendable, torch_op
from mindspore_compat.communication._groups import Group
from mindspore_compat.communication._handles import (
    CommHandle,
    check_elements,
    check_type_of,
    done,
    exchanged,
    spread,
    write,
)

__all__ = [
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_reduce",
    "broadcast",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
]


def all_reduce(tensor: Any, op: str = "sum", group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Reduce ``tensor`` over the members, in place: "sum", "prod", "min", "max" or "avg"."""
    x = checked_tensor(tensor, "all_reduce")
    checked_op(op, "all_reduce")
    found = checked_group(group, async_op)
    if not _start.is_running():
        return CommHandle() if async_op else None
    buffer = sendable(x).clone()
    with calling("all_reduce"):
        work = dist.all_reduce(buffer, torch_op(op), found.handle, async_op=True)
    return done("all_reduce", [work], lambda: write(x, buffer / found.size if op == "avg" else buffer), async_op)


def reduce(
    tensor: Any, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce ``tensor`` over the members, into the one of world rank ``dst``; the others' stay as they are."""
    x = checked_tensor(tensor, "reduce")
    checked_rank(dst, "reduce", "dst")
    checked_op(op, "reduce")
    found = checked_group(group, async_op)
    if not _start.is_running():
        return CommHandle() if async_op else None
    is_dst = found.group_rank_of(dst) == found.rank
    buffer = sendable(x).clone()
    with calling("reduce"):
        work = dist.reduce(buffer, dst, torch_op(op), found.handle, async_op=True)

    def finish() -> None:
        if is_dst:
            write(x, buffer / found.size if op == "avg" else buffer)

    return done("reduce", [work], finish, async_op)


def broadcast(tensor: Any, src: int, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Give all members the ``tensor`` of world rank ``src``, in place."""
    x = checked_tensor(tensor, "broadcast")
    checked_rank(src, "broadcast", "src")
    found = checked_group(group, async_op)
    found.group_rank_of(src)
    if not _start.is_running():
        return CommHandle() if async_op else None
    buffer = sendable(x).clone()
    with calling("broadcast"):
        work = dist.broadcast(buffer, src, found.handle, async_op=True)
    return done("broadcast", [work], lambda: write(x, buffer), async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Join the members' tensors along the first axis into ``output_tensor``."""
    x = checked_tensor(input_tensor, "all_gather_into_tensor")
    out = checked_tensor(output_tensor, "all_gather_into_tensor", "output")
    found = checked_group(group, async_op)
    check_elements(out, found.size * x.numel(), "all_gather_into_tensor")
    check_type_of(out, x.dtype, "all_gather_into_tensor")
    sent = sendable(x).reshape(-1)
    if not _start.is_running():
        return done("all_gather_into_tensor", [], lambda: write(out, sent), async_op)
    buffer = sent.new_empty(found.size * sent.numel())
    with calling("all_gather_into_tensor"):
        work = collectives.gather_single(buffer, sent, found.handle, async_op=True)
    return done("all_gather_into_tensor", [work], lambda: write(out, buffer), async_op)


def all_gather_into_tensor_uneven(
    output: Any, input: Any, output_split_sizes: Any = None, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """`all_gather_into_tensor` of tensors whose first axes are ``output_split_sizes``."""
    x, out = checked_tensor(input, "all_gather_into_tensor_uneven"), checked_tensor(output, "all_gather", "output")
    found = checked_group(group, async_op)
    receive = sizes_of(output_split_sizes, out.shape[0], found.size, "output")
    if receive[found.rank] != x.shape[0]:
        raise ValueError(
            f"For all_gather_into_tensor_uneven, the input of this member must have {receive[found.rank]} rows, but "
            f"its shape is {tuple(x.shape)}."
        )
    all_, one = torch.cat([plain(x)] * found.size), [x.shape[0]] * found.size
    return exchanged("all_gather_into_tensor_uneven", all_, one, receive, found, lambda y: write(out, y), async_op)


def all_gather(tensor_list: Any, tensor: Any, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """The members' tensors into the tensors of a list; their shapes may differ."""
    outs = checked_tensors(tensor_list)
    x, found = checked_tensor(tensor, "all_gather"), checked_group(group, async_op)
    checked_tensors(outs, found.size)
    if outs[found.rank].shape != x.shape:
        raise TypeError(
            f"For all_gather, the output shape should be {tuple(outs[found.rank].shape)}, but got {tuple(x.shape)}."
        )
    check_type_of(outs[0], x.dtype, "all_gather")
    flat, sizes = plain(x).reshape(-1), [out.numel() for out in outs]
    one, all_ = [flat.numel()] * found.size, torch.cat([flat] * found.size)
    return exchanged("all_gather", all_, one, sizes, found, lambda came: spread(came, outs), async_op)


def _reduced_from_all(
    owner: str, out: torch.Tensor, sent: torch.Tensor, sizes: Sequence[int], op: str, group: Group, async_op: bool
) -> CommHandle | None:
    own = sizes[group.rank]

    def finish(came: torch.Tensor) -> None:
        parts = torch.stack(torch.split(came, own)) if own else came.reshape(group.size, *came.shape)
        write(out, collectives.reduced(parts, op).to(out.dtype))

    return exchanged(owner, sent, sizes, [own] * group.size, group, finish, async_op)


def reduce_scatter_tensor(
    output: Any, input: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce ``input`` over the members; this one's part of the first axis into ``output``."""
    x, out = (
        checked_tensor(input, "reduce_scatter_tensor"),
        checked_tensor(output, "reduce_scatter_tensor", "output"),
    )
    checked_op(op, "reduce_scatter_tensor")
    found = checked_group(group, async_op)
    check_elements(out, x.numel() // found.size, "reduce_scatter_tensor")
    check_type_of(out, x.dtype, "reduce_scatter_tensor")
    sizes_of(None, x.shape[0], found.size, "input")
    if not _start.is_running():
        return done("reduce_scatter_tensor", [], lambda: write(out, plain(x)), async_op)
    sent = sendable(x)
    buffer = sent.new_empty((sent.shape[0] // found.size, *sent.shape[1:]))
    with calling("reduce_scatter_tensor"):
        work = collectives.scatter_single(buffer, sent, torch_op(op), found.handle, async_op=True)
    finish = lambda: write(out, buffer / found.size if op == "avg" else buffer)  # noqa: E731
    return done("reduce_scatter_tensor", [work], finish, async_op)


def reduce_scatter_tensor_uneven(
    output: Any,
    input: Any,
    input_split_sizes: Any = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> CommHandle | None:
    """`reduce_scatter_tensor` whose parts have ``input_split_sizes`` rows."""
    checked_op(op, "reduce_scatter_tensor_uneven", ("sum", "min", "max", "avg"))
    x = checked_tensor(input, "reduce_scatter_tensor_uneven")
    out = checked_tensor(output, "reduce_scatter_tensor_uneven", "output")
    found = checked_group(group, async_op)
    sizes = sizes_of(input_split_sizes, x.shape[0], found.size, "input")
    return _reduced_from_all("reduce_scatter_tensor_uneven", out, x, sizes, op, found, async_op)


def reduce_scatter(
    output: Any, input_list: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce the tensors of a list over the members; member i's gets the i-th into ``output``."""
    xs, out = checked_tensors(input_list), checked_tensor(output, "reduce_scatter", "output")
    checked_op(op, "reduce_scatter")
    found = checked_group(group, async_op)
    checked_tensors(xs, found.size)
    if out.shape != xs[found.rank].shape:
        raise TypeError(
            f"For reduce_scatter, the output shape should be {tuple(xs[found.rank].shape)}, but got {tuple(out.shape)}."
        )
    check_type_of(out, xs[0].dtype, "reduce_scatter")
    flat = torch.cat([plain(x).reshape(-1) for x in xs])
    return _reduced_from_all("reduce_scatter", out, flat, [x.numel() for x in xs], op, found, async_op)
