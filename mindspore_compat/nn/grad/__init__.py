"""Derivatives of functions as Cells. Upstream: ``mindspore.nn.grad``, replaced by ``ops.jvp`` and ``ops.vjp``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat import ops
from mindspore_compat.nn.cell import Cell

__all__ = ["Jvp", "Vjp"]


class Jvp(Cell):
    """``Jvp(fn)(*inputs, v)``: (outputs, derivative of them along ``v``, a tuple for several inputs)."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        *inputs, v = args
        return ops.jvp(self.fn, tuple(inputs), v)


class Vjp(Cell):
    """``Vjp(fn)(*inputs, v)``: (outputs, gradients of the inputs for gradients ``v`` of the outputs)."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> Any:
        *inputs, v = args
        outputs, pull = ops.vjp(self.fn, *inputs)
        found = pull(v)
        return outputs, found[0] if isinstance(found, tuple) and len(found) == 1 else found
