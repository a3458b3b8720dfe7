"""Probability. MindSpore: ``mindspore.nn.probability``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.probability import bijector, bnn_layers, distribution

__all__ = ["bijector", "bnn_layers", "distribution"]
_OLD = "MindSpore removed it after 1.x; compute with nn.probability.distribution in a Cell of your own."
__getattr__ = module_getattr(__name__, unsupported=dict.fromkeys(("dpn", "infer", "toolbox", "transforms"), _OLD))
