"""Rule files: maps of tensors between two networks' checkpoints. docs/checkpoints.md describes them."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from mindspore_compat._format.source import read_json
from mindspore_compat._format.wire import FormatError
from mindspore_compat.train.checkpoint_maps._axes import Axes, Name, Parts, Vocabulary, own_patterns

_FOLDER = Path(__file__).parent
_VERSION = 1
_FILE_KEYS = {"version", "from", "to", "include", "patterns", "tables", "sizes", "rules", "arithmetic", "notes"}
_OPTIONS = {
    "beside": list,
    "needs_like": bool,
    "same_as": str,
    "axis": int,
    "axes": str,
    "view": str,
    "parts": list,
    "groups": str,
    "stack": str,
    "sizes": dict,
    "one_hot": bool,
    "zeros": bool,
    "dtype": list,
}
_RULE_KEYS = {"from", "to", *_OPTIONS}
_SIZE_OF = re.compile(r"(.+)\[([0-9])\]")  # a name, and an axis of that tensor
_Shapes = Mapping[str, tuple[int, ...]]
_DTYPES = {
    name: getattr(torch, name)
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
}


@dataclass
class Group:
    """Tensors that one rule takes together, and their results; ``sizes`` of axes and parts."""

    rule: Rule
    values: dict[str, str]
    sources: list[str]
    targets: list[str] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)

    def apply(self, tensors: list[torch.Tensor], reverse: bool) -> list[torch.Tensor]:
        """Return the tensors ``targets`` of the tensors ``sources``."""
        return self.rule.apply(tensors, reverse, self.sizes)


class Rule:
    """One row of a rule file; side 0 is "from", side 1 "to".

    Args:
        place: of the row in its file, for messages.

    Raises:
        ValueError: if the row cannot be read.
    """

    def __init__(self, row: Any, place: str, vocabulary: Vocabulary) -> None:
        if not isinstance(row, dict) or not {"from", "to"} <= set(row) <= _RULE_KEYS:
            raise ValueError(f"{place} must have 'from', 'to' and none but {sorted(_RULE_KEYS)}, but is {row!r:.200}")
        self.place, self._row = place, row
        for key, kind in _OPTIONS.items():
            if key in row and type(row[key]) is not kind:
                raise ValueError(f"{place}: {key!r} must be a {kind.__name__}, but is {row[key]!r:.200}")
        texts = [_texts(row[key], key, place) for key in ("from", "to")]
        if texts == [[], []] or min(map(len, texts)) > 1:
            raise ValueError(f"{place} must have one name on one side at least")
        try:
            own = own_patterns(texts[0] + texts[1])
            self.sides = [[Name(text, side, vocabulary, own) for text in texts[side]] for side in (0, 1)]
            self._axes = Axes(row["axes"]) if "axes" in row else None
            self._view = Axes(row["view"], is_view=True) if "view" in row else None
            sizes = row.get("sizes", {})
            self._sizes = {**vocabulary.sizes, **{key: size for key, size in sizes.items() if _is_size(size)}}
            self._sizes_of = {
                key: [_size_of(text, side, vocabulary, own) for side, text in enumerate(_pair(size))]
                for key, size in sizes.items()
                if not _is_size(size)
            }
            self._beside = [
                Name(text, side, vocabulary, own)
                for side, text in enumerate(_texts(row.get("beside"), "beside", place))
            ]
            self._twin = Name(row["same_as"], int(not texts[0]), vocabulary, own) if "same_as" in row else None
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        self._stack = row.get("stack")
        self._whole = self._stacked_side(place) if self._stack else -1
        extra = [*self._beside, *([self._twin] if self._twin else [])]
        extra += [name for pair in self._sizes_of.values() for name, _ in pair]
        held = {frozenset(name.placeholders - {self._stack}) for side in self.sides for name in side}
        if len(held) > 1 or any(not name.placeholders <= next(iter(held)) for name in extra):
            raise ValueError(
                f"{place}: every name must have the same placeholders, but they have {[sorted(one) for one in held]}; "
                "without that there is no way back"
            )
        self._parts = Parts(row.get("axis", 0), _symbols(row, place), row.get("groups"))
        if ("parts" in row and len(row["parts"]) != max(map(len, texts))) or ("groups" in row and "parts" not in row):
            raise ValueError(f"{place}: 'parts' must give the name of a size for each tensor, also beside 'groups'")
        self._dtypes = [_dtype(name, place) for name in row.get("dtype", [])]
        if self._parts.axis < 0 or len(self._dtypes) not in (0, 2):
            raise ValueError(f"{place}: 'axis' must be a number from 0 on, 'dtype' a list of those of the two sides")
        adds_wrongly = self.has_zeros and not self.is_drop and [len(side) for side in self.sides] != [1, 2]
        if len(self._beside) not in (0, 2) or (self._twin and not self.is_drop) or adds_wrongly:
            raise ValueError(
                f"{place}: 'beside' must be two names, 'same_as' stands where 'from' or 'to' is null, and 'zeros' "
                "where one "
                "tensor becomes two or none"
            )

    @property
    def is_drop(self) -> bool:
        """True if the tensor is dropped, on the side where it has a name."""
        return not self.sides[0] or not self.sides[1]

    def match(
        self, name: str, side: int, names: Container[str], like: Container[str] | None = None
    ) -> tuple[int, dict[str, str]] | None:
        """Return (index among this side's names, values of its placeholders), or None without a match; ``names`` are
        all of the checkpoint, ``like`` those of the result.

        Raises:
            ValueError: if the rule depends on ``like``, which is None.
        """
        for place, one in enumerate(self.sides[side]):
            values = one.match(name)
            if values is None or any(self._fill(other, values) is None for other in self.sides[1 - side]):
                continue
            if self._beside and self._beside[side].fill(values) not in names:
                continue
            if self._row.get("needs_like") and side and like is None:
                raise ValueError(
                    f"{self.place}: several names of the MindSpore network become {name!r}; a checkpoint of that "
                    "network, or the network, has to be given as 'like' (--like FILE)"
                )
            if self._row.get("needs_like") and side and self.names(values, 0, 1)[0] not in (like or ()):
                continue
            return place, values
        return None

    def key(self, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return a key that all names of a group share: the values of placeholders but that of ``stack``."""
        return tuple(sorted(item for item in values.items() if item[0] != self._stack))

    def position(self, place: int, values: Mapping[str, str], side: int) -> int:
        """Return the position of a name in its group's list."""
        number = int(values.get(self._stack or "", "0"))
        return place + len(self.sides[side]) * number

    def names(self, values: Mapping[str, str], side: int, count: int) -> list[str]:
        """Return the names on a side; ``count``: of the tensors stacked."""
        numbers = range(1 if side == self._whole or self._stack is None else count)
        return [str(self._fill(name, values, number)) for number in numbers for name in self.sides[side]]

    def count(self, sources: list[str], side: int, shapes: _Shapes, known: Mapping[str, int]) -> int:
        """Return the number of stacked tensors; ``known``: `sizes`."""
        if side != self._whole:
            return len(sources) // len(self.sides[side])
        return known.get(str(self._stack), (shapes[sources[0]] or (0,))[0])

    def sizes(self, values: Mapping[str, str], side: int, shapes: _Shapes) -> dict[str, int]:
        """Return {symbol: size}; ``shapes`` are those of the whole checkpoint.

        Raises:
            ValueError: if the tensor of a size is missing.
        """
        result = dict(self._sizes)
        for symbol, pair in self._sizes_of.items():
            one, axis = pair[side]
            name = str(one.fill(values))
            if axis >= len(shapes.get(name, ())):
                raise ValueError(f"{self.place} needs the size of axis {axis} of {name}, which is not there")
            result[symbol] = shapes[name][axis]
        return result

    def _fill(self, name: Name, values: Mapping[str, str], number: int = 0) -> str | None:
        return name.fill({**values, self._stack: str(number)} if self._stack else values)

    def _stacked_side(self, place: str) -> int:
        numbered = [{self._stack in name.placeholders for name in side} for side in self.sides]
        if numbered not in ([{True}, {False}], [{False}, {True}]):
            raise ValueError(f"{place}: the names of one side must have the number {self._stack!r} of 'stack'")
        return int(numbered[0] == {True})

    def twin(self, name: str, side: int) -> str | None:
        """Return the name of the tensor that a dropped one must be equal to."""
        found = [one.match(name) for one in self.sides[side]] if self._twin else []
        return next((self._twin.fill(values) for values in found if values is not None), None) if self._twin else None

    def describe(self) -> str:
        """Return the changes besides renaming, for the report."""
        count = [len(side) for side in self.sides]
        if self.has_zeros:
            return "with zeros as bias"
        where = self._parts.describe()
        parts = [f"stack {self._stack}"] if self._stack else []
        parts += [f"merge {count[0]} {where}"] * (count[0] > 1) + [f"split into {count[1]} {where}"] * (count[1] > 1)
        return ", ".join(
            parts
            + [f"{key} {self._row[key]}" for key in ("view", "axes", "dtype") if key in self._row]
            + ["one-hot"] * self._is_one_hot
        )

    @property
    def _is_one_hot(self) -> bool:
        return bool(self._row.get("one_hot"))

    @property
    def has_zeros(self) -> bool:
        """True if the second tensor, or the one that is dropped, must be zeros."""
        return bool(self._row.get("zeros"))

    def apply(
        self, tensors: list[torch.Tensor], reverse: bool, sizes: Mapping[str, int] | None = None
    ) -> list[torch.Tensor]:
        """Return the tensors of the other side. ``sizes``: those of `sizes`, if a tensor of the checkpoint has some.

        Raises:
            ValueError: if a shape or a dtype is not as the rule says, or zeros are none.
        """
        sizes = self._sizes if sizes is None else sizes
        if self._view is None:
            return self._unstacked(tensors, reverse, sizes)
        if reverse:
            return [self._view.apply(made, True, sizes) for made in self._unstacked(tensors, True, sizes)]
        return self._unstacked([self._view.apply(tensor, False, sizes) for tensor in tensors], False, sizes)

    def _unstacked(self, tensors: list[torch.Tensor], reverse: bool, sizes: Mapping[str, int]) -> list[torch.Tensor]:
        side = int(reverse)
        if self._stack is None:
            return self._applied(tensors, reverse, sizes)
        if side == self._whole:
            if len({tensor.shape[:1] for tensor in tensors}) > 1 or not tensors[0].dim():
                raise ValueError("the tensors must have the same number of stacked ones")
            rows = list(zip(*(tensor.unbind(0) for tensor in tensors)))
        else:
            rows = list(zip(*[iter(tensors)] * len(self.sides[side])))
        if sizes.get(self._stack, len(rows)) != len(rows):
            raise ValueError(f"there are {len(rows)} tensors of {self._stack!r} instead of {sizes[self._stack]}")
        made = [self._applied(list(row), reverse, sizes) for row in rows]
        if side == self._whole:
            return [tensor for row in made for tensor in row]
        if len({tuple(tensor.shape for tensor in row) for row in made}) > 1:
            raise ValueError(f"the tensors of {self._stack!r} have different shapes")
        return [torch.cat([one.unsqueeze(0) for one in column]) for column in zip(*made)]

    def _applied(self, tensors: list[torch.Tensor], reverse: bool, sizes: Mapping[str, int]) -> list[torch.Tensor]:
        if self.has_zeros and reverse:
            if tensors[1].any():
                raise ValueError("the second must be zeros, since the MindSpore network has none, but has others")
            return tensors[:1]
        if self.has_zeros:
            return [tensors[0], tensors[0].new_zeros(tensors[0].shape[:1])]
        pieces = len(self.sides[0 if reverse else 1])
        if pieces > 1:
            tensors = self._parts.split(tensors[0], pieces, sizes)
        tensors = [self._changed(tensor, reverse, sizes) for tensor in tensors]
        return [self._parts.merge(tensors, sizes)] if pieces == 1 and len(tensors) > 1 else tensors

    def _changed(self, tensor: torch.Tensor, reverse: bool, sizes: Mapping[str, int]) -> torch.Tensor:
        if self._axes is not None:
            tensor = self._axes.apply(tensor, reverse, sizes)
        if self._is_one_hot:
            tensor = _one_hot(tensor) if reverse else _indices(tensor)
        if self._dtypes:
            source, target = reversed(self._dtypes) if reverse else self._dtypes
            if tensor.dtype is not source:
                raise ValueError(f"the dtype must be {source}, but is {tensor.dtype}")
            tensor = tensor.to(target)
        return tensor


def _indices(tensor: torch.Tensor) -> torch.Tensor:
    is_table = tensor.dtype is torch.float32 and tensor.dim() == 2 and 0 < tensor.shape[1] <= tensor.shape[0]
    found = tensor.argmax(-1) if is_table else None
    if found is None or not torch.equal(_one_hot(found), tensor):
        raise ValueError(
            f"the tensor of the shape {tuple(tensor.shape)} must be float32 rows of one 1, with the last column in use"
        )
    return found


def _one_hot(indices: torch.Tensor) -> torch.Tensor:
    if indices.dtype is not torch.int64 or indices.dim() != 1 or not indices.numel() or int(indices.min()) < 0:
        raise ValueError(f"indices must be a list of int64 from 0 on, but are {indices.dtype}, {tuple(indices.shape)}")
    if int(indices.max()) >= indices.numel():
        raise ValueError(f"the largest of {indices.numel()} indices is {int(indices.max())}: no table is so large")
    return torch.nn.functional.one_hot(indices).to(torch.float32)


def _texts(value: Any, key: str, place: str) -> list[str]:
    texts = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) and text for text in texts) or value == []:
        raise ValueError(f"{place}: {key!r} must be a name, a list of names, or null for none, but is {value!r:.200}")
    return texts


