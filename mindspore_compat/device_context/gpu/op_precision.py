"""``mindspore.device_context.gpu.op_precision``."""

from mindspore_compat._runtime.gpu_settings import apply_gpu_config

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]


def matmul_allow_tf32(value: bool) -> None:
    """Allow or forbid TF32 in matrix products."""
    apply_gpu_config({"matmul_allow_tf32": value})


def conv_allow_tf32(value: bool) -> None:
    """Allow or forbid TF32 in convolutions."""
    apply_gpu_config({"conv_allow_tf32": value})
