"""Operators whose derivative needs only the shape of their input. torch saves the input itself, and so refuses to
differentiate after a write to it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.saved_copies import hooks_are_free
from mindspore_compat._tensor.wrapping import _is_tracing


@functools.cache
def _zero(dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    return torch.zeros((), dtype=dtype, device=device)


def _kept(saved: torch.Tensor) -> Any:
    """Return the shape, dtype and device of a saved tensor of floats (only the input has floats), others unchanged."""
    return (saved.shape, saved.dtype, saved.device) if saved.is_floating_point() else saved


def _found(kept: Any) -> torch.Tensor:
    if isinstance(kept, torch.Tensor):
        return kept
    shape, dtype, device = kept
    return _zero(dtype, device).expand(shape)


def by_shape(operator: Callable[..., torch.Tensor], x: Any, *rest: Any) -> torch.Tensor:
    """Run ``operator(x, *rest)``, with no floats in ``rest``; ``x`` may be written to before the backward pass. Under
    other hooks of saved tensors (the program's, recomputation, torch.func), torch's rule holds.
    """
    if (
        not (x.requires_grad and x.is_floating_point() and torch.is_grad_enabled())
        or _is_tracing()
        or not hooks_are_free()
    ):
        return operator(x, *rest)
    with torch.autograd.graph.saved_tensors_hooks(_kept, _found):
        return operator(x, *rest)
