"""Resizing by MindSpore's rules for coordinates, for `Upsample` and 1.x's `ResizeBilinear`."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.image import resize_cubic

__all__ = ["interpolate", "resize_bilinear"]


def _line(size: int, wanted: int, align_corners: bool, half_pixel: bool, like: torch.Tensor) -> tuple[Any, Any, Any]:
    """Return for each new place the two old ones around it and the weight of the second."""
    places = torch.arange(wanted, device=like.device, dtype=torch.float32)
    if align_corners and wanted > 1:
        places = places * ((size - 1) / (wanted - 1))
    elif half_pixel:
        places = ((places + 0.5) * (size / wanted) - 0.5).clamp(min=0.0)
    else:
        places = places * (size / wanted)
    low = places.floor().clamp(max=size - 1)
    first = low.to(torch.int64)
    return first, (first + 1).clamp(max=size - 1), (places - low).to(like.dtype)


def resize_bilinear(
    x: Any, size: tuple[int, int], align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Resize (N, C, H, W) to ``size``. With neither flag, place i of the result is i · old / new, for which torch has
    no mode.
    """
    if align_corners or half_pixel_centers:
        return torch._C._nn.upsample_bilinear2d(x, size, align_corners)
    if tuple(x.shape[-2:]) == tuple(size):
        return torch.clone(x)
    for axis, wanted in ((2, size[0]), (3, size[1])):
        first, second, weight = _line(x.shape[axis], wanted, align_corners, half_pixel_centers, x)
        weight = torch.reshape(weight, (-1, 1) if axis == 2 else (-1,))
        x = torch.lerp(torch.index_select(x, axis, first), torch.index_select(x, axis, second), weight)
    return x


def interpolate(
    x: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """Resize (N, C, *places). Every mode takes ``size`` or ``scale_factor``; MindSpore refuses some scale factors."""
    owner = "interpolate"
    if (size is None) == (scale_factor is None):
        raise ValueError(
            f"For '{owner}', exactly one of 'size' and 'scale_factor' must be set, but got {size} and {scale_factor}."
        )
    wanted = _wanted(x, size, scale_factor, owner)
    if mode == "bicubic":
        return resize_cubic(x, wanted, bool(align_corners), not align_corners)
    if mode == "area" or size is not None or recompute_scale_factor:
        return kernels.interpolate(x, wanted, mode=mode, align_corners=align_corners)
    factors = [
        float(item)
        for item in (scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * (x.dim() - 2))
    ]
    return kernels.interpolate(x, None, factors, mode, align_corners)


def _wanted(x: torch.Tensor, size: Any, scale_factor: Any, owner: str) -> list[int]:
    count, given = x.dim() - 2, size if size is not None else scale_factor
    items = list(given) if isinstance(given, (tuple, list)) else [given] * count
    name = "size" if size is not None else "scale_factor"
    if len(items) != count:
        raise ValueError(
            f"For '{owner}', the '{name}' must have {count} elements for an input of {x.dim()} axes, but got {given}."
        )
    if size is not None:
        return [int(item) for item in items]
    return [math.floor(width * factor) for width, factor in zip(x.shape[2:], items)]
