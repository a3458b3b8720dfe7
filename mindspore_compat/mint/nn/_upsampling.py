"""``mindspore.mint.nn.UpsamplingNearest2d`` and ``UpsamplingBilinear2d``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.mint.nn import functional
from mindspore_compat.nn.cell import Cell

__all__ = ["UpsamplingBilinear2d", "UpsamplingNearest2d"]


class UpsamplingNearest2d(Cell):
    """`functional.interpolate` with mode "nearest"."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def construct(self, input: Any) -> Any:
        return functional.interpolate(input, self.size, self.scale_factor, "nearest")


class UpsamplingBilinear2d(UpsamplingNearest2d):
    """`functional.interpolate` with mode "bilinear" and aligned corners."""

    def construct(self, input: Any) -> Any:
        return functional.interpolate(input, self.size, self.scale_factor, "bilinear", True)
