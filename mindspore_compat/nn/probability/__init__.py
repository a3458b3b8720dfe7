"""Probability. Upstream: ``mindspore.nn.probability``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
_OLD = "upstream removed it after 1.x; compute with nn.probability.distribution in a Cell of your own."
__getattr__ = module_getattr(
    __name__, unsupported=dict.fromkeys(("bnn_layers", "dpn", "infer", "toolbox", "transforms"), _OLD)
)
