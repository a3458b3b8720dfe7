"""Conversion of whole checkpoints by a rule file, and its report."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._checkpoint.files import read_values, write_values
from mindspore_compat.train._torch.names import nearest
from mindspore_compat.train.checkpoint_maps._rules import Group, Rule, RuleFile, read_rules

__all__ = ["Converted", "convert_checkpoint"]

_SHOWN = 20  # names in a message


@dataclass
class Converted:
    """``values`` {name: tensor} under the new names; ``report``: the result for each name, as JSON."""

    values: dict[str, torch.Tensor]
    report: dict[str, Any]


def convert_checkpoint(
    source: str | os.PathLike[str] | Mapping[str, Any],
    rules: str | os.PathLike[str] | Mapping[str, Any],
    target: str | os.PathLike[str] | None = None,
    *,
    reverse: bool = False,
    like: Any = None,
    partial: bool = False,
) -> Converted:
    """Return a checkpoint of the one network as one of the other.

    Args:
        source: a ``.ckpt``, ``.safetensors``, ``.pt``, ``.pth`` or ``.bin`` file (torch's are read as tensors only), or
            {name: tensor}.
        rules: the name of a shipped map (`available`), a rule file, or the dict of one.
        target: the new file, of the kind that its name ends with; None: only return the values.
        reverse: from the names of the side "to" to those of the side "from".
        like: the network that is to load the result, or a checkpoint of it: names and shapes are then compared, and the
            order is its order.
        partial: leave out what no rule knows, and what ``like`` has not; the report lists it.

    Raises:
        ValueError: if the rules or a file cannot be read, a tensor has no rule or not the shape that it asks for, two
            tensors get the same name, the way back from a new name would not lead to the old one, or the result is not
            ``like``. TypeError: for other arguments.
    """
    file = read_rules(rules)
    name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    values = dict(source) if isinstance(source, Mapping) else read_values(_path(source, "source"))
    shapes = {key: tuple(getattr(value, "shape", ())) for key, value in values.items()}
    groups, dropped, unmatched = _groups(shapes, file, int(reverse), None if like is None else _shapes(like))
    if unmatched and not partial:
        raise ValueError(
            f"{len(unmatched)} names have no rule in {file.name}: {_some(unmatched)}. Is it the map of this network "
            "and in this direction? With partial=True (--partial) they are left out."
        )
    _check_twins(dropped, values, int(reverse))
    result, rows = _applied(groups, values, reverse)
    report: dict[str, Any] = {
        "in": name,
        "out": None if target is None else os.fspath(target),
        "rules": file.name,
        "direction": "reverse" if reverse else "forward",
        "matched": rows,
        "tensors": len(rows),
        "elements": sum(tensor.numel() for tensor in result.values()),
        "dropped": [{"name": name, "rule": rule.place} for name, rule in dropped],
        "unmatched": unmatched,
    }
    if like is not None:
        result = _as_like(result, like, file, int(not reverse), partial, report)
    if not result:
        raise ValueError(f"nothing is left of {name or 'the source'} by the rules {file.name}")
    if target is not None:
        write_values(result, _path(target, "target"), metadata_format="ms" if reverse else "pt")
    return Converted(result, report)


def _applied(
    groups: list[Group], values: dict[str, Any], reverse: bool
) -> tuple[dict[str, torch.Tensor], list[dict[str, Any]]]:
    """Return ({new name: tensor}, the report's row for each group)."""
    result: dict[str, torch.Tensor] = {}
    rows = []
    for group in groups:
        tensors = [_tensor(name, values[name]) for name in group.sources]
        try:
            made = group.apply(tensors, reverse)
        except ValueError as error:
            raise ValueError(f"{_some(group.sources)} ({group.rule.place}): {error}") from None
        result.update(zip(group.targets, made))
        rows.append(
            {
                "from": group.sources,
                "to": group.targets,
                "shapes": [list(tensor.shape) for tensor in made],
                "rule": group.rule.place,
                "change": group.rule.describe(),
            }
        )
    return result, rows


def _path(value: Any, what: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(
            f"For 'convert_checkpoint', the argument {what!r} must be a path{' or a dict' * (what == 'source')}, "
            f"but got {type(value).__name__}."
        )
    return os.fspath(value)


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _tensor(name: str, value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError(
            f"The value {name!r} is {type(value).__name__}; tensors are converted. Drop it by a rule with 'to': null."
        )
    return plain(value).detach()


# --- names ------------------------------------------------------------------------------------------------------------


def _groups(
    shapes: Mapping[str, tuple[int, ...]], file: RuleFile, side: int, like: Container[str] | None = None
) -> tuple[list[Group], list[tuple[str, Rule]], list[str]]:
    """Return (groups of names, (name, rule) of dropped ones, names without a rule). ``shapes``: {name: shape}.

    Raises:
        ValueError: if a part of what is to be merged is missing, two get the same name, or there is no way back.
    """
    found_parts: dict[tuple[int, tuple[tuple[str, str], ...]], tuple[Rule, dict[str, str], dict[int, str]]] = {}
    dropped, unmatched = [], []
    for name in shapes:
        found = file.find(name, side, shapes, like)
        if found is None:
            unmatched.append(name)
        elif found[0].is_drop:
            dropped.append((name, found[0]))
        else:
            rule, place, values = found
            parts = found_parts.setdefault((id(rule), rule.key(values)), (rule, values, {}))[2]
            position = rule.position(place, values, side)
            if position in parts:
                raise ValueError(f"{rule.place} takes both {parts[position]!r} and {name!r} for the same")
            parts[position] = name
    groups = [_group(*parts, shapes, side) for parts in found_parts.values()]
    made: dict[str, str] = {}
    for group in groups:
        sources = _some(group.sources)
        for name in group.targets:
            if name in made:
                raise ValueError(f"both {made[name]!r} and {sources!r} become {name!r}: rules {file.name}")
            made[name] = sources
    for group in groups:
        _check_way_back(group, file, side, made, shapes)
    return groups, dropped, unmatched


def _group(
    rule: Rule, values: dict[str, str], parts: dict[int, str], shapes: Mapping[str, tuple[int, ...]], side: int
) -> Group:
    size = len(rule.sides[side])
    expected = -(-(len(parts) if len(parts) > max(parts) else len(parts) + 1) // size) * size
    missing = [rule.names(values, side, expected // size)[place] for place in range(expected) if place not in parts]
    if missing:
        raise ValueError(
            f"{rule.place} needs {_some(missing)} beside {_some([parts[place] for place in sorted(parts)])}"
        )
    sources = [parts[place] for place in range(expected)]
    sizes = rule.sizes(values, side, shapes)
    return Group(rule, values, sources, rule.names(values, 1 - side, rule.count(sources, side, shapes, sizes)), sizes)


def _check_way_back(group: Group, file: RuleFile, side: int, made: Mapping[str, str], sources: Container[str]) -> None:
    for number, name in enumerate(group.targets):
        back = file.find(name, 1 - side, made, sources)
        if (
            back is None
            or back[0] is not group.rule
            or group.rule.position(*back[1:], 1 - side) != number
            or group.rule.key(back[2]) != group.rule.key(group.values)
        ):
            raise ValueError(
                f"{group.rule.place} makes {name!r} of {_some(group.sources)}, but on the way back that name belongs "
                f"to {back[0].place if back else 'no rule'}: put the narrower rule first, or say what stands 'beside'"
            )


def _check_twins(dropped: list[tuple[str, Rule]], values: Mapping[str, Any], side: int) -> None:
    """Raise ValueError if a tensor dropped as a second name of another tensor, or as zeros, is not equal to it."""
    for name, rule in dropped:
        if rule.has_zeros and _tensor(name, values[name]).any():
            raise ValueError(f"{name!r} is dropped by {rule.place}, since the other network has none: it must be zeros")
        twin = rule.twin(name, side)
        if twin is not None and (
            twin not in values or not torch.equal(_tensor(name, values[name]), _tensor(twin, values[twin]))
        ):
            raise ValueError(
                f"{name!r} is dropped by {rule.place} as the same as {twin!r}, "
                f"which {'has other values' if twin in values else 'is not there'}: the other network shares the two"
            )


# --- the target network -----------------------------------------------------------------------------------------------


def _as_like(
    result: dict[str, torch.Tensor], like: Any, file: RuleFile, side: int, partial: bool, report: dict[str, Any]
) -> dict[str, torch.Tensor]:
    """Return the result in the order of ``like``, without names missing there; differences go to the report."""
    expected = _shapes(like)
    missing = [name for name in expected if name not in result]
    own = [name for name in missing if (found := file.find(name, side, expected, result)) and found[0].is_drop]
    missing = [name for name in missing if name not in own]
    extra = [name for name in result if name not in expected]
    shapes = [
        {"name": name, "shape": list(tensor.shape), "like": list(expected[name])}
        for name, tensor in result.items()
        if name in expected and tuple(tensor.shape) != expected[name]
    ]
    report["like"] = {"missing": missing, "extra": extra, "shapes": shapes, "made by the network": own}
    if shapes or (not partial and (missing or extra)):
        unused = {key: result[key] for key in extra}
        close = [f"{name} (nearest: {', '.join(nearest(name, expected[name], unused)) or 'none'})" for name in missing]
        lines = [f"{row['name']} has the shape {row['shape']} instead of {row['like']}" for row in shapes]
        raise ValueError(
            "The result is not like the network that is to load it. "
            + "; ".join(
                [f"missing: {_some(close)}"] * bool(missing)
                + [f"unknown there: {_some(extra)}"] * bool(extra)
                + lines[:_SHOWN]
            )
        )
    return {name: result[name] for name in expected if name in result}


def _shapes(like: Any) -> dict[str, tuple[int, ...]]:
    if isinstance(like, Cell):
        return {parameter.name: tuple(parameter.shape) for parameter in like.get_parameters()}
    values = (
        like.state_dict()
        if isinstance(like, torch.nn.Module)
        else like
        if isinstance(like, Mapping)
        else read_values(os.fspath(like))
    )
    return {name: tuple(value.shape) for name, value in values.items() if isinstance(value, torch.Tensor)}
