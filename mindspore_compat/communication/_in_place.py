"""Collectives of all members into given tensors, without gradients, and their handles, for ``mint.distributed``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication import _groups, _start
from mindspore_compat.communication._collectives import calling, sendable, torch_op
from mindspore_compat.communication._groups import Group
from mindspore_compat.communication.management import _need_init


def checked_group(group: str | None) -> Group:
    """Return the group of that name, None the world."""
    _need_init()
    return _groups.find("hccl_world_group" if group is None else group)


def checked_tensors(values: Sequence[torch.Tensor], size: int) -> Sequence[torch.Tensor]:
    """Return ``values``, if they are of one type, and as many as the group has members."""
    types = {value.dtype for value in values}
    if len(types) > 1 or len(values) != size:
        raise TypeError(
            f"{size} tensors of one dtype are needed, one for each member, but got {len(values)} of {types}."
        )
    return values


def sizes_of(splits: Any, length: int, size: int, what: str) -> list[int]:
    """Return the number of rows of an axis for each member; without ``splits`` all are equal."""
    if not splits:
        if length % size:
            raise ValueError(f"{what} shape at dim 0 must be divided by world_size, but got {length} and {size}.")
        return [length // size] * size
    if len(splits) != size or sum(splits) != length:
        raise ValueError(
            f"The split sizes of the {what} must be {size} numbers with the sum {length}, but got {list(splits)}."
        )
    return [int(item) for item in splits]


class CommHandle:
    """Running communication; its results exist after `wait`."""

    def __init__(self, works: Sequence[Any] = (), finish: Callable[[], None] | None = None, owner: str = "") -> None:
        self._works, self._finish, self._owner = works, finish, owner

    def wait(self) -> None:
        """Wait for its end; a second time does nothing."""
        works, self._works, finish, self._finish = self._works, (), self._finish, None
        with calling(self._owner or "wait"):
            for work in works:
                if work is not None:
                    work.wait()
        if finish is not None:
            finish()

    def __repr__(self) -> str:
        return f"CommHandle(handle={'done' if not self._works else self._owner})"


def done(owner: str, works: Sequence[Any], finish: Callable[[], None], async_op: bool) -> CommHandle | None:
    """Return the handle, or None once it is done."""
    handle = CommHandle(works, finish, owner)
    if async_op:
        return handle
    handle.wait()
    return None


def write(target: torch.Tensor, value: torch.Tensor) -> None:
    """Write into a caller's tensor."""
    plain(target).copy_(value.reshape(tuple(target.shape)))
    program.values_written()


def check_type_of(output: torch.Tensor, dtype: torch.dtype, owner: str) -> None:
    """Raise a TypeError unless the output has that type."""
    if output.dtype is not dtype:
        raise TypeError(f"For {owner}, the output dtype should be {dtype}, but got {output.dtype}.")


def exchanged(
    owner: str,
    sent: torch.Tensor,
    send: Sequence[int],
    receive: Sequence[int],
    group: Group,
    finish: Callable[[torch.Tensor], None],
    async_op: bool,
) -> CommHandle | None:
    """Send ``send[i]`` rows of ``sent`` to member i; pass the received ones to ``finish``."""
    x = sendable(sent)
    buffer, works = x.new_empty((sum(receive), *x.shape[1:])), []
    if _start.is_running():
        with calling(owner):
            works = [dist.all_to_all_single(buffer, x, list(receive), list(send), group.handle, async_op=True)]
    else:
        buffer.copy_(x)
    return done(owner, works, lambda: finish(buffer), async_op)


def spread(flat: torch.Tensor, outs: Sequence[torch.Tensor]) -> None:
    """Copy the parts of a flat tensor into tensors."""
    for out, part in zip(outs, torch.split(flat, [out.numel() for out in outs])):
        write(out, part)


def handle_for(peer: int, group: str | None) -> Any:
    """Return torch's group to reach another process in."""
    found = checked_group(group)
    found.group_rank_of(peer)
    if peer == _start.world_rank():
        raise ValueError(f"Invalid destination rank: {peer} is the rank of the current process.")
    return found.handle


