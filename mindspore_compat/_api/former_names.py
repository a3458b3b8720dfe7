"""Arguments that an earlier release called otherwise: they are taken by that name too, and `inspect.signature` shows
today's, by which libraries tell the release.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["formerly", "known_as", "or_former"]

_Function = Callable[..., Any]


def known_as(function: _Function, names: dict[str, str]) -> _Function:
    """``function``, with other names for some of its arguments: {other: its own}."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not names.keys().isdisjoint(kwargs):
            count = len(kwargs)
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
            if len(kwargs) < count:
                raise TypeError(f"{function.__name__}() got an argument by its old name and by its new one")
        return function(*args, **kwargs)

    return called


def formerly(**names: str) -> Callable[[Any], Any]:
    """Decorator: a function or a class whose arguments were called so, OLD="NEW"."""

    def mark(target: Any) -> Any:
        if not isinstance(target, type):
            return known_as(target, names)
        target.__init__ = known_as(target.__init__, names)  # type: ignore[misc]
        return target

    return mark


def or_former(function: _Function, former: _Function, keywords: str, position: int = 0, kind: Any = ()) -> _Function:
    """``function``; a call with one of the keywords, or a ``kind`` at the position, goes to ``former``, which has an
    earlier release's signature.
    """
    names = frozenset(keywords.split())

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        is_former = not names.isdisjoint(kwargs) or (len(args) > position and isinstance(args[position], kind))
        return (former if is_former else function)(*args, **kwargs)

    return called
