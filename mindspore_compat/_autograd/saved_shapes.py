"""Operators whose derivative needs the shape of their input alone: torch keeps the input itself, and so refuses to
differentiate once someone has written to it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.saved_copies import hooks_are_free
from mindspore_compat._tensor.wrapping import _is_tracing

__all__ = ["by_shape"]


@functools.cache
def _zero(dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.zeros((), dtype=dtype, device=device)


def _kept(saved: torch.Tensor) -> Any:
    """What stands for a saved tensor: of floats, which only the input has, what it looks like."""
    return (saved.shape, saved.dtype, saved.device) if saved.is_floating_point() else saved


def _found(kept: Any) -> torch.Tensor:
    if isinstance(kept, torch.Tensor):
        return kept
    shape, dtype, device = kept
    return _zero(dtype, device).expand(shape)


def by_shape(operator: Callable[..., torch.Tensor], x: Any, *rest: Any) -> torch.Tensor:
    """``operator(x, *rest)`` with ``rest`` without floats; ``x`` may be written to before it is differentiated. Where
    saved tensors belong to someone else (hooks of the program, recomputation, torch.func), it is as torch has it.
    """
    if (
        not (x.requires_grad and x.is_floating_point() and torch.is_grad_enabled())
        or _is_tracing()
        or not hooks_are_free()
    ):
        return operator(x, *rest)
    with torch.autograd.graph.saved_tensors_hooks(_kept, _found):
        return operator(x, *rest)
