"""An optimizer of ``torch.optim`` where training Cells expect one of MindSpore's."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import plain
from mindspore_compat.nn.cell import Cell

__all__ = ["TorchOptimizer", "as_optimizer"]


class TorchOptimizer(Cell):
    """Called with gradients, in the order of ``parameters``, makes a step of a torch optimizer."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        super().__init__(auto_prefix=False)
        self.torch_optimizer = optimizer
        self.parameters = tuple(
            item for group in optimizer.param_groups for item in group["params"] if item.requires_grad
        )

    def construct(self, gradients: Any) -> bool:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            parameter.grad = plain(gradient)
        self.torch_optimizer.step()
        for parameter in self.parameters:
            parameter.grad = None
        return True


def as_optimizer(optimizer: Any) -> Any:
    """The optimizer, one of torch behind a Cell."""
    return TorchOptimizer(optimizer) if isinstance(optimizer, torch.optim.Optimizer) else optimizer
