"""Conversion of torch's results to `Tensor`, by changing the class of the Python object in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import is_
from typing import Any

import torch

from mindspore_compat._tensor import tracing

_Plain = torch.Tensor
_is_tracing = tracing.is_tracing
_detach = torch._C.TensorBase.detach
_clone = torch._C.TensorBase.clone
_is_alias_of = torch._C._is_alias_of  # type: ignore[attr-defined]
TENSOR: Any = torch.Tensor  # the real class once common/tensor.py has defined it


def bind(cls: type) -> None:
    """Set the class that `wrap` assigns; called once by common/tensor.py."""
    global TENSOR
    TENSOR = cls


def maker(cls: type) -> Any:
    """Return the function that makes a tuple, list or namedtuple of this class from its items; None for others."""
    return cls if cls in (tuple, list) else getattr(cls, "_make", None) if issubclass(cls, tuple) else None


def _wrap_traced(result: Any) -> Any:
    """Run `wrap` while Dynamo traces; it creates new containers."""
    cls = type(result)  # Dynamo follows this, but not ``__class__``
    if cls is _Plain:
        return wrapped_in_trace(result)
    if cls is TENSOR or (not isinstance(result, tuple) and cls is not list and cls is not dict):
        return result
    if cls is dict:
        return {key: _wrap_traced(item) for key, item in result.items()}
    return (maker(cls) or tuple)([_wrap_traced(item) for item in result])


@tracing.traced_as(_wrap_traced)
def wrap(result: Any, _known: dict[int, Any] | None = None) -> Any:
    """Turn every plain torch tensor in ``result`` (also in tuples, lists and dicts) into a `Tensor`. Return the same
    container if all its items stay the same objects.

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
        make = maker(cls)
        items = (make or tuple)([wrap(item, _known) for item in result])
        is_same = make is not None and all(map(is_, items, result))
    found = _known[id(result)] = result if is_same else items
    return found


def giving_tensors(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method that computes with torch's tensors so that it returns Tensors: ``super().construct(x)``."""

    @functools.wraps(method)
    def wrapped(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        result = method(self, *args, **kwargs)
        if type(result) is not _Plain or _is_tracing():
            return wrap(result)
        result.__class__ = TENSOR
        return result

    return wrapped


def wrapped_in_trace(result: torch.Tensor) -> Any:
    """Return a plain tensor as a `Tensor` while Dynamo traces, which cannot follow a change of class. It costs nothing
    at run time.
    """
    tracing.begin()
    return torch.Tensor.as_subclass(result, TENSOR)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return a plain, detached ``torch.Tensor`` on the same storage."""
    return _detach(tensor)


_get_data = torch._C.TensorBase.data.__get__  # type: ignore[attr-defined]


def memory(tensor: torch.Tensor) -> torch.Tensor:
    """Return it as `plain` does, but for writing: torch does not count the write as a change.

    As in MindSpore, gradients of an earlier forward use the new values, and a value that no gradient needs may change.
    """
    return _detach(tensor) if _is_tracing() else _get_data(tensor)  # Dynamo does not know the attribute on our class


def copied(result: torch.Tensor) -> Any:
    """Return `wrap` of a copy, with memory for each element: torch represents a repetition as a view of the input."""
    return wrap(torch.clone(result, memory_format=torch.contiguous_format))


def unaliased(target: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Return ``value``, or a copy of it if it shares memory with ``target``. torch would refuse the write, or read
    elements that it has just written.
    """
    return _clone(value) if not _is_tracing() and _is_alias_of(target, value) else value


def byte_view(data: torch.Tensor) -> torch.Tensor:
    """Return the elements of a contiguous tensor in memory as flat uint8.

    A tensor of one element or none is contiguous for any stride; torch's ``view`` of another dtype refuses some of
    them.
    """
    count = data.numel()
    flat = data.as_strided((count,), (1,)) if count < 2 else data.view(-1)
    return flat.view(torch.uint8)
