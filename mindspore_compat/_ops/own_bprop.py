"""Operators of programs that define their own derivative: ``get_bprop``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._tensor.wrapping import wrap


def by_own_bprop(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``call`` of a Primitive with the derivative of its ``get_bprop``: a function of the inputs, the output and
    its gradient.
    """

    @functools.wraps(call)
    def called(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = tree_flatten(args)
        is_recorded = any(isinstance(item, torch.Tensor) and item.requires_grad for item in leaves)
        if kwargs or not is_recorded or not torch.is_grad_enabled():
            return call(self, *args, **kwargs)

        def bprop(leaves: list[Any], out: Any, dout: Any) -> list[Any]:
            inputs = tree_unflatten(leaves, structure)
            found = self.get_bprop()(*inputs, out, dout)
            found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
            if len(found) < len(inputs):
                raise RuntimeError(
                    "The output size of the 'bprop' must match the number of parameters in its corresponding primal "
                    f"function '{self.name}': {len(found)} vs. {len(inputs)}."
                )
            return [item for given, made in zip(inputs, found) for item in _gradients_of(given, made)]

        def compute(*leaves: Any) -> Any:
            return call(self, *tree_unflatten(list(leaves), structure))

        return wrap(own_backward(compute, bprop, len(leaves), *leaves))

    return called


def _gradients_of(given: Any, made: Any) -> list[Any]:
    """Return the gradients of one input's Tensors."""
    count = len(tree_flatten(given)[0])
    found = [None] * count if made is None else tree_flatten(made)[0]
    if len(found) != count:
        raise RuntimeError(f"'bprop' must return gradients like the input with {count} elements, but got {len(found)}.")
    return found


class BpropRegistry:
    """Gradients that programs register for Primitive classes, their own and MindSpore's. A gradient registered for
    ``ops.Sign`` is that of its instances, also of those made before; ``ops.sign`` and methods keep torch's.

    MindSpore: ``mindspore.ops._grad_experimental.grad_base``, before 2.0 ``mindspore.ops._grad.grad_base``.
    """

    def register(self, prim: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator for the ``get_bprop`` of a Primitive class. The last one counts.

        Raises:
            NotImplementedError: for a name in place of a class.
        """
        if isinstance(prim, str):
            raise NotImplementedError(f"For 'bprop_getters', give the class of the operator {prim!r}, not its name.")

        def keep(get_bprop: Callable[..., Any]) -> Callable[..., Any]:
            if not hasattr(prim, "get_bprop"):
                prim.__call__ = by_own_bprop(prim.__call__)
            prim.get_bprop = get_bprop
            return get_bprop

        return keep


bprop_getters = BpropRegistry()
