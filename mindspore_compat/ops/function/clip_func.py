"""Clipping by value and norm. Upstream: ``mindspore.ops.function.clip_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.placement import constant
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import to_dtype

__all__ = ["clip_by_value", "clamp", "clip", "clamp_", "clip_by_global_norm", "clip_by_norm"]


def _bounded(x: Any, low: Any, high: Any, half_at_ties: bool = False) -> Any:
    """x cut to [low, high], numbers or tensors that broadcast; where low exceeds high, high wins.

    At a bound the gradient of tensors, and with ``half_at_ties`` of numbers too, is shared with the bound, else it is
    x's.
    """
    dtype = x.dtype
    for bound in (low, high):
        if isinstance(bound, torch.Tensor):
            dtype = torch.promote_types(dtype, bound.dtype)
    if isinstance(low, torch.Tensor) or isinstance(high, torch.Tensor) or (half_at_ties and dtype.is_floating_point):
        if low is not None:
            x = torch.maximum(to_dtype(x, dtype), constant(low, x.device, dtype))
        if high is not None:
            x = torch.minimum(to_dtype(x, dtype), constant(high, x.device, dtype))
        return wrap(x)
    if not dtype.is_floating_point:  # a fractional bound must not turn ints into floats
        low, high = (None if bound is None else type(bound)(bound) for bound in (low, high))
        return wrap(to_dtype(torch.clamp(x, low, high), dtype))
    return wrap(torch.clamp(x, low, high))


def clip_by_value(
    x: Any, clip_value_min: Any = None, clip_value_max: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    """``x`` (a tensor, or a tuple or list of them) cut to the two values; ``min`` and ``max`` are other names of
    theirs.

    Raises:
        ValueError: if both are None.

    Examples:
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]
    """
    low, high = min if clip_value_min is None else clip_value_min, max if clip_value_max is None else clip_value_max
    if low is None and high is None:
        raise ValueError(
            "For 'clip_by_value', 'clip_value_min' and 'clip_value_max' must not be None at the same time. Give one of "
            "them."
        )
    if isinstance(x, (tuple, list)):
        return type(x)(_bounded(item, low, high, True) for item in x)
    return _bounded(x, low, high, True)


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """``input`` cut to [min, max]; ints with a fractional bound become float32."""
    is_fractional = isinstance(min, float) or isinstance(max, float)
    if is_fractional and isinstance(input, torch.Tensor) and not input.dtype.is_floating_point:
        input = to_dtype(input, torch.float32)
    return (
        clip_by_value(input, min, max)
        if isinstance(input, (tuple, list)) or (min is None and max is None)
        else _bounded(input, min, max)
    )


clip = clamp


def clamp_(input: Any, min: Any = None, max: Any = None) -> Any:
    """`clamp` in place."""
    return wrap(torch.clamp_(input, min, max))


def clip_by_global_norm(x: Any, clip_norm: Any = 1.0, use_norm: Any = None) -> Any:
    """All tensors scaled by clip_norm / max(norm of all of them together, clip_norm).

    Raises:
        ValueError: if ``use_norm`` is given, as upstream does.
    """
    if use_norm is not None:
        raise ValueError(
            f"For 'clip_by_global_norm', input 'use_norm' only supports None currently, but got {use_norm!r}. Leave it "
            "out."
        )
    items = list(x)
    squares = [torch.sum(kernels.square(item.float())) for item in items]
    norm = torch.sqrt(torch.stack(squares).sum())
    limit = torch.clamp(norm, min=float(clip_norm))
    return tuple(wrap(to_dtype(item.float() * float(clip_norm) / limit, item.dtype)) for item in items)


def clip_by_norm(x: Any, max_norm: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """A tensor (or several together) scaled down to a norm of at most ``max_norm``.

    Raises:
        RuntimeError: for a norm that is not finite, if so asked.
    """
    items = [x] if isinstance(x, torch.Tensor) else list(x)
    norms = torch.stack([kernels.vector_norm(item, norm_type) for item in items])
    total = kernels.vector_norm(norms, norm_type)
    if error_if_nonfinite and not bool(torch.isfinite(total)):
        raise RuntimeError(
            f"For 'clip_by_norm', the total norm of order {norm_type} for input is non-finite. Look for nan or inf in "
            "the gradients."
        )
    factor = torch.clamp(float(max_norm) / (total + 1e-6), max=1.0)
    scaled = [wrap(item * factor) for item in items]
    return scaled[0] if isinstance(x, torch.Tensor) else type(x)(scaled)
