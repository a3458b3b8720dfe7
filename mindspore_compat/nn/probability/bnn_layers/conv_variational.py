"""A convolution with random weights. MindSpore: ``mindspore.nn.probability.bnn_layers.conv_variational``."""

from __future__ import annotations

from typing import Any

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat.nn.layer.conv import Conv2d, _Forward
from mindspore_compat.nn.probability.bnn_layers._variational import Variational, shown_distributions
from mindspore_compat.nn.probability.bnn_layers.layer_distribution import NormalPrior, normal_post_fn

__all__ = ["ConvReparam"]


class ConvReparam(_Forward, Variational):
    """2-D convolution of (N, C, H, W), whose weight and bias are drawn in each call. ``weight`` and ``bias``, which
    every convolution has, are neither used nor trained.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias: as of `nn.Conv2d`.
        weight_prior_fn, weight_posterior_fn, bias_prior_fn, bias_posterior_fn: as of `DenseReparam`.

    Raises:
        TypeError: for distributions that are not normal; else as `nn.Conv2d`.

    Examples:
        >>> print(nn.probability.bnn_layers.ConvReparam(1, 4, 3)(ops.ones((2, 1, 8, 8))).shape)
        (2, 4, 8, 8)
    """

    @arguments_of(Conv2d, without="weight_init bias_init data_format dtype", weight_prior_fn="has_bias")
    def __init__(
        self,
        weight_prior_fn: Any = NormalPrior,
        weight_posterior_fn: Any = normal_post_fn,
        bias_prior_fn: Any = NormalPrior,
        bias_posterior_fn: Any = normal_post_fn,
        **conv: Any,
    ) -> None:
        super().__init__(**conv, weight_init="normal", bias_init="zeros")
        self.shape = [self.out_channels, self.in_channels // self.group, *self.kernel_size]
        self.weight.requires_grad = False
        self._add_distributions("weight", weight_prior_fn, weight_posterior_fn, self.shape)
        if self.bias is not None:
            self.bias.requires_grad = False
            self._add_distributions("bias", bias_prior_fn, bias_posterior_fn, [self.out_channels])

    def construct(self, inputs: Any) -> Any:
        weight = self.weight_posterior("sample")  # before the bias, as MindSpore: it gets the earlier random numbers
        return self._convolve(inputs, weight, self.bias_posterior("sample") if self.has_bias else None)

    def extend_repr(self) -> str:
        shown = (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, {shown_distributions(self, 'weight')}, has_bias={self.has_bias}"
        )
        return f"{shown}, {shown_distributions(self, 'bias')}" if self.has_bias else shown
