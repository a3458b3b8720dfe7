"""Parallel contexts. Upstream: ``mindspore.parallel``. One process here; see ``communication`` for torchrun."""
from mindspore_compat.context import get_algo_parameters, reset_algo_parameters, set_algo_parameters

__all__ = ["set_algo_parameters", "get_algo_parameters", "reset_algo_parameters"]
