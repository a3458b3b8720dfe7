"""Reader from the bytes of a file to {name: Parameter, str or list}."""

from __future__ import annotations

import io
import mmap
import os
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_one_of, check_type
from mindspore_compat._format import ckpt as codec
from mindspore_compat._format import envelope
from mindspore_compat._format.decryption import decrypt
from mindspore_compat._format.dtypes import HIFLOAT8, INT4, STRING
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._random.lazy_init import move_when_used
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat._tensor.wrapping import byte_view
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.log import logger
from mindspore_compat.train._checkpoint.entries import FORMATS, IS_INT4, check_key
from mindspore_compat.train._checkpoint.lazy import ANYWHERE_UP_TO, DTYPES, LazyTensor, SourceFile, as_lazy

_OWNER = "load_checkpoint"
_CHUNK = 16 << 20
_READ_FROM = 1 << 18  # contents from this size on are read from the file, not copied out of the mapping
_OWN_FROM, _ARENA = 4 << 20, 32 << 20  # what is kept of small tensors keeps no more than 32 MiB
#: the attribute of a loaded Parameter that views a mapped file
VIEWS_FILE = "_views_file"


def _buffers(sizes: list[int]) -> Iterator[np.ndarray]:
    """Yield memory for contents. Small ones share a buffer large enough for huge pages, which halves the time of
    reading.
    """
    left = sum(size + 64 for size in sizes if size < _OWN_FROM)
    arena, place = np.empty(0, np.uint8), 0
    for size in sizes:
        if size >= _OWN_FROM:
            yield np.empty(size, np.uint8)
            continue
        if place + size > len(arena):
            arena, place = np.empty(max(min(left, _ARENA), size), np.uint8), 0
        yield arena[place : place + size]
        left -= size + 64
        place += size + -size % 64


