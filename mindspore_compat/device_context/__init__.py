"""``mindspore.device_context``: questions and settings for each kind of device."""

from mindspore_compat.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
