"""Losses: their base, and the common ones. MindSpore: ``mindspore.nn.loss.loss``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._api.validate import check_float_range
from mindspore_compat._numerics import kernels
from mindspore_compat._ops import loss as _loss
from mindspore_compat._ops.adapt import check_same_shape
from mindspore_compat._ops.loss import binary_cross_entropy, check_labels, kl_div, rows_cross_entropy
from mindspore_compat._tensor.indexing import check_indices
from mindspore_compat.nn.loss._base import (  # noqa: F401 - 1.x named the base otherwise
    _CODES,
    _IGNORED,
    _NOWHERE,
    Loss,
    LossBase,
    _Loss,
    reduced,
)

__all__ = [
    "LossBase",
    "L1Loss",
    "L1LossExt",
    "MSELoss",
    "RMSELoss",
    "MAELoss",
    "SmoothL1Loss",
    "HuberLoss",
    "SoftmaxCrossEntropyWithLogits",
    "CrossEntropyLoss",
    "NLLLoss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "KLDivLoss",
    "CTCLoss",
]

_nn = torch._C._nn


class L1Loss(LossBase):
    """|logits - labels|, reduced."""

    def construct(self, logits: Any, labels: Any) -> Any:
        error = torch.abs(torch.sub(logits, labels))
        return reduced(error, self.reduction) if error.dtype.is_floating_point else self.get_loss(error)


class L1LossExt(L1Loss):
    """|logits - labels|, reduced; ``mint.nn.L1Loss``."""


class MSELoss(LossBase):
    """(logits - labels)², reduced."""

    def construct(self, logits: Any, labels: Any) -> Any:
        if (
            isinstance(logits, torch.Tensor)
            and isinstance(labels, torch.Tensor)
            and logits.dtype is labels.dtype is torch.float32
            and tuple(logits.shape) == tuple(labels.shape)
            and self._stock
        ):
            return _nn.mse_loss(logits, labels, _CODES[self._asked])
        return self.get_loss(kernels.square(torch.sub(logits, labels)))


class RMSELoss(LossBase):
    """sqrt of the mean of (logits - label)²."""

    def __init__(self) -> None:
        super().__init__()
        self.MSELoss = MSELoss()  # as in MindSpore's list and print

    def construct(self, logits: Any, label: Any) -> Any:
        error = torch.sub(logits, label)
        return torch.sqrt(self.MSELoss.get_loss(kernels.square(error)))


class MAELoss(LossBase):
    """|logits - label|, reduced."""

    def construct(self, logits: Any, label: Any) -> Any:
        return self.get_loss(torch.abs(torch.sub(logits, label)))


class SmoothL1Loss(LossBase):
    """0.5·d² / beta where d = |logits - labels| < beta, else d - 0.5·beta; not reduced by default."""

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = self._beta = float(beta)
        self._code = _CODES[reduction]  # as MindSpore's, it keeps these

    def construct(self, logits: Any, labels: Any) -> Any:
        check_same_shape("SmoothL1Loss", logits=logits, labels=labels)
        return _nn.smooth_l1_loss(logits, labels, self._code, self._beta)


class HuberLoss(LossBase):
    """0.5·d² where d = |logits - labels| < delta, else delta·(d - 0.5·delta), reduced."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = float(delta)

    def construct(self, logits: Any, labels: Any) -> Any:
        error = torch.sub(logits, labels)
        return _nn.huber_loss(error, torch.zeros_like(error), _CODES[self.reduction], self.delta)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of softmax(logits) (N, C) with labels: class indices (N,) if ``sparse``, else distributions (N, C).

    A class index out of range has loss 0, but is an error with reduction "mean", as in MindSpore. The derivative by the
    logits is softmax - labels, also of such rows and of labels that do not sum to 1; by the labels it is 0. ``is_grad``
    and ``num_classes`` are 1.0's, without effect.

    Examples:
        >>> loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> print(loss(Tensor([[0.0, 0.0]]), Tensor([1], ms.int32)))
        0.6931472
    """

    def __init__(
        self, sparse: bool = False, reduction: str = "none", *, is_grad: bool = False, num_classes: int | None = None
    ) -> None:
        super().__init__(reduction)
        self.sparse = sparse

    def construct(self, logits: Any, labels: Any) -> Any:
        if self.sparse:
            check_indices(labels)
            if labels.shape != logits.shape[:-1]:
                raise ValueError(
                    f"With sparse=True, the labels must be class indices of shape {tuple(logits.shape[:-1])}, but got "
                    f"{tuple(labels.shape)}. Use sparse=False for one-hot labels."
                )
            if self.reduction == "mean":  # of its own operator; else the initial setting
                if logits.dim() != 2:
                    logits, labels = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
                return _nn.cross_entropy_loss(logits, labels.to(torch.int64), None, _CODES["mean"], _NOWHERE, 0.0)
            classes = torch.arange(logits.shape[-1], device=labels.device)
            labels = (labels.unsqueeze(-1) == classes).to(logits.dtype)  # a row of zeros for a class out of range
        check_same_shape("SoftmaxCrossEntropyWithLogits", logits=logits, labels=labels)
        rows = rows_cross_entropy(logits, labels.to(logits.dtype))
        return reduced(rows, self._asked) if self._stock else self.get_loss(rows)


class CrossEntropyLoss(LossBase):
    """Cross entropy of softmax(logits) (N, C, ...) with class indices (N, ...) or distributions (N, C, ...)."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = check_float_range(label_smoothing, "label_smoothing", "CrossEntropyLoss", 0.0, 1.0)
        self.weight = weight

    def construct(self, logits: Any, labels: Any) -> Any:
        same = logits.dim() == labels.dim()
        if not same:
            check_indices(labels)
        fitting = tuple(logits.shape) if same else (*logits.shape[:1], *logits.shape[2:]) if logits.dim() > 1 else ()
        if tuple(labels.shape) != fitting:
            raise ValueError(
                "For 'CrossEntropyLoss', 'logits' must have shape (N, C, ...) and 'labels' (N, ...) for class indices "
                f"or (N, C, ...) for probabilities, but got {tuple(logits.shape)} and {tuple(labels.shape)}."
            )
        logits, weight = _with_weight(logits, self.weight)
        labels = labels.to(logits.dtype if same else torch.int64)
        ignored = -100 if same else self.ignore_index  # a class: probabilities have none
        if weight is not None and weight.requires_grad:
            return _loss.cross_entropy(logits, labels, weight, ignored, self.reduction, self.label_smoothing)
        return _nn.cross_entropy_loss(logits, labels, weight, _CODES[self.reduction], ignored, self.label_smoothing)


