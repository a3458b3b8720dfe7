"""What convolutions share: checks, weights and memory order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._api.validate import (
    check_str_in,
)
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes

__all__ = []


_MODES = ("same", "valid", "pad")


def _check_input_3d(input_shape: Sequence[int], op_name: str) -> None:
    """ValueError unless the shape has three axes; user code imports it."""
    if len(input_shape) != 3:
        raise ValueError(f"For '{op_name}', the dimension of input must be 3d, but got {len(input_shape)}.")


def _two(value: Any, name: str, owner: str) -> tuple[int, ...]:
    return sizes(value, name, owner, 2, wrong_length=TypeError)


class _Conv(Cell):
    """Arguments, weight and bias of all convolutions; ``kernel_size``, ``stride``, ``dilation`` are tuples already."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        pad_mode: str,
        padding: Any,
        dilation: tuple[int, ...],
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str = "NCHW",
        transposed: bool = False,
        dtype: Any = torch.float32,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.group = self._groups = group  # as the sizes: fixed from here on
        self.has_bias = has_bias
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode = check_str_in(pad_mode, "pad_mode", _MODES, owner)
        self.padding, self.data_format = padding, data_format
        self._pairs = self._checked_padding(padding)
        shape = (
            (in_channels, out_channels // group, *kernel_size)
            if transposed
            else (out_channels, *kernel_size, in_channels // group)
            if data_format == "NHWC"
            else (out_channels, in_channels // group, *kernel_size)
        )
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias, self.bias_init = None, bias_init
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = Parameter(initializer(self.bias_init, (out_channels,), dtype), name="bias")

    def _checked_padding(self, padding: Any) -> list[tuple[int, int]]:
        """(before, after) for each kernel axis."""
        owner, count = type(self).__name__, 2 * len(self.kernel_size)
        flat = sizes(padding, "padding", owner, count, low=0)
        if self.pad_mode != "pad" and any(flat):
            raise ValueError(
                f"For '{owner}', the 'padding' must be zero when 'pad_mode' is not 'pad', but got 'padding': {padding} "
                f"and 'pad_mode': {self.pad_mode!r}. Set pad_mode='pad'."
            )
        return list(zip(flat[::2], flat[1::2]))

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def _line_init(weight_init: Any) -> Any:
    """A 3-axis Tensor for the weight of a 1-D layer, in the 2-D layout."""
    if not isinstance(weight_init, torch.Tensor):
        return weight_init
    return torch.unsqueeze(weight_init, 2)
