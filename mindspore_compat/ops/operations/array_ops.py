"""Shapes, indexing and making of tensors in class form. Upstream: ``mindspore.ops.operations.array_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_int, check_positive_int, check_type
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_int, as_ints, dtype_or_none, to_dtype
from mindspore_compat.ops._declare import plain, primitive

_Run = Callable[..., Any]


def _scatter(function: Callable[..., Any], locks: bool) -> Callable[..., _Run]:
    """The constructor that all operators writing into a Parameter share; ``locks`` is the default of an argument
    without effect here.
    """

    def constructor(use_locking: bool = locks) -> _Run:
        return lambda input_x, indices, updates: function(input_x, indices, updates)

    constructor.__doc__ = function.__doc__
    return constructor


def _named(name: str, constructor: Callable[..., _Run]) -> Any:
    constructor.__name__ = name
    return primitive(constructor)


_TABLE: dict[str, Any] = {
    "BatchToSpaceNDV2": F.batch_to_space_nd,
    "Cast": F.cast,
    "DType": F.dtype,
    "Diag": F.diag,
    "ExpandDims": F.expand_dims,
    "Eye": F.eye,
    "Expand": F.expand,
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
    "UnravelIndex": lambda indices, dims: wrap(torch.stack(torch.unravel_index(indices, as_ints(dims)))),
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
    "SparseGatherV2": F.gather,
}
globals().update({name: plain(name, function) for name, function in _TABLE.items()})

_SCATTERS = {
    "ScatterUpdate": F.scatter_update,
    "ScatterAdd": F.scatter_add,
    "ScatterSub": F.scatter_sub,
    "ScatterMul": F.scatter_mul,
    "ScatterDiv": F.scatter_div,
    "ScatterMax": F.scatter_max,
    "ScatterMin": F.scatter_min,
    "ScatterNdUpdate": F.scatter_nd_update,
    "ScatterNdAdd": F.scatter_nd_add,
    "ScatterNdSub": F.scatter_nd_sub,
    "ScatterNdMul": F.scatter_nd_mul,
    "ScatterNdDiv": F.scatter_nd_div,
    "ScatterNdMax": F.scatter_nd_max,
    "ScatterNdMin": F.scatter_nd_min,
}
globals().update(
    {name: _named(name, _scatter(function, name.endswith("Update"))) for name, function in _SCATTERS.items()}
)
ScatterNonAliasingAdd = plain("ScatterNonAliasingAdd", F.scatter_nd_add)

__all__ = [
    *_TABLE,
    *_SCATTERS,
    "ScatterNonAliasingAdd",
    "Concat",
    "Stack",
    "Pack",
    "Unstack",
    "Unpack",
    "Split",
    "SplitV",
    "Squeeze",
    "BroadcastTo",
    "Gather",
    "OneHot",
    "StridedSlice",
    "TopK",
    "Sort",
    "ReverseV2",
    "ReverseSequence",
    "Roll",
    "Tril",
    "Triu",
    "TrilIndices",
    "TriuIndices",
    "DiagPart",
    "Meshgrid",
    "Range",
    "SpaceToDepth",
    "DepthToSpace",
    "SpaceToBatch",
    "BatchToSpace",
    "SpaceToBatchND",
    "BatchToSpaceND",
    "TensorScatterElements",
    "ScatterAddWithAxis",
    "SearchSorted",
    "LowerBound",
    "UpperBound",
    "FillDiagonal",
    "IndexPut",
    "UniqueConsecutive",
    "MatrixDiagV3",
    "MatrixDiagPartV3",
    "MatrixSetDiagV3",
    "ChannelShuffle",
    "Padding",
    "ConfusionMatrix",
    "IdentityN",
    "CopyWithSlice",
    "SegmentSum",
    "SegmentMean",
    "SegmentMax",
    "SegmentMin",
    "SegmentProd",
    "ParallelConcat",
    "ExtractImagePatches",
    "DynamicShape",
    "NthElement",
    "ListDiff",
]


# --- joining and splitting --------------------------------------------------------------------------------------------


@primitive
def Concat(axis: int = 0) -> _Run:
    """Tensors joined along ``axis``."""
    check_int(axis, "axis", "Concat")
    return lambda tensors, *more: F.concat((tensors, *more) if more else tensors, axis)


@primitive
def Stack(axis: int = 0) -> _Run:
    """Tensors joined along a new axis."""
    check_int(axis, "axis", "Stack")
    return lambda tensors, *more: F.stack((tensors, *more) if more else tensors, axis)


@primitive
def Pack(axis: int = 0) -> _Run:
    """The old name of `Stack`."""
    return Stack(axis)._run


@primitive
def ParallelConcat() -> _Run:
    """Tensors of first length 1 joined along the first axis."""
    return lambda values: F.concat(values, 0)


@primitive
def Unstack(axis: int = 0, num: int | None = None) -> _Run:
    """The slices along ``axis``, without it."""
    check_int(axis, "axis", "Unstack")
    return lambda input_x: F.unstack(input_x, axis)


@primitive
def Unpack(axis: int = 0) -> _Run:
    """The old name of `Unstack`."""
    return Unstack(axis)._run


@primitive
def Split(axis: int = 0, output_num: int = 1) -> _Run:
    """``output_num`` pieces of equal length along ``axis``."""
    check_int(axis, "axis", "Split")
    check_positive_int(output_num, "output_num", "Split")
    return lambda input_x: chunks(input_x, axis, output_num)


def chunks(x: Any, axis: int, count: int) -> Any:
    """`split` into equal pieces."""
    return F.split(x, axis, output_num=count)


@primitive
def SplitV(size_splits: Any, split_dim: int, num_split: int) -> _Run:
    """Pieces of the given lengths along an axis; one length may be -1."""

    def run(input_x: Any) -> Any:
        rest = input_x.shape[split_dim] - sum(item for item in size_splits if item != -1)
        return F.split(input_x, [rest if item == -1 else item for item in size_splits], split_dim)

    return run


@primitive
def Squeeze(axis: Any = ()) -> _Run:
    """Without axes of length 1: all, or those named."""
    check_type(axis, "axis", (int, tuple, list), "Squeeze")
    return lambda input: F.squeeze(input, axis)


@primitive
def BroadcastTo(shape: Any) -> _Run:
    """The input repeated to ``shape``."""
    return lambda input: F.broadcast_to(input, shape)


@primitive
def Meshgrid(indexing: str = "xy") -> _Run:
    """Coordinate grids of 1-d tensors."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"For 'Meshgrid', the 'indexing' must be 'xy' or 'ij', but got {indexing!r}.")
    return lambda inputs: F.meshgrid(*inputs, indexing=indexing)


