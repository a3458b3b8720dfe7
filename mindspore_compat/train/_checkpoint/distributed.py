"""The values of `load_distributed_checkpoint`: from the checkpoints of all ranks, or from unified safetensors. And
MindSpore's ``get_ckpt_path_with_strategy``.
"""

from __future__ import annotations

import logging
import os
import re
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._format.source import read_json
from mindspore_compat.communication.management import get_rank
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.folders import HYPER, MAP
from mindspore_compat.train._checkpoint.layouts import (
    device_num,
    divisible_shape,
    layouts_of,
    local_layouts,
    read_layouts,
)
from mindspore_compat.train._checkpoint.reading import as_parameter, read_values
from mindspore_compat.train._checkpoint.transform import transformed
from mindspore_compat.train._checkpoint.unified import SafetensorsFiles

_log = logging.getLogger("mindspore_compat")
_WHERE = "load_distributed_checkpoint"


def merged_values(
    network: Cell, names: list[str], strategy: Any, train_strategy: str | None, cipher: tuple[bytes | None, str]
) -> dict[str, Any]:
    """Return {name: this rank's part} of the network's Parameters from the files of all ranks; ``cipher``: key and
    mode of encrypted files.
    """
    if train_strategy is None:
        train_strategy = context.get_auto_parallel_context("strategy_ckpt_load_file") or None
    source, target = read_layouts(train_strategy), layouts_of(strategy, _WHERE)
    if len(names) != device_num(source):
        raise ValueError(
            f"For '{_WHERE}', 'checkpoint_filenames' must have a file for each device of the training, "
            f"{device_num(source)}, but has {len(names)} ('train_strategy_filename' is {train_strategy!r})."
        )
    values: dict[str, dict[int, Any]] = {}
    for number, name in enumerate(names):
        for key, value in read_values(name, "ckpt", *cipher)[0].items():
            values.setdefault(key, {})[number] = value
    wanted = {parameter.name for parameter in network.get_parameters()}
    for names_there in (source, target):
        wanted &= set(wanted if names_there is None else names_there)
    known = {name: slices for name, slices in values.items() if name in wanted}
    missing = sorted(parameter.name for parameter in network.get_parameters() if parameter.name not in known)
    if missing:
        _log.warning("%s: no checkpoint or strategy has these Parameters: %s", _WHERE, ", ".join(missing))
    merged = transformed(get_rank() if target else 0, known, source, target) if known else []
    return {item["name"]: item["data"] for item in merged}


def _places(folder: str, reader: SafetensorsFiles) -> dict[str, str]:
    """Return {name: path} of the map file, or of the only file."""
    names = [name for name in os.listdir(folder) if name.endswith(".safetensors")] if os.path.isdir(folder) else []
    if len(names) == 1 and names != [HYPER]:
        path = os.path.join(folder, names[0])
        return dict.fromkeys(reader.open(path)[1], path)
    map_path = os.path.join(folder, MAP)
    if not os.path.isfile(map_path):
        raise ValueError(
            f"For '{_WHERE}', the 'unified_safetensors_dir' {folder} must be a folder that "
            "mindspore.parallel.unified_safetensors made."
        )
    try:
        found = read_json(map_path)
        return {
            name: os.path.join(folder, os.path.basename(part)) for name, part in found.get("weight_map", found).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"For '{_WHERE}', the file {map_path} is damaged: {error}.") from None


def unified_values(
    folder: str, layouts: dict[str, TensorLayout] | None, rank: int, name_map: dict[str, str]
) -> dict[str, torch.Tensor]:
    """Return {name: Parameter} of a rank: its slices, under the names of the network."""
    _, local = local_layouts(rank, None, layouts)
    renamed = {old: new for new, old in name_map.items()}
    result: dict[str, torch.Tensor] = {}
    reader = SafetensorsFiles()
    for listed, path in _places(folder, reader).items():
        name = renamed.get(listed, listed)
        stored = name_map.get(name, name)
        there = reader.open(path)[1]
        if stored not in there or (local is not None and name not in local):
            continue
        value = there[stored]
        data = value.read(0, value.numel()).view(value.shape) if local is None else value.tensor()
        if local is not None:
            box = local[name].box(rank % device_num(layouts), value.shape, f"parameter {name!r}")
            data = data[tuple(slice(*part) for part in box)].clone()
        result[name] = as_parameter(data, name, value.tensor_type)
    hyper = os.path.join(folder, HYPER)
    if os.path.isfile(hyper):
        for name, value in reader.open(hyper)[1].items():
            if name not in result:
                result[name] = as_parameter(value.read(0, value.numel()).view(value.shape), name, value.tensor_type)
    return result


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """Return the checkpoint of this rank, or of one with the same contents: a path with ``rank_N`` in it, with the
    number replaced.

    Args:
        cur_strategy_path: strategy file of the training.

    Returns:
        The first file that exists, this rank's first; None if there is none.
    """
    rank = get_rank()
    if f"rank_{rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    layouts = read_layouts(cur_strategy_path) or {}
    different = {layout for name, layout in layouts.items() if not name.startswith(("accu_grads", "inputs"))}
    groups = [set(_same_slice(layout, rank)) for layout in different]
    equal = min(groups, key=len, default={rank})
    if not all(equal <= group for group in groups):
        equal = {rank}
    paths = (re.sub(r"rank_\d+", f"rank_{number}", cur_ckpt_path) for number in sorted(equal))
    return next((path for path in paths if os.path.isfile(path)), None)


def _same_slice(layout: TensorLayout, rank: int) -> list[int]:
    """Return the ranks of this rank's stage that hold the same part."""
    count = layout.device_num
    shape = divisible_shape(layout, layout)
    own = layout.box(rank % count, shape)
    return [rank // count * count + number for number in range(count) if layout.box(number, shape) == own]
