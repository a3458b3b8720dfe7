"""Which torch device MindSpore's ``device_target`` and ``device_id`` stand for."""

from __future__ import annotations

import logging

import torch

__all__ = ["current_device", "select_device", "CPU"]

_log = logging.getLogger("mindspore_compat")
CPU = torch.device("cpu")
_current: torch.device | None = None
_said: set[str] = set()


def _say_once(message: str) -> None:
    if message not in _said:
        _said.add(message)
        _log.warning(message)


def select_device(target: str, device_id: int) -> torch.device:
    """Make ``target`` ("CPU", "GPU", "Ascend") the device of everything created from now on.

    "GPU" and "Ascend" mean CUDA where there is a CUDA device and the CPU otherwise, said once: old scripts hard-code
    them.
    """
    global _current
    if target == "CPU":
        _current = CPU
    elif torch.cuda.is_available():
        if device_id >= torch.cuda.device_count():
            raise ValueError(
                f"For 'set_context', 'device_id' must be less than the number of CUDA devices "
                f"{torch.cuda.device_count()}, but got {device_id}. Set device_id to a device that exists."
            )
        if target == "Ascend":
            _say_once("device_target 'Ascend': this machine has none, running on the CUDA GPU.")
        _current = torch.device("cuda", device_id)
    else:
        _say_once(f"device_target '{target}': PyTorch sees no CUDA device here, running on the CPU.")
        _current = CPU
    return _current


def current_device() -> torch.device:
    """The device of new Tensors and Parameters; the CPU until `mindspore.set_context` or `set_device` says
    otherwise.
    """
    return CPU if _current is None else _current