def _is_size(value: Any) -> bool:
    return type(value) is int and value > 0


def _pair(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(
            f"'sizes' must give a number from 1 on, or two names with an axis each, but has {value!r:.200}"
        )
    return value


def _size_of(text: Any, side: int, vocabulary: Vocabulary, own: Mapping[str, str]) -> tuple[Name, int]:
    found = _SIZE_OF.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"'sizes' must name a tensor and its axis, as 'name[0]', but has {text!r:.200}")
    return Name(found[1], side, vocabulary, own), int(found[2])


def _symbols(row: Mapping[str, Any], place: str) -> list[str] | None:
    symbols = row.get("parts")
    if symbols is not None and not all(isinstance(symbol, str) and symbol for symbol in symbols):
        raise ValueError(f"{place}: 'parts' must be names of sizes, but are {symbols!r:.200}")
    return symbols


def _dtype(name: Any, place: str) -> torch.dtype:
    if not isinstance(name, str) or name not in _DTYPES:
        raise ValueError(f"{place}: 'dtype' must name two of {', '.join(_DTYPES)}, but has {name!r}")
    return _DTYPES[name]


# --- files ------------------------------------------------------------------------------------------------------------


@dataclass
class RuleFile:
    """Rule file with its included files; ``arithmetic`` are the torch network's differences, for `match_arithmetic`."""

    name: str
    source: str
    target: str
    rules: list[Rule]
    arithmetic: list[dict[str, Any]]
    notes: list[str]
    vocabulary: Vocabulary

    def find(
        self, name: str, side: int, names: Container[str], like: Container[str] | None = None
    ) -> tuple[Rule, int, dict[str, str]] | None:
        """Return the first rule with this name on this side, the index of the name in it, and the values of the
        placeholders; ``names`` are all of them, ``like`` those of the other side, if they are known.
        """
        for rule in self.rules:
            if found := rule.match(name, side, names, like):
                return (rule, *found)
        return None