def isend(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to send to world rank ``dst``."""
    handle = handle_for(dst, group)
    with calling("isend"):
        return CommHandle([dist.isend(sendable(tensor), dst, handle, tag)], None, "isend")


def irecv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> CommHandle:
    """Begin to receive from world rank ``src`` into ``tensor``."""
    handle, buffer = handle_for(src, group), torch.empty_like(sendable(tensor))
    with calling("irecv"):
        work = dist.irecv(buffer, src, handle, tag)
    return CommHandle([work], lambda: write(tensor, buffer), "irecv")


def send(tensor: Any, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send to world rank ``dst``."""
    isend(tensor, dst, group, tag).wait()


def recv(tensor: Any, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Receive from world rank ``src`` into ``tensor``; return 0."""
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
        if tag != 0:
            raise NotImplementedError("tag is not support yet.")
        self.op, self.tensor, self.peer, self.group, self.tag = op, tensor, peer, group, tag


def batch_isend_irecv(p2p_op_list: Any) -> list[CommHandle]:
    """Begin all of them at once; the one handle waits for all."""
    handles = []
    for item in p2p_op_list:
        run = irecv if (item.op if isinstance(item.op, str) else item.op.__name__) == "irecv" else isend
        handles.append(run(item.tensor, item.peer, item.group))

    def finish() -> None:
        for handle in handles:
            handle.wait()

    return [CommHandle((), finish, "batch_isend_irecv")]


def scatter_tensor(
    output_tensor: Any, input_tensor: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Receive this member's part of the first axis of world rank ``src``'s tensor."""
    found = checked_group(group)
    parts = list(torch.chunk(plain(input_tensor), found.size))
    return _scattered("scatter_tensor", output_tensor, parts, src, found, async_op)


def scatter(
    tensor: Any, scatter_list: Any, src: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Send the i-th tensor of the list of world rank ``src`` into member i's ``tensor``."""
    found, parts = checked_group(group), scatter_list or []
    if found.group_rank_of(src) == found.rank:
        checked_tensors([*parts, tensor], found.size + 1)
    return _scattered("scatter", tensor, list(parts), src, found, async_op)


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
    found, outs = checked_group(group), []
    if found.group_rank_of(dst) == found.rank:
        outs = list(plain(output_tensor).view(found.size, input_tensor.numel()))
    return _gathered("gather_into_tensor", input_tensor, outs, dst, found, async_op)


def gather(
    tensor: Any, gather_list: Any, dst: int = 0, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Gather the members' tensors into the list of world rank ``dst``."""
    found, outs = checked_group(group), gather_list or []
    if found.group_rank_of(dst) == found.rank:
        checked_tensors([*outs, tensor], found.size + 1)
    return _gathered("gather", tensor, outs, dst, found, async_op)


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
    """Send the i-th tensor of the inputs to member i; write the received ones into the outputs."""
    found = checked_group(group)
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
    """Send rows of the first axis to the members, equally or by the sizes; receive into ``output``."""
    x, out, found = input, output, checked_group(group)
    send = sizes_of(input_split_sizes, x.shape[0], found.size, "input")
    receive = sizes_of(output_split_sizes, out.shape[0], found.size, "output")
    return exchanged("all_to_all_single", x, send, receive, found, lambda came: write(out, came), async_op)


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> CommHandle | None:
    """Wait for all members; ``device_ids`` is without effect."""
    found = checked_group(group)
    if not _start.is_running():
        return CommHandle() if async_op else None
    with calling("barrier"):
        work = dist.barrier(found.handle, async_op=True)
    return done("barrier", [work], lambda: None, async_op)


def all_reduce(tensor: Any, op: str = "sum", group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Reduce ``tensor`` over the members, in place: "sum", "prod", "min", "max" or "avg"."""
    found = checked_group(group)
    if not _start.is_running():
        return CommHandle() if async_op else None
    buffer = sendable(tensor).clone()
    with calling("all_reduce"):
        work = dist.all_reduce(buffer, torch_op(op), found.handle, async_op=True)
    return done("all_reduce", [work], lambda: write(tensor, buffer / found.size if op == "avg" else buffer), async_op)


def reduce(
    tensor: Any, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce ``tensor`` over the members, into the one of world rank ``dst``; the others' stay as they are."""
    found = checked_group(group)
    if not _start.is_running():
        return CommHandle() if async_op else None
    is_dst = found.group_rank_of(dst) == found.rank
    buffer = sendable(tensor).clone()
    with calling("reduce"):
        work = dist.reduce(buffer, dst, torch_op(op), found.handle, async_op=True)

    def finish() -> None:
        if is_dst:
            write(tensor, buffer / found.size if op == "avg" else buffer)

    return done("reduce", [work], finish, async_op)


def broadcast(tensor: Any, src: int, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Give all members the ``tensor`` of world rank ``src``, in place."""
    found = checked_group(group)
    found.group_rank_of(src)
    if not _start.is_running():
        return CommHandle() if async_op else None
    buffer = sendable(tensor).clone()
    with calling("broadcast"):
        work = dist.broadcast(buffer, src, found.handle, async_op=True)
    return done("broadcast", [work], lambda: write(tensor, buffer), async_op)


def all_gather_into_tensor(
    output_tensor: Any, input_tensor: Any, group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Join the members' tensors along the first axis into ``output_tensor``."""
    x, out = input_tensor, output_tensor
    found = checked_group(group)
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
    """Run `all_gather_into_tensor` of tensors whose first axes are ``output_split_sizes``."""
    x, out = input, output
    found = checked_group(group)
    receive = sizes_of(output_split_sizes, out.shape[0], found.size, "output")
    if receive[found.rank] != x.shape[0]:
        raise ValueError(
            f"For all_gather_into_tensor_uneven, the input of this member must have {receive[found.rank]} rows, but "
            f"its shape is {tuple(x.shape)}."
        )
    all_, one = torch.cat([plain(x)] * found.size), [x.shape[0]] * found.size
    return exchanged("all_gather_into_tensor_uneven", all_, one, receive, found, lambda y: write(out, y), async_op)


def all_gather(tensor_list: Any, tensor: Any, group: str | None = None, async_op: bool = False) -> CommHandle | None:
    """Gather the members' tensors into the tensors of a list; their shapes may differ."""
    x, found = tensor, checked_group(group)
    outs = checked_tensors(tensor_list, found.size)
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
    """Reduce ``input`` over the members; write this one's part of the first axis into ``output``."""
    x, out = input, output
    found = checked_group(group)
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
    """Run `reduce_scatter_tensor` with parts of ``input_split_sizes`` rows."""
    x, out = input, output
    found = checked_group(group)
    sizes = sizes_of(input_split_sizes, x.shape[0], found.size, "input")
    return _reduced_from_all("reduce_scatter_tensor_uneven", out, x, sizes, op, found, async_op)


def reduce_scatter(
    output: Any, input_list: Any, op: str = "sum", group: str | None = None, async_op: bool = False
) -> CommHandle | None:
    """Reduce the tensors of a list over the members; member i receives the i-th in ``output``."""
    found = checked_group(group)
    xs, out = checked_tensors(input_list, found.size), output
    check_type_of(out, xs[0].dtype, "reduce_scatter")
    flat = torch.cat([plain(x).reshape(-1) for x in xs])
    return _reduced_from_all("reduce_scatter", out, flat, [x.numel() for x in xs], op, found, async_op)
