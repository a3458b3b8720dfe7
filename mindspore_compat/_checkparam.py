"""Argument checks that scripts of the model zoo borrow. Upstream: ``mindspore._checkparam`` (functions in 2.x,
``Validator`` and ``Rel`` in 1.x).
"""

from __future__ import annotations

from typing import Any

from mindspore_compat._api import validate

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


_RELATIONS = {EQ: "=", NE: "!=", LT: "<", LE: "<=", GT: ">", GE: ">="}
#: which ends belong to a range
_ENDS = {INC_NEITHER: (False, False), INC_LEFT: (True, False), INC_RIGHT: (False, True), INC_BOTH: (True, True)}


def _compared(value: Any, bound: Any, relation: int, kind: type, arg_name: Any, prim_name: Any) -> Any:
    return validate.check_relation(value, arg_name, prim_name, kind, _RELATIONS[relation], bound, ints=True)


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: Any = None) -> Any:
    """TypeError unless the value is of one of the types; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    return validate.check_type(arg_value, arg_name, types, prim_name)


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """ValueError (as upstream, not TypeError) unless the value is an instance of one of the classes."""
    return validate.check_isinstance(arg_value, arg_name, classes)


def check_string(arg_value: Any, valid_values: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
    """ValueError unless the value is one of the strings."""
    return validate.check_choice(arg_value, arg_name or "parameter", valid_values, prim_name)


def check_bool(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> bool:
    """TypeError unless the value is a bool."""
    return validate.check_bool(arg_value, arg_name, prim_name)


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
    return validate.check_range(arg_value, arg_name, prim_name, (int,), lower_limit, upper_limit, _ENDS[rel])


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
    return validate.check_range(arg_value, arg_name, prim_name, (float, int), lower_limit, upper_limit, _ENDS[rel])


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
        """A finite number."""
        is_int = isinstance(arg_value, int) and not isinstance(arg_value, bool)
        return arg_value if is_int else validate.check_float(arg_value, arg_name, prim_name)
