"""Checks of the functions that communicate, in upstream's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat.communication import _groups
from mindspore_compat.communication._groups import Group
from mindspore_compat.communication.management import _need_init

__all__ = ["checked_group", "checked_op", "checked_rank", "checked_tensor", "checked_tensors", "sizes_of"]

_OPS = ("sum", "prod", "min", "max", "avg")


def checked_group(group: Any, async_op: Any = False) -> Group:
    """The group of that name, None the world.

    Raises:
        TypeError: if it is no str, or ``async_op`` no bool. RuntimeError: before init, or if there is none.
    """
    if group is None:
        group = "hccl_world_group"
    if not isinstance(group, str):
        raise TypeError(f"The argument 'group' must be type of string, but got 'group' type : {type(group)}.")
    if not isinstance(async_op, bool):
        raise TypeError(f"The argument 'async_op' must be a bool, but got {type(async_op)}.")
    _need_init()
    return _groups.find(group)


def checked_tensor(value: Any, owner: str, what: str = "input") -> torch.Tensor:
    """``value``, if it is a Tensor."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"For {owner}, the {what} tensor must be tensor")
    return value


def checked_tensors(values: Any, size: int | None = None, *, same_shape: bool = False) -> Sequence[torch.Tensor]:
    """``values``, if it is a list or tuple of Tensors of one type, and as many as the group has members."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"Expected list or tuple, but got {type(values)}.")
    for value in values:
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"Expected tensor, but got {type(value)}")
        if value.dtype is not values[0].dtype:
            raise TypeError(f"tensor_lists dtype must be the same, but got {values[0].dtype} and {value.dtype}.")
        if same_shape and value.shape != values[0].shape:
            raise TypeError(
                f"tensor_lists shape must be the same, but got {tuple(values[0].shape)} and {tuple(value.shape)}."
            )
    if size is not None and len(values) != size:
        raise TypeError(f"The argument list tensor len must be equal to group rank size, but got {len(values)}.")
    return values


def checked_op(op: Any, owner: str, allowed: Sequence[str] = _OPS) -> str:
    """``op``, if it is one of the reductions."""
    if not isinstance(op, str):
        raise TypeError(f"For {owner}, the input op type must be str")
    if op not in allowed:
        raise TypeError(f"For {owner}, the input op value must be one of {', '.join(allowed)}")
    return op


def checked_rank(rank: Any, owner: str, name: str) -> int:
    """``rank``, if it is an int."""
    if not isinstance(rank, int) or isinstance(rank, bool):
        raise TypeError(f"For {owner}, the {name} must be int")
    return rank


def sizes_of(splits: Any, length: int, size: int, what: str) -> list[int]:
    """How many rows of an axis of that length each member has; without ``splits`` as many as the others."""
    if not splits:
        if length % size:
            raise ValueError(f"{what} shape at dim 0 must be divided by world_size, but got {length} and {size}.")
        return [length // size] * size
    if len(splits) != size or sum(splits) != length:
        raise ValueError(
            f"The split sizes of the {what} must be {size} numbers with the sum {length}, but got {list(splits)}."
        )
    return [int(item) for item in splits]
