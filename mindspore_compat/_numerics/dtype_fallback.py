"""Fallback for dtypes without a kernel in torch, and notes on torch's errors.

MindSpore computes with uint16, uint32, uint64 and bools, with 16-bit floats on a CPU and, on images, with integers.
Where torch refuses them the operators run again in int64, float32 or float64, and their results get the dtype back.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

F = TypeVar("F", bound=Callable[..., Any])
UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)
_HALVES = (torch.float16, torch.bfloat16)
_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
#: How torch says that it has no kernel for a dtype. Another error must not run an operator twice.
_MISSING = (
    "not implemented for '",
    "Boolean inputs not supported",
    "ool tensor is not supported",
    "ool tensors is not supported",
    "Low precision dtypes not supported",
    "Unsupported dtype Half",
    "Unsupported dtype BFloat16",
    "handle types other than float and double",
    "could not infer output dtype",
    "without overflow",
    "negative integer powers",
)
#: torch's exception for an axis out of range -> the type that MindSpore documents (a RuntimeError has many reasons)
_DOCUMENTED: dict[type[Exception], type[Exception]] = {IndexError: ValueError}

#: modules that define operators
_OPERATORS = tuple(
    f"mindspore_compat.{room}"
    for room in ("_ops", "ops", "numpy", "mint", "scipy", "nn.layer", "nn.loss", "_numerics", "_tensor", "_random")
)

#: operators that return positions or counts
_POSITIONS = ("argmax", "argmin", "argsort", "nonzero", "searchsorted", "bincount", "count_nonzero")
#: operators that return (values, positions)
_WITH_POSITIONS = ("max", "min", "sort", "topk", "cummax", "cummin", "median", "mode", "kthvalue", "unique")
#: operators whose lowest 64 bits do not depend on the meaning of the highest one
_MODULAR = frozenset(
    """
    add sub rsub mul neg negative bitwise_not invert bitwise_and bitwise_or bitwise_xor sum cumsum matmul mm bmm mv
    addmm baddbmm index_select gather index_put index_add scatter scatter_add where cat stack scatter_reduce
    """.split()
)
#: operators that depend on the order of the numbers only
_ORDERED = ("amax", "amin", "scatter_reduce")
#: operators that MindSpore computes of bools as of the numbers 0 and 1; a result other than 0 is True
_OF_BOOLS = frozenset("abs trunc fix sub subtract div floor_divide fmod remainder relu clamp_min".split())
#: operators on images that move integers, or average and truncate them, and powers of integers below zero
_OF_INTEGERS = frozenset(
    """
    unfold im2col interpolate upsample_nearest1d upsample_nearest2d upsample_nearest3d max_unpool1d max_unpool2d
    max_unpool3d adaptive_avg_pool3d round hardsigmoid hardswish frac pow
    """.split()
)


def with_dtype_fallback(function: F) -> F:
    """Decorate a function: retry in a wider dtype where torch has no kernel; raise MindSpore's documented exception
    types.

    It costs 0.2 µs a call, so the hottest functions catch the error themselves.
    """
    if getattr(function, "_has_dtype_fallback", False):
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, function, args, kwargs)

    call._has_dtype_fallback = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def apply_dtype_fallback(module: dict[str, Any], names: Iterable[str], *, skip: str = "") -> None:
    """Put `with_dtype_fallback` on the functions of a module (``globals()``), except for those named in ``skip``."""
    functions = {name: module[name] for name in names if inspect.isfunction(module[name])}
    skipped = [module[name] for name in skip.split()]
    decorated = {item: with_dtype_fallback(item) for item in dict.fromkeys(functions.values()) if item not in skipped}
    module.update({name: decorated[item] for name, item in functions.items() if item in decorated})


def is_missing_kernel(error: Exception) -> bool:
    """Return whether torch has no kernel for the dtype of an input."""
    return any(words in str(error) for words in _MISSING)


def add_operator_note(error: BaseException, name: str) -> None:
    """Add a note with an operator's name to an error that has none (Python 3.11)."""
    if hasattr(error, "add_note") and not getattr(error, "__notes__", None):
        error.add_note(f"It was raised by the operator '{name}'.")


def note_operator(error: BaseException) -> None:
    """Add the name of the operator or layer of this package in which an error was raised, by its traceback."""
    found, step = "", error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        module = step.tb_frame.f_globals.get("__name__", "")
        if not module.startswith(("torch.", *_OPERATORS)):
            found = ""  # the program, which the package calls in turn
        elif name.endswith(".construct"):
            found = name.removesuffix(".construct")
        elif not module.startswith("torch.") and code.co_name[0] not in "_<" and "<locals>" not in name and not found:
            found = code.co_name
        step = step.tb_next
    if found:
        add_operator_note(error, found)


