"""Upstream: ``mindspore._extends``, of which old scripts take one decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["cell_attr_register"]


def cell_attr_register(fn: Any = None, attrs: list[str] | str | None = None) -> Any:
    """Decorator of a Cell's ``__init__``: ``cell_init_args`` of the Cell is then the class and the arguments.

    Args:
        attrs: names of attributes to take in place of the arguments.

    Raises:
        ValueError: when the Cell is made, if ``attrs`` is no name or list of names.
    """

    def decorate(wrapped: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(wrapped)
        def register(self: Any, *args: Any, **kwargs: Any) -> None:
            wrapped(self, *args, **kwargs)
            if attrs is None:
                given = inspect.signature(wrapped).bind(self, *args, **kwargs).arguments
                said: Any = dict(list(given.items())[1:]).values()
            else:
                said = _values(self, attrs)
            self.cell_init_args = f"{type(self).__name__}{said}"

        return register

    return decorate(fn) if callable(fn) else decorate


def _values(cell: Any, attrs: Any) -> Any:
    if isinstance(attrs, str):
        return getattr(cell, attrs, [])
    if not isinstance(attrs, list) or not all(isinstance(item, str) for item in attrs):
        raise ValueError(f"For 'cell_attr_register', 'attrs' must be a str or a list of str, but got {attrs}.")
    return [getattr(cell, item) for item in attrs if hasattr(cell, item)]
