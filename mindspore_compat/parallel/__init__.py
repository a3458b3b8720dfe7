"""Parallel contexts, networks over several processes, and their checkpoints. MindSpore: ``mindspore.parallel``."""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.context import get_algo_parameters, reset_algo_parameters, set_algo_parameters
from mindspore_compat.parallel.checkpoint_transform import HOMES, sync_pipeline_shared_parameters
from mindspore_compat.parallel.shard import Layout, shard

__all__ = ["Layout", "shard", "set_algo_parameters", "get_algo_parameters", "reset_algo_parameters"]
__all__ += ["sync_pipeline_shared_parameters", *HOMES]

__getattr__ = module_getattr(__name__, {**HOMES, "nn": "parallel.nn:", "function": "parallel.function:"})
