"""`Normal`. MindSpore: ``mindspore.nn.probability.distribution.Normal``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.random import normals
from mindspore_compat.nn.probability.distribution.distribution import Continuous, check_name

__all__ = ["Normal"]


class Normal(Continuous):
    """Normal distribution; for its functions see `Distribution`.

    Args:
        mean, sd: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if an ``sd`` is not positive.
    """

    _POSITIVE = ("sd",)
    _SHOWN = {"sd": "standard deviation"}

    def __init__(
        self,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = torch.float32,
        name: str = "Normal",
    ) -> None:
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd})
        self._mean_value, self._sd_value = self.default_parameters

    def _mean(self, mean: Any = None, sd: Any = None) -> Any:
        return self._given(mean, sd)[0]

    def _mode(self, mean: Any = None, sd: Any = None) -> Any:
        return self._given(mean, sd)[0]

    def _sd(self, mean: Any = None, sd: Any = None) -> Any:
        return self._given(mean, sd)[1]

    def _entropy(self, mean: Any = None, sd: Any = None) -> Any:
        return 0.5 * math.log(2 * math.pi * math.e) + torch.log(self._given(mean, sd)[1])

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._given(mean, sd)
        value = self._value(value)
        return -0.5 * kernels.square((value - mean) / sd) - (0.5 * math.log(2 * math.pi) + torch.log(sd))

    def _cdf(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._given(mean, sd)
        return 0.5 * (1.0 + torch.erf((self._value(value) - mean) / (sd * math.sqrt(2.0))))

    def _kl_loss(self, dist: str, mean_b: Any, sd_b: Any, mean: Any = None, sd: Any = None) -> Any:
        check_name(dist, "Normal")
        mean_b, sd_b = self._other(mean_b), self._other(sd_b)
        mean, sd = self._given(mean, sd)
        log_ratio = torch.log(sd) - torch.log(sd_b)
        return 0.5 * kernels.square((mean - mean_b) / sd_b) + 0.5 * torch.expm1(2 * log_ratio) - log_ratio

    def _sample(self, shape: tuple[int, ...] = (), mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._given(mean, sd)
        noise = normals("normal", shape + tuple(mean.shape), self._seed).to(mean.device)
        return (noise * sd + mean).to(self.dtype)
