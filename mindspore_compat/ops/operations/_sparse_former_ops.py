"""Operators on sparse tensors as coordinates that 1.8 to 1.10 had. Part of ``sparse_ops``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import plain
from mindspore_compat.ops.function._extended import sparse_segment_mean
from mindspore_compat.ops.operations._sparse_coo_ops import coordinates, flat_places, united

__all__ = """
    SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseSegmentMean SparseSegmentSum
    SparseSegmentMeanWithNumSegments SparseSegmentSumWithNumSegments SparseSoftmax SparseSparseMaximum
    SparseSparseMinimum SparseToDenseV2
""".split()


def _with_dense(operator: Any) -> Any:
    """Return the operator of a sparse tensor's values and what a dense tensor, broadcast, has at their places."""

    def run(x1_indices: Any, x1_values: Any, x1_shape: Any, x2: Any) -> Any:
        dense = torch.reshape(torch.broadcast_to(x2, as_ints(x1_shape)), (-1,))
        return wrap(operator(x1_values, dense[flat_places(x1_indices, x1_shape)]))

    return run


def _with_sparse(operator: Any) -> Any:
    """Return (indices, values) of the operator of two sparse tensors."""

    def run(x1_indices: Any, x1_values: Any, x1_shape: Any, x2_indices: Any, x2_values: Any, x2_shape: Any) -> Any:
        places, left, right = united(x1_indices, x1_values, x2_indices, x2_values, x1_shape)
        return wrap((coordinates(places, x1_shape), operator(left, right)))

    return run


def _segments(*, mean: bool) -> Any:
    """Return the operator of rows ``x[indices]`` with one sorted segment number, up to ``num_segments`` if given."""

    def run(x: Any, indices: Any, segment_ids: Any, num_segments: Any = None) -> Any:
        means, ids = sparse_segment_mean(x, indices, segment_ids), torch.Tensor.long(segment_ids)
        count = len(means) if num_segments is None else as_ints(torch.reshape(num_segments, (1,)))[0]
        filled = torch.cat((means, means.new_zeros((count - len(means), *means.shape[1:]))))
        total = torch.index_add(torch.zeros_like(filled), 0, ids, torch.index_select(x, 0, indices))
        return wrap(filled if mean else total)

    return run


def _softmax(indices: Any, values: Any, shape: Any) -> Any:
    rows = flat_places(indices[:, :-1], as_ints(shape)[:-1])
    found, rows = torch.unique(rows, return_inverse=True)
    powers = torch.exp(values - F.unsorted_segment_max(values, rows, len(found))[rows])
    return wrap(powers / torch.index_add(values.new_zeros(len(found)), 0, rows, powers)[rows])


def _to_dense(indices: Any, output_shape: Any, values: Any, default_value: Any) -> Any:
    shape = as_ints(output_shape)
    places = flat_places(torch.reshape(indices, (-1, len(shape))), shape)
    filled = torch.broadcast_to(default_value, (torch.Size(shape).numel(),))
    return wrap(torch.reshape(torch.index_put(filled, (places,), torch.broadcast_to(values, places.shape)), shape))


SparseDenseCwiseAdd = plain("SparseDenseCwiseAdd", _with_dense(torch.add))
SparseDenseCwiseDiv = plain("SparseDenseCwiseDiv", _with_dense(torch.div))
SparseDenseCwiseMul = plain("SparseDenseCwiseMul", _with_dense(torch.mul))
SparseSegmentMean = plain("SparseSegmentMean", sparse_segment_mean)
SparseSegmentMeanWithNumSegments = plain("SparseSegmentMeanWithNumSegments", _segments(mean=True))
SparseSegmentSum = plain("SparseSegmentSum", _segments(mean=False))
SparseSegmentSumWithNumSegments = plain("SparseSegmentSumWithNumSegments", _segments(mean=False))
SparseSoftmax = plain("SparseSoftmax", _softmax)
SparseSparseMaximum = plain("SparseSparseMaximum", _with_sparse(torch.maximum))
SparseSparseMinimum = plain("SparseSparseMinimum", _with_sparse(torch.minimum))
SparseToDenseV2 = plain("SparseToDenseV2", _to_dense)
