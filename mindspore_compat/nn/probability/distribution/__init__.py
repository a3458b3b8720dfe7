"""Distributions as Cells. MindSpore: ``mindspore.nn.probability.distribution``."""

from mindspore_compat.nn.probability.distribution.categorical import Categorical
from mindspore_compat.nn.probability.distribution.discrete import Bernoulli, Geometric, Poisson
from mindspore_compat.nn.probability.distribution.distribution import Distribution
from mindspore_compat.nn.probability.distribution.location_scale import Cauchy, Laplace, Logistic, StudentT
from mindspore_compat.nn.probability.distribution.normal import Normal
from mindspore_compat.nn.probability.distribution.positive_support import Beta, Exponential, Gamma, HalfNormal
from mindspore_compat.nn.probability.distribution.transformed_distribution import (
    Gumbel,
    LogNormal,
    TransformedDistribution,
)
from mindspore_compat.nn.probability.distribution.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Logistic",
    "Normal",
    "Poisson",
    "StudentT",
    "TransformedDistribution",
    "Uniform",
]
