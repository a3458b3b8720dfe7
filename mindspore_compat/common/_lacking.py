"""Operators on uint16, uint32, uint64, bool, 16-bit floats and, of images, integers, for which torch has no kernels and
upstream has: they compute in int64, float32 or float64, and what they give is of the dtype again. Asked only after
torch has refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

from mindspore_compat.common._refusals import refused

__all__ = ["UNSIGNED", "lacks_kernel", "retried"]

UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
#: operators that give places or counts, and those that give them beside values
_PLACES = ("argmax", "argmin", "argsort", "nonzero", "searchsorted", "bincount", "count_nonzero")
#: operators whose lowest 64 bits do not depend on what the highest one means
_MODULAR = frozenset(
    """
    add sub rsub mul neg negative bitwise_not invert bitwise_and bitwise_or bitwise_xor sum cumsum matmul mm bmm mv
    addmm baddbmm index_select gather index_put index_add scatter scatter_add where cat stack
    """.split()
)
#: operators that ask for nothing but the order of numbers
_ORDERED = ("amax", "amin", "scatter_reduce")
#: operators that upstream computes of bools as of the numbers 0 and 1: what is not 0 of the result is True
_OF_BOOLS = frozenset("abs trunc fix sub subtract div floor_divide fmod remainder relu clamp_min".split())
_ABOUT_BOOLS = re.compile("not implemented for 'Bool'|[bB]ool(ean inputs not supported| tensors? is not supported)")
_ABOUT_HALVES = re.compile(
    "not implemented for '(Half|BFloat16)'|Low precision dtypes not supported|Unsupported dtype (Half|BFloat16)|"
    "doesn't handle types other than float and double"
)
_OF_BITS = re.compile('"(bitwise|[lr]shift)')  # which floats have in no precision
_HALVES = (torch.float16, torch.bfloat16)
_ABOUT_INTEGERS = re.compile(r"not implemented for '(Int|Long|Short|Char|Byte)'|mean\(\): could not infer output dtype")
#: operators of images that move numbers, or average them and cut what comes out
_OF_INTEGERS = frozenset(
    """
    unfold im2col interpolate upsample_nearest1d upsample_nearest2d upsample_nearest3d max_unpool1d max_unpool2d
    max_unpool3d adaptive_avg_pool3d round hardsigmoid hardswish frac
    """.split()
)
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
_WITH_PLACES = ("max", "min", "sort", "topk", "cummax", "cummin", "median", "mode", "kthvalue", "unique")


def lacks_kernel(error: Exception) -> bool:
    """Whether torch says that it has no kernel for an unsigned dtype, bools, 16-bit floats or integers."""
    return (
        any(f"not implemented for 'UInt{bits}'" in str(error) for bits in (16, 32, 64))
        or _is_of_bools(error)
        or _is_of_halves(error)
        or _is_of_integers(error)
    )


def _is_of_integers(error: Exception) -> bool:
    return _ABOUT_INTEGERS.search(str(error)) is not None


def _is_of_halves(error: Exception) -> bool:
    text = str(error)
    return _ABOUT_HALVES.search(text) is not None and not _OF_BITS.search(text)


def _is_of_bools(error: Exception) -> bool:
    return _ABOUT_BOOLS.search(str(error)) is not None


def retried(
    error: Exception, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> Any:
    """What the function gives where operators without a kernel compute in a wider dtype.

    Raises:
        error: where that is not why torch refused.
        DtypeError: where numbers of 2**63 and more are there, or upstream does not compute with bools either.
    """
    if not lacks_kernel(error):
        raise error
    with _Wide(refused(error)):
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
            refusal = error
        name = getattr(func, "__name__", "").strip("_")
        if _is_of_halves(refusal):
            return self._in_floats(func, args, kwargs, _HALVES, torch.float32)
        if _is_of_integers(refusal):
            if name not in _OF_INTEGERS:
                raise self._error
            return self._in_floats(func, args, kwargs, _INTEGERS, torch.float64)
        if _is_of_bools(refusal):
            if name not in _OF_BOOLS or func.__name__ == name + "_" or kwargs.get("out") is not None:
                raise self._error
            return _of_bools(func, args, kwargs)
        unsigned = [leaf.dtype for leaf in tree_leaves((args, kwargs)) if _is_unsigned(leaf)]
        if not unsigned or (getattr(func, "__name__", "").endswith("_") and not func.__name__.endswith("__")):
            raise self._error
        dtype = max(unsigned, key=lambda item: item.itemsize)
        if dtype is torch.uint64 and name in _ORDERED and not {"sum", "prod", "mean"} & set(filter(_is_text, args)):
            result = func(*tree_map(_in_order, args), **tree_map(_in_order, kwargs))
            return _narrowed(result ^ _TOP, dtype)
        widen = _to_int64 if name in _MODULAR or name == "scatter_reduce" else self._widened
        result = func(*tree_map(widen, args), **tree_map(widen, kwargs))
        if any(name.startswith(item) for item in _PLACES):
            return result
        if name in _WITH_PLACES and isinstance(result, tuple):
            return (_narrowed(result[0], dtype), *result[1:])
        return tree_map(lambda item: _narrowed(item, dtype), result)

    def _in_floats(
        self, function: Callable[..., Any], args: Any, kwargs: Any, dtypes: Sequence[torch.dtype], wide: torch.dtype
    ) -> Any:
        first = next(leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)).dtype
        if first not in dtypes or function.__name__.rstrip("_") + "_" == function.__name__ or "out" in kwargs:
            raise self._error
        if first in _HALVES:
            args, kwargs = tree_map(lambda item: _cast(item, first, wide), (args, kwargs))
        else:  # the first alone: others are places
            args = (args[0].to(wide), *args[1:])
        return tree_map(lambda item: _cast(item, wide, first), function(*args, **kwargs))

    def _widened(self, value: Any) -> Any:
        wide = _to_int64(value)
        if not _is_unsigned(value):
            return wide
        if value.dtype is torch.uint64 and bool(torch.any(wide < 0)):
            raise self._error
        return wide


def _cast(value: Any, dtype: torch.dtype, to: torch.dtype) -> Any:
    return value.to(to) if isinstance(value, torch.Tensor) and value.dtype is dtype else value


def _of_bools(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    kinds = [item.dtype if isinstance(item, torch.Tensor) else type(item) for item in args]
    is_all = {*kinds} <= {torch.bool, bool}
    wide = torch.int8 if is_all else torch.int64
    if is_all and "alpha" in kwargs:  # a bool as well
        kwargs = {**kwargs, "alpha": int(bool(kwargs["alpha"]))}
    found = function(
        *(
            item.to(wide) if kind is torch.bool else int(item) if kind is bool else item
            for item, kind in zip(args, kinds, strict=True)
        ),
        **kwargs,
    )
    return found.to(torch.bool) if is_all else found


#: the bit that means 2**63 without a sign, and -2**63 with one
_TOP = torch.iinfo(torch.int64).min


def _in_order(value: Any) -> Any:
    """uint64 as int64 in the same order."""
    return value.to(torch.int64) ^ _TOP if _is_unsigned(value) and value.dtype is torch.uint64 else _to_int64(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _to_int64(value: Any) -> Any:
    if _is_unsigned(value):
        return value.to(torch.int64)
    return torch.int64 if isinstance(value, torch.dtype) and value in UNSIGNED else value


def _is_unsigned(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in UNSIGNED


def _narrowed(value: Any, dtype: torch.dtype) -> Any:
    return value.to(dtype) if isinstance(value, torch.Tensor) and value.dtype is torch.int64 else value
