"""Parallel contexts, and checkpoints of cut networks. Upstream: ``mindspore.parallel``. One process here; see
``communication`` for torchrun.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.context import get_algo_parameters, reset_algo_parameters, set_algo_parameters

__all__ = ["set_algo_parameters", "get_algo_parameters", "reset_algo_parameters"]

__getattr__ = module_getattr(
    __name__,
    dict.fromkeys(
        (
            "build_searched_strategy",
            "merge_pipeline_strategys",
            "restore_group_info_list",
            "merge_sliced_parameter",
            "rank_list_for_transform",
            "transform_checkpoint_by_rank",
            "transform_checkpoints",
            "load_distributed_checkpoint",
            "load_segmented_checkpoints",
            "unified_safetensors",
            "rank_list_for_convert",
            "convert_checkpoint_by_rank",
            "convert_checkpoints",
        ),
        "parallel.checkpoint_transform",
    ),
)
