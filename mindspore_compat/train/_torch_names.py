"""MindSpore's parameter names for a plain torch module, by the types of its modules.

A norm's ``weight``, ``bias``, ``running_mean``, ``running_var`` are ``gamma``, ``beta``, ``moving_mean``, ``moving_variance``;
an embedding's ``weight`` is ``embedding_table``. Everything else has the same name on both sides.
"""
from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import torch

from mindspore_compat.common._wrap import plain
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.parameter import Parameter

__all__ = ["mindspore_items", "load_into_module", "torch_targets"]

_log = logging.getLogger("mindspore_compat")
_NORM = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean", "running_var": "moving_variance"}
_NORMS = (torch.nn.modules.batchnorm._NormBase, torch.nn.LayerNorm, torch.nn.GroupNorm)
_FLOATS = (torch.float16, torch.float32, torch.float64, torch.bfloat16)


def _own_name(module: torch.nn.Module, name: str) -> str | None:
    """MindSpore's name of a module's own parameter or buffer; None if MindSpore has no such thing."""
    if isinstance(module, _NORMS):
        return _NORM.get(name)  # num_batches_tracked has no counterpart
    if isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and name == "weight":
        return "embedding_table"
    return name


def torch_targets(net: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """(MindSpore name, parameter or buffer) of everything in the module that a MindSpore checkpoint may hold, each tensor once."""
    if hasattr(net, "checkpoint_targets"):  # a training step of Model: the network and the optimizer's state
        yield from net.checkpoint_targets()
        return
    seen: set[int] = set()
    for path, module in net.named_modules():
        buffers = [(name, tensor) for name, tensor in module._buffers.items() if name not in module._non_persistent_buffers_set]
        for name, tensor in [*module._parameters.items(), *buffers]:
            own = _own_name(module, name)
            if tensor is not None and own is not None and id(tensor) not in seen:
                seen.add(id(tensor))
                yield f"{path}.{own}" if path else own, tensor


def mindspore_items(net: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """What `save_checkpoint` writes for a torch module."""
    return torch_targets(net)


def _matched(name: str, tensor: torch.Tensor, value: Parameter, strict_load: bool) -> torch.Tensor:
    data = plain(value)
    if tuple(data.shape) != tuple(tensor.shape):
        raise RuntimeError(f"For 'load_param_into_net', {name} in the argument 'net' should have the same shape as in the argument "
                           f"'parameter_dict'. But got its shape {tuple(tensor.shape)} in the argument 'net' and shape {tuple(data.shape)} "
                           "in the argument 'parameter_dict'. Check that the network is the one that was saved.")
    if data.dtype is not tensor.dtype and (strict_load or not (data.dtype in _FLOATS and tensor.dtype in _FLOATS)):
        raise RuntimeError(f"For 'load_param_into_net', {name} in the argument 'net' should have the same type as in the argument "
                           f"'parameter_dict'. But got its type {dtype_name(tensor.dtype)} in the argument 'net' and type "
                           f"{dtype_name(data.dtype)} in the argument 'parameter_dict'.")
    return data


def load_into_module(net: torch.nn.Module, parameter_dict: dict[str, Any], strict_load: bool) -> tuple[list[str], list[str]]:
    """Copy the values into the module's parameters and buffers; what `load_param_into_net` does for torch modules.

    Nothing is changed if anything does not fit.
    """
    missing: list[str] = []
    unused = dict.fromkeys(parameter_dict)
    pairs = []
    for name, tensor in torch_targets(net):
        value = parameter_dict.get(name)
        if isinstance(value, Parameter):
            unused.pop(name)
            pairs.append((tensor, _matched(name, tensor, value, strict_load)))
        else:
            missing.append(name)
    with torch.no_grad():
        for tensor, data in pairs:
            tensor.copy_(data)
    if hasattr(net, "restore_optimizer_state"):
        for name in net.restore_optimizer_state({name: parameter_dict[name] for name in unused}):
            unused.pop(name)
    return missing, list(unused)
