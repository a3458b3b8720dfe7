"""Backward passes that a Cell asks for in place of torch's: its own ``bprop``, or recomputation."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import _get_current_function_mode_stack
from torch.utils._pytree import tree_flatten, tree_unflatten
from torch.utils.checkpoint import checkpoint

from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._autograd.grad_inputs import TemporaryLeaf
from mindspore_compat._autograd.recorded import THREAD, differentiable
from mindspore_compat._graph.element_stores import assigns_elements
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._graph.program import program
from mindspore_compat._random.rng_state import Repeated
from mindspore_compat._tensor.aliasing import WrittenOnce
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.context import in_jit, is_graph_mode


def call_with_bprop(cell: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Run ``cell.construct(*args, **kwargs)``, differentiated by ``cell.bprop``. Fill in defaults of construct, since
    bprop takes all inputs.
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

    version = in_graph_version if in_graph() else lambda function: function
    leaves, structure = tree_flatten(bound.args)  # autograd needs the Tensors in tuples, lists and dicts, too

    def compute(*leaves: Any) -> Any:
        return version(cell.construct)(*tree_unflatten(leaves, structure))

    def bprop(leaves: list[Any], out: Any, dout: Any) -> list[Any]:
        inputs = tree_unflatten(leaves, structure)
        found, by_parameter = _gradients(cell, version(cell.bprop)(*inputs, out, dout), len(inputs))
        flat = [item for gradient, given in zip(found, inputs) for item in _flat(cell, gradient, given)]
        return [*flat, *map(by_parameter.get, parameters)]

    return own_backward(compute, bprop, len(leaves), *leaves, *parameters)


def _gradients(cell: Any, found: Any, wanted: int) -> tuple[tuple, dict[Any, Any]]:
    """Return the gradients from ``bprop``, one for each input, and those of Parameters. As MindSpore, drop additional
    ones.
    """
    by_parameter: dict[Any, Any] = {}
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], dict):
        found, by_parameter = found
    if found is None or isinstance(found, dict):
        raise TypeError(
            f"For '{type(cell).__name__}', 'bprop' must return a tuple with a gradient for each input, but got "
            f"{type(found).__name__}."
        )
    found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    if len(found) < wanted:
        raise RuntimeError(
            f"The output size of the 'bprop' must match the number of parameters in its corresponding primal function "
            f"'{type(cell).__name__}': {len(found)} vs. {wanted}. Return a gradient (or None) for each input."
        )
    return found[:wanted], by_parameter


def _flat(cell: Any, gradient: Any, given: Any) -> list[Any]:
    """Return the gradients of the Tensors in one input; None stands for zeros."""
    leaves = tree_flatten(given)[0]
    if gradient is None:
        return [None] * len(leaves)
    if len(leaves) == 1:
        while isinstance(gradient, (tuple, list)) and len(gradient) == 1:
            gradient = gradient[0]
        gradients = [gradient]
    else:
        gradients = list(tree_flatten(gradient)[0])
    if len(gradients) != len(leaves):
        raise RuntimeError(
            f"For '{type(cell).__name__}', 'bprop' must return gradients like the input with {len(leaves)} elements, "
            f"but got {len(gradients)}."
        )
    return [_like(cell, item, leaf) for item, leaf in zip(gradients, leaves)]


def _like(cell: Any, gradient: Any, given: Any) -> Any:
    """Return the gradient as a Tensor of the input's shape; a number only for a scalar, or 0."""
    if not isinstance(given, torch.Tensor) or gradient is None or isinstance(gradient, torch.Tensor):
        return gradient
    if isinstance(gradient, (bool, int, float)) and (given.dim() == 0 or gradient == 0):
        return torch.full_like(given, gradient)
    raise RuntimeError(
        f"For grad interface or custom function, grad tensor should be broadcast to expected shape "
        f"{tuple(given.shape)}, but {type(cell).__name__}.bprop returned {gradient!r:.100}. Return a Tensor."
    )


def recomputed(block: Any, compute: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Run ``compute(*args, **kwargs)`` of ``block``, and again in the backward pass instead of saving activations.

    A block that assigns to elements in place saves them: a second run would silently overwrite what torch's checkpoint
    has recomputed.
    """
    if assigns_elements(block, is_graph_mode() or in_jit.depth > 0):
        return compute(*args, **kwargs)
    recorder = program.recorder_here()
    if recorder is not None:
        recorder.recomputes = True
    scope: Any = differentiable() if THREAD.running else contextlib.nullcontext()
    modes, kinds = _get_current_function_mode_stack(), [type(arg) for arg in args]
    draws, lent = Repeated(), TemporaryLeaf(THREAD.lent)
    writes = WrittenOnce() if is_graph_mode() or in_jit.depth > 0 else None

    def run(*args: Any, **kwargs: Any) -> Any:
        with contextlib.ExitStack() as stack:  # the second time too, when the forward around it is over
            stack.enter_context(scope)
            stack.enter_context(draws)
            stack.enter_context(lent)
            if writes is not None:
                stack.enter_context(writes.a_run())
            around = _get_current_function_mode_stack()
            for mode in modes:  # casts by operator; torch's checkpoint keeps autocast only
                if not any(mode is other for other in around):
                    stack.enter_context(mode)
            return compute(*_alike(args, kinds), **kwargs)

    return checkpoint(functools.partial(run, **kwargs), *args, use_reentrant=False)


def _alike(args: tuple, kinds: list[type]) -> list[Any]:
    """Wrap plain tensors again: checkpoint unwraps arguments under hooks of saved tensors."""
    return [arg if type(arg) is kind else wrap(arg) for arg, kind in zip(args, kinds)]


def recompute_block(block: Callable[..., Any]) -> Callable[..., Any]:
    """Return a Cell or function that is recomputed in the backward pass instead of saving activations."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return recomputed(block, block, args, kwargs) if torch.is_grad_enabled() else block(*args, **kwargs)

    return run