class CheckpointFile:
    """The messages of a ``.ckpt`` file, mapped or decrypted, and their contents as tensors.

    Contents are views of the private mapping: in-place writes to a tensor do not reach the file. Protobuf aligns
    nothing, so most elements lie at odd addresses; docs/design/ckpt-format.md explains why that is good enough here.
    Contents in slices, elements of 16 bytes and other processors get separate memory.

    Raises:
        FormatError: if the file is encrypted and no key given, does not open with the key, or has the wrong CRC.
    """

    def __init__(self, path: str, key: bytes | None = None, mode: str = "AES-GCM", crc_check: bool = False) -> None:
        self._path, self._file = path, open_regular(path)
        try:
            self._open(key, mode, crc_check)
        except BaseException:
            self._file.close()
            raise

    def _open(self, key: bytes | None, mode: str, crc_check: bool) -> None:
        size = os.fstat(self._file.fileno()).st_size
        data = memoryview(mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_COPY) if size else b"")
        self.encryption = envelope.encryption_of(data)
        self._is_mapped = key is None
        if key is not None:
            data = memoryview(decrypt(data, key, mode))
        elif self.encryption:
            raise FormatError(f"it is encrypted with {self.encryption}: pass dec_key and dec_mode")
        self.messages, self.crc = envelope.split_crc(data)
        self._start = np.frombuffer(data, np.uint8).ctypes.data if len(data) else 0
        if crc_check and self.crc is not None:
            self.check_crc()

    def close(self) -> None:
        """Close the file; tensors keep the mapping as long as they need it."""
        self._file.close()

    def __enter__(self) -> CheckpointFile:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def check_crc(self, progress: Callable[[int], object] = lambda count: None) -> None:
        """Raise FormatError unless the stored CRC-32 is that of the messages; reads in chunks, so the mapping stays out
        of memory.

        ``progress`` is called with the length of each chunk.
        """
        crc = 0
        for start in range(0, len(self.messages), _CHUNK):
            end = min(start + _CHUNK, len(self.messages))
            crc = zlib.crc32(
                os.pread(self._file.fileno(), end - start, start) if self._is_mapped else self.messages[start:end], crc
            )
            progress(end - start)
        if crc != self.crc:
            raise FormatError(f"the CRC-32 of the data is {crc}, but {self.crc} is stored: the file is damaged")

    def values(self, keep: Callable[[str], bool] = lambda name: True) -> dict[str, Any]:
        """Return {name: Parameter, str or list} of the names that ``keep`` accepts."""
        entries = {name: entry for name, entry in codec.read(self.messages).items() if keep(name)}
        tensors = self._tensors(
            [entry for entry in entries.values() if isinstance(entry, codec.Entry) and entry.tensor_type != STRING]
        )
        return {name: _value(entry, tensors) for name, entry in entries.items()}

    def lazily(self) -> dict[str, Any]:
        """Return {name: LazyTensor, str or list}; only an encrypted file's contents are in memory."""
        file = SourceFile(self._file, self._path) if self._is_mapped else None
        return {name: self._lazy(entry, file) for name, entry in codec.read(self.messages).items()}

    def _lazy(self, entry: Any, file: SourceFile | None) -> LazyTensor | str | list[np.ndarray]:
        if isinstance(entry, codec.MapEntry) or entry.tensor_type == STRING:
            return _value(entry, iter(()))
        shape = codec.check_length(entry)[1]
        if file is None:
            return as_lazy(next(self._tensors([entry]))[0])
        parts = [np.frombuffer(part, np.uint8) for part in codec.parts_of(entry) if len(part)]
        return file.tensor([(part.ctypes.data - self._start, len(part)) for part in parts], shape, entry.tensor_type)

    def _tensors(self, entries: list[codec.Entry]) -> Iterator[tuple[torch.Tensor, bool]]:
        """Yield (tensor, whether it is a view of the file) of each entry, in order."""
        dims = [codec.check_length(entry)[1] for entry in entries]
        found = [_view(entry) for entry in entries]
        copied = [entry for entry, tensor in zip(entries, found) if tensor is None]
        copies = iter(self._copies(copied))
        for tensor, entry, shape in zip(found, entries, dims):
            if tensor is not None:
                yield tensor.view(shape), self._is_mapped
            else:
                yield torch.from_numpy(next(copies)).view(DTYPES[entry.tensor_type]).view(shape), False

    def _copies(self, entries: list[codec.Entry]) -> list[np.ndarray]:
        """Return the bytes of the contents in separate memory."""
        sizes = [entry.byte_count() for entry in entries]
        wholes = list(_buffers(sizes))
        if sum(sizes) > _CHUNK and len(entries) > 1:
            with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
                list(pool.map(self._fill, entries, wholes))
        else:
            for entry, whole in zip(entries, wholes):
                self._fill(entry, whole)
        return wholes

    def _fill(self, entry: codec.Entry, whole: np.ndarray) -> None:
        target, place = memoryview(whole.data), 0
        for part in codec.parts_of(entry):
            end = place + len(part)
            if self._is_mapped and len(part) >= _READ_FROM:  # read() spares the faults of two mappings
                self._read(target[place:end], np.frombuffer(part, np.uint8).ctypes.data - self._start)
            else:
                target[place:end] = part
            place = end

    def _read(self, target: memoryview, offset: int) -> None:
        while len(target):
            count = os.preadv(self._file.fileno(), [target[: 1 << 30]], offset)
            if count == 0:
                raise FormatError(f"the file became shorter while it was read, it ends at byte {offset}")
            target, offset = target[count:], offset + count


def _view(entry: codec.Entry) -> torch.Tensor | None:
    """Return a flat view of the elements, or None if they have to be copied."""
    content, dtype = entry.content, DTYPES[entry.tensor_type]
    if not entry.byte_count():
        return torch.empty(0, dtype=dtype)
    if isinstance(content, list):
        return None
    tensor = torch.frombuffer(content, dtype=dtype)
    return tensor if dtype.itemsize <= ANYWHERE_UP_TO or tensor.data_ptr() % dtype.itemsize == 0 else None


def as_parameter(data: torch.Tensor, name: str, tensor_type: str | None = None) -> Parameter:
    """The Parameter of a loaded tensor, of the type that the file says; FormatError for a name that no Parameter has.
    It moves to the current device when it is used.
    """
    if tensor_type == HIFLOAT8:
        raise TypeError(f"{name!r} is of {HIFLOAT8}, with which only Ascend computes. Leave it out by choice_func.")
    try:
        parameter = Parameter(data, name)
    except ValueError as error:
        raise FormatError(f"{error} It is {name[:100]!r}...") from None
    if tensor_type == INT4:
        setattr(parameter, IS_INT4, True)
    if current_device() is not CPU:
        move_when_used(parameter)
    return parameter


