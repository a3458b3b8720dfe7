"""``mindspore.device_context.gpu.op_precision``."""

from mindspore_compat._runtime.gpu_settings import apply_gpu_config

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]


def matmul_allow_tf32(value: bool) -> None:
    """Return whether products of matrices may use TF32."""
    apply_gpu_config({"matmul_allow_tf32": value})


def conv_allow_tf32(value: bool) -> None:
    """Return whether convolutions may use TF32."""
    apply_gpu_config({"conv_allow_tf32": value})
