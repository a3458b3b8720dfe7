"""Sets of integers in the last axis, dense or sparse. Upstream: ``mindspore.ops.operations.sparse_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints, as_plain
from mindspore_compat.ops._declare import Typed, primitive

__all__ = ["DenseToDenseSetOperation", "DenseToSparseSetOperation"]

_Run = Callable[..., Any]
_SETS = ("a-b", "b-a", "intersection", "union")
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16)


def _set_operation(owner: str, operation: str, x1: Any, x2: Any, known: torch.Tensor | None = None) -> Any:
    """(indices, values, shape) of the sets in the last axis; of ``x2`` only the ``known`` numbers count.

    Raises:
        ValueError: for another operation, unless all axes but the last are alike.
    """
    kind = operation.lower()
    if kind not in _SETS:
        raise ValueError(f"For '{owner}', the 'set_operation' must be one of {_SETS}, but got {operation!r}.")
    if x1.dim() < 2 or x1.shape[:-1] != x2.shape[:-1]:
        raise ValueError(
            f"For '{owner}', the two sets must have at least 2 axes, and all but the last alike, but got "
            f"{tuple(x1.shape)} and {tuple(x2.shape)}."
        )
    a, b = torch.Tensor.long(as_plain(x1)), torch.Tensor.long(as_plain(x2))
    of_a, of_b = torch.ones_like(a, dtype=torch.bool), torch.ones_like(b, dtype=torch.bool) if known is None else known
    if kind == "b-a":
        a, of_a, b, of_b = b, of_b, a, of_a
    if kind == "union":
        a, of_a = torch.cat([a, b], -1), torch.cat([of_a, of_b], -1)
    values, order = torch.sort(a, -1)
    taken = torch.gather(of_a, -1, order)
    if kind != "union":
        shared = torch.any((values.unsqueeze(-1) == b.unsqueeze(-2)) & of_b.unsqueeze(-2), -1)
        taken &= shared if kind == "intersection" else ~shared
    # each number once: not if an equal one before it is taken
    again = torch.tril(values.unsqueeze(-1) == values.unsqueeze(-2), -1) & taken.unsqueeze(-2)
    taken &= ~torch.any(again, -1)
    places = torch.cumsum(taken, -1)
    longest = torch.amax(places) if places.numel() else places.new_zeros(())
    indices = torch.nonzero(taken)
    indices[:, -1] = places[taken] - 1
    shape = torch.tensor([*values.shape[:-1], int(longest)], device=values.device)
    return wrap((indices, values[taken].to(x1.dtype), shape))


def _check_sets(owner: str, **given: Any) -> None:
    dtypes = {value.dtype for value in given.values()}
    if len(dtypes) > 1 or not dtypes <= set(_INTEGERS):
        raise TypeError(f"For '{owner}', {' and '.join(given)} must have one integer type, but got {dtypes}.")


@primitive
def DenseToDenseSetOperation(set_operation: Typed[str] = "a-b", validate_indices: Typed[bool] = True) -> _Run:
    """The sets in the last axis of two integer tensors with the same leading axes, by ``"a-b"``, ``"b-a"``,
    ``"intersection"`` or ``"union"``: (indices (n, axes), values, sorted within a set, the shape up to the largest).
    """

    def run(x1: Any, x2: Any) -> Any:
        _check_sets("DenseToDenseSetOperation", x1=x1, x2=x2)
        return _set_operation("DenseToDenseSetOperation", set_operation, x1, x2)

    return run


@primitive
def DenseToSparseSetOperation(set_operation: Typed[str] = "", validate_indices: Typed[bool] = True) -> _Run:
    """`DenseToDenseSetOperation` with the second sets as a sparse tensor: int64 indices (n, axes), values, its shape.

    Raises:
        ValueError: for indices outside of the shape, and with ``validate_indices`` for unordered ones.
    """
    owner = "DenseToSparseSetOperation"

    def run(x1: Any, x2_indices: Any, x2_values: Any, x2_shape: Any) -> Any:
        _check_sets(owner, x1=x1, x2_values=x2_values)
        lengths, places = as_ints(x2_shape), torch.Tensor.long(as_plain(x2_indices))
        flat = torch.zeros_like(places[:, 0])
        for length, place in zip(lengths, torch.unbind(places, -1)):
            if bool(torch.any((place < 0) | (place >= length))):
                raise ValueError(f"For '{owner}', the 'x2_indices' must be inside of the shape {tuple(lengths)}.")
            flat = flat * length + place
        if validate_indices and bool(torch.any(flat[1:] < flat[:-1])):
            raise ValueError(f"For '{owner}', the 'x2_indices' must be in order. Sort them, or set validate_indices.")
        known = torch.zeros(tuple(lengths), dtype=torch.bool, device=places.device)
        known = torch.index_put(known, tuple(torch.unbind(places, -1)), torch.ones_like(flat, dtype=torch.bool))
        dense = torch.zeros(tuple(lengths), dtype=torch.int64, device=places.device)
        dense = torch.index_put(dense, tuple(torch.unbind(places, -1)), torch.Tensor.long(as_plain(x2_values)))
        return _set_operation(owner, set_operation, x1, dense, known)

    return run
