"""`init`, ranks and groups over ``torch.distributed``. MindSpore: ``mindspore.communication.management``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._runtime.device import current_device, select_device
from mindspore_compat._runtime.launch import launch_of
from mindspore_compat.communication import _groups, _start

__all__ = [
    "HCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "GlobalComm",
    "create_group",
    "destroy_group",
    "get_comm_name",
    "get_group_rank_from_world_rank",
    "get_group_size",
    "get_local_rank",
    "get_local_rank_size",
    "get_process_group_ranks",
    "get_rank",
    "get_world_rank_from_group_rank",
    "init",
    "release",
]

HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = _groups.WORLD_NAMES


class GlobalComm:
    """Names of the communication library and the world group; `init` sets them."""

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


_OF_TARGET = {"CPU": "mccl", "GPU": "nccl", "Ascend": "hccl", "Davinci": "hccl"}


def init(backend_name: str | None = None) -> None:
    """Join the run that a launcher started (docs/distributed.md); do nothing in a single process.

    Args:
        backend_name: "nccl" (NVIDIA), "hccl" (MindSpore's name on Ascend) or "mccl" (CPU); None: as the device is.
            Without a device_target, "nccl" and "hccl" choose it.

    Raises:
        RuntimeError: for another name, for one that is not the device_target's, if the
            launcher's variables are incomplete, if other processes do not come.
    """
    name = _backend_name(backend_name)
    if "device_target" not in context._values and name != "mccl":
        context.set_context(device_target="GPU" if name == "nccl" else "Ascend")
    _start.join(with_cuda=torch.cuda.is_available() and name != "mccl")
    if current_device().type == "cuda" and "device_id" not in context._values:
        select_device("GPU")  # its number may be known only now that the processes have met
    GlobalComm.BACKEND, GlobalComm.WORLD_COMM_GROUP, GlobalComm.INITED = name, f"{name}_world_group", True


def _backend_name(given: str | None) -> str:
    target = context.get_context("device_target")
    if given is None:
        return _OF_TARGET[target]
    if given not in _OF_TARGET.values():
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got "
            f"'backend_name' : {given}"
        )
    if "device_target" in context._values and given not in ("mccl", _OF_TARGET[target]):
        raise RuntimeError(
            f"For 'init', the argument 'backend_name' should be '{_OF_TARGET[target]}' to init '{target}', but got "
            f"'{given}'."
        )
    return given


def release() -> None:
    """Leave the run."""
    GlobalComm.INITED = False
    _groups.forget_all()
    _start.leave()


def _is_in() -> bool:
    return GlobalComm.INITED or _start.is_running()


def _need_init() -> None:
    if not _is_in():
        raise RuntimeError(
            "Distributed Communication has not been inited.You can't invoke this interface yet. Please call `init()` "
            "method first."
        )


def get_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Return this process's rank in the group; before `init`, the launcher's, else 0."""
    return _groups.find(group).rank if _is_in() else (launch_of().rank or 0)


def get_group_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Return the number of processes in the group; before `init`, the launcher's, else 1."""
    return _groups.find(group).size if _is_in() else launch_of().size


def get_local_rank(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Return this process's rank on its machine."""
    if not _is_in():
        return launch_of().local_rank or 0
    _groups.find(group)
    return _start.local_rank()


def get_local_rank_size(group: str = GlobalComm.WORLD_COMM_GROUP) -> int:
    """Return the number of processes on this machine."""
    if not _is_in():
        return launch_of().local_size or 1
    _groups.find(group)
    return _start.local_size()


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Return the world rank of a group's member."""
    _need_init()
    return _groups.find(group).world_rank_of(group_rank_id)


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Return the rank in the group of a world rank."""
    _need_init()
    return _groups.find(group).group_rank_of(world_rank_id)


def get_process_group_ranks(group: str = GlobalComm.WORLD_COMM_GROUP) -> list[int]:
    """Return the world ranks of the group's members, in the order of their ranks in it."""
    _need_init()
    return list(_groups.find(group).ranks)


def get_comm_name(group: str = GlobalComm.WORLD_COMM_GROUP) -> str:
    """Return the name of the communicator inside HCCL: empty, as MindSpore's on other devices."""
    _need_init()
    _groups.find(group)
    return ""


def create_group(group: str, rank_ids: list[int], options: Any = None) -> None:
    """Create a group of world ranks, its members in the order of ``rank_ids``. All members have to call it.

    Args:
        options: of Ascend's library, without effect.

    Raises:
        ValueError: for an empty or repeating list of ranks, or if the group exists with
            other ranks. RuntimeError: before `init`, or for ranks that do not exist.
    """
    _need_init()
    if not rank_ids or len(set(rank_ids)) != len(rank_ids):
        raise ValueError(f"For 'create_group', 'rank_ids' must be different ranks, but got {rank_ids}.")
    _groups.create(group, list(rank_ids))


def destroy_group(group: str) -> None:
    """Forget a group made by `create_group`."""
    _need_init()
    if group in _groups.WORLD_NAMES:
        raise ValueError("The world_group does not support destruction.")
    _groups.destroy(group)
