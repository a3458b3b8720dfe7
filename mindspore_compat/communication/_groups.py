"""Groups of processes by name."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch.distributed as dist

from mindspore_compat.communication._start import is_running, world_rank, world_size

WORLD_NAMES = ("hccl_world_group", "nccl_world_group", "mccl_world_group")


@dataclass(frozen=True)
class Group:
    """Group of the run's processes.

    Attributes:
        name: its name.
        ranks: the members' world ranks; a member's rank in the group is its place here.
        handle: torch's group; None: the world's, or of one process.
    """

    name: str
    ranks: tuple[int, ...]
    handle: Any = None

    @property
    def size(self) -> int:
        return len(self.ranks)

    @property
    def rank(self) -> int:
        """Rank of this process in the group.

        Raises:
            RuntimeError: if it is no member.
        """
        own = world_rank()
        if own not in self.ranks:
            raise RuntimeError(f"Group {self.name} doesn't include this rank {own} process.")
        return self.ranks.index(own)

    def world_rank_of(self, group_rank: int) -> int:
        if not 0 <= group_rank < self.size:
            raise RuntimeError(f"Group {self.name} doesn't contain the group rank {group_rank}")
        return self.ranks[group_rank]

    def group_rank_of(self, rank: int) -> int:
        if rank not in self.ranks:
            raise RuntimeError(f"Group {self.name} doesn't contain the global rank {rank}")
        return self.ranks.index(rank)


_groups: dict[str, Group] = {}
_made: Counter[tuple[Any, ...]] = Counter()  # counts: a group may be destroyed and made again
_ANY_ORDER = "sort_ranks" in inspect.signature(dist.new_group).parameters if dist.is_available() else False


def find(name: str) -> Group:
    """Return the group of that name.

    Raises:
        RuntimeError: if there is none.
    """
    if name in _groups:
        return _groups[name]
    if name in WORLD_NAMES:
        return Group(name, tuple(range(world_size())))
    raise RuntimeError(f"The group {name} does not exist. Create it with create_group first.")


def create(name: str, ranks: list[int]) -> None:
    """Create the group; all its members must call it, others may."""
    if name in _groups:
        if list(_groups[name].ranks) != ranks:
            raise ValueError(
                f"The group {name} has been created, the rank_list is {list(_groups[name].ranks)}, but current "
                f"rank_list for the group is {ranks}"
            )
        return
    size = world_size()
    if not all(0 <= rank < size for rank in ranks):
        raise RuntimeError(
            f"Failed to create communication group for {name} with rank ids {ranks}. Each must be the rank of a "
            f"process, an int in [0, {size})."
        )
    handle = None
    if is_running() and world_rank() in ranks:
        if ranks != sorted(ranks) and not _ANY_ORDER:
            raise RuntimeError(f"This torch makes groups in the order of their ranks only: give {sorted(ranks)}.")
        order = {"sort_ranks": False} if _ANY_ORDER else {}
        with _meeting_as(name, ranks):
            handle = dist.new_group(ranks, use_local_synchronization=True, **order)
    _groups[name] = Group(name, tuple(ranks), handle)


@contextlib.contextmanager
def _meeting_as(name: str, ranks: list[int]) -> Iterator[None]:
    """Let the members meet by the group's name. torch uses its count of the process's groups, so members with different
    numbers of other groups would wait for each other for ever.
    """
    c10d: Any = dist.distributed_c10d
    key = (name, *ranks)
    _made[key] += 1
    meeting = hashlib.sha1(repr((key, _made[key])).encode(), usedforsecurity=False).hexdigest()
    original, c10d._hash_ranks_to_str = c10d._hash_ranks_to_str, lambda _: meeting
    try:
        yield
    finally:
        c10d._hash_ranks_to_str = original


def destroy(name: str) -> None:
    """Forget the group."""
    handle = _groups.pop(name).handle
    if handle is not None:
        dist.destroy_process_group(handle)


def forget_all() -> None:
    """Forget all groups at the end of the run."""
    _groups.clear()
