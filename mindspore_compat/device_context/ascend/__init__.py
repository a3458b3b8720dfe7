"""``mindspore.device_context.ascend``: there is no Ascend here. Its settings have no effect."""

from mindspore_compat.device_context.ascend import op_debug, op_precision, op_tuning

__all__ = ["device_count", "is_available", "op_debug", "op_precision", "op_tuning"]


def is_available() -> bool:
    """Return False."""
    return False


def device_count() -> int:
    """Raise RuntimeError, as MindSpore without Ascend."""
    raise RuntimeError("Device Ascend not exist.")
