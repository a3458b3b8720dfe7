"""Layers with batch norm and activation in one. MindSpore: ``mindspore.nn.layer.combined``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import LeakyReLU, activation_from
from mindspore_compat.nn.layer.basic import Dense
from mindspore_compat.nn.layer.conv import Conv2d
from mindspore_compat.nn.layer.normalization import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct"]


class _BnAct(Cell):
    """A layer, then optionally a batch norm ``batchnorm`` and an activation."""

    _layer = ""

    def _finish(self, norm: Cell | None, has_bn: bool, activation: Any, alpha: float, after_fake: bool) -> None:
        self.has_bn, self.has_act = has_bn, activation is not None
        self.after_fake = after_fake
        if norm is not None:
            self.batchnorm = norm
        is_leaky = isinstance(activation, str) and activation == "leakyrelu"
        self.activation = LeakyReLU(alpha) if is_leaky else activation_from(activation, type(self).__name__)

    def construct(self, x: Any) -> Any:
        x = getattr(self, self._layer)(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_BnAct):
    """`Conv2d` ``conv``, then optionally a batch norm ``batchnorm`` and an activation. ``after_fake`` only matters for
    quantization.
    """

    _layer = "conv"

    @arguments_of(Conv2d, without="data_format dtype", has_bn="bias_init")
    def __init__(
        self,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
        **conv: Any,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(out_channels=out_channels, weight_init=weight_init, bias_init=bias_init, **conv)
        norm = BatchNorm2d(out_channels, eps, momentum) if has_bn else None
        self._finish(norm, has_bn, activation, alpha, after_fake)


class DenseBnAct(_BnAct):
    """`Dense` ``dense``, then optionally a batch norm ``batchnorm`` and an activation. ``after_fake`` only matters for
    quantization.
    """

    _layer = "dense"

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
        norm = BatchNorm1d(out_channels, eps, momentum) if has_bn else None
        self._finish(norm, has_bn, activation, alpha, after_fake)