@primitive
def IdentityN() -> _Run:
    """The tensors themselves."""
    return lambda x: tuple(wrap(torch.clone(item)) for item in x)


# --- indexing ---------------------------------------------------------------------------------------------------------


@primitive
def Gather(batch_dims: int = 0) -> _Run:
    """Slices along an axis by index."""
    check_int(batch_dims, "batch_dims", "Gather")
    return lambda input_params, input_indices, axis: F.gather(input_params, input_indices, axis, batch_dims)


@primitive
def OneHot(axis: int = -1) -> _Run:
    """``on_value`` where the new axis of length ``depth`` equals the index, else ``off_value``."""
    check_int(axis, "axis", "OneHot")
    return lambda indices, depth, on_value, off_value: F.one_hot(indices, depth, on_value, off_value, axis)


@primitive
def StridedSlice(
    begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0
) -> _Run:
    """input[begin:end:strides, ...] with masks."""
    masks = [
        check_int(mask, name, "StridedSlice")
        for name, mask in (
            ("begin_mask", begin_mask),
            ("end_mask", end_mask),
            ("ellipsis_mask", ellipsis_mask),
            ("new_axis_mask", new_axis_mask),
            ("shrink_axis_mask", shrink_axis_mask),
        )
    ]
    return lambda input_x, begin, end, strides: F.strided_slice(input_x, begin, end, strides, *masks)


@primitive
def TensorScatterElements(axis: int = 0, reduction: str = "none") -> _Run:
    """A copy with values put or reduced at indices along ``axis``."""
    return lambda data, indices, updates: F.tensor_scatter_elements(data, indices, updates, axis, reduction)


@primitive
def ScatterAddWithAxis(axis: int = 0) -> _Run:
    """A copy with values added at indices along ``axis``."""
    return lambda input_x, indices, updates: F.tensor_scatter_elements(input_x, indices, updates, axis, "add")


@primitive
def IndexPut(accumulate: int = 0) -> _Run:
    """A copy with values at index tensors."""
    return lambda x1, x2, indices: F.index_put(x1, indices, x2, bool(accumulate))


@primitive
def FillDiagonal(fill_value: float, wrap: bool = False) -> _Run:
    """A copy with a value on the main diagonal."""
    return lambda input_x: F.fill_diagonal(input_x, fill_value, wrap)


@primitive
def CopyWithSlice() -> _Run:
    """Write ``y`` into ``x``."""
    return F.assign


