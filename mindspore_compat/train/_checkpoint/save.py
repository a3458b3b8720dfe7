"""`save_checkpoint`: from its arguments to the file, or to the background process."""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mindspore_compat._api.errors import warn_once
from mindspore_compat._api.validate import check_bool, check_isinstance
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope, safetensors
from mindspore_compat._format.dtypes import INT4, STRING
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._runtime.writer import background_writer, is_available
from mindspore_compat.train._checkpoint.entries import TensorBytes, check_append_dict, entries_of
from mindspore_compat.train._checkpoint.keys import FORMATS, check_key
from mindspore_compat.train._checkpoint.lazy import Content

__all__ = ["MODE", "Plan", "async_ckpt_thread_status", "check_async_save", "checked_plan", "save_checkpoint"]

MODE = stat.S_IRUSR  # as in MindSpore
_FETCH_BYTES = 64 << 20  # of a tensor on a device at a time
_SAVE_OPTIONS = ("incremental", "global_step_num", "remove_redundancy")


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Callable[[str], bool] | None = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Write the parameters of ``save_obj`` to a file in MindSpore's format; the file is never incomplete.

    Args:
        save_obj: a Cell (its Parameters by name), a torch module (by MindSpore names), a list of Parameters or of
            {"name", "data"} dicts, or a dict of Tensors, arrays, numbers or strings.
        ckpt_file_name: the file; ``.ckpt`` is added if the name does not end with "ckpt". An older file is replaced.
        async_save: True, "process" or "thread": copy the values, return, and let another process write
            (docs/design/ckpt-format.md); an error is raised by the next save, or by the end of `Model.train`, and
            logged at the interpreter's end.
        integrated_save: of Parameters that are cut over processes, save the whole (all processes must call this), not
            this process's part.
        append_dict: further values: int, float, bool, str, Tensor, Generator.
        enc_key: 16, 24 or 32 bytes to encrypt with; needs the package cryptography.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC" (16 bytes).
        choice_func: takes a name, returns whether to save it.
        crc_check: store a CRC-32.
        format: "ckpt" or "safetensors".
        kwargs: remove_redundancy (a mark in safetensors files); incremental and global_step_num are for hash tables and
            for storage services that do not exist here and have no effect.

    Raises:
        TypeError, ValueError: for wrong arguments or values. FileNotFoundError: if the folder does not exist. OSError:
            with the path, if the file cannot be written.

    Examples:
        >>> ms.save_checkpoint(nn.Dense(3, 2), "net.ckpt")
        >>> print(sorted(ms.load_checkpoint("net.ckpt")))
        ['bias', 'weight']
    """
    plan = checked_plan(
        save_obj,
        ckpt_file_name,
        integrated_save,
        async_save,
        append_dict,
        enc_key,
        enc_mode,
        choice_func,
        crc_check,
        format,
        **kwargs,
    )
    if async_save:
        plan.submit()
    else:
        plan.write()


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
    **kwargs: Any,
) -> Plan:
    """Return the content that `save_checkpoint` writes for these arguments."""
    path = _save_path(save_obj, ckpt_file_name, format)
    check_bool(integrated_save, "integrated_save", "save_checkpoint")
    check_async_save(async_save, "save_checkpoint")
    appended = check_append_dict(append_dict)
    unknown = set(kwargs) - set(_SAVE_OPTIONS)
    if unknown:
        raise ValueError(
            f"For 'save_checkpoint', the keyword arguments {sorted(unknown)} are not recognized; there are "
            f"{list(_SAVE_OPTIONS)}."
        )
    check_key("save_checkpoint", "enc", enc_key, enc_mode, format)
    remove_redundancy = check_isinstance(
        kwargs.get("remove_redundancy"), "remove_redundancy", (type(None), bool), "save_checkpoint"
    )
    if check_isinstance(crc_check, "crc_check", bool, "save_checkpoint") and enc_key is not None:
        raise ValueError(
            "For 'save_checkpoint', 'crc_check' can not be used together with 'enc_key': no reader opens such a file. "
            "AES-GCM notices damage by itself."
        )
    return Plan(
        path,
        entries_of(save_obj, appended, choice_func, integrated_save),
        format,
        crc_check,
        enc_key,
        enc_mode,
        remove_redundancy,
    )


def check_async_save(value: Any, owner: str) -> Any:
    """Return the value, if it is a bool, "process" or "thread"."""
    if not isinstance(value, (bool, str)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'async_save' must be bool or str, but got {type(value)}. It is "
            f"{owner}'s."
        )
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(
            f"For 'save_checkpoint', the argument 'async_save' can only be 'process' or 'thread',but got {value}. "
            f"It is {owner}'s; a bool serves as well."
        )
    return value


def _save_path(save_obj: Any, name: Any, format: Any) -> str:
    if format not in FORMATS:
        raise ValueError(f"For 'save_checkpoint', the format must be 'safetensors' or 'ckpt', but got {format}.")
    if not isinstance(save_obj, (torch.nn.Module, list, tuple, dict)):
        raise TypeError(
            f"For 'save_checkpoint', the parameter 'save_obj' must be nn.Cell, list or dict, but got {type(save_obj)}."
        )
    if not isinstance(name, str):
        raise TypeError(
            f"For 'save_checkpoint', the parameter {name} for checkpoint file name is invalid,'ckpt_file_name' must be "
            f"string, but got {type(name)}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"For 'save_checkpoint', the parameter `ckpt_file_name`: {path} is a directory, it must be a file name."
        )
    if not path.endswith(format):
        path += "." + format
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"For 'save_checkpoint', the folder {folder} of 'ckpt_file_name' does not exist. Create it first."
        )
    return path


def async_ckpt_thread_status() -> bool:
    """Return whether a checkpoint is being saved in the background. Deprecated in MindSpore since 2.5."""
    return bool(background_writer().pending())


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
                raise ValueError(
                    f"For 'save_checkpoint', {entry.name!r} is a str, which the format 'safetensors' can not hold. "
                    "Leave it out, or use format='ckpt'."
                )
        try:
            return iter(list(safetensors.write(self.entries, self._metadata())))
        except FormatError as error:
            raise TypeError(f"For 'save_checkpoint' with format='safetensors', {error}. Use format='ckpt'.") from None

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
            warn_once(
                "async_save",
                "save_checkpoint: async_save needs a POSIX system; the file is written before the call returns.",
            )
            self.write()
            for path in obsolete:
                os.remove(path)
            return
        background_writer().submit(
            self.path, self.pieces(), MODE, self.has_crc_tail, self.enc_key, self.enc_mode, obsolete
        )

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
