"""Handles of hooks, and a check of hook functions. MindSpore: ``mindspore.common.hook_handle``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.hooks import RemovableHandle

__all__ = ["HookHandle", "check_hook_fn"]


class HookHandle(RemovableHandle):
    """Handle of a registered hook: ``remove()`` removes the hook, and may be called again."""


def check_hook_fn(hook_fn: Callable[..., Any]) -> None:
    """Raise TypeError unless it can be called."""
    if not callable(hook_fn):
        raise TypeError(f"Expected a callable hook function, but got {type(hook_fn).__name__}.")
