"""Initialization, groups and ranks under torch's names. MindSpore: ``mindspore.mint.distributed.distributed``."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from mindspore_compat import log
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.communication import _groups, _start, management
from mindspore_compat.communication.management import GlobalComm

__all__ = [
    "TCPStore",
    "destroy_process_group",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_initialized",
    "new_group",
]


def is_available() -> bool:
    """Return whether this torch can communicate."""
    return dist.is_available()


def is_initialized() -> bool:
    """Return whether `init_process_group` or ``communication.init`` was called."""
    return GlobalComm.INITED or _start.is_running()


class TCPStore:
    """Store of keys and bytes shared by processes, served by the one with ``is_master=True``."""

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300),
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: Any = None,
        use_libuv: bool = True,
    ) -> None:
        self.host, self.port = host_name, port
        self.instance = dist.TCPStore(host_name, port, world_size, is_master, timeout, wait_for_workers)

    def add(self, key: str, amount: int) -> int:
        """Add to the number of that key (0 at first) and return the sum."""
        return self.instance.add(key, amount)

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of that key."""
        self.instance.set(key, value if isinstance(value, str) else value.decode("latin-1"))

    def get(self, key: str) -> bytes:
        """Return the value of that key; wait until there is one."""
        return self.instance.get(key)

    def delete_key(self, key: str) -> bool:
        """Delete that key; return whether it existed."""
        return self.instance.delete_key(key)


def init_process_group(
    backend: str = "hccl",
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: TCPStore | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Join the run by the launcher's variables, or at ``init_method`` ("tcp://127.0.0.1:4000") or ``store``.

    Args:
        backend: MindSpore's name "hccl", also "nccl" and "mccl"; the devices decide what is used.
        timeout: of collectives.
        world_size, rank: needed with ``init_method`` or ``store``.
        pg_options, device_id, group_name: without effect.

    Raises:
        ValueError: for a wrong world_size or rank.
    """
    if init_method is not None or store is not None:
        _start.join_at(init_method, None if store is None else store.instance, rank, world_size, timeout)
    management.init(None)
    if world_size not in (-1, management.get_group_size()):
        raise ValueError(f"world_size is wrong, please using default value or setting: {management.get_group_size()}")


def _name(group: str | None) -> str:
    return "hccl_world_group" if group is None else group


def destroy_process_group(group: str | None = None) -> None:
    """Leave the run; with a name, forget that group."""
    name = _name(group)
    if name in _groups.WORLD_NAMES:
        management.release()
    else:
        management.destroy_group(name)


def get_rank(group: str | None = None) -> int:
    """Return this process's rank in the group; -1 if it is no member."""
    name = _name(group)
    try:
        return management.get_rank(name)
    except RuntimeError as error:
        log.warning("%s", error)
        return -1


def get_world_size(group: str | None = None) -> int:
    """Return the number of members of the group; -1 if this process is none."""
    name = _name(group)
    try:
        management.get_rank(name)
        return management.get_group_size(name)
    except RuntimeError as error:
        log.warning("%s", error)
        return -1


def new_group(
    ranks: list[int] | None = None,
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: Any = None,
) -> str:
    """Return the name of a group of these world ranks, in ascending order; without ranks the world's. Return "" for an
    impossible one. Arguments after ``backend`` are without effect.
    """
    if ranks is None:
        return GlobalComm.WORLD_COMM_GROUP
    backend = "hccl" if backend is None else backend
    ranks = sorted(ranks)
    digest = hashlib.sha1("_".join(map(str, ranks)).encode(), usedforsecurity=False).hexdigest()
    name = f"{backend}_{len(ranks)}_{digest}"
    try:
        management.create_group(name, ranks)
    except RuntimeError as error:
        log.warning("%s", error)
        return ""
    return name


def get_backend(group: str | None = None) -> str:
    """Return the library's name in MindSpore: that of `init_process_group`."""
    name = GlobalComm.BACKEND if group is None else _name(group)
    return next((backend for backend in ("hccl", "nccl", "mccl") if backend in name), GlobalComm.BACKEND)


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Return the world rank of a group's member."""
    return management.get_world_rank_from_group_rank(_name(group), group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Return the rank in the group of a world rank."""
    return management.get_group_rank_from_world_rank(global_rank, _name(group))


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the world ranks of the group's members."""
    return management.get_process_group_ranks(_name(group))


__getattr__ = module_getattr(  # MindSpore has the collectives here too
    __name__, {"_object_to_tensor": "mint.distributed._objects"}, fallback="mint.distributed"
)
