"""Shapes, indexing and creation of tensors in class form. MindSpore: ``mindspore.ops.operations.array_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import Int, Ints, PositiveInt, plain, primitive
from mindspore_compat.ops.operations import _array_table, _segment_ops
from mindspore_compat.ops.operations._array_table import *  # noqa: F403
from mindspore_compat.ops.operations._segment_ops import *  # noqa: F403

_Run = Callable[..., Any]
_Align = Literal["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


def _scatter(function: Callable[..., Any], locks: bool) -> Callable[..., _Run]:
    """Return the constructor of all operators that write into a Parameter; ``locks`` is the default of an argument
    without effect.
    """

    def constructor(use_locking: bool = locks) -> _Run:
        return lambda input_x, indices, updates: function(input_x, indices, updates)

    constructor.__doc__ = function.__doc__
    return constructor


def _named(name: str, constructor: Callable[..., _Run]) -> Any:
    constructor.__name__ = name
    return primitive(constructor)


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
    *_array_table.__all__,
    *_SCATTERS,
    *_segment_ops.__all__,
    *"""
    ScatterNonAliasingAdd Concat Stack Pack Unpack Split SplitV OneHot StridedSlice DiagPart Meshgrid Range
    SpaceToBatch BatchToSpace ScatterAddWithAxis IndexPut MatrixDiagV3 MatrixDiagPartV3 MatrixSetDiagV3 IdentityN
    CopyWithSlice ParallelConcat ExtractImagePatches DynamicShape
    """.split(),
]


# --- joining and splitting --------------------------------------------------------------------------------------------


@primitive
def Concat(axis: Int = 0) -> _Run:
    """Tensors joined along ``axis``.

    Examples:
        >>> print(ops.Concat(axis=1)((Tensor([[1], [2]]), Tensor([[3], [4]]))))
        [[1 3]
         [2 4]]
    """
    return lambda tensors, *more: F.concat((tensors, *more) if more else tensors, axis)


@primitive
def Stack(axis: Int = 0) -> _Run:
    """Tensors joined along a new axis."""
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
def Unpack(axis: int = 0) -> _Run:
    """The old name of `Unstack`."""
    return _array_table.Unstack(axis)._run  # type: ignore[attr-defined]


@primitive
def Split(axis: Int = 0, output_num: PositiveInt = 1) -> _Run:
    """``output_num`` pieces of equal length along ``axis``."""
    return lambda input_x: chunks(input_x, axis, output_num)


def chunks(x: Any, axis: int, count: int) -> Any:
    """Run `split` into equal pieces."""
    return F.split(x, axis, output_num=count)


@primitive
def SplitV(size_splits: Any, split_dim: int, num_split: int) -> _Run:
    """Pieces of the given lengths along an axis; one length may be -1."""

    def run(input_x: Any) -> Any:
        rest = input_x.shape[split_dim] - sum(item for item in size_splits if item != -1)
        return F.split(input_x, [rest if item == -1 else item for item in size_splits], split_dim)

    return run


@primitive
def Meshgrid(indexing: str = "xy") -> _Run:
    """Coordinate grids of 1-d tensors."""
    check_one_of(indexing, "indexing", ("xy", "ij"), "Meshgrid")
    return lambda inputs: F.meshgrid(*inputs, indexing=indexing)


@primitive
def IdentityN() -> _Run:
    """The tensors themselves."""
    return lambda x: tuple(wrap(torch.clone(item)) for item in x)


# --- indexing ---------------------------------------------------------------------------------------------------------


@primitive
def OneHot(axis: Int = -1) -> _Run:
    """``on_value`` where the new axis of length ``depth`` equals the index, else ``off_value``.

    Examples:
        >>> print(ops.OneHot()(Tensor([0, 2], ms.int32), 3, Tensor(1.0), Tensor(0.0)))
        [[1. 0. 0.]
         [0. 0. 1.]]
    """
    return lambda indices, depth, on_value, off_value: F.one_hot(indices, depth, on_value, off_value, axis)


@primitive
def StridedSlice(
    begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0
) -> _Run:
    """input[begin:end:strides, ...] with masks."""
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    if any(masks):
        return lambda input_x, begin, end, strides: wrap(
            torch.clone(F.strided_slice(input_x, begin, end, strides, *masks))
        )
    return F.strided_slice


@primitive
def ScatterAddWithAxis(axis: int = 0) -> _Run:
    """A copy with values added at indices along ``axis``."""
    return lambda input_x, indices, updates: F.tensor_scatter_elements(input_x, indices, updates, axis, "add")


@primitive
def IndexPut(accumulate: int = 0) -> _Run:
    """A copy with values at index tensors."""
    return lambda x1, x2, indices: F.index_put(x1, indices, x2, bool(accumulate))


@primitive
def CopyWithSlice() -> _Run:
    """Write ``y`` into ``x``."""
    return F.assign


# --- triangles, diagonals, ranges -------------------------------------------------------------------------------------


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
def MatrixDiagV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """Matrices with the diagonals k: (x, k, num_rows, num_cols, padding_value)."""
    return lambda x, k, num_rows=-1, num_cols=-1, padding_value=0: F.matrix_diag(
        x, k, num_rows, num_cols, padding_value, align
    )


@primitive
def MatrixDiagPartV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """The diagonals k of matrices: (x, k, padding_value)."""
    return lambda x, k, padding_value: F.matrix_diag_part(x, k, padding_value, align)


@primitive
def MatrixSetDiagV3(align: _Align = "RIGHT_LEFT") -> _Run:
    """Matrices with the diagonals k replaced: (x, diagonal, k)."""
    return lambda x, diagonal, k: F.matrix_set_diag(x, diagonal, k, align)


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
def SpaceToBatch(block_size: int, paddings: Any) -> _Run:
    """Blocks of the image moved into the batch."""
    return lambda x: F.space_to_batch_nd(x, [block_size] * 2, paddings)


@primitive
def BatchToSpace(block_size: int, crops: Any) -> _Run:
    """The batch moved into blocks of the image."""
    return lambda x: F.batch_to_space_nd(x, [block_size] * 2, crops)


@primitive
def ExtractImagePatches(
    ksizes: Ints[int | list | tuple],
    strides: Ints[int | list | tuple],
    rates: Ints[int | list | tuple],
    padding: str = "VALID",
) -> _Run:
    """Windows of (N, C, H, W) as channels (N, kh·kw·C, H', W')."""
    kernel, stride, rate = (
        (as_ints(item) * 2)[:2] if len(as_ints(item)) == 1 else as_ints(item)[-2:] for item in (ksizes, strides, rates)
    )

    def run(input_x: Any) -> Any:
        height, width = input_x.shape[-2:]
        if padding.upper() == "SAME":
            rows = F.same_padding(height, kernel[0], stride[0], rate[0])
            cols = F.same_padding(width, kernel[1], stride[1], rate[1])
            input_x = torch.nn.functional.pad(input_x, (*cols, *rows))
        n, c, height, width = input_x.shape
        out = [(length - (k - 1) * r - 1) // s + 1 for length, k, s, r in zip((height, width), kernel, stride, rate)]
        columns = torch.reshape(kernels.unfold(input_x, kernel, rate, 0, stride), (n, c, kernel[0] * kernel[1], *out))
        return wrap(torch.reshape(torch.transpose(columns, 1, 2), (n, -1, *out)))

    return run


__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
