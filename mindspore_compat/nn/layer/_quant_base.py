"""What quantized layers share: integers that stand for floats, and the base of their convolutions."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from mindspore_compat.nn.layer._fake_quant import Grid, QuantConfig
from mindspore_compat.nn.layer.conv import _Forward, _two

__all__ = []


class Integers(NamedTuple):
    """A layer as deployed: the weight as whole numbers (in float32) on ``grid``, and a float bias or None."""

    index: torch.Tensor
    grid: Grid
    bias: torch.Tensor | None


def observer_of(config: QuantConfig, side: str, quant_dtype: Any, old: dict[str, Any], **more: Any) -> Any:
    """An observer by ``config``'s side "weight" or "activation"; ``old`` holds MindSpore 1.0's arguments of the layer,
    None where not given.
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
    """A convolution over (N, C, H, W) with a rounded weight."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        quant_config: QuantConfig,
        quant_dtype: Any,
        old: dict[str, Any],
    ) -> None:
        owner = type(self).__name__
        super().__init__(
            in_channels,
            out_channels,
            _two(kernel_size, "kernel_size", owner),
            _two(stride, "stride", owner),
            pad_mode,
            padding,
            _two(dilation, "dilation", owner),
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        self.quant_config, self.quant_dtype = quant_config, quant_dtype
        self.fake_quant_weight = observer_of(
            quant_config, "weight", quant_dtype, old, ema=False, channel_axis=0, num_channels=out_channels
        )

    def core(self, x: Any, weight: Any, bias: Any) -> Any:
        """The convolution alone."""
        return self._convolve(x, weight, bias)

    def integers(self) -> Integers:
        """What to deploy."""
        return Integers(self.fake_quant_weight.indices(self.weight), self.fake_quant_weight.grid(), self.bias)

    def extend_repr(self) -> str:
        return f"{super().extend_repr()}, quant_delay={self.fake_quant_weight.quant_delay}"
