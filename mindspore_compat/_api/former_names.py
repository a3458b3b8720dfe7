"""Deprecated argument names. Functions accept them, and `inspect.signature` shows today's names, by which libraries
detect the release.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_Function = Callable[..., Any]


def accept_aliases(function: _Function, names: dict[str, str]) -> _Function:
    """Return ``function``, with other names for some of its arguments: {other: its own}."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not names.keys().isdisjoint(kwargs):
            count = len(kwargs)
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
            if len(kwargs) < count:
                raise TypeError(f"{function.__name__}() got an argument by its old name and by its new one")
        return function(*args, **kwargs)

    return called


def renamed_args(**names: str) -> Callable[[Any], Any]:
    """Decorate a function or class whose arguments had other names, OLD="NEW"."""

    def mark(target: Any) -> Any:
        if not isinstance(target, type):
            return accept_aliases(target, names)
        target.__init__ = accept_aliases(target.__init__, names)  # type: ignore[misc]
        return target

    return mark


def or_older_meaning(
    older: _Function, position: int = 0, kinds: Any = (), keywords: str = ""
) -> Callable[[_Function], _Function]:
    """Decorate a function so that ``older`` runs for an argument of one of these types at ``position``, which today's
    meaning does not accept there, or for one of the keywords.
    """
    names = frozenset(keywords.split())

    def mark(function: _Function) -> _Function:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if not names.isdisjoint(kwargs) or (len(args) > position and isinstance(args[position], kinds)):
                return older(*args, **kwargs)
            return function(*args, **kwargs)

        return called

    return mark
