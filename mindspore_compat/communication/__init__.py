"""Processes of a distributed run. Upstream: ``mindspore.communication``.

A script started by itself is one process: `init` succeeds, the rank is 0, the group size 1. Under a launcher (torchrun,
msrun, mpirun, Slurm, the scripts of 1.x) `init` opens torch's default process group: docs/distributed.md.
"""

from mindspore_compat.communication.management import (
    HCCL_WORLD_COMM_GROUP,
    MCCL_WORLD_COMM_GROUP,
    NCCL_WORLD_COMM_GROUP,
    GlobalComm,
    create_group,
    destroy_group,
    get_comm_name,
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
    "get_comm_name",
    "HCCL_WORLD_COMM_GROUP",
    "NCCL_WORLD_COMM_GROUP",
    "MCCL_WORLD_COMM_GROUP",
]
