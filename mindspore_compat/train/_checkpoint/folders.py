"""Checkpoints of any kind, by the extension: MindSpore's, safetensors, torch's. Folders of them: shards with or without
an index, and ``rank_N`` folders of a cut network.
"""

from __future__ import annotations

import glob
import math
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mindspore_compat._format import envelope
from mindspore_compat._format.source import open_regular, read_json
from mindspore_compat._format.wire import FormatError
from mindspore_compat.log import logger
from mindspore_compat.parallel import _layout
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.lazy import PORTION, LazyTensor, as_lazy, computed, open_safetensors
from mindspore_compat.train._checkpoint.reading import CheckpointFile
from mindspore_compat.train._checkpoint.strategy import device_num, read_layouts, stage_num

#: in folders of unified safetensors: {name: file}, and the values without a strategy
MAP, HYPER = "param_name_map.json", "hyper_param.safetensors"

TORCH_ENDS = (".pth", ".pt", ".bin")
ENDS = (".ckpt", ".safetensors", *TORCH_ENDS)
_NUMBER = re.compile(r"(.*)-(\d+)-of-(\d+)(\..*)")
_SHOWN = 5  # names in a message


def is_index(name: str) -> bool:
    """Return whether the name is that of a file that maps tensors to files."""
    return name.endswith(".index.json") or os.path.basename(name) == MAP


def shard_paths(path: str) -> tuple[list[str], dict[str, str]]:
    """Return (the checkpoint files of a folder or of an index file, {name: file} of the index).

    Raises:
        ValueError: if there is none, a file is missing, or it is not clear which files belong together.
    """
    folder, index = os.path.split(path) if is_index(path) else (path, "")
    there = sorted(name for name in os.listdir(folder or ".") if os.path.isfile(os.path.join(folder, name)))
    indices = [index] if index else [name for name in there if is_index(name)]
    files = [name for name in there if name.endswith(ENDS)]
    weight_map: dict[str, str] = {}
    if len(indices) == 1:
        found = read_json(os.path.join(folder, indices[0]))
        weight_map = found.get("weight_map", found)
        if not isinstance(weight_map, dict) or any(
            not isinstance(file, str) or file != os.path.basename(file) for file in weight_map.values()
        ):
            raise FormatError(f"{os.path.join(folder, indices[0])} must map names of tensors to names of files")
        if missing := sorted(set(weight_map.values()) - set(files)):
            raise ValueError(f"{os.path.join(folder, indices[0])} names {_some(missing)}: no such file in the folder")
        files = [name for name in files if name in weight_map.values() or name == HYPER]
    elif indices or len({os.path.splitext(name)[1] for name in files}) > 1:
        raise ValueError(f"{folder} holds several checkpoints: {_some(indices or files)}. Pass one file or index")
    elif not files:
        raise ValueError(f"{folder} holds no checkpoint: no file with the end {', '.join(ENDS)}, no index, no rank_N")
    else:
        _check_numbers(folder, files)
    return [os.path.join(folder, name) for name in files], {
        name: os.path.join(folder, file) for name, file in weight_map.items()
    }


def _check_numbers(folder: str, files: list[str]) -> None:
    """Raise ValueError unless files with numbers, such as ``model-00001-of-00003.safetensors``, are all there."""
    found = {(match[1], int(match[2]), match[3], match[4]) for match in map(_NUMBER.fullmatch, files) if match}
    missing = [
        f"{head}-{number:0{len(total)}}-of-{total}{end}"
        for head, total, end in sorted({(head, total, end) for head, _, total, end in found})
        for number in range(1, min(int(total), 1 + len(files)) + 1)
        if (head, number, total, end) not in found
    ]
    if missing:
        raise ValueError(f"{folder} does not hold {_some(missing)}: the checkpoint is not complete")


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


# --- ranks ------------------------------------------------------------------------------------------------------------


