"""Operators on uint16, uint32 and uint64 for which torch has no kernels: they compute in int64, and what they give is
of the unsigned dtype again. Asked only after torch has refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

__all__ = ["lacks_kernel", "retried"]

_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
#: operators that give places or counts, and those that give them beside values
_PLACES = ("argmax", "argmin", "argsort", "nonzero", "searchsorted", "bincount", "count_nonzero")
_WITH_PLACES = ("max", "min", "sort", "topk", "cummax", "cummin", "median", "mode", "kthvalue", "unique")


def lacks_kernel(error: Exception) -> bool:
    """Whether torch says that it has no kernel for an unsigned dtype."""
    return any(f"not implemented for 'UInt{bits}'" in str(error) for bits in (16, 32, 64))


def retried(
    error: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> Any:
    """What the function gives where operators without a kernel compute in int64.

    Raises:
        error: where that is not why torch refused, or numbers of 2**63 and more are there.
    """
    if not lacks_kernel(error):
        raise error
    with _Wide(error):
        return function(*args, **(kwargs or {}))


class _Wide(TorchFunctionMode):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        try:
            return func(*args, **kwargs)
        except (RuntimeError, TypeError) as error:
            if not lacks_kernel(error) and "Promotion for uint16" not in str(error):
                raise
        name = getattr(func, "__name__", "").strip("_")
        unsigned = [leaf.dtype for leaf in tree_leaves((args, kwargs)) if _is_unsigned(leaf)]
        if not unsigned or (getattr(func, "__name__", "").endswith("_") and not func.__name__.endswith("__")):
            raise self._error
        dtype = max(unsigned, key=lambda item: item.itemsize)
        result = func(*tree_map(self._widened, args), **tree_map(self._widened, kwargs))
        if any(name.startswith(item) for item in _PLACES):
            return result
        if name in _WITH_PLACES and isinstance(result, tuple):
            return (_narrowed(result[0], dtype), *result[1:])
        return tree_map(lambda item: _narrowed(item, dtype), result)

    def _widened(self, value: Any) -> Any:
        if not _is_unsigned(value):
            return value
        wide = value.to(torch.int64)
        if value.dtype is torch.uint64 and bool(torch.any(wide < 0)):
            raise self._error
        return wide


def _is_unsigned(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _UNSIGNED


def _narrowed(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if isinstance(value, torch.Tensor) and value.dtype is torch.int64 else value
