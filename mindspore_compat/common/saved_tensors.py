"""Tensors saved for the backward pass, and the memory of Tensors. MindSpore: ``mindspore.saved_tensors_hooks``,
``frombuffer``, ``swap_tensors``, ``UntypedStorage``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.dtype import to_torch_dtype

__all__ = ["UntypedStorage", "frombuffer", "register_saved_tensors_hooks", "saved_tensors_hooks", "swap_tensors"]

UntypedStorage = torch.UntypedStorage


class saved_tensors_hooks:
    """Context in which operators save ``pack_hook(tensor)`` in place of a tensor for their gradients; the backward pass
    gets it through ``unpack_hook(packed)``.

    Examples:
        >>> def square(x):
        ...     with ms.saved_tensors_hooks(lambda kept: kept.asnumpy(), lambda kept: Tensor(kept)):
        ...         return x * x
        >>> print(ms.grad(square)(Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._entered: list[Any] = []

    def _pack(self, tensor: torch.Tensor) -> Any:
        with torch.no_grad():
            return self.pack_hook(wrap(plain(tensor)))

    def _unpack(self, packed: Any) -> torch.Tensor:
        with torch.no_grad():
            found = self.unpack_hook(packed)
        return plain(found)

    def __enter__(self) -> saved_tensors_hooks:
        program.not_repeatable("it has hooks of saved tensors")
        context = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        context.__enter__()
        self._entered.append(context)
        return self

    def __exit__(self, *error: Any) -> None:
        self._entered.pop().__exit__(*error)


def register_saved_tensors_hooks(
    pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function to run in `saved_tensors_hooks`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)

        return run

    return decorate


def frombuffer(buffer: Any, dtype: Any, count: int = -1, offset: int = 0) -> Any:
    """Return a Tensor of one axis on the memory of ``buffer`` (bytes, bytearray, array, …), from byte ``offset`` on; a
    copy on a device, or if the buffer is read-only.

    Args:
        dtype: of the elements.
        count: how many; -1 is all.

    Raises:
        ValueError: if the buffer does not hold whole elements, or not so many.

    Examples:
        >>> print(ms.frombuffer(bytearray([1, 0, 2, 0]), ms.int16))
        [1 2]
    """
    view = memoryview(buffer)
    taken = bytearray(view) if view.readonly else view
    kind = to_torch_dtype(dtype)
    return wrap(torch.frombuffer(taken, dtype=kind, count=count, offset=offset).to(current_device()))


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange values, shapes, dtypes, classes and names of two Tensors; references to one now find the other.

    Raises:
        RuntimeError: if weak references or a running differentiation hold one.
    """
    torch.utils.swap_tensors(t1, t2)
    program.memory_moved()
