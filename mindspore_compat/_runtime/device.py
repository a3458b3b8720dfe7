"""Mapping of MindSpore's ``device_target`` and ``device_id`` to torch devices."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import torch

from mindspore_compat._runtime.launch import launch_of

__all__ = ["CPU", "current_device", "device_in_use", "own_device_id", "select_device"]

_log = logging.getLogger("mindspore_compat")
CPU = torch.device("cpu")
_current: torch.device | None = None
_said: set[str] = set()


def _say_once(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _log.warning(message)


def select_device(target: str, device_id: int | None = None) -> torch.device:
    """Make ``target`` ("CPU", "GPU", "Ascend") the device of everything created from now on.

    "GPU" and "Ascend" mean CUDA where there is a CUDA device, else the CPU with one log message: old scripts hard-code
    them.

    Args:
        device_id: which one; None: the one of this process, see `own_device_id`.
    """
    global _current
    if target == "CPU":
        _current = CPU
    elif torch.cuda.is_available():
        number, count = own_device_id() if device_id is None else device_id, torch.cuda.device_count()
        if number >= count:
            raise ValueError(
                f"For 'set_context', 'device_id' must be less than the number of CUDA devices {count}, but got "
                f"{number}"
                + (". Set device_id to a device that exists." if device_id is not None else _too_many_processes(count))
            )
        if target == "Ascend":
            _say_once("device_target 'Ascend': this machine has none, running on the CUDA GPU.")
        _current = torch.device("cuda", number)
        torch.cuda.set_device(_current)
    else:
        _say_once(f"device_target '{target}': PyTorch sees no CUDA device here, running on the CPU.")
        _current = CPU
    return _current


def _too_many_processes(count: int) -> str:
    return (
        f" of the launcher ({launch_of().launcher or 'DEVICE_ID'}). Start at most {count} processes on this machine, "
        "or set device_id."
    )


def own_device_id() -> int:
    """Return this process's CUDA device from the launcher: DEVICE_ID, else the local rank; 0 where each process sees
    one device only.
    """
    launch = launch_of()
    number = launch.local_rank if launch.device_id is None else launch.device_id
    return 0 if number is None or (launch.size > 1 and torch.cuda.device_count() == 1) else number


def current_device() -> torch.device:
    """Return the device of new Tensors and Parameters; the CPU until `mindspore.set_context` or `set_device`."""
    return CPU if _current is None else _current


@contextlib.contextmanager
def device_in_use(device: torch.device) -> Iterator[None]:
    """Create new Tensors and Parameters on ``device`` in this context; existing ones stay."""
    global _current
    before = _current
    _current = device
    try:
        with torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext():
            yield
    finally:
        _current = before
