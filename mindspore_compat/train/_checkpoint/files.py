"""Reader of {name: tensor} files and folders of any kind, by the extension: MindSpore's, safetensors, torch's."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from typing import Any

import torch

from mindspore_compat._format import envelope
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat.train._checkpoint.folders import TORCH_ENDS, is_index, merge_ranks, rank_paths, shard_paths
from mindspore_compat.train._checkpoint.layouts import read_layouts
from mindspore_compat.train._checkpoint.lazy import as_lazy, open_safetensors
from mindspore_compat.train._checkpoint.reading import CheckpointFile


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
    path: str,
    key: bytes | None = None,
    mode: str | None = None,
    strategy: str | None = None,
    suffix: str | None = None,
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
        raise ValueError(f"{path} can not be read as tensors only: {error}") from None
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
