"""Count distributions: `Bernoulli`, `Geometric`, `Poisson`. MindSpore: ``mindspore.nn.probability.distribution``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.special import gammainc
from mindspore_compat.nn.probability.distribution.distribution import Continuous, Distribution, check_name

__all__ = ["Bernoulli", "Geometric", "Poisson"]


class _OfProbability(Distribution):
    _POSITIVE = ("probs",)

    def __init__(self, probs: Any = None, seed: int | None = None, dtype: Any = torch.int32, name: str = "") -> None:
        super().__init__(seed, dtype, name, {"probs": probs})
        self._probs = self.default_parameters[0]
        if self._probs is not None and not bool(torch.all(self._probs < 1)):
            raise ValueError("Probabilities must be less than one")

    probs = property(lambda self: self._probs)


class Bernoulli(_OfProbability):
    """1 with probability ``probs``, else 0; for its functions see `Distribution`.

    Args:
        probs: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`.

    Raises:
        ValueError: if a probability is not between 0 and 1.
    """

    @arguments_of(_OfProbability)
    def __init__(self, name: str = "Bernoulli", **given: Any) -> None:
        super().__init__(name=name, **given)

    def _mean(self, probs1: Any = None) -> Any:
        return self._given(probs1)

    def _mode(self, probs1: Any = None) -> Any:
        return (self._given(probs1) > 0.5).to(self.dtype)

    def _var(self, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return probs * (1.0 - probs)

    def _entropy(self, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return -(probs * torch.log(probs) + (1.0 - probs) * torch.log(1.0 - probs))

    def _log_prob(self, value: Any, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        value = value.to(probs.dtype)
        return torch.log(probs) * value + torch.log(1.0 - probs) * (1.0 - value)

    def _cdf(self, value: Any, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        value = torch.floor(value.to(probs.dtype))
        return torch.where(value < 0, 0.0, torch.where(value >= 1, 1.0, 1.0 - probs))

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        check_name(dist, "Bernoulli")
        other, own = self._other(probs1_b), self._given(probs1)
        return own * torch.log(own / other) + (1.0 - own) * torch.log((1.0 - own) / (1.0 - other))

    def _sample(self, shape: tuple[int, ...] = (), probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return (self._reals(shape, probs) < probs).to(self.dtype)


class Geometric(_OfProbability):
    """Number of failures before a success of probability ``probs``; see `Distribution`.

    Args:
        probs: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`.

    Raises:
        ValueError: if a probability is not between 0 and 1.
    """

    @arguments_of(_OfProbability)
    def __init__(self, name: str = "Geometric", **given: Any) -> None:
        super().__init__(name=name, **given)

    def _mean(self, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return (1.0 - probs) / probs

    def _mode(self, probs1: Any = None) -> Any:
        return torch.zeros_like(self._given(probs1)).to(self.dtype)

    def _var(self, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return (1.0 - probs) / kernels.square(probs)

    def _entropy(self, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return (-(1.0 - probs) * torch.log(1.0 - probs) - probs * torch.log(probs)) / probs

    def _prob(self, value: Any, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        value = torch.floor(value.to(self.parameter_type))
        return torch.where(value < 0, 0.0, torch.exp(torch.log(1.0 - probs) * value + torch.log(probs)))

    def _cdf(self, value: Any, probs1: Any = None) -> Any:
        probs = self._given(probs1)
        value = torch.floor(value.to(self.parameter_type))
        return torch.where(value < 0, 0.0, 1.0 - kernels.pow(1.0 - probs, value + 1.0))

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        check_name(dist, "Geometric")
        other, own = self._other(probs1_b), self._given(probs1)
        return torch.log(own / other) + (1.0 - own) / own * torch.log((1.0 - own) / (1.0 - other))

    def _sample(self, shape: tuple[int, ...] = (), probs1: Any = None) -> Any:
        probs = self._given(probs1)
        return torch.floor(torch.log(self._positive_reals(shape, probs)) / torch.log(1.0 - probs)).to(self.dtype)


class Poisson(Continuous):
    """Number of events that occur ``rate`` times on average; for its functions see `Distribution`.

    Args:
        rate: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a rate is not positive.
    """

    _POSITIVE = ("rate",)

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = torch.float32, name: str = "Poisson"
    ) -> None:
        super().__init__(seed, dtype, name, {"rate": rate})
        self._rate = self.default_parameters[0]

    rate = property(lambda self: self._rate)

    def _mean(self, rate: Any = None) -> Any:
        return self._given(rate)

    def _mode(self, rate: Any = None) -> Any:
        return torch.floor(self._given(rate))

    def _var(self, rate: Any = None) -> Any:
        return self._given(rate)

    def _log_prob(self, value: Any, rate: Any = None) -> Any:
        rate = self._given(rate)
        value = self._value(value)
        inside = subgradients.clamp(value, min=0.0)
        found = torch.log(rate) * inside - torch.lgamma(inside + 1.0)
        return torch.where(value == inside, found, -math.inf) - rate

    def _cdf(self, value: Any, rate: Any = None) -> Any:
        rate = self._given(rate)
        value = self._value(value)
        return torch.where(value < 0, 0.0, 1.0 - gammainc(1.0 + subgradients.clamp(value, min=0.0), rate))

    def _sample(self, shape: tuple[int, ...] = (), rate: Any = None) -> Any:
        rate = self._given(rate).to(torch.float32)
        rates = rate.expand(shape + tuple(rate.shape)).contiguous()
        return torch.poisson(rates, self._generator(rate.device)).to(self.dtype)
