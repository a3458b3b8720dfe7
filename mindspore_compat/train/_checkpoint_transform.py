"""Merging, cutting and moving checkpoints between numbers of devices. Upstream: ``mindspore.parallel`` (functions of
these names).
"""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._api.validate import check_positive_int, check_str_in, check_type
from mindspore_compat.common._wrap import plain
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.communication.management import get_rank
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel import _layout
from mindspore_compat.parallel._layout import REPLICATED, TensorLayout
from mindspore_compat.train._checkpoint_ranks import rank_files
from mindspore_compat.train._strategy_file import as_layouts, first_stage_of, read_layouts
from mindspore_compat.train.serialization import load_checkpoint, load_param_into_net, save_checkpoint

__all__ = [
    "merge_sliced_parameter",
    "rank_list_for_transform",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "rank_list_for_convert",
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "get_ckpt_path_with_strategy",
    "checked_strategy",
    "device_num",
    "layouts_of",
    "local_layouts",
    "stage_num",
]

_log = logging.getLogger("mindspore_compat")
Layouts = dict[str, TensorLayout]
_MOST_PLACES = 1 << 20  # of slices that are compared with what a rank needs


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: dict[str, Any] | None = None) -> Parameter:
    """One Parameter from its slices, in the order of the ranks; without a strategy they are put behind each other on
    axis 0.

    Args:
        strategy: what `build_searched_strategy` returns.

    Raises:
        TypeError: if these are no Parameters. ValueError: if they or the strategy do not fit. KeyError: if the strategy
            lacks the name.
    """
    where = "merge_sliced_parameter"
    check_type(sliced_parameters, "sliced_parameters", list, where)
    if not sliced_parameters:
        raise ValueError(f"For '{where}', the argument 'sliced_parameters' should not be empty.")
    if strategy is not None and not isinstance(strategy, dict):
        raise TypeError(f"For '{where}', the argument 'strategy' should be dict, but got {type(strategy).__name__}.")
    for index, item in enumerate(sliced_parameters):
        if not isinstance(item, Parameter):
            raise TypeError(
                f"For '{where}', the element in 'sliced_parameters' should be 'Parameter', but got "
                f"{type(item).__name__} "
                f"at index {index}."
            )
    first = sliced_parameters[0]
    for index, item in enumerate(sliced_parameters):
        if (item.name, len(item.shape), item.shape[1:]) != (first.name, len(first.shape), first.shape[1:]):
            raise ValueError(
                f"For '{where}', the elements in 'sliced_parameters' must have the same name, number of axes, and "
                "shape except axis 0: "
                f"{first.name}, {len(first.shape)}, {first.shape[1:]}, but got {item.name}, {len(item.shape)}, "
                f"{item.shape[1:]} "
                f"at index {index}."
            )
    data = [plain(item).detach() for item in sliced_parameters]
    if not strategy:
        merged = torch.cat(data)
    elif first.name not in strategy:
        raise KeyError(
            f"For '{where}', the parameter name {first.name} should be a key in the 'strategy'. Please check both."
        )
    else:
        layout = as_layouts({first.name: strategy[first.name]}).popitem()[1]
        if len(data) != layout.device_num:
            raise ValueError(
                f"For '{where}', the length of 'sliced_parameters' should be equal to the number of devices "
                f"{layout.device_num}, "
                f"but is {len(data)}."
            )
        if not layout.split_shape and any(item.shape != first.shape for item in sliced_parameters):
            raise ValueError(
                f"For '{where}', the shape of every parameter in 'sliced_parameters' should be the same when slice "
                "manner is even."
            )
        merged = _layout.merge(data, layout, first.name)
    return Parameter(merged, first.name, first.requires_grad, first.layerwise_parallel)


# --- from one number of devices to another ----------------------------------------------------------------------------


def device_num(layouts: Layouts | None) -> int:
    """The devices of a stage."""
    if layouts is None:
        return 1
    if not layouts:
        raise ValueError("The strategy file has no layouts. Please check whether it is correct.")
    return next(iter(layouts.values())).device_num


def stage_num(layouts: Layouts | None) -> int:
    stages = {stage for layout in (layouts or {}).values() for stage in layout.stages} or {0}
    if sorted(stages) != list(range(len(stages))):
        raise ValueError(
            f"The strategy file for pipeline parallel does not contain all stages, but only {sorted(stages)}. Merge "
            "the files of "
            "all stages by 'merge_pipeline_strategys' first."
        )
    return len(stages)


def local_layouts(rank: int, source: Layouts | None, target: Layouts | None) -> tuple[Layouts | None, Layouts | None]:
    """The layouts of what the target rank's stage has."""
    if target is None:
        return source, None
    stage = rank // device_num(target)
    kept = {name: layout for name, layout in target.items() if stage in layout.stages}
    if source is not None:
        source = {name: layout for name, layout in source.items() if name in kept or name not in target}
    return source, kept


