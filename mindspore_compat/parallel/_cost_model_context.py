"""Settings of upstream's search for a sharding. Upstream: ``mindspore.parallel._cost_model_context``.

Nothing is searched here, so the values are kept and checked but have no effect.
"""

from __future__ import annotations

from typing import Any

__all__ = ["set_cost_model_context", "get_cost_model_context", "reset_cost_model_context"]

_DEFAULTS: dict[str, float | int] = {
    "device_memory_capacity": 16.0 * 2**30,
    "costmodel_alpha": 1.0,
    "costmodel_beta": 400.0,
    "costmodel_gamma": 0.001,
    "costmodel_communi_threshold": 2048.0,
    "costmodel_communi_const": 3072.0,
    "costmodel_communi_bias": 1024.0,
    "run_phase": 0,
    "costmodel_allreduce_fusion_algorithm": 0,
    "costmodel_allreduce_fusion_times": 0,
    "costmodel_allreduce_fusion_tail_percent": 0.1,
    "costmodel_allreduce_fusion_tail_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
    "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
    "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
}
_FLAGS: dict[str, Any] = {"multi_subgraphs": False, "single_loop": False, "rp_matmul_mem_coef": 0.1}
_values = dict(_DEFAULTS)
_flags = dict(_FLAGS)


def set_cost_model_context(**kwargs: Any) -> None:
    """Keep settings of the search; without effect.

    Raises:
        ValueError: for an unknown name. TypeError: for a value of another type than the setting's.
    """
    for key, value in kwargs.items():
        if key not in _DEFAULTS:
            raise ValueError(f"Set context keyword {key} is not recognized! It must be one of {sorted(_DEFAULTS)}.")
        expected = type(_DEFAULTS[key])
        if not isinstance(value, expected):
            raise TypeError(f"The parameter '{key}' must be {expected}, but got {type(value)}")
    _values.update(kwargs)


def get_cost_model_context(attr_key: str) -> Any:
    """A setting of the search.

    Raises:
        ValueError: for an unknown name.
    """
    if attr_key not in _values:
        raise ValueError(f"Get context keyword {attr_key} is not recognized! It must be one of {sorted(_DEFAULTS)}.")
    return _values[attr_key]


def reset_cost_model_context() -> None:
    """Back to the defaults."""
    _values.update(_DEFAULTS)
    _flags.update(_FLAGS)


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    _flags["multi_subgraphs"] = multi_subgraph


def _get_multi_subgraphs() -> bool:
    return _flags["multi_subgraphs"]


def _set_algo_single_loop(single_loop: bool = True) -> None:
    _flags["single_loop"] = single_loop


def _get_algo_single_loop() -> bool:
    return _flags["single_loop"]


def _set_rp_matmul_mem_coef(coef: float) -> None:
    _flags["rp_matmul_mem_coef"] = coef


def _get_rp_matmul_mem_coef() -> float:
    return _flags["rp_matmul_mem_coef"]
