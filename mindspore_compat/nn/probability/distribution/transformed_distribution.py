"""Distributions of transformed values: `TransformedDistribution`, `LogNormal`, `Gumbel`. MindSpore:
``mindspore.nn.probability.distribution``.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import torch

from mindspore_compat.nn.probability.bijector.bijector import Bijector
from mindspore_compat.nn.probability.bijector.gumbel_cdf import GumbelCDF
from mindspore_compat.nn.probability.bijector.invert import Invert
from mindspore_compat.nn.probability.bijector.power_transform import Exp
from mindspore_compat.nn.probability.distribution.distribution import Distribution, check_name
from mindspore_compat.nn.probability.distribution.normal import Normal
from mindspore_compat.nn.probability.distribution.uniform import Uniform

__all__ = ["Gumbel", "LogNormal", "TransformedDistribution"]


class TransformedDistribution(Distribution):
    """Distribution of ``bijector.forward(x)``, where x has a ``distribution``; for its functions see there. The mean is
    known where the bijector is linear.

    Args:
        bijector: a `Bijector`. distribution: of float type; calls take its parameters.
        seed, name: as of `Distribution`. dtype: an argument of 1.0 and 1.1; by default the distribution's.
    """

    _SHOWN: ClassVar[dict[str, str] | None] = None

    def __init__(
        self,
        bijector: Any,
        distribution: Any,
        seed: int | None = None,
        name: str = "transformed_distribution",
        dtype: Any = None,
    ) -> None:
        super().__init__(seed, dtype or distribution.dtype, name, {})
        self._bijector, self._distribution = bijector, distribution
        self._take_parameters()

    def _take_parameters(self) -> None:
        inner = self._distribution
        self.parameter_names, self.parameter_type = inner.parameter_names, inner.parameter_type
        self.default_parameters = inner.default_parameters
        self._is_scalar_batch = inner.is_scalar_batch and self._bijector.is_scalar_batch
        self._batch_shape = inner.batch_shape
        shapes = (inner.batch_shape, self._bijector.batch_shape)
        self._broadcast_shape = None if None in shapes else np.broadcast_shapes(*shapes)

    bijector = property(lambda self: self._bijector)
    distribution = property(lambda self: self._distribution)

    @property
    def is_linear_transformation(self) -> bool:
        """True if the bijector's slope is constant."""
        return self._bijector.is_constant_jacobian

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self._distribution.cdf(self._bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        found = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return torch.where(torch.isneginf(found), found, found + self._bijector.inverse_log_jacobian(value))

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        if not self.is_linear_transformation:
            raise ValueError("The mean of a TransformedDistribution is known only where its bijector is linear.")
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Any:
        return self._bijector.forward(self._distribution.sample(*args, **kwargs))


class LogNormal(TransformedDistribution):
    """The distribution of exp(x), where x is normal with mean ``loc`` and standard deviation ``scale``; see
    `Distribution`.

    Args:
        loc, scale: number, list, array or Tensor; None where they come with each call.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a scale is not positive.
    """

    _SHOWN: ClassVar[dict[str, str] | None] = {}

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        seed: int | None = 0,
        dtype: Any = torch.float32,
        name: str = "LogNormal",
    ) -> None:
        super().__init__(Exp(), Normal(loc, scale, seed, dtype), seed, name)
        self.parameter_names = ["loc", "scale"]

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    def _mean(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        return torch.exp(loc + 0.5 * scale * scale)

    def _mode(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        return torch.exp(loc - scale * scale)

    def _var(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        return torch.expm1(scale * scale) * torch.exp(2.0 * loc + scale * scale)

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._given(loc, scale)
        return loc + 0.5 + torch.log(scale) + 0.5 * math.log(2 * math.pi)

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return super()._log_prob(value, loc, scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        found = super()._cdf(value, loc, scale)
        return torch.where(value > 0, found, 0.0)

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any, loc: Any = None, scale: Any = None) -> Any:
        check_name(dist, "LogNormal")
        return self._distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)

    def _sample(self, shape: tuple[int, ...] = (), loc: Any = None, scale: Any = None) -> Any:
        return super()._sample(shape, loc, scale)


class Gumbel(TransformedDistribution):
    """Gumbel distribution; for its functions see `Distribution`. Calls take no parameters, as MindSpore's.

    Args:
        loc, scale: number, list, array or Tensor.
        seed, dtype, name: as of `Distribution`; dtype must be a float type.

    Raises:
        ValueError: if a scale is not positive.
    """

    _SHOWN: ClassVar[dict[str, str] | None] = {}

    def __init__(
        self, loc: Any, scale: Any, seed: int | None = 0, dtype: Any = torch.float32, name: str = "Gumbel"
    ) -> None:
        inner = GumbelCDF(loc, scale)
        super().__init__(Invert(inner), Uniform(0.0, 1.0, seed, dtype), seed, name)
        self.parameter_names = ["loc", "scale"]
        self.default_parameters = [self._to_tensor(loc), self._to_tensor(scale)]

    loc = property(lambda self: self.default_parameters[0])
    scale = property(lambda self: self.default_parameters[1])

    def _own(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self._given(None, None)

    def _mean(self) -> Any:
        loc, scale = self._own()
        return loc + scale * _EULER

    def _mode(self) -> Any:
        return self._own()[0]

    def _sd(self) -> Any:
        return self._own()[1] * (math.pi / math.sqrt(6.0))

    def _entropy(self) -> Any:
        return 1.0 + torch.log(self._own()[1]) + _EULER

    def _log_prob(self, value: Any) -> Any:
        loc, scale = self._own()
        z = (self._value(value) - loc) / scale
        return -(z + torch.exp(-z)) - torch.log(scale)

    def _cdf(self, value: Any) -> Any:
        loc, scale = self._own()
        return torch.exp(-torch.exp(-(self._value(value) - loc) / scale))

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any) -> Any:
        check_name(dist, "Gumbel")
        loc_b, scale_b = self._other(loc_b), self._other(scale_b)
        loc, scale = self._own()
        return (
            torch.log(scale_b / scale)
            + _EULER * (scale / scale_b - 1.0)
            + (loc - loc_b) / scale_b
            + torch.expm1((loc_b - loc) / scale_b + torch.lgamma(scale / scale_b + 1.0))
        )

    def _sample(self, shape: tuple[int, ...] = ()) -> Any:
        loc, scale = self._own()
        noise = self._distribution.sample(shape + tuple(loc.shape))
        noise = torch.clamp(noise, min=torch.finfo(noise.dtype).tiny)
        return (loc - scale * torch.log(-torch.log(noise))).to(self.dtype)


_EULER = 0.5772156649015329  # the Euler-Mascheroni constant
Bijector.is_distribution = staticmethod(lambda value: isinstance(value, Distribution))
Bijector.transformed = lambda self, distribution: TransformedDistribution(self, distribution)