def checked_strategy(name: Any, argument: str) -> Layouts | None:
    if isinstance(name, str) and os.path.dirname(name) and not os.path.isdir(os.path.dirname(name)):
        raise ValueError(f"The folder of '{argument}' does not exist: {os.path.dirname(name)}.")
    return read_layouts(name)


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """The source ranks whose checkpoints are needed to make that of a target rank, largest first.

    Args:
        src_strategy_file, dst_strategy_file: strategy files; None: the network is not cut.

    Raises:
        TypeError, ValueError: for a wrong rank or strategy file.
    """
    check_type(rank_id, "rank_id", int, "rank_list_for_transform")
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
            f"The strategies {src_strategy_file} and {dst_strategy_file} have too many different layouts of too many "
            "devices "
            "to work out which slices overlap."
        )
    here: set[int] = set()
    for old, new in pairs:
        shape = _divisible_shape(old, new)
        here |= set(_layout.needed_ranks(new.box(local, shape), old, shape, local))
    count = device_num(source)
    return sorted((stage * count + rank for stage in stages for rank in here), reverse=True)


def _divisible_shape(a: TensorLayout, b: TensorLayout) -> tuple[int, ...]:
    """A shape that both layouts can cut; which ranks overlap does not depend on it."""
    return (a.device_num * b.device_num,) * max(len(a.tensor_map), 1)


def _transformed(
    rank: int, values: dict[str, dict[int, Parameter]], source: Layouts | None, target: Layouts | None
) -> list[dict[str, Any]]:
    """[{name, data}] of a target rank's checkpoint from {name: {source rank: slice}}."""
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
        raise ValueError(
            "None of the parameters in the checkpoint files are in both src strategy and dst strategy. Please check "
            "the strategy files."
        )
    return [{"name": name, "data": value} for name, value in {**found, **others}.items()]


def _load_slices(files: dict[int, str], device_num: int) -> dict[str, dict[int, Any]]:
    values: dict[str, dict[int, Any]] = {}
    for rank, name in files.items():
        if not os.path.exists(name):
            raise ValueError(f"The checkpoint file {name} of rank {rank} does not exist.")
        for key, value in load_checkpoint(name, format=_format_of(name)).items():
            values.setdefault(key, {})[rank % device_num] = value
    return values


def _format_of(name: str) -> str:
    return "safetensors" if name.endswith(".safetensors") else "ckpt"


def _without_other_stages(
    values: dict[str, Any], pairs: Sequence[tuple[Layouts | None, Layouts | None]]
) -> dict[str, Any]:
    """The values that the local stage has: not those that source and target both know, but in other stages only."""
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
    where = "transform_checkpoint_by_rank"
    check_type(checkpoint_files_map, "checkpoint_files_map", dict, where)
    check_type(rank_id, "rank_id", int, where)
    check_type(save_checkpoint_file_name, "save_checkpoint_file_name", str, where)
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"For '{where}', the 'save_checkpoint_file_name' {save_checkpoint_file_name} should end with .ckpt."
        )
    all_source, all_target = read_layouts(src_strategy_file), checked_strategy(dst_strategy_file, "dst_strategy_file")
    source, target = local_layouts(rank_id, all_source, all_target)
    values = _load_slices(checkpoint_files_map, device_num(all_source))
    values = _without_other_stages(values, [(all_source, source), (all_target, target)])
    save_checkpoint(_transformed(rank_id % device_num(all_target), values, source, target), save_checkpoint_file_name)


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
    where = "transform_checkpoints"
    check_type(ckpt_prefix, "ckpt_prefix", str, where)
    check_positive_int(process_num, "process_num", where)
    check_str_in(output_format, "output_format", ("ckpt", "safetensors"), where)
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
            raise ValueError(
                f"The checkpoint file of rank {absent[0]} is needed for converting rank {rank}'s checkpoint, but it is "
                "missing "
                f"in {src_checkpoints_dir}."
            )
        source, target = local_layouts(rank, all_source, all_target)
        values = _load_slices({number: files[number] for number in needed}, device_num(all_source))
        values = _without_other_stages(values, [(all_source, source), (all_target, target)])
        folder = os.path.join(os.path.realpath(dst_checkpoints_dir), f"rank_{rank}")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        save_checkpoint(
            _transformed(rank % device_num(all_target), values, source, target),
            os.path.join(folder, f"{ckpt_prefix}{rank}{end}"),
            format=output_format,
        )


def _source_files(folder: str) -> dict[int, str]:
    """{rank: file}: of several ``.ckpt`` of a rank the last by name, of several ``.safetensors`` that of the last epoch
    and step.
    """
    if os.path.isfile(folder) and folder.endswith(".safetensors"):
        return {0: folder}
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise NotADirectoryError(
            f"For 'transform_checkpoints', the argument 'src_checkpoints_dir' must be a folder, but got {folder!r}."
        )
    files, others = rank_files(folder, "safetensors"), rank_files(folder, "ckpt", last_by_name=True)
    if files and others:
        raise ValueError(
            f"For 'transform_checkpoints', the 'src_checkpoints_dir' {folder} must not mix ckpt and safetensors files."
        )
    if not files and not others:
        raise ValueError(
            f"For 'transform_checkpoints', the 'src_checkpoints_dir' {folder} must have folders rank_0, rank_1, ... "
            "with checkpoints."
        )
    return files or others


