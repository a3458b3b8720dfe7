"""Dense, Flatten, Dropout and other basic layers. Upstream: ``mindspore.nn.layer.basic``."""
from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_positive_int
from mindspore_compat.common.initializer import HeUniform, Uniform, initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.activation import get_activation

__all__ = ["Dense", "Flatten", "Dropout", "Identity"]

_linear = torch._C._nn.linear


class Dense(Cell):
    """y = activation(x · weightᵀ + bias); ``weight`` (out_channels, in_channels), ``bias`` (out_channels,).

    Input (*, in_channels), output (*, out_channels).
    """

    def __init__(self, in_channels: int, out_channels: int, weight_init: Any = None, bias_init: Any = None, has_bias: bool = True,
                 activation: Any = None, dtype: Any = torch.float32) -> None:
        super().__init__()
        self.in_channels = check_positive_int(in_channels, "in_channels", "Dense")
        self.out_channels = check_positive_int(out_channels, "out_channels", "Dense")
        self.has_bias = check_bool(has_bias, "has_bias", "Dense")
        for name, value, shape in (("weight_init", weight_init, (out_channels, in_channels)), ("bias_init", bias_init, (out_channels,))):
            if isinstance(value, torch.Tensor) and tuple(value.shape) != shape:
                raise ValueError(f"For 'Dense', the shape of '{name}' must be {shape}, but got {tuple(value.shape)}.")
        self.weight = Parameter(initializer(HeUniform(math.sqrt(5)) if weight_init is None else weight_init,
                                            (out_channels, in_channels), dtype), name="weight")
        self.bias = None
        if has_bias:
            init = Uniform(1 / math.sqrt(in_channels)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(init, (out_channels,), dtype), name="bias")
        self.activation = get_activation(activation) if isinstance(activation, str) else activation
        self.activation_flag = self.activation is not None

    def construct(self, x: Any) -> Any:
        x = _linear(x, self.weight, self.bias)
        return x if self.activation is None else self.activation(x)

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}, has_bias={self.has_bias}"
        return f"{text}, activation={self.activation}" if self.activation_flag else text


class Flatten(Cell):
    """All axes from ``start_dim`` to ``end_dim`` in one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        return torch.flatten(x, self.start_dim, self.end_dim)


class Dropout(Cell):
    """Zeroes elements with probability ``p`` and scales the rest by 1 / (1 - p), in training only.

    ``keep_prob`` is 1.x's spelling: p = 1 - keep_prob.
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = torch.float32) -> None:
        super().__init__()
        if p is None:
            if isinstance(keep_prob, bool) or not isinstance(keep_prob, (int, float)):
                raise TypeError(f"For 'Dropout', the 'keep_prob' must be a number, but got {type(keep_prob).__name__}.")
            if not 0 < keep_prob <= 1:
                raise ValueError(f"For 'Dropout', the 'keep_prob' must be in range (0, 1], but got {keep_prob}.")
            p = 1.0 - keep_prob
        if isinstance(p, bool) or not isinstance(p, (int, float)):
            raise TypeError(f"For 'Dropout', the 'p' must be a number, but got {type(p).__name__}.")
        if not 0 <= p < 1:
            raise ValueError(f"For 'Dropout', the 'p' must be in range [0, 1), but got {p}.")
        self.p, self.keep_prob = p, 1.0 - p

    def construct(self, x: Any) -> Any:
        return torch.dropout(x, self.p, True) if self.training and self.p else x

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Identity(Cell):
    """Returns its input."""

    def construct(self, x: Any) -> Any:
        return x
