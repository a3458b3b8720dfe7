"""Momentum in one pass over the memory, by torch's fused kernel where the tensors allow it, else by its ``_foreach`` ones."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

__all__ = ["momentum_step"]

_stride, _is_contiguous = torch._C.TensorBase.stride, torch._C.TensorBase.is_contiguous
_dtype, _device, _layout = (torch._C.TensorBase.__dict__[name].__get__ for name in ("dtype", "device", "layout"))
_FUSED_DTYPES = frozenset((torch.float32, torch.float64, torch.float16, torch.bfloat16))
_FUSED_DEVICES = frozenset(("cpu", "cuda"))


def momentum_step(parameters: Sequence[Any], gradients: Sequence[Any], buffers: Sequence[Any], rate: float, momentum: float,
                  dampening: float = 0.0, nesterov: bool = False) -> None:
    """buffer = momentum·buffer + (1 - dampening)·g; p -= rate·buffer, or with Nesterov p -= rate·(g + momentum·buffer); in place."""
    if momentum and _fusible(parameters, gradients, buffers):  # the kernel keeps no buffer without momentum
        torch._fused_sgd_(parameters, gradients, buffers, weight_decay=0.0, momentum=momentum, lr=rate, dampening=dampening,
                          nesterov=nesterov, maximize=False, is_first_step=False)
        return
    torch._foreach_mul_(buffers, momentum)
    torch._foreach_add_(buffers, gradients, alpha=1.0 - dampening)
    if nesterov:
        torch._foreach_add_(parameters, gradients, alpha=-rate)
        torch._foreach_add_(parameters, buffers, alpha=-rate * momentum)
    else:
        torch._foreach_add_(parameters, buffers, alpha=-rate)


def _fusible(parameters: Sequence[Any], gradients: Sequence[Any], buffers: Sequence[Any]) -> bool:
    """The kernel walks the memory of all three side by side: one dtype, one device, no gaps, equal strides."""
    everything = [*parameters, *gradients, *buffers]
    dtypes, devices, layouts = set(map(_dtype, everything)), set(map(_device, everything)), set(map(_layout, gradients))
    if len(dtypes) > 1 or len(devices) > 1 or layouts != {torch.strided}:
        return False
    if not dtypes <= _FUSED_DTYPES or devices.pop().type not in _FUSED_DEVICES or not all(map(_is_contiguous, parameters)):
        return False
    strides = list(map(_stride, parameters))
    return list(map(_stride, gradients)) == strides and list(map(_stride, buffers)) == strides
