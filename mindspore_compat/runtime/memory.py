"""Memory of the current device, in bytes: torch's statistics on CUDA, 0 on a CPU. MindSpore:
``mindspore.runtime.memory``.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat._runtime.device import current_device

__all__ = [
    "MemPool",
    "PluggableAllocator",
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_memory",
    "use_mem_pool",
]

_GIB = 1 << 30
_is_set = False


def _device() -> torch.device | None:
    """Return the CUDA device, None on a CPU."""
    device = current_device()
    return None if device.type == "cpu" else device


def _size(value: str, name: str) -> float:
    """Return the number before "GB"."""
    if re.fullmatch(r"\d+(\.\d*)?GB", value, re.ASCII) is None:
        raise ValueError(f"For 'set_memory', '{name}' must be a size such as '30.5GB', but got {value!r}.")
    return float(value[:-2])


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Limit the memory of a CUDA device to ``max_size``, such as "30.5GB". torch's pool grows by itself, so the other
    sizes have no effect; on a CPU no size has.

    Raises:
        RuntimeError: at a second call. ValueError: for wrong sizes.
    """
    global _is_set
    if _is_set:
        raise RuntimeError("The 'set_memory' cannot be set repeatedly.")
    most = _size(max_size, "max_size")
    for name, value in (("init_size", init_size), ("increase_size", increase_size)):
        _size(value, name)
    device = _device()
    if device is not None:
        total = torch.cuda.get_device_properties(device).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, most * _GIB / total), device)
    _is_set = True


def _statistic(key: str) -> int:
    device = _device()
    return 0 if device is None else int(torch.cuda.memory_stats(device).get(key, 0))


def memory_allocated() -> int:
    """Return the memory of Tensors."""
    return _statistic("allocated_bytes.all.current")


def max_memory_allocated() -> int:
    """Return the peak memory of Tensors."""
    return _statistic("allocated_bytes.all.peak")


def memory_reserved() -> int:
    """Return the memory of the pool."""
    return _statistic("reserved_bytes.all.current")


def max_memory_reserved() -> int:
    """Return the peak memory of the pool."""
    return _statistic("reserved_bytes.all.peak")


def memory_stats() -> dict[str, Any]:
    """Return the memory of the pool and of Tensors, their peaks, and the pool's blocks."""
    device = _device()
    reserved, allocated = memory_reserved(), memory_allocated()
    segments = [] if device is None else torch.cuda.memory_snapshot()
    blocks = {
        hex(item["address"]): {"block_stream_id": item.get("stream", 0), "block_memory_size": item["total_size"]}
        for item in segments
        if item.get("device", 0) == getattr(device, "index", 0)
    }
    return {
        "total_reserved_memory": reserved,
        "total_allocated_memory": allocated,
        "total_idle_memory": reserved - allocated,
        "total_eager_free_memory": 0,
        "max_reserved_memory": max_memory_reserved(),
        "max_allocated_memory": max_memory_allocated(),
        "common_mem_pool_stats": {"block_unit_size": 0, "block_counts": len(blocks), "blocks_info": blocks},
        "persistent_mem_pool_stats": {"block_counts": 0, "block_unit_size": 0, "blocks_info": {}},
    }


_SHOWN = (
    ("total_reserved_memory", "Reserved memory"),
    ("total_allocated_memory", "Allocated memory"),
    ("total_idle_memory", "Idle memory"),
    ("total_eager_free_memory", "Eager free memory"),
    ("max_reserved_memory", "Max reserved memory"),
    ("max_allocated_memory", "Max allocated memory"),
)


def _readable(size: int) -> str:
    units = ["B  ", "KB", "MB", "GB", "TB", "PB"]
    while size >= 768 * 1024 and len(units) > 1:
        size //= 1024
        units.pop(0)
    return f"{size:6d} {units[0]}"


def memory_summary() -> str:
    """Return the totals of `memory_stats` as a table."""
    stats = memory_stats()
    lines = ["=" * 45, f" {'Memory summary':^43} ", "=" * 45, f" {'Metric':<20} | {'Data':<20} "]
    for key, shown in _SHOWN:
        lines += ["-" * 45, f" {shown:<20} | {_readable(stats[key]):<20} "]
    return "|" + "|\n|".join([*lines, "=" * 45]) + "|\n"


def empty_cache() -> None:
    """Return the pool's free memory to the device."""
    if _device() is not None:
        torch.cuda.empty_cache()


def reset_peak_memory_stats() -> None:
    """Reset the peaks of allocated and reserved memory. torch resets both at once."""
    device = _device()
    if device is not None:
        torch.cuda.reset_peak_memory_stats(device)


def reset_max_memory_reserved() -> None:
    """Reset as `reset_peak_memory_stats`."""
    reset_peak_memory_stats()


def reset_max_memory_allocated() -> None:
    """Reset as `reset_peak_memory_stats`."""
    reset_peak_memory_stats()


class PluggableAllocator:
    """Allocator of device memory by functions of a shared library: ``void* alloc(ssize_t size, int device, cudaStream_t
    stream)``, ``void free(void* pointer, ssize_t size, int device, cudaStream_t stream)``.

    Raises:
        OSError: if the library cannot be loaded. AttributeError: if it lacks a function.
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        library = ctypes.CDLL(path_to_so_file)
        self._alloc_fn, self._free_fn = (
            ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in (alloc_fn_name, free_fn_name)
        )
        self._arguments = (path_to_so_file, alloc_fn_name, free_fn_name)

    @property
    def alloc_fn_ptr(self) -> int | None:
        """The address of the function that allocates."""
        return self._alloc_fn

    @property
    def free_fn_ptr(self) -> int | None:
        """The address of the function that frees."""
        return self._free_fn


class MemPool:
    """Pool with memory from a `PluggableAllocator`."""

    def __init__(self, allocator: PluggableAllocator) -> None:
        self._allocator = allocator
        self._pool: Any = None

    @property
    def allocator(self) -> PluggableAllocator:
        return self._allocator


@contextlib.contextmanager
def use_mem_pool(pool: MemPool) -> Iterator[None]:
    """Take the memory of new Tensors on a CUDA device from ``pool``: ``with use_mem_pool(pool):``.

    Raises:
        UnsupportedError: on a CPU, whose allocator cannot be replaced.
    """
    if _device() is None:
        raise UnsupportedError("use_mem_pool needs a CUDA device; the memory of Tensors on a CPU is torch's own.")
    if pool._pool is None:
        allocator = torch.cuda.memory.CUDAPluggableAllocator(*pool.allocator._arguments)
        pool._pool = torch.cuda.MemPool(allocator.allocator())
    with torch.cuda.use_mem_pool(pool._pool):
        yield