def raise_documented(error: Exception, name: str = "") -> NoReturn:
    """Raise ``error`` in the type that MindSpore documents, with the operator's name as a note (Python 3.11)."""
    kind = _DOCUMENTED.get(type(error))
    raised = error if kind is None else kind(*error.args)
    if name:
        add_operator_note(raised, name)
    if raised is error:
        raise error
    raise raised from error


def retry_in_wider_dtype(
    error: Exception,
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    name: str = "",
) -> Any:
    """Return the function's result with operators that lack a kernel computed in a wider dtype."""
    if is_missing_kernel(error):
        try:
            with _WideningMode():
                return function(*args, **(kwargs or {}))
        except _CannotWidenError:
            pass
        except (IndexError, RuntimeError) as another:
            error = another
    raise_documented(error, name or getattr(function, "__name__", ""))


class _CannotWidenError(Exception):
    """No wider dtype computes the same values."""


class _WideningMode(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        try:
            return func(*args, **kwargs)
        except (RuntimeError, TypeError) as error:
            if not is_missing_kernel(error) and "Promotion for uint16" not in str(error):
                raise
            is_about_bools, is_overflow = "ool" in str(error), "without overflow" in str(error)
        full_name = getattr(func, "__name__", "")
        name = full_name.strip("_")
        if kwargs.get("out") is not None or (full_name.endswith("_") and not full_name.endswith("__")):
            raise _CannotWidenError  # it would write to a copy
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        dtypes = [tensor.dtype for tensor in tensors]
        unsigned = [dtype for dtype in dtypes if dtype in UNSIGNED]
        if is_overflow:  # of a number: infinity in floats
            dtype = dtypes[0] if dtypes else kwargs.get("dtype")
            if dtype is None or not dtype.is_floating_point:
                raise _CannotWidenError
            return _in_wider(func, args, kwargs, dtype, torch.float64)
        if unsigned:
            return _in_int64(func, name, args, kwargs, max(unsigned, key=lambda item: item.itemsize))
        if is_about_bools and name in _OF_BOOLS:
            return _as_numbers(func, args, kwargs)
        if dtypes and dtypes[0] in _HALVES:
            return _in_wider(func, args, kwargs, dtypes[0], torch.float32)
        if dtypes and dtypes[0] in _INTEGERS and name in _OF_INTEGERS:  # the first alone: others are positions
            return tree_map(
                lambda item: _cast(item, torch.float64, dtypes[0]), func(args[0].to(torch.float64), *args[1:], **kwargs)
            )
        raise _CannotWidenError


def _in_wider(function: Callable[..., Any], args: Any, kwargs: Any, dtype: Any, wide: torch.dtype) -> Any:
    args, kwargs = tree_map(lambda item: wide if item is dtype else _cast(item, dtype, wide), (args, kwargs))
    try:
        result = function(*args, **kwargs)
    except NotImplementedError:  # of bits, which no float has
        raise _CannotWidenError from None
    return tree_map(lambda item: _cast(item, wide, dtype), result)


def _as_numbers(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
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


def _in_int64(function: Callable[..., Any], name: str, args: Any, kwargs: Any, dtype: torch.dtype) -> Any:
    if (
        dtype is torch.uint64
        and name in _ORDERED
        and not {"sum", "prod", "mean"} & {item for item in args if isinstance(item, str)}
    ):
        result = function(*tree_map(_in_order, args), **tree_map(_in_order, kwargs))
        return _cast(result ^ _TOP, torch.int64, dtype)
    widen = _to_int64 if name in _MODULAR else _to_exact_int64
    result = function(*tree_map(widen, args), **tree_map(widen, kwargs))
    if name.startswith(_POSITIONS):
        return result
    if name in _WITH_POSITIONS and isinstance(result, tuple):
        return (_cast(result[0], torch.int64, dtype), *result[1:])
    return tree_map(lambda item: _cast(item, torch.int64, dtype), result)


#: the bit that means 2**63 without a sign, and -2**63 with one
_TOP = torch.iinfo(torch.int64).min


def _in_order(value: Any) -> Any:
    """Return uint64 as int64 in the same order."""
    is_uint64 = isinstance(value, torch.Tensor) and value.dtype is torch.uint64
    return value.to(torch.int64) ^ _TOP if is_uint64 else _to_int64(value)


def _to_int64(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(torch.int64) if value.dtype in UNSIGNED else value
    return torch.int64 if isinstance(value, torch.dtype) and value in UNSIGNED else value


def _to_exact_int64(value: Any) -> Any:
    wide = _to_int64(value)
    if isinstance(value, torch.Tensor) and value.dtype is torch.uint64 and bool(torch.any(wide < 0)):
        raise _CannotWidenError
    return wide


def _cast(value: Any, dtype: torch.dtype, to: torch.dtype) -> Any:
    return value.to(to) if isinstance(value, torch.Tensor) and value.dtype is dtype else value