def rank_paths(folder: str, suffix: str | None = None) -> dict[int, str]:
    """Return {rank: file} of the folders ``rank_N``, empty if there are none: of several the last epoch and step.

    Raises:
        ValueError: if they hold files of two formats, or of different steps.
    """
    kinds = [kind for kind in ("ckpt", "safetensors") if rank_files(folder, kind)]
    if len(kinds) > 1:
        raise ValueError(f"{folder} must not have both .ckpt and .safetensors files in its folders rank_N")
    files = rank_files(folder, kinds[0], suffix) if kinds else {}
    steps = {match[1]: path for path in files.values() if (match := re.search(r"-(\d+_\d+)\.\w+$", path))}
    if len(steps) > 1:
        raise ValueError(
            f"the last files of the ranks are not of one step: {_some(list(steps.values()))}. Choose one by --suffix"
        )
    return files


def merge_ranks(ranks: Mapping[int, Mapping[str, Any]], layouts: Mapping[str, TensorLayout]) -> dict[str, Any]:
    """Return the whole values, read in portions from the slices of all ranks.

    A value that the strategy does not name is that of the first rank that has it; a parameter of several pipeline
    stages is that of the first stage.

    Args:
        ranks: {rank: {name: LazyTensor or other value}}.

    Raises:
        ValueError: with the name, if slices do not fit the strategy, or are missing.
    """
    devices = device_num(dict(layouts))
    count = devices * stage_num(dict(layouts))
    if max(ranks) >= count:
        raise ValueError(f"there is a rank {max(ranks)}, but the strategy is that of {count} devices, of all stages?")
    slices: dict[str, dict[int, Any]] = {}
    for rank, values in ranks.items():
        for name, value in values.items():
            slices.setdefault(name, {}).setdefault(rank % devices, value)
    lost = [name for name in layouts if name not in slices]
    absent = sorted(set(range(count)) - set(ranks))
    if lost and absent:
        raise ValueError(f"no rank has {_some(lost)}, and the files of the ranks {absent[:_SHOWN]} are missing")
    return {name: merge_slices(name, parts, layouts.get(name)) for name, parts in slices.items()}


