"""Global settings of the data pipeline. MindSpore: ``mindspore.dataset.config``.

`seed`, `num_parallel_workers`, `prefetch_size`, `enable_shared_mem`, `multiprocessing_start_method` and
`multiprocessing_timeout_interval` steer the pipeline here. The other switches tune MindSpore's C++ threads; they are
checked and remembered, without further effect.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat.dataset.core import randomness
from mindspore_compat.dataset.core.validator_helpers import (
    UINT32_MAX,
    check_file,
    check_int,
    check_member,
    cpu_count,
    type_check,
    type_check_list,
    workers_in_range,
)
from mindspore_compat.dataset.debug import DebugHook, PrintMetaDataHook


class ErrorSamplesMode(IntEnum):
    """Action of `map` on a row with failing operations: raise, replace it by a good row, or skip it."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


_values: dict[str, Any] = {
    "prefetch_size": 16,
    "num_parallel_workers": min(8, cpu_count()),
    "wanted_workers": min(8, cpu_count()),
    "numa_enable": False,
    "monitor_sampling_interval": 1000,
    "callback_timeout": 60,
    "auto_num_workers": False,
    "enable_autotune": False,
    "autotune_interval": 0,
    "enable_shared_mem": True,
    "auto_offload": False,
    "enable_watchdog": True,
    "multiprocessing_timeout_interval": 300,
    "dynamic_shape": False,
    "fast_recovery": True,
    "debug_mode": False,
    "debug_hooks": [],
    "error_samples_mode": ErrorSamplesMode.RETURN,
    "iterator_mode": {"do_copy": False, "parallel_convert": False},
    "multiprocessing_start_method": "fork",
    "video_backend": "CPU",
    "sending_batches": 0,
}


def _getter(name: str, default: str = "") -> Callable[[], Any]:
    def get() -> Any:
        return _values[name]

    get.__name__ = get.__qualname__ = f"get_{name}"
    get.__doc__ = f"See `set_{name}`{default and f'; {default}'}."
    return get


get_prefetch_size = _getter("prefetch_size", "16 by default")
get_num_parallel_workers = _getter("num_parallel_workers", "the number of CPUs, at most 8, by default")
get_numa_enable = _getter("numa_enable")
get_monitor_sampling_interval = _getter("monitor_sampling_interval")
get_auto_num_workers = _getter("auto_num_workers")
get_callback_timeout = _getter("callback_timeout", "60 by default")
get_enable_autotune = _getter("enable_autotune")
get_autotune_interval = _getter("autotune_interval")
get_enable_shared_mem = _getter("enable_shared_mem", "True by default")
get_auto_offload = _getter("auto_offload")
get_enable_watchdog = _getter("enable_watchdog")
get_multiprocessing_timeout_interval = _getter("multiprocessing_timeout_interval", "300 by default")
get_dynamic_shape = _getter("dynamic_shape")
get_fast_recovery = _getter("fast_recovery")
get_debug_mode = _getter("debug_mode")
get_error_samples_mode = _getter("error_samples_mode")
get_iterator_mode = _getter("iterator_mode")
get_multiprocessing_start_method = _getter("multiprocessing_start_method")
get_video_backend = _getter("video_backend")


def _set_flag(name: str, value: Any) -> None:
    type_check(value, bool, name)
    _values[name] = value


def _set_count(name: str, value: Any, minimum: int = 1) -> None:
    _values[name] = check_int(value, name, minimum)


def set_seed(seed: int) -> None:
    """Seed the pipeline, `random` and `numpy.random`. Raises: TypeError, ValueError outside [0, UINT32_MAX]."""
    check_int(seed, "seed", 0, UINT32_MAX)
    randomness.reseed(seed)
    random.seed(seed)
    np.random.seed(seed)


def get_seed() -> int:
    """Return the configured seed, 5489 (a fresh one per iterator) if none was set."""
    return randomness.configured_seed()


def set_prefetch_size(size: int) -> None:
    """Set the number of rows or batches that workers may be ahead of the consumer."""
    _set_count("prefetch_size", size)


def set_num_parallel_workers(num: int) -> None:
    """Set the default number of workers of an operation; more than the CPUs is lowered with one notice."""
    _values["num_parallel_workers"] = workers_in_range(num)
    _values["wanted_workers"] = num


def wanted_workers() -> int:
    """Return the argument of the last `set_num_parallel_workers`, even if it exceeds the CPUs."""
    return _values["wanted_workers"]


def set_numa_enable(numa_enable: bool) -> None:
    """Accept the switch without effect."""
    _set_flag("numa_enable", numa_enable)


