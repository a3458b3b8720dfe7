"""MindSpore: ``mindspore.compression.quant.quantizer``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any

__all__ = ["OptimizeOption", "Quantizer"]


class OptimizeOption(Enum):
    """Search of ranges: ``QAT`` observes them, ``LEARNED_SCALE`` trains them."""

    QAT = "QAT"
    LEARNED_SCALE = "LEARNED_SCALE"

    def __str__(self) -> str:
        return self.value


class Quantizer(ABC):
    """Base of converters of a network to quantization-aware training.

    Args:
        optimize_option: an `OptimizeOption`, or a list or tuple of them.

    """

    def __init__(self, optimize_option: Any = OptimizeOption.QAT) -> None:
        many = isinstance(optimize_option, (list, tuple))
        self.optimize_option = [OptimizeOption(item) for item in (optimize_option if many else [optimize_option])]

    @abstractmethod
    def quantize(self, network: Any) -> Any:
        """Return the network for training."""
