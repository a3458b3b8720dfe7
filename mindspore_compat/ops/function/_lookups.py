"""Embedding lookups with recorded rows for optimizers. MindSpore: their gradient is a ``RowTensor``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._autograd.sparse_embedding_grads import look_up_rows
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_int, to_dtype
from mindspore_compat.ops.function._indexing import as_long, gather

__all__ = ["embedding_lookup"]


def sparse_gather(params: Any, indices: Any, axis: Any) -> Any:
    """Run `gather`; along a Parameter's first axis record a lookup for its optimizer (sparse_embedding_grads.py)."""
    result = gather(params, indices, axis)
    if as_int(axis) in (0, -params.dim()):
        look_up_rows(params, as_long(indices, params))
    return result


def embedding_lookup(input_params: Any, input_indices: Any, offset: int) -> Any:
    """Return rows ``input_indices - offset``; those out of range are zero."""
    places = as_long(input_indices) - offset
    inside = (places >= 0) & (places < input_params.shape[0])
    places = torch.where(inside, places, torch.zeros_like(places))
    rows = input_params[places]
    look_up_rows(input_params, places, inside)
    return wrap(
        rows * to_dtype(torch.reshape(inside, (*inside.shape, *(1,) * (rows.dim() - inside.dim()))), rows.dtype)
    )
