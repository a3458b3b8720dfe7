"""Axes of a tensor: names, splits, joins and order: ``"o (h w c) -> o c h w"``, and back; parts along an axis: merged
and split, equal or of named sizes, also interleaved in groups.

Names with placeholders: ``"layer{s}.{b}.bn{n}.{norm}"``, read and written on both sides of a rule.

``{n}`` is a number, unless a table or a pattern of the file has that name; ``{n+3}`` the number plus 3; ``{n:regex}`` a
match of the regular expression. A table maps the text of one side to that of the other.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import torch

_NUMBER = "0|[1-9][0-9]*"
_HEAD = re.compile(r"([A-Za-z_]\w*)([+-][0-9]+)?(?::(.*))?", re.DOTALL)


@dataclass(frozen=True)
class Vocabulary:
    """Values of placeholders in a rule file: ``tables`` {name: {text on the from side: text on the to side}},
    ``patterns`` {name: regex}; ``sizes`` {symbol: size} of axes and parts.
    """

    tables: Mapping[str, Mapping[str, str]]
    patterns: Mapping[str, str]
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Place:
    """Placeholder; ``pattern`` matches its text without the addend, ``table`` maps the text of the from side to this
    side's.
    """

    name: str
    offset: int
    pattern: str
    table: Mapping[str, str] | None


class Name:
    """One side of a rule: matches a name, returning the values of placeholders, and makes a name from such values.

    Args:
        text: with placeholders. side: 0 for the from side, 1 for the to side. own: patterns that this rule gives in
            either of its sides.

    Raises:
        ValueError: if the text cannot be read.
    """

    def __init__(self, text: str, side: int, vocabulary: Vocabulary, own: Mapping[str, str]) -> None:
        self.text = text
        self._parts: list[str | _Place] = []
        pattern, seen = "", set()
        for literal, place in _split(text):
            self._parts.append(literal)
            pattern += re.escape(literal)
            if place is None:
                continue
            one = _place(place, text, side, vocabulary, own)
            self._parts.append(one)
            key = f"{one.name}_{'m' if one.offset < 0 else 'p'}{abs(one.offset)}"  # {n} and {n+1} in one name
            pattern += f"(?P={key})" if key in seen else f"(?P<{key}>{_NUMBER if one.offset else one.pattern})"
            seen.add(key)
        try:
            self._pattern = re.compile(pattern)
        except re.error as error:
            raise ValueError(f"the name {text!r} holds no regular expression: {error}") from None
        self.placeholders = {part.name for part in self._parts if isinstance(part, _Place)}

    def match(self, name: str) -> dict[str, str] | None:
        """Return {placeholder: its text on the from side, a number without the addend}, or None if the name does not
        match.
        """
        found = self._pattern.fullmatch(name)
        if found is None:
            return None
        result: dict[str, str] = {}
        for part in self._parts:
            if not isinstance(part, _Place):
                continue
            text = found[f"{part.name}_{'m' if part.offset < 0 else 'p'}{abs(part.offset)}"]
            if part.table is not None:
                text = next(key for key, value in part.table.items() if value == text)
            elif part.offset:
                text = str(int(text) - part.offset)
                if not re.fullmatch(part.pattern, text):
                    return None
            if result.setdefault(part.name, text) != text:
                return None
        return result

    def fill(self, values: Mapping[str, str]) -> str | None:
        """Return the name for these; None if a number would be below zero."""
        result = ""
        for part in self._parts:
            if isinstance(part, str):
                result += part
                continue
            text = values[part.name]
            if part.table is not None:
                text = part.table[text]
            elif part.offset:
                if not re.fullmatch(_NUMBER, text) or int(text) + part.offset < 0:
                    return None
                text = str(int(text) + part.offset)
            result += text
        return result


def _split(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield (text before a placeholder, the placeholder without its braces) and at the end (rest, None); a regex may
    hold braces.
    """
    place = 0
    while (start := text.find("{", place)) >= 0:
        depth = 0
        for end in range(start, len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if depth == 0:
                break
        else:
            raise ValueError(f"the name {text!r} has a brace that is not closed")
        yield text[place:start], text[start + 1 : end]
        place = end + 1
    yield text[place:], None


def own_patterns(texts: list[str]) -> dict[str, str]:
    """Return {placeholder: regex} of those that the names of a rule define themselves."""
    result: dict[str, str] = {}
    for text in texts:
        for _, place in _split(text):
            head = _HEAD.fullmatch(place or "")
            if head and head[3] is not None and result.setdefault(head[1], head[3]) != head[3]:
                raise ValueError(f"the placeholder {head[1]!r} has two patterns, {result[head[1]]!r} and {head[3]!r}")
    return result


def _place(text: str, whole: str, side: int, vocabulary: Vocabulary, own: Mapping[str, str]) -> _Place:
    head = _HEAD.fullmatch(text)
    if head is None:
        raise ValueError(
            f"the name {whole!r} has {{{text}}}, but it must be {{name}}, {{name+number}} or {{name:regex}}"
        )
    name, offset, table = head[1], int(head[2] or 0), vocabulary.tables.get(head[1])
    if table is not None and name not in own:
        texts = dict(table) if side else {key: key for key in table}
        pattern = "|".join(re.escape(value) for value in sorted(texts.values(), key=len, reverse=True))
    else:
        table, texts = None, {}
        pattern = own.get(name) or vocabulary.patterns.get(name) or _NUMBER
    if offset and table is not None:
        raise ValueError(f"the name {whole!r} adds to the placeholder {name!r}, which is no number")
    return _Place(name, offset, pattern, texts if table is not None else None)


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
