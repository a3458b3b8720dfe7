"""Compilation switches. Upstream: ``mindspore.common.api``. Cells and functions run eagerly here; what `jit` does: docs/design/replay.md."""
from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.context import compiled_cells, in_jit

__all__ = ["jit", "ms_function", "jit_class", "ms_class", "JitConfig", "mutable", "no_inline", "lazy_inline", "no_grad", "ms_memory_recycle"]


def jit(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Decorator for a function that upstream compiles: while it runs, GRAPH_MODE holds, whatever the options. Cells are returned as they are.

    For compiled code use ``torch.compile`` on the function. Takes ``@jit``, ``@jit(...)`` and ``jit(fn=...)``.
    """
    target = kwargs.get("fn", function)
    return _in_graph_mode(target) if callable(target) else _in_graph_mode


def _in_graph_mode(function: Callable[..., Any]) -> Callable[..., Any]:
    if isinstance(function, torch.nn.Module):
        compiled_cells.add(function)
    if not isinstance(function, (types.FunctionType, types.MethodType)):
        return function

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        in_jit.depth += 1
        try:
            return function(*args, **kwargs)
        finally:
            in_jit.depth -= 1
    return run


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


class _PyNativeExecutor:
    """What scripts call of upstream's eager executor."""

    def sync(self) -> None:
        """Wait until the device has done what it was given."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def set_grad_flag(self, flag: bool) -> None:
        """Accepted without effect: what is differentiated is recorded by torch."""


_pynative_executor = _PyNativeExecutor()
cells_compile_cache: dict[int, set[str]] = {}  # nothing is compiled


class no_grad(torch.no_grad):
    """Context in which nothing is recorded for differentiation."""


_no_grad = no_grad
