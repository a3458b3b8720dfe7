"""Resizing and regions of images in class form. MindSpore: ``mindspore.ops.operations.image_ops`` and box operators of
``other_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.operations import _color_ops, _image_table, _selection_ops
from mindspore_compat.ops.operations._color_ops import *  # noqa: F403
from mindspore_compat.ops.operations._image_table import *  # noqa: F403
from mindspore_compat.ops.operations._selection_ops import *  # noqa: F403

__all__ = [
    *_image_table.__all__,
    *_color_ops.__all__,
    *_selection_ops.__all__,
    *"""
    ResizeBilinear ResizeNearestNeighbor ResizeLinear1D ResizeV2 ResizeArea IOU CheckValid RGBToHSV HSVToRGB
    """.split(),
]

_Run = Callable[..., Any]


@primitive
def ResizeBilinear(size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> _Run:
    """(N, C, H, W) resized by linear interpolation (an operator of 1.x)."""
    size = as_ints(size)
    return lambda x: F.resize_linear(x, size, align_corners, half_pixel_centers)


@primitive
def ResizeNearestNeighbor(size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> _Run:
    """(N, C, H, W) resized by nearest neighbours."""
    size = as_ints(size)
    return lambda input_x: F.resize_nearest(input_x, size, align_corners, half_pixel_centers)


@primitive
def ResizeLinear1D(coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "align_corners") -> _Run:
    """(N, C, W) resized by linear interpolation."""
    aligned = coordinate_transformation_mode == "align_corners"
    return lambda x, size: F.resize_linear(x, as_ints(size), aligned, not aligned)


@primitive
def ResizeV2(
    coordinate_transformation_mode: Literal["align_corners", "half_pixel"] = "half_pixel",
    mode: Literal["nearest", "linear", "cubic"] = "nearest",
) -> _Run:
    """(N, C, 1, W) resized by nearest or linear, (N, C, H, W) by cubic interpolation to ``sizes``, which name all four
    axes; ``roi`` and ``scales`` are not read.
    """
    aligned = coordinate_transformation_mode == "align_corners"

    def run(x: Any, roi: Any, scales: Any, sizes: Any) -> Any:
        size = as_ints(sizes)[2:]
        if mode == "nearest":
            return F.resize_nearest(x, size)
        return wrap(
            kernels.interpolate(x, size, mode={"linear": "bilinear", "cubic": "bicubic"}[mode], align_corners=aligned)
        )

    return run


@primitive
def ResizeArea(align_corners: bool = False) -> _Run:
    """(N, H, W, C) resized by the means of areas, for whole factors."""

    def run(images: Any, size: Any) -> Any:
        rows, cols = as_ints(size)
        if align_corners or images.shape[1] % rows or images.shape[2] % cols:
            raise NotImplementedError(
                "For 'ResizeArea', only shrinking by whole factors without align_corners is available on PyTorch. "
                "Use ops.interpolate(mode='area')."
            )
        pooled = kernels.adaptive_avg_pool2d(torch.permute(images.float(), (0, 3, 1, 2)), (rows, cols))
        return wrap(torch.permute(pooled, (0, 2, 3, 1)))

    return run


@primitive
def IOU(mode: str = "iou") -> _Run:
    """Overlaps of boxes."""
    if mode not in ("iou", "iof"):
        raise KeyError(f"For 'IOU', the 'mode' must be 'iou' or 'iof', but got {mode!r}.")
    return lambda anchor_boxes, gt_boxes: F.iou(anchor_boxes, gt_boxes, mode)


def _rgb_to_hsv(images: Any) -> Any:
    high, place = torch.max(images, -1)
    span = high - torch.amin(images, -1)
    safe = torch.where(span > 0, span, torch.ones_like(span))
    r, g, b = torch.unbind(images, -1)
    hue = torch.stack(((g - b) / safe, 2 + (b - r) / safe, 4 + (r - g) / safe), -1)
    hue = torch.remainder(torch.squeeze(torch.gather(hue, -1, torch.unsqueeze(place, -1)), -1) / 6, 1) * (span > 0)
    saturation = torch.where(
        high > 0, span / torch.where(high > 0, high, torch.ones_like(high)), torch.zeros_like(high)
    )
    return wrap(torch.stack((hue, saturation, high), -1))


def _hsv_to_rgb(x: Any) -> Any:
    hue, saturation, value = torch.unbind(x, -1)
    offsets = constant([5.0, 3.0, 1.0], x.device, x.dtype)
    k = torch.remainder(offsets + torch.unsqueeze(hue, -1) * 6, 6)
    ramp = torch.clamp(torch.minimum(k, 4 - k), 0, 1)
    return wrap(torch.unsqueeze(value, -1) * (1 - torch.unsqueeze(saturation, -1) * ramp))


RGBToHSV = plain("RGBToHSV", _rgb_to_hsv)
HSVToRGB = plain("HSVToRGB", _hsv_to_rgb)
CheckValid = plain("CheckValid", F.check_valid)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
