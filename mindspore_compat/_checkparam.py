"""Argument checks that scripts of the model zoo borrow. Upstream: ``mindspore._checkparam`` (functions in 2.x,
``Validator`` and ``Rel`` in 1.x).
"""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "Validator",
    "Rel",
    "INC_NEITHER",
    "INC_LEFT",
    "INC_RIGHT",
    "INC_BOTH",
    "EQ",
    "NE",
    "LT",
    "LE",
    "GT",
    "GE",
    "check_value_type",
    "check_isinstance",
    "check_string",
    "check_bool",
    "check_positive_int",
    "check_non_negative_int",
    "check_equal_int",
    "check_int_range",
    "check_positive_float",
    "check_non_negative_float",
    "check_float_range",
]

EQ, NE, LT, LE, GT, GE = 1, 2, 3, 4, 5, 6
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = 7, 8, 9, 10


class Rel:
    """Relations, as in 1.x."""

    EQ, NE, LT, LE, GT, GE = EQ, NE, LT, LE, GT, GE
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH


_RELATIONS = {
    EQ: ("equal to", lambda a, b: a == b),
    NE: ("other than", lambda a, b: a != b),
    LT: ("less than", lambda a, b: a < b),
    LE: ("at most", lambda a, b: a <= b),
    GT: ("greater than", lambda a, b: a > b),
    GE: ("at least", lambda a, b: a >= b),
}
_RANGES = {
    INC_NEITHER: ("({}, {})", lambda a, low, high: low < a < high),
    INC_LEFT: ("[{}, {})", lambda a, low, high: low <= a < high),
    INC_RIGHT: ("({}, {}]", lambda a, low, high: low < a <= high),
    INC_BOTH: ("[{}, {}]", lambda a, low, high: low <= a <= high),
}


def _where(arg_name: Any, prim_name: Any) -> str:
    return (f"For '{prim_name}', the " if prim_name else "The ") + f"'{arg_name or 'input value'}'"


def _number(value: Any, kind: type, arg_name: Any, prim_name: Any) -> Any:
    allowed: tuple[type, ...] = (int,) if kind is int else (float, int)
    if isinstance(value, bool) or not isinstance(value, allowed):
        raise TypeError(
            f"{_where(arg_name, prim_name)} must be {kind.__name__}, but got {value!r} of type {type(value).__name__}."
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{_where(arg_name, prim_name)} must be a finite number, but got {value}.")
    return value


def _compared(value: Any, bound: Any, relation: int, kind: type, arg_name: Any, prim_name: Any) -> Any:
    _number(value, kind, arg_name, prim_name)
    text, holds = _RELATIONS[relation]
    if not holds(value, bound):
        raise ValueError(f"{_where(arg_name, prim_name)} must be {text} {bound}, but got {value}.")
    return value


def _in_range(value: Any, low: Any, high: Any, relation: int, kind: type, arg_name: Any, prim_name: Any) -> Any:
    _number(value, kind, arg_name, prim_name)
    text, holds = _RANGES[relation]
    if not holds(value, low, high):
        raise ValueError(
            f"{_where(arg_name, prim_name)} must be in range of {text.format(low, high)}, but got {value}."
        )
    return value


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: Any = None) -> Any:
    """TypeError unless the value is of one of the types; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        raise TypeError(
            f"{_where(arg_name, prim_name)} must be of type {', '.join(t.__name__ for t in types)}, but got "
            f"{type(arg_value).__name__}."
        )
    return arg_value


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """ValueError (as upstream, not TypeError) unless the value is an instance of one of the classes."""
    if not isinstance(arg_value, classes):
        names = ", ".join(item.__name__ for item in (classes if isinstance(classes, tuple) else (classes,)))
        raise ValueError(
            f"The parameter '{arg_name}' must be an instance of {names}, but got {arg_value!r} of type "
            f"{type(arg_value).__name__}."
        )
    return arg_value


def check_string(arg_value: Any, valid_values: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
    """ValueError unless the value is one of the strings."""
    if isinstance(arg_value, str) and arg_value in valid_values:
        return arg_value
    raise ValueError(f"{_where(arg_name, prim_name)} must be str and must be in {valid_values}, but got {arg_value!r}.")


def check_bool(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> bool:
    """TypeError unless the value is a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(
            f"{_where(arg_name, prim_name)} must be bool, but got {arg_value!r} of type {type(arg_value).__name__}."
        )
    return arg_value


def check_positive_int(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> int:
    """An int above 0."""
    return _compared(arg_value, 0, GT, int, arg_name, prim_name)


def check_non_negative_int(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> int:
    """An int from 0 on."""
    return _compared(arg_value, 0, GE, int, arg_name, prim_name)


def check_equal_int(arg_value: Any, value: int, arg_name: Any = None, prim_name: Any = None) -> int:
    """That int."""
    return _compared(arg_value, value, EQ, int, arg_name, prim_name)


def check_int_range(
    arg_value: Any, lower_limit: int, upper_limit: int, rel: int, arg_name: Any = None, prim_name: Any = None
) -> int:
    """An int in a range."""
    return _in_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_positive_float(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> float:
    """A number above 0."""
    return _compared(arg_value, 0, GT, float, arg_name, prim_name)


def check_non_negative_float(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> float:
    """A number from 0 on."""
    return _compared(arg_value, 0, GE, float, arg_name, prim_name)


def check_float_range(
    arg_value: Any, lower_limit: float, upper_limit: float, rel: int, arg_name: Any = None, prim_name: Any = None
) -> float:
    """A number in a range."""
    return _in_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


class Validator:
    """1.x's home of the checks, with its older signatures where they differ."""

    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH
    check_value_type = staticmethod(check_value_type)
    check_isinstance = staticmethod(check_isinstance)
    check_string = staticmethod(check_string)
    check_bool = staticmethod(check_bool)
    check_positive_int = staticmethod(check_positive_int)
    check_non_negative_int = staticmethod(check_non_negative_int)
    check_equal_int = staticmethod(check_equal_int)
    check_int_range = staticmethod(check_int_range)
    check_positive_float = staticmethod(check_positive_float)
    check_non_negative_float = staticmethod(check_non_negative_float)
    check_float_range = staticmethod(check_float_range)

    @staticmethod
    def check_integer(arg_name: str, arg_value: Any, value: int, rel: int, prim_name: Any = None) -> int:
        """An int that stands in a relation to ``value``."""
        return _compared(arg_value, value, rel, int, arg_name, prim_name)

    @staticmethod
    def check_float_positive(arg_name: str, arg_value: Any, prim_name: Any = None) -> float:
        """A number above 0."""
        return check_positive_float(arg_value, arg_name, prim_name)

    @staticmethod
    def check_float_legal_value(arg_name: str, arg_value: Any, prim_name: Any = None) -> float:
        """A finite float."""
        return _number(arg_value, float, arg_name, prim_name)
