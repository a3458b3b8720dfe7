"""A Cell's own ``bprop`` in place of differentiation."""
from __future__ import annotations

import inspect
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap

__all__ = ["call_with_bprop"]


class _CustomBackward(torch.autograd.Function):
    """Runs a Cell's own ``bprop(*inputs, out, dout)`` in place of differentiation."""

    @staticmethod
    def forward(ctx: Any, cell: Any, count: int, *inputs: Any) -> Any:  # type: ignore[override]
        with torch.no_grad():
            out = cell.construct(*inputs[:count])
        outputs = out if isinstance(out, tuple) else (out,)
        fresh = tuple(item.detach().clone() if isinstance(item, torch.Tensor) and any(item is i for i in inputs) else item for item in outputs)
        ctx.cell, ctx.inputs, ctx.out, ctx.count, ctx.total = cell, inputs, out, count, len(inputs)
        return fresh if isinstance(out, tuple) else fresh[0]

    @staticmethod
    def backward(ctx: Any, *douts: Any) -> Any:
        dout = wrap(tuple(douts)) if isinstance(ctx.out, tuple) else wrap(douts[0])
        with torch.no_grad():
            grads = ctx.cell.bprop(*ctx.inputs[:ctx.count], wrap(ctx.out), dout)
        parameter_grads: Any = ()
        if isinstance(grads, tuple) and len(grads) == 2 and isinstance(grads[1], dict):
            grads, by_parameter = grads
            parameter_grads = tuple(by_parameter.get(parameter) for parameter in ctx.inputs[ctx.count:])
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != ctx.count:
            raise TypeError(f"For '{type(ctx.cell).__name__}', the number of gradients that 'bprop' returns must equal the number of "
                            f"inputs {ctx.count}, but got {len(grads)}.")
        rest = parameter_grads or (None,) * (ctx.total - ctx.count)
        return (None, None, *[g if isinstance(i, torch.Tensor) else None for g, i in zip(grads, ctx.inputs)], *rest)


def call_with_bprop(cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """``cell.construct(*args, **kwargs)``, differentiated by ``cell.bprop``; defaults of construct are filled in, as bprop takes them all."""
    bound = inspect.signature(cell.construct).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(f"For '{type(cell).__name__}', a Cell with 'bprop' takes positional inputs only, but got {sorted(bound.kwargs)}.")
    # The parameters go along so that the node is recorded even when no input requires a gradient by itself.
    parameters = [parameter for parameter in cell.get_parameters() if parameter.requires_grad]
    return _CustomBackward.apply(cell, len(bound.args), *bound.args, *parameters)
