"""Layers with batch norm and activation in one. MindSpore: ``mindspore.nn.layer.combined``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import LeakyReLU, activation_from
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.layer.normalization import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct"]


def _finish(cell: Cell, norm: Cell | None, has_bn: bool, activation: Any, alpha: float, after_fake: bool) -> None:
    owner = type(cell).__name__
    cell.has_bn, cell.has_act = has_bn, activation is not None
    cell.after_fake = after_fake
    if norm is not None:
        cell.batchnorm = norm
    cell.activation = (
        LeakyReLU(alpha)
        if isinstance(activation, str) and activation == "leakyrelu"
        else activation_from(activation, owner)
    )


class Conv2dBnAct(Cell):
    """`Conv2d` ``conv``, then optionally a batch norm ``batchnorm`` and an activation. ``after_fake`` only matters for
    quantization.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        _finish(
            self, BatchNorm2d(out_channels, eps, momentum) if has_bn else None, has_bn, activation, alpha, after_fake
        )

    def construct(self, x: Any) -> Any:
        x = self.conv(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class DenseBnAct(Cell):
    """`Dense` ``dense``, then optionally a batch norm ``batchnorm`` and an activation. ``after_fake`` only matters for
    quantization.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        _finish(
            self, BatchNorm1d(out_channels, eps, momentum) if has_bn else None, has_bn, activation, alpha, after_fake
        )

    def construct(self, x: Any) -> Any:
        x = self.dense(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x
