"""Writer of a checkpoint: from the arguments of `save_checkpoint` to the file, or to the background process."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mindspore_compat._api.errors import warn_once
from mindspore_compat._api.validate import check_one_of, check_type
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope, safetensors
from mindspore_compat._format.dtypes import INT4, STRING
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._runtime.writer import background_writer, is_available
from mindspore_compat.train._checkpoint.entries import FORMATS, TensorBytes, check_key, entries_of
from mindspore_compat.train._checkpoint.lazy import Content

MODE = stat.S_IRUSR  # as in MindSpore
_OWNER = "save_checkpoint"
_FETCH_BYTES = 64 << 20  # of a tensor on a device at a time


def checked_plan(
    save_obj: Any,
    ckpt_file_name: Any,
    integrated_save: Any = True,
    async_save: Any = False,
    append_dict: Any = None,
    enc_key: Any = None,
    enc_mode: Any = "AES-GCM",
    choice_func: Any = None,
    crc_check: Any = False,
    format: Any = "ckpt",
    incremental: Any = None,
    global_step_num: Any = None,
    remove_redundancy: bool | None = None,
) -> Plan:
    """Return the content that `save_checkpoint` writes for these arguments."""
    path = _save_path(save_obj, ckpt_file_name, format)
    check_key(_OWNER, "enc", enc_key, enc_mode, format)
    if crc_check and enc_key is not None:
        raise ValueError(f"For '{_OWNER}', no reader opens a file with 'crc_check' and 'enc_key': leave one out.")
    entries = entries_of(save_obj, append_dict or {}, choice_func, integrated_save)
    return Plan(path, entries, format, crc_check, enc_key, enc_mode, remove_redundancy)


def _save_path(save_obj: Any, name: Any, format: Any) -> str:
    check_one_of(format, "format", FORMATS, _OWNER)
    check_type(save_obj, "save_obj", (torch.nn.Module, list, tuple, dict), _OWNER)
    path = os.path.realpath(check_type(name, "ckpt_file_name", str, _OWNER))
    if os.path.isdir(path):
        raise IsADirectoryError(f"For '{_OWNER}', the 'ckpt_file_name' {path} is a folder: give a file name.")
    if not path.endswith(format):
        path += "." + format
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"For '{_OWNER}', the folder {folder} of 'ckpt_file_name' does not exist: make it.")
    return path


# --- the file ---------------------------------------------------------------------------------------------------------


@dataclass
class Plan:
    """Plan of a file to write: its contents, its format, and the envelope."""

    path: str
    entries: list[codec.Entry]
    format: str = "ckpt"
    crc_check: bool = False
    enc_key: bytes | None = None
    enc_mode: str = "AES-GCM"
    remove_redundancy: bool | None = None
    metadata_format: str = "ms"

    def pieces(self) -> Iterator[Any]:
        """Return the plain bytes: buffers and flat uint8 tensors."""
        if self.format == "ckpt":
            return codec.write(self.entries)
        for entry in self.entries:
            if entry.tensor_type == STRING:
                raise ValueError(f"For '{_OWNER}', {entry.name!r} is a str, which needs format='ckpt'.")
        try:
            return iter(list(safetensors.write(self.entries, self._metadata())))
        except FormatError as error:
            raise TypeError(f"For '{_OWNER}' with format='safetensors', {error}. Use format='ckpt'.") from None

    def _metadata(self) -> dict[str, str]:
        if not self.entries:
            return {}
        result = {"format": self.metadata_format}
        if self.remove_redundancy is not None:
            result["remove_redundancy"] = str(self.remove_redundancy)
        result.update({entry.name: INT4 for entry in self.entries if entry.tensor_type == INT4})
        if self.crc_check:
            result["crc_num"] = str(_crc_by_name(self.entries))
        return result

    @property
    def has_crc_tail(self) -> bool:
        return self.crc_check and self.format == "ckpt"

    def submit(self, obsolete: Sequence[str] = ()) -> None:
        """Write it in the background (now if the system cannot); ``obsolete`` files are deleted when it is complete."""
        if not is_available():
            warn_once("async_save", f"{_OWNER}: async_save needs a POSIX system; the file is written now.")
            self.write()
            for path in obsolete:
                os.remove(path)
            return
        crc = self.has_crc_tail
        background_writer().submit(self.path, self.pieces(), MODE, crc, self.enc_key, self.enc_mode, obsolete)

    def write(self, progress: Callable[[int], object] | None = None) -> None:
        """Write it now; ``progress`` is called with the length of each written piece."""
        background_writer().wait_for(self.path)  # an older write to this name must not finish later
        write_atomically(self.path, self.buffers(progress), MODE)

    def buffers(self, progress: Callable[[int], object] | None = None) -> Iterator[Any]:
        """Yield the bytes of the file in buffers; ``progress`` is called with the plain length of each."""
        pieces = as_buffers(self.pieces())
        if progress:
            pieces = _notifying(pieces, progress)
        if self.enc_key is not None:
            return envelope.encrypt(pieces, self.enc_key, self.enc_mode)
        return envelope.crc_of(pieces) if self.has_crc_tail else pieces


def _notifying(pieces: Iterable[Any], progress: Callable[[int], object]) -> Iterator[Any]:
    for piece in pieces:
        for start in range(0, len(piece), _FETCH_BYTES):
            part = piece[start : start + _FETCH_BYTES]
            yield part
            progress(len(part))


def as_buffers(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield the pieces with tensors as buffers; those on a device are copied in parts."""
    for piece in pieces:
        if isinstance(piece, TensorBytes):
            yield piece.flat().numpy()
        elif isinstance(piece, Content):
            yield from piece.pieces()
        elif not isinstance(piece, torch.Tensor):
            yield piece
        elif piece.device.type == "cpu":
            yield piece.numpy()
        else:
            for part in piece.split(_FETCH_BYTES):
                yield part.cpu().numpy()


def _crc_by_name(entries: list[codec.Entry]) -> int:
    """Return the CRC-32 of a safetensors file: names and contents in the order of the names."""
    crc = 0
    for entry in sorted(entries, key=lambda entry: entry.name):
        crc = zlib.crc32(entry.name.encode("utf-8"), crc)
        for part in as_buffers(codec.parts_of(entry)):
            crc = zlib.crc32(part, crc)
    return crc
