"""Collectives with torch's names and groups under ``mindspore.ops``. MindSpore: ``mindspore.ops.communication``.

They write into given tensors, as ``mindspore.mint.distributed``'s. With `set_comm_ops_inplace` some of them return new
tensors instead, with a handle.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.communication import _in_place, comm_func
from mindspore_compat.communication._in_place import P2POp

_WORLD = "hccl_world_group"
#: functions that write into their arguments
_INTO: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(_in_place, name)
        for name in """
            all_gather all_gather_into_tensor all_gather_into_tensor_uneven all_reduce all_to_all all_to_all_single
            batch_isend_irecv broadcast gather gather_into_tensor irecv isend recv reduce reduce_scatter
            reduce_scatter_tensor reduce_scatter_tensor_uneven scatter scatter_tensor send
        """.split()
    },
    "all_to_all_v_c": comm_func.all_to_all_v_c,
}
#: the same that return new tensors, of the same arguments; the others have no such form
_NEW: dict[str, Callable[..., Any]] = {
    "all_reduce": lambda tensor, op="sum", group=None, async_op=False: comm_func.all_reduce(
        tensor, op, group or _WORLD, async_op
    ),
    "all_gather_into_tensor": lambda output, tensor, group=None, async_op=False: comm_func.all_gather_into_tensor(
        tensor, group or _WORLD, async_op
    ),
    "reduce_scatter_tensor": lambda output, tensor, op="sum", group=None, async_op=False: (
        comm_func.reduce_scatter_tensor(tensor, op, group or _WORLD, async_op)
    ),
    "recv": lambda tensor, src=0, group=None, tag=0: comm_func.recv(tensor, src, group or _WORLD, tag),
    "irecv": lambda tensor, src=0, group=None, tag=0: comm_func.irecv(tensor, src, group or _WORLD, tag),
    "send": _in_place.send,
    "isend": _in_place.isend,
}
_LISTED = (*_INTO, "barrier", "all_gather_object", "broadcast_object_list", "gather_object", "scatter_object_list",
           "send_object_list", "recv_object_list")  # fmt: skip
_in_place_now = dict.fromkeys(_LISTED, True)


def _switched(name: str, into: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(into)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _in_place_now[name]:
            return into(*args, **kwargs)
        if name not in _NEW:
            raise ValueError(
                f"For '{name}', there is no form that returns new tensors. Use set_comm_ops_inplace(True)."
            )
        return _NEW[name](*args, **kwargs)

    return call


globals().update({name: _switched(name, into) for name, into in _INTO.items()})
barrier = _in_place.barrier


def set_comm_ops_inplace(is_enable: bool, func_list: Any = None) -> None:
    """Set whether functions of this module write into given tensors, the default, or return (new tensor, handle).

    Args:
        func_list: names of functions, None for all. Without new tensors remain all but all_reduce,
            all_gather_into_tensor, reduce_scatter_tensor, recv and irecv; they raise then, as MindSpore's.

    Raises:
        TypeError: for another type. ValueError: for another name.
    """
    for name in _LISTED if func_list is None else func_list:
        if name not in _in_place_now:
            raise ValueError(f"For 'set_comm_ops_inplace', {name!r} is none of {sorted(_in_place_now)}.")
        _in_place_now[name] = is_enable


#: names that ``mint.distributed`` has, which lies above
UPWARD = {
    **dict.fromkeys(
        """
        TCPStore init_process_group destroy_process_group get_rank get_world_size new_group get_backend get_global_rank
        get_process_group_ranks get_group_rank is_available is_initialized
        """.split(),
        "mint.distributed.distributed",
    ),
    **dict.fromkeys(
        """
        all_gather_object broadcast_object_list gather_object scatter_object_list send_object_list recv_object_list
        """.split(),
        "mint.distributed._objects",
    ),
}
UPWARD = {name: f"{module}:{name}" for name, module in UPWARD.items()}
__getattr__ = module_getattr(__name__, UPWARD)
#: ``mindspore.ops`` shows all but these, which mean something else there
SHOWN = [name for name in (*_INTO, "barrier", "P2POp") if name not in ("gather", "scatter")]
__all__ = [*_INTO, "barrier", "P2POp", "set_comm_ops_inplace", *UPWARD]
