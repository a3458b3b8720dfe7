"""Comparisons of sizes in Python during `construct`: the written file is also checked where their outcome differs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.train._export._sizes import fit

__all__ = ["turning_points", "watched"]

_log: list[int] = []  # values compared with 0


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, int) else value


def _computed(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(*items: Any) -> Any:
        if not all(isinstance(item, int) for item in items):
            return NotImplemented
        result = function(*map(_number, items))
        return Watched(result) if isinstance(result, int) and not isinstance(result, bool) else result

    return method


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda right, left: function(left, right)


def _compared(function: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        if isinstance(other, int):
            _log.append(int(self) - int(other))
        return function(int(self), _number(other))

    return method


class Watched(int):
    """Size, or a result of sizes, with recorded comparisons."""

    __hash__ = int.__hash__

    def __bool__(self) -> bool:
        _log.append(int(self))
        return int(self) != 0


for _name in ("add", "sub", "mul", "floordiv", "neg"):
    setattr(Watched, f"__{_name}__", _computed(getattr(operator, _name)))
    if _name != "neg":
        setattr(Watched, f"__r{_name}__", _computed(_swapped(getattr(operator, _name))))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Watched, f"__{_name}__", _compared(getattr(operator, _name)))


@contextmanager
def watched() -> Iterator[list[int]]:
    """Record comparisons of sizes; the list holds the values compared with 0 afterwards."""
    before = Tensor.shape
    sizes: Any = before.fget  # type: ignore[attr-defined]
    found: list[int] = []
    _log.clear()
    Tensor.shape = property(lambda self: tuple(map(Watched, sizes(self))))  # type: ignore[misc, assignment]
    try:
        yield found
    finally:
        Tensor.shape = before  # type: ignore[misc, method-assign]
        found += _log
        _log.clear()


def turning_points(logs: Sequence[list[int]], traces: Sequence[dict[int, int]]) -> list[tuple[int, int]]:
    """Return (group, size) of the sizes around which a comparison changes its outcome."""
    found: dict[tuple[int, int], None] = {}
    for values in dict.fromkeys(zip(*logs)):
        expression = fit(values, traces) if len(set(values)) > 1 else None
        if expression is None or len(expression.groups) > 1:
            continue
        zero = -expression.offset // expression.factor if expression.divisor == 1 else -expression.offset
        for size in (zero - 1, zero, zero + 1, zero + 2):
            if size > 0:
                found[expression.groups[0], size] = None
    return list(found)
