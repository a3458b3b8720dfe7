"""Strategy and group files, and their layouts: the slice of each parameter on a rank. MindSpore: ``mindspore.parallel``
(functions of these names).
"""

from __future__ import annotations

import glob
import json
import os
import re
from dataclasses import replace
from typing import Any

from mindspore_compat._api.validate import check_type
from mindspore_compat._format import strategy as codec
from mindspore_compat._format.source import parse_json, read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.parallel._layout import TensorLayout

_MERGE = "merge_pipeline_strategys"


def read_file(name: Any, where: str, argument: str) -> bytes:
    """Return the bytes of a file that must not be empty; the error names ``argument`` of the function ``where``.

    Raises:
        TypeError: if the name is no str. ValueError: if the file is missing or empty.
    """
    check_type(name, argument, str, where)
    if not os.path.isfile(name):
        raise ValueError(f"For '{where}', there is no such file: {name} (the '{argument}').")
    data = read_regular(name)
    if not data:
        raise ValueError(f"For '{where}', the file {name} is empty (the '{argument}').")
    return data


def _strategy_map(name: str, where: str) -> Any:
    data = read_file(name, where, "strategy_filename")
    try:
        return codec.parse(codec.strategy_messages().ParallelStrategyMap, data, f"the strategy file {name}")
    except FormatError as error:
        raise TypeError(f"For '{where}', {error}. It must be protobuf of MindSpore 1.1 on, or JSON.") from None


def build_searched_strategy(strategy_filename: str | None) -> dict[str, Any] | None:
    """Return {parameter name: ParallelLayouts} of a strategy file (protobuf, or JSON by its name); {} if it has no
    layouts, None for None.

    Raises:
        TypeError: if it is no file name, or no readable protobuf, as MindSpore. ValueError: if it is missing, empty, or
            no readable JSON. All with the name of the file.
    """
    where = "build_searched_strategy"
    if strategy_filename is None:
        return None
    if isinstance(strategy_filename, str) and strategy_filename.endswith(".json"):
        return codec.layouts_of_json(
            read_file(strategy_filename, where, "strategy_filename"), f"the strategy file {strategy_filename}"
        )
    return {
        item.param_name: item.parallel_layouts for item in _strategy_map(strategy_filename, where).parallel_layout_item
    }


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Merge the strategy files of the pipeline stages in a folder into one, with parameters named ``STAGE-NAME``.

    Raises:
        NotADirectoryError: if there is no such folder. ValueError: if it mixes protobuf and JSON, or a file is empty or
            no readable JSON.
        TypeError: if a file is no readable protobuf. OSError: with the name, if the new file cannot be written.
    """
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(f"For '{_MERGE}', the 'src_strategy_dirs' {src_strategy_dirs} is no folder.")
    folder = os.path.dirname(os.path.abspath(dst_strategy_file))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    binary, text = (sorted(glob.glob(os.path.join(src_strategy_dirs, f"*.{end}"))) for end in ("ckpt", "json"))
    if binary and text:
        raise ValueError(f"For '{_MERGE}', the strategy files must be all '.ckpt' or all '.json'.")
    data = _merged_messages(binary).SerializeToString() if binary else json.dumps(_merged_json(text)).encode()
    write_atomically(dst_strategy_file, [data])


def _merged_messages(names: list[str]) -> Any:
    result = codec.strategy_messages().ParallelStrategyMap(current_stage=1)
    seen: set[int] = set()
    for name in names:
        source = _strategy_map(name, _MERGE)
        if not source.parallel_strategy_item or not source.parallel_layout_item:
            raise ValueError(f"For '{_MERGE}', the strategy file {name} is empty.")
        stage = source.parallel_strategy_item[0].parallel_strategys.stage
        if stage in seen:
            continue
        seen.add(stage)
        for item in source.parallel_layout_item:
            item.param_name = f"{stage}-{item.param_name}"
        result.parallel_strategy_item.extend(source.parallel_strategy_item)
        result.parallel_layout_item.extend(source.parallel_layout_item)
    return result


def _merged_json(names: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {"current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {}}
    seen: set[int] = set()
    for name in names:
        source = _json_of(name, _MERGE, "src_strategy_dirs")
        strategies, layouts = source.get("parallel_strategy_item"), source.get("parallel_layout_item")
        if not strategies or not layouts:
            raise ValueError(f"For '{_MERGE}', the strategy file {name} is empty.")
        stage = _stages_of(strategies, name)[0]
        if not isinstance(layouts, dict):
            raise FormatError(f"the strategy file {name} has no layouts as a strategy has them")
        if stage not in seen:
            seen.add(stage)
            result["parallel_strategy_item"].update(strategies)
            result["parallel_layout_item"].update({f"{stage}-{key}": value for key, value in layouts.items()})
    return result


def _json_of(name: str, where: str, argument: str) -> dict[str, Any]:
    """Return the object in a strategy file of JSON."""
    found = parse_json(read_file(name, where, argument), f"the strategy file {name}")
    if not isinstance(found, dict):
        raise FormatError(f"the strategy file {name} is no JSON object")
    return found


def _stages_of(strategies: Any, name: str) -> list[int]:
    """Return the pipeline stage of each operator in a strategy file of JSON."""
    try:
        stages = [item["stage"] for item in strategies.values()]
    except (AttributeError, TypeError, LookupError):
        stages = [None]
    if not all(isinstance(stage, int) for stage in stages):
        raise FormatError(f"the strategy file {name} has operators without a number of their stage")
    return stages


def first_stage_of(name: str) -> int:
    """Return the pipeline stage that wrote a strategy file."""
    if name.endswith(".json"):
        stages = _stages_of(
            _json_of(name, "transform_checkpoints", "src_strategy_file").get("parallel_strategy_item") or {}, name
        )
    else:
        stages = [
            item.parallel_strategys.stage
            for item in _strategy_map(name, "transform_checkpoints").parallel_strategy_item
        ]
    if not stages:
        raise ValueError(f"For 'transform_checkpoints', the strategy file {name} has no strategies.")
    return stages[0]


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Return the ranks with the same checkpoint as the rank that wrote the group file.

    Raises:
        TypeError: if it is no file name. ValueError: if it is missing, empty, or unreadable.
    """
    data = read_file(group_info_file_name, "restore_group_info_list", "group_info_file_name")
    group = codec.parse(codec.strategy_messages().ParallelGroupMap, data, f"the group file {group_info_file_name}")
    return list(group.ckpt_restore_rank_list.dim)


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
