"""Names with placeholders: ``"layer{s}.{b}.bn{n}.{norm}"``, read and written on both sides of a rule.

``{n}`` is a number, unless a table or a pattern of the file has that name; ``{n+3}`` the number plus 3; ``{n:regex}`` a
match of the regular expression. A table maps the text of one side to that of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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