def set_monitor_sampling_interval(interval: int) -> None:
    """Accept the interval (milliseconds) without effect."""
    _set_count("monitor_sampling_interval", interval)


def set_auto_num_workers(enable: bool) -> None:
    """Accept the switch without effect."""
    _set_flag("auto_num_workers", enable)


def set_callback_timeout(timeout: int) -> None:
    """Set the seconds that `WaitedDSCallback` and `sync_wait` wait before they give up."""
    _set_count("callback_timeout", timeout)


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Accept the switch without effect: there is no C++ pipeline to tune, so no profile is written either."""
    _set_flag("enable_autotune", enable)


def set_autotune_interval(interval: int) -> None:
    """Accept the interval without effect."""
    _set_count("autotune_interval", interval, minimum=0)


def set_enable_shared_mem(enable: bool) -> None:
    """Set whether worker processes pass arrays in shared memory (faster) or through a pipe (a small /dev/shm)."""
    _set_flag("enable_shared_mem", enable)


def set_sending_batches(batch_num: int) -> None:
    """Accept the number without effect: batches are not sent to an Ascend device queue."""
    _set_count("sending_batches", batch_num, minimum=0)


def set_auto_offload(offload: bool) -> None:
    """Accept the switch without effect: operations run on the host."""
    _set_flag("auto_offload", offload)


def set_enable_watchdog(enable: bool) -> None:
    """Accept the switch without effect: a dead worker process is always noticed and named."""
    _set_flag("enable_watchdog", enable)


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Accept the interval without effect (seconds between MindSpore's "worker is slow" logs)."""
    _set_count("multiprocessing_timeout_interval", interval)


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Accept the switch without effect: every shape may change from batch to batch."""
    _set_flag("dynamic_shape", is_dynamic)


def set_fast_recovery(fast_recovery: bool) -> None:
    """Accept the switch without effect."""
    _set_flag("fast_recovery", fast_recovery)


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """Run pipelines in this process only (True), so that a debugger reaches user functions, and hooks
    (`dataset.debug.DebugHook`) around each operation of map; None stands for a `PrintMetaDataHook`, and an empty list
    for the hooks of before.
    """
    type_check(debug_mode_flag, bool, "debug_mode_flag")
    hooks = [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    type_check(hooks, list, "debug_hook_list")
    type_check_list(hooks, DebugHook, "debug_hook_list")
    _values["debug_hooks"] = hooks or _values["debug_hooks"]
    _values["debug_mode"] = debug_mode_flag


def debug_hooks() -> list[DebugHook]:
    """Return the hooks of debug mode; none otherwise."""
    return _values["debug_hooks"] if _values["debug_mode"] else []


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Set the action on rows that fail in a `map`, for passes that begin from now on."""
    type_check(error_samples_mode, ErrorSamplesMode, "error_samples_mode")
    _values["error_samples_mode"] = error_samples_mode


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Set whether iterators copy the returned arrays; `parallel_convert` is accepted without effect."""
    type_check(do_copy, bool, "do_copy")
    _values["iterator_mode"] = {"do_copy": do_copy, "parallel_convert": parallel_convert}


def set_multiprocessing_start_method(start_method: str = "fork") -> None:
    """Set the start method of worker processes: "fork" or "spawn"; "spawn" needs picklable sources and functions."""
    _values["multiprocessing_start_method"] = check_member(start_method, ("fork", "spawn"), "start_method")


def set_video_backend(backend: str) -> None:
    """Accept the backend without effect; video operations are not available."""
    _values["video_backend"] = check_member(backend, ("CPU", "Ascend"), "backend")


_LOADABLE = {
    "seed": set_seed,
    "prefetchSize": set_prefetch_size,
    "opConnectorSize": set_prefetch_size,
    "numParallelWorkers": set_num_parallel_workers,
    "monitorSamplingInterval": set_monitor_sampling_interval,
}


def load(file: str) -> None:
    """Take settings from a JSON file with MindSpore's keys; unknown keys raise ValueError."""
    check_file(file)
    try:
        with open(file, encoding="utf-8") as stream:
            settings = json.load(stream)
        if not isinstance(settings, dict):
            raise ValueError(f"a map is expected, but it is {type(settings).__name__}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} holds no settings: {error}") from error
    for key, value in settings.items():
        if key not in _LOADABLE:
            raise ValueError(f"{file}: unknown setting {key!r}; known are {sorted(_LOADABLE)}.")
        try:
            _LOADABLE[key](value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{file}: {error}") from error


__all__ = ["ErrorSamplesMode", "load", *(name for name in globals() if name.startswith(("get_", "set_")))]
