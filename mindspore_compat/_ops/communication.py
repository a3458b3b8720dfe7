"""Collectives in class form over ``torch.distributed``, and products of sharded matrices.

Without a process group (one process) each operator behaves as in a group of one member. Ranks of a root or a peer are
ranks in the group, as MindSpore's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.declare import classes, functions, op, primitive
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.communication import _collectives, _groups, _start, comm_func
from mindspore_compat.communication import _collectives as collectives
from mindspore_compat.communication._groups import Group

_Run = Callable[..., Any]


def _check(owner: str, **only: tuple[Any, Any]) -> None:
    """Raise RuntimeError for arguments that MindSpore's kernels refuse."""
    for name, (value, right) in only.items():
        if value != right:
            raise RuntimeError(f"For '{owner}', the '{name}' must be {right!r}, but got {value!r}.")


@op(fallback=False)
def all_gather_matmul(
    input: Any,
    x2: Any,
    group: str,
    world_size: int,
    *,
    bias: Any = None,
    gather_index: int = 0,
    gather_output: bool = True,
    comm_turn: int = 0,
    trans_input: bool = False,
    trans_x2: bool = False,
) -> tuple[Any, Any]:
    """Return (g · x2, g), g being the members' ``input`` (m, k) joined along the first axis; an empty Tensor for g
    unless ``gather_output``.
    """
    _check(
        "all_gather_matmul",
        bias=(bias, None),
        gather_index=(gather_index, 0),
        comm_turn=(comm_turn, 0),
        trans_input=(trans_input, False),
    )
    gathered, _ = comm_func.all_gather_into_tensor(input, group)
    product = kernels.matmul(gathered, torch.transpose(x2, 0, 1) if trans_x2 else x2)
    return wrap((product, gathered if gather_output else input.new_empty(0)))


@op(fallback=False)
def matmul_reduce_scatter(
    input: Any,
    x2: Any,
    group: str,
    world_size: int,
    *,
    reduce_op: str = "sum",
    bias: Any = None,
    comm_turn: int = 0,
    trans_input: bool = False,
    trans_x2: bool = False,
) -> Any:
    """Return this member's part of the first axis of the sum of the members' input · x2."""
    _check(
        "matmul_reduce_scatter",
        reduce_op=(reduce_op, "sum"),
        bias=(bias, None),
        comm_turn=(comm_turn, 0),
        trans_input=(trans_input, False),
    )
    product = kernels.matmul(input, torch.transpose(x2, 0, 1) if trans_x2 else x2)
    return comm_func.reduce_scatter_tensor(wrap(product), "sum", group)[0]


_WORLD = "hccl_world_group"


class ReduceOp:
    """Names of the reductions."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


def _check_group(owner: str, group: Any, op: Any = "sum") -> None:
    check_one_of(op, "op", (*collectives.OPS, "avg"), owner)


def _tensor(x: Any, owner: str) -> torch.Tensor:
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"For '{owner}', the input must be a Tensor, but got {type(x).__name__}.")
    return x


@primitive
def AllReduce(op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced."""
    _check_group("AllReduce", group, op)
    return lambda input_x: collectives.all_reduce(_tensor(input_x, "AllReduce"), op, _groups.find(group))


@primitive
def AllGather(group: str = _WORLD) -> _Run:
    """The tensors of all members joined along the first axis."""
    _check_group("AllGather", group)
    return lambda input_x: collectives.all_gather(_tensor(input_x, "AllGather"), _groups.find(group))


