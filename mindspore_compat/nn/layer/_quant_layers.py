"""Convolutions and dense layers with rounded weights for training; ``integers`` returns the form to deploy.

Batch norm is folded into a convolution by one of two methods. Both use the moving deviation in the rounded weight, so
that the grid does not change with every batch. `Conv2dBnFoldQuant` corrects the result by the statistics of the
convolution with float weights, `Conv2dBnFoldQuantOneConv` by those of the rounded one. In evaluation both are one
convolution with the deployed weight. MindSpore adds the bias of a folded convolution without the batch norm's factor,
so that training and inference differ; here it is scaled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._fake_quant import Grid, QuantConfig, quant_config_default
from mindspore_compat.nn.layer.activation import activation_from
from mindspore_compat.nn.layer.basic import _set_dense
from mindspore_compat.nn.layer.conv import Conv2d, _Forward
from mindspore_compat.nn.layer.normalization import BatchNorm2d, moved
from mindspore_compat.ops import function as F

__all__ = ["Conv2dBnFoldQuantOneConv", "Conv2dBnFoldQuant", "Conv2dBnWithoutFoldQuant", "Conv2dQuant", "DenseQuant"]


class Integers(NamedTuple):
    """Deployed layer: the weight as whole numbers (in float32) on ``grid``, and a float bias or None."""

    index: torch.Tensor
    grid: Grid
    bias: torch.Tensor | None


def earlier(
    *,
    per_channel: bool | None = None,
    num_bits: int | None = None,
    symmetric: bool | None = None,
    narrow_range: bool | None = None,
    quant_delay: int | None = None,
) -> None:
    """Arguments of MindSpore 1.0."""


_EARLIER = tuple(earlier.__kwdefaults__ or ())


def take_earlier(given: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of MindSpore 1.0 out of ``given``."""
    return {name: given.pop(name) for name in _EARLIER}


def observer_of(config: QuantConfig, side: str, quant_dtype: Any, old: dict[str, Any], **more: Any) -> Any:
    """Return an observer by ``config``'s side "weight" or "activation"; ``old`` holds the layer's arguments of
    MindSpore 1.0, None for those not given.
    """
    given = {key: value for key, value in old.items() if value is not None}
    bits = given.pop("num_bits", None)
    build = getattr(config, side).partial_init(**given)
    return build(quant_dtype=quant_dtype if bits is None else f"INT{bits}", **more)


def _column(values: Any) -> Any:
    return torch.reshape(values, (-1, 1, 1, 1))


def _row(values: Any) -> Any:
    return torch.reshape(values, (1, -1, 1, 1))


class _QuantConv(_Forward):
    """Convolution over (N, C, H, W) with a rounded weight."""

    @arguments_of(Conv2d, earlier, without="data_format dtype", quant_config="bias_init")
    def __init__(
        self,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        **given: Any,
    ) -> None:
        old = take_earlier(given)
        super().__init__(weight_init=weight_init, bias_init=bias_init, **given)
        self.quant_config, self.quant_dtype = quant_config, quant_dtype
        self.fake_quant_weight = observer_of(
            quant_config, "weight", quant_dtype, old, ema=False, channel_axis=0, num_channels=self.out_channels
        )

    def core(self, x: Any, weight: Any, bias: Any) -> Any:
        """Return the convolution alone."""
        return self._convolve(x, weight, bias)

    def integers(self) -> Integers:
        """Return the form to deploy."""
        return Integers(self.fake_quant_weight.indices(self.weight), self.fake_quant_weight.grid(), self.bias)

    def extend_repr(self) -> str:
        return f"{super().extend_repr()}, quant_delay={self.fake_quant_weight.quant_delay}"


