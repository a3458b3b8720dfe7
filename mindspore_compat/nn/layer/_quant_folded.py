"""Quantized convolutions with folded batch normalization. Upstream: ``mindspore.nn.layer.quant`` of 1.x."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.layer._batch_norm import moved
from mindspore_compat.nn.layer._fake_quant import quant_config_default
from mindspore_compat.nn.layer._quant_base import Integers, _column, _QuantConv, _row
from mindspore_compat.ops import function as F

__all__ = ["Conv2dBnFoldQuantOneConv", "Conv2dBnFoldQuant"]


class _FoldedConv(_QuantConv):
    """A convolution with a batch norm inside: ``gamma``, ``beta``, ``moving_mean`` and ``moving_variance`` are its own
    parameters.
    """

    def __init__(self, inits: tuple[Any, Any, Any, Any], eps: float, momentum: float, fake: bool, *args: Any) -> None:
        super().__init__(*args)
        self.eps, self.momentum, self.fake = eps, momentum, fake
        beta, gamma, mean, variance = inits
        for name, init in (("gamma", gamma), ("beta", beta), ("moving_mean", mean), ("moving_variance", variance)):
            setattr(
                self,
                name,
                Parameter(
                    initializer(init, (self.out_channels,), torch.float32),
                    name=name,
                    requires_grad=name in ("beta", "gamma"),
                ),
            )

    def _deviation(self) -> Any:
        return torch.sqrt(self.moving_variance + self.eps)

    def _folded(self, deviation: Any) -> Any:
        weight = self.weight * _column(self.gamma / deviation)
        return self.fake_quant_weight(weight) if self.fake else weight

    def _shift(self, mean: Any, deviation: Any) -> Any:
        """What the norm adds: the bias of the folded convolution."""
        return self.beta + self.gamma * ((0 if self.bias is None else self.bias) - mean) / deviation

    def construct(self, x: Any) -> Any:
        if self.training:
            return self._train(x)
        deviation = self._deviation()
        return self._convolve(x, self._folded(deviation), self._shift(self.moving_mean, deviation))

    def _train(self, x: Any) -> Any:
        raise NotImplementedError

    def integers(self) -> Integers:
        """What to deploy. Raises: ValueError where ``fake`` is False."""
        if not self.fake:
            raise ValueError(
                f"For '{type(self).__name__}', with 'fake' False the weight has no grid to be deployed on. Make it "
                "with fake=True."
            )
        deviation = self._deviation()
        index = self.fake_quant_weight.indices(self.weight * _column(self.gamma / deviation))
        return Integers(index, self.fake_quant_weight.grid(), self._shift(self.moving_mean, deviation))

    def extend_repr(self) -> str:
        return f"{super().extend_repr()}, fake={self.fake}, momentum={self.momentum}"


class Conv2dBnFoldQuant(_FoldedConv):
    """A convolution with a folded batch norm, whose statistics are those of the convolution with float weights.

    Args:
        in_channels ... bias_init, quant_config ... quant_delay: as of `Conv2dQuant`.
        eps, momentum: of the norm; ``momentum`` weighs the old moving values.
        beta_init, gamma_init, mean_init, var_init: of its four parameters.
        fake: whether the weight is rounded.
        freeze_bn: after this number of training steps the moving statistics are used. The parameter ``step`` counts
            them.
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
        eps: float = 1e-5,
        momentum: float = 0.997,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        beta_init: Any = "zeros",
        gamma_init: Any = "ones",
        mean_init: Any = "zeros",
        var_init: Any = "ones",
        fake: bool = True,
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        freeze_bn: int = 100000,
        *,
        per_channel: bool | None = None,
        num_bits: int | None = None,
        symmetric: bool | None = None,
        narrow_range: bool | None = None,
        quant_delay: int | None = None,
    ) -> None:
        super().__init__(
            (beta_init, gamma_init, mean_init, var_init),
            eps,
            momentum,
            fake,
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
        self.freeze_bn = freeze_bn
        self.step = Parameter(
            torch.zeros(1, dtype=torch.int32, device=current_device()), name="step", requires_grad=False
        )

    def _train(self, x: Any) -> Any:
        deviation, mean = self._deviation(), self.moving_mean.detach().clone()
        out = self._convolve(x, self.weight, self.bias).to(mean.dtype)
        variance, found = torch.var_mean(out, (0, 2, 3), correction=0)
        running = self.step < self.freeze_bn
        used_deviation = torch.where(running, torch.sqrt(variance + self.eps), deviation)
        y = self._convolve(x, self._folded(deviation), None)
        y = y * _row(deviation / used_deviation) + _row(self._shift(torch.where(running, found, mean), used_deviation))
        count = out.numel() // out.shape[1]
        for parameter, new in (
            (self.moving_mean, found),
            (self.moving_variance, variance * (count / max(count - 1, 1))),
        ):
            old = parameter.detach()
            F.assign(parameter, torch.where(running, self.momentum * old + (1 - self.momentum) * new.detach(), old))
        F.assign(self.step, self.step + 1)
        return y.to(x.dtype)

    def extend_repr(self) -> str:
        return f"{super().extend_repr()}, freeze_bn={self.freeze_bn}"


class Conv2dBnFoldQuantOneConv(_FoldedConv):
    """A convolution with a folded batch norm, whose statistics are those of the convolution with rounded weights.
    Arguments as of `Conv2dBnFoldQuant`, without ``freeze_bn``.
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
        eps: float = 1e-5,
        momentum: float = 0.997,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        beta_init: Any = "zeros",
        gamma_init: Any = "ones",
        mean_init: Any = "zeros",
        var_init: Any = "ones",
        fake: bool = True,
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
    ) -> None:
        super().__init__(
            (beta_init, gamma_init, mean_init, var_init),
            eps,
            momentum,
            fake,
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
            {},
        )

    def _train(self, x: Any) -> Any:
        deviation = self._deviation()
        factor = self.gamma / deviation
        y = self._convolve(x, self._folded(deviation), None) / _row(torch.where(factor == 0, 1, factor))
        if self.bias is not None:
            y = y + _row(self.bias)
        return torch.batch_norm(
            y,
            self.gamma,
            self.beta,
            *moved(self.moving_mean, self.moving_variance),
            True,
            1 - self.momentum,
            self.eps,
            True,
        )
