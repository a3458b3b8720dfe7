"""Arguments of operations, each on one line with its check: ``gain: Annotated[float, real(0, 100)] = 20.0``.

A check is ``check(value, name) -> stored value``; it raises TypeError or ValueError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, get_origin

from typing_extensions import Annotated, dataclass_transform  # noqa: UP035 (typing has the second from Python 3.11 on)

from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import (
    FLOAT_MAX_INTEGER,
    INT32_MAX,
    INT32_MIN,
    check_int,
    check_real,
    refused,
    type_check,
)

__all__ = [
    "Annotated",
    "arguments",
    "dtype_like",
    "flag",
    "integer",
    "kind_of",
    "own_dtype",
    "real",
    "several",
    "text",
    "with_default",
]

Check = Callable[[Any, str], Any]
Class = TypeVar("Class", bound=type)


@dataclass_transform(eq_default=False)
def arguments(cls: Class) -> Class:
    """Make the annotated attributes of a class (and of its bases with any) the arguments of ``__init__`` (a decorator).

    They are checked in their order and kept under their names, then `_prepare` is called. None is accepted where it is
    the default.
    """
    rows = {**getattr(cls, "_arguments", {})}
    for name, kind in inspect.get_annotations(cls, eval_str=True).items():
        check = kind.__metadata__[0] if get_origin(kind) is Annotated else None
        rows[name] = (cls.__dict__.get(name, inspect.Parameter.empty), check)
    place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, place, default=row[0]) for name, row in rows.items()])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}: {error}") from None
        for name, (default, check) in rows.items():
            value = given.get(name, default)
            setattr(self, name, value if check is None or (value is None is default) else check(value, name))
        self._prepare()

    owner = inspect.Parameter("self", place)
    __init__.__signature__ = signature.replace(parameters=[owner, *signature.parameters.values()])  # type: ignore
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    cls.__init__, cls._arguments = __init__, rows  # type: ignore[misc, attr-defined]
    return cls


def _kind(value: Any, name: str, types: tuple[type, ...]) -> Any:
    type_check(value, types, name)
    return value


def kind_of(*types: type) -> Check:
    """Return a check for a value of one of the types; a bool is no int."""
    return partial(_kind, types=types)


def dtype_like(value: Any, name: str) -> Any:
    """Return NumPy's dtype for a user's dtype."""
    try:
        if value is not None:
            return numpy_dtype(value)
    except TypeError as error:
        if "bfloat16" in str(error):
            raise
    raise wrong_dtype(value, name)


def wrong_dtype(value: Any, name: str, types: str = "<class 'numpy.dtype'>") -> Exception:
    """Return the error for an invalid dtype; `types` are those that MindSpore names besides its own."""
    shown = "[" + ", ".join(filter(None, ("<class 'mindspore._c_expression.typing.Type'>", types))) + "]"
    words = f"Argument {name} with value {value!r} is not of type {shown}, but got {type(value)}."
    return refused(TypeError, words, value, "Give a type such as mindspore.float32 or numpy.float32.")


def own_dtype(value: Any, name: str) -> Any:
    """Return NumPy's dtype for a MindSpore dtype; unlike `dtype_like`, accept no others."""
    try:
        found = dtype_like(value, name)
    except TypeError:
        raise wrong_dtype(value, name, "") from None
    if found.kind in "OV":
        raise wrong_dtype(value, name, "")
    return found


flag, text = kind_of(bool), kind_of(str)


def integer(low: int = INT32_MIN, high: int = INT32_MAX) -> Check:
    """Return a check for an int between the limits."""
    return partial(check_int, low=low, high=high)


def real(low: float = -FLOAT_MAX_INTEGER, high: float = FLOAT_MAX_INTEGER, above: bool = False) -> Check:
    """Return a check for a number between the limits; with `above` the lower one is excluded."""
    return partial(check_real, low=low, high=high, above=above)


def with_default(default: Any, check: Check) -> Check:
    """Return `check` with a default in place of None."""
    return lambda value, name: default if value is None else check(value, name)


def several(
    one: Check, counts: tuple[int, ...] = (2,), spread: Callable[[Any], tuple] | None = None, is_ordered: bool = False
) -> Check:
    """Return a check for a list or tuple of so many values, each checked by `one`; stored as a tuple.

    Args:
        counts: lengths that are allowed; without one every length is.
        spread: makes the tuple of a single value, where that may stand for all.
        is_ordered: the values are pairs (min, max).
    """

    def check(value: Any, name: str) -> tuple:
        if isinstance(value, (list, tuple)):
            values = tuple(one(item, f"{name}[{place}]") for place, item in enumerate(value))
            if counts and len(values) not in counts:
                raise TypeError(f"{name} needs {' or '.join(map(str, counts))} values, but got {value}.")
        elif spread is None:
            raise TypeError(f"{name} must be a list or tuple, but got {value!r}.")
        else:
            values = spread(one(value, name))
        if is_ordered and any(low > high for low, high in zip(values[::2], values[1::2], strict=True)):
            raise ValueError(f"{name} must be in (min, max) format, but got {value}.")
        return values

    return check
