"""Handles of running communications, and writes of their results into a caller's tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.communication import _groups, _start
from mindspore_compat.communication._collectives import calling, sendable
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
