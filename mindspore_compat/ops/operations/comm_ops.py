"""Communication in class form over ``torch.distributed``. Upstream: ``mindspore.ops.operations.comm_ops``.

Without a process group (one process) each operator gives what a group of one member gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat.common._wrap import wrap
from mindspore_compat.communication import management
from mindspore_compat.ops._declare import primitive

__all__ = """
    ReduceOp AllReduce AllGather ReduceScatter Broadcast Reduce AlltoAll Barrier Send Receive CollectiveGather
    CollectiveScatter _VirtualDataset _MirrorOperator
""".split()

_Run = Callable[..., Any]
_WORLD = "hccl_world_group"


class ReduceOp:
    """Names of the reductions."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


def _group(name: str, owner: str) -> Any:
    """The torch group of a name (None: the world)."""
    return management._group(name, owner)[1]


def _running() -> bool:
    return (
        torch.distributed.is_available()
        and torch.distributed.is_initialized()
        and torch.distributed.get_world_size() > 1
    )


def _check(owner: str, group: Any, op: Any = "sum") -> None:
    if not isinstance(group, str):
        raise TypeError(f"For '{owner}', the 'group' must be a str, but got {type(group).__name__}.")
    if not isinstance(op, str):
        raise TypeError(f"For '{owner}', the 'op' must be a str, but got {type(op).__name__}.")
    check_one_of(op, "op", ("sum", "max", "min", "prod"), owner)


def _torch_op(op: str) -> Any:
    names = {
        "sum": torch.distributed.ReduceOp.SUM,
        "max": torch.distributed.ReduceOp.MAX,
        "min": torch.distributed.ReduceOp.MIN,
        "prod": torch.distributed.ReduceOp.PRODUCT,
    }
    return names[op]


def _plain(x: torch.Tensor) -> torch.Tensor:
    return x.detach().contiguous().as_subclass(torch.Tensor)


def _all_reduce(x: torch.Tensor, op: str, group: Any) -> torch.Tensor:
    result = torch.clone(_plain(x))
    torch.distributed.all_reduce(result, _torch_op(op), group)
    return result


def _all_gather(x: torch.Tensor, group: Any) -> torch.Tensor:
    parts = [torch.empty_like(_plain(x)) for _ in range(torch.distributed.get_world_size(group))]
    torch.distributed.all_gather(parts, _plain(x), group)
    return torch.cat(parts, 0)


def _reduce_scatter(x: torch.Tensor, op: str, group: Any) -> torch.Tensor:
    count, rank = torch.distributed.get_world_size(group), torch.distributed.get_rank(group)
    if x.shape[0] % count:
        raise ValueError(
            f"For 'ReduceScatter', the first axis ({x.shape[0]}) must be a multiple of the group's size {count}."
        )
    return torch.chunk(_all_reduce(x, op, group), count, 0)[rank].clone()  # gloo has no reduce_scatter


class _AllReduce(torch.autograd.Function):
    """A sum whose gradient is summed too."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, op: str, group: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.group, ctx.op = group, op
        result = _all_reduce(x, op, group)
        if op != "sum":
            ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        summed = _AllReduce.apply(gradient, "sum", ctx.group)
        if ctx.op in ("max", "min"):
            x, result = ctx.saved_tensors
            summed = summed * (x == result)
        return summed, None, None


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, group: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.group = group
        return _all_gather(x, group)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        return _ReduceScatter.apply(gradient, "sum", ctx.group), None


class _ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, op: str, group: Any) -> torch.Tensor:  # type: ignore[override]
        ctx.group = group
        return _reduce_scatter(x, op, group)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:  # type: ignore[override]
        return _AllGather.apply(gradient, ctx.group), None, None


@primitive
def AllReduce(op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced."""
    _check("AllReduce", group, op)
    return lambda input_x: wrap(_AllReduce.apply(input_x, op, _group(group, "AllReduce"))) if _running() else input_x


@primitive
def AllGather(group: str = _WORLD) -> _Run:
    """The tensors of all members joined along the first axis."""
    _check("AllGather", group)
    return lambda input_x: wrap(_AllGather.apply(input_x, _group(group, "AllGather"))) if _running() else input_x


