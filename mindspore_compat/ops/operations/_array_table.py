"""Rows of the operators of ``array_ops`` without code of their own: shapes, indexing and creation of tensors.

A function is an operator without attributes.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._tensor.index_bounds import check_coordinates, refuse_negative
from mindspore_compat._tensor.wrapping import copied, wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, checks_places, to_dtype
from mindspore_compat.ops._declare import Int, Ints, PositiveInt, Typed, declared, row
from mindspore_compat.ops.function._lookups import sparse_gather


@checks_places("UnravelIndex")
def _unravel_index(indices: Any, dims: Any) -> Any:
    """Return coordinates, a row for each axis, of flat indices into a tensor of lengths ``dims``."""
    lengths = as_ints(dims)
    places = refuse_negative(torch.Tensor.long(indices))
    places = places + check_coordinates((places,), (math.prod(lengths),))
    return wrap(to_dtype(torch.stack(torch.unravel_index(places, lengths)), indices.dtype))


_TABLE: dict[str, Any] = {
    "BatchToSpaceNDV2": F.batch_to_space_nd,
    "Cast": F.cast,
    "DType": F.dtype,
    "Diag": F.diag,
    "ExpandDims": F.expand_dims,
    "Eye": F.eye,
    "Expand": lambda x, shape: copied(F.expand(x, shape)),
    "Fill": F.fill,
    "FillV2": lambda shape, value: F.full(shape, value, dtype=value.dtype),
    "Fills": F.fills,
    "Flatten": lambda input_x: F.flatten(input_x),
    "GatherD": F.gather_d,
    "GatherNd": F.gather_nd,
    "GatherV2": F.gather,
    "Identity": lambda input_x: wrap(torch.clone(input_x)),
    "IndexFill": F.index_fill,
    "InvertPermutation": lambda x: (
        tuple(int(i) for i in torch.argsort(torch.as_tensor(x)))
        if isinstance(x, (tuple, list))
        else wrap(to_dtype(torch.argsort(x), x.dtype))
    ),
    "MaskedFill": F.masked_fill,
    "MaskedScatter": F.masked_scatter,
    "MaskedSelect": F.masked_select,
    "MatrixBandPart": F.matrix_band_part,
    "NonZero": F.nonzero,
    "Ones": F.ones,
    "OnesLike": F.ones_like,
    "Zeros": F.zeros,
    "ZerosLike": F.zeros_like,
    "Rank": F.rank,
    "Reshape": F.reshape,
    "ScatterNd": F.scatter_nd,
    "Select": F.select,
    "Shape": F.shape,
    "Size": F.size,
    "Slice": F.slice,
    "TensorScatterAdd": F.tensor_scatter_add,
    "TensorScatterDiv": F.tensor_scatter_div,
    "TensorScatterMax": F.tensor_scatter_max,
    "TensorScatterMin": F.tensor_scatter_min,
    "TensorScatterMul": F.tensor_scatter_mul,
    "TensorScatterSub": F.tensor_scatter_sub,
    "TensorScatterUpdate": F.tensor_scatter_update,
    "TensorShape": F.dyn_shape,
    "Tile": F.tile,
    "Transpose": F.transpose,
    "TupleToArray": F.tuple_to_array,
    "ScalarToArray": F.scalar_to_array,
    "ScalarToTensor": F.scalar_to_tensor,
    "ScalarCast": F.scalar_cast,
    "UnravelIndex": _unravel_index,
    "Unique": F.unique,
    "UniqueWithPad": F.unique_with_pad,
    "UnsortedSegmentMax": F.unsorted_segment_max,
    "UnsortedSegmentMin": F.unsorted_segment_min,
    "UnsortedSegmentProd": F.unsorted_segment_prod,
    "UnsortedSegmentSum": F.unsorted_segment_sum,
    "EmbeddingLookup": F.embedding_lookup,
    "TypeAs": F.type_as,
    "TensorToTuple": lambda x: tuple(x.tolist()),
    "InplaceUpdateV2": lambda x, indices, v: F.inplace_update(x, v, indices),
    "TransposeView": F.transpose,
    "SparseGatherV2": sparse_gather,
    # with attributes
    "Unstack": row(F.unstack, "The slices along ``axis``, without it.", axis=(Int, 0), num=(int | None, None, None)),
    "Squeeze": row(
        F.squeeze,
        "Without axes of length 1: all, or those named.",
        axis=(Ints[int | tuple | list], ()),
    ),
    "BroadcastTo": row(
        F.broadcast_to, "The input repeated to ``shape``.", shape=(Ints[list | tuple | torch.Tensor], ...)
    ),
    "Gather": row(F.gather, "Slices along an axis by index.", batch_dims=(Int, 0)),
    "TensorScatterElements": row(
        F.tensor_scatter_elements,
        "A copy with values put or reduced at indices along ``axis``.",
        axis=(int, 0),
        reduction=(str, "none"),
    ),
    "FillDiagonal": row(
        F.fill_diagonal,
        "A copy with a value on the main diagonal.",
        fill_value=(float, ...),
        wrap=(bool, False, "wrap_around"),
    ),
    "Sort": row(F.sort, axis=(Int, -1), descending=(Typed[bool], False)),
    "ReverseV2": row(F.reverse, None, axis=(Ints[list | tuple], ...)),
    "ReverseSequence": row(F.reverse_sequence, seq_dim=(Int, ...), batch_dim=(int, 0)),
    "Roll": row(
        F.roll,
        "Shifted with wrap-around.",
        shifts=(Ints[int | list | tuple], ...),
        dims=(Ints[int | list | tuple | None], None),
    ),
    "Tril": row(F.tril, "The lower triangle.", diagonal=(int, 0)),
    "Triu": row(F.triu, "The upper triangle.", diagonal=(int, 0)),
    "TrilIndices": row(
        F.tril_indices,
        "Indices of the lower triangle.",
        row=(int, ...),
        col=(int, ...),
        offset=(int, 0),
        dtype=(Any, torch.int32),
    ),
    "TriuIndices": row(
        F.triu_indices,
        "Indices of the upper triangle.",
        row=(int, ...),
        col=(int, ...),
        offset=(int, 0),
        dtype=(Any, torch.int32),
    ),
    "SpaceToDepth": row(
        F.space_to_depth, "Blocks of the image moved into the channels.", block_size=(PositiveInt, ...)
    ),
    "DepthToSpace": row(F.depth_to_space, "Channels moved into blocks of the image.", block_size=(PositiveInt, ...)),
    "SpaceToBatchND": row(
        F.space_to_batch_nd,
        "Blocks of the last axes moved into the batch.",
        block_shape=(Any, ..., "block_size"),
        paddings=(Any, ...),
    ),
    "BatchToSpaceND": row(
        F.batch_to_space_nd, "The batch moved into blocks of the last axes.", block_shape=(Any, ...), crops=(Any, ...)
    ),
    "ChannelShuffle": row(F.channel_shuffle, group=(int, ..., "groups")),
    "Padding": row(F.padding, "The last axis filled up with zeros.", pad_dim_size=(int, 8)),
}
globals().update(declared(_TABLE, "mindspore_compat.ops.operations.array_ops"))
__all__ = [*_TABLE]
