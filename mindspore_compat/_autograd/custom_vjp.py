"""Functions with a derivative of their own. MindSpore: ``mindspore.ops.function.grad.grad_func.custom_vjp``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mindspore_compat._autograd.custom_backward import own_backward
from mindspore_compat._tensor.wrapping import wrap


class _Custom:
    """Function with the derivative registered by `defbwd`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fwd = fn
        self.bwd: Any = None
        functools.update_wrapper(self, fn)

    def defbwd(self, bwd: Callable[..., Any]) -> None:
        """Register ``bwd(*inputs, out, dout)``, which returns the gradients of the inputs."""
        self.bwd = bwd

    def __call__(self, *inputs: Any) -> Any:
        return wrap(own_backward(self.fwd, self._gradients, len(inputs), *inputs))

    def _gradients(self, inputs: list[Any], out: Any, dout: Any) -> tuple[Any, ...]:
        name = getattr(self.fwd, "__name__", "function")
        found = self.bwd(*inputs, out, dout)
        if not isinstance(found, tuple) or len(found) != len(inputs):
            raise RuntimeError(
                f"For 'custom_vjp', the derivative of {name} must be a tuple with a gradient for each of the "
                f"{len(inputs)} inputs, but got {found!r:.100}."
            )
        return found


def custom_vjp(fn: Any = None) -> Any:
    """Decorate ``fn`` of positional inputs; its ``defbwd`` registers the derivative."""
    return _Custom if fn is None else _Custom(fn)
