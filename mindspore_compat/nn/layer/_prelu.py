"""PReLU: a leaky ReLU whose slope is trained. Upstream: ``mindspore.nn.layer.activation``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_positive_int
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["PReLU", "PReLUExt"]


class PReLU(Cell):
    """x where positive, else w · x; the learned ``w`` (named ``a`` until it has a path) has ``channel`` elements, for
    axis 1.
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        check_positive_int(channel, "channel", "PReLU")
        self.w = Parameter(_prelu_slopes(channel, w), name="a")

    def construct(self, x: Any) -> Any:
        return torch.prelu(x, self.w.to(x.dtype))


def _prelu_slopes(channel: int, w: Any) -> Tensor:
    if isinstance(w, (float, np.float32)):
        return initializer(float(w), (channel,))
    if isinstance(w, list):
        if len(w) != channel or not all(isinstance(item, (float, np.float32)) for item in w):
            raise ValueError(f"For 'PReLU', the 'w' as a list must hold 'channel' ({channel}) floats, but got {w}.")
        return Tensor(w, torch.float32)
    if not isinstance(w, torch.Tensor):
        raise TypeError(f"For 'PReLU', the 'w' only supported float, list and tensor, but got {type(w).__name__}.")
    if w.dtype not in (torch.float16, torch.float32):
        raise ValueError(
            f"For 'PReLU', the dtype of 'w' must be float16 or float32 when the 'w' is a tensor, but got {w.dtype}."
        )
    if tuple(w.shape) != (channel,):
        raise ValueError(
            f"For 'PReLU', the shape of 'w' must be ('channel',) = ({channel},), but got {tuple(w.shape)}."
        )
    return w  # type: ignore[return-value]


class PReLUExt(Cell):
    """`PReLU` with the argument names of ``mint.nn.PReLU``; its parameter is ``weight``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        self.weight = Parameter(initializer(float(init), (num_parameters,), dtype or torch.float32), name="weight")

    def construct(self, input: Any) -> Any:
        return torch.prelu(input, self.weight)
