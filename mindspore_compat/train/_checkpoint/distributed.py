"""The checkpoints of all ranks, or a folder of unified safetensors, into a network. MindSpore:
``mindspore.load_distributed_checkpoint`` and similar functions.
"""

from __future__ import annotations

import glob
import logging
import os
import re
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._api.validate import check_str_in, check_type
from mindspore_compat._format.source import read_json
from mindspore_compat.communication.management import get_rank
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.folders import HYPER, MAP
from mindspore_compat.train._checkpoint.into_net import load_param_into_net
from mindspore_compat.train._checkpoint.keys import FORMATS
from mindspore_compat.train._checkpoint.layouts import (
    device_num,
    divisible_shape,
    layouts_of,
    local_layouts,
    read_layouts,
    stage_num,
)
from mindspore_compat.train._checkpoint.load import load_checkpoint
from mindspore_compat.train._checkpoint.reading import as_parameter
from mindspore_compat.train._checkpoint.save import save_checkpoint
from mindspore_compat.train._checkpoint.transform import transformed
from mindspore_compat.train._checkpoint.unified import SafetensorsFiles

__all__ = ["get_ckpt_path_with_strategy", "load_distributed_checkpoint", "load_segmented_checkpoints"]

_log = logging.getLogger("mindspore_compat")
#: format -> arguments of `load_distributed_checkpoint` for the other format
_LEFT_OUT = {
    "ckpt": ("unified_safetensors_dir", "dst_safetensors_dir", "rank_id", "name_map", "return_param_dict"),
    "safetensors": ("checkpoint_filenames", "train_strategy_filename", "dec_key", "strict_load", "dec_mode"),
}


