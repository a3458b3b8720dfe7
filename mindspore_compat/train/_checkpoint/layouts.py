"""Layouts from strategy files: the slice of each parameter on a rank."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

from mindspore_compat._api.validate import check_type
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.strategy import build_searched_strategy

Layouts = dict[str, TensorLayout]
_OF_STAGE = re.compile(r"([0-9]{1,9})-(.*)", re.DOTALL)
#: maximum of computed slices of all layouts, about five seconds
_MOST_PLACES = 1 << 19


def _tensor_map(maps: Any) -> tuple[tuple[int, ...], ...]:
    if len(maps) > 1:  # one message for each axis that several device axes cut
        return tuple(tuple(item.dim) for item in maps if item.dim)
    return tuple((number,) for number in maps[0].dim)


def as_layouts(strategy: dict[str, Any]) -> dict[str, TensorLayout]:
    """Return {name: TensorLayout} of {name: ParallelLayouts}; the stages of a name ``STAGE-NAME`` are combined, with
    the layout of the first.

    Raises:
        ValueError: if something is missing in a layout, or the layouts are no layouts, or too large to be worked out.
    """
    firsts: dict[str, TensorLayout] = {}
    stages: dict[str, list[int]] = {}
    for full_name, item in strategy.items():
        stage_and_name = _OF_STAGE.fullmatch(full_name)
        stage, name = (int(stage_and_name[1]), stage_and_name[2]) if stage_and_name else (0, full_name)
        try:
            layout = TensorLayout(
                tuple(item.dev_matrix[0].dim),
                _tensor_map(item.tensor_map),
                item.opt_weight_shard_size if item.opt_weight_shard_step or item.opt_weight_shard_size == -1 else 0,
                tuple(item.param_split_shape[0].dim) if item.param_split_shape else (),
                item.field,
                (stage,),
            )
        except (AttributeError, IndexError) as error:
            raise ValueError(f"The layout of {full_name!r} in the strategy is not complete: {error}.") from None
        layout.check(f"The layout of {full_name!r} in the strategy")
        stages.setdefault(name, []).append(stage)
        if name not in firsts or stage < firsts[name].stages[0]:
            firsts[name] = layout
    result = {name: replace(layout, stages=tuple(stages[name])) for name, layout in firsts.items()}
    places = sum(layout.device_num for layout in set(result.values()))
    if places > _MOST_PLACES:
        raise ValueError(f"The layouts have {places} places of slices, more than the limit, {_MOST_PLACES}.")
    return result


def read_layouts(source: str | dict[str, Any] | None) -> dict[str, TensorLayout] | None:
    """Return the layouts of a strategy file, or of the result of `build_searched_strategy`; None for None.

    Raises:
        TypeError, ValueError: as `build_searched_strategy` and `as_layouts`, with the file.
    """
    if source is None or isinstance(source, dict):
        return None if source is None else as_layouts(source)
    try:
        return as_layouts(build_searched_strategy(source) or {})
    except ValueError as error:
        raise error if str(source) in str(error) else ValueError(f"{error} It is that of the file {source}.") from None


def checked_strategy(name: Any, argument: str) -> Layouts | None:
    if isinstance(name, str) and os.path.dirname(name) and not os.path.isdir(os.path.dirname(name)):
        raise ValueError(f"The folder of '{argument}' does not exist: {os.path.dirname(name)}.")
    return read_layouts(name)


def layouts_of(strategy: Any, where: str) -> Layouts | None:
    """Return the layouts of {name: [dev_matrix, tensor_map, split shape, field, ...]}, or of `read_layouts`' argument.

    Raises:
        TypeError, ValueError: if it is neither.
    """
    if strategy is None or isinstance(strategy, str):
        return read_layouts(strategy)
    check_type(strategy, "predict_strategy", dict, where)
    if strategy and not any(isinstance(item, (list, tuple)) for item in strategy.values()):
        return read_layouts(strategy)
    result = {}
    for name, item in strategy.items():
        if not isinstance(name, str) or not isinstance(item, (list, tuple)) or len(item) < 4:
            raise ValueError(
                f"For '{where}', the layout {name!r} in 'predict_strategy' must be a list [dev_matrix, tensor_map, "
                f"param_split_shape, field, ...], but got {item!r}."
            )
        result[name] = TensorLayout(
            tuple(item[0]), tuple(tuple(axes) if isinstance(axes, (list, tuple)) else (axes,) for axes in item[1])
        )
        result[name].check(f"For '{where}', the layout of {name!r}")
    return result


def device_num(layouts: Layouts | None) -> int:
    """Return the devices of a stage."""
    if layouts is None:
        return 1
    if not layouts:
        raise ValueError("The strategy file has no layouts.")
    return next(iter(layouts.values())).device_num


def stage_num(layouts: Layouts | None) -> int:
    stages = {stage for layout in (layouts or {}).values() for stage in layout.stages} or {0}
    if sorted(stages) != list(range(len(stages))):
        raise ValueError(f"The strategy has stages {sorted(stages)} only: use 'merge_pipeline_strategys'.")
    return len(stages)


def local_layouts(rank: int, source: Layouts | None, target: Layouts | None) -> tuple[Layouts | None, Layouts | None]:
    """Return the layouts of the values in the target rank's stage."""
    if target is None:
        return source, None
    stage = rank // device_num(target)
    kept = {name: layout for name, layout in target.items() if stage in layout.stages}
    if source is not None:
        source = {name: layout for name, layout in source.items() if name in kept or name not in target}
    return source, kept


def divisible_shape(a: TensorLayout, b: TensorLayout) -> tuple[int, ...]:
    """Return a shape that both layouts can cut; the overlap of ranks does not depend on it."""
    return (a.device_num * b.device_num,) * max(len(a.tensor_map), 1)
