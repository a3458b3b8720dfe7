"""``mindspore.device_context.ascend.op_tuning``."""

from __future__ import annotations

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


def op_compile(value: bool) -> None:
    """Set whether operators are compiled online."""
    accepted("op_compile")


def aoe_tune_mode(tune_mode: str) -> None:
    """Set the tuning of kernels: "online" or "offline"."""
    accepted("aoe_tune_mode")


def aoe_job_type(config: str) -> None:
    """Set the target of tuning: "1" subgraphs, "2" operators."""
    accepted("aoe_job_type")


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Set the cache of kernels."""
    accepted("aclnn_cache")
