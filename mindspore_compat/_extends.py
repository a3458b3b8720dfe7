"""Upstream: ``mindspore._extends``, of which old scripts take one decorator."""

from __future__ import annotations

from typing import Any

__all__ = ["cell_attr_register"]


def cell_attr_register(fn: Any = None, attrs: Any = None) -> Any:
    """Decorator of a Cell's ``__init__``, by which upstream remembers the arguments: returned as it is."""
    return fn if callable(fn) else (lambda wrapped: wrapped)
