"""How operators are started, and on which CPU cores. Upstream: ``mindspore.runtime.executor``."""

from __future__ import annotations

import logging
import os
from typing import Any

import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat._runtime.device import own_device_id

__all__ = [
    "dispatch_threads_num",
    "launch_blocking",
    "set_cpu_affinity",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
]

_log = logging.getLogger("mindspore_compat")
_set: set[str] = set()


def _check_kind(value: Any, name: str, kind: type) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"The parameter '{name}' must be {kind}, but got {type(value)}")


def _once(name: str, message: str) -> None:
    if name in _set:
        raise RuntimeError(message)
    _set.add(name)


def launch_blocking() -> None:
    """Let each operator end before the next is started, so that an error names its place. CUDA reads this when it is
    first used; later it comes too late, and a warning says so. On a CPU operators end anyway.
    """
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    if torch.cuda.is_initialized():
        _log.warning("launch_blocking has no effect after the first use of CUDA; call it before, or set the variable.")


def dispatch_threads_num(threads_num: int) -> None:
    """The number of threads that start operators: checked, without effect. torch does so in the calling thread.

    Raises:
        TypeError: if it is no int. ValueError: unless it is positive. RuntimeError: at a second call.
    """
    _check_kind(threads_num, "threads_num", int)
    if "dispatch_threads_num" in _set:
        raise RuntimeError("The 'dispatch_threads_num' can not be set repeatedly.")
    check_positive_int(threads_num, "threads_num", "dispatch_threads_num")
    _set.add("dispatch_threads_num")


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Groups of kernels that threads start side by side: checked, without effect.

    Raises:
        TypeError, ValueError: for wrong numbers. RuntimeError: at a second call, or with kernel launch capture.
    """
    _check_kind(thread_num, "thread_num", int)
    _check_kind(kernel_group_num, "kernel_group_num", int)
    if "kernel_launch_group" in _set:
        raise RuntimeError("The 'kernel_launch_group' can not be set repeatedly.")
    if "kernel_launch_capture" in _set:
        raise RuntimeError("The kernel launch group and kernel launch capture can not be set together")
    for name, value in (("thread_num", thread_num), ("kernel_group_num", kernel_group_num)):
        if value < 1:
            raise ValueError(f"The value of {name} should be at least 1, but got {value}")
    if kernel_group_num % thread_num:
        raise ValueError(
            f"Invalid parameter value, kernel_group_num: {kernel_group_num} cannot be evenly divisible by "
            f"thread_num: {thread_num}"
        )
    _set.add("kernel_launch_group")


def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: list[str] | None = None) -> None:
    """Whether kernels are captured in graphs of the device: checked, without effect. In GRAPH_MODE on CUDA steps
    are captured anyway, where they can be.

    Raises:
        TypeError: for other types. RuntimeError: with kernel launch groups.
    """
    _check_kind(enable_capture_graph, "enable_capture_graph", bool)
    if "kernel_launch_group" in _set:
        raise RuntimeError("The kernel launch group and kernel launch capture can not be set together")
    if op_capture_skip is not None and not isinstance(op_capture_skip, list):
        raise TypeError("op_capture_skip must be a list")
    if enable_capture_graph:
        _set.add("kernel_launch_capture")
    else:
        _set.discard("kernel_launch_capture")


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: Any = None,
    module_to_cpu_dict: dict[str, Any] | None = None,
    bind_file: str | None = None,
) -> None:
    """Run this process's threads on given CPU cores only.

    Args:
        enable_affinity: False changes nothing.
        affinity_cpu_list: the cores, ``["0-3", "8-9"]``, or those of each device, ``{"device0": ["0-3"]}``. None: all
            cores stay allowed, for torch does not know which are near a device.
        module_to_cpu_dict: which of upstream's own threads runs where: without effect.
        bind_file: not supported.

    Raises:
        TypeError, ValueError: for another form. RuntimeError: at a second call.
    """
    if "cpu_affinity" in _set:
        raise RuntimeError("The 'mindspore.runtime.set_cpu_affinity' cannot be set repeatedly.")
    _check_kind(enable_affinity, "enable_affinity", bool)
    if bind_file is not None:
        raise ValueError("For 'set_cpu_affinity', 'bind_file' is not supported. Give 'affinity_cpu_list'.")
    if enable_affinity:
        cores = _cores(affinity_cpu_list)
        if cores:
            os.sched_setaffinity(0, cores)
            torch.set_num_threads(min(torch.get_num_threads(), len(cores)))
        else:
            _log.warning("set_cpu_affinity: no cores are given for this process, so all stay allowed.")
    _set.add("cpu_affinity")


def _cores(given: Any) -> set[int]:
    if isinstance(given, dict):
        given = given.get(f"device{own_device_id()}")
    if given is None:
        return set()
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise TypeError(f"For 'set_cpu_affinity', the cores must be a list of str as '0-3', but got {given!r}.")
    found: set[int] = set()
    for item in given:
        first, _, last = item.partition("-")
        if not first.isdigit() or not (last or first).isdigit() or int(last or first) < int(first):
            raise ValueError(f"For 'set_cpu_affinity', cores must be given as '0-3' or '5', but got {item!r}.")
        found.update(range(int(first), int(last or first) + 1))
    absent = found - set(range(os.cpu_count() or 1))
    if absent:
        raise ValueError(f"For 'set_cpu_affinity', this machine has no cores {sorted(absent)}.")
    return found
