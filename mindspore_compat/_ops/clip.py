"""Clipping of values and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._numerics.portions import portions
from mindspore_compat._ops.adapt import to_dtype
from mindspore_compat._ops.declare import classes, functions, op, primitive
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.context import is_graph_mode

_Run = Callable[..., Any]


def _bounded(x: Any, low: Any, high: Any) -> Any:
    """Return x cut to [low, high], numbers or tensors that broadcast; where low exceeds high, high wins."""
    dtype, has_tensors = x.dtype, False
    for bound in (low, high):
        if isinstance(bound, torch.Tensor):
            dtype, has_tensors = torch.promote_types(dtype, bound.dtype), True
    if has_tensors:
        x = to_dtype(x, dtype)
        low, high = (None if bound is None else constant(bound, x.device, dtype) for bound in (low, high))
    return wrap(subgradients.clamp(x, low, high))


def _clipped(x: Any, low: Any, high: Any) -> Any:
    """Return the same in the dtype of x, to which bounds are cast; at a bound it has half of the gradient."""
    if not (x.is_floating_point() or x.is_complex()):
        low, high = (int(bound) if isinstance(bound, float) else bound for bound in (low, high))
    if low is not None:
        x = torch.maximum(x, constant(low, x.device, x.dtype))
    return wrap(x if high is None else torch.minimum(x, constant(high, x.device, x.dtype)))


@op(hidden="min max")
def clip_by_value(
    x: Any, clip_value_min: Any = None, clip_value_max: Any = None, *, min: Any = None, max: Any = None
) -> Any:
    """Return ``x`` (a tensor, or a tuple or list of them) clipped to the two values, also named ``min`` and ``max``.

    Examples:
        >>> print(ops.clip_by_value(Tensor([-2.0, 0.5, 3.0]), -1.0, 1.0))
        [-1.   0.5  1. ]
    """
    low, high = min if clip_value_min is None else clip_value_min, max if clip_value_max is None else clip_value_max
    if isinstance(x, (tuple, list)):
        return _together(x, [_clipped(item, low, high) for item in x])
    return _clipped(x, low, high)


@op(formerly="x=input", method="clamp")
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """Return ``input`` cut to [min, max], numbers or Tensors; ints with a fractional bound become float32."""
    is_fractional = isinstance(min, float) or isinstance(max, float)
    if is_fractional and isinstance(input, torch.Tensor) and not input.dtype.is_floating_point:
        input = to_dtype(input, torch.float32)
    return _bounded(input, min, max)


clip = clamp


@op
def clamp_(input: Any, min: Any = None, max: Any = None) -> Any:
    """Run `clamp` in place."""
    return wrap(torch.clamp_(input, min, max))


def _together(given: Any, results: list[Any]) -> Any:
    """Return a tuple; of a list in compiled code a list."""
    return results if isinstance(given, list) and in_graph() else tuple(results)


@op
def clip_by_global_norm(x: Any, clip_norm: Any = 1.0, use_norm: Any = None) -> Any:
    """Scale all tensors by clip_norm / max(norm of all of them together, clip_norm).

    Raises:
        ValueError: if ``use_norm`` is given, as MindSpore does.
    """
    if use_norm is not None:
        raise ValueError(
            f"For 'clip_by_global_norm', input 'use_norm' only supports None currently, but got {use_norm!r}. Leave it "
            "out."
        )
    items = list(x)
    if items and not any(item.is_cpu or item.requires_grad or item.dtype is not torch.float32 for item in items):
        norm = kernels.vector_norm(torch.stack(torch._foreach_norm(items)))  # few kernels for gradients on a device
        limit, clipped = torch.clamp(norm, min=float(clip_norm)), []
        for part in portions(items):  # a replay frees the gradients of each portion
            scaled = list(torch._foreach_mul(items[part], float(clip_norm)))
            torch._foreach_div_(scaled, limit)
            clipped += wrap(scaled)
    else:
        squares = [torch.sum(kernels.square(item.float())) for item in items]
        norm = torch.sqrt(torch.stack(squares).sum())
        limit = subgradients.clamp(norm, min=float(clip_norm))
        clipped = [wrap(to_dtype(item.float() * float(clip_norm) / limit, item.dtype)) for item in items]
    # MindSpore compiles it in GRAPH_MODE, though the program's own lines call it
    return clipped if isinstance(x, list) and is_graph_mode() else _together(x, clipped)


@op
def clip_by_norm(x: Any, max_norm: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Return a tensor (or several together) scaled down to a norm of at most ``max_norm``; integers as float32.

    Raises:
        RuntimeError: for a norm that is not finite, if so asked.
    """
    items = [x] if isinstance(x, torch.Tensor) else list(x)
    items = [item if item.is_floating_point() or item.is_complex() else item.float() for item in items]
    norms = torch.stack([kernels.vector_norm(item, norm_type) for item in items])
    total = kernels.vector_norm(norms, norm_type)
    if error_if_nonfinite and not bool(torch.isfinite(total)):
        raise RuntimeError(
            f"For 'clip_by_norm', the total norm of order {norm_type} for input is non-finite. Look for nan or inf in "
            "the gradients."
        )
    factor = subgradients.clamp(float(max_norm) / (total + 1e-6), max=1.0)
    scaled = [wrap(item * factor) for item in items]
    return scaled[0] if isinstance(x, torch.Tensor) else _together(x, scaled)


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


__all__ = functions(globals())
PRIMITIVES = classes(globals())
