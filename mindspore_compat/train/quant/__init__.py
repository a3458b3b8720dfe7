"""Quantization-aware training of MindSpore 1.0 (docs/quant.md). MindSpore: ``mindspore.train.quant``, before 1.1."""

from mindspore_compat.train.quant.quant import convert_quant_network, export

__all__ = ["convert_quant_network", "export"]
