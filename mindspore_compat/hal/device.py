"""Device queries. MindSpore: ``mindspore.hal.device``. "Ascend" is never available; "GPU" is torch's CUDA."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.device import current_device

__all__ = [
    "device_count",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
]

_TARGETS = ["CPU", "GPU", "Ascend"]


def _check_target(target: Any, owner: str) -> None:
    if target not in _TARGETS:
        raise ValueError(
            f"For 'hal.{owner}', the argument 'device_target' must be one of {_TARGETS}, but got {target}."
        )


def is_available(device_target: str) -> bool:
    """Return whether there is such a device.

    Raises:
        ValueError: unless it is "CPU", "GPU" or "Ascend".
    """
    _check_target(device_target, "is_available")
    return device_target == "CPU" or (device_target == "GPU" and torch.cuda.is_available())


def is_initialized(device_target: str) -> bool:
    """Return whether such a device is in use.

    Raises:
        ValueError: unless it is "CPU", "GPU" or "Ascend".
    """
    _check_target(device_target, "is_initialized")
    return device_target == "CPU" or (device_target == "GPU" and torch.cuda.is_initialized())


def checked_target(device_target: Any) -> str:
    """Return ``device_target``, for None that of the device in use.

    Raises:
        ValueError: for another name, or where there is no such device.
    """
    if device_target is None:
        return "CPU" if current_device().type == "cpu" else "GPU"
    if not is_available(device_target):
        raise ValueError(f"{device_target} is not available here.")
    return device_target


def device_count(device_target: str | None = None) -> int:
    """Return the number of such devices; 1 for "CPU"."""
    return torch.cuda.device_count() if checked_target(device_target) == "GPU" else 1


def get_device_capability(device_id: int, device_target: str | None = None) -> tuple[int, int] | None:
    """Return CUDA's compute capability, (9, 0) for example; None for a CPU."""
    target = checked_target(device_target)
    return torch.cuda.get_device_capability(device_id) if target == "GPU" else None


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Return the device's name; "CPU" for a CPU."""
    target = checked_target(device_target)
    return torch.cuda.get_device_name(device_id) if target == "GPU" else "CPU"


def get_device_properties(device_id: int, device_target: str | None = None) -> Any:
    """Return torch's properties of a CUDA device (name, major, minor, total_memory, multi_processor_count, …); None for
    a CPU.
    """
    target = checked_target(device_target)
    return torch.cuda.get_device_properties(device_id) if target == "GPU" else None


def get_arch_list(device_target: str | None = None) -> list[str] | None:
    """Return the architectures that torch's CUDA kernels are built for; None for a CPU."""
    return torch.cuda.get_arch_list() if checked_target(device_target) == "GPU" else None
