"""Axes of a tensor: names, splits, joins and order: ``"o (h w c) -> o c h w"``, and back; parts along an axis: merged
and split, equal or of named sizes, also interleaved in groups.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

import torch


class Parts:
    """Parts that lie behind one another on an axis of a tensor.

    Args:
        symbols: size of each part, a name; all equal without them.
        groups: number of groups, each with its share of every part: a name, or ``"name/name"``.

    Raises:
        ValueError: if two of the sizes would have to be guessed from their sum.
    """

    def __init__(self, axis: int, symbols: list[str] | None = None, groups: str | None = None) -> None:
        self.axis, self.symbols, self._groups = axis, symbols, groups

    def describe(self) -> str:
        """Return the place of the parts, for the report."""
        named = f" as {' '.join(self.symbols)}" if self.symbols else ""
        return f"on axis {self.axis}{named}{f' in {self._groups} groups' if self._groups else ''}"

    def merge(self, parts: list[torch.Tensor], sizes: Mapping[str, int]) -> torch.Tensor:
        """Return the whole tensor.

        Raises:
            ValueError: if the shapes are not those that its split would give.
        """
        shapes = sorted({tuple(part.shape) for part in parts})
        rests = {(*shape[: self.axis], *shape[self.axis + 1 :]) for shape in shapes}
        if len(rests) > 1 or any(self.axis >= len(shape) for shape in shapes) or (not self.symbols and len(shapes) > 1):
            raise ValueError(
                f"tensors of the shapes {shapes} cannot be merged on axis {self.axis}: equal ones are needed"
            )
        lengths = [part.shape[self.axis] for part in parts]
        expected, groups = self._lengths(sum(lengths), len(parts), sizes)
        if lengths != expected:
            raise ValueError(f"the parts have the sizes {lengths} on axis {self.axis} instead of {expected}")
        if groups == 1:
            return torch.cat(parts, self.axis)
        grouped = [part.unflatten(self.axis, (groups, -1)) for part in parts]
        return torch.cat(grouped, self.axis + 1).flatten(self.axis, self.axis + 1)

    def split(self, whole: torch.Tensor, count: int, sizes: Mapping[str, int]) -> list[torch.Tensor]:
        """Return the parts.

        Raises:
            ValueError: if the shape does not allow it.
        """
        if self.axis >= whole.dim():
            raise ValueError(f"the shape {tuple(whole.shape)} has no axis {self.axis}")
        lengths, groups = self._lengths(whole.shape[self.axis], count, sizes)
        if groups == 1:
            return list(whole.split(lengths, self.axis))
        grouped = whole.unflatten(self.axis, (groups, -1))
        parts = grouped.split([length // groups for length in lengths], self.axis + 1)
        return [part.flatten(self.axis, self.axis + 1) for part in parts]

    def _lengths(self, total: int, count: int, sizes: Mapping[str, int]) -> tuple[list[int], int]:
        """Return (size of each part, number of groups)."""
        symbols, known = self.symbols or ["part"] * count, dict(sizes) if self.symbols else {}
        unknown = Counter(symbol for symbol in symbols if symbol not in known)
        if len(unknown) > 1:
            raise ValueError(f"the sizes {', '.join(unknown)} do not follow from {total}: give them in 'sizes'")
        left = total - sum(known.get(symbol, 0) for symbol in symbols)
        for symbol, times in unknown.items():
            known[symbol], left = left // times, left % times
        if left or any(known[symbol] <= 0 for symbol in symbols):
            raise ValueError(
                f"the size {total} on axis {self.axis} does not have {count} "
                + (
                    f"parts {' '.join(symbols)} with { ({key: sizes[key] for key in symbols if key in sizes}) }"
                    if self.symbols
                    else "equal parts"
                )
            )
        lengths = [known[symbol] for symbol in symbols]
        groups = self._number_of_groups({**sizes, **known})
        if any(length % groups for length in lengths):
            raise ValueError(f"parts of the sizes {lengths} cannot be in {groups} groups")
        return lengths, groups

    def _number_of_groups(self, sizes: Mapping[str, int]) -> int:
        if self._groups is None:
            return 1
        names = self._groups.split("/")
        if missing := [name for name in names if name not in sizes]:
            raise ValueError(
                f"the size {missing[0]!r} is not known; give it in the 'sizes' of a rule file that includes this map"
            )
        number, rest = divmod(sizes[names[0]], sizes[names[1]]) if len(names) > 1 else (sizes[names[0]], 0)
        if rest or number < 1:
            raise ValueError(f"{self._groups} is no number of groups: { ({name: sizes[name] for name in names}) }")
        return number


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
