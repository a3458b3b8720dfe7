"""Upstream: ``mindspore.compression.quant.quantizer``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Any

__all__ = ["OptimizeOption", "Quantizer"]


class OptimizeOption(Enum):
    """How ranges are found: ``QAT`` observes them, ``LEARNED_SCALE`` trains them."""

    QAT = "QAT"
    LEARNED_SCALE = "LEARNED_SCALE"

    def __str__(self) -> str:
        return self.value


class Quantizer(ABC):
    """What turns a network into one that trains for quantization.

    Args:
        optimize_option: an `OptimizeOption`, or a list or tuple of them.

    Raises:
        ValueError: for anything else.
    """

    def __init__(self, optimize_option: Any = OptimizeOption.QAT) -> None:
        options = list(optimize_option) if isinstance(optimize_option, (list, tuple)) else [optimize_option]
        for option in options:
            if not isinstance(option, OptimizeOption):
                raise ValueError(
                    f"For '{type(self).__name__}', the 'optimize_option' must be of OptimizeOption, but got {option!r}."
                )
        self.optimize_option = options

    @abstractmethod
    def quantize(self, network: Any) -> Any:
        """The network for training."""
