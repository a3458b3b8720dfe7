"""``mindspore.device_context.ascend.op_precision``."""

from __future__ import annotations

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]


def precision_mode(mode: str) -> None:
    """Set how Ascend may lower the precision; operators keep their dtypes here."""
    accepted("precision_mode")


def op_precision_mode(path: str) -> None:
    """Set a file of precisions by operator."""
    accepted("op_precision_mode")


def matmul_allow_hf32(value: bool) -> None:
    """Allow or forbid Ascend's HF32 in matrix products (on CUDA: `device_context.gpu.op_precision`)."""
    accepted("matmul_allow_hf32")


def conv_allow_hf32(value: bool) -> None:
    """Allow or forbid Ascend's HF32 in convolutions (on CUDA: `device_context.gpu.op_precision`)."""
    accepted("conv_allow_hf32")
