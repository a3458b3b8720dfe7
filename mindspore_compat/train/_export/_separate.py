"""MINDIR of more than 1 GiB of Parameters: ``NAME_graph.mindir``, and their contents in ``NAME_variables/data_0``, as
in MindSpore.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch

from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._tensor.wrapping import byte_view, plain

_log = logging.getLogger("mindspore_compat")
_HEAD = b"\x01" + bytes(63)  # 1: little endian
_STEP = 64


def _contents(parameters: Sequence[tuple[Any, torch.Tensor]]) -> Iterator[Any]:
    yield _HEAD
    for _, data in parameters:
        flat = byte_view(plain(data).cpu().contiguous())
        if len(flat):
            yield memoryview(flat.numpy())
        yield bytes(-_length(data) % _STEP)


def _length(data: torch.Tensor) -> int:
    return data.numel() * data.element_size()


def _files(parameters: Sequence[tuple[Any, torch.Tensor]], most: float) -> list[list[tuple[Any, torch.Tensor]]]:
    """Return the parameters of each file, of up to ``most`` bytes."""
    files, size = [list[tuple[Any, torch.Tensor]]()], float(len(_HEAD))
    for message, data in parameters:
        size += _length(data) + -_length(data) % _STEP
        if size > most:
            if not files[-1]:
                raise RuntimeError("For 'export', a Parameter is larger than a file may be, 1 TiB.")
            files.append([])
            size = len(_HEAD) + _length(data) + -_length(data) % _STEP
        files[-1].append((message, data))
    return files


def write_separately(
    path: str,
    model: Any,
    parameters: Sequence[tuple[Any, torch.Tensor]],
    most: float,
    encrypted: Callable[[Iterable[Any]], Iterable[Any]],
) -> None:
    """Write the graph without contents and files with those of ``parameters``: (message in the graph, tensor).

    Args:
        path: the name that a file in one piece would have.
        most: bytes of one file of parameters.
        encrypted: what the pieces of a file become.

    Raises:
        RuntimeError: for a parameter that no file takes.
    """
    stem = path.removesuffix(".mindir")
    folder = f"{os.path.basename(stem)}_variables"
    files = _files(parameters, most)
    os.makedirs(f"{stem}_variables", mode=0o700, exist_ok=True)
    for number, held in enumerate(files):
        place, location = len(_HEAD), os.path.join(folder, f"data_{number}")
        for message, data in held:
            message.ClearField("raw_data")
            entry, length = message.external_data, _length(data)
            entry.location, entry.offset, entry.length = location, place, length
            place += length + -length % _STEP
        write_atomically(os.path.join(os.path.dirname(path), location), encrypted(_contents(held)), stat.S_IRUSR)
    pieces = [model.SerializeToString(deterministic=True)]
    write_atomically(f"{stem}_graph.mindir", list(encrypted(pieces)), stat.S_IRUSR)
    _log.warning(
        "export: the parameters are more than 1 GiB: the graph stands in %s_graph.mindir, which mindspore.load takes, "
        "and the parameters in %s_variables beside it.",
        stem,
        stem,
    )
