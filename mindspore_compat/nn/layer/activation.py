"""Activations. MindSpore: ``mindspore.nn.layer.activation``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.activation import rrelu
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = [
    "Softmin",
    "Softmax",
    "Softmax2d",
    "LogSoftmax",
    "LogSoftmaxExt",
    "ReLU",
    "ReLU6",
    "RReLU",
    "SeLU",
    "SiLU",
    "Tanh",
    "Tanhshrink",
    "Hardtanh",
    "GELU",
    "FastGelu",
    "Sigmoid",
    "Softsign",
    "PReLU",
    "PReLUExt",
    "get_activation",
    "LeakyReLU",
    "HSigmoid",
    "HSwish",
    "ELU",
    "LogSigmoid",
    "LRN",
    "SoftShrink",
    "HShrink",
    "CELU",
    "Threshold",
    "Mish",
    "GLU",
]


class PReLU(Cell):
    """x where positive, else w · x; the learned ``w`` (named ``a`` until it has a path) has ``channel`` elements, for
    axis 1.
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        self.w = Parameter(_prelu_slopes(channel, w), name="a")

    def construct(self, x: Any) -> Any:
        return torch.prelu(x, self.w.to(x.dtype))


def _prelu_slopes(channel: int, w: Any) -> Tensor:
    if isinstance(w, (float, np.float32)):
        return initializer(float(w), (channel,))
    if isinstance(w, list):
        return Tensor(w, torch.float32)
    return initializer(w, (channel,))


class PReLUExt(Cell):
    """`PReLU` with the argument names of ``mint.nn.PReLU``; its parameter is ``weight``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        self.weight = Parameter(initializer(float(init), (num_parameters,), dtype or torch.float32), name="weight")

    def construct(self, input: Any) -> Any:
        return torch.prelu(input, self.weight)


def _checked_axis(axis: Any, owner: str) -> Any:
    """Return an int, or a tuple of ints."""
    items = axis if isinstance(axis, tuple) else (axis,)
    if not items:
        raise ValueError(f"For '{owner}', the length of 'axis' must not be 0.")
    return items[0] if len(items) == 1 else axis


class Softmax(Cell):
    """softmax along ``axis``, an int or a tuple of ints.

    Examples:
        >>> print(nn.Softmax()(Tensor([1.0, 1.0])))
        [0.5 0.5]
    """

    def __init__(self, axis: Any = -1) -> None:
        super().__init__()
        self.axis = _checked_axis(axis, "Softmax")

    def construct(self, input: Any) -> Any:
        if isinstance(self.axis, int):
            return torch.softmax(input, self.axis)
        return torch.exp(torch.sub(input, kernels.logsumexp(input, self.axis, True)))


class Softmin(Cell):
    """softmax of -x along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return torch.softmax(torch.neg(x), self.axis)


class Softmax2d(Cell):
    """softmax over the channels of (C, H, W) or (N, C, H, W)."""

    def construct(self, x: Any) -> Any:
        return torch.softmax(x, -3)


class LogSoftmax(Cell):
    """log(softmax(x)) along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any) -> Any:
        return torch.log_softmax(x, self.axis)


class LogSoftmaxExt(Cell):
    """log(softmax(x)) along ``dim``; None takes 0 for 0, 1 and 3 axes, else 1."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, x: Any) -> Any:
        dim = self.dim if self.dim is not None else 0 if x.dim() in (0, 1, 3) else 1
        return torch.log_softmax(x, dim)


_nn = torch._C._nn


class ReLU(Cell):
    """max(x, 0).

    Examples:
        >>> print(nn.ReLU()(Tensor([-1.0, 2.0])))
        [0. 2.]
    """

    def construct(self, input: Any) -> Any:
        return torch.relu(input)


class ReLU6(Cell):
    """min(max(x, 0), 6)."""

    def construct(self, x: Any) -> Any:
        return subgradients.relu6(x)


class Sigmoid(Cell):
    """1 / (1 + exp(-x)).

    Examples:
        >>> print(nn.Sigmoid()(Tensor([0.0])))
        [0.5]
    """

    def construct(self, x: Any) -> Any:
        return torch.sigmoid(x)


class Tanh(Cell):
    """tanh(x)."""

    def construct(self, x: Any) -> Any:
        return torch.tanh(x)


class Tanhshrink(Cell):
    """x - tanh(x)."""

    def construct(self, x: Any) -> Any:
        return torch.sub(x, torch.tanh(x))


class SiLU(Cell):
    """x · sigmoid(x)."""

    def construct(self, x: Any) -> Any:
        return _nn.silu(x)


class Mish(Cell):
    """x · tanh(softplus(x))."""

    def construct(self, input_x: Any) -> Any:
        return _nn.mish(input_x)


