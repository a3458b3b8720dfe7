"""MINDIR's operators on numbers, tuples and texts: files of dynamic shapes compute sizes with them, and report errors
in inputs.

Numbers stay below 2**63 and texts below a million characters, in any file.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.train._export.mindir.rows import TYPE_IDS

_Run = Callable[..., Any]
_TYPES = {number: dtype for dtype, number in TYPE_IDS.items()}
_LONGEST_TEXT = 1_000_000
_ERRORS: dict[str, type[Exception]] = {
    item.__name__: item
    for item in (
        ValueError,
        TypeError,
        RuntimeError,
        IndexError,
        KeyError,
        AttributeError,
        NotImplementedError,
        AssertionError,
        ZeroDivisionError,
    )
}


def _number(value: Any) -> Any:
    """Return a number that fits int64 or float64."""
    if isinstance(value, torch.Tensor):
        value = plain(value).item()
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"it takes numbers, but got a {type(value).__name__}")
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("a number is beyond 64 bits")
    return value


def _arithmetic(function: _Run) -> _Run:
    return lambda *items: _number(function(*map(_number, items)))


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int) and isinstance(exponent, int) and abs(base) > 1 and exponent > 63:
        raise OverflowError("a number is beyond 64 bits")
    return base**exponent


def _joined(*parts: Any) -> str:
    for part in parts:
        if not isinstance(part, (str, bool, int, float, torch.Tensor)) and not _is_plain(part):
            raise TypeError(f"it takes texts and numbers, but got a {type(part).__name__}")
    text = "".join(str(part)[:_LONGEST_TEXT] for part in parts)
    if len(text) > _LONGEST_TEXT:
        raise OverflowError("a text is too long")
    return text


def _is_plain(part: Any) -> bool:
    return part is None or (isinstance(part, tuple) and all(isinstance(item, (str, bool, int, float)) for item in part))


def _raise(kind: Any, *parts: Any) -> None:
    """Raise the error of the network's own ``raise``; RuntimeError for unknown kinds."""
    texts = [part for part in parts if part is not None and part != "None"]
    raise _ERRORS.get(kind if isinstance(kind, str) else "", RuntimeError)(_joined(*texts))


def _tuple(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise TypeError(f"it takes a tuple, but got a {type(value).__name__}")
    return value


def _compared(function: _Run) -> _Run:
    return lambda left, right: bool(function(tuple(map(_number, _tuple(left))), tuple(map(_number, _tuple(right)))))


def _slice(items: Any, start: Any, stop: Any, step: Any = 1) -> Any:
    return _tuple(items)[slice(*(None if item is None else int(_number(item)) for item in (start, stop, step)))]


def _to_tensor(items: Any, dtype: Any = None) -> Any:
    values = [_number(item) for item in _tuple(items)] if isinstance(items, tuple) else _number(items)
    return wrap(torch.tensor(values, dtype=_TYPES.get(dtype, dtype)))


def _to_tuple(value: Any) -> Any:
    def nested(item: Any) -> Any:
        return tuple(map(nested, item)) if isinstance(item, list) else item

    return nested(plain(value).tolist())


_ARITHMETIC: dict[str, _Run] = {
    "ScalarAdd": operator.add,
    "ScalarSub": operator.sub,
    "ScalarMul": operator.mul,
    "ScalarDiv": operator.truediv,
    "ScalarFloorDiv": operator.floordiv,
    "ScalarMod": operator.mod,
    "ScalarPow": _power,
    "ScalarUsub": operator.neg,
    "ScalarUadd": operator.pos,
    "ScalarGt": operator.gt,
    "ScalarGe": operator.ge,
    "ScalarLt": operator.lt,
    "ScalarLe": operator.le,
    "ScalarEq": operator.eq,
    "ScalarMax": max,
    "ScalarMin": min,
    "ScalarBool": bool,
    "BoolNot": operator.not_,
    "BoolAnd": operator.and_,
    "BoolOr": operator.or_,
    "BoolEq": operator.eq,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
}
_COMPARED: dict[str, _Run] = {
    "tuple_equal": operator.eq,
    "list_equal": operator.eq,
    "tuple_lt": operator.lt,
    "tuple_le": operator.le,
    "tuple_greater_than": operator.gt,
    "tuple_greater_equal": operator.ge,
    "list_lt": operator.lt,
    "list_le": operator.le,
    "list_greater_than": operator.gt,
    "list_greater_equal": operator.ge,
}

#: {operator: the computation}
SCALARS: dict[str, _Run] = {
    **{name: _arithmetic(function) for name, function in _ARITHMETIC.items()},
    **{name: _compared(function) for name, function in _COMPARED.items()},
    "TensorToScalar": _number,
    "JoinedStr": _joined,
    "raise": _raise,
    "RealTupleGetItem": lambda items, index: _tuple(items)[int(index)],
    "InSequence": lambda item, items: _number(item) in tuple(map(_number, _tuple(items))),
    "SequenceAdd": lambda left, right: _tuple(left) + _tuple(right),
    "SequenceSlice": _slice,
    "sequence_len": lambda items: len(_tuple(items)),
    **dict.fromkeys(("TupleToTensor", "ListToTensor"), _to_tensor),
    **dict.fromkeys(("TensorToTuple", "TensorToList"), _to_tuple),
}
