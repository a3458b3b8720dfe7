"""Folders of unified safetensors: the whole parameters of a cut network, in parts. MindSpore:
``mindspore.parallel.transform_safetensors``.

``partN.safetensors`` hold them, ``param_name_map.json`` maps names to files, ``hyper_param.safetensors`` has values
without a strategy. The values of `load_distributed_checkpoint` come from such a folder, or from the checkpoints of all
ranks.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import context
from mindspore_compat._format.source import read_json
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.communication.management import get_rank
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.folders import HYPER, MAP, merge_slices, rank_files
from mindspore_compat.train._checkpoint.lazy import LazyTensor, open_safetensors
from mindspore_compat.train._checkpoint.reading import as_parameter, read_values
from mindspore_compat.train._checkpoint.strategy import (
    checked_strategy,
    device_num,
    divisible_shape,
    layouts_of,
    local_layouts,
    read_layouts,
)
from mindspore_compat.train._checkpoint.transform import rank_list_for_transform, transformed
from mindspore_compat.train._checkpoint.writing import checked_plan

_PART_BYTES = 3 << 30
_WHERE = "unified_safetensors"
_MARK = "remove_redundancy"


class SafetensorsFiles:
    """Several safetensors files, the header of each read on first use."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[dict[str, str], dict[str, LazyTensor]]] = {}

    def open(self, path: str) -> tuple[dict[str, str], dict[str, LazyTensor]]:
        """Return (metadata, {name: tensor}); ValueError if the file is missing or damaged."""
        try:
            if path not in self._files:
                self._files[path] = open_safetensors(path)
        except FileNotFoundError:
            raise ValueError(f"The safetensors file {path} does not exist. Is {MAP!r} of another run?") from None
        except (FormatError, UnicodeError, OSError) as error:
            raise ValueError(f"Failed to read the safetensors file {path!r:.1000}: {error}.") from None
        return self._files[path]


# --- merging ----------------------------------------------------------------------------------------------------------


def unified_safetensors(
    src_dir: str,
    src_strategy_file: str,
    dst_dir: str,
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func: Callable[[str], bool | str] | None = None,
    split_dst_file: tuple[int, int] | tuple[()] = (),
) -> None:
    """Merge the safetensors files of all ranks into a folder of whole parameters, in parts of about 3 GiB.

    Args:
        src_dir: has folders ``rank_N`` with a file each; of several the last epoch and step counts.
        src_strategy_file: strategy file of the training.
        merge_with_redundancy: whether each file has everything its rank held; where files say so themselves, that
            counts.
        file_suffix: the end of the file names to take.
        max_process_num: without effect, the work is done in this process.
        choice_func: takes the name of a parameter that the strategy knows; returns False to leave it out, True, or a
            new name.
        split_dst_file: (n, of how many): do the n-th share of the parts only, from 1; the first also writes the map.

    Raises:
        TypeError, ValueError, OSError: for wrong arguments, or if a file or slice that is needed is missing.
    """
    redundant = merge_with_redundancy
    layouts = checked_strategy(src_strategy_file, "src_strategy_file")
    assert layouts is not None
    files, needed = _source_files(src_dir, src_strategy_file, dst_dir, file_suffix)
    reader = SafetensorsFiles()
    for path in files.values():
        redundant = _is_redundant(redundant, reader.open(path)[0].get(_MARK), path)
    source = {rank: path for rank, path in files.items() if not redundant or rank in needed}
    merger = _Merger(reader, source, layouts, choice_func)
    sizes = merger.sizes(files)
    if not sizes:
        raise ValueError(
            f"For '{_WHERE}', no parameter in {src_dir} is left: {src_strategy_file} does not know them, or "
            "'choice_func' took none."
        )
    groups = _groups(sizes, min(math.ceil(sum(sizes.values()) / _PART_BYTES) or 1, len(sizes)))
    mine, is_first = _share(split_dst_file, len(groups))
    if is_first:
        merger.write_hyper(files, dst_dir)
        places = {
            merger.names[name]: f"part{number}.safetensors" for number, group in enumerate(groups) for name in group
        }
        text = json.dumps({"metadata": {"total_size": sum(sizes.values())}, "weight_map": places}, indent=4)
        write_atomically(os.path.join(dst_dir, MAP), [text.encode("utf-8")])
    for number in mine:
        merger.write(groups[number], os.path.join(dst_dir, f"part{number}.safetensors"))


def _source_files(src_dir: str, strategy: str, dst_dir: str, suffix: str | None) -> tuple[dict[int, str], list[int]]:
    """Return ({rank: file}, the ranks with all values if each is whole); make the folder of the result."""
    os.makedirs(dst_dir, mode=0o700, exist_ok=True)
    if not os.path.isdir(src_dir):
        raise ValueError(f"For '{_WHERE}', the 'src_dir' {src_dir} is no folder.")
    files = rank_files(src_dir, "safetensors", suffix)
    if files and rank_files(src_dir, "ckpt"):
        raise ValueError(f"For '{_WHERE}', the 'src_dir' {src_dir} has both ckpt and safetensors files.")
    needed = rank_list_for_transform(0, strategy)
    absent = [rank for rank in needed if rank not in files]
    if absent:
        raise ValueError(f"For '{_WHERE}', {src_dir} has no file of rank {absent[0]}, which rank 0 needs.")
    return files, needed


