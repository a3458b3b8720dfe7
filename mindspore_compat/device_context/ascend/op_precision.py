"""``mindspore.device_context.ascend.op_precision``."""

from __future__ import annotations

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]


def precision_mode(mode: str) -> None:
    """How Ascend may lower the precision; here operators keep their dtypes."""
    accepted("precision_mode")


def op_precision_mode(path: str) -> None:
    """A file of precisions by operator."""
    accepted("op_precision_mode")


def matmul_allow_hf32(value: bool) -> None:
    """Return whether products of matrices may use Ascend's HF32 (on CUDA: `device_context.gpu.op_precision`)."""
    accepted("matmul_allow_hf32")


def conv_allow_hf32(value: bool) -> None:
    """Return whether convolutions may use Ascend's HF32 (on CUDA: `device_context.gpu.op_precision`)."""
    accepted("conv_allow_hf32")
