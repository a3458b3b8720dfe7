"""Transformation of checkpoints between numbers of devices. MindSpore: ``mindspore.parallel`` (functions of these
names).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.parallel import _layout
from mindspore_compat.parallel._layout import REPLICATED
from mindspore_compat.train._checkpoint.entries import FORMATS
from mindspore_compat.train._checkpoint.folders import rank_files
from mindspore_compat.train._checkpoint.reading import read_values
from mindspore_compat.train._checkpoint.strategy import (
    Layouts,
    as_layouts,
    checked_strategy,
    device_num,
    divisible_shape,
    first_stage_of,
    local_layouts,
    read_layouts,
    stage_num,
)
from mindspore_compat.train._checkpoint.writing import checked_plan

_MOST_PLACES = 1 << 20  # of slices compared with a rank's needs
_STATES = ("accu_grads", "adam_v", "adam_m")


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: dict[str, Any] | None = None) -> Parameter:
    """Return one Parameter from its slices, in the order of the ranks; without a strategy they are concatenated on axis
    0.

    Args:
        strategy: what `build_searched_strategy` returns.

    Raises:
        ValueError: if they or the strategy do not fit. KeyError: if the strategy lacks the name.
    """
    where = "merge_sliced_parameter"
    first = sliced_parameters[0]
    for index, item in enumerate(sliced_parameters):
        if (item.name, item.dim(), item.shape[1:]) != (first.name, first.dim(), first.shape[1:]):
            raise ValueError(
                f"For '{where}', the slices must have one name and differ in axis 0 only: the first is {first.name} "
                f"of {first.shape}, but got {item.name} of {item.shape} at index {index}."
            )
    data = [plain(item).detach() for item in sliced_parameters]
    if not strategy:
        merged = torch.cat(data)
    else:
        layout = as_layouts({first.name: strategy[first.name]}).popitem()[1]
        if len(data) != layout.device_num:
            raise ValueError(f"For '{where}', there are {len(data)} slices for {layout.device_num} devices.")
        if not layout.split_shape and any(item.shape != first.shape for item in sliced_parameters):
            raise ValueError(f"For '{where}', the slices must have one shape when the strategy cuts evenly.")
        merged = _layout.merge(data, layout, first.name)
    return Parameter(merged, first.name, first.requires_grad, first.layerwise_parallel)


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the source ranks whose checkpoints a target rank's needs, largest first.

    Args:
        src_strategy_file, dst_strategy_file: strategy files; None: the network is not cut.

    Raises:
        TypeError, ValueError: for a wrong strategy file, or one without layouts for the rank.
    """
    if src_strategy_file is None:
        return [0]
    whole = read_layouts(src_strategy_file)
    source, target = local_layouts(rank_id, whole, read_layouts(dst_strategy_file))
    if not source:
        raise ValueError(f"The strategy file {src_strategy_file} has no layouts for rank {rank_id}.")
    local = rank_id % device_num(target) if target else rank_id
    stages = {stage for layout in source.values() for stage in layout.stages}
    pairs = {
        (layout, target[name] if target else REPLICATED)
        for name, layout in source.items()
        if target is None or name in target
    }
    if sum(old.device_num for old, _ in pairs) > _MOST_PLACES:
        raise ValueError(
            f"The strategies {src_strategy_file} and {dst_strategy_file} have too many different layouts and devices."
        )
    here: set[int] = set()
    for old, new in pairs:
        shape = divisible_shape(old, new)
        here |= set(_layout.needed_ranks(new.box(local, shape), old, shape, local))
    count = device_num(source)
    return sorted((stage * count + rank for stage in stages for rank in here), reverse=True)


def transformed(
    rank: int, values: dict[str, dict[int, Parameter]], source: Layouts | None, target: Layouts | None
) -> list[dict[str, Any]]:
    """Return [{name, data}] of a target rank's checkpoint from {name: {source rank: slice}}."""
    found: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, slices in values.items():
        first = next(iter(slices.values()))
        old, new = (REPLICATED if layouts is None else layouts.get(name) for layouts in (source, target))
        if isinstance(first, (str, list)) or old is None or new is None:
            others[name] = slices.get(rank % device_num(source or None), first)
            continue
        data = {number: plain(item).detach() for number, item in slices.items()}
        shape = old.full_shape(next(iter(data.values())).shape)
        box = new.box(rank, shape, f"parameter {name!r}")
        whole = _layout.assemble(box, data, old, shape, f"the parameter {name!r}")
        found[name] = Parameter(whole, name, first.requires_grad, first.layerwise_parallel)
    if not found:
        raise ValueError("No parameter of the checkpoint files is in both the source and the target strategy.")
    return [{"name": name, "data": value} for name, value in {**found, **others}.items()]


