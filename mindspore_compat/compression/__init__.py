"""Quantization-aware training by MindSpore 1.1 to 1.9. MindSpore: ``mindspore.compression``, gone since 2.0
(docs/quant.md).
"""

from mindspore_compat.compression import common, quant

__all__ = ["common", "quant"]
