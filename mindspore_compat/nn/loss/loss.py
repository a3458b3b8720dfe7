"""Losses. Upstream: ``mindspore.nn.loss.loss``."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.nn.cell import Cell

__all__ = ["LossBase", "SoftmaxCrossEntropyWithLogits", "MSELoss", "L1Loss"]


class LossBase(Cell):
    """Base of losses: `get_loss` weighs and reduces by ``reduction`` ("mean", "sum" or "none")."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"For '{type(self).__name__}', the 'reduction' must be in ['none', 'sum', 'mean'], but got {reduction!r}.")
        self.reduction = reduction
        self.average, self.reduce = reduction == "mean", reduction != "none"

    def get_axis(self, x: Any) -> tuple[int, ...]:
        """All axes of ``x``."""
        return tuple(range(x.dim()))

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """``x`` · ``weights``, reduced, in the dtype of ``x``."""
        dtype = x.dtype
        x = torch.mul(x.float(), weights)
        if self.reduction != "none":
            x = torch.mean(x) if self.average else torch.sum(x)
        return x.to(dtype)

    def construct(self, logits: Any, labels: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must override 'construct(self, logits, labels)'.")


_Loss = LossBase


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of softmax(logits) (N, C) with labels: class indices (N,) if ``sparse``, else distributions (N, C).

    ``is_grad`` and ``num_classes`` of 1.0 are accepted without effect.
    """

    def __init__(self, sparse: bool = False, reduction: str = "none", is_grad: bool = False, num_classes: int | None = None) -> None:
        super().__init__(reduction)
        if not isinstance(sparse, bool):
            raise TypeError(f"For 'SoftmaxCrossEntropyWithLogits', the 'sparse' must be bool, but got {type(sparse).__name__}.")
        self.sparse = sparse

    def construct(self, logits: Any, labels: Any) -> Any:
        for name, value in (("logits", logits), ("labels", labels)):
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"For 'SoftmaxCrossEntropyWithLogits', the '{name}' must be a Tensor, but got {type(value).__name__}.")
        if self.sparse:
            if labels.dim() != 1:
                raise ValueError("For 'SoftmaxCrossEntropyWithLogits' with sparse=True, the 'labels' must be class indices with 1 axis, "
                                 f"but got shape {tuple(labels.shape)}. Use sparse=False for one-hot labels.")
            labels = labels if labels.dtype is torch.int64 else labels.to(torch.int64)
        elif labels.dim() != logits.dim():
            raise ValueError("For 'SoftmaxCrossEntropyWithLogits' with sparse=False, the 'labels' must have the shape of 'logits' "
                             f"{tuple(logits.shape)}, but got {tuple(labels.shape)}. Use sparse=True for class indices.")
        elif labels.dtype is not logits.dtype:
            labels = labels.to(logits.dtype)
        return torch._C._nn.cross_entropy_loss(logits, labels, None, ("none", "mean", "sum").index(self.reduction), -100, 0.0)


class MSELoss(LossBase):
    """(logits - labels)², reduced."""

    def construct(self, logits: Any, labels: Any) -> Any:
        _check_operands("MSELoss", logits, labels)
        return self.get_loss(torch.square(logits - labels))


class L1Loss(LossBase):
    """|logits - labels|, reduced."""

    def construct(self, logits: Any, labels: Any) -> Any:
        _check_operands("L1Loss", logits, labels)
        return self.get_loss(torch.abs(logits - labels))


def _check_operands(where: str, logits: Any, labels: Any) -> None:
    for name, value in (("logits", logits), ("labels", labels)):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"For '{where}', the '{name}' must be a Tensor, but got {type(value).__name__}.")