def available() -> list[str]:
    """Return the names of the rule files that come with the package."""
    return sorted(path.stem for path in _FOLDER.glob("*.json") if not path.stem.startswith("_"))


def read_rules(rules: str | os.PathLike[str] | Mapping[str, Any]) -> RuleFile:
    """Return the rules of a file, of a shipped file by its name, or of such a file's dict.

    Raises:
        ValueError: with the file and the rule, if something in it is wrong, or there is no such file.
    """
    if isinstance(rules, Mapping):
        return _parsed(dict(rules), "the rules", Path(), (), Vocabulary({}, {}))
    if not isinstance(rules, (str, os.PathLike)):
        raise TypeError(f"The 'rules' must be the name of a map, a path or a dict, but got {type(rules)}.")
    return _read(os.fspath(rules), Path(), (), Vocabulary({}, {}))


def _read(name: str, folder: Path, inside: tuple[str, ...], outer: Vocabulary) -> RuleFile:
    """Return the rules of a file. ``outer``: the tables and patterns of the including file, which have priority."""
    shipped = _FOLDER / f"{name}.json"
    path = shipped if os.sep not in name and shipped.is_file() else folder / name
    if str(path) in inside:
        raise ValueError(f"{path} includes itself")
    if not path.is_file():
        raise ValueError(f"There are no rules {name!r}: neither a file nor one of {', '.join(available())}.")
    try:
        return _parsed(
            read_json(str(path)), path.stem if path is shipped else str(path), path.parent, (*inside, str(path)), outer
        )
    except FormatError as error:
        raise ValueError(str(error)) from None


