"""Products of sharded matrices, with the collective before or after. Part of ``math_func``; MindSpore fuses the two on
Ascend, here one follows the other.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.communication import comm_func

__all__ = ["all_gather_matmul", "matmul_reduce_scatter"]


def _check(owner: str, **only: tuple[Any, Any]) -> None:
    """Raise RuntimeError for arguments that MindSpore's kernels refuse."""
    for name, (value, right) in only.items():
        if value != right:
            raise RuntimeError(f"For '{owner}', the '{name}' must be {right!r}, but got {value!r}.")


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