def _load_slices(files: dict[int, str], device_num: int) -> dict[str, dict[int, Any]]:
    values: dict[str, dict[int, Any]] = {}
    for rank, name in files.items():
        for key, value in read_values(name, _format_of(name))[0].items():
            values.setdefault(key, {})[rank % device_num] = value
    return values


def _format_of(name: str) -> str:
    return "safetensors" if name.endswith(".safetensors") else "ckpt"


def _without_other_stages(
    values: dict[str, Any], pairs: Sequence[tuple[Layouts | None, Layouts | None]]
) -> dict[str, Any]:
    """Return the local stage's values: without those that source and target both know, but in other stages only."""
    return {
        name: value
        for name, value in values.items()
        if not all(whole is None or local is None or (name in whole and name not in local) for whole, local in pairs)
        or all(whole is None for whole, _ in pairs)
    }


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint of one target rank.

    Args:
        checkpoint_files_map: {source rank: file} for the ranks that `rank_list_for_transform` returns.
        save_checkpoint_file_name: ends with ``.ckpt``.

    Raises:
        TypeError, ValueError: for wrong arguments, or if a file that is needed is missing.
    """
    all_source, all_target = read_layouts(src_strategy_file), checked_strategy(dst_strategy_file, "dst_strategy_file")
    source, target = local_layouts(rank_id, all_source, all_target)
    values = _load_slices(checkpoint_files_map, device_num(all_source))
    values = _without_other_stages(values, [(all_source, source), (all_target, target)])
    checked_plan(
        transformed(rank_id % device_num(all_target), values, source, target), save_checkpoint_file_name
    ).write()


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write ``DST/rank_N/PREFIX{N}.ckpt`` for every target rank from the last file of each ``SRC/rank_N``.

    Args:
        src_strategy_file, dst_strategy_file: strategy files; None: the network is not cut.
        process_num: without effect, the work is done in this process.
        output_format: "ckpt" or "safetensors".

    Raises:
        TypeError, ValueError, NotADirectoryError: for wrong arguments, or if a file that is needed is missing.
    """
    check_one_of(output_format, "output_format", FORMATS, "transform_checkpoints")
    files = _source_files(src_checkpoints_dir)
    all_source, all_target = (
        checked_strategy(src_strategy_file, "src_strategy_file"),
        checked_strategy(dst_strategy_file, "dst_strategy_file"),
    )
    end = f".{output_format}"
    if _is_one_stage_of(all_source, all_target):
        end = f"_part{first_stage_of(str(src_strategy_file))}{end}"
        all_target = {name: layout for name, layout in (all_target or {}).items() if name in (all_source or {})}
    for rank in range(device_num(all_target) * stage_num(all_target)):
        needed = rank_list_for_transform(rank, src_strategy_file, dst_strategy_file)
        absent = [number for number in needed if number not in files]
        if absent:
            raise ValueError(f"Rank {rank} needs that of rank {absent[0]}, which {src_checkpoints_dir} lacks.")
        source, target = local_layouts(rank, all_source, all_target)
        values = _load_slices({number: files[number] for number in needed}, device_num(all_source))
        values = _without_other_stages(values, [(all_source, source), (all_target, target)])
        folder = os.path.join(os.path.realpath(dst_checkpoints_dir), f"rank_{rank}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        result = transformed(rank % device_num(all_target), values, source, target)
        checked_plan(result, os.path.join(folder, f"{ckpt_prefix}{rank}{end}"), format=output_format).write()


def _source_files(folder: str) -> dict[int, str]:
    """Return {rank: file}: of several ``.ckpt`` of a rank the last by name, of several ``.safetensors`` that of the
    last epoch and step.
    """
    if os.path.isfile(folder) and folder.endswith(".safetensors"):
        return {0: folder}
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise NotADirectoryError(f"For 'transform_checkpoints', the 'src_checkpoints_dir' {folder!r} is no folder.")
    files, others = rank_files(folder, "safetensors"), rank_files(folder, "ckpt", last_by_name=True)
    if bool(files) is bool(others):
        raise ValueError(
            f"For 'transform_checkpoints', 'src_checkpoints_dir' {folder} must have folders rank_0, rank_1, ... with "
            f"either .ckpt or .safetensors files{', not both' if files else ''}."
        )
    return files or others


def _is_one_stage_of(source: Layouts | None, target: Layouts | None) -> bool:
    """Return whether the source is one pipeline stage of the target: its part is written then, under a special name."""
    if not source or not target or stage_num(source) != 1 or stage_num(target) != 1:
        return False
    ours, theirs = ({name for name in layouts if not name.startswith(_STATES)} for layouts in (source, target))
    return ours < theirs


#: the names of 2.10
rank_list_for_convert, convert_checkpoint_by_rank, convert_checkpoints = (
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
