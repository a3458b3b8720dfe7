"""Handles of hooks, and a check of hook functions. MindSpore: ``mindspore.common.hook_handle``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.hooks import RemovableHandle

__all__ = ["HookHandle", "check_hook_fn"]


class HookHandle(RemovableHandle):
    """Handle of a registered hook: ``remove()`` removes the hook, and may be called again."""


def check_hook_fn(hook_fn: Callable[..., Any]) -> None:
    """Raise TypeError unless it may be a hook.

    Raises:
        TypeError: unless it can be called, or if `mindspore.jit` compiles it.
    """
    if not callable(hook_fn):
        raise TypeError(f"Expected a callable hook function, but got {type(hook_fn).__name__}.")
    if getattr(hook_fn, "_is_jit", False):
        raise TypeError(f"Decorating hook function {hook_fn.__name__} with '@jit' is not supported.")
