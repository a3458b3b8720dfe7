"""The bilinear layer. Upstream: ``mindspore.nn.layer.dense``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_positive_int
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common.initializer import Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.ops._adapt import check_tensors

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
        self.in1_channels = check_positive_int(in1_channels, "in1_channels", "BiDense")
        self.in2_channels = check_positive_int(in2_channels, "in2_channels", "BiDense")
        self.out_channels = check_positive_int(out_channels, "out_channels", "BiDense")
        self.has_bias = check_bool(has_bias, "has_bias", "BiDense")
        bound = 1 / math.sqrt(in1_channels)
        shape = (out_channels, in1_channels, in2_channels)
        for name, value, wanted in (
            ("weight_init", weight_init, shape),
            ("bias_init", bias_init if has_bias else None, (out_channels,)),
        ):
            if isinstance(value, torch.Tensor) and tuple(value.shape) != wanted:
                raise ValueError(
                    f"For 'BiDense', the shape of '{name}' must be {wanted}, but got {tuple(value.shape)}."
                )
        self.weight = Parameter(
            initializer(Uniform(bound) if weight_init is None else weight_init, shape, dtype), name="weight"
        )
        self.bias = None
        if has_bias:
            self.bias = Parameter(
                initializer(Uniform(bound) if bias_init is None else bias_init, (out_channels,), dtype), name="bias"
            )

    def construct(self, input1: Any, input2: Any) -> Any:
        for name, value, size in (("input1", input1, self.in1_channels), ("input2", input2, self.in2_channels)):
            check_tensors("BiDense", **{name: value})
            if value.shape[-1] != size:
                raise ValueError(
                    f"For 'BiDense', the last dimension of '{name}' must be {size}, but got shape {tuple(value.shape)}."
                )
        if tuple(input1.shape[:-1]) != tuple(input2.shape[:-1]):
            raise ValueError(
                "For 'BiDense', the dimensions except the last of 'input1' must be same as 'input2', "
                f"but got {tuple(input1.shape)} and {tuple(input2.shape)}."
            )
        return kernels.bilinear(input1, input2, self.weight, self.bias if self.has_bias else None)

    def extend_repr(self) -> str:
        text = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return f"{text}, has_bias={self.has_bias}" if self.has_bias else text
