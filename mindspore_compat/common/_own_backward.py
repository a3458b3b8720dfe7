"""Functions with a derivative of their own. Upstream: a Cell's ``bprop``, and operators that users make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._differentiation import differentiable
from mindspore_compat.common._wrap import wrap

__all__ = ["OwnBackward"]


class OwnBackward(torch.autograd.Function):
    """Computes with one function, differentiates with another: ``bprop(*inputs, out, dout)``, which may be
    differentiated itself.

    ``inputs`` are ``count`` arguments, then Parameters that the function uses.
    """

    @staticmethod
    def forward(ctx: Any, compute: Callable[..., Any], bprop: Callable[..., Any], count: int, *inputs: Any) -> Any:  # type: ignore[override]
        out = compute(*inputs[:count])
        outputs = out if isinstance(out, tuple) else (out,)
        fresh = tuple(
            item.detach().clone() if isinstance(item, torch.Tensor) and any(item is i for i in inputs) else item
            for item in outputs
        )
        tensors = [item for item in (*inputs, *fresh) if isinstance(item, torch.Tensor)]
        ctx.save_for_backward(
            *tensors
        )  # the outputs too, with the way they were made in: bprop may be differentiated through them
        ctx.others = [None if isinstance(item, torch.Tensor) else (item,) for item in (*inputs, *fresh)]
        ctx.bprop, ctx.count, ctx.total, ctx.is_single = bprop, count, len(inputs), not isinstance(out, tuple)
        return fresh[0] if ctx.is_single else fresh

    @staticmethod
    def backward(ctx: Any, *douts: Any) -> Any:
        saved = iter(ctx.saved_tensors)
        items = [next(saved) if other is None else other[0] for other in ctx.others]
        inputs, outputs = items[: ctx.total], items[ctx.total :]
        out, dout = (outputs[0], douts[0]) if ctx.is_single else (tuple(outputs), tuple(douts))
        with differentiable():
            found = ctx.bprop(wrap(inputs[: ctx.count]), wrap(out), wrap(dout))
        return (
            None,
            None,
            None,
            *[
                item if isinstance(given, torch.Tensor) and isinstance(item, torch.Tensor) else None
                for item, given in zip(found, inputs)
            ],
        )