class HSwish(Cell):
    """x · min(max(x + 3, 0), 6) / 6."""

    def construct(self, input: Any) -> Any:
        return subgradients.hardswish(input)


class HSigmoid(Cell):
    """min(max(x + 3, 0), 6) / 6."""

    def construct(self, input: Any) -> Any:
        return subgradients.hardsigmoid(input)


class LogSigmoid(Cell):
    """log(sigmoid(x)), without MindSpore's overflow for very negative x."""

    def construct(self, input_x: Any) -> Any:
        return _nn.log_sigmoid(input_x)


class Softsign(Cell):
    """x / (1 + |x|)."""

    def construct(self, x: Any) -> Any:
        return torch.div(x, torch.add(torch.abs(x), 1.0))


class SeLU(Cell):
    """Scaled exponential linear unit."""

    def construct(self, input_x: Any) -> Any:
        return torch.selu(input_x)


class FastGelu(Cell):
    """x · sigmoid(1.702 · x)."""

    def construct(self, x: Any) -> Any:
        return torch.mul(x, torch.sigmoid(torch.mul(x, 1.702)))


class GELU(Cell):
    """x · Φ(x); ``approximate`` (the default, as in MindSpore) uses the tanh formula."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = "tanh" if approximate else "none"

    def construct(self, x: Any) -> Any:
        return _nn.gelu(x, approximate=self.approximate)


class ELU(Cell):
    """x where positive, else alpha · (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        return _nn.elu(x, self.alpha)


class CELU(Cell):
    """max(x, 0) + min(alpha · (exp(x / alpha) - 1), 0)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        return torch.celu(x, self.alpha)


class LeakyReLU(Cell):
    """max(x, alpha · x); min for an alpha above 1."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Any) -> Any:
        return subgradients.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """Leaky ReLU with a slope drawn from [lower, upper) for each element, in every call."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        self.lower, self.upper = float(lower), float(upper)

    def construct(self, x: Any) -> Any:
        return rrelu(x, self.lower, self.upper)


class Hardtanh(Cell):
    """x cut to [min_val, max_val]."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Any) -> Any:
        return subgradients.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """x where above ``threshold``, else ``value``."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value

    def construct(self, input_x: Any) -> Any:
        return torch.threshold(input_x, self.threshold, self.value)


class SoftShrink(Cell):
    """x moved towards 0 by ``lambd``, at most to 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def construct(self, input: Any) -> Any:
        return _nn.softshrink(input, self.lambd)


class HShrink(Cell):
    """x where |x| > ``lambd``, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def construct(self, input: Any) -> Any:
        return torch.hardshrink(input, self.lambd)


class GLU(Cell):
    """The first half of ``axis`` times the sigmoid of the second."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.dim = self._axis = axis

    def construct(self, x: Any) -> Any:
        return _nn.glu(x, self._axis)


class LRN(Cell):
    """Local response normalization of (N, C, H, W): x / (bias + alpha · sum of squares of the channels within
    depth_radius) ** beta.
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        if depth_radius < 0 or norm_region != "ACROSS_CHANNELS":
            raise ValueError(
                "For 'LRN', the 'depth_radius' must not be negative and 'norm_region' must be 'ACROSS_CHANNELS', "
                f"but got {depth_radius} and {norm_region!r}."
            )
        self.depth_radius, self.bias, self.alpha, self.beta = depth_radius, bias, alpha, beta

    def construct(self, input_x: Any) -> Any:
        radius = self.depth_radius
        squares = _nn.pad(kernels.square(input_x), (0, 0, 0, 0, radius, radius))
        sums = torch.sum(squares.unfold(1, 2 * radius + 1, 1), dim=-1)
        return torch.div(input_x, kernels.pow(torch.add(torch.mul(sums, self.alpha), self.bias), self.beta))


_activation: dict[str, Callable[..., Cell]] = {
    "softmin": Softmin,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "logsoftmax": LogSoftmax,
    "logsoftmaxExt": LogSoftmaxExt,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "silu": SiLU,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "softsign": Softsign,
    "prelu": PReLU,
    "preluExt": PReLUExt,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": Mish,
}


def get_activation(name: str | None, prim_name: str | None = None) -> Any:
    """Return the activation Cell of a name; None for None.

    Raises:
        KeyError: for an unknown name.
    """
    if name is None:
        return None
    return _activation[name]()


def activation_from(value: Any, owner: str) -> Any:
    """Return the activation of a layer's argument: a name, a Cell, a Primitive or another callable; None for None.

    Raises:
        TypeError: for anything else. KeyError: for an unknown name.
    """
    if value is None or isinstance(value, str):
        return get_activation(value, owner)
    if isinstance(value, type) or not callable(value):
        raise TypeError(
            f"For '{owner}', the 'activation' must be str or Cell or Primitive, but got {type(value).__name__}."
        )
    return value
