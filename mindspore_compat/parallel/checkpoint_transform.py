"""Checkpoints of networks cut over several devices. Upstream: ``mindspore.parallel`` (functions of these names).

The functions read and write checkpoints, so they live in ``train``, the layer above, and are fetched from there on
first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    **dict.fromkeys(
        ("build_searched_strategy", "merge_pipeline_strategys", "restore_group_info_list"), "_strategy_file"
    ),
    **dict.fromkeys(
        (
            "merge_sliced_parameter",
            "rank_list_for_transform",
            "transform_checkpoint_by_rank",
            "transform_checkpoints",
            "load_distributed_checkpoint",
            "load_segmented_checkpoints",
            "rank_list_for_convert",
            "convert_checkpoint_by_rank",
            "convert_checkpoints",
        ),
        "_checkpoint_transform",
    ),
    "unified_safetensors": "_checkpoint_unified",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"mindspore_compat.train.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'mindspore.parallel.checkpoint_transform' has no attribute {name!r}")
