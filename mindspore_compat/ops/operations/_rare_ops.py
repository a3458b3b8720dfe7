"""Operators without a public name that MindSpore's own functions and layers write into MINDIR files.

Parts of ``array_ops``, ``math_ops``, ``nn_ops``, ``image_ops``, ``random_ops`` and ``_inner_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import copied, wrap
from mindspore_compat.common.seed import joined_stream
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, plain, primitive
from mindspore_compat.ops.function.linalg_func import from_triangle

__all__ = """
    ClipByNorm DynamicBroadcastGradientArgs DynamicBroadcastTo Eigh PSROIPooling TensorCopySlices Uniform
""".split()

_Run = Callable[..., Any]


# --- shapes -----------------------------------------------------------------------------------------------------------


def _broadcast_to(x: Any, shape: Any) -> Any:
    """Return ``x`` broadcast to a shape, as a copy."""
    return copied(F.broadcast_to(x, as_ints(shape)))


def _broadcast_axes(s0: Any, s1: Any) -> Any:
    """Return the axes over which a gradient is summed for the first, and the second, of two shapes that broadcast."""
    first, second = as_ints(s0), as_ints(s1)
    dims = len(torch.broadcast_shapes(first, second))
    padded = [(1,) * (dims - len(item)) + item for item in (first, second)]
    axes = [
        [i for i in range(dims) if mine[i] == 1 and (theirs[i] != 1 or i < dims - length)]
        for mine, theirs, length in zip(padded, padded[::-1], (len(first), len(second)))
    ]
    return wrap(tuple(constant(item, current_device(), torch.int64) for item in axes))


DynamicBroadcastTo = plain("DynamicBroadcastTo", _broadcast_to)
DynamicBroadcastGradientArgs = plain("DynamicBroadcastGradientArgs", _broadcast_axes)


# --- writing ----------------------------------------------------------------------------------------------------------


def _copy_slices(x: Any, value: Any, begin: Any, end: Any, strides: Any) -> Any:
    """Return a copy of ``x`` with x[begin:end:strides] set to ``value``."""
    result = torch.clone(x)
    places = tuple(slice(*item) for item in zip(as_ints(begin), as_ints(end), as_ints(strides)))
    result[places] = torch.Tensor.expand(torch.Tensor.to(value, x.dtype), result[places].shape)
    return wrap(result)


TensorCopySlices = plain("TensorCopySlices", _copy_slices)


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


@primitive
def Uniform(minval: float = 0.0, maxval: float = 1.0, seed: int = 0, offset: int = 0) -> _Run:
    """Numbers from [minval, maxval) in the shape and dtype of the input."""
    stream = joined_stream(seed, offset)

    def run(x: Any) -> Any:
        if not x.dtype.is_floating_point:
            raise TypeError(f"For 'Uniform', the 'x' must be of a float dtype, but got {x.dtype}.")
        drawn = torch.rand(x.shape, generator=F.generator_of(stream, x.device), device=x.device)
        return wrap(to_dtype(minval + (maxval - minval) * drawn, x.dtype))

    return run


@primitive
def Eigh(compute_eigenvectors: Bool = True, lower: Bool = True) -> _Run:
    """The eigenvalues of a symmetric matrix, rising, and its eigenvectors in columns; one triangle of it counts."""

    def run(A: Any) -> Any:
        A, side = from_triangle(A, lower), "L" if lower else "U"
        return wrap(tuple(torch.linalg.eigh(A, side)) if compute_eigenvectors else torch.linalg.eigvalsh(A, side))

    return run


# --- pooling by position ----------------------------------------------------------------------------------------------


def _bins(begin: torch.Tensor, end: torch.Tensor, count: int, length: int, bound: int) -> torch.Tensor:
    """Return for ``length`` places, below ``bound``, those in each of ``count`` equal parts from begin to end: (rois,
    count, length).
    """
    part = torch.unsqueeze(torch.clamp(end - begin, min=0.1) / count, 1)
    number = torch.arange(count, device=begin.device, dtype=begin.dtype)
    first = torch.clamp(torch.floor(number * part) + torch.unsqueeze(begin, 1), 0, bound)
    last = torch.clamp(torch.ceil((number + 1) * part) + torch.unsqueeze(begin, 1), 0, bound)
    place = torch.arange(length, device=begin.device, dtype=begin.dtype)
    return (place >= torch.unsqueeze(first, 2)) & (place < torch.unsqueeze(last, 2))


def _means_by_position(maps: torch.Tensor, edges: list[torch.Tensor], short: int) -> torch.Tensor:
    """Return means (rois, d, g, g) of maps (rois, d, g, g, H, W) over g × g parts between the edges; the last ``short``
    rows and columns belong to none.
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
    more than one region an image MindSpore's CPU kernel reads them as if they were (N, rois, 5); here they are not.
    """

    def run(x: Any, rois: Any) -> Any:
        g = group_size
        if rois.shape[1] != 5:
            raise RuntimeError(f"For 'PSROIPooling', 'rois' must be (N, 5, rois), but got {tuple(rois.shape)}.")
        image, *sides = torch.unbind(torch.reshape(torch.transpose(rois, 1, 2), (-1, 5)).detach(), 1)
        edges = [torch.sign(side) * torch.floor(torch.abs(side * spatial_scale) + 0.5) for side in sides]
        maps = torch.reshape(x[torch.Tensor.long(image)], (len(image), output_dim, g, g, *x.shape[2:]))
        means = _means_by_position(maps, edges, 1).detach()  # MindSpore's kernel leaves the last row and column out,
        if not maps.requires_grad:
            return wrap(means)
        whole = _means_by_position(maps, edges, 0)  # and that of its gradient does not
        return wrap(means + (whole - whole.detach()))

    return run
