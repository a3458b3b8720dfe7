"""Strategy and group files: the cuts of parameters. MindSpore: ``mindspore.parallel`` (functions of these names)."""

from __future__ import annotations

import glob
import json
import os
from typing import Any

from mindspore_compat._api.validate import check_type
from mindspore_compat._format import strategy as codec
from mindspore_compat._format.source import parse_json, read_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically

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
