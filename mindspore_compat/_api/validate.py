"""Argument checks that raise what MindSpore raises, in its wording: For 'X', the 'y' must be ..., but got ...

Every check returns the value, so that it can stand in an assignment. `owner` is the public class or function. Upstream
names neither in some
places: with ``named=False`` the first sentence is as there, and a second one names them; with an empty `owner` it names
the argument alone.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Collection
from typing import Any, TypeVar

__all__ = [
    "check_bool",
    "check_choice",
    "check_one_of",
    "check_float",
    "check_float_range",
    "check_int",
    "check_int_range",
    "check_ints",
    "check_isinstance",
    "check_non_negative_float",
    "check_non_negative_int",
    "check_positive_float",
    "check_positive_int",
    "check_range",
    "check_relation",
    "check_str",
    "check_str_in",
    "check_type",
]

T = TypeVar("T")
_RELATIONS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _subject(owner: str, name: str, named: bool, of: str = "") -> tuple[str, str]:
    """(what a message begins with, what it ends with)."""
    if named:
        what = f"'{name}'" if name else "input value"
        return (f"For '{owner}', the {of}{what}" if owner else f"The {of}{what}"), ""
    return f"The {of}input value", f" It is the '{name}' of {owner}."


def check_type(value: T, name: str, types: type | tuple[type, ...], owner: str, named: bool = True) -> T:
    """TypeError unless `value` is one of `types`; a bool is no int unless ``bool`` is listed."""
    allowed = types if isinstance(types, tuple) else (types,)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed and object not in allowed):
        names = [item.__name__ for item in allowed]
        expected = f"'{names[0]}'" if len(names) == 1 else f"one of '{names}'"
        begin, end = (
            (f"For '{owner}', the" if owner else "The", "") if named else ("The", f" It is an argument of {owner}.")
        )
        raise TypeError(f"{begin} type of '{name}' should be {expected}, but got type '{type(value).__name__}'.{end}")
    return value


#: in messages about arguments of whole numbers: type -> (place in the list, its name)
_INT_NAMES = {list: (0, "list of int"), int: (1, "int"), tuple: (3, "tuple of int")}


def check_ints(value: T, name: str, types: type | tuple[type, ...], owner: str) -> T:
    """TypeError unless `value` is None or one of `types`: int, list, tuple, Tensor. Elements are not looked at."""
    allowed = types if isinstance(types, tuple) else (types,)
    if value is not None and not isinstance(value, allowed):
        names = [text for _, text in sorted(_INT_NAMES.get(item, (2, item.__name__)) for item in allowed)]
        raise TypeError(
            f"For '{owner}', the type of '{name}' should be one of '[{', '.join(names)}]', but got {type(value)}."
        )
    return value


def check_bool(value: bool, name: str, owner: str, named: bool = True) -> bool:
    """TypeError unless `value` is a bool."""
    if not isinstance(value, bool):
        begin, end = _subject(owner, name, named)
        raise TypeError(f"{begin} must be a bool, but got {type(value).__name__}.{end}")
    return value


def check_isinstance(value: T, name: str, types: type | tuple[type, ...], owner: str = "") -> T:
    """ValueError unless `value` is one of `types`: in some places upstream takes a wrong type for a wrong value."""
    if not isinstance(value, types):
        end = f" It is an argument of {owner}." if owner else ""
        raise ValueError(f"The parameter '{name}' must be isinstance of {types}, but got {value}.{end}")
    return value


def check_str(value: str, name: str, owner: str) -> str:
    """TypeError unless `value` is a str."""
    return check_type(value, name, str, owner)


def check_str_in(value: str, name: str, choices: Collection[str], owner: str) -> str:
    """TypeError unless `value` is a str, ValueError unless it is one of `choices`."""
    return check_choice(check_str(value, name, owner), name, list(choices), owner)


def check_choice(value: Any, name: str, choices: Collection[str], owner: str) -> str:
    """ValueError unless `value` is a str and one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        begin, _ = _subject(owner, name, True)
        raise ValueError(f"{begin} must be str and must be in '{choices}', but got '{value}'.")
    return value


def check_int(value: int, name: str, owner: str, named: bool = True) -> int:
    """TypeError unless `value` is an int and no bool."""
    if not isinstance(value, int) or isinstance(value, bool):
        begin, end = _subject(owner, name, named, "type of ")
        raise TypeError(f"{begin} must be 'int', but got '{type(value).__name__}'.{end}")
    return value


