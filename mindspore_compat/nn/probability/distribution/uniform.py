"""`Uniform`. MindSpore: ``mindspore.nn.probability.distribution.Uniform``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat.nn.probability.distribution.distribution import Continuous, check_name

__all__ = ["Uniform"]


class Uniform(Continuous):
    """Uniform distribution between ``low`` and ``high``; for its functions see `Distribution`.

    Args:
        low, high: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a ``low`` is not less than its ``high``.
    """

    def __init__(
        self,
        low: Any = None,
        high: Any = None,
        seed: int | None = None,
        dtype: Any = torch.float32,
        name: str = "Uniform",
    ) -> None:
        super().__init__(seed, dtype, name, {"low": low, "high": high})
        self._low, self._high = self.default_parameters
        if self._low is not None and self._high is not None and not bool(torch.all(self._low < self._high)):
            raise ValueError("low must be less than high")

    low = property(lambda self: self._low)
    high = property(lambda self: self._high)

    def _mean(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        return (low + high) / 2.0

    def _var(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        return kernels.square(high - low) / 12.0

    def _entropy(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        return torch.log(high - low)

    def _prob(self, value: Any, low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        value = self._value(value)
        return torch.where((value >= low) & (value <= high), 1.0 / (high - low), 0.0)

    def _cdf(self, value: Any, low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        value = self._value(value)
        inside = torch.where(value < low, 0.0, (value - low) / (high - low))
        return torch.where(value >= high, 1.0, inside)

    def _kl_loss(self, dist: str, low_b: Any, high_b: Any, low: Any = None, high: Any = None) -> Any:
        check_name(dist, "Uniform")
        low_b, high_b = self._other(low_b), self._other(high_b)
        low, high = self._given(low, high)
        return torch.where(
            (low_b <= low) & (high <= high_b), torch.log(high_b - low_b) - torch.log(high - low), torch.inf
        )

    def _sample(self, shape: tuple[int, ...] = (), low: Any = None, high: Any = None) -> Any:
        low, high = self._given(low, high)
        return (self._reals(shape, low) * (high - low) + low).to(self.dtype)