_STATES = ("accu_grads", "adam_v", "adam_m")


def _is_one_stage_of(source: Layouts | None, target: Layouts | None) -> bool:
    """Whether the source is one pipeline stage of what the target knows: its part is written then, under a name that
    says so.
    """
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


def get_ckpt_path_with_strategy(cur_ckpt_path: str, cur_strategy_path: str) -> str | None:
    """The checkpoint of this rank, or of one with the same contents: a path with ``rank_N`` in it, whose number is
    replaced.

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
    """The ranks of this rank's stage that hold the same part."""
    count = layout.device_num
    shape = _divisible_shape(layout, layout)
    own = layout.box(rank % count, shape)
    return [rank // count * count + number for number in range(count) if layout.box(number, shape) == own]


# --- into a network ---------------------------------------------------------------------------------------------------


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
    """`load_checkpoint` of every ``.ckpt`` file of a folder, in the order of their names; one dict of all.

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


def layouts_of(strategy: Any, where: str) -> Layouts | None:
    """The layouts of {name: [dev_matrix, tensor_map, split shape, field, ...]}, or of what `read_layouts` takes.

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
                f"For '{where}', the argument 'predict_strategy' must be a dict of lists that begin with dev_matrix "
                f"(list[int]), tensor_map (list[int]), param_split_shape and field, but got {name!r}: {item!r}."
            )
        result[name] = TensorLayout(tuple(item[0]), tuple((number,) for number in item[1]))
        result[name].check(f"For '{where}', the layout of {name!r}")
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
        train_strategy_filename: strategy file of the training; without one, that of
            ``set_auto_parallel_context(strategy_ckpt_load_file=)``.
        strict_load, dec_key, dec_mode: as for `load_checkpoint`.
        format: "ckpt", for which the arguments behind it must be left out, or "safetensors", for which the three rows
            above must be.
        unified_safetensors_dir: the folder.
        dst_safetensors_dir, rank_id, output_format: without a network: save ``DST/rank_N/net.FORMAT`` for a rank, or
            for all.
        name_map: {name in the network: name in the files}.
        max_process_num: without effect, the work is done in this process.
        return_param_dict: return {name: Parameter} and load nothing.

    Returns:
        True; of a folder into a network what `load_param_into_net` returns, or the dict.

    Raises:
        TypeError, ValueError: for wrong arguments, or files that are missing or damaged.
    """
    where = "load_distributed_checkpoint"
    check_str_in(format, "format", ("ckpt", "safetensors"), where)
    check_str_in(output_format, "output_format", ("ckpt", "safetensors"), where)
    later: dict[str, Any] = {
        "unified_safetensors_dir": unified_safetensors_dir,
        "dst_safetensors_dir": dst_safetensors_dir,
        "rank_id": rank_id,
        "name_map": name_map,
        "return_param_dict": return_param_dict or None,
    }
    if format == "safetensors":
        later = {
            "checkpoint_filenames": checkpoint_filenames,
            "train_strategy_filename": train_strategy_filename,
            "dec_key": dec_key,
            "strict_load": strict_load or None,
            "dec_mode": dec_mode if dec_mode != "AES-GCM" else None,
        }
    given = [name for name, value in later.items() if value is not None]
    if given:
        raise ValueError(f"For '{where}', {', '.join(map(repr, given))} must be left out when 'format' is {format!r}.")
    if format == "safetensors":
        from mindspore_compat.train._checkpoint_unified import load_unified

        return load_unified(
            network,
            unified_safetensors_dir,
            predict_strategy,
            dst_safetensors_dir,
            rank_id,
            output_format,
            name_map,
            return_param_dict,
        )
    return _load_merged(
        network, checkpoint_filenames, predict_strategy, train_strategy_filename, strict_load, dec_key, dec_mode, where
    )


def _load_merged(
    network: Any,
    checkpoint_filenames: list[str] | None,
    predict_strategy: Any,
    train_strategy_filename: str | None,
    strict_load: bool,
    dec_key: bytes | None,
    dec_mode: str,
    where: str,
) -> bool:
    """`load_distributed_checkpoint` with format="ckpt"."""
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
                f"{name!r} "
                f"at index {index}."
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
        for key, value in load_checkpoint(name, dec_key=dec_key, dec_mode=dec_mode).items():
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
    merged = _transformed(get_rank() if target else 0, known, source, target) if known else []
    load_param_into_net(network, {item["name"]: item["data"] for item in merged}, strict_load)
    return True
