"""Collectives with torch's names, into given tensors, and without gradients. MindSpore: ``mindspore.mint.distributed``.

Arguments are world ranks; ``async_op=True`` returns a handle whose ``wait`` completes the result.
"""

from mindspore_compat.communication._in_place import (
    P2POp,
    all_gather,
    all_gather_into_tensor,
    all_gather_into_tensor_uneven,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    gather,
    irecv,
    isend,
    recv,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    reduce_scatter_tensor_uneven,
    scatter,
    send,
)
from mindspore_compat.mint.distributed import _objects, distributed
from mindspore_compat.mint.distributed._objects import *  # noqa: F403
from mindspore_compat.mint.distributed.distributed import *  # noqa: F403

__all__ = [
    *distributed.__all__,
    *_objects.__all__,
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
    "gather",
    "scatter",
    "all_gather",
    "reduce_scatter",
    "barrier",
    "broadcast",
    "reduce",
    "P2POp",
    "batch_isend_irecv",
]
