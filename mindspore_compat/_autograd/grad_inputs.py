"""What a forward is differentiated by: its inputs as points of their own, or in PYNATIVE_MODE themselves
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

__all__ = ["CHANGED", "TemporaryLeaf", "as_variable", "is_differentiable", "point", "points", "variable"]

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
    """Whether it is a tensor that can have a gradient."""
    return isinstance(value, torch.Tensor) and (value.dtype.is_floating_point or value.dtype.is_complex)


def as_variable(value: torch.Tensor) -> torch.Tensor:
    """The input itself as a point to differentiate at: a new leaf, or a view where an outer differentiation runs
    through it.
    """
    if value.requires_grad and keeps_graph():
        return wrap(_Base.view_as(value, value))
    variable = wrap(_Base.detach(value)).requires_grad_(True)
    _with_hooks(variable, value)
    return variable


def _with_hooks(variable: torch.Tensor, value: torch.Tensor) -> list[Any]:
    """Give it the hooks that ``value`` was given when it required no gradient."""
    hooks = value.__dict__.get("_input_hooks")
    if not hooks:
        return []
    program.not_repeatable("a Tensor has hooks")
    return [torch.Tensor.register_hook(variable, hook) for hook in hooks.values()]


def point(value: Any) -> Any:
    """An input as a point to differentiate at; of a sparse tensor the values."""
    if isinstance(value, Sparse):
        return value._like(as_variable(value.values))
    return as_variable(value) if is_differentiable(value) else value


def points(args: tuple, wanted: Sequence[int]) -> tuple[tuple, list[torch.Tensor]]:
    """The arguments with points to differentiate at where they are wanted, one for each object; and the tensors that
    are points themselves while they are lent.

    In PYNATIVE_MODE the derivative is by the Tensor as a whole, however it gets into the computation: from two places
    of the arguments, from a list in them, as an attribute of the Cell.
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
    """Context in which tensors that require no gradient do so, with the hooks they were given. `THREAD.lent` are all
    that are lent now: who computes again later lends them again.
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
    """The tensor that a point is differentiated by."""
    return point if isinstance(point, torch.Tensor) or not isinstance(point, Sparse) else point.values
