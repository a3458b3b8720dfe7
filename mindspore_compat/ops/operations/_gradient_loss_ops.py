"""Gradients of losses as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_plain, check_tensors, checks_places, to_dtype
from mindspore_compat.ops._declare import Int, Typed, declared, primitive, row
from mindspore_compat.ops.operations._gradient_ops import alike, as_torch, check_shapes, in_float32

__all__ = """
    BinaryCrossEntropyGrad KLDivLossGrad NLLLossGrad
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


def _loss(owner: str, kinds: str, compute: _Run, inputs: str, doc: str, **attributes: Any) -> Any:
    """A row: ``compute(x, y, dy, attributes)`` over the named inputs ``@x``, ``@y`` and the gradient ``*dy``."""
    names = inputs.replace("@", "").replace("*", "").split()
    first, second = (word[1:] for word in inputs.split() if word[0] == "@")
    along = next(word[1:] for word in inputs.split() if word[0] == "*")

    def run(*args: Any, **given: Any) -> Any:
        tensors = dict(zip(names, args, strict=True))
        x, y = alike(owner, kinds, {first: tensors[first], second: tensors[second]})
        dy = _of_each(owner, tensors[along], x, given["reduction"])
        return wrap(in_float32(lambda x, y, dy: compute(x, y, dy, given))(x, y, dy))

    parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in attributes]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return row(run, doc, **attributes)


def _smooth(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    d = x - y
    return dy * torch.where(torch.abs(d) < given["beta"], d / given["beta"], torch.sign(d))


def _divergence(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, given: dict[str, Any]) -> torch.Tensor:
    return -y * (dy / x.shape[0] if given["reduction"] == "batchmean" and x.dim() else dy)


def _binary(input: Any, target: Any, grad_output: Any, weight: Any = None, reduction: str = "mean") -> Any:
    owner, weight = "BinaryCrossEntropyGrad", torch.ones_like(as_torch(input)) if weight is None else weight
    x, y, weight = alike(owner, "f", {"input": input, "target": target, "weight": weight})
    dy = _of_each(owner, grad_output, x, reduction)
    return wrap(
        in_float32(lambda x, y, dy, weight: weight * dy * (x - y) / torch.clamp(x * (1 - x), min=1e-12))(
            x, y, dy, weight
        )
    )


def _cross_entropy(x: Any, y: Any, dout: Any) -> Any:
    """The gradient of `SigmoidCrossEntropyWithLogits` by logits: (sigmoid(x) - y) · dout."""
    items = alike("SigmoidCrossEntropyWithLogitsGrad", "f=", {"x": x, "y": y, "dout": dout})
    return wrap(in_float32(lambda x, y, dy: (torch.sigmoid(x) - y) * dy)(*items))


globals().update(
    declared(
        {
            "SigmoidCrossEntropyWithLogitsGrad": _cross_entropy,
            "BinaryCrossEntropyGrad": row(
                _binary, "The gradient of `BinaryCrossEntropy` by shares: weight · (x - y) / (x · (1 - x)).",
                reduction=(_Reduction, "mean"),
            ),
            "SmoothL1LossGrad": _loss(
                "SmoothL1LossGrad", "f=", _smooth, "@prediction @target *dout",
                "The gradient of `SmoothL1Loss` by the prediction: d / beta within beta, else the sign of d.",
                beta=(Typed[float | int], 1.0), reduction=(_Reduction, "none"),  # type: ignore[misc]
            ),
            "SoftMarginLossGrad": _loss(
                "SoftMarginLossGrad", "f", lambda x, y, dy, given: -dy * y * torch.sigmoid(-y * x),
                "@predict @label *dout",
                "The gradient of `SoftMarginLoss` by the prediction: -y / (1 + exp(y · x)).",
                reduction=(_Reduction, "mean"),
            ),
            "KLDivLossGrad": _loss(
                "KLDivLossGrad", "f=", _divergence, "*grads @logits @labels",
                'The gradient of `KLDivLoss` by logits: -labels · the loss\'s; "batchmean" divides by the first axis.',
                reduction=(Literal["none", "mean", "batchmean", "sum"], "mean"),
            ),
        },
        __name__,
    )
)  # fmt: skip
