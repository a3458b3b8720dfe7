"""Which process saves which Parameter. Upstream: ``mindspore.train._utils``."""

from mindspore_compat.train._checkpoint.redundancy import get_parameter_redundancy, remove_param_redundancy

__all__ = ["get_parameter_redundancy", "remove_param_redundancy"]
