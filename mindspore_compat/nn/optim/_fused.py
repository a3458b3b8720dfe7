"""Momentum in one pass over the memory, by torch's fused kernel where the tensors allow it, else by its ``_foreach``
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat.nn.optim._device import Number, add_scaled_, in_single

__all__ = ["check_nesterov", "momentum_step"]

_contiguous, _is_contiguous = torch._C.TensorBase.contiguous, torch._C.TensorBase.is_contiguous
_dtype, _device, _layout = (torch._C.TensorBase.__dict__[name].__get__ for name in ("dtype", "device", "layout"))
_NARROW = frozenset((torch.float16, torch.bfloat16))
# torch's kernel for a CPU leaves parameters of 16 bits as they are, but for the last few elements
_FUSED_DTYPES = frozenset((torch.float32, torch.float64))
_FUSED_DEVICES = frozenset(("cpu", "cuda"))


def check_nesterov(nesterov: bool, momentum: float, dampening: float) -> None:
    """Nesterov's momentum is defined without dampening only."""
    if nesterov and (momentum <= 0.0 or dampening != 0.0):
        raise ValueError(
            "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
            f"but got 'momentum' {momentum}, 'dampening' {dampening}."
        )


def momentum_step(
    parameters: Sequence[Any],
    gradients: Sequence[Any],
    buffers: Sequence[Any],
    rate: Number,
    momentum: float,
    dampening: float = 0.0,
    nesterov: bool = False,
) -> None:
    """buffer = momentum·buffer + (1 - dampening)·g; p -= rate·buffer, or with Nesterov p -= rate·(g + momentum·buffer);
    in place.
    """
    if momentum and _fusible(parameters, gradients, buffers):  # the kernel keeps no buffer without momentum
        # the kernel walks the memory of all three side by side; a convolution may give its gradient in channels-last
        # order
        torch._fused_sgd_(
            parameters,
            list(map(_contiguous, gradients)),
            buffers,
            weight_decay=0.0,
            momentum=momentum,
            lr=rate,
            dampening=dampening,
            nesterov=nesterov,
            maximize=False,
            is_first_step=False,
        )
        return
    if not _NARROW.isdisjoint(map(_dtype, parameters)):
        with in_single((list(parameters), list(buffers)), list(gradients)) as (values, sums, slopes):
            momentum_step(values, slopes, sums, rate, momentum, dampening, nesterov)
        return
    torch._foreach_mul_(buffers, momentum)
    torch._foreach_add_(buffers, gradients, alpha=1.0 - dampening)
    if nesterov:
        add_scaled_(parameters, gradients, -rate)
        add_scaled_(parameters, buffers, -rate * momentum)
    else:
        add_scaled_(parameters, buffers, -rate)


def _fusible(parameters: Sequence[Any], gradients: Sequence[Any], buffers: Sequence[Any]) -> bool:
    """One dtype, one device, dense, and no gaps in what is updated."""
    everything = [*parameters, *gradients, *buffers]
    dtypes = set(map(_dtype, everything))
    if (
        len(dtypes) > 1
        or not dtypes <= _FUSED_DTYPES
        or not all(map(_is_contiguous, parameters))
        or not all(map(_is_contiguous, buffers))
    ):
        return False
    devices = set(map(_device, everything))
    return (
        len(devices) == 1 and devices.pop().type in _FUSED_DEVICES and set(map(_layout, gradients)) == {torch.strided}
    )
