"""Operators on sparse tensors as coordinates: (indices (n, axes), values (n,), shape). Part of ``sparse_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import Int, plain, primitive

__all__ = ["SparseAdd", "SparseConcat"]

_Run = Callable[..., Any]


def flat_places(indices: Any, shape: Any) -> torch.Tensor:
    """Return the positions of coordinates (n, axes) in the flattened tensor, (n,) int64."""
    lengths = as_ints(shape)
    limits = torch.tensor(lengths, dtype=torch.int64, device=indices.device)
    indices = torch.Tensor.long(indices)
    if bool(torch.any((indices < 0) | (indices >= limits))):
        raise ValueError(f"The 'indices' must be at least 0 and below the shape {lengths}.")
    strides = [math.prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    return torch.sum(indices * torch.tensor(strides, dtype=torch.int64, device=indices.device), -1)


def coordinates(places: torch.Tensor, shape: Any) -> torch.Tensor:
    """Return the inverse of `flat_places`."""
    lengths = as_ints(shape)
    rest, found = places, []
    for length in reversed(lengths):
        found.append(rest % length)
        rest = torch.div(rest, length, rounding_mode="floor")
    return torch.stack(found[::-1], -1)


def united(
    x1_indices: Any, x1_values: Any, x2_indices: Any, x2_values: Any, shape: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return (places of either in order, values of the first there, of the second; 0 where one has none)."""
    first, second = flat_places(x1_indices, shape), flat_places(x2_indices, shape)
    places, where = torch.unique(torch.cat((first, second)), return_inverse=True)
    zeros = torch.zeros(places.shape, dtype=x1_values.dtype, device=x1_values.device)
    left = torch.index_add(zeros, 0, where[: len(first)], x1_values)
    right = torch.index_add(zeros, 0, where[len(first) :], x2_values)
    return places, left, right


def _sparse_add(
    x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any, thresh: Any
) -> Any:
    """Return (indices, values, shape) of the sum; sums below ``thresh`` in magnitude are left out."""
    shape = as_ints(x1_shape)
    if shape != as_ints(x2_shape):
        raise ValueError(f"For 'SparseAdd', the shapes must be equal, but got {shape} and {as_ints(x2_shape)}.")
    places, left, right = united(x1_indices, x1_values, x2_indices, x2_values, shape)
    total = left + right
    kept = torch.nonzero(torch.abs(total.detach()) >= thresh)[:, 0]
    return wrap((coordinates(places[kept], shape), total[kept], torch.clone(x1_shape)))


def _reorder(indices: Any, values: Any, shape: Any) -> Any:
    """Return (indices, values) with the last axis running fastest."""
    order = torch.argsort(flat_places(indices, shape), stable=True)
    return wrap((indices[order], values[order]))


SparseAdd = plain("SparseAdd", _sparse_add)


@primitive
def SparseConcat(concat_dim: Int = 0) -> _Run:
    """(indices, values, shape) of sparse tensors joined along an axis: lists of indices, of values, of shapes."""

    def run(sp_input_indices: Any, sp_input_values: Any, sp_input_shapes: Any) -> Any:
        shapes = [list(as_ints(shape)) for shape in sp_input_shapes]
        axis = concat_dim % len(shapes[0])
        moved, begin = [], 0
        for indices, shape in zip(sp_input_indices, shapes):
            step = torch.zeros(len(shape), dtype=indices.dtype, device=indices.device)
            step[axis] = begin
            moved.append(indices + step)
            begin += shape[axis]
        shape = shapes[0][:axis] + [begin] + shapes[0][axis + 1 :]
        indices, values = _reorder(torch.cat(moved), torch.cat(list(sp_input_values)), shape)
        return indices, values, wrap(torch.tensor(shape, dtype=torch.int64, device=indices.device))

    return run
