"""``mindspore.device_context.cpu``."""

from mindspore_compat.device_context.cpu import op_tuning
from mindspore_compat.device_context.cpu.op_tuning import threads_num

__all__ = ["device_count", "is_available", "op_tuning", "threads_num"]


def is_available() -> bool:
    """Return True: there is always a CPU."""
    return True


def device_count() -> int:
    """Return 1."""
    return 1
