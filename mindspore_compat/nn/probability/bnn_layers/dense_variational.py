"""Dense layers with random weights. MindSpore: ``mindspore.nn.probability.bnn_layers.dense_variational``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.nn.layer.activation import get_activation
from mindspore_compat.nn.probability.bnn_layers._variational import Variational, shown_distributions
from mindspore_compat.nn.probability.bnn_layers.layer_distribution import NormalPrior, normal_post_fn
from mindspore_compat.nn.probability.distribution.normal import Normal

__all__ = ["DenseLocalReparam", "DenseReparam"]


class _DenseVariational(Variational):
    """Base of both: arguments, distributions and bias."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        activation: Any = None,
        has_bias: bool = True,
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Any = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Any = normal_post_fn,
    ) -> None:
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        self._add_distributions("weight", weight_prior_fn, weight_posterior_fn, [out_channels, in_channels])
        if has_bias:
            self._add_distributions("bias", bias_prior_fn, bias_posterior_fn, [out_channels])
        self.activation_flag = bool(activation)
        self.activation = get_activation(activation) if isinstance(activation, str) and activation else activation

    def construct(self, x: Any) -> Any:
        outputs = self._product(x)
        if self.has_bias:
            outputs = outputs + self.bias_posterior("sample")
        return wrap(self.activation(outputs) if self.activation_flag else outputs)

    def _product(self, x: Any) -> Any:
        raise NotImplementedError

    def extend_repr(self) -> str:
        shown = f"in_channels={self.in_channels}, out_channels={self.out_channels}, "
        shown += f"{shown_distributions(self, 'weight')}, has_bias={self.has_bias}"
        if self.has_bias:
            shown += f", {shown_distributions(self, 'bias')}"
        return f"{shown}, activation={self.activation}" if self.activation_flag else shown


class DenseReparam(_DenseVariational):
    """activation(x @ weight.T + bias), weight and bias drawn in each call.

    Args:
        in_channels, out_channels: sizes of the last axis.
        activation: a name as of `nn.get_activation`, or a Cell.
        has_bias: whether there is a bias.
        weight_prior_fn, bias_prior_fn: a Cell such as `NormalPrior`, or what makes one.
        weight_posterior_fn, bias_posterior_fn: a function of ``name`` and ``shape`` that makes a `NormalPosterior`.

    Raises:
        TypeError: for distributions that are not normal.

    Examples:
        >>> print(nn.probability.bnn_layers.DenseReparam(3, 4)(ops.ones((2, 3))).shape)
        (2, 4)
    """

    def _product(self, x: Any) -> Any:
        return kernels.matmul(x, torch.transpose(self.weight_posterior("sample"), 0, 1))


class DenseLocalReparam(_DenseVariational):
    """`DenseReparam` with drawn products x @ weight.T, from their normal distribution: each row of a batch has its own,
    which makes gradients less noisy.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.normal = Normal()

    def _product(self, x: Any) -> Any:
        mean, sd = (torch.transpose(self.weight_posterior(name), 0, 1) for name in ("mean", "sd"))
        spread = torch.sqrt(kernels.matmul(kernels.square(x), kernels.square(sd)))
        return self.normal("sample", mean=wrap(kernels.matmul(x, mean)), sd=wrap(spread))
