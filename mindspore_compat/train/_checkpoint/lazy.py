"""Tensors of checkpoints that are read, or computed, when they are written."""

from __future__ import annotations

import mmap
import os
import platform
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import torch

from mindspore_compat._format.dtypes import HIFLOAT8, INT4, NUMPY_OF
from mindspore_compat._format.safetensors import DTYPES as WORDS
from mindspore_compat._format.safetensors import read_places
from mindspore_compat._format.source import open_regular
from mindspore_compat._format.wire import FormatError
from mindspore_compat._tensor.wrapping import byte_view, plain
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype

#: torch dtypes of the types in a file
DTYPES: dict[str, torch.dtype] = {
    **{name: to_torch_dtype(name) for name in NUMPY_OF if name not in (INT4, HIFLOAT8)},
    INT4: torch.int8,
    HIFLOAT8: torch.uint8,
}
#: On x86-64 torch reads and writes elements of up to 8 bytes at any address (its code for complex128 wants 16: a
#: segmentation fault).
#: Elsewhere elements are aligned: AArch64 loads and stores anywhere too, but not in atomic additions (a SIGBUS), which
#: torch uses for ``index_put_(accumulate=True)``.
ANYWHERE_UP_TO = 8 if platform.machine().lower() in ("x86_64", "amd64") else 1
PORTION = 1 << 20  # bytes that are read and written at a time
_MOST_READ = 1 << 30  # of one system call
_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


class LazyTensor:
    """A tensor whose shape and dtype are known, and whose elements are read or computed later.

    Args:
        meta: its shape and dtype, on the device "meta".
        read: takes (start, stop) in the flattened tensor and returns these elements, flat.
        load: returns the whole tensor; None: by ``read``.
        tensor_type: its type in a ``.ckpt`` file; None: that of the dtype.
    """

    def __init__(
        self,
        meta: torch.Tensor,
        read: Callable[[int, int], torch.Tensor],
        load: Callable[[], torch.Tensor] | None = None,
        tensor_type: str | None = None,
    ) -> None:
        self.meta, self.shape, self.dtype, self.read = meta, tuple(meta.shape), meta.dtype, read
        self.tensor_type = tensor_type or dtype_name(meta.dtype)
        self._load = load

    def numel(self) -> int:
        """Return the number of elements."""
        return self.meta.numel()

    def tensor(self) -> torch.Tensor:
        """Return the tensor, of a file a private mapping where the elements are aligned."""
        return self.read(0, self.numel()).view(self.shape) if self._load is None else self._load()

    def portions(self) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of portions to read."""
        step = PORTION // self.dtype.itemsize
        for start in range(0, self.numel(), step):
            yield start, min(start + step, self.numel())


class Content:
    """The bytes of a `LazyTensor`, as the content of a `codec.Entry`; slices are the same of a part."""

    is_cuda = False

    def __init__(self, tensor: LazyTensor, start: int = 0, stop: int | None = None) -> None:
        self._tensor, self._start, self._stop = tensor, start, tensor.meta.nbytes if stop is None else stop

    def __len__(self) -> int:
        return self._stop - self._start

    def data_ptr(self) -> int:
        """Return no address: the bytes are nowhere yet."""
        return 0

    def __getitem__(self, part: slice) -> Content:
        start, stop, _ = part.indices(len(self))
        return Content(self._tensor, self._start + start, self._start + stop)

    def pieces(self) -> Iterator[np.ndarray]:
        """Yield the bytes in buffers."""
        size = self._tensor.dtype.itemsize
        for start in range(self._start, self._stop, PORTION):
            elements = self._tensor.read(start // size, min(start + PORTION, self._stop) // size)
            yield byte_view(elements.contiguous().cpu()).numpy()


class SourceFile:
    """An open file, which stays open until nothing refers to it."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self.path, self._handle, self.size = path, os.dup(file.fileno()), os.fstat(file.fileno()).st_size
        weakref.finalize(self, os.close, self._handle)

    def tensor(self, ranges: Sequence[tuple[int, int]], shape: Sequence[int], tensor_type: str) -> LazyTensor:
        """Return the tensor whose bytes are in these ranges of the file: (offset, length)."""
        meta = torch.empty(tuple(shape), dtype=DTYPES[tensor_type], device="meta")
        load = partial(self._mapped, *ranges[0], meta) if len(ranges) == 1 and meta.numel() else None
        return LazyTensor(meta, partial(self._read, ranges, meta.dtype), load, tensor_type)

    def _read(self, ranges: Sequence[tuple[int, int]], dtype: torch.dtype, start: int, stop: int) -> torch.Tensor:
        result = torch.empty(stop - start, dtype=dtype)
        target, skipped = memoryview(byte_view(result).numpy().data), start * dtype.itemsize
        for offset, count in ranges:
            wanted = max(min(count - skipped, len(target)), 0)
            self._fill(target[:wanted], offset + skipped)
            target, skipped = target[wanted:], max(skipped - count, 0)
        return result

    def _fill(self, target: memoryview, offset: int) -> None:
        while len(target):
            count = os.preadv(self._handle, [target[:_MOST_READ]], offset)
            if count == 0:
                raise FormatError(f"{self.path} became shorter while it was read, it ends at byte {offset}")
            target, offset = target[count:], offset + count

    def _mapped(self, offset: int, count: int, meta: torch.Tensor) -> torch.Tensor:
        """Return a view of the file, or its elements in memory if they are not aligned there."""
        start, size = offset % mmap.ALLOCATIONGRANULARITY, meta.dtype.itemsize
        if (size > ANYWHERE_UP_TO and offset % size) or offset + count > self.size:
            return self._read([(offset, count)], meta.dtype, 0, meta.numel()).view(meta.shape)
        data = mmap.mmap(self._handle, count + start, access=mmap.ACCESS_COPY, offset=offset - start)
        if hasattr(mmap, "MADV_WILLNEED"):
            data.madvise(mmap.MADV_WILLNEED)
        return torch.frombuffer(data, dtype=meta.dtype, offset=start, count=meta.numel()).view(meta.shape)


