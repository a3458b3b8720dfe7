"""Collectives with torch's names, into the tensors that they are given, and without gradients. Upstream:
``mindspore.mint.distributed``.

Ranks that are given are ranks in the world; ``async_op=True`` gives a handle whose ``wait`` brings the result.
"""

from mindspore_compat.communication._in_place import (
    all_gather,
    all_gather_into_tensor,
    all_gather_into_tensor_uneven,
    all_reduce,
    broadcast,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    reduce_scatter_tensor_uneven,
)
from mindspore_compat.communication._in_place_roots import all_to_all, all_to_all_single, barrier, gather, scatter
from mindspore_compat.communication._peers import P2POp, batch_isend_irecv, irecv, isend, recv, send
from mindspore_compat.mint.distributed._objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from mindspore_compat.mint.distributed.distributed import (
    TCPStore,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_initialized,
    new_group,
)

__all__ = [
    "TCPStore",
    "init_process_group",
    "destroy_process_group",
    "get_rank",
    "get_world_size",
    "new_group",
    "get_backend",
    "get_global_rank",
    "get_process_group_ranks",
    "get_group_rank",
    "all_reduce",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_to_all",
    "all_to_all_single",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "isend",
    "irecv",
    "send",
    "recv",
    "send_object_list",
    "recv_object_list",
    "gather",
    "scatter",
    "all_gather",
    "reduce_scatter",
    "barrier",
    "broadcast",
    "reduce",
    "P2POp",
    "batch_isend_irecv",
    "all_gather_object",
    "broadcast_object_list",
    "gather_object",
    "scatter_object_list",
    "is_available",
    "is_initialized",
]
