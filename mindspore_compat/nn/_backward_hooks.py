"""Backward hooks of a Cell: a gate for its inputs and one for its outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.forward import is_differentiable
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.common.hook_handle import HookHandle


def handle(made: Any) -> HookHandle:
    made.__class__ = HookHandle
    return made


class BackwardHooks:
    """Backward hooks of one call: a gate for its inputs, and one for its outputs."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell
        self._hooks = list(cell._backward_hooks.values())
        self._pre_hooks = list(cell._backward_pre_hooks.values())
        self._grad_output: tuple = ()
        self._is_waiting = False  # the outputs' gradients are known, the inputs' are not
        self._is_compiled = bool(self._hooks) and in_graph()

    def inputs(self, args: tuple) -> tuple:
        return tuple(_through(self._at_inputs, args, self._is_compiled)) if self._hooks else args

    def outputs(self, output: Any) -> Any:
        if isinstance(output, torch.Tensor):
            return _through(self._at_outputs, [output])[0]
        if isinstance(output, dict):
            return dict(zip(output, _through(self._at_outputs, list(output.values()))))
        if isinstance(output, (tuple, list)):
            passed = _through(self._at_outputs, list(output))
            return type(output)(*passed) if hasattr(output, "_fields") else type(output)(passed)
        return output

    def _at_outputs(self, gradients: tuple) -> tuple:
        for hook in self._pre_hooks:
            gradients = _replaced(gradients, hook(self._cell, gradients), "backward pre hook", "output")
        self._grad_output = gradients
        if self._hooks:
            self._is_waiting = True
            # whether the inputs' gradients are needed shows at the end of the pass
            torch.autograd.Variable._execution_engine.queue_callback(self._at_end)  # type: ignore[attr-defined]
        return gradients

    def _at_inputs(self, gradients: tuple) -> tuple:
        self._is_waiting = False
        for hook in self._hooks:
            found = hook(self._cell, gradients, self._grad_output)
            gradients = _replaced(gradients, found, "backward hook", "grad input")
        return gradients

    def _at_end(self) -> None:
        if self._is_waiting:
            self._at_inputs((None,))
        self._grad_output = ()


def _through(hook: Callable[[tuple], tuple], values: Any, with_zeros: bool = False) -> list[Any]:
    """Pass the values that can have a gradient through a `_Gate`, if there is any. With ``with_zeros``, as in compiled
    code, the hook gets zeros where nothing depends on a value, and their gradients stay what they are without the hook.
    """
    at = [place for place, value in enumerate(values) if isinstance(value, torch.Tensor)]
    passed = list(values)
    if not torch.is_grad_enabled() or not any(values[place].requires_grad for place in at):
        return passed
    differentiable = [is_differentiable(values[place]) for place in at]
    zeros = [
        functools.partial(torch.zeros, value.shape, dtype=value.dtype, device=value.device)
        for value in values
        if with_zeros and is_differentiable(value)
    ]

    def of_all(gradients: tuple) -> tuple:
        shown = [wrap(zero()) if item is None else item for item, zero in zip(gradients, zeros)]
        given = iter(shown if zeros else gradients)
        found = hook(tuple([next(given) if has else None for has in differentiable]))
        changed = [gradient for gradient, has in zip(found, differentiable) if has]
        return tuple([None if zeros and was is None else item for item, was in zip(changed, gradients)])

    places = [place for place, has in zip(at, differentiable) if has]
    for place, value in zip(places, _Gate.apply(of_all, *[values[place] for place in places])):
        passed[place] = wrap(value)
    return passed


class _Gate(torch.autograd.Function):
    """Identity of tensors whose gradients go to ``hook`` together, None for those without."""

    @staticmethod
    def forward(ctx: Any, hook: Callable[[tuple], tuple], *tensors: torch.Tensor) -> Any:  # type: ignore[override]
        ctx.hook = hook
        ctx.set_materialize_grads(False)
        return tuple([tensor.view_as(tensor) for tensor in tensors])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        # autograd's own objects stay plain: compiled code checks their class
        given = tuple([None if gradient is None else wrap(gradient.view_as(gradient)) for gradient in gradients])
        return None, *[_as_plain(found) if isinstance(found, torch.Tensor) else None for found in ctx.hook(given)]


def _as_plain(gradient: torch.Tensor) -> torch.Tensor:
    return torch.Tensor.view_as(gradient, gradient) if gradient.requires_grad else plain(gradient)


def _replaced(gradients: tuple, found: Any, kind: str, what: str) -> tuple:
    """Check and return a hook's result in place of ``gradients``."""
    if found is None:
        return gradients
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(gradients):
        raise TypeError(
            f"The {kind} return value size is {len(found)} not equal to expect {what} size {len(gradients)}"
        )
    name = "hook_backward_grad" if kind == "backward hook" else "hook_backward_pre_grad"
    for given, new in zip(gradients, found):
        if new is None and given is None:
            continue
        if given is not None and (tuple(new.shape) != tuple(given.shape) or new.dtype is not given.dtype):
            raise ValueError(
                f"The output type of function: {name} is not consistent with the expected, it should be Tensor shape:"
                f"{list(given.shape)} {dtype_name(given.dtype)}, but got Tensor shape:{list(new.shape)} "
                f"{dtype_name(new.dtype)}"
            )
    return wrap(found)
