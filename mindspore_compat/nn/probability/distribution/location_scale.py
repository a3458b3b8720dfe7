"""Distributions with a place and a scale: `Cauchy`, `Laplace`, `Logistic`, `StudentT`. MindSpore:
``mindspore.nn.probability.distribution``.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.arguments import arguments_of
from mindspore_compat._numerics import kernels
from mindspore_compat.nn.probability.distribution.distribution import Continuous, check_name
from mindspore_compat.nn.probability.distribution.normal import Normal

__all__ = ["Cauchy", "Laplace", "Logistic", "StudentT"]


class _Located(Continuous):
    """Base for a location and a scale: the standardized value, uniform noise."""

    _POSITIVE = ("scale",)

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: Any = torch.float32, name: str = ""
    ) -> None:
        super().__init__(seed, dtype, name, {"loc": loc, "scale": scale})
        self._loc, self._scale = self.default_parameters

    loc = property(lambda self: self._loc)
    scale = property(lambda self: self._scale)

    def _mode(self, loc: Any = None, scale: Any = None) -> Any:
        return self._given(loc, scale)[0]

    def _standard(self, value: Any, loc: Any, scale: Any) -> tuple[torch.Tensor, torch.Tensor]:
        loc, scale = self._given(loc, scale)
        return (self._value(value) - loc) / scale, scale


class Cauchy(_Located):
    """Cauchy distribution, without mean and variance; for its functions see `Distribution`.

    Args:
        loc, scale: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a scale is not positive.
    """

    _SHOWN = {"loc": "location"}

    @arguments_of(_Located)
    def __init__(self, name: str = "Cauchy", **given: Any) -> None:
        super().__init__(name=name, **given)

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("Cauchy distribution has no mean, standard deviation or variance.")

    _sd = _var = _mean

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        return math.log(4 * math.pi) + torch.log(self._given(loc, scale)[1])

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        z, scale = self._standard(value, loc, scale)
        return -torch.log1p(kernels.square(z)) - torch.log(math.pi * scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.atan(self._standard(value, loc, scale)[0]) / math.pi + 0.5

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.log1p(2.0 * torch.atan(self._standard(value, loc, scale)[0]) / math.pi) - math.log(2.0)

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any, loc: Any = None, scale: Any = None) -> Any:
        check_name(dist, "Cauchy")
        loc_b, scale_b = self._other(loc_b), self._other(scale_b)
        loc, scale = self._given(loc, scale)
        spread = kernels.square(scale + scale_b) + kernels.square(loc - loc_b)
        return torch.log(spread) - math.log(4.0) - torch.log(scale) - torch.log(scale_b)

    def _sample(self, shape: tuple[int, ...] = (), loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        return (loc + scale * torch.tan(math.pi * (self._reals(shape, loc) - 0.5))).to(self.dtype)


class Logistic(_Located):
    """Logistic distribution; for its functions see `Distribution`.

    Args:
        loc, scale: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a scale is not positive.
    """

    _SHOWN = {"loc": "location"}

    @arguments_of(_Located)
    def __init__(self, name: str = "Logistic", **given: Any) -> None:
        super().__init__(name=name, **given)

    def _mean(self, loc: Any = None, scale: Any = None) -> Any:
        return self._given(loc, scale)[0]

    def _sd(self, loc: Any = None, scale: Any = None) -> Any:
        return self._given(loc, scale)[1] * (math.pi / math.sqrt(3.0))

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        return torch.log(self._given(loc, scale)[1]) + 2.0

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        z, scale = self._standard(value, loc, scale)
        return -z + 2.0 * torch.nn.functional.logsigmoid(z) - torch.log(scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.sigmoid(self._standard(value, loc, scale)[0])

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.nn.functional.logsigmoid(self._standard(value, loc, scale)[0])

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.sigmoid(-self._standard(value, loc, scale)[0])

    def _log_survival(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return torch.nn.functional.logsigmoid(-self._standard(value, loc, scale)[0])

    def _sample(self, shape: tuple[int, ...] = (), loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        noise = self._positive_reals(shape, loc)
        return ((torch.log(noise) - torch.log1p(-noise)) * scale + loc).to(self.dtype)


class Laplace(Continuous):
    """Laplace distribution with the scale ``sd``; it answers `prob` and `log_prob` only, as MindSpore's.

    Args:
        mean, sd: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if an ``sd`` is not positive.
    """

    _POSITIVE = ("sd",)
    _SHOWN = None

    @arguments_of(Normal)
    def __init__(self, mean: Any = None, sd: Any = None, name: str = "Laplace", **given: Any) -> None:
        super().__init__(name=name, param={"mean": mean, "sd": sd}, **given)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._given(mean, sd)
        return -torch.abs((self._value(value) - mean) / sd) - torch.log(2.0 * sd)


class StudentT(Continuous):
    """Student's t distribution; it answers `prob` and `log_prob` only, as MindSpore's.

    Args:
        df: the degrees of freedom.
        mean, sd: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a ``df`` or an ``sd`` is not positive.
    """

    _POSITIVE = ("sd", "df")
    _SHOWN = None

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = torch.float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__(seed, dtype, name, {"df": df, "mean": mean, "sd": sd})

    def _log_prob(self, value: Any, df: Any = None, mean: Any = None, sd: Any = None) -> Any:
        df, mean, sd = self._given(df, mean, sd)
        y = (self._value(value) - mean) / sd
        normalization = (
            torch.log(sd)
            + 0.5 * torch.log(df)
            + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * df)
            - torch.lgamma(0.5 * (df + 1.0))
        )
        return -0.5 * (df + 1.0) * torch.log1p(kernels.square(y) / df) - normalization
