"""torch.autograd.grad without its check of the seeds' shapes, for which it imports sympy (0.3 s)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.autograd.graph import _engine_run_backward
from torch.overrides import handle_torch_function, has_torch_function

__all__ = ["GRADS", "grad", "run_backward"]


def grad(outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor], *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Return the gradients of ``outputs`` by ``inputs``. Arguments as for torch.autograd.grad; the seeds match."""
    if has_torch_function((*outputs, *inputs)):
        return handle_torch_function(grad, (*outputs, *inputs), outputs, inputs, *args, **kwargs)
    return run_backward(outputs, inputs, *args, **kwargs)


#: what a mode sees where gradients are computed
GRADS = (torch.autograd.grad, grad)


def run_backward(
    outputs: Any,
    inputs: Sequence[torch.Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    **_: Any,
) -> tuple[Any, ...]:
    """Return `grad`, unseen by modes."""
    roots = (outputs,) if isinstance(outputs, torch.Tensor) else tuple(outputs)
    seeds = grad_outputs if isinstance(grad_outputs, (tuple, list)) else [grad_outputs] * len(roots)
    seeds = [torch.ones_like(root) if seed is None else seed for root, seed in zip(roots, seeds)]
    keep = create_graph if retain_graph is None else retain_graph
    return _engine_run_backward(
        roots, tuple(seeds), keep, create_graph, tuple(inputs), bool(allow_unused), accumulate_grad=False
    )
