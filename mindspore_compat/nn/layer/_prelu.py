"""PReLU: a leaky ReLU whose slope is trained. Upstream: ``mindspore.nn.layer.activation``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

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
        self.w = Parameter(_prelu_slopes(channel, w), name="a")

    def construct(self, x: Any) -> Any:
        return torch.prelu(x, self.w.to(x.dtype))


def _prelu_slopes(channel: int, w: Any) -> Tensor:
    if isinstance(w, (float, np.float32)):
        return initializer(float(w), (channel,))
    if isinstance(w, list):
        return Tensor(w, torch.float32)
    return initializer(w, (channel,))


class PReLUExt(Cell):
    """`PReLU` with the argument names of ``mint.nn.PReLU``; its parameter is ``weight``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        self.weight = Parameter(initializer(float(init), (num_parameters,), dtype or torch.float32), name="weight")

    def construct(self, input: Any) -> Any:
        return torch.prelu(input, self.weight)
