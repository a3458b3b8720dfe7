"""Communications that go on, and what writes their results into the tensors that a caller gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat.common._program import program
from mindspore_compat.common._wrap import plain
from mindspore_compat.communication import _start
from mindspore_compat.communication._collectives import calling, sendable
from mindspore_compat.communication._groups import Group

__all__ = ["CommHandle", "check_elements", "check_type_of", "done", "exchanged", "spread", "write"]


class CommHandle:
    """A communication that goes on; its results are there after `wait`."""

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
    """The handle, or None once it is done."""
    handle = CommHandle(works, finish, owner)
    if async_op:
        return handle
    handle.wait()
    return None


def write(target: torch.Tensor, value: torch.Tensor) -> None:
    """Into the tensor that a caller gave."""
    plain(target).copy_(value.reshape(tuple(target.shape)))
    program.values_written()


def check_elements(output: torch.Tensor, count: int, owner: str) -> None:
    """Raise a ValueError unless the output has so many."""
    if output.numel() != count:
        raise ValueError(f"For {owner}, the output must have {count} elements, but its shape is {tuple(output.shape)}.")


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
    """``send[i]`` rows of ``sent`` go to member i; ``finish`` gets what comes."""
    x = sendable(sent)
    buffer, works = x.new_empty((sum(receive), *x.shape[1:])), []
    if _start.is_running():
        with calling(owner):
            works = [dist.all_to_all_single(buffer, x, list(receive), list(send), group.handle, async_op=True)]
    else:
        buffer.copy_(x)
    return done(owner, works, lambda: finish(buffer), async_op)


def spread(flat: torch.Tensor, outs: Sequence[torch.Tensor]) -> None:
    """The parts of a flat tensor into tensors."""
    for out, part in zip(outs, torch.split(flat, [out.numel() for out in outs])):
        write(out, part)
