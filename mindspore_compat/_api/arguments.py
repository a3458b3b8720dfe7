"""Signatures that take over another's arguments, so that a layer which adds two to those of `Conv2d` names two."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any


def arguments_of(*patterns: Any, without: str = "", **after: str) -> Callable[[Any], Any]:
    """Decorate a function whose ``**`` argument stands for the arguments of ``patterns``, functions or classes.

    Callers see and pass one flat list; the function gets each argument by name, with its default. An argument that it
    names itself stands behind the one in ``after``, else where the patterns have it, else behind the one that the
    function names before it.

    Args:
        without: names of the patterns' arguments that are left out.
        after: NAME="the argument before it".

    Examples:
        >>> @arguments_of(nn.Dense, without="dtype", alpha="activation")
        ... def dense(weight_init="normal", alpha=0.2, **given): ...
    """

    def mark(function: Any) -> Any:
        taken = {name: item for pattern in patterns for name, item in inspect.signature(pattern).parameters.items()}
        for name in without.split():
            del taken[name]
        signature = _joined(inspect.signature(function), taken, after)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__qualname__}() {error}") from None
            bound.apply_defaults()
            return function(**bound.arguments)

        called.__signature__ = signature  # type: ignore[attr-defined]
        return called

    return mark


def _joined(own: inspect.Signature, taken: dict[str, inspect.Parameter], after: dict[str, str]) -> inspect.Signature:
    order, before = list(taken), ""
    named = {name: item for name, item in own.parameters.items() if item.kind is not item.VAR_KEYWORD}
    for name in named:
        if name not in taken or name in after:
            order = [other for other in order if other != name]
            before = after.get(name, before)
            order.insert(order.index(before) + 1 if before else 0, name)
        before = name
    return own.replace(parameters=[{**taken, **named}[name] for name in order])
