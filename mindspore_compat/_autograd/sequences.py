"""Differentiable inputs: Tensors, and in compiled code tuples, lists and dicts of them, with gradients of the same
structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from mindspore_compat._graph.mode import current
from mindspore_compat._graph.mutable import outer_constants, tensors_in
from mindspore_compat.common.sparse_tensor import Sparse


def is_container(value: Any) -> bool:
    """Return whether it is a tuple, list or dict."""
    return isinstance(value, (tuple, list, dict))


def _like(value: Any, tensors: Iterator[Any], other: Callable[[Any], Any]) -> Any:
    """Return ``value`` with its tensors replaced by the next ones, and its other leaves by ``other`` of them."""
    if isinstance(value, torch.Tensor):
        return next(tensors)
    if isinstance(value, dict):
        return {key: _like(item, tensors, other) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        items = [_like(item, tensors, other) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return other(value)


def _no_gradient(value: Any) -> Any:
    return type(value)() if isinstance(value, (int, float)) else None


def differentiable(inputs: tuple) -> list[bool]:
    """Return for each input whether it has a gradient. Tensors have one, and in compiled code containers with a Tensor
    that changes from call to call. As in MindSpore's compiler, a container from outside without `mutable` has none.
    """
    found = [isinstance(item, (torch.Tensor, Sparse)) for item in inputs]
    if not all(found) and any(map(is_container, inputs)):
        call = current()
        if call.is_graph:
            constants = outer_constants(call.inputs)
            found = [
                of_itself or (is_container(item) and any(id(tensor) not in constants for tensor in tensors_in(item)))
                for of_itself, item in zip(found, inputs)
            ]
    return found


class Spread:
    """Call with its differentiated containers replaced by their Tensors.

    Attributes:
        fn: the function of the Tensors.
        args: the arguments with Tensors in place of their containers.
        wanted: the positions to differentiate by among them.
    """

    def __init__(self, fn: Callable[..., Any], args: tuple, wanted: tuple[int, ...]) -> None:
        self._models = [item if place in wanted and is_container(item) else None for place, item in enumerate(args)]
        self._wanted = wanted
        parts = [tensors_in(item) if model is not None else [item] for item, model in zip(args, self._models)]
        self.args = tuple(part for items in parts for part in items)
        begins = [0]
        for items in parts:
            begins.append(begins[-1] + len(items))
        self.wanted = tuple(index for place in wanted for index in range(begins[place], begins[place + 1]))
        self.fn = lambda *items: fn(*self._together(iter(items), range(len(args)), lambda value: value))

    def _together(self, items: Iterator[Any], places: Any, other: Callable[[Any], Any]) -> list[Any]:
        models = [self._models[place] for place in places]
        return [next(items) if model is None else _like(model, items, other) for model in models]

    def gradients(self, found: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the gradients in the structure of the containers, 0 for their numbers; the rest unchanged."""
        rest = iter(found)
        return (*self._together(rest, self._wanted, _no_gradient), *rest)
