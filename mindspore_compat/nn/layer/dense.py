"""The bilinear layer. MindSpore: ``mindspore.nn.layer.dense``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat.common.initializer import Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes

__all__ = ["BiDense"]


class BiDense(Cell):
    """input1ᵀ · weight · input2 + bias: (*, in1_channels) and (*, in2_channels) give (*, out_channels)."""

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        sizes(in1_channels, "in1_channels", "BiDense", 1)
        self.in1_channels = in1_channels
        self.in2_channels = in2_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        bound = 1 / math.sqrt(in1_channels)
        shape = (out_channels, in1_channels, in2_channels)
        self.weight = Parameter(
            initializer(Uniform(bound) if weight_init is None else weight_init, shape, dtype), name="weight"
        )
        self.bias = None
        if has_bias:
            self.bias = Parameter(
                initializer(Uniform(bound) if bias_init is None else bias_init, (out_channels,), dtype), name="bias"
            )

    def construct(self, input1: Any, input2: Any) -> Any:
        return kernels.bilinear(input1, input2, self.weight, self.bias if self.has_bias else None)

    def extend_repr(self) -> str:
        text = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text
