"""Settings of torch's CUDA libraries for the context's ``gpu_config`` and ``deterministic``."""

from __future__ import annotations

import os
from typing import Any

import torch

from mindspore_compat._api.errors import warn_once

_ALGORITHMS = {
    "conv_fprop_algo": "implicit_gemm precomp_gemm gemm direct fft fft_tiling winograd winograd_nonfused".split(),
    "conv_dgrad_algo": "algo_0 algo_1 fft fft_tiling winograd winograd_nonfused".split(),
    "conv_wgrad_algo": "algo_0 algo_1 fft algo_3 fft_tiling winograd_nonfused".split(),
}
_VALUES: dict[str, list[Any]] = {
    **{key: ["normal", "performance", *named] for key, named in _ALGORITHMS.items()},
    "conv_allow_tf32": [True, False],
    "matmul_allow_tf32": [True, False],
}


def apply_gpu_config(config: dict[str, Any]) -> None:
    """Set TF32 for convolutions and products; "performance" has cuDNN benchmark its algorithms and take the fastest."""
    for key, value in config.items():
        if key not in _VALUES:
            raise ValueError(
                f"For 'context.set_context', the key of argument 'gpu_config' must be one of {_VALUES}, but got {key}."
            )
        if value not in _VALUES[key] or (key not in _ALGORITHMS and not isinstance(value, bool)):
            raise ValueError(
                f"For 'gpu_config', the value of argument {key} must be one of {_VALUES[key]}, but got {value}."
            )
    if "conv_allow_tf32" in config:
        torch.backends.cudnn.allow_tf32 = config["conv_allow_tf32"]
    if "matmul_allow_tf32" in config:
        torch.backends.cuda.matmul.allow_tf32 = config["matmul_allow_tf32"]
    chosen = {key: config[key] for key in _ALGORITHMS if key in config}
    if chosen:
        torch.backends.cudnn.benchmark = "performance" in chosen.values()
    named = {key: value for key, value in chosen.items() if value not in ("normal", "performance")}
    if named:
        warn_once(
            "gpu_config algorithms",
            f"gpu_config: PyTorch does not let {named} be chosen; cuDNN takes the algorithm. Use 'performance' to have "
            "the fastest one measured.",
        )


def make_deterministic(wanted: bool) -> None:
    """Ask torch and its libraries for the same results at each run; an operator without such a kernel raises."""
    if wanted and torch.cuda.is_available():
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS reads it when it first works
    torch.use_deterministic_algorithms(wanted)
    torch.backends.cudnn.deterministic = wanted
    if wanted:
        torch.backends.cudnn.benchmark = False
