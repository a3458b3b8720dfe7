"""Writer of {name: tensor} files of any kind, by the extension, and of folders of them with an index."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import torch

from mindspore_compat._format import ckpt as codec
from mindspore_compat._runtime.files import replacing
from mindspore_compat._runtime.writer import background_writer
from mindspore_compat.train._checkpoint.entries import entries_of
from mindspore_compat.train._checkpoint.folders import ENDS, MAP, TORCH_ENDS, is_index
from mindspore_compat.train._checkpoint.lazy import DTYPES
from mindspore_compat.train._checkpoint.writing import MODE, as_buffers, checked_plan

SHARD_BYTES = 5 * 10**9  # as in transformers
#: format of a folder: name of its files, name of its index for each consumer
FOLDERS: dict[str, tuple[str, dict[str, str]]] = {
    "safetensors": ("model.safetensors", {"pt": "model.safetensors.index.json", "ms": MAP}),
    "ckpt": ("mindspore_model.ckpt", dict.fromkeys(("pt", "ms"), "mindspore_model.ckpt.index.json")),
    "bin": ("pytorch_model.bin", dict.fromkeys(("pt", "ms"), "pytorch_model.bin.index.json")),
}


def write_values(
    values: dict[str, Any],
    path: str,
    metadata_format: str = "ms",
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    crc: bool = False,
    progress: Callable[[int], Callable[[int], object] | None] = lambda total: None,
    format: str = "safetensors",
    shard_bytes: int = SHARD_BYTES,
    jobs: int = 1,
) -> list[str]:
    """Write a new file, or a new folder of files with an index; return the names of values that its kind cannot hold.

    Nothing is under the name, or what was there before, until all is written.

    Args:
        values: {name: tensor, LazyTensor, str or list}.
        path: a file, by its end; or a folder, which must not hold a checkpoint.
        metadata_format: the consumer named in a safetensors file: "ms", or "pt", which ``transformers`` needs.
        progress: gets the bytes to write, returns the function to call with the length of each piece.
        format: of a folder: "safetensors", "ckpt" or "bin".
        shard_bytes: the most bytes of tensors in a file of a folder; a larger tensor has a file of its own.
        jobs: files to write at a time.

    Raises:
        ValueError: if the end of the name is not known, the folder holds a checkpoint, or for options that the kind of
            file does not have. OSError: if it cannot be written.
    """
    is_folder = is_folder_name(path)
    kind = format if is_folder else os.path.splitext(path)[1][1:]
    if kind not in FOLDERS and f".{kind}" not in TORCH_ENDS:
        raise ValueError(f"the new file must end with {', '.join(ENDS)}, or with / for a folder, but is {path}")
    left_out = [] if kind == "ckpt" else [name for name, value in values.items() if isinstance(value, (str, list))]
    kept = {name: value for name, value in values.items() if name not in left_out}
    files, index = _in_shards(kept, path, kind, metadata_format, shard_bytes) if is_folder else ({path: kept}, None)
    with _new_folder(path) if is_folder else nullcontext():
        writers = [
            _writer(file_values, file, metadata_format, enc_key, enc_mode, crc) for file, file_values in files.items()
        ]
        with ExitStack() as stack:
            if index:  # left last, so the index comes when all files are there
                stack.enter_context(replacing(index[0])).write(index[1])
            streams = [stack.enter_context(replacing(writer.path, writer.mode)) for writer in writers]
            _write_all(writers, streams, progress(sum(writer.size for writer in writers)), jobs)
    if left_out:
        print(f"left out, since such a file holds tensors only: {', '.join(left_out)}", file=sys.stderr)
    return left_out


def is_folder_name(path: str) -> bool:
    """Return whether a checkpoint of this name is written as a folder: it is one, ends with a slash, or has no end."""
    return os.path.isdir(path) or path.endswith(("/", os.sep)) or not os.path.splitext(path)[1]


def _in_shards(
    values: dict[str, Any], folder: str, kind: str, consumer: str, shard_bytes: int
) -> tuple[dict[str, dict[str, Any]], tuple[str, bytes] | None]:
    """Return ({file: its values}, (index file, its content) if there are several)."""
    shards: list[dict[str, Any]] = [{}]
    total = used = 0
    for name, value in values.items():
        count = value.numel() * value.dtype.itemsize if hasattr(value, "numel") else 0
        if used + count > shard_bytes and shards[-1]:
            shards.append({})
            used = 0
        shards[-1][name] = value
        total, used = total + count, used + count
    name, indices = FOLDERS[kind]
    if len(shards) == 1:
        return {os.path.join(folder, name): shards[0]}, None
    head, end = os.path.splitext(name)
    names = [f"{head}-{number:05}-of-{len(shards):05}{end}" for number in range(1, len(shards) + 1)]
    places = {key: file for file, shard in zip(names, shards) for key in shard}
    text = json.dumps({"metadata": {"total_size": total}, "weight_map": places}, indent=2, sort_keys=True) + "\n"
    files = {os.path.join(folder, file): shard for file, shard in zip(names, shards)}
    return files, (os.path.join(folder, indices[consumer]), text.encode())


@contextmanager
def _new_folder(path: str) -> Iterator[None]:
    """Make the folder if it is missing; remove it again if it stays empty. ValueError if it holds a checkpoint."""
    is_new = not os.path.isdir(path)
    if is_new:
        os.mkdir(path)
    there = [name for name in os.listdir(path) if name.endswith(ENDS) or is_index(name)]
    if there:
        raise ValueError(f"{path} holds a checkpoint already, {there[0]}. Choose another folder")
    try:
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                os.rmdir(path)
        raise


def _write_all(
    writers: list[_Writer], streams: list[BinaryIO], progress: Callable[[int], object] | None, jobs: int
) -> None:
    """Write the files, several at a time; after an error in one the others stop soon."""
    lock, failed = threading.Lock(), threading.Event()

    def add(count: int) -> None:
        if failed.is_set():
            raise InterruptedError("another file could not be written")
        with lock:
            progress and progress(count)

    def write(writer: _Writer, stream: BinaryIO) -> None:
        writer.write(stream, add)
        stream.flush()
        os.fsync(stream.fileno())

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a job is a core
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(write, *pair) for pair in zip(writers, streams)]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            failed.set()
            raise
        finally:
            torch.set_num_threads(threads)


@dataclass
class _Writer:
    """A file to write: its path and mode, its size, and the function that writes it."""

    path: str
    mode: int | None
    size: int
    write: Callable[[BinaryIO, Callable[[int], object]], None]


def _writer(
    values: dict[str, Any], path: str, consumer: str, enc_key: bytes | None, enc_mode: str, crc: bool
) -> _Writer:
    if path.endswith(TORCH_ENDS):
        if enc_key or crc:
            raise ValueError("a torch file has neither encryption nor CRC")
        entries = entries_of(values, {}, None)
        return _Writer(path, None, _size(entries), lambda stream, progress: _write_torch(entries, stream, progress))
    plan = checked_plan(
        values,
        path,
        enc_key=enc_key,
        enc_mode=enc_mode,
        crc_check=crc,
        format="safetensors" if path.endswith(".safetensors") else "ckpt",
    )
    plan.metadata_format = consumer
    background_writer().wait_for(plan.path)  # an older write to this name must not finish later

    def write(stream: BinaryIO, progress: Callable[[int], object]) -> None:
        for piece in plan.buffers(progress):
            stream.write(piece)

    return _Writer(plan.path, MODE, _size(plan.entries), write)


def _size(entries: list[codec.Entry]) -> int:
    return sum(entry.byte_count() for entry in entries)


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


def _write_torch(entries: list[codec.Entry], stream: BinaryIO, progress: Callable[[int], object]) -> None:
    """Write as ``torch.save``, with the contents in an unnamed file beside it, not in memory."""
    values: dict[str, torch.Tensor] = {}
    with tempfile.TemporaryFile(dir=os.path.dirname(stream.name)) as contents:
        for entry in entries:
            start = contents.seek(-(-contents.tell() // 64) * 64)
            for piece in as_buffers(codec.parts_of(entry)):
                contents.write(piece)
                progress(len(piece))
            contents.flush()
            count, dtype = contents.tell() - start, DTYPES[entry.tensor_type]
            values[entry.name] = (
                torch.from_numpy(np.memmap(contents, np.uint8, "r+", start, (count,))).view(dtype).view(entry.dims)
                if count
                else torch.empty(entry.dims, dtype=dtype)
            )
        sink = _Sink(stream)
        try:
            torch.save(values, sink)
        except RuntimeError:
            if sink.error is None:
                raise
            raise sink.error from None
