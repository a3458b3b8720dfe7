"""What the modules of ``mindspore.numpy`` share."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import sent
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import to_torch_dtype

__all__ = ["as_tensor", "on_device", "cast", "axes_of", "float_of"]


def as_tensor(value: Any) -> torch.Tensor:
    """A tensor from a tensor; from a number, array or list, on the device: ints become int32 and floats float32."""
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        return torch.stack([as_tensor(item) for item in value])
    array = np.asarray(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype({"i": np.int32, "f": np.float32}.get(array.dtype.kind, array.dtype))
    return on_device(array.copy())


def on_device(array: np.ndarray) -> torch.Tensor:
    """A computed array where Tensors lie."""
    return sent(torch.from_numpy(array), current_device())


def cast(result: Any, dtype: Any = None) -> Any:
    """The result as a Tensor, in ``dtype`` if one is given."""
    if dtype is not None:
        result = torch.Tensor.to(result, to_torch_dtype(dtype))
    return wrap(result)


def axes_of(axis: Any) -> Any:
    """None, an int or a tuple of ints."""
    return tuple(axis) if isinstance(axis, list) else axis


def float_of(x: torch.Tensor) -> torch.Tensor:
    """Floats as they are, the rest as float32."""
    return x if x.dtype.is_floating_point or x.dtype.is_complex else torch.Tensor.to(x, torch.float32)
