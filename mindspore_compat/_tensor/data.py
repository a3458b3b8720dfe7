"""Conversion of the arguments of Tensor and Parameter to plain torch tensors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from mindspore_compat._autograd.recorded import keeps_graph
from mindspore_compat._graph.program import program
from mindspore_compat._runtime import placement
from mindspore_compat._runtime.device import CPU
from mindspore_compat._tensor import tracing, wrapping

#: numpy dtypes of the package ml_dtypes: the dtype of their bits, and torch's dtype
_OF_ML_DTYPES = {
    "bfloat16": (np.int16, torch.bfloat16),
    "float8_e4m3fn": (np.uint8, torch.float8_e4m3fn),
    "float8_e5m2": (np.uint8, torch.float8_e5m2),
}


def _array_from(data: Any, keeps_digits: bool) -> np.ndarray:
    """Return a numpy array of nested lists and Tensors; Python floats become float32 unless ``keeps_digits``."""
    if isinstance(data, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in data):
        data = [item.detach().cpu().numpy() if isinstance(item, torch.Tensor) else item for item in data]
    array = np.array(data)
    if array.dtype == np.float64 and not keeps_digits:
        array = array.astype(np.float32)
    return array


def joined(data: Any) -> Any:
    """Return a list or tuple that holds Tensors as one tensor with their history; anything else unchanged."""
    if not isinstance(data, (list, tuple)) or not any(isinstance(item, (torch.Tensor, list, tuple)) for item in data):
        return data
    parts = [joined(item) for item in data]
    like = next((item for item in parts if isinstance(item, torch.Tensor)), None)
    if like is None:
        return data
    parts = [item if isinstance(item, torch.Tensor) else plain_from(item, copy=False).to(like.device) for item in parts]
    common = functools.reduce(torch.promote_types, [item.dtype for item in parts])
    return torch.stack([torch.Tensor.to(item, common) for item in parts])


def operand_from(data: Any, device: torch.device) -> torch.Tensor:
    """Return an operand of a Tensor (array, list or tuple) on its device; Tensors in it keep their history."""
    data = joined(data)
    return data if isinstance(data, torch.Tensor) else plain_from(data, copy=False).to(device)


def plain_from(data: Any, copy: bool, keeps_digits: bool = False) -> torch.Tensor:
    """Return a plain torch tensor from anything the constructor takes. Python floats become float32, or float64 with
    ``keeps_digits``, if a dtype follows. With ``copy`` a Tensor keeps its derivative (`is_followed`).
    """
    if isinstance(data, torch.Tensor):
        return _shared(data) if copy else wrapping.plain(data)
    if isinstance(data, np.ndarray):
        if data.dtype.isbuiltin == 2 and data.dtype.name in _OF_ML_DTYPES:  # registered by a package; names are slow
            stored, dtype = _OF_ML_DTYPES[data.dtype.name]
            return torch.from_numpy(data.view(stored).copy()).view(dtype)
        if data.dtype.byteorder == ">":
            data = data.astype(data.dtype.newbyteorder("="))
        if copy or any(stride < 0 for stride in data.strides) or not data.flags.writeable:
            data = data.copy()
        return torch.from_numpy(data)
    if isinstance(data, (np.generic,)):
        return torch.from_numpy(np.array(data))
    if isinstance(data, (bool, int, float, complex)):
        if isinstance(data, int) and not -(2**63) <= data < 2**63:
            return torch.from_numpy(np.array(data, np.uint64))
        return torch.tensor(
            data,
            dtype=torch.complex128
            if isinstance(data, complex)
            else (torch.float64 if keeps_digits else torch.float32)
            if isinstance(data, float)
            else None,
        )
    if isinstance(data, (list, tuple)):
        return torch.from_numpy(_array_from(data, keeps_digits))
    if isinstance(data, range):
        return torch.tensor(list(data))
    raise TypeError(
        "For 'Tensor', the type of 'input_data' should be one of '['Tensor', 'ndarray', 'list', 'tuple', 'float', "
        f"'int', 'bool', 'complex']', but got type '{type(data).__name__}'."
    )


def is_followed(data: torch.Tensor) -> bool:
    """Return whether a Tensor made of ``data`` keeps its derivative: in a forward, unless it is a Parameter."""
    return data.requires_grad and keeps_graph() and not isinstance(data, torch.nn.Parameter)


def _shared(data: torch.Tensor) -> torch.Tensor:
    """Return a Tensor's memory as another tensor. As in MindSpore, it keeps its derivative where `is_followed`."""
    if not is_followed(data):
        return wrapping.plain(data)
    return torch._C.TensorBase.view_as(data, data) if tracing.is_tracing() else _Shared.apply(data)


class _Shared(torch.autograd.Function):
    """Alias that is no view for torch, so that both Tensors may be written to."""

    only_operators = True  # its backward reads no values in Python
    generate_vmap_rule = True

    @staticmethod
    def forward(data: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return wrapping.plain(data)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Save nothing."""

    @staticmethod
    def backward(ctx: Any, dout: Any) -> Any:  # type: ignore[override]
        return dout

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:  # type: ignore[override]
        return tangent.view_as(tangent)


def sent(made: torch.Tensor, device: torch.device, *most: int) -> torch.Tensor:
    """Return `placement.sent` of it; a recorded step holds the copy on the device as a constant."""
    recorder = program.recorder_here()
    if recorder is None:
        return placement.sent(made, device, *most)
    with recorder.pause():
        return placement.sent(made, device, *most)


def device_from(device: Any) -> torch.device:
    """Return the torch device named "CPU", "GPU", "Ascend" or "GPU:1"."""
    if isinstance(device, torch.device):
        return device
    name, _, number = str(device).partition(":")
    if name.upper() == "CPU":
        return CPU
    if name.upper() in ("GPU", "CUDA", "ASCEND") and torch.cuda.is_available():
        return torch.device("cuda", int(number or 0))
    raise ValueError(
        f"For 'Tensor', 'device' must be 'CPU' or, where PyTorch sees a GPU, 'GPU' or 'GPU:N', but got {device!r}."
    )
