"""Processes of a distributed run. Upstream: ``mindspore.communication``.

A script started by itself is one process: `init` succeeds, the rank is 0, the group size 1. Under ``torchrun`` (RANK
and WORLD_SIZE in the environment) `init` opens torch's default process group.
"""

from mindspore_compat.communication.management import (
    GlobalComm,
    create_group,
    destroy_group,
    get_group_rank_from_world_rank,
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_process_group_ranks,
    get_rank,
    get_world_rank_from_group_rank,
    init,
    release,
)

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
