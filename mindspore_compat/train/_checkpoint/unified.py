"""Folders of unified safetensors: the whole parameters of a cut network, in parts. MindSpore:
``mindspore.parallel.transform_safetensors``.

``partN.safetensors`` hold them, ``param_name_map.json`` maps names to files, ``hyper_param.safetensors`` has values
without a strategy.
"""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_positive_int, check_type
from mindspore_compat._format.safetensors import read_header
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.parallel import _layout
from mindspore_compat.parallel._layout import TensorLayout
from mindspore_compat.train._checkpoint.layouts import checked_strategy, device_num
from mindspore_compat.train._checkpoint.ranks import rank_files
from mindspore_compat.train._checkpoint.reading import as_parameter
from mindspore_compat.train._checkpoint.save import save_checkpoint
from mindspore_compat.train._checkpoint.transform import rank_list_for_transform

__all__ = ["HYPER", "MAP", "SafetensorsFiles", "unified_safetensors"]

_log = logging.getLogger("mindspore_compat")
_MOST_NAME = 1024  # of Parameters
_PART_BYTES = 3 << 30
_WHERE = "unified_safetensors"
MAP, HYPER, _MARK = "param_name_map.json", "hyper_param.safetensors", "remove_redundancy"


class SafetensorsFiles:
    """Several safetensors files, each opened on first use."""

    def __init__(self) -> None:
        self._open: dict[str, Any] = {}
        self._headers: dict[str, tuple[dict[str, str], dict[str, tuple[tuple[int, ...], int]]]] = {}

    def __enter__(self) -> SafetensorsFiles:
        return self

    def __exit__(self, *error: Any) -> None:
        for file in self._open.values():
            file.__exit__(None, None, None)

    def header(self, path: str) -> tuple[dict[str, str], dict[str, tuple[tuple[int, ...], int]]]:
        """Return (metadata, {name: (shape, bytes)})."""
        if path not in self._headers:
            with _failing_with(path):
                found = read_header(path)
                if any(len(name) > _MOST_NAME for name in found[1]):
                    raise FormatError(f"the name of a tensor is longer than {_MOST_NAME} characters")
                self._headers[path] = found
        return self._headers[path]

    def shape(self, path: str, name: str) -> tuple[int, ...]:
        return self.header(path)[1][name][0]

    def read(self, path: str, name: str, box: _layout.Box | None = None) -> torch.Tensor:
        """Return a tensor, or a box of it, reading only that."""
        import safetensors

        with _failing_with(path):
            if path not in self._open:
                self._open[path] = safetensors.safe_open(path, framework="pt").__enter__()
            if not box or box == tuple((0, size) for size in self.shape(path, name)):
                return self._open[path].get_tensor(name)
            return self._open[path].get_slice(name)[tuple(slice(*part) for part in box)].clone()