@primitive
def ReduceScatter(op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced, and of that this member's part of the first axis."""
    _check("ReduceScatter", group, op)
    return lambda input_x: (
        wrap(_ReduceScatter.apply(input_x, op, _group(group, "ReduceScatter"))) if _running() else input_x
    )


@primitive
def Broadcast(root_rank: int, group: str = _WORLD) -> _Run:
    """Tuple of tensors as the root has them."""
    _check("Broadcast", group)

    def run(input_x: Any) -> Any:
        items = input_x if isinstance(input_x, (tuple, list)) else (input_x,)
        if not _running():
            return tuple(items)
        results = []
        for item in items:
            result = torch.clone(_plain(item))
            torch.distributed.broadcast(result, root_rank, _group(group, "Broadcast"))
            results.append(wrap(result))
        return tuple(results)

    return run


@primitive
def Reduce(dest_rank: int, op: str = ReduceOp.SUM, group: str = _WORLD) -> _Run:
    """The tensors of all members reduced at one of them; the others get zeros."""
    _check("Reduce", group, op)

    def run(input_x: Any) -> Any:
        if not _running():
            return input_x
        result = _all_reduce(input_x, op, _group(group, "Reduce"))
        return wrap(result if torch.distributed.get_rank() == dest_rank else torch.zeros_like(result))

    return run


@primitive
def AlltoAll(split_count: int, split_dim: int, concat_dim: int, group: str = _WORLD) -> _Run:
    """Piece i of ``split_dim`` goes to member i; what comes is joined along ``concat_dim``."""
    _check("AlltoAll", group)

    def run(input_x: Any) -> Any:
        if not _running():
            return input_x
        handle = _group(group, "AlltoAll")
        rank = torch.distributed.get_rank(handle)
        parts = [torch.empty_like(_plain(input_x)) for _ in range(split_count)]
        torch.distributed.all_gather(parts, _plain(input_x), handle)  # gloo has no all_to_all
        return wrap(torch.cat([torch.chunk(part, split_count, split_dim)[rank] for part in parts], concat_dim))

    return run


@primitive
def CollectiveGather(dest_rank: int, group: str = _WORLD) -> _Run:
    """The tensors of all members joined at one of them."""
    _check("CollectiveGather", group)
    return lambda input_x: wrap(_all_gather(input_x, _group(group, "CollectiveGather"))) if _running() else input_x


@primitive
def CollectiveScatter(src_rank: int = 0, group: str = _WORLD) -> _Run:
    """This member's part of the first axis of the source's tensor."""
    _check("CollectiveScatter", group)

    def run(input_x: Any) -> Any:
        if not _running():
            return input_x
        handle = _group(group, "CollectiveScatter")
        whole = torch.clone(_plain(input_x))
        torch.distributed.broadcast(whole, src_rank, handle)
        return wrap(
            torch.chunk(whole, torch.distributed.get_world_size(handle), 0)[torch.distributed.get_rank(handle)].clone()
        )

    return run


@primitive
def Barrier(group: str = _WORLD) -> _Run:
    """Wait for all members."""

    def run() -> None:
        if _running():
            torch.distributed.barrier(_group(group, "Barrier"))

    return run


def _need_peers(owner: str) -> None:
    if not _running():
        raise RuntimeError(
            f"For '{owner}', there is no other process. Start with torchrun and call mindspore.communication.init() "
            "first."
        )


@primitive
def Send(sr_tag: int, dest_rank: int, group: str = _WORLD, group_back: str = _WORLD) -> _Run:
    """Send a tensor to a member; returns it."""

    def run(input_x: Any) -> Any:
        _need_peers("Send")
        torch.distributed.send(_plain(input_x), dest_rank, _group(group, "Send"), sr_tag)
        return input_x

    return run


@primitive
def Receive(sr_tag: int, src_rank: int, shape: Any, dtype: Any, group: str = _WORLD, group_back: str = _WORLD) -> _Run:
    """Receive a tensor from a member."""

    def run(input_x: Any = None) -> Any:
        _need_peers("Receive")
        result = torch.empty(tuple(shape), dtype=dtype)
        torch.distributed.recv(result, src_rank, _group(group, "Receive"), sr_tag)
        return wrap(result)

    return run


# --- markers of upstream's automatic parallelism: nothing to do here --------------------------------------------------


@primitive
def _VirtualDataset() -> _Run:
    """The inputs themselves."""
    return lambda *args: args


@primitive
def _MirrorOperator(group: Any = None, dev_num: Any = None, mean_flag: Any = None) -> _Run:
    """The input itself."""
    return lambda x: x
