"""Gradients of losses as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_plain, check_tensors, checks_places, to_dtype
from mindspore_compat.ops._declare import Int, Typed, plain, primitive
from mindspore_compat.ops.operations._gradient_ops import alike, as_torch, check_shapes, derivative, in_float32

__all__ = """
    BinaryCrossEntropyGrad KLDivLossGrad MultiMarginLossGrad MultilabelMarginLossGrad NLLLossGrad
    SigmoidCrossEntropyWithLogitsGrad SmoothL1LossGrad SoftMarginLossGrad
""".split()

_Run = Callable[..., Any]
_Reduction = Literal["none", "mean", "sum"]


def _of_each(owner: str, dy: Any, like: torch.Tensor, reduction: str) -> torch.Tensor:
    """The gradient of a loss as that of each element's: as it is, or one number for all, divided for "mean"."""
    check_tensors(owner, dout=dy)
    dy = to_dtype(as_torch(dy), like.dtype)
    if reduction == "none":
        check_shapes(owner, x=like, dout=dy)
        return dy
    if dy.numel() != 1:
        raise ValueError(
            f"For '{owner}', the gradient of one number was expected, but got the shape {tuple(dy.shape)}."
        )
    return torch.reshape(dy, (1,) * like.dim()) / (max(like.numel(), 1) if reduction == "mean" else 1)


@primitive
def NLLLossGrad(reduction: _Reduction = "mean", ignore_index: Int = -100) -> _Run:
    """The gradient of `NLLLoss` by logits (n, classes) or (classes,): -weight of the class · the loss's, divided for
    "mean" by ``total_weight``.
    """

    @checks_places("NLLLossGrad", "labels")
    def run(logits: Any, loss_grad: Any, labels: Any, weight: Any, total_weight: Any) -> Any:
        check_tensors("NLLLossGrad", logits=logits, loss_grad=loss_grad, labels=labels, weight=weight)
        if labels.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"For 'NLLLossGrad', 'labels' must be int32 or int64, but got {labels.dtype}.")
        logits, dy, labels, weight = as_torch((logits, loss_grad, labels, weight))
        rows, places = torch.atleast_2d(logits), torch.atleast_1d(labels).long()
        if places.shape != rows.shape[:1] or weight.shape != rows.shape[1:]:
            raise ValueError(
                "For 'NLLLossGrad', the shapes must be (n, classes), (n,) and (classes,), but got "
                f"{tuple(logits.shape)}, {tuple(labels.shape)} and {tuple(weight.shape)}."
            )
        if dy.numel() != (len(places) if reduction == "none" else 1):
            raise ValueError(f"For 'NLLLossGrad', 'loss_grad' has the shape {tuple(dy.shape)} for '{reduction}'.")
        counts = places != ignore_index
        places = torch.where(counts, places, torch.zeros_like(places))
        of_class = torch.gather(weight, 0, places)
        found = torch.where(counts, -of_class * torch.reshape(dy, (-1,)), torch.zeros_like(of_class))
        if reduction == "mean":
            found = found / torch.reshape(as_torch(as_plain(total_weight, like=found)), (-1,))
        found = torch.unsqueeze(to_dtype(found, logits.dtype), 1)
        return wrap(
            torch.reshape(torch.scatter(torch.zeros_like(rows), 1, torch.unsqueeze(places, 1), found), logits.shape)
        )

    return run


@primitive
def BinaryCrossEntropyGrad(reduction: _Reduction = "mean") -> _Run:
    """The gradient of `BinaryCrossEntropy` by shares: weight · (x - y) / (x · (1 - x))."""

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return weight * dy * (x - y) / torch.clamp(x * (1 - x), min=1e-12)

    def run(input: Any, target: Any, grad_output: Any, weight: Any = None) -> Any:
        weight = torch.ones_like(as_torch(input)) if weight is None else weight
        x, y, weight = alike("BinaryCrossEntropyGrad", "f", {"input": input, "target": target, "weight": weight})
        dy = _of_each("BinaryCrossEntropyGrad", grad_output, x, reduction)
        return wrap(in_float32(compute)(x, y, dy, weight))

    return run


@primitive
def SmoothL1LossGrad(beta: Typed[float | int] = 1.0, reduction: _Reduction = "none") -> _Run:
    """The gradient of `SmoothL1Loss` by the prediction: d / beta within beta, else the sign of d."""

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
        d = x - y
        return dy * torch.where(torch.abs(d) < beta, d / beta, torch.sign(d))

    def run(prediction: Any, target: Any, dout: Any) -> Any:
        x, y = alike("SmoothL1LossGrad", "f", {"prediction": prediction, "target": target}, TypeError)
        return wrap(in_float32(compute)(x, y, _of_each("SmoothL1LossGrad", dout, x, reduction)))

    return run


@primitive
def SoftMarginLossGrad(reduction: _Reduction = "mean") -> _Run:
    """The gradient of `SoftMarginLoss` by the prediction: -y / (1 + exp(y · x))."""

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
        return -dy * y * torch.sigmoid(-y * x)

    def run(predict: Any, label: Any, dout: Any) -> Any:
        x, y = alike("SoftMarginLossGrad", "f", {"predict": predict, "label": label})
        return wrap(in_float32(compute)(x, y, _of_each("SoftMarginLossGrad", dout, x, reduction)))

    return run


@primitive
def KLDivLossGrad(reduction: str = "mean") -> _Run:
    """The gradient of `KLDivLoss` by logits: -labels · the loss's; "batchmean" divides by the first axis."""
    check_one_of(reduction, "reduction", ("none", "mean", "batchmean", "sum"), "KLDivLossGrad")

    def run(grads: Any, logits: Any, labels: Any) -> Any:
        x, y = alike("KLDivLossGrad", "f", {"logits": logits, "labels": labels}, TypeError)
        dy = _of_each("KLDivLossGrad", grads, x, reduction)
        if reduction == "batchmean" and x.dim():
            dy = dy / x.shape[0]
        return wrap(-y * dy)

    return run


def _cross_entropy(x: Any, y: Any, dout: Any) -> Any:
    """The gradient of `SigmoidCrossEntropyWithLogits` by logits: (sigmoid(x) - y) · dout."""
    items = alike("SigmoidCrossEntropyWithLogitsGrad", "f", {"x": x, "y": y, "dout": dout}, TypeError)
    return wrap(in_float32(lambda x, y, dy: (torch.sigmoid(x) - y) * dy)(*items))


SigmoidCrossEntropyWithLogitsGrad = plain("SigmoidCrossEntropyWithLogitsGrad", _cross_entropy)


@primitive
def MultiMarginLossGrad(p: Int = 1, margin: float = 1.0, reduction: _Reduction = "mean") -> _Run:
    """The gradient of `MultiMarginLoss` by x."""

    def run(y_grad: Any, x: Any, target: Any, weight: Any = None) -> Any:
        return derivative(lambda x: F.multi_margin_loss(wrap(x), target, p, margin, weight, reduction), x, y_grad)

    return run


@primitive
def MultilabelMarginLossGrad(reduction: _Reduction = "mean") -> _Run:
    """The gradient of `MultilabelMarginLoss` by x; ``is_target``, its second value, is not read."""

    def run(y_grad: Any, x: Any, target: Any, is_target: Any) -> Any:
        return derivative(lambda x: F.multilabel_margin_loss(wrap(x), target, reduction), x, y_grad)

    return run
