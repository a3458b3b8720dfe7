"""MindSpore: ``mindspore.DeviceCtx``."""

from __future__ import annotations

import contextlib

import torch

from mindspore_compat._runtime.device import CPU, device_in_use

__all__ = ["DeviceCtx"]

_NAMES = ["CPU", "GPU", "Ascend", "meta"]


class DeviceCtx:
    """Context ``with DeviceCtx(name):`` that creates new Tensors and Parameters on a device; on "meta" without
    contents.

    Args:
        name: "CPU", "GPU", "Ascend" (both CUDA) or "meta".
        device_id: which one; None: 0.

    Raises:
        ValueError: on entering, for another name, a too large number, or where there is no such device.

    Examples:
        >>> with ms.DeviceCtx("meta"):
        ...     weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")
        >>> print(weight.shape, weight.is_meta)
        (2,) True
    """

    def __init__(self, name: str, device_id: int | None = None) -> None:
        self.name, self.device_id = name, device_id
        self._entered = contextlib.ExitStack()

    def __enter__(self) -> DeviceCtx:
        if self.name not in _NAMES:
            raise ValueError(f"For DeviceCtx, the name must be one of {_NAMES}, but got {self.name}.")
        self._entered.enter_context(device_in_use(self._device()))
        return self

    def _device(self) -> torch.device:
        if self.name in ("CPU", "meta"):
            return CPU if self.name == "CPU" else torch.device("meta")
        number, count = self.device_id or 0, torch.cuda.device_count()
        if number >= count:
            raise ValueError(f"For DeviceCtx, torch sees {count} CUDA devices, so there is no '{self.name}' {number}.")
        return torch.device("cuda", number)

    def __exit__(self, *error: object) -> None:
        self._entered.close()
