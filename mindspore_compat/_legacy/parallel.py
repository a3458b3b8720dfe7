"""Private settings of MindSpore's parallel modes that training scripts of the zoo (`official/cv/Arcface/train.py`,
`official/nlp/Pangu_alpha/train.py`, `official/cv/segment-anything/segment_anything/utils/model_wrapper.py`),
mindformers (`mindformers/core/parallel_config.py`), mindrlhf and mindscience (`MindSPONGE/src/sponge/core/sponge.py`)
import.

MindSpore: ``mindspore.parallel._cost_model_context``, ``_auto_parallel_context``, ``_ps_context``, ``_cell_wrapper``,
``_recovery_context``. There is no search for a sharding here, no parameter server, and no process is replaced.
"""

from __future__ import annotations

from typing import Any

from mindspore_compat.context import get_auto_parallel_context, set_auto_parallel_context


def set_cost_model_context(**kwargs: Any) -> None:
    """Do nothing: the settings are of a search."""


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Do nothing."""


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Do nothing."""


def _is_role_pserver() -> bool:
    return False


_is_role_sched = _is_role_pserver  # a child of msrun never schedules


def destroy_allgather_cell() -> None:
    """Do nothing: no Cell that gathers is kept."""


_recovery: dict[str, Any] = {}


def _get_recovery_context(attr_key: str) -> Any:
    return _recovery.get(attr_key, False if attr_key in ("enable_recovery", "need_reset") else None)


def _set_recovery_context(**kwargs: Any) -> None:
    _recovery.update(kwargs)


class _AutoParallelContext:
    def get_parallel_mode(self) -> str:
        return get_auto_parallel_context("parallel_mode")

    def get_pipeline_stages(self) -> int:
        return get_auto_parallel_context("pipeline_stages")

    def get_device_num_is_set(self) -> bool:
        return get_auto_parallel_context("device_num") != 1

    def get_device_num(self) -> int:
        return get_auto_parallel_context("device_num")

    def set_all_reduce_fusion_split_indices(self, indices: list[int], group: Any = "") -> None:
        """Keep a hint for fusing gradient all-reduces; torch's buckets decide."""
        set_auto_parallel_context(all_reduce_fusion_config=list(indices))


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the one object."""
    return _context
