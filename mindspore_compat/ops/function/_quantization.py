"""Arithmetic of fake quantization: values rounded to those of an integer type, in floats."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import subgradients


def grid(low: Any, high: Any, lowest: int, highest: int, symmetric: bool) -> tuple[Any, Any]:
    """Return the scale and the zero point with which the integers from ``lowest`` to ``highest`` cover ``low`` to
    ``high``, and 0; the scale is 0 for an empty range.
    """
    if symmetric:
        scale = 2 * torch.maximum(high, -low) / (highest - lowest)
        # halfway, exactly: no rounding error decides
        return scale, torch.full_like(scale, (lowest + highest + 1) // 2)
    scale = (high - low) / (highest - lowest)
    zero = subgradients.clamp(lowest - low / torch.where(scale == 0, 1, scale), lowest, highest)
    return scale, torch.floor(zero + 0.5)


def rounded(x: Any, first: Any, last: Any, scale: Any) -> Any:
    """Return ``x`` at the nearest of the values from ``first`` to ``last``, in steps of ``scale``. The gradient passes
    unchanged where they cover ``x``, else it is 0.
    """
    inside = subgradients.clamp(x, first, last)
    nearest = torch.floor((inside.detach() - first) / torch.where(scale == 0, 1, scale) + 0.5) * scale + first
    return (nearest + (inside - inside.detach())).to(x.dtype)


def scaled(x: Any, largest: Any, count: Any, neg_trunc: bool) -> Any:
    """Return ``x`` at the nearest of ``count`` steps up to ``largest``, and down to -largest or 0. The gradient of
    ``largest`` is the rounding difference inside the range, and the bound outside.
    """
    inside = subgradients.clamp(x / largest, 0 if neg_trunc else -1, 1)
    nearest = torch.floor(inside.detach() * count + 0.5) / count + (inside - inside.detach())
    return (nearest * largest).to(x.dtype)


def followed(x: Any, axes: list[int], low: Any, high: Any, decay: float | None) -> list[Any]:
    """Return the range of ``x`` over its axes, in the shape and type of ``low`` and ``high``; with ``decay`` a moving
    average with these.
    """
    found = [item.reshape(low.shape).to(low.dtype) for item in (torch.amin(x, axes), torch.amax(x, axes))]
    if decay is None:
        return found
    return [(1 - decay) * new + decay * before for new, before in zip(found, (low, high))]


def spread(values: Any, axis: int, x: Any) -> Any:
    """Return one value for each channel, along ``axis``, in a shape that broadcasts with ``x``."""
    return values.reshape([-1 if place == axis % x.dim() else 1 for place in range(x.dim())])
