"""Quantization-aware training by MindSpore 1.0. MindSpore: ``mindspore.train.quant``, gone since 1.1 (docs/quant.md)."""

from mindspore_compat.train.quant.quant import convert_quant_network, export

__all__ = ["convert_quant_network", "export"]
