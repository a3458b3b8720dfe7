"""Python objects between processes, pickled: only between processes of one run."""

from __future__ import annotations

import copy
from typing import Any

import torch.distributed as dist

from mindspore_compat.communication import _start
from mindspore_compat.communication._arguments import checked_group, checked_rank
from mindspore_compat.communication._collectives import calling
from mindspore_compat.communication._groups import Group

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]


def _checked_list(values: Any, size: int, what: str) -> list[Any]:
    if not isinstance(values, list) or len(values) != size:
        raise TypeError(
            f"The len of argument {what} must be equal to group rank size {size}, but got "
            f"{len(values) if isinstance(values, list) else type(values)}."
        )
    return values


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """The members' objects into ``object_list``."""
    found = checked_group(group)
    _checked_list(object_list, found.size, "object_list")
    if not _start.is_running():
        object_list[0] = copy.deepcopy(obj)
        return
    with calling("all_gather_object"):
        dist.all_gather_object(object_list, obj, found.handle)


def broadcast_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """World rank ``src``'s objects into everybody's ``object_list``."""
    found = checked_group(group)
    checked_rank(src, "broadcast_object_list", "src")
    if not isinstance(object_list, list) or not object_list:
        raise TypeError("The object_list can not be empty.")
    if _start.is_running():
        with calling("broadcast_object_list"):
            dist.broadcast_object_list(object_list, src, found.handle)


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """The members' objects into the list of world rank ``dst``."""
    found = checked_group(group)
    checked_rank(dst, "gather_object", "dst")
    is_dst = found.group_rank_of(dst) == found.rank
    if is_dst:
        _checked_list(object_gather_list, found.size, "object_gather_list")
    if not _start.is_running():
        assert object_gather_list is not None  # a list, as was checked
        object_gather_list[0] = copy.deepcopy(obj)
        return
    with calling("gather_object"):
        dist.gather_object(obj, object_gather_list if is_dst else None, dst, found.handle)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Member i's of the objects of world rank ``src`` into its output list's first place."""
    found = checked_group(group)
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError("The scatter_object_output_list can not be empty.")
    checked_rank(src, "scatter_object_list", "src")
    if found.group_rank_of(src) == found.rank:
        _checked_list(scatter_object_input_list, found.size, "scatter_object_input_list")
    if not _start.is_running():
        assert scatter_object_input_list is not None  # a list, as was checked
        scatter_object_output_list[0] = copy.deepcopy(scatter_object_input_list[0])
        return
    with calling("scatter_object_list"):
        dist.scatter_object_list(scatter_object_output_list, scatter_object_input_list, src, found.handle)


def _peer(objects: Any, rank: Any, owner: str, name: str, group: str | None) -> Group:
    checked_rank(rank, owner, name)
    found = checked_group(group)
    if not isinstance(objects, list):
        raise TypeError(f"For {owner}, the object_list must be a list")
    if rank == _start.world_rank():
        raise ValueError(
            "Invalid destination rank: destination rank should not be the same as the rank of the current process."
        )
    found.group_rank_of(rank)
    return found


def send_object_list(object_list: list[Any], dst: int, group: str | None = None, device: Any = None) -> None:
    """Send the objects to world rank ``dst``."""
    found = _peer(object_list, dst, "send_object_list", "dst", group)
    with calling("send_object_list"):
        dist.send_object_list(object_list, dst, found.handle)


def recv_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> int:
    """Receive as many objects from world rank ``src`` as the list is long; gives 0."""
    found = _peer(object_list, src, "recv_object_list", "src", group)
    with calling("recv_object_list"):
        dist.recv_object_list(object_list, src, found.handle)
    return 0