def _value(entry: Any, tensors: Iterator[tuple[torch.Tensor, bool]]) -> Any:
    """Return the Parameter, str or list of an entry; ``tensors`` yields all tensors in order."""
    if isinstance(entry, codec.MapEntry):
        return codec.to_arrays(entry)
    if entry.tensor_type == STRING:
        return entry.text()
    data, views_file = next(tensors)
    parameter = as_parameter(data, entry.name, entry.tensor_type)
    if views_file:
        setattr(parameter, VIEWS_FILE, True)
    return parameter


# --- safetensors ------------------------------------------------------------------------------------------------------


def _load_safetensors(
    source: str | io.BytesIO, crc_check: bool, keep: Callable[[str], bool]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return (values in the order of their names, metadata) of a safetensors file or the bytes of one."""
    tensors, metadata = _safetensors_tensors(source, crc_check, keep)
    return {name: as_parameter(tensors[name], name, metadata.get(name)) for name in sorted(tensors)}, metadata


def _safetensors_tensors(
    source: str | io.BytesIO, crc_check: bool, keep: Callable[[str], bool]
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    import safetensors
    import safetensors.torch

    try:
        if isinstance(source, io.BytesIO):
            data = source.getvalue()
            codec.check_count(data.count(b"data_offsets"), len(data))
            tensors, metadata = safetensors.torch.load(data), _metadata_of(data)
            crc = _crc(tensors) if crc_check else 0
            tensors = {name: tensor for name, tensor in tensors.items() if keep(name)}
        else:
            with safetensors.safe_open(source, framework="pt") as file:
                metadata = file.metadata() or {}
                names = list(file.keys())
                codec.check_count(len(names), os.path.getsize(source))
                crc = _crc({name: file.get_tensor(name) for name in names}) if crc_check else 0
                tensors = {name: file.get_tensor(name) for name in names if keep(name)}
    except (safetensors.SafetensorError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{error}") from None
    if crc_check and "crc_num" not in metadata:
        logger.warning("load_checkpoint: the safetensors file holds no CRC, so none is compared.")
    elif crc_check and str(crc) != metadata["crc_num"]:
        raise FormatError(f"the CRC-32 of the data is {crc}, but {metadata['crc_num']} is stored: the file is damaged")
    return tensors, metadata


def _metadata_of(data: bytes) -> dict[str, str]:
    import json

    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")]).get("__metadata__") or {}  # null is allowed


def _crc(tensors: dict[str, torch.Tensor]) -> int:
    crc = 0
    for name in sorted(tensors):
        crc = zlib.crc32(name.encode("utf-8"), crc)
        crc = zlib.crc32(byte_view(tensors[name].contiguous()).numpy(), crc)
    return crc


# --- load_checkpoint --------------------------------------------------------------------------------------------------


def read_values(
    name: str | io.BytesIO,
    format: str = "ckpt",
    key: bytes | None = None,
    mode: str = "AES-GCM",
    crc_check: bool = False,
    keep: Callable[[str], bool] = lambda name: True,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return ({name: Parameter, str or list} of the names that ``keep`` accepts, the metadata of a safetensors file).

    Raises:
        ValueError: with the name, if the file is missing, named wrongly, or damaged (with the byte).
    """
    check_key(_OWNER, "dec", key, mode, format)
    source = load_source(name, format)
    try:
        if format == "safetensors":
            return _load_safetensors(source, crc_check, keep)
        with CheckpointFile(str(source), key, mode, crc_check) as file:
            if crc_check and file.crc is None:
                logger.warning("load_checkpoint: %s holds no CRC, so none is compared.", source)
            return file.values(keep), {}
    except FormatError as error:
        raise ValueError(
            f"For '{_OWNER}', failed to read the checkpoint file {name}: {error}. The file is damaged, encrypted "
            "otherwise, or no MindSpore checkpoint."
        ) from None


def load_source(name: Any, format: Any) -> str | io.BytesIO:
    """Return the real path of the file, when no background process writes to it."""
    check_one_of(format, "format", FORMATS, _OWNER)
    if isinstance(name, io.BytesIO) and format == "safetensors":
        return name
    path = os.path.realpath(check_type(name, "ckpt_file_name", str, _OWNER))
    background_writer().wait_for(path)
    if not name.endswith(format):
        raise ValueError(f"For '{_OWNER}', the name of the file {name!r} must end with the 'format', {format!r}.")
    if not os.path.isfile(path):
        raise ValueError(f"For '{_OWNER}', there is no such file: {path} (the 'ckpt_file_name' is {name!r}).")
    return path


def as_prefixes(value: Any) -> tuple[str, ...]:
    """Return one prefix or several as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value or ())
