"""Handles of hooks, and which functions can be hooks. MindSpore: ``mindspore.common.hook_handle``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils.hooks import RemovableHandle

__all__ = ["HookHandle", "check_hook_fn"]


class HookHandle(RemovableHandle):
    """What registering a hook returns: ``remove()`` takes it away, any number of times."""


def check_hook_fn(hook_fn: Callable[..., Any]) -> None:
    """Return whether it may be a hook.

    Raises:
        TypeError: unless it can be called, or if `mindspore.jit` compiles it.
    """
    if not callable(hook_fn):
        raise TypeError(f"Expected a callable hook function, but got {type(hook_fn).__name__}.")
    if getattr(hook_fn, "_is_jit", False):
        raise TypeError(f"Decorating hook function {hook_fn.__name__} with '@jit' is not supported.")
