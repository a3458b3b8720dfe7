"""``mindspore.device_context.ascend.op_precision``."""

from __future__ import annotations

from mindspore_compat.device_context.ascend._checks import accepted

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]

_MODES = (
    "force_fp16",
    "allow_fp32_to_fp16",
    "allow_mix_precision",
    "must_keep_origin_dtype",
    "force_fp32",
    "allow_fp32_to_bf16",
    "allow_mix_precision_fp16",
    "allow_mix_precision_bf16",
)


def precision_mode(mode: str) -> None:
    """How Ascend may lower the precision; here operators keep their dtypes. TypeError, ValueError for another."""
    accepted("precision_mode", "mode", mode, str, _MODES)


def op_precision_mode(path: str) -> None:
    """A file of precisions by operator. TypeError if it is no str."""
    accepted("op_precision_mode", "path", path, str)


def matmul_allow_hf32(value: bool) -> None:
    """Whether products of matrices may use Ascend's HF32 (on CUDA: `device_context.gpu.op_precision`). TypeError."""
    accepted("matmul_allow_hf32", "value", value, bool)


def conv_allow_hf32(value: bool) -> None:
    """Whether convolutions may use Ascend's HF32 (on CUDA: `device_context.gpu.op_precision`). TypeError."""
    accepted("conv_allow_hf32", "value", value, bool)
