"""`Categorical`. MindSpore: ``mindspore.nn.probability.distribution.Categorical``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._ops.random import multinomial
from mindspore_compat.nn.probability.distribution.distribution import Distribution, check_name

__all__ = ["Categorical"]


class Categorical(Distribution):
    """One of several classes, numbered from 0; for its functions see `Distribution`.

    Args:
        probs: probabilities on the last axis (list, array or Tensor), adding up to 1; None where they come with each
            call.
        seed, dtype, name: as of `Distribution`.

    Raises:
        ValueError: if the probabilities have no axis, are not between 0 and 1, or do not add up to 1.
    """

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = torch.int32, name: str = "Categorical"
    ) -> None:
        super().__init__(seed, dtype, name, {"probs": probs})
        self._probs = self.default_parameters[0]
        if self._probs is not None:
            _check_probabilities(self._probs)
            self._is_scalar_batch = self._probs.dim() == 1
            self._broadcast_shape = tuple(self._probs.shape[:-1])

    probs = property(lambda self: self._probs)

    def _mean(self, probs: Any = None) -> Any:
        probs = self._given(probs)
        return torch.sum(_classes(probs) * probs, -1, keepdim=True)

    def _mode(self, probs: Any = None) -> Any:
        return torch.argmax(self._given(probs), -1).to(self.dtype)

    def _var(self, probs: Any = None) -> Any:
        probs = self._given(probs)
        classes = _classes(probs)
        return torch.sum(kernels.square(classes) * probs, -1, keepdim=True) - kernels.square(
            torch.sum(classes * probs, -1, keepdim=True)
        )

    def _entropy(self, probs: Any = None) -> Any:
        probs = self._given(probs)
        return torch.squeeze(-torch.sum(torch.log(probs) * probs, -1))

    def _kl_loss(self, dist: str, probs_b: Any, probs: Any = None) -> Any:
        check_name(dist, "Categorical")
        log_b = torch.log_softmax(torch.log(self._other(probs_b)), -1)
        log_a = torch.log_softmax(torch.log(self._given(probs)), -1)
        return torch.squeeze(torch.sum(torch.exp(log_a) * (log_a - log_b), -1))

    def _log_prob(self, value: Any, probs: Any = None) -> Any:
        probs = self._given(probs)
        index, inside = _class_index(value, probs)
        found = _at(torch.log(probs), index)
        return torch.where(inside, found, torch.nan)

    def _cdf(self, value: Any, probs: Any = None) -> Any:
        probs = self._given(probs)
        value = value
        index, _ = _class_index(value, probs)
        return torch.where(_whole(value) < 0, 0.0, _at(torch.cumsum(probs, -1), index))

    def _sample(self, shape: tuple[int, ...] = (), probs: Any = None) -> Any:
        probs = self._given(probs)
        count = int(np.prod(shape))
        flat = probs.detach().reshape(-1, probs.shape[-1])
        drawn = multinomial(flat, count, seed=self._seed)
        return drawn.T.reshape(shape + tuple(probs.shape[:-1])).to(self.dtype)


def _classes(probs: torch.Tensor) -> torch.Tensor:
    return torch.arange(probs.shape[-1], dtype=probs.dtype, device=probs.device)


def _whole(value: torch.Tensor) -> torch.Tensor:
    """Round values down as in MindSpore; a value between -1 and 0 counts as 0."""
    value = value.to(torch.float32)
    return torch.where((value < 0) & (value > -1), 0.0, torch.floor(value))


def _class_index(value: torch.Tensor, probs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the class of each value, and whether that class exists."""
    whole = _whole(value)
    last = probs.shape[-1] - 1
    return torch.clamp(whole, 0, last).to(torch.int64), (whole >= 0) & (whole <= last)


def _at(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Return the entry of each class, where batch and values broadcast against each other."""
    shape = np.broadcast_shapes(table.shape[:-1], index.shape)
    return torch.gather(table.expand(*shape, table.shape[-1]), -1, index.expand(shape).unsqueeze(-1)).squeeze(-1)


def _check_probabilities(probs: torch.Tensor) -> None:
    if probs.dim() == 0:
        raise ValueError("probs for Categorical distribution must have rank >= 1.")
    if not bool(torch.all(probs > 0)):
        raise ValueError("Probabilities must be greater than zero")
    if not bool(torch.all(probs < 1)):
        raise ValueError("Probabilities must be less than one")
    total = torch.sum(probs.detach().to(torch.float64), -1)
    if not bool(torch.all(torch.abs(total - 1) <= 20 * torch.finfo(probs.dtype).eps)):
        raise ValueError("Probabilities for each category should sum to one for Categorical distribution.")
