"""Parallel settings for training cells of the model zoo. MindSpore: ``mindspore.parallel._utils``."""

from __future__ import annotations

from mindspore_compat.communication.management import get_group_size, get_rank
from mindspore_compat.context import get_auto_parallel_context


def _get_parallel_mode() -> str:
    return get_auto_parallel_context("parallel_mode")


def _get_gradients_mean() -> bool:
    return get_auto_parallel_context("gradients_mean")


def _get_device_num() -> int:
    return get_group_size()


def _get_global_rank() -> int:
    return get_rank()


def _get_parameter_broadcast() -> bool:
    return get_auto_parallel_context("parameter_broadcast")


def _is_in_auto_parallel_mode() -> bool:
    return _get_parallel_mode() in ("semi_auto_parallel", "auto_parallel")


def _get_enable_parallel_optimizer() -> bool:
    return get_auto_parallel_context("enable_parallel_optimizer")


def _is_sharding_propagation() -> bool:
    return get_auto_parallel_context("sharding_propagation")


def _get_pipeline_stages() -> int:
    return get_auto_parallel_context("pipeline_stages")


def _get_stage_device_num() -> int:
    return get_group_size() // _get_pipeline_stages()


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    if parallel_mode == "stand_alone" and device_number != 1:
        raise ValueError(
            f"If parallel_mode is stand_alone, device_number must be 1, device_number: {device_number}, "
            f"parallel_mode:{parallel_mode}"
        )
