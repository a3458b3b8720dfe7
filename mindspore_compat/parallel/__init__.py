"""Parallel contexts, and checkpoints of cut networks. Upstream: ``mindspore.parallel``. One process here; see
``communication`` for torchrun.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.context import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from mindspore_compat.parallel.checkpoint_transform import HOMES

__all__ = ["set_algo_parameters", "get_algo_parameters", "reset_algo_parameters"]

__getattr__ = module_getattr(__name__, HOMES)
