"""Resizing and sampling of images. Parts of ``nn_func``, ``image_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import or_older_meaning
from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops.function._conv import sizes_of

__all__ = ["interpolate", "upsample", "resize_linear", "resize_nearest", "resize_cubic", "grid_sample", "affine_grid"]

tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time


def _sources(length: int, size: int, align_corners: bool, half_pixel: bool, device: Any) -> torch.Tensor:
    """Return the place in the input of each output element of an axis."""
    places = torch.arange(size, dtype=torch.float32, device=device)
    if align_corners and size > 1:
        return places * ((length - 1) / (size - 1))
    scale = length / size
    return torch.clamp((places + 0.5) * scale - 0.5, min=0) if half_pixel else places * scale


def resize_linear(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the linear interpolation of the last axes to ``size``; without both flags, output i lies at i · length /
    size.
    """
    size = as_ints(size)
    if align_corners or half_pixel_centers:
        mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
        return wrap(kernels.interpolate(x, size, mode=mode, align_corners=align_corners))
    for axis, target in enumerate(size, x.dim() - len(size)):
        length = x.shape[axis]
        if target == length:
            continue
        places = _sources(length, target, False, False, x.device)
        low = torch.clamp(places.to(torch.int64), max=length - 1)
        high = torch.clamp(low + 1, max=length - 1)
        weight = torch.reshape((places - low).to(x.dtype), (-1, *(1,) * (x.dim() - axis - 1)))
        below, above = torch.index_select(x, axis, low), torch.index_select(x, axis, high)
        x = below + (above - below) * weight
    return wrap(x)


def resize_nearest(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the nearest input element for each output element of the last axes."""
    size = as_ints(size)
    if not align_corners:
        return wrap(kernels.interpolate(x, size, mode="nearest-exact" if half_pixel_centers else "nearest"))
    for axis, target in enumerate(size, x.dim() - len(size)):
        places = torch.floor(_sources(x.shape[axis], target, True, False, x.device) + 0.5).to(torch.int64)
        x = torch.index_select(x, axis, torch.clamp(places, max=x.shape[axis] - 1))
    return wrap(x)


def _cubic(distance: torch.Tensor, a: float) -> torch.Tensor:
    """Return Keys' cubic kernel."""
    d = torch.abs(distance)
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
    return torch.where(d < 1, near, torch.where(d < 2, far, torch.zeros_like(d)))


@kernels.as_given
def resize_cubic(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Return the cubic interpolation of the last two axes, with MindSpore's two kernels.

    Half-pixel centers use a = -0.5 and leave out what lies outside; the other placements a = -0.75 and repeat the
    border.
    """
    a = -0.5 if half_pixel_centers else -0.75
    for axis, target in enumerate(as_ints(size), x.dim() - 2):
        length = x.shape[axis]
        steps = torch.arange(target, dtype=torch.float64, device=x.device)
        if align_corners:
            places = steps * ((length - 1) / max(target - 1, 1))
        else:
            places = (steps + 0.5) * (length / target) - 0.5 if half_pixel_centers else steps * (length / target)
        taps = torch.unsqueeze(torch.floor(places), 1) + torch.arange(-1, 3, device=x.device)
        weights = _cubic(torch.unsqueeze(places, 1) - taps, a)
        if half_pixel_centers:
            weights = weights * ((taps >= 0) & (taps < length))
            weights = weights / torch.sum(weights, 1, True)
        matrix = torch.zeros((target, length), dtype=torch.float64, device=x.device)
        matrix = torch.scatter_add(matrix, 1, torch.clamp(taps, 0, length - 1).to(torch.int64), weights)
        x = torch.movedim(kernels.tensordot(x, to_dtype(matrix, x.dtype), ([axis], [1])), -1, axis)
    return wrap(x)


_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")


def interpolate_before_2_0(
    x: Any,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    coordinate_transformation_mode: str = "align_corners",
    mode: str = "linear",
) -> Any:
    """Run `interpolate` of MindSpore 1.9."""
    return _interpolate_1x(x, sizes, scales, coordinate_transformation_mode, mode)


@or_older_meaning(interpolate_before_2_0, 4, str)
@or_older_meaning(interpolate_before_2_0, 3, (tuple, list))
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    *,
    roi: None = None,
    sizes: Any = None,
    scales: Any = None,
    coordinate_transformation_mode: str | None = None,
) -> Any:
    """Return the last axes resized to ``size`` or by ``scale_factor``.

    ``roi`` (never used), ``sizes``, ``scales`` and ``coordinate_transformation_mode`` ("align_corners", "half_pixel",
    "asymmetric") are the form of 1.x.
    """
    if sizes is not None or scales is not None or coordinate_transformation_mode is not None:
        return _interpolate_1x(
            input, sizes if size is None else size, scales, coordinate_transformation_mode or "align_corners", mode
        )
    if size is not None:
        count = input.dim() - 2
        size = sizes_of(size, count)
    elif mode != "area" and recompute_scale_factor is None:
        factors = (scale_factor,) * (input.dim() - 2) if isinstance(scale_factor, (int, float)) else tuple(scale_factor)
        size = tuple(int(length * factor) for length, factor in zip(tuple(input.shape)[2:], factors))
        scale_factor = None
    if mode == "bicubic" and size is not None:
        return resize_cubic(input, size, bool(align_corners), not align_corners)
    return wrap(kernels.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor))


def _interpolate_1x(x: Any, sizes: Any, scales: Any, transformation: str, mode: str) -> Any:
    size = (
        as_ints(sizes)[-(x.dim() - 2) :]
        if sizes is not None
        else tuple(int(length * factor) for length, factor in zip(tuple(x.shape), scales))[2:]
    )
    check_one_of(
        transformation, "coordinate_transformation_mode", ("align_corners", "half_pixel", "asymmetric"), "interpolate"
    )
    check_one_of(mode, "mode", ("linear", "bilinear"), "interpolate")
    return resize_linear(x, size, transformation == "align_corners", transformation == "half_pixel")


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Return the same as `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
    *,
    interpolation_mode: str | None = None,
) -> Any:
    """Return ``input`` at the places of ``grid`` in [-1, 1]; ``interpolation_mode`` is the name of 1.x."""
    if padding_mode in ("border", "reflection"):  # torch's kernels read anywhere for nan, which shall mean -1
        grid = torch.where(torch.isnan(grid), -1, grid)
    return wrap(tf.grid_sample(input, grid, interpolation_mode or mode, padding_mode, bool(align_corners)))


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """Return the grid of affine transforms for `grid_sample`."""
    return wrap(kernels.affine_grid(theta, list(as_ints(size)), align_corners))


apply_dtype_fallback(globals(), __all__)
