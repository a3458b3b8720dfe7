"""Argument checks of the public classes and functions: For 'X', the 'y' must be ..., but got ...

Every check returns the value, so that it can stand in an assignment. `owner` is the public class or function; without
one the message names the argument alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, TypeVar

T = TypeVar("T")


def _message(owner: str, name: str, expected: str, value: Any) -> str:
    begin = f"For '{owner}', the" if owner else "The"
    return f"{begin} '{name}' must be {expected}, but got {value!r:.200} of type {type(value).__name__}."


def check_type(value: T, name: str, types: type | tuple[type, ...], owner: str) -> T:
    """Raise TypeError unless `value` is one of `types`; a bool is no int unless ``bool`` is listed."""
    allowed = types if isinstance(types, tuple) else (types,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed and object not in allowed):
        raise TypeError(_message(owner, name, " or ".join(item.__name__ for item in allowed), value))
    return value


def check_bool(value: bool, name: str, owner: str) -> bool:
    """Raise TypeError unless `value` is a bool."""
    return check_type(value, name, bool, owner)


def check_isinstance(value: T, name: str, types: type | tuple[type, ...], owner: str = "") -> T:
    """Raise ValueError unless `value` is one of `types`: sometimes MindSpore treats a wrong type as a wrong value."""
    if not isinstance(value, types):
        raise ValueError(_message(owner, name, f"an instance of {types}", value))
    return value


def check_one_of(value: T, name: str, choices: Collection[T], owner: str) -> T:
    """Raise ValueError unless `value` is one of `choices`."""
    if value not in choices:
        raise ValueError(_message(owner, name, f"one of {list(choices)}", value))
    return value


def check_str_in(value: str, name: str, choices: Collection[str], owner: str) -> str:
    """Raise TypeError unless `value` is a str, ValueError unless it is one of `choices`."""
    return check_one_of(check_type(value, name, str, owner), name, choices, owner)


def check_number(
    value: Any,
    name: str,
    owner: str,
    types: tuple[type, ...],
    low: float = -math.inf,
    high: float = math.inf,
    inclusive: tuple[bool, bool] = (True, True),
) -> Any:
    """Raise TypeError unless it is one of the types and no bool, ValueError unless finite and within `low` and `high`
    (`inclusive`: the ends that count).
    """
    check_type(value, name, types, owner)
    above = value >= low if inclusive[0] else value > low
    below = value <= high if inclusive[1] else value < high
    if not (above and below and math.isfinite(value)):
        interval = f"{'[' if inclusive[0] else '('}{low}, {high}{']' if inclusive[1] else ')'}"
        raise ValueError(_message(owner, name, f"in the range of {interval}", value))
    return value


def check_int(value: int, name: str, owner: str) -> int:
    """Raise TypeError unless `value` is an int and no bool."""
    return check_type(value, name, int, owner)


def check_positive_int(value: int, name: str, owner: str) -> int:
    """Raise TypeError unless an int, ValueError unless above 0."""
    return check_number(value, name, owner, (int,), 1)


def check_non_negative_int(value: int, name: str, owner: str) -> int:
    """Raise TypeError unless an int, ValueError if below 0."""
    return check_number(value, name, owner, (int,), 0)


def check_float(value: float, name: str, owner: str) -> float:
    """Raise TypeError unless a float (an int is none), ValueError if it is nan or infinite."""
    return check_number(value, name, owner, (float,))


def check_positive_float(value: float, name: str, owner: str) -> float:
    """Raise TypeError unless a float, ValueError unless finite and above 0."""
    return check_number(value, name, owner, (float,), 0, inclusive=(False, True))


def check_float_range(
    value: float, name: str, owner: str, low: float, high: float, inclusive: tuple[bool, bool] = (True, True)
) -> float:
    """Raise TypeError unless a float or an int, ValueError unless within `low` and `high` (`inclusive`: the ends)."""
    return check_number(value, name, owner, (float, int), low, high, inclusive)
