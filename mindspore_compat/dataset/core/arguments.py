"""Arguments of operations, each on one line with its check: ``gain: Annotated[float, real(0, 100)] = 20.0``.

A check is ``check(value, name) -> what is kept``; it raises upstream's error, in the words of `validator_helpers`.
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
    quoted,
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
    "number",
    "own_dtype",
    "real",
    "text",
    "wanted",
]

Check = Callable[[Any, str], Any]
Class = TypeVar("Class", bound=type)


@dataclass_transform(eq_default=False)
def arguments(cls: Class) -> Class:
    """Decorator: the annotated attributes of a class (and of its bases that have it) are the arguments of ``__init__``.

    They are checked in their order (those that the class names in `checked_first` before) and kept under their names,
    then `_prepare` is called. None passes where it is the default.
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
        first = type(self).checked_first if hasattr(type(self), "checked_first") else ()
        for name in (*first, *(name for name in rows if name not in first)):
            default, check = rows[name]
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
    """A value of one of the types; a bool is no int."""
    return partial(_kind, types=types)


def dtype_like(value: Any, name: str) -> Any:
    """A dtype as users write it; kept as NumPy's."""
    try:
        if value is not None:
            return numpy_dtype(value)
    except TypeError as error:
        if "bfloat16" in str(error):
            raise
    raise wrong_dtype(value, name)


def wrong_dtype(value: Any, name: str, types: str = "<class 'numpy.dtype'>") -> Exception:
    """The error for what is no dtype; `types` are those that upstream names besides its own."""
    shown = "[" + ", ".join(filter(None, ("<class 'mindspore._c_expression.typing.Type'>", types))) + "]"
    words = f"Argument {name} with value {quoted(value)} is not of type {shown}, but got {type(value)}."
    return refused(TypeError, words, value, "Give a type such as mindspore.float32 or numpy.float32.")


def own_dtype(value: Any, name: str) -> Any:
    """As `dtype_like`, where upstream takes only dtypes of its own; kept as NumPy's."""
    try:
        found = dtype_like(value, name)
    except TypeError:
        raise wrong_dtype(value, name, "") from None
    if found.kind in "OV":
        raise wrong_dtype(value, name, "")
    return found


flag, text = kind_of(bool), kind_of(str)


def wanted(kind: type | tuple[type, ...], shown: str) -> Check:
    """A value of that kind, in the words of the text operations: ``should be {shown}``."""

    def check(value: Any, name: str) -> Any:
        if not isinstance(value, kind):
            raise refused(TypeError, f"Wrong input type for {name}, should be {shown}.", value)
        return value

    return check


def integer(low: int = INT32_MIN, high: int = INT32_MAX, is_named: bool = True) -> Check:
    """An int between the limits; some messages of upstream do not name the argument."""
    return partial(check_int, low=low, high=high, is_named=is_named)


def real(
    low: float = -FLOAT_MAX_INTEGER,
    high: float = FLOAT_MAX_INTEGER,
    above: bool = False,
    types: tuple[type, ...] = (float, int),
    is_named: bool = True,
) -> Check:
    """An int or float between the limits; with `above` not the lower one. `types`: their order
    in a message.
    """
    return partial(check_real, low=low, high=high, above=above, types=types, is_named=is_named)


#: `real` for the arguments whose message names int first
number = partial(real, types=(int, float))
