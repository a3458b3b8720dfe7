"""``mindspore.device_context.ascend.op_tuning``."""

from __future__ import annotations

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["aclnn_cache", "aoe_job_type", "aoe_tune_mode", "op_compile"]


def op_compile(value: bool) -> None:
    """Whether operators are compiled online. TypeError."""
    accepted("op_compile", "value", value, bool)


def aoe_tune_mode(tune_mode: str) -> None:
    """How kernels are tuned: "online" or "offline". TypeError, ValueError for another."""
    accepted("aoe_tune_mode", "tune_mode", tune_mode, str, ("online", "offline"))


def aoe_job_type(config: str) -> None:
    """What is tuned: "1" subgraphs, "2" operators. TypeError, ValueError for another."""
    accepted("aoe_job_type", "config", config, str, ("1", "2"))


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """How kernels are cached. TypeError, ValueError below 0."""
    accepted("aclnn_cache", "enable_global_cache", enable_global_cache, bool)
    accepted("aclnn_cache", "cache_queue_length", cache_queue_length, int)
    if cache_queue_length < 0:
        raise ValueError(
            f"For 'aclnn_cache', the 'cache_queue_length' must be at least 0, but got {cache_queue_length}."
        )