@primitive
def ConfusionMatrix(num_classes: int, dtype: str = "int32") -> _Run:
    """Counts of (label, prediction) pairs."""
    target = dtype_or_none(dtype) or torch.int32

    def run(labels: Any, predictions: Any, weights: Any = None) -> Any:
        flat = labels.long() * num_classes + predictions.long()
        counts = torch.bincount(flat, weights, num_classes * num_classes)
        return wrap(to_dtype(torch.reshape(counts, (num_classes, num_classes)), target))

    return run


def _segment(kind: str, empty: float) -> Callable[..., _Run]:
    def constructor() -> _Run:
        def run(input_x: Any, segment_ids: Any) -> Any:
            count = int(segment_ids[-1]) + 1
            rest = tuple(input_x.shape[1:])
            index = torch.Tensor.expand(
                torch.reshape(segment_ids.long(), (-1, *(1,) * len(rest))), tuple(input_x.shape)
            )
            result = torch.full((count, *rest), empty, dtype=input_x.dtype, device=input_x.device)
            reduced = torch.scatter_reduce(result, 0, index, input_x, kind, include_self=False)
            return wrap(reduced)

        return run

    constructor.__doc__ = f"Slices with one id reduced ({kind}); ids are sorted."
    return constructor


SegmentSum, SegmentMean, SegmentMax, SegmentMin, SegmentProd = (
    _named(f"Segment{name}", _segment(kind, empty))
    for name, kind, empty in (
        ("Sum", "sum", 0),
        ("Mean", "mean", 0),
        ("Max", "amax", 0),
        ("Min", "amin", 0),
        ("Prod", "prod", 1),
    )
)


# --- order ------------------------------------------------------------------------------------------------------------


@primitive
def TopK(sorted: bool = True) -> _Run:
    """(the k largest values of the last axis, their int32 indices)."""
    check_type(sorted, "sorted", bool, "TopK")

    def run(input_x: Any, k: Any) -> Any:
        return F.topk(input_x, as_int(k), -1, True, sorted)

    return run


@primitive
def Sort(axis: int = -1, descending: bool = False) -> _Run:
    """(sorted values, int32 indices)."""
    check_int(axis, "axis", "Sort")
    check_type(descending, "descending", bool, "Sort")
    return lambda x: F.sort(x, axis, descending)


@primitive
def ReverseV2(axis: Any) -> _Run:
    """Reversed along the axes."""
    check_type(axis, "axis", (list, tuple), "ReverseV2")
    return lambda input: F.reverse(input, axis)


@primitive
def ReverseSequence(seq_dim: int, batch_dim: int = 0) -> _Run:
    """For each batch element, the first ``seq_lengths`` steps reversed."""
    check_int(seq_dim, "seq_dim", "ReverseSequence")
    return lambda x, seq_lengths: F.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)


@primitive
def Roll(shifts: Any, dims: Any = None) -> _Run:
    """Shifted with wrap-around."""
    return lambda input: F.roll(input, shifts, dims)


