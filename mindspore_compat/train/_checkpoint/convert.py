"""Conversion of checkpoints to the other format, one or many. MindSpore: ``mindspore.ckpt_to_safetensors`` and its
opposite.
"""

from __future__ import annotations

import os
import re
from typing import Any

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.train._checkpoint.load import load_checkpoint
from mindspore_compat.train._checkpoint.save import save_checkpoint

__all__ = ["ckpt_to_safetensors", "safetensors_to_ckpt"]


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write ``.ckpt`` files again as ``.safetensors``.

    Args:
        file_path: a file, or a folder of folders ``rank*`` with files.
        save_path: folder of the new files, made if missing; None: beside the old ones.
        name_map: {old parameter name: new name}.
        file_name_regex: take only files in whose name it is found.
        processes_num: without effect, the work is done in this process.

    Raises:
        ValueError: for wrong arguments, or if a file holds text, which safetensors cannot.
    """
    _convert(
        "ckpt_to_safetensors", ("ckpt", "safetensors"), file_path, save_path, name_map, file_name_regex, processes_num
    )


def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write ``.safetensors`` files as ``.ckpt``: the inverse of `ckpt_to_safetensors`, with the same arguments."""
    _convert(
        "safetensors_to_ckpt", ("safetensors", "ckpt"), file_path, save_path, name_map, file_name_regex, processes_num
    )


def _convert(
    where: str, formats: tuple[str, str], file_path: Any, save_path: Any, name_map: Any, regex: Any, processes_num: Any
) -> None:
    old, new = formats
    if not isinstance(file_path, str) or not os.path.exists(file_path):
        raise ValueError(f"For '{where}', the argument 'file_path' must be a file or folder, but got {file_path!r}.")
    if save_path is not None and (not isinstance(save_path, str) or os.path.splitext(save_path)[1]):
        raise ValueError(f"For '{where}', the argument 'save_path' must be a folder, but got {save_path!r}.")
    if name_map is not None and not isinstance(name_map, dict):
        raise ValueError(f"For '{where}', the argument 'name_map' must be a dict, but got {type(name_map).__name__}.")
    check_positive_int(processes_num, "processes_num", where)
    for source, folder in _sources(where, old, file_path, save_path, regex):
        os.makedirs(folder, exist_ok=True)
        values = {
            (name_map or {}).get(name, name): value for name, value in load_checkpoint(source, format=old).items()
        }
        target = os.path.join(folder, os.path.basename(source)[: -len(old)] + new)
        save_checkpoint(values, target, format=new)


def _sources(where: str, old: str, path: str, save_path: str | None, regex: str | None) -> list[tuple[str, str]]:
    """Return [(file, folder of the new file)]."""

    def matches(name: str) -> bool:
        return regex is None or bool(re.search(regex, name))

    if os.path.isfile(path):
        if not path.endswith(f".{old}"):
            raise ValueError(f"For '{where}', the file must be a .{old} file, but got {path}.")
        if not matches(path):
            raise ValueError(f"For '{where}', the file {path} does not match the 'file_name_regex' {regex!r}.")
        return [(path, save_path or os.path.dirname(path))]
    ranks = sorted(
        name for name in os.listdir(path) if name.startswith("rank") and os.path.isdir(os.path.join(path, name))
    )
    if not ranks:
        raise ValueError(
            f"For '{where}', no folders that start with 'rank' found in {path}. Pass a single file, or put the files "
            "into rank_0."
        )
    found = [
        (os.path.join(path, rank, name), os.path.join(save_path or path, rank))
        for rank in ranks
        for name in sorted(os.listdir(os.path.join(path, rank)))
        if name.endswith(f".{old}") and matches(name)
    ]
    return [item for item in found if os.path.isfile(item[0])]  # no folders, FIFOs or sockets
