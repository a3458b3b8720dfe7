"""Checkpoints of networks cut over several devices. MindSpore: ``mindspore.parallel`` (functions of these names).

The functions read and write checkpoints, so they live in ``train``, the layer above, and are imported from there on
first use.
"""

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.parallel._pipeline import sync_pipeline_shared_parameters

#: public name -> its module
HOMES = {"parameter_broadcast": "train._checkpoint.redundancy:parameter_broadcast"} | dict.fromkeys(
    tuple(
        (
            "build_searched_strategy merge_pipeline_strategys restore_group_info_list merge_sliced_parameter "
            "rank_list_for_transform transform_checkpoint_by_rank transform_checkpoints "
            "load_distributed_checkpoint load_segmented_checkpoints rank_list_for_convert "
            "convert_checkpoint_by_rank convert_checkpoints unified_safetensors"
        ).split()
    ),
    "train.serialization",
)

__all__ = [*HOMES, "sync_pipeline_shared_parameters"]

__getattr__ = module_getattr(__name__, HOMES)
