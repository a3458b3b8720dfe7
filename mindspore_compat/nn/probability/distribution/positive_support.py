"""Distributions of positive numbers: `Beta`, `Exponential`, `Gamma`, `HalfNormal`. MindSpore:
``mindspore.nn.probability.distribution``.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.special import gammainc
from mindspore_compat.nn.probability.distribution.distribution import Continuous, check_name
from mindspore_compat.nn.probability.distribution.normal import Normal

__all__ = ["Beta", "Exponential", "Gamma", "HalfNormal"]


def _log_beta(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)


class Exponential(Continuous):
    """Time until an event that occurs at ``rate``; for its functions see `Distribution`.

    Args:
        rate: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a rate is not positive.
    """

    _POSITIVE = ("rate",)

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = torch.float32, name: str = "Exponential"
    ) -> None:
        super().__init__(seed, dtype, name, {"rate": rate})
        self._rate = self.default_parameters[0]

    rate = property(lambda self: self._rate)

    def _mean(self, rate: Any = None) -> Any:
        return 1.0 / self._given(rate)

    def _mode(self, rate: Any = None) -> Any:
        return torch.zeros_like(self._given(rate)).to(self.dtype)

    def _sd(self, rate: Any = None) -> Any:
        return 1.0 / self._given(rate)

    def _entropy(self, rate: Any = None) -> Any:
        return 1.0 - torch.log(self._given(rate))

    def _log_prob(self, value: Any, rate: Any = None) -> Any:
        rate = self._given(rate)
        value = self._value(value)
        return torch.where(value < 0, -math.inf, torch.log(rate) - rate * value)

    def _cdf(self, value: Any, rate: Any = None) -> Any:
        return 1.0 - torch.exp(self._log_survival(value, rate))

    def _log_survival(self, value: Any, rate: Any = None) -> Any:
        return -self._given(rate) * subgradients.clamp(self._value(value), min=0.0)

    def _kl_loss(self, dist: str, rate_b: Any, rate: Any = None) -> Any:
        check_name(dist, "Exponential")
        other, own = self._other(rate_b), self._given(rate)
        return torch.log(own) - torch.log(other) + other / own - 1.0

    def _sample(self, shape: tuple[int, ...] = (), rate: Any = None) -> Any:
        rate = self._given(rate)
        return (-torch.log(self._positive_reals(shape, rate)) / rate).to(self.dtype)


class Gamma(Continuous):
    """Gamma distribution with density ~ x^(concentration - 1)·exp(-rate·x); for its functions see `Distribution`.

    Args:
        concentration, rate: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if one of them is not positive.
    """

    _POSITIVE = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = torch.float32,
        name: str = "Gamma",
    ) -> None:
        super().__init__(seed, dtype, name, {"concentration": concentration, "rate": rate})
        self._concentration, self._rate = self.default_parameters

    concentration = property(lambda self: self._concentration)
    rate = property(lambda self: self._rate)

    def _mean(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._given(concentration, rate)
        return concentration / rate

    def _mode(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._given(concentration, rate)
        return torch.where(concentration > 1.0, (concentration - 1.0) / rate, math.nan)

    def _var(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._given(concentration, rate)
        return concentration / kernels.square(rate)

    def _entropy(self, concentration: Any = None, rate: Any = None) -> Any:
        a, rate = self._given(concentration, rate)
        return a - torch.log(rate) + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)

    def _log_prob(self, value: Any, concentration: Any = None, rate: Any = None) -> Any:
        a, rate = self._given(concentration, rate)
        value = self._value(value)
        return (a - 1.0) * torch.log(value) - rate * value - torch.lgamma(a) + a * torch.log(rate)

    def _cdf(self, value: Any, concentration: Any = None, rate: Any = None) -> Any:
        a, rate = self._given(concentration, rate)
        return gammainc(a, rate * self._value(value))

    def _kl_loss(
        self, dist: str, concentration_b: Any, rate_b: Any, concentration: Any = None, rate: Any = None
    ) -> Any:
        check_name(dist, "Gamma")
        b, rate_b = self._other(concentration_b), self._other(rate_b)
        a, rate_a = self._given(concentration, rate)
        return (
            (a - b) * torch.digamma(a)
            + torch.lgamma(b)
            - torch.lgamma(a)
            + b * torch.log(rate_a)
            - b * torch.log(rate_b)
            + a * (rate_b / rate_a - 1.0)
        )

    def _sample(self, shape: tuple[int, ...] = (), concentration: Any = None, rate: Any = None) -> Any:
        a, rate = self._given(concentration, rate)
        drawn = a.expand(shape + tuple(a.shape)).contiguous()
        return (torch._standard_gamma(drawn, self._generator(a.device)) / rate).to(self.dtype)


class Beta(Continuous):
    """Beta distribution, ~ x^(concentration1 - 1)·(1 - x)^(concentration0 - 1); see `Distribution`. It has no `cdf`.

    Args:
        concentration1, concentration0: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if one of them is not positive.
    """

    _POSITIVE = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: Any = torch.float32,
        name: str = "Beta",
    ) -> None:
        super().__init__(seed, dtype, name, {"concentration1": concentration1, "concentration0": concentration0})
        self._concentration1, self._concentration0 = self.default_parameters

    concentration1 = property(lambda self: self._concentration1)
    concentration0 = property(lambda self: self._concentration0)

    def _mean(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        return a / (a + b)

    def _mode(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        return torch.where((a > 1.0) & (b > 1.0), (a - 1.0) / (a + b - 2.0), math.nan)

    def _var(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        return a * b / (kernels.square(a + b) * (a + b + 1.0))

    def _entropy(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        return (
            _log_beta(a, b)
            - (a - 1.0) * torch.digamma(a)
            - (b - 1.0) * torch.digamma(b)
            + (a + b - 2.0) * torch.digamma(a + b)
        )

    def _log_prob(self, value: Any, concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        value = self._value(value)
        return (a - 1.0) * torch.log(value) + (b - 1.0) * torch.log1p(-value) - _log_beta(a, b)

    def _kl_loss(
        self,
        dist: str,
        concentration1_b: Any,
        concentration0_b: Any,
        concentration1: Any = None,
        concentration0: Any = None,
    ) -> Any:
        check_name(dist, "Beta")
        c, d = self._other(concentration1_b), self._other(concentration0_b)
        a, b = self._given(concentration1, concentration0)
        return (
            _log_beta(c, d)
            - _log_beta(a, b)
            - torch.digamma(a) * (c - a)
            - torch.digamma(b) * (d - b)
            + torch.digamma(a + b) * (c + d - a - b)
        )

    def _sample(self, shape: tuple[int, ...] = (), concentration1: Any = None, concentration0: Any = None) -> Any:
        a, b = self._given(concentration1, concentration0)
        size, generator = shape + tuple(a.shape), self._generator(a.device)
        first, second = (torch._standard_gamma(item.expand(size).contiguous(), generator) for item in (a, b))
        return (first / (first + second)).to(self.dtype)


class HalfNormal(Continuous):
    """A normal distribution's half at and above 0; it answers `prob` and `log_prob` only, as MindSpore's.

    Args:
        mean, sd: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if an ``sd`` is not positive.
    """

    _POSITIVE = ("sd",)
    _SHOWN = None

    @arguments_of(Normal)
    def __init__(self, mean: Any = None, sd: Any = None, name: str = "HalfNormal", **given: Any) -> None:
        super().__init__(name=name, param={"mean": mean, "sd": sd}, **given)

    def _prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._given(mean, sd)
        value = self._value(value)
        density = math.sqrt(2.0 / math.pi) / sd * torch.exp(-0.5 * kernels.square((value - mean) / sd))
        return torch.where(value >= 0, density, 0.0)
