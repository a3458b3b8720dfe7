"""How a result of torch becomes a `Tensor`: by changing the class of the Python object in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import is_
from typing import Any

import torch

from mindspore_compat._tensor import tracing

__all__ = ["wrap", "giving_tensors", "wrapped_in_trace", "plain", "memory", "unaliased", "byte_view"]

_Plain = torch.Tensor
_is_tracing = tracing.is_tracing
_detach = torch._C.TensorBase.detach
_clone = torch._C.TensorBase.clone
_is_alias_of = torch._C._is_alias_of  # type: ignore[attr-defined]
TENSOR: Any = torch.Tensor  # the real class once common/tensor.py has defined it


def bind(cls: type) -> None:
    """Tell `wrap` which class to give; called once by common/tensor.py."""
    global TENSOR
    TENSOR = cls


def _wrap_traced(result: Any) -> Any:
    """`wrap` while Dynamo traces, which makes containers anew."""
    cls = type(result)  # Dynamo follows this, but not ``__class__``
    if cls is _Plain:
        return wrapped_in_trace(result)
    if cls is TENSOR or (not isinstance(result, tuple) and cls is not list and cls is not dict):
        return result
    if cls is dict:
        return {key: _wrap_traced(item) for key, item in result.items()}
    items = [_wrap_traced(item) for item in result]
    return items if cls is list else tuple(items)


@tracing.traced_as(_wrap_traced)
def wrap(result: Any, _known: dict[int, Any] | None = None) -> Any:
    """``result`` with every plain torch tensor in it (through tuples, lists and dicts) turned into a `Tensor`; itself
    where all that it holds stay the same objects.

    Args:
        _known: what has been made of the lists, tuples and dicts in it, by id: each is walked once, however often they
            share it.
    """
    cls = type(result)
    if cls is _Plain:
        result.__class__ = TENSOR
        return result
    if cls is TENSOR:
        return result
    if not isinstance(result, tuple) and cls is not list and cls is not dict:
        return result
    if _known is None:
        _known = {}
    elif id(result) in _known:
        return _known[id(result)]
    if cls is dict:
        items: Any = {key: wrap(item, _known) for key, item in result.items()}
        is_same = all(map(is_, items.values(), result.values()))
    elif cls is list:
        items = [wrap(item, _known) for item in result]
        is_same = all(map(is_, items, result))
    else:
        items = tuple([wrap(item, _known) for item in result])
        is_same = cls is tuple and all(map(is_, items, result))
    found = _known[id(result)] = result if is_same else items
    return found


def giving_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that computes with torch's tensors, for callers who compute with Tensors: ``super().construct(x)``."""

    @functools.wraps(method)
    def wrapped(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        if type(result) is not _Plain or _is_tracing():
            return wrap(result)
        result.__class__ = TENSOR
        return result

    return wrapped


def wrapped_in_trace(result: torch.Tensor) -> Any:
    """A plain tensor as a `Tensor` while Dynamo traces, which can not follow a change of class; there it costs nothing
    when the program runs.
    """
    tracing.begin()
    return torch.Tensor.as_subclass(result, TENSOR)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """A plain, detached ``torch.Tensor`` on the same storage."""
    return _detach(tensor)


_get_data = torch._C.TensorBase.data.__get__  # type: ignore[attr-defined]


def memory(tensor: torch.Tensor) -> torch.Tensor:
    """As `plain`, but for writing: torch does not count it as a change.

    As upstream, who differentiates a forward that ran before uses the values that are there then, and what a gradient
    does not depend on may change.
    """
    return _detach(tensor) if _is_tracing() else _get_data(tensor)  # Dynamo does not know the attribute on our class


def copied(result: torch.Tensor) -> Any:
    """`wrap` of a copy, with memory for each element: torch has what it repeats as a view of the input."""
    return wrap(torch.clone(result, memory_format=torch.contiguous_format))


def unaliased(target: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """``value``, or a copy of it if it lies in the memory that is to be written to: torch would read there what it has
    just written, or refuse.
    """
    return _clone(value) if not _is_tracing() and _is_alias_of(target, value) else value


def byte_view(data: torch.Tensor) -> torch.Tensor:
    """The elements of a contiguous tensor in memory as flat uint8.

    One element, or none, is contiguous whatever its stride, which torch's ``view`` of another dtype refuses.
    """
    count = data.numel()
    flat = data.as_strided((count,), (1,)) if count < 2 else data.view(-1)
    return flat.view(torch.uint8)
