"""MINDIR of more than 1 GiB of Parameters: ``NAME_graph.mindir``, and their contents in ``NAME_variables/data_0``, as
upstream.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from mindspore_compat._runtime.files import write_atomically
from mindspore_compat.common._wrap import plain

__all__ = ["write_separately"]

_log = logging.getLogger("mindspore_compat")
_HEAD = b"\x01" + bytes(63)  # 1: little endian
_STEP = 64


def _contents(parameters: Sequence[tuple[Any, torch.Tensor]]) -> Iterator[Any]:
    yield _HEAD
    for _, data in parameters:
        flat = plain(data).cpu().contiguous().reshape(-1)
        if flat.numel():
            yield memoryview(flat.view(torch.uint8).numpy())
        yield bytes(-flat.numel() * flat.element_size() % _STEP)


def write_separately(path: str, model: Any, parameters: Sequence[tuple[Any, torch.Tensor]]) -> None:
    """Write the graph without contents and a file with those of ``parameters``: (message in the graph, tensor).

    Args:
        path: the name that a file in one piece would have.
    """
    stem = path.removesuffix(".mindir")
    location = os.path.join(f"{os.path.basename(stem)}_variables", "data_0")
    place = len(_HEAD)
    for message, data in parameters:
        message.ClearField("raw_data")
        length = data.numel() * data.element_size()
        message.external_data.location, message.external_data.offset, message.external_data.length = (
            location,
            place,
            length,
        )
        place += length + -length % _STEP
    os.makedirs(f"{stem}_variables", mode=0o700, exist_ok=True)
    write_atomically(os.path.join(os.path.dirname(path), location), _contents(parameters), stat.S_IRUSR)
    write_atomically(f"{stem}_graph.mindir", [model.SerializeToString(deterministic=True)], stat.S_IRUSR)
    _log.warning(
        "export: the parameters are more than 1 GiB: the graph stands in %s_graph.mindir, which mindspore.load takes, "
        "and the parameters in %s_variables beside it.",
        stem,
        stem,
    )
