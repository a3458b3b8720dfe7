"""Reductions of segments, and order, in class form. Parts of ``mindspore.ops.operations.array_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.indexing import take_elements
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_int, dtype_or_none, to_dtype
from mindspore_compat.ops._declare import Typed, plain, primitive

__all__ = """
    TopK SearchSorted LowerBound UpperBound UniqueConsecutive ConfusionMatrix SegmentSum SegmentMean SegmentMax
    SegmentMin SegmentProd NthElement ListDiff
""".split()

_Run = Callable[..., Any]


@primitive
def ConfusionMatrix(num_classes: int, dtype: str = "int32") -> _Run:
    """Counts of (label, prediction) pairs."""
    target = dtype_or_none(dtype) or torch.int32

    def run(labels: Any, predictions: Any, weights: Any = None) -> Any:
        flat = labels.long() * num_classes + predictions.long()
        counts = torch.bincount(flat, weights, num_classes * num_classes)
        return wrap(to_dtype(torch.reshape(counts, (num_classes, num_classes)), target))

    return run


def _segment(kind: str, empty: float) -> _Run:
    def run(input_x: Any, segment_ids: Any) -> Any:
        count = int(segment_ids[-1]) + 1
        rest = tuple(input_x.shape[1:])
        index = torch.Tensor.expand(torch.reshape(segment_ids.long(), (-1, *(1,) * len(rest))), tuple(input_x.shape))
        result = torch.full((count, *rest), empty, dtype=input_x.dtype, device=input_x.device)
        reduced = torch.scatter_reduce(result, 0, index, input_x, kind, include_self=False)
        return wrap(reduced)

    run.__doc__ = f"Slices with one id reduced ({kind}); ids are sorted."
    return run


SegmentSum, SegmentMean, SegmentMax, SegmentMin, SegmentProd = (
    plain(f"Segment{name}", _segment(kind, empty))
    for name, kind, empty in (
        ("Sum", "sum", 0),
        ("Mean", "mean", 0),
        ("Max", "amax", 0),
        ("Min", "amin", 0),
        ("Prod", "prod", 1),
    )
)


@primitive
def TopK(sorted: Typed[bool] = True) -> _Run:
    """(the k largest values of the last axis, their int32 indices)."""

    def run(input_x: Any, k: Any) -> Any:
        return F.topk(input_x, as_int(k), -1, True, sorted)

    return run


@primitive
def SearchSorted(dtype: Any = torch.int64, right: bool = False) -> _Run:
    """Places to insert values at; before 2.0 ``dtype`` was whether in int32."""
    return lambda sequence, values, sorter=None: F.searchsorted(
        sequence, values, out_int32=dtype in (torch.int32, True), right=right, sorter=sorter
    )


@primitive
def LowerBound(out_type: Any = torch.int32) -> _Run:
    """The first place where each value could be inserted, row by row."""
    return lambda sorted_x, values: F.searchsorted(sorted_x, values, out_int32=out_type is torch.int32)


@primitive
def UpperBound(out_type: Any = torch.int32) -> _Run:
    """The last place where each value could be inserted, row by row."""
    return lambda sorted_x, values: F.searchsorted(sorted_x, values, out_int32=out_type is torch.int32, right=True)


@primitive
def NthElement(reverse: bool = False) -> _Run:
    """The n-th smallest (or largest) value of the last axis; equal elements share its gradient."""

    def run(input: Any, n: Any) -> Any:
        found = torch.sort(input.detach(), -1, reverse)[0][..., as_int(n)]
        if not input.dtype.is_floating_point:
            return wrap(found)
        is_found = input.detach() == found.unsqueeze(-1)
        shared = torch.where(is_found, input, 0).sum(-1) / is_found.sum(-1)
        return wrap(found + (shared - shared.detach()))

    return run


@primitive
def ListDiff(out_idx: Any = torch.int32) -> _Run:
    """(elements of x that are not in y, their places)."""

    def run(x: Any, y: Any) -> Any:
        places = torch.nonzero(torch.logical_not(torch.isin(x, y)))[:, 0]
        return wrap(take_elements(x, places)), wrap(to_dtype(places, dtype_or_none(out_idx) or torch.int32))

    return run


@primitive
def UniqueConsecutive(return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> _Run:
    """Elements without consecutive repetitions, with int64 inverse and counts, 0 unless asked for."""

    def run(input: Any) -> Any:
        values, inverse, counts = torch.unique_consecutive(input, return_inverse=True, return_counts=True, dim=dim)
        nothing = inverse.new_zeros(())
        return wrap((values, inverse if return_inverse else nothing, counts if return_counts else nothing))

    return run