def _is_redundant(wanted: bool, mark: str | None, path: str) -> bool:
    if mark in ("True", "False") and wanted is (mark == "True"):
        logger.warning(
            "%s: 'merge_with_redundancy' is %s, but %s says the opposite: that counts.", _WHERE, wanted, path
        )
        return not wanted
    return wanted


def _groups(sizes: dict[str, int], count: int) -> list[list[str]]:
    """Return the names in ``count`` groups of about the same size: the largest first, each to the smallest group."""
    groups: list[list[str]] = [[] for _ in range(count)]
    totals = [0] * count
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        smallest = totals.index(min(totals))
        groups[smallest].append(name)
        totals[smallest] += size
    return groups


def _share(split: Any, count: int) -> tuple[range, bool]:
    """Return (the parts to write, whether to write the map, too)."""
    if not split:
        return range(count), True
    if len(split) != 2 or not 1 <= split[0] <= split[1]:
        raise ValueError(f"For '{_WHERE}', the 'split_dst_file' must be () or (n, of how many), but got {split!r}.")
    number, total = split
    length, rest = divmod(count, total)
    start = length * (number - 1) + min(number - 1, rest)
    return range(start, start + length + (number <= rest)), number == 1


class _Merger:
    """Whole parameters from the files of the ranks."""

    def __init__(
        self, reader: SafetensorsFiles, files: dict[int, str], layouts: dict[str, TensorLayout], choice_func: Any
    ) -> None:
        self._reader, self._files, self._layouts, self._choice = reader, files, layouts, choice_func
        self._devices = device_num(layouts)
        self.names: dict[str, str] = {}  # {name: name in the result}

    def sizes(self, files: dict[int, str]) -> dict[str, int]:
        """Return {name: bytes of the whole} of the values to write, in the order of the files."""
        result: dict[str, int] = {}
        refused: set[str] = set()
        for path in files.values():
            for name, value in self._reader.open(path)[1].items():
                if name not in self._layouts or name.startswith("accu_grads") or name in result or name in refused:
                    continue
                answer = True if self._choice is None else self._choice(name)
                if answer is False:
                    refused.add(name)
                    continue
                new = answer if isinstance(answer, str) else name
                if new in self.names.values():
                    raise ValueError(f"For '{_WHERE}', 'choice_func' gives {name!r} a name that is taken: {new!r}.")
                self.names[name] = new
                result[name] = math.prod(self._layouts[name].full_shape(value.shape)) * value.dtype.itemsize
        return result

    def _whole(self, name: str) -> LazyTensor:
        slices: dict[int, LazyTensor] = {}
        for rank, path in self._files.items():
            there = self._reader.open(path)[1]
            if name in there:
                slices.setdefault(
                    rank % self._devices, there[name]
                )  # a parameter of several stages is that of the first
        if not slices:
            raise ValueError(f"None of the files of the ranks {sorted(self._files)} has the parameter {name!r}.")
        return merge_slices(name, slices, self._layouts[name])

    def write(self, names: list[str], path: str) -> None:
        """Write a part."""
        values = {self.names[name]: self._whole(name) for name in names}
        _save(values, path, any(_MARK in self._reader.open(file)[0] for file in self._files.values()))

    def write_hyper(self, files: dict[int, str], folder: str) -> None:
        """Write the values that the strategy does not name, from the first rank that has them."""
        found: dict[str, LazyTensor] = {}
        for path in files.values():
            there = self._reader.open(path)[1]
            found.update({name: there[name] for name in there if name not in self._layouts and name not in found})
        if found:
            _save(found, os.path.join(folder, HYPER), False)


def _save(values: dict[str, LazyTensor], path: str, has_mark: bool) -> None:
    checked_plan(values, path, format="safetensors", remove_redundancy=False if has_mark else None).write()


_LOADING = "load_distributed_checkpoint"


def merged_values(
    network: Cell, names: list[str], strategy: Any, train_strategy: str | None, cipher: tuple[bytes | None, str]
) -> dict[str, Any]:
    """Return {name: this rank's part} of the network's Parameters from the files of all ranks; ``cipher``: key and
    mode of encrypted files.
    """
    if train_strategy is None:
        train_strategy = context.get_auto_parallel_context("strategy_ckpt_load_file") or None
    source, target = read_layouts(train_strategy), layouts_of(strategy, _LOADING)
    if len(names) != device_num(source):
        raise ValueError(
            f"For '{_LOADING}', 'checkpoint_filenames' must have a file for each device of the training, "
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
        logger.warning("%s: no checkpoint or strategy has these Parameters: %s", _LOADING, ", ".join(missing))
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
            f"For '{_LOADING}', the 'unified_safetensors_dir' {folder} must be a folder that "
            "mindspore.parallel.unified_safetensors made."
        )
    try:
        found = read_json(map_path)
        return {
            name: os.path.join(folder, os.path.basename(part)) for name, part in found.get("weight_map", found).items()
        }
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"For '{_LOADING}', the file {map_path} is damaged: {error}.") from None


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