class _FoldedConv(_QuantConv):
    """Convolution with a batch norm inside: ``gamma``, ``beta``, ``moving_mean`` and ``moving_variance`` are its own
    parameters.
    """

    @arguments_of(_QuantConv, eps="group", beta_init="bias_init")
    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float = 0.997,
        beta_init: Any = "zeros",
        gamma_init: Any = "ones",
        mean_init: Any = "zeros",
        var_init: Any = "ones",
        fake: bool = True,
        **conv: Any,
    ) -> None:
        super().__init__(**conv)
        self.eps, self.momentum, self.fake = eps, momentum, fake
        inits = {"gamma": gamma_init, "beta": beta_init, "moving_mean": mean_init, "moving_variance": var_init}
        for name, init in inits.items():
            value = initializer(init, (self.out_channels,), torch.float32)
            setattr(self, name, Parameter(value, name=name, requires_grad=name in ("beta", "gamma")))

    def _deviation(self) -> Any:
        return torch.sqrt(self.moving_variance + self.eps)

    def _folded(self, deviation: Any) -> Any:
        weight = self.weight * _column(self.gamma / deviation)
        return self.fake_quant_weight(weight) if self.fake else weight

    def _shift(self, mean: Any, deviation: Any) -> Any:
        """Return the norm's summand: the bias of the folded convolution."""
        return self.beta + self.gamma * ((0 if self.bias is None else self.bias) - mean) / deviation

    def construct(self, x: Any) -> Any:
        if self.training:
            return self._train(x)
        deviation = self._deviation()
        return self._convolve(x, self._folded(deviation), self._shift(self.moving_mean, deviation))

    def _train(self, x: Any) -> Any:
        raise NotImplementedError

    def integers(self) -> Integers:
        """Return the form to deploy. Raises: ValueError where ``fake`` is False."""
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
    """Convolution with a folded batch norm, with the statistics of the convolution with float weights.

    Args:
        in_channels ... bias_init, quant_config ... quant_delay: as of `Conv2dQuant`.
        eps, momentum: of the norm; ``momentum`` weighs the old moving values.
        beta_init, gamma_init, mean_init, var_init: of its four parameters.
        fake: whether the weight is rounded.
        freeze_bn: after this number of training steps the moving statistics are used. The parameter ``step`` counts
            them.
    """

    @arguments_of(_FoldedConv, freeze_bn="quant_dtype")
    def __init__(self, freeze_bn: int = 100000, **conv: Any) -> None:
        super().__init__(**conv)
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
    """Convolution with a folded batch norm, with the statistics of the convolution with rounded weights. Arguments as
    of `Conv2dBnFoldQuant`, without ``freeze_bn``.
    """

    @arguments_of(_FoldedConv, without=" ".join(_EARLIER))
    def __init__(self, **conv: Any) -> None:
        super().__init__(**conv)

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


class Conv2dQuant(_QuantConv):
    """Convolution with a rounded weight.

    Args:
        in_channels ... bias_init: as of `Conv2d`.
        quant_config: what makes the weight's observer; by ``create_quant_config``.
        quant_dtype: the type to round to.
        per_channel, num_bits, symmetric, narrow_range, quant_delay: of MindSpore 1.0; they override the config's.
    """

    def construct(self, x: Any) -> Any:
        return self._convolve(x, self.fake_quant_weight(self.weight), self.bias)


class Conv2dBnWithoutFoldQuant(_QuantConv):
    """Convolution with a rounded weight, then a batch norm ``batchnorm``. Arguments as of `Conv2dQuant`, ``eps`` and
    ``momentum`` of the norm.
    """

    @arguments_of(_QuantConv, eps="has_bias")
    def __init__(self, eps: float = 1e-5, momentum: float = 0.997, **conv: Any) -> None:
        super().__init__(**conv)
        self.batchnorm = BatchNorm2d(self.out_channels, eps, momentum)

    def construct(self, x: Any) -> Any:
        return self.batchnorm(self._convolve(x, self.fake_quant_weight(self.weight), self.bias))

    def integers(self) -> Integers:
        """Return the form to deploy. The norm's factor goes into the scales, one for each channel; where it is
        negative, the numbers count from the other end.
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
    """`Dense` layer with a rounded weight: (N, in_channels) to (N, out_channels).

    Args:
        in_channels ... activation: as of `Dense`; quant_config ... quant_delay: as of `Conv2dQuant`.
    """

    @arguments_of(earlier)
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
        **old: Any,
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
        self.fake_quant_weight = observer_of(
            quant_config, "weight", quant_dtype, old, ema=False, channel_axis=0, num_channels=out_channels
        )

    def core(self, x: Any, weight: Any, bias: Any) -> Any:
        """Return the product and the activation."""
        y = kernels.linear(x, weight, bias)
        return self.activation(y) if self.activation_flag else y

    def construct(self, x: Any) -> Any:
        return self.core(x, self.fake_quant_weight(self.weight), self.bias)

    def integers(self) -> Integers:
        """Return the form to deploy."""
        return Integers(self.fake_quant_weight.indices(self.weight), self.fake_quant_weight.grid(), self.bias)

    def extend_repr(self) -> str:
        text = f"in_channels={self.in_channels}, out_channels={self.out_channels}, has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text
