"""What a Cell may ask for instead of torch's recorded backward pass: its own ``bprop``, or the forward once more."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils.checkpoint import checkpoint

from mindspore_compat.common._differentiation import THREAD, OwnBackward, differentiable

__all__ = ["call_with_bprop", "recompute_block", "recomputed"]


def call_with_bprop(cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """``cell.construct(*args, **kwargs)``, differentiated by ``cell.bprop``; defaults of construct are filled in, as
    bprop takes them all.
    """
    bound = inspect.signature(cell.construct).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise TypeError(
            f"For '{type(cell).__name__}', a Cell with 'bprop' takes positional inputs only, but got "
            f"{sorted(bound.kwargs)}."
        )
    # The parameters go along so that the node is recorded even when no input requires a gradient by itself.
    parameters = [parameter for parameter in cell.get_parameters() if parameter.requires_grad]

    def bprop(inputs: list[Any], out: Any, dout: Any) -> list[Any]:
        found = cell.bprop(*inputs, out, dout)
        by_parameter: dict[Any, Any] = {}
        if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
            found, by_parameter = found
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(inputs):
            raise TypeError(
                f"For '{type(cell).__name__}', the number of gradients that 'bprop' returns must equal the number of "
                f"inputs {len(inputs)}, but got {len(found)}."
            )
        return [*found, *map(by_parameter.get, parameters)]

    return OwnBackward.apply(cell.construct, bprop, len(bound.args), *bound.args, *parameters)


def recomputed(compute: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """``compute(*args, **kwargs)``, run again in the backward pass instead of keeping what it computes in between."""
    scope: Any = differentiable() if THREAD.running else contextlib.nullcontext()
    modes = _get_current_function_mode_stack()

    def run(*args: Any, **kwargs: Any) -> Any:
        with contextlib.ExitStack() as stack:  # the second time too, when the forward around it is over
            stack.enter_context(scope)
            around = _get_current_function_mode_stack()
            for mode in modes:  # casts by operator; torch's checkpoint keeps autocast only
                if not any(mode is other for other in around):
                    stack.enter_context(mode)
            return compute(*args, **kwargs)

    return checkpoint(run, *args, use_reentrant=False, **kwargs)


def recompute_block(block: Callable[..., Any]) -> Callable[..., Any]:
    """A Cell or function, computed again in the backward pass instead of keeping what it computes in between."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return recomputed(block, args, kwargs) if torch.is_grad_enabled() else block(*args, **kwargs)

    return run
