"""Distributions of a layer's weights. MindSpore: ``mindspore.nn.probability.bnn_layers.layer_distribution``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.probability.distribution.normal import Normal

__all__ = ["NormalPosterior", "NormalPrior"]


class NormalPrior(Cell):
    """Prior distribution of weights: N(mean, std²), not trained. Called as `Normal` is.

    Args:
        dtype: of samples.
        mean, std: numbers.
    """

    def __init__(self, dtype: Any = torch.float32, mean: float = 0, std: float = 0.1) -> None:
        super().__init__()
        self.normal = Normal(mean, std, dtype=dtype)

    def construct(self, *inputs: Any) -> Any:
        return self.normal(*inputs)


class NormalPosterior(Cell):
    """Posterior distribution of weights: independent normal numbers with trained means and standard deviations. Called
    as `Normal` is.

    The deviations are log(1 + exp(untransformed)), which is never 0. Parameters begin at random, by `numpy.random`.

    Args:
        name: begins the names of the Parameters.
        shape: of the weights, a list or tuple.
        dtype: of the Parameters.
        loc_mean, loc_std: of the numbers that the means begin with.
        untransformed_scale_mean, untransformed_scale_std: of those that the deviations begin with.
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: Any = torch.float32,
        loc_mean: float = 0,
        loc_std: float = 0.1,
        untransformed_scale_mean: float = -5,
        untransformed_scale_std: float = 0.1,
    ) -> None:
        super().__init__()
        mean, untransformed = (
            Tensor(np.random.normal(*moments, shape), dtype=dtype)
            for moments in ((loc_mean, loc_std), (untransformed_scale_mean, untransformed_scale_std))
        )
        self.mean = Parameter(mean, name=f"{name}_mean")
        self.untransformed_std = Parameter(untransformed, name=f"{name}_untransformed_std")
        self.normal = Normal()

    def construct(self, *inputs: Any) -> Any:
        sd = 1e-6 + torch.log(torch.exp(self.untransformed_std) + 1)
        return self.normal(*inputs, mean=self.mean, sd=sd)


def normal_post_fn(name: str, shape: Any) -> NormalPosterior:
    """Return the default posterior."""
    return NormalPosterior(name=name, shape=shape)