@contextmanager
def _failing_with(path: str) -> Iterator[None]:
    import safetensors

    try:
        yield
    except FileNotFoundError:
        raise ValueError(
            f"The safetensors file {path} does not exist. The file {MAP!r} beside it may be of another run."
        ) from None
    except (FormatError, safetensors.SafetensorError, UnicodeError, OSError) as error:
        raise ValueError(f"Failed to read the safetensors file {path!r:.1000}: {error}. The file is damaged.") from None


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
        TypeError, ValueError, NotADirectoryError: for wrong arguments, or if a file or slice that is needed is missing.
    """
    for name, value in (("src_dir", src_dir), ("src_strategy_file", src_strategy_file), ("dst_dir", dst_dir)):
        check_type(value, name, str, _WHERE)
    redundant = check_bool(merge_with_redundancy, "merge_with_redundancy", _WHERE)
    check_positive_int(max_process_num, "max_process_num", _WHERE)
    layouts = checked_strategy(src_strategy_file, "src_strategy_file")
    assert layouts is not None
    files, needed = _source_files(src_dir, src_strategy_file, dst_dir, file_suffix)
    with SafetensorsFiles() as reader:
        for path in files.values():
            redundant = _is_redundant(redundant, reader.header(path)[0].get(_MARK), path)
        source = {rank: path for rank, path in files.items() if not redundant or rank in needed}
        merger = _Merger(reader, source, layouts, choice_func)
        sizes = merger.sizes(files)
        if not sizes:
            raise ValueError(
                f"For '{_WHERE}', none of the parameters in {src_dir} is left: the strategy {src_strategy_file} does "
                "not know them, or 'choice_func' took none."
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
    if os.path.exists(dst_dir) and not os.path.isdir(dst_dir):
        raise NotADirectoryError(f"For '{_WHERE}', the argument 'dst_dir' must be a folder, but {dst_dir} is a file.")
    os.makedirs(dst_dir, mode=0o700, exist_ok=True)
    if not os.path.isdir(src_dir):
        raise ValueError(f"For '{_WHERE}', the argument 'src_dir' must be a folder, but got {src_dir}.")
    files = rank_files(src_dir, "safetensors", suffix)
    if files and rank_files(src_dir, "ckpt"):
        raise ValueError(f"For '{_WHERE}', the 'src_dir' {src_dir} must not have both ckpt and safetensors files.")
    needed = rank_list_for_transform(0, strategy)
    absent = [rank for rank in needed if rank not in files]
    if absent:
        raise ValueError(
            f"For '{_WHERE}', the safetensors file of rank {absent[0]} is needed for rank 0's, but it is missing in "
            f"{src_dir}."
        )
    return files, needed


def _is_redundant(wanted: bool, mark: str | None, path: str) -> bool:
    if mark in ("True", "False") and wanted is (mark == "True"):
        _log.warning(
            "For 'unified_safetensors', 'merge_with_redundancy' is %s, but %s says that redundancy was %s: that "
            "counts.",
            wanted,
            path,
            "removed" if wanted else "kept",
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
    if (
        not isinstance(split, (tuple, list))
        or len(split) != 2
        or not all(isinstance(item, int) for item in split)
        or not 1 <= split[0] <= split[1]
    ):
        raise ValueError(
            f"For '{_WHERE}', the argument 'split_dst_file' must be () or (n, of how many) with 1 <= n <= how many, "
            f"but got {split!r}."
        )
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
            for name, (shape, count) in self._reader.header(path)[1].items():
                if name not in self._layouts or name.startswith("accu_grads") or name in result or name in refused:
                    continue
                answer = True if self._choice is None else self._choice(name)
                if not isinstance(answer, (bool, str)):
                    raise ValueError(
                        "For 'unified_safetensors', the return value type of the function 'choice_func' must be bool "
                        f"or str, but got {type(answer)}."
                    )
                if answer is False:
                    refused.add(name)
                    continue
                new = answer if isinstance(answer, str) else name
                if new in self.names.values():
                    raise ValueError(
                        f"For 'unified_safetensors', 'choice_func' gives two parameters the name {new!r}, one of them "
                        f"to {name!r}."
                    )
                self.names[name] = new
                result[name] = count * math.prod(self._layouts[name].full_shape(shape)) // max(math.prod(shape), 1)
        return result

    def _whole(self, name: str) -> tuple[torch.Tensor, str]:
        """Return (the parameter, its word in the metadata)."""
        layout, word = self._layouts[name], ""
        slices: dict[int, str] = {}
        for rank, path in self._files.items():
            metadata, there = self._reader.header(path)
            if name in there:
                slices.setdefault(rank % self._devices, path)  # a parameter of several stages is that of the first
                word = metadata.get(name, word)
        if not slices:
            raise ValueError(
                f"The parameter {name!r} is in none of the files of the ranks {sorted(self._files)} that are needed "
                "for it."
            )
        shape = layout.full_shape(self._reader.shape(next(iter(slices.values())), name))
        box = tuple((0, size) for size in shape)
        wanted = _layout.needed_ranks(box, layout, shape, 0)
        if not set(wanted) <= set(slices):
            wanted = list(slices)
        data = {rank: self._reader.read(slices[rank], name) for rank in wanted}
        return _layout.assemble(box, data, layout, shape, f"the parameter {name!r}"), word

    def write(self, names: list[str], path: str) -> None:
        """Write a part."""
        values = {}
        for name in names:
            data, word = self._whole(name)
            values[self.names[name]] = as_parameter(data, self.names[name], word)
        _save(values, path, any(_MARK in self._reader.header(file)[0] for file in self._files.values()))

    def write_hyper(self, files: dict[int, str], folder: str) -> None:
        """Write the values that the strategy does not name, from the first rank that has them."""
        found: dict[str, torch.Tensor] = {}
        for path in files.values():
            metadata, there = self._reader.header(path)
            found.update(
                {
                    name: as_parameter(self._reader.read(path, name), name, metadata.get(name, ""))
                    for name in there
                    if name not in self._layouts and name not in found
                }
            )
        if found:
            _save(found, os.path.join(folder, HYPER), False)


def _save(values: dict[str, torch.Tensor], path: str, has_mark: bool) -> None:
    save_checkpoint(values, path, format="safetensors", remove_redundancy=False if has_mark else None)