def _parsed(data: dict[str, Any], name: str, folder: Path, inside: tuple[str, ...], outer: Vocabulary) -> RuleFile:
    if not set(data) <= _FILE_KEYS or data.get("version") != _VERSION:
        raise ValueError(
            f"{name} must have 'version' {_VERSION} and none but {sorted(_FILE_KEYS)}, but has the version "
            f"{data.get('version')!r} and {sorted(set(data) - _FILE_KEYS)}"
        )
    kinds = {
        "from": str,
        "to": str,
        "include": list,
        "patterns": dict,
        "tables": dict,
        "sizes": dict,
        "rules": list,
        "arithmetic": list,
        "notes": list,
    }
    for key, kind in kinds.items():
        if not isinstance(data.get(key, kind()), kind):
            raise ValueError(f"{name}: {key!r} must be a JSON {kind.__name__}, but is {data[key]!r:.200}")
    if not all(isinstance(other, str) for other in data.get("include", [])):
        raise ValueError(f"{name}: 'include' must be a list of names, but is {data['include']!r:.200}")
    if wrong := [symbol for symbol, size in data.get("sizes", {}).items() if not _is_size(size)]:
        raise ValueError(
            f"{name}: the size {wrong[0]!r} must be a number from 1 on, but is {data['sizes'][wrong[0]]!r}"
        )
    own = Vocabulary(
        {**_tables(data, name), **outer.tables},
        {**_patterns(data, name), **outer.patterns},
        {**data.get("sizes", {}), **outer.sizes},
    )
    included = [_read(other, folder, inside, own) for other in data.get("include", [])]
    words = [*(one.vocabulary for one in included), own]
    vocabulary = Vocabulary(
        {word: table for one in words for word, table in one.tables.items()},
        {word: pattern for one in words for word, pattern in one.patterns.items()},
        {word: size for one in words for word, size in one.sizes.items()},
    )
    rules = [Rule(row, f"rule {number} of {name}", vocabulary) for number, row in enumerate(data.get("rules", []), 1)]
    return RuleFile(
        name,
        data.get("from", ""),
        data.get("to", ""),
        rules + [rule for one in included for rule in one.rules],
        data.get("arithmetic", []) + [item for one in included for item in one.arithmetic],
        data.get("notes", []),
        vocabulary,
    )


def _patterns(data: dict[str, Any], name: str) -> dict[str, str]:
    patterns: dict[str, str] = data.get("patterns", {})
    for word, value in patterns.items():
        if not isinstance(value, str):
            raise ValueError(f"{name}: the pattern {word!r} must be a text, but is {value!r:.200}")
    return patterns


def _tables(data: dict[str, Any], name: str) -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = data.get("tables", {})
    for word, value in tables.items():
        if (
            not isinstance(value, dict)
            or not all(isinstance(text, str) for text in value.values())
            or len(set(value.values())) != len(value)
        ):
            raise ValueError(
                f"{name}: the table {word!r} must give a text of its own for each text, so that there is a way back, "
                f"but is {value!r:.200}"
            )
    return tables
