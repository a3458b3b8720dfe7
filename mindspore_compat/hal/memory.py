"""`mindspore.runtime`'s memory statistics with a ``device_target`` that is only checked: they are of the device in use.
Upstream: ``mindspore.hal.memory``.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat.hal.device import checked_target
from mindspore_compat.runtime import memory
from mindspore_compat.runtime.memory import empty_cache

__all__ = [
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
]


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """As `mindspore.runtime.memory_stats`."""
    checked_target(device_target)
    return memory.memory_stats()


def memory_summary(device_target: str | None = None) -> str:
    """As `mindspore.runtime.memory_summary`."""
    checked_target(device_target)
    return memory.memory_summary()


def memory_reserved(device_target: str | None = None) -> int:
    """As `mindspore.runtime.memory_reserved`."""
    checked_target(device_target)
    return memory.memory_reserved()


def max_memory_reserved(device_target: str | None = None) -> int:
    """As `mindspore.runtime.max_memory_reserved`."""
    checked_target(device_target)
    return memory.max_memory_reserved()


def memory_allocated(device_target: str | None = None) -> int:
    """As `mindspore.runtime.memory_allocated`."""
    checked_target(device_target)
    return memory.memory_allocated()


def max_memory_allocated(device_target: str | None = None) -> int:
    """As `mindspore.runtime.max_memory_allocated`."""
    checked_target(device_target)
    return memory.max_memory_allocated()


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """As `mindspore.runtime.reset_peak_memory_stats`."""
    checked_target(device_target)
    memory.reset_peak_memory_stats()


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """As `mindspore.runtime.reset_max_memory_reserved`."""
    reset_peak_memory_stats(device_target)


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """As `mindspore.runtime.reset_max_memory_allocated`."""
    reset_peak_memory_stats(device_target)
