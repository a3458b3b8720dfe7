"""Operators on arrays of tensors behind a handle, which `nn.TensorArray` wraps. MindSpore:
``mindspore.ops.operations._tensor_array`` (1.7 to 2.6). No gradient flows through an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.operations._stores import Store, TensorList

__all__ = """
    TensorArray TensorArrayClear TensorArrayClose TensorArrayGather TensorArrayRead TensorArraySize TensorArrayStack
    TensorArrayWrite
""".split()

_Run = Callable[..., Any]
_arrays: Store[TensorList] = Store("TensorArray")


def _number(value: int) -> Any:
    return wrap(torch.tensor(value, device=current_device()))


@primitive
def TensorArray(dtype: Any, element_shape: Any, dynamic_size: bool = True, size: int = 0, name: str = "TA") -> _Run:
    """Create an array of tensors; returns its handle.

    Args:
        dtype, element_shape: of each tensor.
        dynamic_size: whether the array may grow; else it has ``size`` places.
    """
    handle = _arrays.add(TensorList(to_torch_dtype(dtype), element_shape, None if dynamic_size else size))
    return lambda: _number(handle)


def _write(handle: Any, index: Any, value: Any) -> None:
    """Put a tensor at an index; places before it that were not written to hold zeros.

    Raises:
        ValueError: the index is past the size of an array that may not grow.
        TypeError: the tensor has another dtype. ValueError: it has another shape.
    """
    _arrays[handle].write(int(index), value)


def _clear(handle: Any) -> None:
    """Empty an array, which stays."""
    _arrays[handle].items.clear()


def _close(handle: Any) -> None:
    """Let an array go."""
    _arrays.drop(handle)


def _size(handle: Any) -> Any:
    """The number of tensors in an array."""
    return _number(len(_arrays[handle].items))


TensorArrayWrite = plain("TensorArrayWrite", _write)
TensorArrayClear = plain("TensorArrayClear", _clear)
TensorArrayClose = plain("TensorArrayClose", _close)
TensorArraySize = plain("TensorArraySize", _size)


@primitive
def TensorArrayRead(dtype: Any, element_shape: Any) -> _Run:
    """Return the tensor at an index.

    Raises:
        ValueError: the index is not below the array's size.
    """
    return lambda handle, index: wrap(_arrays[handle].read(int(index)))


@primitive
def TensorArrayStack(dtype: Any, element_shape: Any, dynamic_size: bool, size: int) -> _Run:
    """Return all tensors along a new first axis; of an array that may not grow with zeros up to its size."""
    return lambda handle: wrap(_arrays[handle].stack())


@primitive
def TensorArrayGather(dtype: Any, element_shape: Any) -> _Run:
    """Return the tensors at indices along a new first axis."""
    return lambda handle, indices: wrap(torch.stack([_arrays[handle].read(int(index)) for index in indices]))
