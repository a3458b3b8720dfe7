"""Instances of primitives, one for each set of constructor arguments. MindSpore: ``mindspore.ops._primitive_cache``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["_get_cache_prim"]

_instances: dict[Any, Any] = {}


def _get_cache_prim(cls: type) -> Callable[..., Any]:
    """Return a constructor of ``cls`` that returns the same instance for the same arguments."""

    def construct(*args: Any, **kwargs: Any) -> Any:
        key = (cls, repr(args), repr(sorted(kwargs.items())))
        if key not in _instances:
            _instances[key] = cls(*args, **kwargs)
        return _instances[key]

    return construct
