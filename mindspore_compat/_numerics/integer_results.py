"""Sums, products and other reductions of floats with an integer dtype. torch refuses to differentiate them; MindSpore
differentiates them as if nothing had been truncated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import UNSIGNED

_Base = torch._C.TensorBase


def given_in(function: Callable[..., Any], x: torch.Tensor, *args: Any, dtype: torch.dtype | None) -> torch.Tensor:
    """Return ``function(x, *args, dtype=dtype)``, also of differentiable floats for an int or complex ``dtype``."""
    if dtype is None:
        result = function(x, *args, dtype=None)
        return _Base.to(result, x.dtype) if x.dtype in UNSIGNED else result  # torch's is of int64
    if dtype.is_floating_point or not (x.requires_grad and x.dtype.is_floating_point):
        return function(x, *args, dtype=dtype)
    if dtype.is_complex:
        return function(_Base.to(x, dtype), *args)
    before = _Base.detach(x)
    cut = _Base.to(before, dtype)
    result = function(cut, *args, dtype=dtype)
    result._history = function(_Base.to(cut, torch.float64) + _Base.to(x - before, torch.float64), *args)
    return result


def cut_after(function: Callable[..., Any], x: torch.Tensor, *args: Any, dtype: torch.dtype | None) -> torch.Tensor:
    """Return ``function(x, *args, dtype=dtype)``; for floats and an integer dtype, truncate the float result."""
    if dtype is None or dtype.is_floating_point or dtype.is_complex or not x.dtype.is_floating_point:
        return function(x, *args, dtype=dtype)
    smooth = function(x, *args)
    result = _Base.to(_Base.detach(smooth), dtype)
    if smooth.requires_grad:
        result._history = smooth  # type: ignore[attr-defined]
    return result


def mean_in(x: torch.Tensor, *args: Any, dtype: torch.dtype | None) -> torch.Tensor:
    """Return ``torch.mean``; in an integer dtype, the truncated mean of the values in that dtype."""

    def mean(x: torch.Tensor, *args: Any, dtype: torch.dtype | None = None) -> torch.Tensor:
        if dtype is None or dtype.is_floating_point or dtype.is_complex:
            return torch.mean(x, *args, dtype=dtype)
        return _Base.to(torch.mean(_Base.to(_Base.to(x, dtype), torch.float64), *args), dtype)

    return given_in(mean, x, *args, dtype=dtype)


def history(result: torch.Tensor) -> torch.Tensor:
    """Return the tensor to differentiate for a function's ``result``."""
    if result.requires_grad or result.dtype.is_floating_point:
        return result
    return getattr(result, "_history", result)
