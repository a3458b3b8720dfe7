"""Padding layers. MindSpore: ``mindspore.nn.layer.padding``. Paddings go from the last axis: (left, right, top, bottom,
front, back).
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat.nn.cell import Cell

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ZeroPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
]


class _PadNd(Cell):
    """Padding of the last ``_count`` axes of inputs with or without the batch axis."""

    _count, _mode = 1, "constant"
    _lowest: int | None = None

    def __init__(self, padding: Any) -> None:
        super().__init__()
        owner, sides = type(self).__name__, 2 * self._count
        items = (padding,) * sides if isinstance(padding, int) else padding
        for item in items:
            if self._lowest is not None and item < self._lowest:
                raise ValueError(
                    f"For '{owner}', every element in 'padding' must be >= {self._lowest}, but got {padding}."
                )
        self.padding, self.value = items, 0.0

    @with_dtype_fallback
    def construct(self, x: Any) -> Any:
        if self._mode == "constant":
            return torch._C._nn.pad(x, self.padding, value=self.value)
        missing = len(self.padding) // 2 + 2 - x.dim()  # torch wants batch and channels in front of the padded axes
        for _ in range(max(missing, 0)):
            x = torch.unsqueeze(x, 0)
        y = torch._C._nn.pad(x, self.padding, self._mode)
        for _ in range(max(missing, 0)):
            y = torch.squeeze(y, 0)
        return y


class _ConstantPad(_PadNd):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """``value`` at both ends of the last axis."""


class ConstantPad2d(_ConstantPad):
    """``value`` around the last two axes."""

    _count = 2


class ConstantPad3d(_ConstantPad):
    """``value`` around the last three axes."""

    _count = 3


class ZeroPad2d(_PadNd):
    """Zeros around the last two axes."""

    _count = 2


class ReflectionPad1d(_PadNd):
    """The last axis mirrored at both ends, without the edges themselves."""

    _mode, _lowest = "reflect", 0


class ReflectionPad2d(ReflectionPad1d):
    """The last two axes mirrored."""

    _count = 2


class ReflectionPad3d(ReflectionPad1d):
    """The last three axes mirrored."""

    _count = 3


class ReplicationPad1d(_PadNd):
    """The edges of the last axis repeated."""

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The edges of the last two axes repeated."""

    _count = 2


class ReplicationPad3d(ReplicationPad1d):
    """The edges of the last three axes repeated."""

    _count = 3
