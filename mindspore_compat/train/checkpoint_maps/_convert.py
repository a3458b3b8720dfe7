"""Conversion of whole checkpoints by a rule file, and its report."""

from __future__ import annotations

import functools
import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._checkpoint.folders import open_checkpoint
from mindspore_compat.train._checkpoint.lazy import LazyTensor, as_lazy, computed, is_equal, part_of
from mindspore_compat.train._checkpoint.new_files import write_values
from mindspore_compat.train._torch.names import nearest
from mindspore_compat.train.checkpoint_maps._rules import Group, Rule, RuleFile, read_rules

_SHOWN = 20  # names in a message


@dataclass
class Converted:
    """Checkpoint under new names; ``report``: the result for each name, as JSON."""

    lazy: dict[str, LazyTensor]
    report: dict[str, Any]

    @functools.cached_property
    def values(self) -> dict[str, torch.Tensor]:
        """{name: tensor}, read or computed on first use."""
        return {name: value.tensor() for name, value in self.lazy.items()}


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
        source: a ``.ckpt``, ``.safetensors``, ``.pt``, ``.pth`` or ``.bin`` file (torch's are read as tensors only), a
            folder of them, or {name: tensor}.
        rules: the name of a shipped map (`available`), a rule file, or the dict of one.
        target: the new file, of the kind that its name ends with, or the new folder of safetensors; None: only return
            the values.
        reverse: from the names of the side "to" to those of the side "from".
        like: the network that is to load the result, or a checkpoint of it: names and shapes are then compared, and the
            order is its order.
        partial: leave out what no rule knows, and what ``like`` has not; the report lists it.

    Raises:
        ValueError: if the rules or a file cannot be read, a tensor has no rule or not the shape that it asks for, two
            tensors get the same name, the way back from a new name would not lead to the old one, or the result is not
            ``like``. TypeError: for other arguments.
    """
    name = None if isinstance(source, Mapping) else _path(source, "source")
    values = dict(source) if isinstance(source, Mapping) else open_checkpoint(str(name)).values
    done = convert_values(values, rules, reverse, like, partial)
    done.report.update({"in": name, "out": None if target is None else os.fspath(target)})
    if target is not None:
        write_values(done.lazy, _path(target, "target"), "ms" if reverse else "pt")
    return done


def convert_values(values: Mapping[str, Any], rules: Any, reverse: bool, like: Any, partial: bool) -> Converted:
    """Return {name: LazyTensor} of {name: tensor or LazyTensor}, as `convert_checkpoint`; nothing is computed yet but
    where shapes depend on values.
    """
    file = read_rules(rules)
    values = {name: as_lazy(value) if isinstance(value, torch.Tensor) else value for name, value in values.items()}
    shapes = {name: tuple(getattr(value, "shape", ())) for name, value in values.items()}
    groups, dropped, unmatched = _groups(shapes, file, int(reverse), None if like is None else _shapes(like))
    if unmatched and not partial:
        raise ValueError(
            f"{len(unmatched)} names have no rule in {file.name}: {_some(unmatched)}. Is it the map of this network, "
            "and the "
            "direction? partial=True (--partial) leaves them out."
        )
    _check_twins(dropped, values, int(reverse))
    result, rows = _applied(groups, values, reverse)
    report: dict[str, Any] = {
        "in": None,
        "out": None,
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
        raise ValueError(f"nothing is left by the rules {file.name}")
    return Converted(result, report)


def _applied(
    groups: list[Group], values: Mapping[str, Any], reverse: bool
) -> tuple[dict[str, LazyTensor], list[dict[str, Any]]]:
    """Return ({new name: tensor}, the report's row for each group)."""
    result: dict[str, LazyTensor] = {}
    rows = []
    for group in groups:
        tensors = [_tensor(name, values[name]) for name in group.sources]
        try:
            made = _planned(group, tensors, reverse)
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


def _planned(group: Group, sources: list[LazyTensor], reverse: bool) -> list[LazyTensor]:
    """Return the results of a rule, by applying it to shapes; where it depends on values it is applied to them."""
    try:
        with _CatOfShapes():
            made = group.apply([source.meta for source in sources], reverse)
    except RuntimeError:  # of tensors without values
        made = [one.to("meta") for one in group.apply([source.tensor() for source in sources], reverse)]
    kinds = {(source.tensor_type, source.dtype) for source in sources}
    result = []
    for place, one in enumerate(made):
        parent = next((source for source in sources if one is source.meta or one._base is source.meta), None)
        if parent is not None and one.is_contiguous():  # a piece of one source, as it is in the file
            result.append(parent if one is parent.meta else part_of(parent, one.storage_offset(), one))
            continue
        kind = next((kind for kind, dtype in kinds if len(kinds) == 1 and dtype is one.dtype), None)

        def load(place: int = place) -> torch.Tensor:
            return group.apply([source.tensor() for source in sources], reverse)[place]

        result.append(computed(one, load, kind))
    return result


def _path(value: Any, what: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(
            f"For 'convert_checkpoint', the {what!r} must be a path{' or a dict' * (what == 'source')}, not "
            f"{type(value)}."
        )
    return os.fspath(value)


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _tensor(name: str, value: Any) -> LazyTensor:
    if not isinstance(value, LazyTensor):
        raise TypeError(f"The value {name!r} is {type(value).__name__}, no tensor: drop it by a rule with 'to': null.")
    return value


class _CatOfShapes(TorchFunctionMode):
    """Concatenation of tensors on the device "meta", for which torch itself imports sympy: a second, and 70 MiB."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not torch.cat or kwargs or len(args) != 2:
            return func(*args, **(kwargs or {}))
        first, axis = args[0][0], args[1]
        shape = [*first.shape[:axis], sum(one.shape[axis] for one in args[0]), *first.shape[axis + 1 :]]
        return first.new_empty(shape, dtype=functools.reduce(torch.promote_types, (one.dtype for one in args[0])))


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
        if rule.has_zeros and _tensor(name, values[name]).tensor().any():
            raise ValueError(f"{name!r} is dropped by {rule.place}, since the other network has none: it must be zeros")
        twin = rule.twin(name, side)
        if twin is not None and (
            twin not in values or not is_equal(_tensor(name, values[name]), _tensor(twin, values[twin]))
        ):
            raise ValueError(
                f"{name!r} is dropped by {rule.place} as the same as {twin!r}, "
                f"which {'has other values' if twin in values else 'is not there'}: the other network shares the two"
            )


# --- the target network -----------------------------------------------------------------------------------------------


def _as_like(
    result: dict[str, LazyTensor], like: Any, file: RuleFile, side: int, partial: bool, report: dict[str, Any]
) -> dict[str, LazyTensor]:
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
        else open_checkpoint(os.fspath(like)).values
    )
    return {name: tuple(value.shape) for name, value in values.items() if isinstance(value, (torch.Tensor, LazyTensor))}
