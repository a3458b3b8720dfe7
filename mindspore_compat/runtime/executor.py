"""Launch of operators, and its CPU cores. MindSpore: ``mindspore.runtime.executor``."""

from __future__ import annotations

import logging
import os
from typing import Any

import torch

from mindspore_compat._runtime.device import own_device_id

__all__ = [
    "dispatch_threads_num",
    "launch_blocking",
    "set_cpu_affinity",
    "set_kernel_launch_capture",
    "set_kernel_launch_group",
]

_log = logging.getLogger("mindspore_compat")
_is_bound = False


def launch_blocking() -> None:
    """Let each operator end before the next is started, so that an error names its place. CUDA reads this on first use;
    a later call only warns. On a CPU operators end anyway.
    """
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    if torch.cuda.is_initialized():
        _log.warning("launch_blocking has no effect after the first use of CUDA; call it before, or set the variable.")


def dispatch_threads_num(threads_num: int) -> None:
    """Accept the number of threads that launch operators, without effect. torch does so in the calling thread."""


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Accept the groups of kernels that threads launch in parallel, without effect."""


def set_kernel_launch_capture(enable_capture_graph: bool, op_capture_skip: list[str] | None = None) -> None:
    """Accept whether the device's graphs capture kernels, without effect. In GRAPH_MODE on CUDA steps are captured
    anyway, if possible.
    """


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
        module_to_cpu_dict: which of MindSpore's own threads runs where: without effect.
        bind_file: not supported.

    Raises:
        TypeError, ValueError: for another form. RuntimeError: at a second call.
    """
    global _is_bound
    if _is_bound:
        raise RuntimeError("The 'mindspore.runtime.set_cpu_affinity' cannot be set repeatedly.")
    if bind_file is not None:
        raise ValueError("For 'set_cpu_affinity', 'bind_file' is not supported. Give 'affinity_cpu_list'.")
    if enable_affinity:
        cores = _cores(affinity_cpu_list)
        if cores:
            os.sched_setaffinity(0, cores)
            torch.set_num_threads(min(torch.get_num_threads(), len(cores)))
        else:
            _log.warning("set_cpu_affinity: no cores are given for this process, so all stay allowed.")
    _is_bound = True


def _cores(given: Any) -> set[int]:
    if isinstance(given, dict):
        given = given.get(f"device{own_device_id()}")
    if given is None:
        return set()
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
