"""Probability. MindSpore: ``mindspore.nn.probability``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.probability import bijector, bnn_layers, distribution, dpn, infer, transforms

__all__ = ["bijector", "bnn_layers", "distribution", "dpn", "infer", "toolbox", "transforms"]
__getattr__ = module_getattr(__name__, {"toolbox": "train._bayesian_toolbox:"})
