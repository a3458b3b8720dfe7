"""Argument checks that raise what MindSpore raises, in its wording: For 'X', the 'y' must be ..., but got ...

Every check returns the value, so that it can stand in an assignment. `owner` is the public class or function.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, TypeVar

__all__ = [
    "check_bool",
    "check_float",
    "check_float_range",
    "check_int",
    "check_int_range",
    "check_non_negative_float",
    "check_non_negative_int",
    "check_positive_float",
    "check_positive_int",
    "check_str",
    "check_str_in",
    "check_type",
]

T = TypeVar("T")


def _type_error(owner: str, name: str, expected: str, value: Any) -> TypeError:
    return TypeError(f"For '{owner}', the '{name}' must be {expected}, but got {value!r} of type {type(value).__name__}.")


def _value_error(owner: str, name: str, expected: str, value: Any) -> ValueError:
    return ValueError(f"For '{owner}', the '{name}' must be {expected}, but got {value!r}.")


def check_type(value: T, name: str, types: type | tuple[type, ...], owner: str) -> T:
    """TypeError unless `value` is one of `types`; a bool is no int unless ``bool`` is listed."""
    allowed = types if isinstance(types, tuple) else (types,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed and object not in allowed):
        names = [item.__name__ for item in allowed]
        raise _type_error(owner, name, names[0] if len(names) == 1 else f"one of {names}", value)
    return value


def check_bool(value: bool, name: str, owner: str) -> bool:
    """TypeError unless `value` is a bool."""
    return check_type(value, name, bool, owner)


def check_str(value: str, name: str, owner: str) -> str:
    """TypeError unless `value` is a str."""
    return check_type(value, name, str, owner)


def check_str_in(value: str, name: str, choices: Collection[str], owner: str) -> str:
    """TypeError unless `value` is a str, ValueError unless it is one of `choices`."""
    check_str(value, name, owner)
    if value not in choices:
        raise _value_error(owner, name, f"one of {list(choices)}", value)
    return value


def check_int(value: int, name: str, owner: str) -> int:
    """TypeError unless `value` is an int and no bool."""
    return check_type(value, name, int, owner)


def check_int_range(value: int, name: str, owner: str, low: int | None = None, high: int | None = None) -> int:
    """TypeError unless an int, ValueError unless ``low <= value <= high`` (None is no bound)."""
    check_int(value, name, owner)
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = " and ".join(text for bound, text in ((low, f"at least {low}"), (high, f"at most {high}")) if bound is not None)
        raise _value_error(owner, name, f"an int of {bounds}", value)
    return value


def check_positive_int(value: int, name: str, owner: str) -> int:
    """TypeError unless an int, ValueError unless above 0."""
    check_int(value, name, owner)
    if value <= 0:
        raise _value_error(owner, name, "a positive int", value)
    return value


def check_non_negative_int(value: int, name: str, owner: str) -> int:
    """TypeError unless an int, ValueError if below 0."""
    check_int(value, name, owner)
    if value < 0:
        raise _value_error(owner, name, "a non-negative int", value)
    return value


def check_float(value: float, name: str, owner: str) -> float:
    """TypeError unless `value` is a float (an int is none), ValueError if it is nan or infinite."""
    check_type(value, name, float, owner)
    if not math.isfinite(value):
        raise _value_error(owner, name, "a finite float", value)
    return value


def check_positive_float(value: float, name: str, owner: str) -> float:
    """TypeError unless a float, ValueError unless finite and above 0."""
    check_float(value, name, owner)
    if value <= 0:
        raise _value_error(owner, name, "a positive float", value)
    return value


def check_non_negative_float(value: float, name: str, owner: str) -> float:
    """TypeError unless a float, ValueError unless finite and at least 0."""
    check_float(value, name, owner)
    if value < 0:
        raise _value_error(owner, name, "a non-negative float", value)
    return value


def check_float_range(value: float, name: str, owner: str, low: float, high: float, inclusive: tuple[bool, bool] = (True, True)) -> float:
    """TypeError unless an int or float, ValueError unless within `low` and `high` (`inclusive`: which ends)."""
    check_type(value, name, (float, int), owner)
    above = value >= low if inclusive[0] else value > low
    below = value <= high if inclusive[1] else value < high
    if not (above and below):
        interval = f"{'[' if inclusive[0] else '('}{low}, {high}{']' if inclusive[1] else ')'}"
        raise _value_error(owner, name, f"in the range {interval}", value)
    return value
