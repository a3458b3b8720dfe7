"""Activations and operators whose result is rounded while training, and a block of integer operators for inference."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.common.dtype import QuantDtype
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._fake_quant import quant_config_default
from mindspore_compat.nn.layer._quant_layers import earlier, observer_of
from mindspore_compat.nn.layer.activation import ReLU, ReLU6

__all__ = ["ActQuant", "LeakyReLUQuant", "HSwishQuant", "HSigmoidQuant", "TensorAddQuant", "MulQuant", "QuantBlock"]


class ActQuant(Cell):
    """Activation ``act`` whose result is rounded.

    Args:
        activation: a Cell.
        ema, ema_decay: of the observers.
        fake_before: whether the activation's input is rounded as well.
        quant_config, quant_dtype: as of `Conv2dQuant`; here the config's activation side is used. With a learned scale,
            the grid of a ReLU or ReLU6 has no negative values, and one value more.
        per_channel, num_bits, symmetric, narrow_range, quant_delay: of MindSpore 1.0, which also means ``ema=True`` and
            a range from 0 at first.
    """

    @arguments_of(earlier)
    def __init__(
        self,
        activation: Any,
        ema: bool = False,
        ema_decay: float = 0.999,
        fake_before: bool = False,
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        **old: Any,
    ) -> None:
        super().__init__()
        self.act, self.fake_before = activation, fake_before
        is_old = any(value is not None for value in old.values())
        more = {"min_init": -6, "max_init": 6, "ema": ema or is_old, "ema_decay": ema_decay}
        if self.fake_before:
            self.fake_quant_act_before = observer_of(quant_config, "activation", quant_dtype, old, **more)
        if is_old:
            more["min_init"] = 0
        self.fake_quant_act = self._after(quant_config, quant_dtype, old, more)

    def _after(self, config: Any, quant_dtype: Any, old: dict[str, Any], more: dict[str, Any]) -> Any:
        preset = getattr(getattr(config.activation, "_build", None), "keywords", {})
        if preset.get("mode") == "LEARNED_SCALE" and isinstance(self.act, (ReLU, ReLU6)):
            more = {**more, "neg_trunc": True, "narrow_range": False}
        return observer_of(config, "activation", quant_dtype, old, **more)

    def construct(self, x: Any) -> Any:
        if self.fake_before:
            x = self.fake_quant_act_before(x)
        return self.fake_quant_act(self.act(x))

    def get_origin(self) -> Any:
        """Return the activation."""
        return self.act


class _BothSides(Cell):
    """Activation of MindSpore 1.0 with rounded input and result."""

    def __init__(
        self,
        activation: Any,
        ema_decay: float = 0.999,
        per_channel: bool = False,
        num_bits: int = 8,
        symmetric: bool = False,
        narrow_range: bool = False,
        quant_delay: int = 0,
    ) -> None:
        super().__init__()
        old: Any = {"per_channel": per_channel, "num_bits": num_bits, "symmetric": symmetric}
        old |= {"narrow_range": narrow_range, "quant_delay": quant_delay}
        for side in ("before", "after"):
            observer = observer_of(quant_config_default, "activation", None, old, ema=True, ema_decay=ema_decay)
            setattr(self, f"fake_quant_act_{side}", observer)
        self.act = activation

    def construct(self, x: Any) -> Any:
        return self.fake_quant_act_after(self.act(self.fake_quant_act_before(x)))

    def get_origin(self) -> Any:
        """Return the activation."""
        return self.act


class LeakyReLUQuant(_BothSides):
    """`LeakyReLU` with rounded input and result."""


class HSwishQuant(_BothSides):
    """`HSwish` with rounded input and result."""


class HSigmoidQuant(_BothSides):
    """`HSigmoid` with rounded input and result."""


class _BinaryQuant(Cell):
    """Operator of two Tensors whose result is rounded, with a moving average as range. Arguments as of `ActQuant`."""

    _operator: Any = None

    @arguments_of(earlier)
    def __init__(
        self,
        ema_decay: float = 0.999,
        quant_config: Any = quant_config_default,
        quant_dtype: Any = QuantDtype.INT8,
        **old: Any,
    ) -> None:
        super().__init__()
        self.fake_quant_act = observer_of(
            quant_config, "activation", quant_dtype, old, min_init=-6, max_init=6, ema=True, ema_decay=ema_decay
        )

    def construct(self, x1: Any, x2: Any) -> Any:
        return self.fake_quant_act(type(self)._operator(x1, x2))


class TensorAddQuant(_BinaryQuant):
    """x1 + x2, rounded."""

    _operator = torch.add


class MulQuant(_BinaryQuant):
    """x1 · x2, rounded."""

    _operator = torch.mul


class QuantBlock(Cell):
    """Inference by integer operators: ``activation(dequant(core_op(quant(x), weight) + bias, dequant_scale))``, with
    given operators.

    MindSpore 1.x deployed with it on Ascend; ``mindspore.export`` here writes files instead, and does not make it.
    """

    def __init__(
        self,
        core_op: Any,
        weight: Any,
        quant_op: Any,
        dequant_op: Any,
        dequant_scale: Any,
        bias: Any = None,
        activation: Any = None,
    ) -> None:
        super().__init__()
        self.core_op, self.quant, self.dequant = core_op, quant_op, dequant_op
        self.weight = weight if isinstance(weight, Parameter) else Parameter(weight, name="weight", requires_grad=False)
        self.dequant_scale, self.bias, self.has_bias = dequant_scale, bias, bias is not None
        self.activation, self.has_act = activation, activation is not None

    def construct(self, x: Any) -> Any:
        x = self.core_op(self.quant(x), self.weight)
        if self.has_bias:
            x = x + self.bias.reshape((1, -1) + (1,) * (x.dim() - 2))
        x = self.dequant(x, self.dequant_scale).to(torch.float32)
        return self.activation(x) if self.has_act else x
