"""MindSpore: ``mindspore.enable_dynamic``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["enable_dynamic"]


def enable_dynamic(**kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare arguments with changing shapes under ``jit``. Here every shape may change: return the function unchanged.

    Args:
        kwargs: argument's name -> Tensor with None in its shape, or a tuple or list with one.
    """
    return lambda function: function
