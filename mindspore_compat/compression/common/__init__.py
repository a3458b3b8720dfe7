"""MindSpore: ``mindspore.compression.common``."""

from mindspore_compat.compression.common.constant import QuantDtype

__all__ = ["QuantDtype"]
