"""Axes of a tensor: names, splits, joins and order: ``"o (h w c) -> o c h w"``, and back."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

import torch

__all__ = ["Axes"]

_Atom = tuple[str, int]  # a symbol, or a size in digits, and which one of its kind it is
_GROUP = re.compile(r"\(([^()]*)\)|(\S+)")
_SYMBOL = re.compile(r"[A-Za-z_]\w*|[1-9]\d*")


class Axes:
    """Two descriptions of the same elements, each a list of axes; an axis may be several in brackets, the last the
    fastest.

    A symbol is one size at all its places, a number that size. Sizes that do not follow from the shape are in
    ``sizes``; one that occurs twice in brackets is the root. An axis ``1`` may occur on one side only. With ``is_view``
    the elements stay in their order in memory, whatever the order of the axes.

    Raises:
        ValueError: if the text is none, or the two sides do not hold the same symbols.
    """

    def __init__(self, text: str, sizes: Mapping[str, int] | None = None, is_view: bool = False) -> None:
        sides = text.split("->")
        if len(sides) != 2:
            raise ValueError(f"the axes must be two descriptions with '->' between them, but are {text!r}")
        self.text, self._sizes, self._is_view = text, dict(sizes or {}), is_view
        self._sides = [_parsed(side, text) for side in sides]
        counts = [Counter(atom[0] for group in side for atom in group if atom[0] != "1") for side in self._sides]
        if counts[0] != counts[1]:
            raise ValueError(
                f"the axes {text!r} have {dict((counts[0] - counts[1]) + (counts[1] - counts[0]))} on one side only"
            )

    def apply(self, tensor: torch.Tensor, reverse: bool, more_sizes: Mapping[str, int] | None = None) -> torch.Tensor:
        """Return the tensor with the axes of the other side.

        Raises:
            ValueError: if its shape is not what is described.
        """
        source, target = reversed(self._sides) if reverse else self._sides
        sizes = self._resolved(tuple(tensor.shape), source, {**(more_sizes or {}), **self._sizes})
        atoms = [atom for group in source for atom in group if atom[0] != "1"]
        flat = tensor.reshape([_size(atom, sizes) for atom in atoms])
        wanted = [atom for group in target for atom in group if atom[0] != "1"]
        moved = flat if self._is_view else flat.permute([atoms.index(atom) for atom in wanted])
        return moved.reshape([math.prod(_size(atom, sizes) for atom in group) for group in target])

    def _resolved(self, shape: tuple[int, ...], side: list[list[_Atom]], given: Mapping[str, int]) -> dict[str, int]:
        sizes, used = dict(given), {symbol: given[symbol] for group in side for symbol, _ in group if symbol in given}
        wrong = ValueError(
            f"the shape {shape} is not that of the axes {self.text!r}" + (f" with {used}" if used else "")
        )
        if len(shape) != len(side):
            raise wrong
        open_groups = list(zip(shape, side))
        while open_groups:
            rest = []
            for size, group in open_groups:
                known = math.prod(_size(atom, sizes) for atom in group if _is_known(atom, sizes))
                unknown = Counter(symbol for symbol, place in group if not _is_known((symbol, place), sizes))
                if len(unknown) > 1:
                    rest.append((size, group))
                elif unknown:
                    ((symbol, times),) = unknown.items()
                    sizes[symbol] = round((size // known) ** (1 / times)) if known else 0
                if len(unknown) <= 1 and math.prod(_size(atom, sizes) for atom in group) != size:
                    raise wrong
            if len(rest) == len(open_groups):
                raise ValueError(
                    f"the sizes of the axes {self.text!r} do not follow from the shape {shape}: 'sizes' gives them"
                )
            open_groups = rest
        return sizes


def _parsed(text: str, whole: str) -> list[list[_Atom]]:
    seen: Counter[str] = Counter()
    groups = []
    for match in _GROUP.finditer(text):
        symbols = match[1].split() if match[1] is not None else [match[2]]
        group = []
        for symbol in symbols:
            if not _SYMBOL.fullmatch(symbol):
                raise ValueError(f"the axes {whole!r} have {symbol!r}, which is neither a name nor a size")
            group.append((symbol, seen[symbol]))
            seen[symbol] += 1
        groups.append(group)
    return groups


def _is_known(atom: _Atom, sizes: Mapping[str, int]) -> bool:
    return atom[0].isdigit() or atom[0] in sizes


def _size(atom: _Atom, sizes: Mapping[str, int]) -> int:
    return int(atom[0]) if atom[0].isdigit() else sizes[atom[0]]
