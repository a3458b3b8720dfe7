"""MindSpore: ``mindspore.nn.ChannelShuffle``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import sizes

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Cell):
    """Permutation of channels of (N, C, *) so that neighbours come from different ``groups``."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        (self.groups,) = sizes(groups, "groups", "ChannelShuffle", 1)

    def construct(self, x: Any) -> Any:
        shape = tuple(x.shape)
        parts = torch.reshape(x, (shape[0], self.groups, shape[1] // self.groups, *shape[2:]))
        return torch.reshape(torch.transpose(parts, 1, 2), shape)
