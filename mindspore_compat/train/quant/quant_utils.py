"""Helpers for quantization. MindSpore: ``mindspore.train.quant.quant_utils``."""

from mindspore_compat.compression.quant.quant_utils import load_nonquant_param_into_quant_net

__all__ = ["load_nonquant_param_into_quant_net"]
