"""Gradients of parts, padding, matrices and rows as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_int, as_ints, check_tensors, to_dtype
from mindspore_compat.ops._declare import Bool, Int, plain, primitive
from mindspore_compat.ops.operations._gradient_ops import adjoint, as_torch, derivative, derivatives
from mindspore_compat.ops.operations.array_ops import StridedSlice

__all__ = """
    ConcatOffset EinsumGrad FlattenGrad GatherDGradV2 LuUnpackGrad MaskedSelectGrad MedianGrad MirrorPadGrad
    MvlgammaGrad PadV3Grad PdistGrad SliceGrad SparseFillEmptyRowsGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad
    SparseSegmentSumGrad SparseSliceGrad StridedSliceGrad TraceGrad
""".split()

_Run = Callable[..., Any]


# --- parts and padding ------------------------------------------------------------------------------------------------


def _slice(dy: Any, x: Any, begin: Any, size: Any) -> Any:
    """The gradient of `Slice` by x, of which only the shape counts."""
    return adjoint(lambda x: F.slice(x, as_ints(begin), as_ints(size)), tuple(x.shape), dy)


SliceGrad = plain("SliceGrad", _slice)


@primitive
def StridedSliceGrad(
    begin_mask: Int = 0, end_mask: Int = 0, ellipsis_mask: Int = 0, new_axis_mask: Int = 0, shrink_axis_mask: Int = 0
) -> _Run:
    """The gradient of `StridedSlice` by an input of the shape ``shapex``."""
    forward = StridedSlice(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)

    def run(dy: Any, shapex: Any, begin: Any, end: Any, strides: Any) -> Any:
        check_tensors("StridedSliceGrad", dy=dy)
        places = [as_ints(item) for item in (begin, end, strides)]
        return adjoint(lambda x: forward(x, *places), as_ints(shapex), dy)

    return run


@primitive
def MirrorPadGrad(mode: Literal["REFLECT", "SYMMETRIC"] = "REFLECT") -> _Run:
    """The gradient of `MirrorPad` by x."""

    def run(dy: Any, paddings: Any) -> Any:
        sides = paddings.tolist() if isinstance(paddings, torch.Tensor) else paddings
        shape = tuple(length - sum(pair) for length, pair in zip(dy.shape, sides))
        return adjoint(lambda x: F.mirror_pad(x, sides, mode), shape, dy)

    return run


@primitive
def PadV3Grad(mode: Literal["reflect", "edge", "circular"] = "reflect", paddings_contiguous: Bool = True) -> _Run:
    """The gradient of `PadV3` by x. Without ``paddings_contiguous`` all sides before stand first, then those after."""

    def run(x: Any, paddings: Any) -> Any:
        sides = as_ints(F.sides_of(paddings, paddings_contiguous))
        shape = [*x.shape]
        for axis, pair in enumerate(zip(sides[::2], sides[1::2]), 1):
            shape[-axis] -= sum(pair)
        return adjoint(lambda x: F.pad(x, sides, {"edge": "replicate"}.get(mode, mode)), tuple(shape), x)

    return run


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


@primitive
def MvlgammaGrad(p: Int) -> _Run:
    """The gradient of `Mvlgamma` by x."""
    return lambda y_grad, x: derivative(lambda x: F.mvlgamma(wrap(x), p), x, y_grad)


@primitive
def PdistGrad(p: float = 2.0) -> _Run:
    """The gradient of `Pdist` by the points; the distances ``y`` are not read."""
    return lambda y_grad, x, y: derivative(lambda x: F.pdist(wrap(x), p), x, y_grad)


# --- rows of sparse tensors -------------------------------------------------------------------------------------------


def _segment(scale: Callable[[torch.Tensor], torch.Tensor] | None) -> _Run:
    """Rows of ``x``, each divided by ``scale`` of how many its segment has, added at ``indices`` of zeros."""

    def run(x: Any, indices: Any, segment_ids: Any, output_dim0: Any) -> Any:
        x, indices, segments = as_torch((x, indices, segment_ids))
        segments, indices = segments.to(torch.int64), indices.to(torch.int64)
        rows = torch.index_select(x, 0, segments)
        if scale is not None:
            counts = torch.bincount(segments, minlength=x.shape[0])[segments]
            rows = rows / torch.reshape(scale(to_dtype(counts, x.dtype)), (-1, *(1,) * (x.dim() - 1)))
        zeros = torch.zeros((as_int(output_dim0), *x.shape[1:]), dtype=x.dtype, device=x.device)
        return wrap(torch.index_add(zeros, 0, indices, rows))

    return run


@primitive
def SparseSegmentSumGrad() -> _Run:
    """The gradient of `SparseSegmentSum` by x, of ``output_dim0`` rows."""
    run = _segment(None)
    return lambda grad, indices, segment_ids, output_dim0: run(grad, indices, segment_ids, output_dim0)


@primitive
def SparseSegmentMeanGrad() -> _Run:
    """The gradient of `SparseSegmentMean` by x, of ``output_dim0`` rows."""
    return _segment(lambda counts: counts)


@primitive
def SparseSegmentSqrtNGrad() -> _Run:
    """The gradient of `SparseSegmentSqrtN` by x, of ``output_dim0`` rows."""
    return _segment(torch.sqrt)


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
