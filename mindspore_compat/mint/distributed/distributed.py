"""Starting, groups and ranks under torch's names. Upstream: ``mindspore.mint.distributed.distributed``."""

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
    """Whether this torch can communicate."""
    return dist.is_available()


def is_initialized() -> bool:
    """Whether `init_process_group` or ``communication.init`` was called."""
    return GlobalComm.INITED or _start.is_running()


class TCPStore:
    """Keys and bytes that processes share, served by the one with ``is_master=True``."""

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
        for name, value, kind in (
            ("host_name", host_name, str),
            ("port", port, int),
            ("is_master", is_master, bool),
            ("timeout", timeout, timedelta),
            ("wait_for_workers", wait_for_workers, bool),
            ("world_size", 1 if world_size is None else world_size, int),
        ):
            if not isinstance(value, kind):
                raise TypeError(
                    f"For 'TCPStore', the argument '{name}' must be type of {_WORDS.get(kind, kind.__name__)}, but got "
                    f"'{name}' type : {type(value)}."
                )
        if not 0 <= port <= 65535:
            raise ValueError(f"For 'TCPStore', the argument 'port' must be legal, but got {port}.")
        if world_size is not None and world_size <= 0:
            raise ValueError(f"For 'TCPStore', the argument 'world_size' must be legal, but got {world_size}.")
        self.host, self.port = host_name, port
        self.instance = dist.TCPStore(host_name, port, world_size, is_master, timeout, wait_for_workers)

    def _key(self, key: Any, method: str) -> str:
        return key

    def add(self, key: str, amount: int) -> int:
        """Adds to the number of that key (0 at first) and gives the sum."""
        return self.instance.add(self._key(key, "add"), amount)

    def set(self, key: str, value: str | bytes) -> None:
        """Sets the value of that key."""
        self.instance.set(self._key(key, "set"), value if isinstance(value, str) else value.decode("latin-1"))

    def get(self, key: str) -> bytes:
        """The value of that key; waits until there is one."""
        return self.instance.get(self._key(key, "get"))

    def delete_key(self, key: str) -> bool:
        """Whether there was such a key; now there is none."""
        return self.instance.delete_key(self._key(key, "delete_key"))


_WORDS: dict[type, str] = {str: "string"}


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
    """Join the run as the launcher's variables say, or at ``init_method`` ("tcp://127.0.0.1:4000") or ``store``.

    Args:
        backend: upstream's name "hccl", also "nccl" and "mccl"; the devices decide what is used.
        timeout: of collectives.
        world_size, rank: needed with ``init_method`` or ``store``.
        pg_options, device_id, group_name: without effect.

    Raises:
        ValueError: for a wrong backend, world_size or rank.
    """
    if backend not in ("hccl", "nccl", "mccl"):
        raise ValueError(
            "Only support hccl, nccl and mccl now, please setting backend to one of them or using default value"
        )
    if init_method is not None and store is not None:
        raise ValueError("Only one of init_method and store is supported.")
    if init_method is not None or store is not None:
        if world_size <= 0:
            raise ValueError("Specified world_size must be a positive integer.")
        if rank < 0:
            raise ValueError("Specified rank must be a non-negative integer.")
        _start.join_at(init_method, None if store is None else store.instance, rank, world_size, timeout)
    management.init(None)
    if world_size not in (-1, management.get_group_size()):
        raise ValueError(f"world_size is wrong, please using default value or setting: {management.get_group_size()}")


def _name(group: Any, where: str) -> str:
    if group is None:
        return "hccl_world_group"
    if not isinstance(group, str):
        raise TypeError(
            f"For '{where}', the argument 'group' must be type of string, but got 'group' type : {type(group)}."
        )
    return group


def destroy_process_group(group: str | None = None) -> None:
    """Leave the run; with a name, forget that group."""
    name = _name(group, "destroy_group")
    if name in _groups.WORLD_NAMES:
        management.release()
    else:
        management.destroy_group(name)


def get_rank(group: str | None = None) -> int:
    """This process's rank in the group; -1 if it is no member."""
    name = _name(group, "get_rank")
    try:
        return management.get_rank(name)
    except RuntimeError as error:
        log.warning("%s", error)
        return -1


def get_world_size(group: str | None = None) -> int:
    """How many members the group has; -1 if this process is none."""
    name = _name(group, "get_world_size")
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
    """The name of a group of these world ranks, in ascending order; without ranks the world's. "" for one that can not
    be made. Arguments after ``backend`` are without effect.
    """
    if ranks is None:
        return GlobalComm.WORLD_COMM_GROUP
    if not isinstance(ranks, list):
        raise TypeError(f"ranks must be list, but got {type(ranks)}")
    backend = "hccl" if backend is None else backend
    if backend not in ("hccl", "mccl", "nccl"):
        raise TypeError(f"the input backend must be hccl, nccl or mccl, but got {backend}")
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
    """The library's name under upstream: that of `init_process_group`."""
    name = GlobalComm.BACKEND if group is None else _name(group, "get_backend")
    return next((backend for backend in ("hccl", "nccl", "mccl") if backend in name), GlobalComm.BACKEND)


def get_global_rank(group: str | None, group_rank: int) -> int:
    """The world rank of a group's member."""
    if not isinstance(group_rank, int):
        raise TypeError(f"The group_rank argument must be integer, but got {type(group_rank)}.")
    return management.get_world_rank_from_group_rank(_name(group, "get_global_rank"), group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """The rank in the group of a world rank."""
    if not isinstance(global_rank, int):
        raise TypeError(f"The global_rank argument must be integer, but got {type(global_rank)}.")
    return management.get_group_rank_from_world_rank(global_rank, _name(group, "get_group_rank_from_world_rank"))


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """The world ranks of the group's members."""
    return management.get_process_group_ranks(_name(group, "get_process_group_ranks"))


__getattr__ = module_getattr(__name__, fallback="mint.distributed")  # upstream has the collectives here too
