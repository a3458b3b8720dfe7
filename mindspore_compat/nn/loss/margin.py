"""Losses with margins and further ones. MindSpore: ``mindspore.nn.loss.loss``."""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._api.validate import check_float_range
from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.adapt import check_same_shape
from mindspore_compat._ops.loss import multi_margin_loss, soft_margin_loss
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat.nn.loss.loss import _CODES, LossBase, reduced

__all__ = [
    "MarginRankingLoss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "PoissonNLLLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
]

_nn = torch._C._nn


class MarginRankingLoss(LossBase):
    """max(-target·(input1 - input2) + margin, 0), reduced."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1: Any, input2: Any, target: Any) -> Any:  # type: ignore[override]
        return reduced(subgradients.clamp(self.margin - target * (input1 - input2), min=0), self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-labels·logits)), reduced; labels are 1 and -1."""

    def construct(self, logits: Any, labels: Any) -> Any:
        return soft_margin_loss(logits, labels, self.reduction)


class TripletMarginLoss(LossBase):
    """max(d(x, positive) - d(x, negative) + margin, 0), reduced, with the p-norm distance of (N, D)."""

    def __init__(
        self, p: float = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.eps, self.margin = p, eps, margin
        self.swap = swap

    def construct(self, x: Any, positive: Any, negative: Any, margin: float = 1.0) -> Any:  # type: ignore[override]
        margin = self.margin if self.margin != 1.0 else margin
        return torch.triplet_margin_loss(
            x, positive, negative, float(margin), self.p, self.eps, self.swap, _CODES[self.reduction]
        )


class TripletMarginWithDistanceLoss(LossBase):
    """max(d(x, positive) - d(x, negative) + margin, 0), reduced, with ``distance_function`` (default: the L2 norm over
    axis 1).
    """

    def __init__(
        self, distance_function: Any = None, swap: bool = False, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.margin = margin
        self.swap = swap
        self.distance_function = _euclidean if distance_function is None else distance_function

    def construct(self, x: Any, positive: Any, negative: Any) -> Any:  # type: ignore[override]
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = torch.minimum(far, self.distance_function(positive, negative))
        return self.get_loss(subgradients.clamp(torch.add(torch.sub(near, far), self.margin), min=0.0))


def _euclidean(x: Any, y: Any) -> Any:
    return kernels.vector_norm(torch.sub(x, y), dim=1)


class PoissonNLLLoss(LossBase):
    """exp(input) - target·input, or input - target·log(input + eps) without ``log_input``; ``full`` adds Stirling's
    term for targets > 1.
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def construct(self, input: Any, target: Any) -> Any:
        target = target.to(input.dtype)
        loss = torch.exp(input) - target * input if self.log_input else input - target * torch.log(input + self.eps)
        if self.full:
            safe = subgradients.clamp(target, min=self.eps)
            term = (safe + 0.5) * torch.log(safe) - safe + 0.5 * math.log(2 * math.pi)
            loss = loss + torch.where(safe > 1, term, torch.zeros_like(term))
        return self.get_loss(loss)


class MultiLabelSoftMarginLoss(LossBase):
    """Mean over classes of the logistic loss of x (N, C) with 0/1 targets, times ``weight``, reduced."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Any, target: Any) -> Any:
        loss = torch.binary_cross_entropy_with_logits(x, target.to(x.dtype), self.weight, None, 0)
        return reduced(torch.mean(loss, -1), self.reduction)


class MultiMarginLoss(LossBase):
    """Mean over the other classes of max(margin - x[target] + x, 0) ** p: x (N, C), target (N,)."""

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Any = None) -> None:
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x: Any, target: Any, weight: Any = None) -> Any:  # type: ignore[override]
        weight = weight if self.weight is None else self.weight
        return multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Margins between the target classes (first in each row, then -1) and all others: x, target (N, C) or (C,)."""

    def construct(self, x: Any, target: Any) -> Any:
        if is_tracing():  # torch 2.13's decomposition of it for compilers gives other values
            return not_traced(_nn.multilabel_margin_loss, x, target.to(torch.int64), _CODES[self.reduction])
        return _nn.multilabel_margin_loss(x, target.to(torch.int64), _CODES[self.reduction])


class CosineEmbeddingLoss(LossBase):
    """1 - cos for labels 1, max(cos - margin, 0) for labels -1, reduced: inputs (N, D), labels (N,)."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = check_float_range(margin, "margin", "CosineEmbeddingLoss", -1.0, 1.0)

    def construct(self, logits_x1: Any, logits_x2: Any, labels: Any) -> Any:  # type: ignore[override]
        check_same_shape("CosineEmbeddingLoss", logits_x1=logits_x1, logits_x2=logits_x2)
        norms = [torch.sqrt(torch.sum(kernels.square(item), 1)) for item in (logits_x1, logits_x2)]
        cosine = torch.div(torch.sum(torch.mul(logits_x1, logits_x2), 1), torch.mul(*norms))
        zeros = torch.zeros_like(cosine)
        loss = torch.where(torch.eq(labels, 1), 1.0 - cosine, zeros)
        return self.get_loss(
            loss + torch.where(torch.eq(labels, -1), subgradients.clamp(cosine - self.margin, min=0.0), zeros)
        )


class GaussianNLLLoss(LossBase):
    """0.5·(log v + (logits - labels)² / v), where v = max(var, eps); ``full`` adds the constant."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = full
        self.eps = check_float_range(eps, "eps", "GaussianNLLLoss", 0.0, math.inf, (False, False))

    def construct(self, logits: Any, labels: Any, var: Any) -> Any:  # type: ignore[override]
        if tuple(var.shape) == tuple(logits.shape[:-1]):
            var = torch.unsqueeze(var, -1)
        var = subgradients.clamp(var, min=self.eps)
        loss = 0.5 * (torch.log(var) + kernels.square(logits - labels) / var)
        return reduced(loss + 0.5 * math.log(2 * math.pi) if self.full else loss, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """logits for labels 1, max(margin - logits, 0) for labels -1, reduced."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits: Any, labels: Any) -> Any:
        zeros = torch.zeros_like(logits)
        loss = torch.where(labels > 0, logits, zeros) + torch.where(
            labels < 0, torch.maximum(self.margin - logits, zeros), zeros
        )
        return reduced(loss, self.reduction)
