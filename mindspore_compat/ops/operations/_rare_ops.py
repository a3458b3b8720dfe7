"""Operators that few programs use: old versions, parts of other operators' work, what only tests of upstream create.

Parts of ``array_ops``, ``math_ops``, ``nn_ops``, ``image_ops``, ``random_ops`` and ``_inner_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import copied, wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.seed import SeedStream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_int, as_ints, get_data, to_dtype
from mindspore_compat.ops._declare import Bool, Int, plain, primitive
from mindspore_compat.ops.function.linalg_func import from_triangle

__all__ = """
    AddV2 AdjustContrastv2 ClipByNorm ConcatOffsetV1 ConvertToDynamic DynamicBroadcastGradientArgs DynamicBroadcastTo
    DynamicStitch Eigh ErrorOnDynamicShapeInput GpuConvertToDynamicShape Lu PSROIPooling PadAndShift
    SparseSoftmaxCrossEntropyWithLogitsV2 TensorCopySlices TridiagonalSolve Uniform UpdateCache
""".split()

_Run = Callable[..., Any]

AddV2 = plain("AddV2", F.add)


# --- shapes -----------------------------------------------------------------------------------------------------------


@primitive
def ConvertToDynamic(is_dynamic_rank: Bool = False) -> _Run:
    """The tensor itself: shapes are never fixed ahead here."""
    return lambda input: wrap(torch.clone(input))


@primitive
def GpuConvertToDynamicShape() -> _Run:
    """The tensor itself: shapes are never fixed ahead here."""
    return lambda input: wrap(torch.clone(input))


@primitive
def ErrorOnDynamicShapeInput() -> _Run:
    """The tensor itself: shapes are always known here."""
    return lambda input: wrap(torch.clone(input))


def _broadcast_to(x: Any, shape: Any) -> Any:
    """``x`` broadcast to a shape, as a copy."""
    return copied(F.broadcast_to(x, as_ints(shape)))


def _broadcast_axes(s0: Any, s1: Any) -> Any:
    """Of two shapes that broadcast together: the axes over which a gradient is summed for the first, and the second."""
    first, second = as_ints(s0), as_ints(s1)
    dims = len(torch.broadcast_shapes(first, second))
    padded = [(1,) * (dims - len(item)) + item for item in (first, second)]
    axes = [
        [i for i in range(dims) if mine[i] == 1 and (theirs[i] != 1 or i < dims - length)]
        for mine, theirs, length in zip(padded, padded[::-1], (len(first), len(second)))
    ]
    return wrap(tuple(constant(item, current_device(), torch.int64) for item in axes))


def _concat_offset(axis: Any, x: Any) -> Any:
    """Where each of the tensors with these shapes begins in their concatenation along ``axis``."""
    axis, shapes = as_int(axis), [torch.Tensor.clone(item) for item in x]
    begin, found = 0, []
    for shape in shapes:
        offset = torch.zeros_like(shape)
        offset[axis] = begin
        begin += int(shape[axis])
        found.append(offset)
    return wrap(tuple(found))


def _stitch(indices: Any, data: Any) -> Any:
    """Rows of several tensors, each put where its index says; of repeated indices the last counts."""
    depth = indices[0].dim()
    rest = tuple(data[0].shape[depth:])
    places = torch.cat([torch.reshape(item, (-1,)) for item in indices]).long()
    rows = torch.cat([torch.reshape(item, (-1, *rest)) for item in data])
    size = int(places.max()) + 1 if len(places) else 0
    last = torch.full((size,), -1, dtype=torch.int64, device=places.device)
    last = torch.scatter_reduce(last, 0, places, torch.arange(len(places), device=places.device), "amax")
    found = rows[torch.clamp(last, min=0)]
    return wrap(torch.where(torch.reshape(last >= 0, (-1, *(1,) * len(rest))), found, torch.zeros_like(found)))


DynamicBroadcastTo = plain("DynamicBroadcastTo", _broadcast_to)
DynamicBroadcastGradientArgs = plain("DynamicBroadcastGradientArgs", _broadcast_axes)
ConcatOffsetV1 = plain("ConcatOffsetV1", _concat_offset)
DynamicStitch = plain("DynamicStitch", _stitch)


@primitive
def Shift(periods: Int = 1, axis: Int = -1) -> _Run:
    """``x`` moved by ``periods`` places along an axis; what comes in is ``fill_value``. Programs declare it
    themselves.
    """

    def run(x: Any, fill_value: Any) -> Any:
        place, length = axis % x.dim(), x.shape[axis]
        count = max(-length, min(length, periods))
        kept, rest = max(-count, 0), max(count, 0)
        moved = torch.narrow(x, place, kept, length - kept - rest)
        shape = [*x.shape]
        shape[place] = kept + rest
        filled = torch.full(shape, fill_value, dtype=x.dtype, device=x.device)
        return wrap(torch.cat((filled, moved) if rest else (moved, filled), place))

    return run


def _pad_and_shift(input_x: Any, cum_sum_arr: Any, shift_idx: Any) -> Any:
    """-1 in as many elements as ``cum_sum_arr`` ends with; those between its elements ``shift_idx`` and the next are
    the first of ``input_x``.
    """
    sums = as_ints(cum_sum_arr)
    if not 0 <= shift_idx < len(sums) - 1:
        raise ValueError(f"For 'PadAndShift', the 'shift_idx' must be in [0, {len(sums) - 1}), but got {shift_idx}.")
    start, end = sums[shift_idx : shift_idx + 2]
    return wrap(torch.nn.functional.pad(input_x[: end - start], (start, sums[-1] - end), value=-1))


PadAndShift = plain("PadAndShift", _pad_and_shift)


# --- writing ----------------------------------------------------------------------------------------------------------


def _copy_slices(x: Any, value: Any, begin: Any, end: Any, strides: Any) -> Any:
    """A copy of ``x`` with x[begin:end:strides] set to ``value``."""
    result = torch.clone(x)
    places = tuple(slice(*item) for item in zip(as_ints(begin), as_ints(end), as_ints(strides)))
    result[places] = torch.Tensor.expand(torch.Tensor.to(value, x.dtype), result[places].shape)
    return wrap(result)


def _update_cache(input_x: Any, indices: Any, update: Any, max_num: Any) -> Any:
    """Rows of a Parameter set to those of ``update``; indices below 0, or from ``max_num`` on, are left out."""
    places = torch.reshape(indices, (-1,))
    rows = torch.reshape(update, (len(places), *input_x.shape[1:]))
    kept = (places >= 0) & (places < as_int(max_num)) & (places < input_x.shape[0])
    get_data(input_x)[places[kept].long()] = to_dtype(rows[kept], input_x.dtype).detach()
    return wrap(constant([0], input_x.device, indices.dtype))


TensorCopySlices = plain("TensorCopySlices", _copy_slices)
UpdateCache = plain("UpdateCache", _update_cache)


# --- arithmetic -------------------------------------------------------------------------------------------------------


@primitive
def ClipByNorm(axis: Any = None) -> _Run:
    """``x`` scaled so that its norm over the axes is at most ``clip_norm``."""

    def run(x: Any, clip_norm: Any) -> Any:
        axes = tuple(range(x.dim())) if axis is None else axis
        norm = torch.sqrt(torch.sum(kernels.square(torch.Tensor.float(x)), axes, keepdim=True))
        limit = torch.Tensor.float(clip_norm) if isinstance(clip_norm, torch.Tensor) else float(clip_norm)
        scaled = torch.Tensor.float(x) * limit / torch.clamp(norm, min=limit)
        return wrap(scaled)

    return run


def _adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """(x - mean) · factor + mean for (…, H, W, C), with the mean over H and W of each channel."""
    mean = torch.mean(images, (-3, -2), keepdim=True)
    return wrap(to_dtype((images - mean) * contrast_factor + mean, images.dtype))


AdjustContrastv2 = plain("AdjustContrastv2", _adjust_contrast)


def _cross_entropy(features: Any, labels: Any) -> Any:
    """(losses of (n, classes) logits against n classes, softmax minus one at the class: the gradient of each)."""
    logs = F.log_softmax(features, -1)
    places = torch.unsqueeze(torch.Tensor.long(labels), -1)
    losses = -torch.squeeze(torch.gather(logs, -1, places), -1)
    ones = torch.zeros_like(features).scatter(-1, places, 1.0)
    return wrap((losses, torch.exp(logs).detach() - ones))


SparseSoftmaxCrossEntropyWithLogitsV2 = plain("SparseSoftmaxCrossEntropyWithLogitsV2", _cross_entropy)


@primitive
def Uniform(minval: float = 0.0, maxval: float = 1.0, seed: int = 0, offset: int = 0) -> _Run:
    """Numbers from [minval, maxval) in the shape and dtype of the input."""
    if minval > maxval:
        raise ValueError(f"For 'Uniform', the 'minval' must be at most the 'maxval', but got {minval} and {maxval}.")
    stream = SeedStream(seed)

    def run(x: Any) -> Any:
        if not x.dtype.is_floating_point:
            raise TypeError(f"For 'Uniform', the 'x' must be of a float dtype, but got {dtype_name(x.dtype)}.")
        drawn = torch.rand(x.shape, generator=F.generator_of(stream, x.device), device=x.device)
        return wrap(to_dtype(minval + (maxval - minval) * drawn, x.dtype))

    return run


@primitive
def Lu(output_idx_type: Any = torch.int32) -> _Run:
    """(L without its ones below U, the rows' permutation) of square matrices."""

    def run(input: Any) -> Any:
        factors, pivots = torch.linalg.lu_factor(input)
        permuted = torch.argmax(torch.lu_unpack(factors, pivots, unpack_data=False)[0], -2)
        return wrap((factors, to_dtype(permuted, output_idx_type)))

    return run


@primitive
def Eigh(compute_eigenvectors: Bool = True, lower: Bool = True) -> _Run:
    """The eigenvalues of a symmetric matrix, rising, and its eigenvectors in columns; one triangle of it counts."""

    def run(A: Any) -> Any:
        A, side = from_triangle(A, lower), "L" if lower else "U"
        return wrap(tuple(torch.linalg.eigh(A, side)) if compute_eigenvectors else torch.linalg.eigvalsh(A, side))

    return run


@primitive
def TridiagonalSolve(partial_pivoting: Bool = True) -> _Run:
    """x of A x = rhs; ``diagonals`` (…, 3, n) are A's upper, main and lower one, ``rhs`` (…, n, k)."""

    def run(diagonals: Any, rhs: Any) -> Any:
        if diagonals.shape[-2] != 3 or diagonals.shape[-1] != rhs.shape[-2]:
            raise ValueError(
                "For 'TridiagonalSolve', the shapes must be (..., 3, n) and (..., n, k), but got "
                f"{tuple(diagonals.shape)} and {tuple(rhs.shape)}."
            )
        upper, main, lower = torch.unbind(diagonals, -2)
        matrix = torch.diag_embed(upper[..., :-1], 1) + torch.diag_embed(main) + torch.diag_embed(lower[..., 1:], -1)
        return wrap(torch.linalg.solve(matrix, rhs))

    return run


# --- pooling by position ----------------------------------------------------------------------------------------------


def _bins(begin: torch.Tensor, end: torch.Tensor, count: int, length: int, bound: int) -> torch.Tensor:
    """Which of ``length`` places, below ``bound``, belong to each of ``count`` equal parts from begin to end: (rois,
    count, length).
    """
    part = torch.unsqueeze(torch.clamp(end - begin, min=0.1) / count, 1)
    number = torch.arange(count, device=begin.device, dtype=begin.dtype)
    first = torch.clamp(torch.floor(number * part) + torch.unsqueeze(begin, 1), 0, bound)
    last = torch.clamp(torch.ceil((number + 1) * part) + torch.unsqueeze(begin, 1), 0, bound)
    place = torch.arange(length, device=begin.device, dtype=begin.dtype)
    return (place >= torch.unsqueeze(first, 2)) & (place < torch.unsqueeze(last, 2))


def _means_by_position(maps: torch.Tensor, edges: list[torch.Tensor], short: int) -> torch.Tensor:
    """Means (rois, d, g, g) of maps (rois, d, g, g, H, W) over g × g parts between the edges; the last ``short`` rows
    and columns belong to none.
    """
    g, height, width = maps.shape[3:]
    columns = to_dtype(_bins(edges[0], edges[2], g, width, width - short), maps.dtype)
    rows = to_dtype(_bins(edges[1], edges[3], g, height, height - short), maps.dtype)
    total = kernels.einsum("rdijhw,rih,rjw->rdij", maps, rows, columns)
    count = torch.unsqueeze(torch.sum(rows, 2), 2) * torch.unsqueeze(torch.sum(columns, 2), 1)
    return total / torch.clamp(torch.unsqueeze(count, 1), min=1)


@primitive
def PSROIPooling(spatial_scale: float, group_size: int, output_dim: int) -> _Run:
    """Means of (N, output_dim · g², H, W) over g × g parts of each region: part (i, j) of output channel d takes
    channel (d · g + i) · g + j. Gives (N · rois, output_dim, g, g).

    ``rois`` (N, 5, rois) hold image, x1, y1, x2, y2; times ``spatial_scale`` they are rounded, halves away from 0. With
    more than one region an image upstream's CPU kernel reads them as if they were (N, rois, 5); here they are not.
    """

    def run(x: Any, rois: Any) -> Any:
        g = group_size
        if x.dim() != 4 or rois.dim() != 3 or x.shape[0] != rois.shape[0] or rois.shape[1] != 5:
            raise RuntimeError(
                "For 'PSROIPooling', the shapes must be (N, channels, H, W) and (N, 5, rois), but got "
                f"{tuple(x.shape)} and {tuple(rois.shape)}."
            )
        if x.shape[1] != g * g * output_dim:
            raise RuntimeError(
                f"For 'PSROIPooling', the second dimension({x.shape[1]}) of the input 'features' is illegal, it is not "
                f"equal to group_size({g}) * group_size({g}) * output_dim({output_dim})."
            )
        image, *sides = torch.unbind(torch.reshape(torch.transpose(rois, 1, 2), (-1, 5)).detach(), 1)
        edges = [torch.sign(side) * torch.floor(torch.abs(side * spatial_scale) + 0.5) for side in sides]
        maps = torch.reshape(x[torch.Tensor.long(image)], (len(image), output_dim, g, g, *x.shape[2:]))
        means = _means_by_position(maps, edges, 1).detach()  # upstream's kernel leaves the last row and column out,
        if not maps.requires_grad:
            return wrap(means)
        whole = _means_by_position(maps, edges, 0)  # and that of its gradient does not
        return wrap(means + (whole - whole.detach()))

    return run
