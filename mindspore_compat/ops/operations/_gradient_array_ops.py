"""Gradients of parts, padding, matrices and rows as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_int, as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, Int, plain, primitive
from mindspore_compat.ops.operations._gradient_ops import as_torch, derivatives

__all__ = """
    ConcatOffset EinsumGrad FlattenGrad GatherDGradV2 LuUnpackGrad MaskedSelectGrad MedianGrad SparseFillEmptyRowsGrad
    SparseSegmentMeanGrad SparseSegmentSqrtNGrad SparseSliceGrad TraceGrad
""".split()

_Run = Callable[..., Any]


def _flatten(x: Any, shape: Any) -> Any:
    """The gradient of `Flatten`: in the shape that was there before."""
    return wrap(torch.clone(F.reshape(x, as_ints(shape))))


FlattenGrad = plain("FlattenGrad", _flatten)


@primitive
def ConcatOffset(N: Int = 2, axis: Int = 0) -> _Run:
    """Where each of the N tensors begins in their concatenation along the axis: (N, rank), int64."""

    def run(input_x: Any) -> Any:
        rank, begin, rows = input_x[0].dim(), 0, []
        for item in input_x:
            rows.append([begin if place == axis % rank else 0 for place in range(rank)])
            begin += item.shape[axis]
        return wrap(torch.tensor(rows, dtype=torch.int64, device=input_x[0].device))

    return run


# --- gathering --------------------------------------------------------------------------------------------------------


def _gather(x: Any, dim: Any, index: Any, dout: Any) -> Any:
    """The gradient of `GatherD` by x, of which only the shape counts: ``dout`` added at the indices."""
    zeros = torch.zeros(tuple(x.shape), dtype=dout.dtype, device=dout.device)
    return wrap(torch.scatter_add(zeros, as_int(dim), as_torch(index).to(torch.int64), as_torch(dout)))


GatherDGradV2 = plain("GatherDGradV2", _gather)


def _masked(input: Any, mask: Any, grad: Any) -> Any:
    """The gradient of `MaskedSelect` by its input: the elements of ``grad`` where the mask is."""
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    zeros = torch.zeros(shape, dtype=grad.dtype, device=grad.device)
    spread = torch.masked_scatter(zeros, as_torch(mask), as_torch(grad))
    return wrap(spread.sum_to_size(tuple(input.shape)))


MaskedSelectGrad = plain("MaskedSelectGrad", _masked)


@primitive
def MedianGrad(global_median: Bool = False, axis: Int = 0, keep_dims: Bool = False) -> _Run:
    """The gradient of `Median` by x: at the median's place along the axis; of all elements, shared by those equal to
    it.
    """

    def run(y_grad: Any, x: Any, y: Any, indices: Any) -> Any:
        dy, x, y, places = as_torch((y_grad, x, y, indices))
        if global_median:
            equal = to_dtype(x == y, dy.dtype)
            return wrap(to_dtype(equal * (dy / torch.sum(equal)), dy.dtype))
        if not keep_dims and x.dim():
            dy, places = torch.unsqueeze(dy, axis), torch.unsqueeze(places, axis)
        zeros = torch.zeros_like(x, dtype=dy.dtype)
        return wrap(torch.scatter_add(zeros, axis, places.to(torch.int64), dy))

    return run


# --- matrices, products, distances ------------------------------------------------------------------------------------


def _trace(y_grad: Any, x_shape: Any) -> Any:
    """The gradient of `Trace` by a matrix of the shape ``x_shape``."""
    rows, cols = as_ints(x_shape)
    return wrap(torch.eye(rows, cols, dtype=y_grad.dtype, device=y_grad.device) * y_grad)


TraceGrad = plain("TraceGrad", _trace)


@primitive
def LuUnpackGrad(L_grad_flag: Bool, U_grad_flag: Bool) -> _Run:
    """(what of the gradient of L, of that of U belongs to the packed matrix ``LU_data``)."""

    def run(L_grad: Any, U_grad: Any, LU_data: Any) -> Any:
        rows, cols = LU_data.shape[-2:]
        lower, upper = torch.tril(as_torch(L_grad), -1), torch.triu(as_torch(U_grad))
        pad = torch.nn.functional.pad
        return wrap((pad(lower, (0, cols - lower.shape[-1])), pad(upper, (0, 0, 0, rows - upper.shape[-2]))))

    return run


@primitive
def EinsumGrad(equation: str) -> _Run:
    """The gradients of `Einsum` by each of the tensors."""
    return lambda x, dout: derivatives(lambda *items: F.einsum(equation, *items), tuple(x), dout)


# --- rows of sparse tensors -------------------------------------------------------------------------------------------


def _segment(share: Callable[[torch.Tensor], torch.Tensor]) -> _Run:
    def run(x: Any, indices: Any, segment_ids: Any, output_dim0: Any) -> Any:
        """Rows of ``x``, each divided by ``share`` of how many its segment has, added at ``indices`` of zeros."""
        x, indices, segments = as_torch((x, indices, segment_ids))
        segments, indices = segments.to(torch.int64), indices.to(torch.int64)
        counts = share(to_dtype(torch.bincount(segments, minlength=x.shape[0])[segments], x.dtype))
        rows = torch.index_select(x, 0, segments) / torch.reshape(counts, (-1, *(1,) * (x.dim() - 1)))
        zeros = torch.zeros((as_int(output_dim0), *x.shape[1:]), dtype=x.dtype, device=x.device)
        return wrap(torch.index_add(zeros, 0, indices, rows))

    return run


SparseSegmentMeanGrad = plain("SparseSegmentMeanGrad", _segment(lambda counts: counts))
SparseSegmentSqrtNGrad = plain("SparseSegmentSqrtNGrad", _segment(torch.sqrt))


def _fill_empty_rows(reverse_index_map: Any, grad_values: Any) -> Any:
    """(by the values, by the default value) of `SparseFillEmptyRows`: what the map does not name is the default's."""
    places, values = as_torch(reverse_index_map).to(torch.int64), as_torch(grad_values)
    kept = torch.zeros(values.shape, dtype=torch.bool, device=values.device)
    kept = torch.index_fill(kept, 0, places, True)
    rest = torch.where(kept, torch.zeros_like(values), values)
    return wrap((torch.index_select(values, 0, places), torch.sum(rest)))


SparseFillEmptyRowsGrad = plain("SparseFillEmptyRowsGrad", _fill_empty_rows)


def _sparse_slice(backprop_val_grad: Any, indices: Any, start: Any, new_indices: Any) -> Any:
    """The gradient of `SparseSlice` by its values: 0 for those that were left out."""
    before, after = as_torch(indices), as_torch(new_indices) + as_torch(start)
    hits = torch.all(torch.unsqueeze(before, 1) == after, 2)
    return wrap(torch.sum(torch.where(hits, as_torch(backprop_val_grad), 0), 1, dtype=backprop_val_grad.dtype))


SparseSliceGrad = plain("SparseSliceGrad", _sparse_slice)
