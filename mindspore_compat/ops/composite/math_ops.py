"""MindSpore: ``mindspore.ops.composite.math_ops``, ``clip_ops``, ``random_ops``, ``array_ops``, ``multitype_ops``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.clip import clip_by_global_norm, clip_by_value
from mindspore_compat._ops.creation import sequence_mask
from mindspore_compat._ops.linalg import batch_dot, dot, mm, tensor_dot
from mindspore_compat._ops.random import gamma, laplace, multinomial, normal, poisson, uniform
from mindspore_compat._ops.reduction import count_nonzero
from mindspore_compat._ops.shape import repeat_elements
from mindspore_compat.ops import function as F

__all__ = [
    "batch_dot",
    "clip_by_global_norm",
    "clip_by_value",
    "count_nonzero",
    "dot",
    "gamma",
    "laplace",
    "matmul",
    "mm",
    "multinomial",
    "normal",
    "ones_like",
    "poisson",
    "repeat_elements",
    "sequence_mask",
    "tensor_dot",
    "uniform",
    "zeros_like",
]


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return the matrix product, with broadcasting of leading axes; in ``dtype`` where given."""
    product = F.matmul(x1, x2)
    return product if dtype is None else F.cast(product, dtype)


def ones_like(x: Any) -> Any:
    """Return ones like a tensor or number, through tuples."""
    if isinstance(x, tuple):
        return tuple(ones_like(item) for item in x)
    return F.ones_like(x) if isinstance(x, torch.Tensor) else type(x)(1)


def zeros_like(x: Any) -> Any:
    """Return zeros like a tensor or number, through tuples."""
    if isinstance(x, tuple):
        return tuple(zeros_like(item) for item in x)
    return F.zeros_like(x) if isinstance(x, torch.Tensor) else type(x)(0)
