"""Reader and writer of {name: tensor} files of any kind, by the extension: MindSpore's, safetensors, torch's."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._format import envelope
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import replacing
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.train._checkpoint.load import load_checkpoint
from mindspore_compat.train._checkpoint.reading import CheckpointFile
from mindspore_compat.train._checkpoint.save import Plan, checked_plan

__all__ = ["TORCH_ENDS", "is_safetensors", "mode_of", "opened", "read_values", "write_values"]

TORCH_ENDS = (".pth", ".pt", ".bin")


def is_safetensors(path: str) -> bool:
    """Return whether the name is a safetensors file's."""
    return path.endswith(".safetensors")


def mode_of(path: str, mode: str | None = None) -> str:
    """Return the encryption mode of the file: the argument, or that in the file."""
    with open_regular(path) as file:
        return mode or envelope.encryption_of(file.read(4)) or "AES-GCM"


# --- reading ----------------------------------------------------------------------------------------------------------


def read_values(path: str, key: bytes | None = None, mode: str | None = None) -> dict[str, Any]:
    """Return {name: tensor, str or list} of a file of any kind; of torch's, which are read as tensors only, also the
    content of 'state_dict'.

    Raises:
        FileNotFoundError: if there is none. ValueError: with the path, if it cannot be read.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(2, "No such file", path)
    if path.endswith(TORCH_ENDS):
        return _read_torch(path)
    if is_safetensors(path):
        return load_checkpoint(path, format="safetensors")
    with opened(path, key, mode) as file:  # a name needs no .ckpt here
        try:
            return file.values()
        except FormatError as error:
            raise ValueError(f"{path}: {error}") from None


def _read_torch(path: str) -> dict[str, Any]:
    try:
        _check_archive(path)
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(f"{path} can not be read as tensors only: {error}") from None
    state = state.get("state_dict", state) if isinstance(state, dict) else state
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ValueError(f"{path} is no state_dict: a dict of tensors is needed, or one under 'state_dict'")
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


# --- writing ----------------------------------------------------------------------------------------------------------


def write_values(
    values: dict[str, Any],
    path: str,
    metadata_format: str = "ms",
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    crc: bool = False,
    progress: Callable[[Plan], Callable[[int], object] | None] = lambda plan: None,
) -> list[str]:
    """Write the new file; return the names of values that its kind cannot hold.

    ``metadata_format`` is the consumer named in a safetensors file: "ms", or "pt", which ``transformers`` needs.
    ``progress`` gets the values to write and returns the function to call with the length of each piece.

    Raises:
        ValueError: if the end of the name is not known, or for options that the kind of file does not have. OSError: if
            it cannot be written.
    """
    left_out = (
        []
        if path.endswith(".ckpt")
        else [name for name, value in values.items() if not isinstance(value, torch.Tensor)]
    )
    values = {name: value for name, value in values.items() if name not in left_out}
    if path.endswith(TORCH_ENDS):
        if enc_key or crc:
            raise ValueError("a torch file has neither encryption nor CRC")
        _write_torch({name: plain(value).detach().clone() for name, value in values.items()}, path)
    elif path.endswith((".ckpt", ".safetensors")):
        plan = checked_plan(
            values,
            path,
            enc_key=enc_key,
            enc_mode=enc_mode,
            crc_check=crc,
            format="safetensors" if is_safetensors(path) else "ckpt",
        )
        plan.metadata_format = metadata_format
        plan.write(progress(plan))
    else:
        raise ValueError(
            f"the name of the new file must end with .ckpt, .safetensors or {', '.join(TORCH_ENDS)}, but is {path}"
        )
    if left_out:
        print(f"left out, since such a file holds tensors only: {', '.join(left_out)}", file=sys.stderr)
    return left_out


class _Sink:
    """File object for torch, which hides errors of a failed write; this one keeps the first."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return int(self._file.write(data))
        except OSError as error:
            self.error = self.error or error
            raise

    def flush(self) -> None:
        self._file.flush()


def _write_torch(values: dict[str, torch.Tensor], path: str) -> None:
    """Write as ``torch.save``, but never an incomplete file; raise OSError with its name if it cannot be written."""
    with replacing(path) as file:
        sink = _Sink(file)
        try:
            torch.save(values, sink)
        except RuntimeError:
            if sink.error is None:
                raise
            raise sink.error from None