@primitive
def ReduceScatter(op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced, and of that this member's part of the first axis."""
    _check_group("ReduceScatter", group, op)
    return lambda input_x: collectives.reduce_scatter(_tensor(input_x, "ReduceScatter"), op, _groups.find(group))


@primitive
def Broadcast(root_rank: int, group: str = _WORLD) -> _Run:
    """Tuple of tensors as the root has them."""
    _check_group("Broadcast", group)

    def run(input_x: Any) -> Any:
        items = input_x if isinstance(input_x, (tuple, list)) else (input_x,)
        found = _groups.find(group)
        return tuple(collectives.broadcast(_tensor(item, "Broadcast"), root_rank, found) for item in items)

    return run


@primitive
def Reduce(dest_rank: int, op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced at one of them; the others get zeros of shape (1,)."""
    _check_group("Reduce", group, op)
    return lambda input_x: collectives.reduce(_tensor(input_x, "Reduce"), dest_rank, op, _groups.find(group))


@primitive
def AlltoAll(split_count: int, split_dim: int, concat_dim: int, group: str = _WORLD) -> _Run:
    """Send piece i of ``split_dim`` to member i; join the received pieces along ``concat_dim``."""
    _check_group("AlltoAll", group)

    def run(input_x: Any) -> Any:
        x, found = _tensor(input_x, "AlltoAll"), _groups.find(group)
        if split_count != found.size:
            raise ValueError(
                f"For 'AlltoAll', the 'split_count' must be equal to 'rank_size', but got 'split_count': "
                f"{split_count}, 'rank_size': {found.size}."
            )
        if x.shape[split_dim] % split_count:
            raise ValueError(
                f"For 'AlltoAll', the 'split_dim' axis of the input must be divisible by 'split_count' {split_count}, "
                f"but the shape is {tuple(x.shape)} and 'split_dim' {split_dim}."
            )
        return collectives.all_to_all(x, split_dim, concat_dim, found)

    return run


def _numbers(sizes: Any) -> list[int]:
    return [int(size) for size in (sizes.tolist() if isinstance(sizes, torch.Tensor) else sizes)]


def _flat(x: Any, owner: str, size: int, what: str) -> torch.Tensor:
    if _tensor(x, owner).dim() != 1 or x.shape[0] != size:
        raise ValueError(
            f"For '{owner}', the input must be flat and have the {size} elements that {what} names, but its shape is "
            f"{tuple(x.shape)}."
        )
    return x


@primitive
def AlltoAllV(group: str = _WORLD, block_size: int = 1) -> _Run:
    """Exchange flat parts of any sizes, in blocks of ``block_size`` elements, between all members."""
    _check_group("AlltoAllV", _WORLD if group is None else group)

    def run(input_x: Any, send_numel_list: Any, recv_numel_list: Any) -> Any:
        send, receive = (
            [size * block_size for size in _numbers(sizes)] for sizes in (send_numel_list, recv_numel_list)
        )
        x = _flat(input_x, "AlltoAllV", sum(send), "'send_numel_list'")
        return collectives.all_to_all_v(x, send, receive, _groups.find(group or _WORLD))

    return run


@primitive
def AlltoAllVC(group: str = _WORLD, block_size: int = 1, transpose: bool = False) -> _Run:
    """`AlltoAllV` with all sizes known to every member: element [i·size + j] counts those from i to j."""
    _check_group("AlltoAllVC", _WORLD if group is None else group)

    def run(input_x: Any, send_count_matrix: Any) -> Any:
        found = _groups.find(group or _WORLD)
        matrix = torch.tensor(_numbers(send_count_matrix)).reshape(found.size, found.size) * block_size
        matrix = matrix.T if transpose else matrix
        send, receive = matrix[found.rank].tolist(), matrix[:, found.rank].tolist()
        x = _flat(input_x, "AlltoAllVC", sum(send), "'send_count_matrix'")
        return collectives.all_to_all_v(x, send, receive, found)

    return run


@primitive
def AllGatherV(group: str = _WORLD) -> _Run:
    """Flat tensors of all members joined; ``output_split_sizes`` are their sizes."""
    _check_group("AllGatherV", group)

    def run(input_x: Any, output_split_sizes: Any) -> Any:
        found, sizes = _groups.find(group), _numbers(output_split_sizes)
        x = _flat(input_x, "AllGatherV", sizes[found.rank], "'output_split_sizes' at this rank")
        return collectives.all_gather_v(x, sizes, found)

    return run


@primitive
def ReduceScatterV(op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """Flat tensors of all members reduced, and of that this member's of the parts of ``input_split_sizes``."""
    _check_group("ReduceScatterV", group, op)

    def run(input_x: Any, input_split_sizes: Any) -> Any:
        sizes = _numbers(input_split_sizes)
        x = _flat(input_x, "ReduceScatterV", sum(sizes), "'input_split_sizes'")
        return collectives.reduce_scatter_v(x, sizes, op, _groups.find(group))

    return run


@primitive
def CollectiveGather(dest_rank: int, group: str = _WORLD) -> _Run:
    """The tensors of all members joined at one of them; the others get zeros of shape (1,)."""
    _check_group("CollectiveGather", group)
    return lambda input_x: collectives.gather(_tensor(input_x, "CollectiveGather"), dest_rank, _groups.find(group))


@primitive
def CollectiveScatter(src_rank: int = 0, group: str = _WORLD) -> _Run:
    """This member's part of the first axis of the source's tensor."""
    _check_group("CollectiveScatter", group)
    return lambda input_x: collectives.scatter(_tensor(input_x, "CollectiveScatter"), src_rank, _groups.find(group))


@primitive
def Barrier(group: str = _WORLD) -> _Run:
    """Wait for all members."""

    def run() -> None:
        collectives.barrier(_groups.find(group))

    return run


# --- between two members ----------------------------------------------------------------------------------------------
def _peers(owner: str, group: str) -> Group:
    if not _start.is_running():
        raise RuntimeError(
            f"For '{owner}', there is no other process. Start with torchrun, mpirun or 'mindspore-compat msrun', and "
            "call mindspore.communication.init() first."
        )
    return _groups.find(group)


def _like(shape: Any, dtype: Any) -> torch.Tensor:
    return torch.empty(tuple(shape), dtype=to_torch_dtype(dtype), device=current_device())


@primitive
def Send(sr_tag: int, dest_rank: int, group: str = _WORLD, group_back: str = _WORLD) -> _Run:
    """Send a tensor to a member; returns it. Its gradient comes from the `Receive` there."""
    return lambda input_x: _collectives.send(_tensor(input_x, "Send"), dest_rank, sr_tag, _peers("Send", group))


@primitive
def Receive(sr_tag: int, src_rank: int, shape: Any, dtype: Any, group: str = _WORLD, group_back: str = _WORLD) -> _Run:
    """Receive a tensor from a member. If the call's input has a gradient, the result's gradient is sent back."""

    def run(input_x: Any = None) -> Any:
        needed = input_x if isinstance(input_x, torch.Tensor) and input_x.requires_grad else None
        return _collectives.receive(needed, _like(shape, dtype), src_rank, sr_tag, _peers("Receive", group))

    return run


@primitive
def BatchISendIRecv(
    op_types: Any, remote_ranks: Any, receive_shapes: Any = None, receive_dtypes: Any = None, group: str = _WORLD
) -> _Run:
    """Send and receive at once; results are at the places of "irecv", zeros of shape () at those of "isend"."""
    shapes, dtypes = (() if given is None else given for given in (receive_shapes, receive_dtypes))
    if len(shapes) != len(dtypes) or len(shapes) != list(op_types).count("irecv"):
        raise ValueError(
            "For 'BatchISendIRecv', length of receive_shapes and receive_dtypes must be the number of 'irecv' in "
            f"op_types, but got {len(shapes)}, {len(dtypes)} and {list(op_types).count('irecv')}."
        )
    if len(op_types) != len(remote_ranks):
        raise ValueError(
            "For 'BatchISendIRecv', length of op_types and remote_ranks must be the same, but got "
            f"{len(op_types)} and {len(remote_ranks)}."
        )
    for kind in op_types:
        check_one_of(kind, "op_types", ("isend", "irecv"), "BatchISendIRecv")

    def run(input_x: Any = ()) -> Any:
        tensors = [item for item in input_x if item is not None]
        to = [rank for kind, rank in zip(op_types, remote_ranks) if kind == "isend"]
        if len(tensors) != len(to):
            raise RuntimeError(
                f"For 'BatchISendIRecv', there must be a Tensor for each of the {len(to)} 'isend' in op_types, but got "
                f"{len(tensors)}."
            )
        origin = [rank for kind, rank in zip(op_types, remote_ranks) if kind == "irecv"]
        likes = [_like(shape, dtype) for shape, dtype in zip(shapes, dtypes)]
        came = iter(_collectives.exchange(tensors, to, origin, likes, _peers("BatchISendIRecv", group or _WORLD)))
        return tuple(next(came) if kind == "irecv" else _like((), torch.float32).zero_() for kind in op_types)

    return run


@primitive(inputs="tensor")
def NeighborExchange(
    send_rank_ids: Any, recv_rank_ids: Any, recv_shapes: Any, send_shapes: Any, recv_type: Any, group: str = _WORLD
) -> _Run:
    """Send tensor i to member ``send_rank_ids[i]``; return the tensors from ``recv_rank_ids``."""

    def run(input_x: Any) -> Any:
        for position, (x, shape) in enumerate(zip(input_x, send_shapes, strict=True)):
            if tuple(_tensor(x, "NeighborExchange").shape) != tuple(shape):
                raise ValueError(
                    f"For 'NeighborExchange', the shape of input {position} must be {tuple(shape)}, as 'send_shapes' "
                    f"says, but got {tuple(x.shape)}."
                )
        likes = [_like(shape, recv_type) for shape in recv_shapes]
        found = _peers("NeighborExchange", group)
        return _collectives.exchange(tuple(input_x), send_rank_ids, recv_rank_ids, likes, found)

    return run


@primitive(inputs="tensor")
def NeighborExchangeV2(
    send_rank_ids: Any, send_lens: Any, recv_rank_ids: Any, recv_lens: Any, data_format: str, group: str = _WORLD
) -> _Run:
    """Exchange borders of a picture (N, C, H, W) with 8 neighbours, clockwise from the top. -1: none.

    Args:
        send_lens, recv_lens: widths of the borders: top, bottom, left, right.
    """
    for name, value, count in (
        ("send_rank_ids", send_rank_ids, 8),
        ("recv_rank_ids", recv_rank_ids, 8),
        ("send_lens", send_lens, 4),
        ("recv_lens", recv_lens, 4),
    ):
        least = -1 if count == 8 else 0
        if len(value) != count or min(value) < least:
            raise ValueError(
                f"For 'NeighborExchangeV2', '{name}' must be {count} numbers of at least {least}, but got {value}."
            )
    check_one_of(data_format, "data_format", ("NCHW",), "NeighborExchangeV2")

    def run(input_x: Any) -> Any:
        found = _peers("NeighborExchangeV2", group)
        return _collectives.exchange_borders(
            _tensor(input_x, "NeighborExchangeV2"), send_rank_ids, send_lens, recv_rank_ids, recv_lens, found
        )

    return run


# --- markers of MindSpore's automatic parallelism: nothing to do here -------------------------------------------------
@primitive
def _VirtualDataset() -> _Run:
    """Return the inputs themselves."""
    return lambda *args: args


@primitive
def _MirrorOperator(group: Any = None, dev_num: Any = None, mean_flag: Any = None) -> _Run:
    """Return the input itself."""
    return lambda x: x


__all__ = functions(globals())
PRIMITIVES = classes(globals())
