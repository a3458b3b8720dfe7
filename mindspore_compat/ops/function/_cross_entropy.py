"""Cross entropies with MindSpore's derivatives, other than torch's. Parts of ``mindspore.ops.function.nn_func``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["BinaryCrossEntropy", "rows_cross_entropy"]

_LEAST = 1e-12  # of a probability


def _with_signature(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Cache the signature: torch computes it at each call with a ``setup_context``, which takes 60 us."""
    forward.__signature__ = inspect.signature(forward)  # type: ignore[attr-defined]
    return forward


class BinaryCrossEntropy(torch.autograd.Function):
    """-(y log p + (1 - y) log(1 - p)) with MindSpore's guards. 1e-12 is added in the logarithms. p (1 - p) is at least
    1e-12 in the derivative by p; the derivative by y has no guard.
    """

    only_operators = True  # its backward reads no values in Python
    generate_vmap_rule = True

    @staticmethod
    @_with_signature
    def forward(p: Any, y: Any) -> Any:  # type: ignore[override]
        return -(y * torch.log(p + _LEAST) + (1 - y) * torch.log(1 - p + _LEAST))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # type: ignore[override]
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        p, y = ctx.saved_tensors
        by_p, by_y = ctx.needs_input_grad
        return (
            grad * (p - y) / torch.clamp(p * (1 - p), min=_LEAST) if by_p else None,
            grad * (torch.log1p(-p) - torch.log(p)) if by_y else None,
        )


class _SoftmaxCrossEntropy(torch.autograd.Function):
    """-Σ y log softmax(x) with MindSpore's derivatives: softmax(x) - y by x, also where y does not sum to 1 (rows
    without a class, with two); 0 by y.
    """

    only_operators = True
    generate_vmap_rule = True

    @staticmethod
    @_with_signature
    def forward(x: Any, y: Any) -> Any:  # type: ignore[override]
        return -torch.sum(y * torch.log_softmax(x, -1), -1)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:  # type: ignore[override]
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        x, y = ctx.saved_tensors
        return (torch.softmax(x, -1) - y) * grad.unsqueeze(-1), None


def rows_cross_entropy(logits: Any, labels: Any) -> Any:
    """Return the loss of each row against its labels, as `_SoftmaxCrossEntropy`; 16-bit numbers are rounded once, as in
    MindSpore.
    """
    labels = labels.detach()
    is_recorded = logits.requires_grad and torch.is_grad_enabled()
    of = _SoftmaxCrossEntropy.apply if is_recorded else _SoftmaxCrossEntropy.forward
    if logits.dtype in (torch.float16, torch.bfloat16):
        return of(logits.float(), labels.float()).to(logits.dtype)
    return of(logits, labels)
