"""Checkpoint saving and loading. MindSpore: ``mindspore.train.serialization``; `_checkpoint` does the work."""

from mindspore_compat import context  # noqa: F401  (what stands here but not in __all__ is borrowed by scripts)
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common.tensor import Tensor  # noqa: F401
from mindspore_compat.train._checkpoint.convert import ckpt_to_safetensors, safetensors_to_ckpt
from mindspore_compat.train._checkpoint.distributed import (
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    load_segmented_checkpoints,
)
from mindspore_compat.train._checkpoint.into_net import (  # noqa: F401
    _load_dismatch_prefix_params,
    _update_param,
    load_param_into_net,
)
from mindspore_compat.train._checkpoint.load import (  # noqa: F401
    ParamDictFuture,
    load_checkpoint,
    load_checkpoint_async,
)
from mindspore_compat.train._checkpoint.print_file import parse_print
from mindspore_compat.train._checkpoint.save import async_ckpt_thread_status, save_checkpoint
from mindspore_compat.train._checkpoint.strategy import (
    build_searched_strategy,
    merge_pipeline_strategys,
    restore_group_info_list,
)
from mindspore_compat.train._checkpoint.transform import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    merge_sliced_parameter,
    rank_list_for_convert,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from mindspore_compat.train._checkpoint.unified import unified_safetensors
from mindspore_compat.train._export import Limits, export, load

__all__ = [
    "export",
    "load",
    "save_checkpoint",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "async_ckpt_thread_status",
    "ckpt_to_safetensors",
    "safetensors_to_ckpt",
    "parse_print",
    "build_searched_strategy",
    "merge_pipeline_strategys",
    "restore_group_info_list",
    "merge_sliced_parameter",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "rank_list_for_transform",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "rank_list_for_convert",
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "get_ckpt_path_with_strategy",
    "unified_safetensors",
]

#: KiB of parameters above which `export` writes them to separate files, and KiB of one such file
TOTAL_SAVE, PARAMETER_SPLIT_SIZE = 1024 * 1024, 1024 * 1024 * 1024
Limits.ask = lambda: (TOTAL_SAVE, PARAMETER_SPLIT_SIZE)

__getattr__ = module_getattr(
    __name__,
    {
        "Checkpoint": "_format.proto.checkpoint",
        "Validator": "_checkparam:",
        **dict.fromkeys(
            "_check_checkpoint_param _exec_save _load_map_parameter _parse_ckpt_proto tensor_to_ms_type "
            "tensor_to_np_type".split(),
            "_legacy.checkpoints",
        ),
    },
    {
        "_get_merged_param_data": "save_checkpoint puts the slices of a sharded Parameter together itself.",
    },
)
