"""Printing and dumping. MindSpore: ``mindspore.ops.function.debug_func``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

__all__ = ["print_", "tensordump"]


def print_(*input_x: Any) -> None:
    """Print tensors and other values, one a line, as MindSpore's operator does."""
    for item in input_x:
        if isinstance(item, torch.Tensor):
            print(repr(item), flush=True)
        else:
            print(item, flush=True)


def tensordump(file_name: str, tensor: Any, mode: str = "out") -> None:
    """Save a tensor's values as ``file_name`` (.npy)."""
    np.save(file_name if file_name.endswith(".npy") else f"{file_name}.npy", tensor.detach().cpu().numpy())
