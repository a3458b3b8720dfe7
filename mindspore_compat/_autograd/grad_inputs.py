"""Inputs of a derivative: new autograd leaves, or in PYNATIVE_MODE the Tensors themselves
(docs/design/differentiation.md).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._autograd.recorded import THREAD, keeps_graph
from mindspore_compat._graph.program import program
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.sparse_tensor import Sparse

#: what is said where a forward writes to a point that has a history; torch refuses it where there is none
CHANGED = (
    "A leaf tensor that need grad is being used in an inplace operator: the function writes to its input or to a view "
    "of it. Let it write to a copy."
)
_Base = torch._C.TensorBase
_requires_grad = _Base.requires_grad.__get__  # type: ignore[attr-defined]
_lock = threading.Lock()
#: by how many a tensor is lent now, in all threads, and the handles of its hooks; by id
_lent: dict[int, list[Any]] = {}


def is_differentiable(value: Any) -> bool:
    """Return whether it is a tensor that can have a gradient."""
    return isinstance(value, torch.Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)


def as_variable(value: torch.Tensor) -> torch.Tensor:
    """Return the input as a variable: a new leaf, or a view if an outer differentiation goes through it."""
    if value.requires_grad and keeps_graph():
        return wrap(_Base.view_as(value, value))
    variable = wrap(_Base.detach(value)).requires_grad_(True)
    _with_hooks(variable, value)
    return variable


def _with_hooks(variable: torch.Tensor, value: torch.Tensor) -> list[Any]:
    """Register the hooks of ``value`` that were set while it required no gradient."""
    hooks = value.__dict__.get("_input_hooks")
    if not hooks:
        return []
    program.not_repeatable("a Tensor has hooks")
    return [torch.Tensor.register_hook(variable, hook) for hook in hooks.values()]


def point(value: Any) -> Any:
    """Return an input as a variable of the derivative; of a sparse tensor the values."""
    if isinstance(value, Sparse):
        return value._like(as_variable(value.values))
    return as_variable(value) if is_differentiable(value) else value


def points(args: tuple, wanted: Sequence[int]) -> tuple[tuple, list[torch.Tensor]]:
    """Return the arguments with variables at the wanted places, one for each object, and the tensors that become leaves
    themselves, temporarily.

    In PYNATIVE_MODE the derivative is by the Tensor as a whole, wherever the computation uses it: at two places of the
    arguments, in a list, as an attribute of the Cell.
    """
    made: dict[int, Any] = {}
    lent: list[torch.Tensor] = []
    for position in wanted:
        value = args[position]
        if id(value) in made or any(value is tensor for tensor in lent):
            continue
        if not is_differentiable(value):
            made[id(value)] = point(value)
        elif isinstance(value, torch.nn.Parameter):
            continue  # a frozen one has no gradient
        elif not value.requires_grad or id(value) in _lent:  # by this thread or another
            lent.append(value)
    return tuple([made.get(id(arg), arg) for arg in args]), lent


class TemporaryLeaf:
    """Context in which tensors without a gradient require one, and have their hooks. `THREAD.lent` holds the tensors of
    this thread: a recomputation enters the context again.
    """

    __slots__ = ("_now", "_tensors")

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        self._tensors = tuple(tensors)

    def __enter__(self) -> None:
        with _lock:
            self._now = [tensor for tensor in self._tensors if not _requires_grad(tensor) or id(tensor) in _lent]
            for tensor in self._now:
                if id(tensor) not in _lent:
                    _Base.requires_grad_(tensor, True)
                    _lent[id(tensor)] = [0, _with_hooks(tensor, tensor)]
                _lent[id(tensor)][0] += 1
        THREAD.lent += self._now

    def __exit__(self, *_: Any) -> None:
        with _lock:
            for tensor in self._now:
                _lent[id(tensor)][0] -= 1
                if not _lent[id(tensor)][0]:
                    for handle in _lent.pop(id(tensor))[1]:
                        handle.remove()
                    _Base.requires_grad_(tensor, False)
                THREAD.lent.pop()


def variable(point: Any) -> Any:
    """Return the tensor to differentiate by."""
    return point if isinstance(point, torch.Tensor) or not isinstance(point, Sparse) else point.values