@primitive
def SearchSorted(dtype: Any = torch.int64, right: bool = False) -> _Run:
    """Where values would be inserted."""
    return lambda sequence, values, sorter=None: F.searchsorted(
        sequence, values, out_int32=dtype is torch.int32, right=right, sorter=sorter
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
    """The n-th smallest (or largest) value of the last axis."""
    return lambda input, n: wrap(torch.sort(input, -1, reverse)[0][..., as_int(n)])


@primitive
def ListDiff(out_idx: Any = torch.int32) -> _Run:
    """(elements of x that are not in y, their places)."""

    def run(x: Any, y: Any) -> Any:
        places = torch.nonzero(torch.logical_not(torch.isin(x, y)))[:, 0]
        return wrap(x[places]), wrap(to_dtype(places, dtype_or_none(out_idx) or torch.int32))

    return run


@primitive
def UniqueConsecutive(return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> _Run:
    """Elements without consecutive repetitions, with inverse and counts (empty unless asked for)."""

    def run(input: Any) -> Any:
        values, inverse, counts = torch.unique_consecutive(input, return_inverse=True, return_counts=True, dim=dim)
        return wrap(values), wrap(to_dtype(inverse, torch.int32)), wrap(to_dtype(counts, torch.int32))

    return run


# --- triangles, diagonals, ranges -------------------------------------------------------------------------------------


@primitive
def Tril(diagonal: int = 0) -> _Run:
    """The lower triangle."""
    return lambda x: F.tril(x, diagonal)


@primitive
def Triu(diagonal: int = 0) -> _Run:
    """The upper triangle."""
    return lambda input: F.triu(input, diagonal)


@primitive
def TrilIndices(row: int, col: int, offset: int = 0, dtype: Any = torch.int32) -> _Run:
    """Indices of the lower triangle."""
    return lambda: F.tril_indices(row, col, offset, dtype=dtype)


@primitive
def TriuIndices(row: int, col: int, offset: int = 0, dtype: Any = torch.int32) -> _Run:
    """Indices of the upper triangle."""
    return lambda: F.triu_indices(row, col, offset, dtype=dtype)


@primitive
def DiagPart() -> _Run:
    """The diagonal of a tensor of 2k axes, whose first k lengths equal the last k."""

    def run(input_x: Any) -> Any:
        half = tuple(input_x.shape[: input_x.dim() // 2])
        count = 1
        for length in half:
            count *= length
        return wrap(torch.reshape(torch.diagonal(torch.reshape(input_x, (count, count))), half))

    return run


@primitive
def MatrixDiagV3(align: str = "RIGHT_LEFT") -> _Run:
    """Matrices with a diagonal."""
    return lambda x, k, num_rows=-1, num_cols=-1, padding_value=0: F.matrix_diag(
        x, k, num_rows, num_cols, padding_value, align
    )


@primitive
def MatrixDiagPartV3(align: str = "RIGHT_LEFT") -> _Run:
    """One diagonal of matrices."""
    return lambda x, k, padding_value: F.diagonal(x, int(k), -2, -1)


@primitive
def MatrixSetDiagV3(align: str = "RIGHT_LEFT") -> _Run:
    """Matrices with one diagonal replaced."""
    return lambda x, diagonal, k: F.set_diag(x, diagonal, k)


@primitive
def Range(maxlen: int = 1000000) -> _Run:
    """start, start + delta, ... below ``limit``."""
    return lambda start, end, step: F.range(start, end, step, maxlen)


@primitive
def DynamicShape(dtype: Any = 9) -> _Run:
    """The shape as a tensor."""
    return F.dyn_shape


# --- blocks -----------------------------------------------------------------------------------------------------------


@primitive
def SpaceToDepth(block_size: int) -> _Run:
    """Blocks of the image moved into the channels."""
    check_positive_int(block_size, "block_size", "SpaceToDepth")
    return lambda x: F.space_to_depth(x, block_size)


@primitive
def DepthToSpace(block_size: int) -> _Run:
    """Channels moved into blocks of the image."""
    check_positive_int(block_size, "block_size", "DepthToSpace")
    return lambda x: F.depth_to_space(x, block_size)


@primitive
def SpaceToBatch(block_size: int, paddings: Any) -> _Run:
    """Blocks of the image moved into the batch."""
    return lambda x: F.space_to_batch_nd(x, [block_size] * 2, paddings)


@primitive
def BatchToSpace(block_size: int, crops: Any) -> _Run:
    """The batch moved into blocks of the image."""
    return lambda x: F.batch_to_space_nd(x, [block_size] * 2, crops)


@primitive
def SpaceToBatchND(block_shape: Any, paddings: Any) -> _Run:
    """Blocks of the last axes moved into the batch."""
    return lambda x: F.space_to_batch_nd(x, block_shape, paddings)


@primitive
def BatchToSpaceND(block_shape: Any, crops: Any) -> _Run:
    """The batch moved into blocks of the last axes."""
    return lambda x: F.batch_to_space_nd(x, block_shape, crops)


@primitive
def ChannelShuffle(group: int) -> _Run:
    """Channels interleaved over the groups."""
    return lambda x: F.channel_shuffle(x, group)


@primitive
def Padding(pad_dim_size: int = 8) -> _Run:
    """The last axis filled up with zeros."""
    return lambda x: F.padding(x, pad_dim_size)


@primitive
def ExtractImagePatches(ksizes: Any, strides: Any, rates: Any, padding: str = "VALID") -> _Run:
    """Windows of (N, C, H, W) as channels (N, kh·kw·C, H', W')."""
    kernel, stride, rate = (
        (as_ints(item) * 2)[:2] if len(as_ints(item)) == 1 else as_ints(item)[-2:] for item in (ksizes, strides, rates)
    )

    def run(input_x: Any) -> Any:
        height, width = input_x.shape[-2:]
        if padding.upper() == "SAME":
            rows, cols = (
                F.same_padding(height, kernel[0], stride[0], rate[0]),
                F.same_padding(width, kernel[1], stride[1], rate[1]),
            )
            input_x = torch.nn.functional.pad(input_x, (*cols, *rows))
        n, c, height, width = input_x.shape
        out = [(length - (k - 1) * r - 1) // s + 1 for length, k, s, r in zip((height, width), kernel, stride, rate)]
        columns = torch.reshape(kernels.unfold(input_x, kernel, rate, 0, stride), (n, c, kernel[0] * kernel[1], *out))
        return wrap(torch.reshape(torch.transpose(columns, 1, 2), (n, -1, *out)))

    return run
