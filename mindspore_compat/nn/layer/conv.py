"""Convolutions. Upstream: ``mindspore.nn.layer.conv``. Weights are laid out (out, in / group, *kernel)."""
from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_positive_int
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell

__all__ = ["Conv2d"]


def pair(value: Any, name: str, where: str) -> tuple[int, int]:
    """An int or a tuple of two as a tuple of two positive ints."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"For '{where}', the '{name}' must be an int or a tuple of two ints, but got {value!r}.")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or item < 1:
            raise ValueError(f"For '{where}', the '{name}' must be a positive int or a tuple of two positive ints, but got {value}.")
    return value[0], value[1]


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """(before, after) so that the output has ceil(size / stride) places; the odd one comes after."""
    total = max((-(-size // stride) - 1) * stride + dilation * (kernel - 1) + 1 - size, 0)
    return total // 2, total - total // 2


class Conv2d(Cell):
    """2-D convolution over (N, C, H, W), or (N, H, W, C) with ``data_format="NHWC"``.

    Args:
        pad_mode: "same" (default), "valid" or "pad"; the latter takes ``padding``: an int, or (top, bottom, left, right).
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, pad_mode: str = "same", padding: Any = 0,
                 dilation: Any = 1, group: int = 1, has_bias: bool = False, weight_init: Any = None, bias_init: Any = None,
                 data_format: str = "NCHW", dtype: Any = torch.float32) -> None:
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", "Conv2d")
        self.out_channels = check_positive_int(out_channels, "out_channels", "Conv2d")
        self.group = check_positive_int(group, "group", "Conv2d")
        self.kernel_size, self.stride = pair(kernel_size, "kernel_size", "Conv2d"), pair(stride, "stride", "Conv2d")
        self.dilation = pair(dilation, "dilation", "Conv2d")
        self.has_bias = check_bool(has_bias, "has_bias", "Conv2d")
        if pad_mode not in ("same", "valid", "pad"):
            raise ValueError(f"For 'Conv2d', the 'pad_mode' must be one of 'same', 'valid', 'pad', but got {pad_mode!r}.")
        if in_channels % group or out_channels % group:
            raise ValueError(f"For 'Conv2d', 'in_channels' {in_channels} and 'out_channels' {out_channels} must be divisible by 'group' {group}.")
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(f"For 'Conv2d', the 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}.")
        self.pad_mode, self.padding, self.data_format = pad_mode, padding, data_format
        self._pads = self._checked_padding(padding)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        shape = (out_channels, in_channels // group, *self.kernel_size)
        self.weight = Parameter(initializer(self.weight_init, shape, dtype), name="weight")
        self.bias, self.bias_init = None, bias_init
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(math.prod(shape[1:])))
            self.bias = Parameter(initializer(self.bias_init, (out_channels,), dtype), name="bias")

    def _checked_padding(self, padding: Any) -> tuple[int, int, int, int]:
        """(top, bottom, left, right) of pad mode "pad"."""
        if isinstance(padding, int) and not isinstance(padding, bool):
            pads = (padding,) * 4
        elif isinstance(padding, (tuple, list)) and len(padding) == 4:
            pads = tuple(padding)  # type: ignore[assignment]
        else:
            raise TypeError(f"For 'Conv2d', the 'padding' must be an int or a tuple of four ints, but got {padding!r}.")
        if any(isinstance(item, bool) or not isinstance(item, int) or item < 0 for item in pads):
            raise ValueError(f"For 'Conv2d', the elements of 'padding' must not be negative, but got {padding}.")
        if self.pad_mode != "pad" and any(pads):
            raise ValueError(f"For 'Conv2d', the 'padding' must be zero when 'pad_mode' is not 'pad', but got {padding} with {self.pad_mode!r}. "
                             "Set pad_mode='pad'.")
        return pads

    def _padding_for(self, height: int, width: int) -> tuple[int, int, int, int]:
        if self.pad_mode == "same":
            rows = same_padding(height, self.kernel_size[0], self.stride[0], self.dilation[0])
            columns = same_padding(width, self.kernel_size[1], self.stride[1], self.dilation[1])
            return (*rows, *columns)
        return self._pads

    def construct(self, x: Any) -> Any:
        if self.data_format == "NHWC":
            return torch.permute(self._convolve(torch.permute(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._convolve(x)

    def _convolve(self, x: Any) -> Any:
        top, bottom, left, right = self._padding_for(*x.shape[-2:]) if self.pad_mode != "valid" else (0, 0, 0, 0)
        if top != bottom or left != right:
            x, top, left = torch._C._nn.pad(x, (left, right, top, bottom)), 0, 0
        return torch.conv2d(x, self.weight, self.bias, self.stride, (top, left), self.dilation, self.group)

    def extend_repr(self) -> str:
        return (f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}, "
                f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.data_format}")
