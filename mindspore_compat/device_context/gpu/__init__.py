"""``mindspore.device_context.gpu``: CUDA devices."""

import torch

from mindspore_compat.device_context.gpu import op_precision, op_tuning

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]


def is_available() -> bool:
    """Return whether torch sees a CUDA device."""
    return torch.cuda.is_available()


def device_count() -> int:
    """Return the number of CUDA devices that torch sees.

    Raises:
        RuntimeError: if it sees none.
    """
    if not is_available():
        raise RuntimeError("Device_target GPU not exist.")
    return torch.cuda.device_count()
