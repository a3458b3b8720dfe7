"""Compilation switches. Upstream: ``mindspore.common.api``. Cells and functions run eagerly here, so these return what they get."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

__all__ = ["jit", "ms_function", "jit_class", "ms_class", "JitConfig", "mutable", "no_inline", "lazy_inline", "no_grad", "ms_memory_recycle"]


def jit(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Decorator for a function that upstream compiles: returned as it is, whatever the options, since it runs eagerly.

    For compiled code use ``torch.compile`` on the function. Takes ``@jit``, ``@jit(...)`` and ``jit(fn=...)``.
    """
    target = kwargs.get("fn", function)
    if callable(target):
        return target

    def decorate(wrapped: Callable[..., Any]) -> Callable[..., Any]:
        return wrapped
    return decorate


ms_function = jit


def jit_class(cls: type) -> type:
    """Decorator for a class used in compiled code: returned as it is.

    Raises:
        TypeError: if it is no class, or a Cell.
    """
    from mindspore_compat.nn.cell import Cell
    if not isinstance(cls, type):
        raise TypeError(f"Decorator jit_class can only be used for class type, but got {cls}.")
    if issubclass(cls, Cell):
        raise TypeError(f"Decorator jit_class cannot be used for nn.Cell or its subclass, but got {cls}.")
    return cls


ms_class = jit_class


def lazy_inline(fn: Any = None, attrs: Any = None, policy: Any = None) -> Any:
    """Decorator for a Cell's ``__init__``: returned as it is."""
    return fn if callable(fn) else (lambda wrapped: wrapped)


def no_inline(fn: Any = None) -> Any:
    """Decorator: returned as it is."""
    return fn


class JitConfig:
    """Options for compilation: kept, without effect."""

    def __init__(self, jit_level: str = "", exec_mode: str = "auto", jit_syntax_level: str = "", debug_level: str = "RELEASE",
                 infer_boost: str = "off", **kwargs: Any) -> None:
        self.jit_config_dict = {"jit_level": jit_level, "exec_mode": exec_mode, "jit_syntax_level": jit_syntax_level,
                                "debug_level": debug_level, "infer_boost": infer_boost, **kwargs}


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark an input as changing between compiled calls: returned as it is."""
    return input_data


def ms_memory_recycle() -> None:
    """Give cached GPU memory back."""
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


class no_grad(torch.no_grad):
    """Context in which nothing is recorded for differentiation."""


_no_grad = no_grad