def load_segmented_checkpoints(
    ckpt_file_dir: str,
    net: Any = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Any = None,
) -> dict[str, Any]:
    """Return `load_checkpoint` of every ``.ckpt`` file of a folder, in the order of their names, as one dict.

    Raises:
        TypeError, ValueError: if it is no folder's name; and as `load_checkpoint`.
    """
    check_type(ckpt_file_dir, "ckpt_file_dir", str, "load_segmented_checkpoints")
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(
            f"For 'load_segmented_checkpoints', the argument 'ckpt_file_dir' must be a folder, but got {ckpt_file_dir}."
        )
    result: dict[str, Any] = {}
    for name in filter(os.path.isfile, sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt")))):
        result.update(
            load_checkpoint(name, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
        )
    return result


def load_distributed_checkpoint(
    network: Any,
    checkpoint_filenames: list[str] | None = None,
    predict_strategy: dict[str, Any] | None = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | None = None,
    dst_safetensors_dir: str | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict[str, str] | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load the checkpoints of all ranks of a training, or a folder that `unified_safetensors` made, into a network.

    Args:
        network: a Cell; None with format="safetensors": save what each rank would load.
        checkpoint_filenames: one file for each rank, in their order.
        predict_strategy: how to cut for this rank: {name: [dev_matrix, tensor_map, split shape, field, ...]}, or what
            `build_searched_strategy` takes or returns; None: the network is not cut.
        train_strategy_filename: strategy file of the training; None: the context's ``strategy_ckpt_load_file``.
        strict_load, dec_key, dec_mode: as for `load_checkpoint`.
        format: "ckpt", without the arguments behind it, or "safetensors", without the three rows above.
        unified_safetensors_dir: the folder.
        dst_safetensors_dir, rank_id, output_format: without a network: where to save net.FORMAT, of one rank or all.
        name_map: {name in the network: name in the files}.
        max_process_num: without effect: this process does the work.
        return_param_dict: return {name: Parameter} and load nothing.

    Returns:
        True; of a folder into a network what `load_param_into_net` returns, or the dict.

    Raises:
        TypeError, ValueError: for wrong arguments, or files that are missing or damaged.
    """
    where = "load_distributed_checkpoint"
    check_str_in(format, "format", FORMATS, where)
    check_str_in(output_format, "output_format", FORMATS, where)
    values: tuple[Any, ...] = (
        unified_safetensors_dir,
        dst_safetensors_dir,
        rank_id,
        name_map,
        return_param_dict or None,
    )
    if format == "safetensors":
        mode = None if dec_mode == "AES-GCM" else dec_mode
        values = (checkpoint_filenames, train_strategy_filename, dec_key, strict_load or None, mode)
    given = [name for name, value in zip(_LEFT_OUT[format], values) if value is not None]
    if given:
        raise ValueError(f"For '{where}', {', '.join(map(repr, given))} must be left out when 'format' is {format!r}.")
    if format == "safetensors":
        target = (dst_safetensors_dir, rank_id, output_format)
        return _load_unified(network, unified_safetensors_dir, predict_strategy, target, name_map, return_param_dict)
    cipher = (dec_key, dec_mode)
    return _load_merged(network, checkpoint_filenames, predict_strategy, train_strategy_filename, strict_load, cipher)


def _load_merged(
    network: Any,
    checkpoint_filenames: list[str] | None,
    predict_strategy: Any,
    train_strategy_filename: str | None,
    strict_load: bool,
    cipher: tuple[bytes | None, str],
) -> bool:
    """Run `load_distributed_checkpoint` with format="ckpt"; ``cipher``: key and mode of encrypted files."""
    where = "load_distributed_checkpoint"
    if not isinstance(network, Cell):
        raise TypeError(f"For '{where}', the argument 'network' must be a Cell, but got {type(network).__name__}.")
    names = check_type(checkpoint_filenames, "checkpoint_filenames", list, where) or []
    for index, name in enumerate(names):
        if (
            not isinstance(name, str)
            or not name.endswith(".ckpt")
            or not os.path.isfile(name)
            or not os.path.getsize(name)
        ):
            raise ValueError(
                f"For '{where}', the 'checkpoint_filenames' must name '.ckpt' files that are not empty, but got "
                f"{name!r} at index {index}."
            )
    if train_strategy_filename is None:
        train_strategy_filename = context.get_auto_parallel_context("strategy_ckpt_load_file") or None
    source, target = read_layouts(train_strategy_filename), layouts_of(predict_strategy, where)
    if len(names) != device_num(source):
        raise ValueError(
            f"For '{where}', the length of 'checkpoint_filenames' should be equal to the number of devices of the "
            "training, "
            f"but got {len(names)} and {device_num(source)} ('train_strategy_filename' is {train_strategy_filename!r})."
        )
    values: dict[str, dict[int, Any]] = {}
    for number, name in enumerate(names):
        for key, value in load_checkpoint(name, dec_key=cipher[0], dec_mode=cipher[1]).items():
            values.setdefault(key, {})[number] = value
    wanted = {parameter.name for parameter in network.get_parameters()}
    for names_there in (source, target):
        wanted &= set(wanted if names_there is None else names_there)
    known = {name: slices for name, slices in values.items() if name in wanted}
    missing = sorted(parameter.name for parameter in network.get_parameters() if parameter.name not in known)
    if missing:
        _log.warning(
            "For '%s', these parameters of the network are not in the checkpoints and strategies: %s",
            where,
            ", ".join(missing),
        )
    merged = transformed(get_rank() if target else 0, known, source, target) if known else []
    load_param_into_net(network, {item["name"]: item["data"] for item in merged}, strict_load)
    return True


def _load_unified(
    network: Any,
    folder: Any,
    strategy: Any,
    target: tuple[str | None, int | None, str],
    name_map: dict[str, str] | None,
    return_param_dict: bool,
) -> Any:
    """Run `load_distributed_checkpoint` with format="safetensors"; ``target``: folder, rank (or all), format."""
    where = "load_distributed_checkpoint"
    target_dir, rank_id, output_format = target
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise ValueError(
            f"For '{where}', the argument 'unified_safetensors_dir' must be a folder when 'format' is 'safetensors', "
            f"but got {folder!r}."
        )
    if name_map is not None:
        check_type(name_map, "name_map", dict, where)
    layouts = layouts_of(strategy, where)
    if network is not None:
        values = _values(folder, layouts, get_rank(), name_map or {})
        return values if return_param_dict else load_param_into_net(network, values)
    if target_dir is None:
        raise ValueError(
            f"For '{where}', 'dst_safetensors_dir' can not be None when 'network' is None: it says where to save."
        )
    check_type(target_dir, "dst_safetensors_dir", str, where)
    if rank_id is not None:
        check_type(rank_id, "rank_id", int, where)
    for rank in range(device_num(layouts) * stage_num(layouts)) if rank_id is None else [rank_id]:
        path = os.path.join(target_dir, f"rank_{rank}")
        os.makedirs(path, mode=0o700, exist_ok=True)
        save_checkpoint(
            _values(folder, layouts, rank, name_map or {}),
            os.path.join(path, f"net.{output_format}"),
            format=output_format,
        )
    return True


def _places(folder: str, reader: SafetensorsFiles) -> dict[str, str]:
    """Return {name: path} of the map file, or of the only file."""
    names = sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))
    if len(names) == 1 and names != [HYPER]:
        path = os.path.join(folder, names[0])
        return dict.fromkeys(reader.open(path)[1], path)
    map_path = os.path.join(folder, MAP)
    if not names or not os.path.isfile(map_path):
        raise ValueError(
            f"For 'load_distributed_checkpoint', the 'unified_safetensors_dir' {folder} must have "
            f"{f'a file {MAP!r}' if names else 'safetensors files'}. Make it by mindspore.parallel.unified_safetensors."
        )
    try:
        found = read_json(map_path)
        return {
            name: os.path.join(folder, os.path.basename(part)) for name, part in found.get("weight_map", found).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"For 'load_distributed_checkpoint', the file {map_path} is damaged: {error}.") from None


def _values(
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
    check_type(cur_ckpt_path, "cur_ckpt_path", str, "get_ckpt_path_with_strategy")
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