def merge_slices(name: str, slices: dict[int, Any], layout: TensorLayout | None) -> Any:
    """Return the whole value from {rank: slice}, those of the first stage; the first without a layout."""
    first = next(iter(slices.values()))
    if not isinstance(first, LazyTensor):
        return first
    kinds = {(part.shape, part.tensor_type) for part in slices.values() if isinstance(part, LazyTensor)}
    if len(kinds) > 1:
        raise ValueError(
            f"the ranks hold {name!r} in different shapes or types, {sorted(kinds)}, "
            f"{'which the strategy does not name' if layout is None else 'uneven slices cannot be merged'}"
        )
    if layout is not None and layout.field:
        raise ValueError(f"{name!r} is cut by fields: merge it by mindspore.merge_sliced_parameter")
    if layout is None or not first.shape:
        return first
    shape, what = layout.full_shape(first.shape), f"the parameter {name!r}"
    full = tuple((0, size) for size in shape)
    if len(_layout.overlaps(full, slices, layout, shape, what)) == 1:
        return first
    meta = torch.empty(shape, dtype=first.dtype, device="meta")
    row = math.prod(shape[1:])

    def load() -> torch.Tensor:
        return _layout.assemble(full, {rank: part.tensor() for rank, part in slices.items()}, layout, shape, what)

    def read(start: int, stop: int) -> torch.Tensor:
        box = ((start // row, -(-stop // row)), *full[1:])
        block = torch.empty([last - first for first, last in box], dtype=meta.dtype)
        for common, source, part in _layout.overlaps(box, slices, layout, shape, what):
            rows, width = slice(*(place - source[0][0] for place in common[0])), math.prod(part.shape[1:])
            data = part.read(rows.start * width, rows.stop * width).view(-1, *part.shape[1:])
            block[_layout.inner_slices(common, box)] = data
        return block.view(-1)[start - box[0][0] * row : stop - box[0][0] * row]

    if row * meta.dtype.itemsize > PORTION:
        return computed(meta, load, first.tensor_type)
    return LazyTensor(meta, read, load, first.tensor_type)


# pattern of a suffix: the prefix added if missing, and the kind of names it may not end (rank
# numbers resemble a run's)
_SUFFIXES = (
    (re.compile(r"_?\d+-\d+_\d+"), "_", "rank"),
    (re.compile(r"-?\d+_\d+"), "-", None),
    (re.compile(r"_?\d+"), "_", None),
)


def _last_numbers(path: str) -> list[int]:
    """Return the last two numbers in a path: epoch and step."""
    return [int(number) for number in re.findall(r"\d+", path)][-2:]


def chosen(names: Sequence[str], suffix: str | None, format: str) -> str:
    """Return the chosen file of several: without a suffix that of the last epoch and step, else the one that ends with
    exactly that.

    Raises:
        ValueError: if the suffix fits several or none.
    """
    if suffix is None:
        return sorted(names, key=_last_numbers)[-1]
    kind = next((item for item in _SUFFIXES if item[0].fullmatch(suffix)), None)
    found: list[str] = []
    if kind is not None:
        _, start, refused = kind
        end = (suffix if suffix.startswith(start) else start + suffix) + f".{format}"
        found = [name for name in names if name.endswith(end) and not (refused and name.endswith(refused + end))]
    shortest = min((len(os.path.basename(name)) for name in found), default=0)
    found = [name for name in found if len(os.path.basename(name)) == shortest]
    if len(found) != 1:
        raise ValueError(
            f"The suffix {suffix!r} must fit one file, but of {list(names)} it fits {found or 'none'}. "
            "Pass as 'file_suffix' the longest end that all files have in common."
        )
    return found[0]


def rank_files(folder: str, format: str, suffix: str | None = None, last_by_name: bool = False) -> dict[int, str]:
    """Return {rank: file} of the folders ``rank_0``, ``rank_1``, ... in the order of the ranks; without a suffix, those
    without a file are skipped.

    Of several files the `chosen` one, or the last by name.

    Raises:
        ValueError: if a suffix fits no file of a folder, or several.
    """
    found: dict[int, str] = {}
    several: list[str] = []
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_[0-9]*")):
        match = re.fullmatch(r"rank_(\d+)", os.path.basename(path))
        if not match or not os.path.isdir(path):
            logger.warning("%s is passed over: it is no folder rank_N.", path)
            continue
        names = sorted(glob.glob(os.path.join(glob.escape(path), f"*{glob.escape(suffix or '')}.{format}")))
        names = [name for name in names if os.path.isfile(name)]  # no folders, FIFOs or sockets
        if suffix is not None and not names:
            raise ValueError(
                f"The folder {path} must have a file that ends with '{suffix}.{format}', but has none. Check the "
                "'file_suffix'."
            )
        if names:
            found[int(match[1])] = names[-1] if len(names) == 1 or last_by_name else chosen(names, suffix, format)
        if len(names) > 1:
            several = several or [found[int(match[1])], *names]
    if suffix is not None and several:
        logger.warning(
            "The file_suffix %r fits several files, such as %s; %s is taken. Please check it.",
            suffix,
            several[1:],
            several[0],
        )
    return dict(sorted(found.items()))


def is_safetensors(path: str) -> bool:
    """Return whether the name is a safetensors file's."""
    return path.endswith(".safetensors")


def mode_of(path: str, mode: str | None = None) -> str:
    """Return the encryption mode of the file: the argument, or that in the file."""
    with open_regular(path) as file:
        return mode or envelope.encryption_of(file.read(4)) or "AES-GCM"


@dataclass
class Checkpoint:
    """``values`` {name: LazyTensor, str or list}; ``consumer``: the one that the files name, "ms" or "pt"."""

    values: dict[str, Any]
    consumer: str


def open_checkpoint(
    path: str, key: bytes | None = None, mode: str | None = None, strategy: str | None = None, suffix: str | None = None
) -> Checkpoint:
    """Return the values of a file or a folder of any kind, unread.

    Args:
        path: a file, an index file, a folder of files, or of folders ``rank_N`` with the slices of a cut network.
        key, mode: of encrypted files.
        strategy: strategy file of the network, for folders ``rank_N``.
        suffix: of the file to take in each, before the extension; None: that of the last epoch and step.

    Raises:
        FileNotFoundError: if there is none. ValueError: with the path, if a file cannot be read, or is missing.
    """
    ranks = rank_paths(path, suffix) if os.path.isdir(path) else {}
    if bool(ranks) is not bool(strategy) or (suffix and not ranks):
        raise ValueError(
            f"{path} has {'' if ranks else 'no '}folders rank_N: a strategy (--strategy) and a suffix are for such"
        )
    if strategy:
        layouts = read_layouts(strategy) or {}
        opened_ranks = {rank: _open_file(file, key, mode).values for rank, file in ranks.items()}
        return Checkpoint(merge_ranks(opened_ranks, layouts), "ms")
    if not os.path.isdir(path) and not is_index(path):
        return _open_file(path, key, mode)
    paths, weight_map = shard_paths(path)
    files = {file: _open_file(file, key, mode) for file in paths}
    lost = [name for name, file in weight_map.items() if name not in files[file].values]
    if lost:
        raise ValueError(f"the index of {path} says that {lost[0]!r} is in {weight_map[lost[0]]}, but it is not")
    values: dict[str, Any] = {}
    for file, one in files.items():
        own = {name: value for name, value in one.values.items() if weight_map.get(name, file) == file}
        twice = sorted(set(own) & set(values))
        if twice:
            raise ValueError(f"{path}: {twice[0]!r} is in {file} and in another file, and no index says which counts")
        values.update(own)
    return Checkpoint(values, min((one.consumer for one in files.values()), default="ms"))


def _open_file(path: str, key: bytes | None, mode: str | None) -> Checkpoint:
    if not os.path.isfile(path):
        raise FileNotFoundError(2, "No such file", path)
    if path.endswith(TORCH_ENDS):
        return Checkpoint({name: as_lazy(value) for name, value in _read_torch(path).items()}, "pt")
    try:
        if is_safetensors(path):
            metadata, values = open_safetensors(path)
            return Checkpoint(dict(values), "pt" if metadata.get("format") == "pt" else "ms")
        with opened(path, key, mode) as file:  # a name needs no .ckpt here
            return Checkpoint(file.lazily(), "ms")
    except FormatError as error:
        raise error if path in str(error) else ValueError(f"{path}: {error}") from None


def _read_torch(path: str) -> dict[str, Any]:
    try:
        _check_archive(path)
        state = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:
        raise ValueError(f"{path} cannot be read as tensors only: {error}") from None
    state = state.get("state_dict", state) if isinstance(state, dict) else state
    if not isinstance(state, dict) or not all(
        isinstance(value, torch.Tensor) and value.layout is torch.strided and not value.is_quantized
        for value in state.values()
    ):
        raise ValueError(f"{path} is no state_dict: a dict of dense tensors is needed, or one under 'state_dict'")
    return dict(state)


def _check_archive(path: str) -> None:
    """Raise ValueError for a compressed torch file, which torch does not write: a small one could fill the memory."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if sum(item.file_size for item in archive.infolist()) > os.path.getsize(path):
                raise ValueError("its parts are larger than the file")


def opened(path: str, key: bytes | None = None, mode: str | None = None, crc_check: bool = False) -> CheckpointFile:
    """Return a ``.ckpt`` file; raise ValueError with the path if it cannot be read."""
    try:
        return CheckpointFile(path, key, mode_of(path, mode), crc_check)
    except FormatError as error:
        raise ValueError(f"{path}: {error}") from None
