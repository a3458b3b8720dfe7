"""Functions with a derivative of their own. MindSpore: ``mindspore.common._grad_function``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.recorded import differentiable
from mindspore_compat._tensor.wrapping import wrap


class _Context:
    """torch's context of one call, with Tensors as its tensors."""

    def __init__(self, context: Any) -> None:
        object.__setattr__(self, "_context", context)

    def __getattr__(self, name: str) -> Any:
        return wrap(getattr(self._context, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._context, name, value)


def _noting(compute: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``forward`` that also notes in the context which inputs are Tensors."""

    @functools.wraps(compute)
    def forward(ctx: Any, *inputs: Any) -> Any:
        ctx.are_tensors = [isinstance(item, torch.Tensor) for item in inputs]
        return compute(ctx, *inputs)

    return forward


def _checked(found: Any, needed: tuple[bool, ...], are_tensors: list[bool]) -> tuple:
    """Return the gradients from ``backward``, one for each input."""
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(needed):
        raise RuntimeError(
            f"Function backward return a wrong number of gradients, expect: {len(needed)}, but got: {len(found)}."
        )
    for gradient, is_tensor in zip(found, are_tensors):
        if gradient is not None and not isinstance(gradient, torch.Tensor):
            raise RuntimeError(f"Gradient should be none or tensor, but got: {type(gradient).__name__}.")
        if gradient is not None and not is_tensor:
            raise RuntimeError("Input is not tensor, but gradient is not none.")
    return found


class _Function(torch.autograd.Function):
    """torch's ``autograd.Function`` on Tensors. Subclasses define static ``forward(ctx, *inputs)`` and ``backward(ctx,
    *gradients)``; callers use ``apply(*inputs)``.

    ``ctx`` has `save_for_backward`, ``saved_tensors``, ``needs_input_grad``, ``mark_dirty``,
    ``mark_non_differentiable`` and ``set_materialize_grads``.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        forward, own = cls.__dict__.get("forward"), cls.__dict__.get("backward")
        if forward is not None:
            cls.forward = staticmethod(_noting(forward.__func__ if isinstance(forward, staticmethod) else forward))
        if own is None:
            return
        compute = own.__func__ if isinstance(own, staticmethod) else own

        def backward(ctx: Any, *gradients: Any) -> Any:
            with differentiable():
                found = compute(_Context(ctx), *wrap(gradients))
            return _checked(found, ctx.needs_input_grad, ctx.are_tensors)

        cls.backward = staticmethod(backward)

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the result of ``forward``, differentiated by ``backward``."""
        return wrap(super().apply(*args, **kwargs))