def open_safetensors(path: str) -> tuple[dict[str, str], dict[str, LazyTensor]]:
    """Return (metadata, {name: tensor} in the order of the header); FormatError if the file is damaged."""
    with open_regular(path) as stream:
        metadata, places = read_places(stream, path)
        file = SourceFile(stream, path)
    kinds = {word: kind for kind, word in WORDS.items() if kind != INT4}
    unknown = {place.dtype for place in places.values()} - set(kinds)
    if unknown:
        raise FormatError(f"{path} has tensors of the dtypes {sorted(unknown)}, which are not known")
    return metadata, {
        name: file.tensor(
            [(place.first, place.last - place.first)],
            place.shape,
            INT4 if metadata.get(name) == INT4 else kinds[place.dtype],
        )
        for name, place in places.items()
    }


def as_lazy(tensor: torch.Tensor) -> LazyTensor:
    """Return a tensor in memory as one that is read when it is written."""
    value = plain(tensor).resolve_conj().resolve_neg()
    return computed(torch.empty(value.shape, dtype=value.dtype, device="meta"), lambda: value)


def computed(meta: torch.Tensor, load: Callable[[], torch.Tensor], tensor_type: str | None = None) -> LazyTensor:
    """Return the tensor that ``load`` makes; it stays in memory from the reading of its first to its last element."""
    held: list[torch.Tensor] = []

    def read(start: int, stop: int) -> torch.Tensor:
        if not held:
            held.append(load().contiguous().view(-1))
        result = held[0][start:stop]
        if stop == meta.numel():
            held.clear()
            result = result.clone()  # so that a reader of the next tensor does not hold this one
        return result

    return LazyTensor(meta, read, load, tensor_type)


def part_of(value: LazyTensor, start: int, meta: torch.Tensor) -> LazyTensor:
    """Return the elements from ``start`` on in another shape."""
    return LazyTensor(
        meta,
        lambda first, last: value.read(start + first, start + last),
        lambda: value.tensor().reshape(-1)[start : start + meta.numel()].view(meta.shape),
        value.tensor_type,
    )


def cast(name: str, value: Any, dtype: torch.dtype) -> Any:
    """Return a floating-point tensor of 16 bits or more in another dtype, any other value as it is.

    Raises:
        ValueError: when it is read, with the name, if a finite element becomes infinite.
    """
    if not isinstance(value, LazyTensor) or value.dtype not in _FLOATS or value.dtype is dtype:
        return value

    limit = torch.finfo(dtype).max

    def converted(source: torch.Tensor) -> torch.Tensor:
        result = (source.float() if source.itemsize == dtype.itemsize else source).to(dtype)  # faster by way of float32
        low, high = map(float, source.aminmax()) if source.numel() else (0.0, 0.0)
        if not -limit <= low <= high <= limit and not torch.equal(result.isfinite(), source.isfinite()):
            raise ValueError(f"{name} has elements beyond the range of {dtype}: choose bfloat16 or float32.")
        return result

    meta = value.meta.to(dtype)
    return LazyTensor(meta, lambda start, stop: converted(value.read(start, stop)), lambda: converted(value.tensor()))


def is_equal(a: LazyTensor, b: LazyTensor) -> bool:
    """Return whether two have the same shape, dtype and elements."""
    return (a.shape, a.dtype) == (b.shape, b.dtype) and all(
        torch.equal(a.read(*portion), b.read(*portion)) for portion in a.portions()
    )
