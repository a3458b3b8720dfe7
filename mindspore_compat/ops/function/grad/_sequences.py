"""Derivatives by tuples and lists of Tensors: by each of their elements, given back as such a tuple or list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

__all__ = ["Spread", "is_sequence"]


def is_sequence(value: Any) -> bool:
    """Whether it is a tuple or list of nothing but Tensors."""
    return isinstance(value, (tuple, list)) and bool(value) and all(isinstance(item, torch.Tensor) for item in value)


class Spread:
    """A call whose sequences at positions that are differentiated by are spread: their elements are arguments.

    Attributes:
        fn: the function of the elements.
        args: the arguments with the elements in the place of their sequences.
        wanted: the positions of what is differentiated by among them; inputs by keyword follow the arguments.
    """

    def __init__(self, fn: Callable[..., Any], args: tuple, wanted: tuple[int, ...]) -> None:
        self._kinds = [
            (list if isinstance(item, list) else tuple, len(item)) if place in wanted and is_sequence(item) else None
            for place, item in enumerate(args)
        ]
        self._wanted = wanted
        self.args = tuple(part for item, kind in zip(args, self._kinds) for part in (item if kind else (item,)))
        begins = [0]
        for kind in self._kinds:
            begins.append(begins[-1] + (kind[1] if kind else 1))
        more = len(self.args) - len(args)
        self.wanted = tuple(
            index
            for place in wanted
            for index in (range(begins[place], begins[place + 1]) if place < len(args) else (place + more,))
        )
        self.fn = lambda *items, **kwargs: fn(*self._together(iter(items), range(len(args))), **kwargs)

    def _together(self, items: Iterator[Any], places: Any) -> list[Any]:
        found = []
        for place in places:
            kind = self._kinds[place] if place < len(self._kinds) else None
            found.append(kind[0](next(items) for _ in range(kind[1])) if kind else next(items))
        return found

    def gradients(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those of the elements as those of the sequences; what follows them unchanged."""
        rest = iter(found)
        return (*self._together(rest, self._wanted), *rest)
