"""``mindspore.load_mindir`` and ``save_mindir``: a MINDIR file as protobuf's message, without running it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from mindspore_compat._format.proto.mindir import ModelProto
from mindspore_compat._format.source import read_regular
from mindspore_compat._runtime.files import write_atomically


def load_mindir(file_name: str) -> Any:
    """Return the file's ModelProto.

    Raises:
        ValueError: if it is no MINDIR file. OSError: if it cannot be read.
    """
    model = ModelProto()
    try:
        model.ParseFromString(read_regular(os.path.realpath(file_name)))
    except DecodeError as error:
        raise ValueError(f"For 'load_mindir', the file '{file_name}' is no MINDIR file: {error}") from error
    return model


def save_mindir(model: Any, file_name: str) -> None:
    """Write a ModelProto; ".mindir" is added to a name without it. The file may be read by its owner only."""
    path = Path(os.path.realpath(file_name))
    if path.suffix != ".mindir":
        path = path.with_name(path.name + ".mindir")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(str(path), [model.SerializeToString()], 0o400)
