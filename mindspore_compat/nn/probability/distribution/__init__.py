"""Distributions as Cells. Upstream: ``mindspore.nn.probability.distribution``."""

from mindspore_compat.nn.probability.distribution.categorical import Categorical
from mindspore_compat.nn.probability.distribution.distribution import Distribution
from mindspore_compat.nn.probability.distribution.normal import Normal
from mindspore_compat.nn.probability.distribution.uniform import Uniform

__all__ = ["Categorical", "Distribution", "Normal", "Uniform"]
