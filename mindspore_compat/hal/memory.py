"""Memory statistics of `mindspore.runtime` with a ``device_target``, which is only checked: they are of the current
device. MindSpore: ``mindspore.hal.memory``.
"""

from __future__ import annotations

from collections.abc import Callable
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


def _of_device(function: Callable[[], Any]) -> Callable[..., Any]:
    def ask(device_target: str | None = None) -> Any:
        checked_target(device_target)
        return function()

    ask.__name__ = ask.__qualname__ = function.__name__
    ask.__doc__ = f"As `mindspore.runtime.{function.__name__}`."
    return ask


memory_stats = _of_device(memory.memory_stats)
memory_summary = _of_device(memory.memory_summary)
memory_reserved = _of_device(memory.memory_reserved)
max_memory_reserved = _of_device(memory.max_memory_reserved)
memory_allocated = _of_device(memory.memory_allocated)
max_memory_allocated = _of_device(memory.max_memory_allocated)
reset_peak_memory_stats = _of_device(memory.reset_peak_memory_stats)
reset_max_memory_reserved = _of_device(memory.reset_max_memory_reserved)
reset_max_memory_allocated = _of_device(memory.reset_max_memory_allocated)
