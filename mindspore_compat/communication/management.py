"""`init`, ranks and groups over ``torch.distributed``. Upstream: ``mindspore.communication.management``."""

from __future__ import annotations

import os
from typing import Any

import torch
import torch.distributed as dist

from mindspore_compat._runtime.device import current_device

__all__ = [
    "GlobalComm",
    "init",
    "release",
    "get_rank",
    "get_local_rank",
    "get_group_size",
    "get_local_rank_size",
    "create_group",
    "destroy_group",
    "get_world_rank_from_group_rank",
    "get_group_rank_from_world_rank",
    "get_process_group_ranks",
]


class GlobalComm:
    """Names of the communication library and the world group."""

    BACKEND = "nccl"
    WORLD_COMM_GROUP = "nccl_world_group"
    INITED = False
    CHECK_ENVS = True


_groups: dict[str, tuple[list[int], Any]] = {}
_BACKENDS = {"nccl": "nccl", "hccl": None, "mccl": "gloo"}


def init(backend_name: str | None = None) -> None:
    """Join the run: torch's default process group under torchrun, nothing to do in a single process.

    Args:
        backend_name: "nccl", "hccl" (MindSpore's name on Ascend) or "mccl" (CPU); None chooses by the device.

    Raises:
        TypeError: if it is not a str. RuntimeError: for another name.
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise TypeError(
            f"For 'init', the argument 'backend_name' must be a string, but got the type : {type(backend_name)}"
        )
    if backend_name is not None and backend_name not in _BACKENDS:
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got "
            f"{backend_name!r}."
        )
    GlobalComm.INITED = True
    if (
        dist.is_available()
        and not dist.is_initialized()
        and int(os.environ.get("WORLD_SIZE", "1")) > 1
        and "RANK" in os.environ
    ):
        on_gpu = current_device().type == "cuda" and backend_name != "mccl"
        if on_gpu:
            torch.cuda.set_device(current_device())
        dist.init_process_group("nccl" if on_gpu else "gloo")


def release() -> None:
    """Leave the run."""
    GlobalComm.INITED = False
    _groups.clear()
    if dist.is_available() and dist.is_initialized():
        dist.destroy_process_group()


def _group(name: Any, where: str) -> tuple[list[int], Any]:
    """(world ranks, torch group) of a group's name."""
    if not isinstance(name, str):
        raise TypeError(
            f"For '{where}', the argument 'group' must be type of string, but got 'group' type : {type(name)}."
        )
    if name in _groups:
        return _groups[name]
    if name in (GlobalComm.WORLD_COMM_GROUP, "hccl_world_group", "nccl_world_group", "mccl_world_group"):
        return list(range(_world_size())), None
    raise RuntimeError(f"For '{where}', the group {name!r} does not exist. Create it with create_group first.")


def _world_size() -> int:
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def _world_rank() -> int:
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's number in the group."""
    ranks, _ = _group(group, "get_rank")
    return ranks.index(_world_rank())


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes the group has."""
    return len(_group(group, "get_group_size")[0])


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """This process's number on its machine."""
    _group(group, "get_local_rank")
    return int(os.environ.get("LOCAL_RANK", "0")) if _world_size() > 1 else 0


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """How many processes run on this machine."""
    _group(group, "get_local_rank_size")
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1")) if _world_size() > 1 else 1


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The world rank of a group's member."""
    return _group(group, "get_world_rank_from_group_rank")[0][group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The rank in the group of a world rank."""
    return _group(group, "get_group_rank_from_world_rank")[0].index(world_rank_id)


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """The world ranks of the group's members."""
    return list(_group(group, "get_process_group_ranks")[0])


def create_group(group: str, rank_ids: list[int], options: Any = None) -> None:
    """Name a group of world ranks; ``options`` are of Ascend's library, without effect.

    Raises:
        TypeError, ValueError: for a wrong name or an empty or repeating list of ranks.
    """
    if not isinstance(group, str):
        raise TypeError(
            f"For 'create_group', the argument 'group' must be type of string, but got 'group' type : {type(group)}."
        )
    if not isinstance(rank_ids, list):
        raise TypeError(
            "For 'create_group', the argument 'rank_ids' must be type of list, but got 'rank_ids' type : "
            f"{type(rank_ids)}."
        )
    if not rank_ids or len(set(rank_ids)) != len(rank_ids):
        raise ValueError(
            f"For 'create_group', 'rank_ids' must be a non-empty list without repetition, but got {rank_ids}."
        )
    handle = dist.new_group(rank_ids) if dist.is_available() and dist.is_initialized() else None
    _groups[group] = (list(rank_ids), handle)


def destroy_group(group: str) -> None:
    """Forget a group made by `create_group`."""
    if group == GlobalComm.WORLD_COMM_GROUP:
        raise ValueError("For 'destroy_group', the 'group' cannot be the world group; use release().")
    _group(group, "destroy_group")
    _, handle = _groups.pop(group)
    if handle is not None:
        dist.destroy_process_group(handle)
