"""MindSpore: ``mindspore.boost.GroupLossScaleManager``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell

__all__ = ["GroupLossScaleManager"]


class _ScaledGradient(Cell):
    """Identity whose gradient is multiplied by ``ratio``."""

    def construct(self, x: Any, ratio: Any) -> Any:
        return x

    def bprop(self, x: Any, ratio: Any, out: Any, dout: Any) -> Any:
        return (dout * ratio).astype(x.dtype), torch.zeros_like(ratio)


class GroupLossScaleManager(Cell):
    """Loss scales for groups of layers. ``manager(x, i, i + 1)`` stands in a network before group i + 1 (the last one
    behind all layers). In the backward pass the gradient changes there from the scale of group i + 1 to that of group
    i; the first and the last are 1. `BoostTrainOneStepWithLossScaleCell` changes the scales.

    Args:
        init_loss_scale: number to begin with.
        loss_scale_groups: lists of Parameters.
    """

    def __init__(self, init_loss_scale: Any, loss_scale_groups: Any) -> None:
        super().__init__()
        self._loss_scale = init_loss_scale
        self.loss_scale_groups = loss_scale_groups
        self.loss_scale_number = 0
        self.layer_loss_scale: Any = None
        self.dynamic_loss_scale: Any = None

    def set_loss_scale_status(self, loss_scale_number: int, init_loss_scale: Any) -> None:
        """Make the scales of ``loss_scale_number`` groups: one number for all, or a list."""
        self.loss_scale_number = loss_scale_number
        self.layer_loss_scale = tuple(_ScaledGradient() for _ in range(loss_scale_number + 1))
        each = init_loss_scale if isinstance(init_loss_scale, list) else [init_loss_scale] * loss_scale_number
        self.dynamic_loss_scale = ParameterTuple(
            Parameter(Tensor(float(value), torch.float32), name=f"layer_loss_scale_{index}", requires_grad=False)
            for index, value in enumerate([1, *each, 1])
        )

    def update_loss_scale_status(self, layer: int, update_ratio: Any) -> Any:
        """Multiply the scale of group ``layer``; return the new one."""
        scale = self.dynamic_loss_scale[layer + 1]
        plain(scale).mul_(plain(update_ratio) if isinstance(update_ratio, torch.Tensor) else update_ratio)
        return scale * 1

    def construct(self, x: Any, layer1: int, layer2: int) -> Any:
        if self.layer_loss_scale is None:
            raise RuntimeError(
                "For 'GroupLossScaleManager', no scales are set: make a BoostTrainOneStepWithLossScaleCell with it "
                "or call 'set_loss_scale_status' first."
            )
        ratio = self.dynamic_loss_scale[layer1] / self.dynamic_loss_scale[layer2]
        return self.layer_loss_scale[layer1](x, ratio)

    def get_loss_scale(self) -> Any:
        """Return the initial number of the scales."""
        return self._loss_scale

    def get_update_cell(self) -> GroupLossScaleManager:
        """Return itself."""
        return self
