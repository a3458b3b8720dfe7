"""Parts of a tensor along an axis: merged and split, equal or of named sizes, also interleaved in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import torch

__all__ = ["Parts"]


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
