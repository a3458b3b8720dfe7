"""Derivatives of functions as Cells. MindSpore: ``mindspore.nn.grad``, replaced by ``ops.jvp`` and ``ops.vjp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat._ops.grad_func import jvp, vjp
from mindspore_compat.nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


class _Derivative(Cell):
    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn


class Jvp(_Derivative):
    """``Jvp(fn)(*inputs, v)``: (outputs, derivative of them along ``v``, a tuple for several inputs)."""

    def construct(self, *args: Any) -> Any:
        *inputs, v = args
        _check_number("Jvp", v, len(inputs))
        return jvp(self.fn, tuple(inputs), v)


class Vjp(_Derivative):
    """``Vjp(fn)(*inputs, v)``: (outputs, gradients of the inputs for gradients ``v`` of the outputs)."""

    def construct(self, *args: Any) -> Any:
        *inputs, v = args
        outputs, pull = vjp(self.fn, *inputs)
        _check_number("Vjp", v, len(outputs) if isinstance(outputs, tuple) else 1)
        found = pull(v)
        return outputs, found[0] if isinstance(found, tuple) and len(found) == 1 else found


def _check_number(owner: str, v: Any, number: int) -> None:
    """Check that ``v`` is a Tensor, or a tuple of at least two."""
    count = len(v) if isinstance(v, tuple) else 1
    if count != number or (isinstance(v, tuple) and count == 1):
        raise TypeError(f"For '{owner}', 'v' must have {number} Tensors (one without a tuple), but got {count}.")
