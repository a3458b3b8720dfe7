"""Helpers of the modules of ``mindspore.numpy``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import sent
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype

__all__ = ["as_tensor", "axes_of", "cast", "dtype_of", "float_of", "number_of", "on_device", "promoted"]

_NAMED = {"?": torch.bool, "b": torch.int8, "h": torch.int16, "i": torch.int32, "l": torch.int64, "B": torch.uint8}
_NAMED |= {"e": torch.float16, "f": torch.float32, "d": torch.float64, "float": torch.float32, "int": torch.int32}


def as_tensor(value: Any, dtype: Any = None) -> torch.Tensor:
    """Return a tensor from a tensor; from a number, array or list, on the device. Ints become int32 and floats float32;
    both stay unchanged if ``dtype`` sets the result's dtype.
    """
    if isinstance(value, torch.Tensor):
        return value
    if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
        return torch.stack([as_tensor(item) for item in value])
    array = np.asarray(value)
    if dtype is None and not isinstance(value, (np.ndarray, np.generic)):
        array = array.astype({"i": np.int32, "f": np.float32}.get(array.dtype.kind, array.dtype))
    return on_device(array.copy())


def _to_tensor(*args: Any) -> Any:
    """Return each argument as a Tensor, for libraries: one Tensor for one argument, else a tuple."""
    for item in args:
        if not isinstance(item, (int, float, list, tuple, torch.Tensor)):
            raise TypeError("Expect input to be array like.")
    found = tuple(wrap(as_tensor(item)) for item in args)
    return found[0] if len(found) == 1 else found


def on_device(array: np.ndarray) -> torch.Tensor:
    """Return a computed array on the Tensors' device."""
    return sent(torch.from_numpy(array), current_device())


def cast(result: Any, dtype: Any = None) -> Any:
    """Return the result as a Tensor, in ``dtype`` if one is given."""
    if dtype is not None:
        result = torch.Tensor.to(result, to_torch_dtype(dtype))
    return wrap(result)


def axes_of(axis: Any) -> Any:
    """Return None, an int or a tuple of ints."""
    return tuple(axis) if isinstance(axis, list) else axis


def number_of(value: torch.Tensor) -> torch.Tensor:
    """Return bools as int32."""
    return torch.Tensor.to(value, torch.int32) if value.dtype is torch.bool else value


def dtype_of(value: Any) -> torch.dtype:
    """Return the dtype for a dtype, its name, a NumPy character or a Python type; int and float have 32 bits."""
    if value is int or value is float:
        return torch.int32 if value is int else torch.float32
    if isinstance(value, str):
        return _NAMED.get(value) or to_torch_dtype(np.dtype(value).name)
    return to_torch_dtype(value)


_UNSIGNED = {torch.uint16, torch.uint32, torch.uint64}


def promoted(first: torch.dtype, second: torch.dtype) -> torch.dtype:
    """Return the dtype that holds both; torch has none for two integers where one is uint16, uint32 or uint64."""
    pair = (first, second)
    if first is second or any(item.is_floating_point or item.is_complex for item in pair) or not _UNSIGNED & {*pair}:
        return torch.promote_types(first, second)
    names = [str(item).removeprefix("torch.") for item in pair]
    return to_torch_dtype(np.promote_types(*names).name)


def float32_of(x: torch.Tensor) -> torch.Tensor:
    """Return integers and 16-bit floats as float32."""
    return x if x.dtype in _WIDE else torch.Tensor.to(x, torch.float32)


_WIDE = {torch.float32, torch.float64, torch.complex64, torch.complex128}


def float_of(x: torch.Tensor) -> torch.Tensor:
    """Return floats unchanged, the rest as float32."""
    return x if x.dtype.is_floating_point or x.dtype.is_complex else torch.Tensor.to(x, torch.float32)
