"""Invertible functions as Cells. MindSpore: ``mindspore.nn.probability.bijector``."""

from mindspore_compat.nn.probability.bijector.bijector import Bijector
from mindspore_compat.nn.probability.bijector.gumbel_cdf import GumbelCDF
from mindspore_compat.nn.probability.bijector.invert import Invert
from mindspore_compat.nn.probability.bijector.power_transform import Exp, PowerTransform
from mindspore_compat.nn.probability.bijector.scalar_affine import ScalarAffine
from mindspore_compat.nn.probability.bijector.softplus import Softplus

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]
