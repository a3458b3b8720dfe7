"""Exchange of pickled Python objects between processes of one run."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import torch.distributed as dist

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.communication import _start
from mindspore_compat.communication._collectives import calling
from mindspore_compat.communication._in_place import checked_group, handle_for

__all__ = [
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "recv_object_list",
    "scatter_object_list",
    "send_object_list",
]


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Gather the members' objects into ``object_list``."""
    found = checked_group(group)
    if not _start.is_running():
        object_list[0] = copy.deepcopy(obj)
        return
    with calling("all_gather_object"):
        dist.all_gather_object(object_list, obj, found.handle)


def broadcast_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Copy world rank ``src``'s objects into every member's ``object_list``."""
    found = checked_group(group)
    if _start.is_running():
        with calling("broadcast_object_list"):
            dist.broadcast_object_list(object_list, src, found.handle)


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Gather the members' objects into the list of world rank ``dst``."""
    found = checked_group(group)
    is_dst = found.group_rank_of(dst) == found.rank
    if not _start.is_running():
        object_gather_list[0] = copy.deepcopy(obj)  # type: ignore[index]
        return
    with calling("gather_object"):
        dist.gather_object(obj, object_gather_list if is_dst else None, dst, found.handle)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Receive member i's object from world rank ``src`` in the output list's first place."""
    found = checked_group(group)
    if not _start.is_running():
        scatter_object_output_list[0] = copy.deepcopy(scatter_object_input_list[0])  # type: ignore[index]
        return
    with calling("scatter_object_list"):
        dist.scatter_object_list(scatter_object_output_list, scatter_object_input_list, src, found.handle)


def send_object_list(object_list: list[Any], dst: int, group: str | None = None, device: Any = None) -> None:
    """Send the objects to world rank ``dst``."""
    handle = handle_for(dst, group)
    with calling("send_object_list"):
        dist.send_object_list(object_list, dst, handle)


def recv_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> int:
    """Receive as many objects from world rank ``src`` as the list is long; return 0."""
    handle = handle_for(src, group)
    with calling("recv_object_list"):
        dist.recv_object_list(object_list, src, handle)
    return 0


def _object_to_tensor(obj: Any) -> tuple[Tensor, int]:
    """Return the pickled object as a Tensor of int8, and its length. hyper-parallel sends both."""
    data = np.frombuffer(pickle.dumps(obj, 4), np.int8)
    return Tensor(data.copy()), data.size