def check_int_range(value: int, name: str, owner: str, low: int | None = None, high: int | None = None) -> int:
    """TypeError unless an int, ValueError unless ``low <= value <= high`` (None is no bound)."""
    if low is None or high is None:
        check_int(value, name, owner)
        if (low is not None and value < low) or (high is not None and value > high):
            bound = f">= {low}" if low is not None else f"<= {high}"
            raise ValueError(
                f"For '{owner}', the '{name}' must be int and must {bound}, but got '{value}' with type 'int'."
            )
        return value
    return int(check_range(value, name, owner, (int,), low, high, (True, True), True))


def check_positive_int(value: int, name: str, owner: str, named: bool = True) -> int:
    """TypeError unless an int, ValueError unless above 0."""
    return check_relation(value, name, owner, int, ">", 0, named)


def check_non_negative_int(value: int, name: str, owner: str, named: bool = True) -> int:
    """TypeError unless an int, ValueError if below 0."""
    return check_relation(value, name, owner, int, ">=", 0, named)


def check_float(value: float, name: str, owner: str) -> float:
    """TypeError unless `value` is a float (an int is none), ValueError if it is nan or infinite."""
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the type of '{name}' must be 'float', but got '{type(value).__name__}'.")
    if not math.isfinite(value):
        raise ValueError(f"For '{owner}', the '{name}' must be a legal float, but got '{value}'.")
    return value


def check_positive_float(value: float, name: str, owner: str) -> float:
    """TypeError unless a float, ValueError unless finite and above 0."""
    return check_relation(value, name, owner, float, ">", 0)


def check_non_negative_float(value: float, name: str, owner: str) -> float:
    """TypeError unless a float, ValueError unless finite and at least 0."""
    return check_relation(value, name, owner, float, ">=", 0)


def check_float_range(
    value: float,
    name: str,
    owner: str,
    low: float,
    high: float,
    inclusive: tuple[bool, bool] = (True, True),
    named: bool = True,
    ints: bool = True,
) -> float:
    """TypeError unless a float (with `ints` or an int), ValueError unless within `low` and `high` (`inclusive`: which
    ends).
    """
    return check_range(value, name, owner, (float, int) if ints else (float,), low, high, inclusive, named)


def check_relation(
    value: Any, name: str, owner: str, kind: type, relation: str, bound: Any, named: bool = True, ints: bool = False
) -> Any:
    """TypeError unless of the kind (int or float; with `ints` an int for a float too), ValueError unless finite and in
    the relation (``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``) to `bound`.
    """
    begin, end = _subject(owner, name, named)
    if not isinstance(value, (int, float)) or not isinstance(value, (kind, int) if ints else kind):
        raise TypeError(f"{begin} must be {kind.__name__}, but got '{type(value).__name__}'.{end}")
    if not math.isfinite(value):
        raise ValueError(f"{begin} must be a legal value, but got '{value}'.{end}")
    is_bool = isinstance(value, bool)
    if is_bool or not _RELATIONS[relation](value, bound):
        error = TypeError if is_bool else ValueError
        raise error(
            f"{begin} must be {kind.__name__} and must {relation} {bound}, but got '{value}' with type "
            f"'{type(value).__name__}'.{end}"
        )
    return value


def check_range(
    value: Any,
    name: str,
    owner: str,
    allowed: tuple[type, ...],
    low: float,
    high: float,
    inclusive: tuple[bool, bool],
    named: bool = True,
) -> Any:
    """TypeError unless one of the types `allowed` and no bool, ValueError unless within `low` and `high`
    (`inclusive`: which ends).
    """
    begin, end = _subject(owner, name, named)
    number: Any = value
    if not isinstance(value, allowed) or isinstance(value, bool):
        raise TypeError(f"{begin} must be '{allowed[0].__name__}',  but got '{type(value).__name__}'.{end}")
    above = number >= low if inclusive[0] else number > low
    below = number <= high if inclusive[1] else number < high
    if not (above and below):
        interval = f"{'[' if inclusive[0] else '('}{low}, {high}{']' if inclusive[1] else ')'}"
        raise ValueError(
            f"{begin} must be in range of {interval}, but got {value} with type '{type(value).__name__}'.{end}"
        )
    return value


def check_one_of(value: T, name: str, choices: Collection[T], owner: str) -> T:
    """ValueError unless `value` is one of `choices`, of which there are at least two."""
    if value not in choices:
        *first, last = map(repr, choices)
        expected = f"{first[0]} or {last}" if len(first) == 1 else f"one of {', '.join(first)} and {last}"
        raise ValueError(f"For '{owner}', the '{name}' must be {expected}, but got {value!r}.")
    return value