def _with_weight(logits: Any, weight: Any) -> tuple[Any, Any]:
    """Return both in the wider type, as MindSpore: the loss of float16 logits and float32 weights is float32."""
    if weight is None or weight.dtype is logits.dtype:
        return logits, weight
    common = torch.promote_types(logits.dtype, weight.dtype)
    return logits.to(common), weight.to(common)


class NLLLoss(LossBase):
    """-logits[label] of log probabilities (N, C, ...) and class indices (N, ...), weighted by class."""

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.ignore_index = ignore_index
        self.weight = weight

    def construct(self, logits: Any, labels: Any) -> Any:
        return _loss.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(LossBase):
    """-(y·log x + (1 - y)·log(1 - x)) of probabilities x and labels y, times ``weight``, reduced."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Any, labels: Any) -> Any:
        check_same_shape("BCELoss", logits=logits, labels=labels)
        weight = None if self.weight is None else self.weight.to(torch.float32)
        loss = binary_cross_entropy(logits.to(torch.float32), labels.to(torch.float32), weight, self.reduction)
        return loss.to(logits.dtype)


class BCEWithLogitsLoss(LossBase):
    """`BCELoss` of sigmoid(logits), computed stably; ``pos_weight`` weighs the positive labels."""

    def __init__(self, reduction: str = "mean", weight: Any = None, pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    @renamed_args(predict="input", logits="input", labels="target")
    def construct(self, input: Any, target: Any) -> Any:
        check_same_shape("BCEWithLogitsLoss", input=input, target=target)
        return torch.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, _CODES[self.reduction]
        )


class KLDivLoss(LossBase):
    """labels·(log labels - logits) of log probabilities; "batchmean" divides the sum by the batch size, "mean" by all
    elements.
    """

    _reductions = ("mean", "sum", "none", "batchmean")

    def construct(self, logits: Any, labels: Any) -> Any:
        return kl_div(logits, labels, self.reduction)


class CTCLoss(LossBase):
    """Connectionist temporal classification of log probabilities (T, N, C) or (T, C); "mean" first divides by the
    target lengths.
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def construct(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        alone = log_probs.dim() == 2
        if alone:
            log_probs, targets = torch.unsqueeze(log_probs, 1), torch.reshape(targets, (1, -1))
        lengths = [
            torch.reshape(torch.as_tensor(item), (-1,)).to("cpu", torch.int64)
            for item in (input_lengths, target_lengths)
        ]
        targets = check_labels(targets, lengths[1], log_probs.shape[-1])
        losses = torch.ctc_loss(log_probs, targets, *lengths, self.blank, _CODES["none"], self.zero_infinity)
        if self.reduction == "mean":  # torch's own fails for lengths on the CPU where operators are recorded
            counts = torch.reshape(torch.as_tensor(target_lengths), (-1,)).to(losses.device, losses.dtype)
            return torch.mean(losses / torch.clamp(counts, min=1))
        if self.reduction == "sum":
            return torch.sum(losses)
        return torch.squeeze(losses, 0) if alone else losses


#: MindSpore has all losses in this file
__getattr__ = module_getattr(
    __name__, dict.fromkeys(["_check_is_tensor", "_check_label_dtype"], "_legacy.loss_checks"), fallback="nn.loss"
)
