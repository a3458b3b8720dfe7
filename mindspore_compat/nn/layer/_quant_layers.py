"""Convolutions and dense layers whose weights are rounded while they train; ``integers`` gives what to deploy.

Batch norm is folded into a convolution by one of two methods, both with the moving deviation in the weight that is
rounded, so that the grid does not shake with every batch: `Conv2dBnFoldQuant` corrects the result by the statistics of
the convolution with float weights, `Conv2dBnFoldQuantOneConv` takes those of the rounded one. In evaluation both are
one convolution with the weight that is deployed. Upstream adds the bias of a folded convolution without the batch
norm's factor, so that training and inference differ; here it is scaled.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._fake_quant import Grid, quant_config_default
from mindspore_compat.nn.layer._quant_base import Integers, _column, _QuantConv, observer_of
from mindspore_compat.nn.layer._quant_folded import Conv2dBnFoldQuant, Conv2dBnFoldQuantOneConv
from mindspore_compat.nn.layer.activation import activation_from
from mindspore_compat.nn.layer.basic import _set_dense
from mindspore_compat.nn.layer.normalization import BatchNorm2d

__all__ = ["Conv2dBnFoldQuantOneConv", "Conv2dBnFoldQuant", "Conv2dBnWithoutFoldQuant", "Conv2dQuant", "DenseQuant"]


class Conv2dQuant(_QuantConv):
    """A convolution whose weight is rounded.

    Args:
        in_channels ... bias_init: as of `Conv2d`.
        quant_config: what makes the weight's observer; by ``create_quant_config``.
        quant_dtype: the type to round to.
        per_channel, num_bits, symmetric, narrow_range, quant_delay: of MindSpore 1.0; they override the config's.
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
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        *,
        per_channel: bool | None = None,
        num_bits: int | None = None,
        symmetric: bool | None = None,
        narrow_range: bool | None = None,
        quant_delay: int | None = None,
    ) -> None:
        super().__init__(
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
            quant_config,
            quant_dtype,
            {
                "per_channel": per_channel,
                "num_bits": num_bits,
                "symmetric": symmetric,
                "narrow_range": narrow_range,
                "quant_delay": quant_delay,
            },
        )

    def construct(self, x: Any) -> Any:
        return self._convolve(x, self.fake_quant_weight(self.weight), self.bias)


class Conv2dBnWithoutFoldQuant(_QuantConv):
    """A convolution whose weight is rounded, then a batch norm ``batchnorm``. Arguments as of `Conv2dQuant`, ``eps``
    and ``momentum`` of the norm.
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
        eps: float = 1e-5,
        momentum: float = 0.997,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        *,
        per_channel: bool | None = None,
        num_bits: int | None = None,
        symmetric: bool | None = None,
        narrow_range: bool | None = None,
        quant_delay: int | None = None,
    ) -> None:
        super().__init__(
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
            quant_config,
            quant_dtype,
            {
                "per_channel": per_channel,
                "num_bits": num_bits,
                "symmetric": symmetric,
                "narrow_range": narrow_range,
                "quant_delay": quant_delay,
            },
        )
        self.batchnorm = BatchNorm2d(out_channels, eps, momentum)

    def construct(self, x: Any) -> Any:
        return self.batchnorm(self._convolve(x, self.fake_quant_weight(self.weight), self.bias))

    def integers(self) -> Integers:
        """The norm's factor goes into the scales, which become one for each channel; where it is negative, the numbers
        count from the other end.
        """
        index, (scale, zero, lowest, highest), bias = super().integers()
        norm = self.batchnorm
        factor = norm.gamma / torch.sqrt(norm.moving_variance + norm.eps)
        shift = norm.beta + factor * ((0 if bias is None else bias) - norm.moving_mean)
        turned = factor < 0
        index = torch.where(_column(turned), lowest + highest - index, index)
        zero = torch.where(turned, lowest + highest - zero, zero)
        return Integers(index, Grid(scale * torch.abs(factor), zero, lowest, highest), shift)


class DenseQuant(Cell):
    """A `Dense` layer whose weight is rounded: (N, in_channels) to (N, out_channels).

    Args:
        in_channels ... activation: as of `Dense`; quant_config ... quant_delay: as of `Conv2dQuant`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        *,
        per_channel: bool | None = None,
        num_bits: int | None = None,
        symmetric: bool | None = None,
        narrow_range: bool | None = None,
        quant_delay: int | None = None,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        _set_dense(self, out_channels, in_channels, has_bias, weight_init, bias_init, torch.float32)
        self.activation = activation_from(activation, "DenseQuant")
        self.activation_flag = self.activation is not None
        self.quant_config = quant_config
        self.quant_dtype = quant_dtype
        old = {
            "per_channel": per_channel,
            "num_bits": num_bits,
            "symmetric": symmetric,
            "narrow_range": narrow_range,
            "quant_delay": quant_delay,
        }
        self.fake_quant_weight = observer_of(
            quant_config, "weight", quant_dtype, old, ema=False, channel_axis=0, num_channels=out_channels
        )

    def core(self, x: Any, weight: Any, bias: Any) -> Any:
        """The product and the activation."""
        y = kernels.linear(x, weight, bias)
        return self.activation(y) if self.activation_flag else y

    def construct(self, x: Any) -> Any:
        return self.core(x, self.fake_quant_weight(self.weight), self.bias)

    def integers(self) -> Integers:
        """What to deploy."""
        return Integers(self.fake_quant_weight.indices(self.weight), self.fake_quant_weight.grid(), self.bias)

    def extend_repr(self) -> str:
        text = f"in_channels={self.in_channels}, out_channels={self.out_channels}, has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text
