"""Argument checks that scripts of the model zoo borrow. Upstream: ``mindspore._checkparam`` (functions in 2.x,
``Validator`` and ``Rel`` in 1.x).
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mindspore_compat._api import validate
from mindspore_compat.common import dtype as mstype
from mindspore_compat.common.hook_handle import check_hook_fn

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
    "IN",
    "NOT_IN",
    "args_type_check",
    "check",
    "check_element_type_of_dict",
    "check_element_type_of_iterable",
    "check_float",
    "check_int",
    "check_is_float",
    "check_is_int",
    "check_is_number",
    "check_negative_float",
    "check_negative_int",
    "check_non_negative_int_sequence",
    "check_non_positive_float",
    "check_non_positive_int",
    "check_number",
    "check_positive_float_sequence",
    "check_positive_int_sequence",
    "check_subclass",
    "check_type_name",
    "check_types_same_and_valid",
    "check_valid_input",
    "once",
    "twice",
    "triple",
    "check_value_type",
    "check_isinstance",
    "check_file_name_by_regular",
    "check_hook_fn",
    "check_str_and_none_by_regular",
    "check_str_by_regular",
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
IN, NOT_IN = 11, 12


class Rel:
    """Relations, as in 1.x."""

    EQ, NE, LT, LE, GT, GE = EQ, NE, LT, LE, GT, GE
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH


#: relation -> (how it is written, what decides)
_COMPARISONS: dict[int, tuple[str, Callable[[Any, Any], bool]]] = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda value, bound: value in bound),
    NOT_IN: ("not in", lambda value, bound: value not in bound),
}
#: which ends belong to a range
_ENDS = {INC_NEITHER: (False, False), INC_LEFT: (True, False), INC_RIGHT: (False, True), INC_BOTH: (True, True)}


def _compared(value: Any, bound: Any, relation: int, kind: type, arg_name: Any, prim_name: Any) -> Any:
    return validate.check_relation(value, arg_name, prim_name, kind, _COMPARISONS[relation][0], bound, ints=True)


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
    """An int in a range; numbers of NumPy are taken whatever their type."""
    return validate.check_range(arg_value, arg_name, prim_name, (int, np.generic), lower_limit, upper_limit, _ENDS[rel])


def check_positive_float(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> float:
    """A float above 0."""
    return check_float(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> float:
    """A float from 0 on."""
    return check_float(arg_value, 0, GE, arg_name, prim_name)


def check_float_range(
    arg_value: Any, lower_limit: float, upper_limit: float, rel: int, arg_name: Any = None, prim_name: Any = None
) -> float:
    """A float in a range, no int; numbers of NumPy are taken whatever their type."""
    return validate.check_range(
        arg_value, arg_name, prim_name, (float, np.generic), lower_limit, upper_limit, _ENDS[rel]
    )


def check_int(arg_value: Any, value: int, rel: int, arg_name: Any = None, prim_name: Any = None) -> int:
    """An int that stands in a relation to ``value``."""
    return _compared(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value: Any, value: float, rel: int, arg_name: Any = None, prim_name: Any = None) -> float:
    """A float that stands in a relation to ``value``."""
    return validate.check_relation(arg_value, arg_name, prim_name, float, _COMPARISONS[rel][0], value)


def check_is_number(arg_value: Any, arg_type: type, arg_name: Any = None, prim_name: Any = None) -> Any:
    """A finite number of that type."""
    if arg_type is int:
        return validate.check_int(arg_value, arg_name, prim_name)
    return validate.check_float(arg_value, arg_name or "input value", prim_name)


check_is_int = functools.wraps(check_is_number)(
    lambda arg_value, arg_name=None, prim_name=None: check_is_number(arg_value, int, arg_name, prim_name)
)
check_is_float = functools.wraps(check_is_number)(
    lambda arg_value, arg_name=None, prim_name=None: check_is_number(arg_value, float, arg_name, prim_name)
)


def _beside_zero(name: str, check_one: Callable[..., Any], rel: int, what: str) -> Callable[..., Any]:
    def check_sign(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
        return check_one(arg_value, 0, rel, arg_name, prim_name)

    check_sign.__name__ = check_sign.__qualname__ = name
    check_sign.__doc__ = f"{what}."
    return check_sign


check_negative_int = _beside_zero("check_negative_int", check_int, LT, "An int below 0")
check_non_positive_int = _beside_zero("check_non_positive_int", check_int, LE, "An int of at most 0")
check_negative_float = _beside_zero("check_negative_float", check_float, LT, "A float below 0")
check_non_positive_float = _beside_zero("check_non_positive_float", check_float, LE, "A float of at most 0")


def _of_each(name: str, check_one: Callable[..., Any]) -> Callable[..., Any]:
    def check_sequence(sequence: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
        for index, element in enumerate(sequence):
            check_one(element, f"{arg_name or 'arg_name'}[{index}]", prim_name)
        return sequence

    check_sequence.__name__ = check_sequence.__qualname__ = name
    check_sequence.__doc__ = f"`{check_one.__name__}` of every element."
    return check_sequence


check_positive_int_sequence = _of_each("check_positive_int_sequence", check_positive_int)
check_non_negative_int_sequence = _of_each("check_non_negative_int_sequence", check_non_negative_int)
check_positive_float_sequence = _of_each("check_positive_float_sequence", check_positive_float)


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: Any = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """`excp_cls` unless ``arg_value`` stands in the relation to ``value``, which the message calls ``value_name``."""
    sign, holds = _COMPARISONS[rel]
    if not holds(arg_value, value):
        begin = f"For '{prim_name}', the" if prim_name else "The"
        subject = arg_name if " " in arg_name else f"'{arg_name}'"
        raise excp_cls(f"{begin} {subject} should be {sign} {value_name}: {value}, but got {arg_value}.")
    return arg_value


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: Any) -> Any:
    """ValueError unless the number stands in the relation to ``value``."""
    sign, holds = _COMPARISONS[rel]
    if not holds(arg_value, value):
        raise ValueError(f"For '{prim_name}', the argument '{arg_name}' must {sign} {value}, but got {arg_value}.")
    return arg_value


def check_valid_input(arg_name: str, arg_value: Any, prim_name: Any) -> Any:
    """ValueError for None."""
    if arg_value is None:
        raise ValueError(f"For '{prim_name}', the argument '{arg_name}'can not be None, but got {arg_value}.")
    return arg_value


def _name_of(kind: Any) -> Any:
    return getattr(kind, "__name__", kind)


def _names_of(kinds: Any) -> Any:
    names = [_name_of(kind) for kind in kinds]
    return f"one of {names}" if len(names) > 1 else names[0]


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: Any) -> Any:
    """TypeError unless a data type (or the element type of a Tensor type) is one of the valid ones; returns it."""
    valid_types = valid_types if isinstance(valid_types, Iterable) else (valid_types,)
    element = getattr(arg_type, "element_type", None)
    arg_type = element() if callable(element) else arg_type
    if arg_type not in valid_types:
        begin = f"For '{prim_name}', the" if prim_name else "The"
        got = getattr(arg_type, "__name__", repr(arg_type))
        raise TypeError(f"{begin} '{arg_name}' should be {_names_of(valid_types)}, but got '{got}'.")
    return arg_type


def check_types_same_and_valid(args: dict[str, Any], valid_values: Any, prim_name: Any) -> None:
    """TypeError unless all data types (name -> type) are of the valid kinds, and one and the same."""
    names = list(args)
    for name in names:
        check_subclass(name, args[name], valid_values, prim_name)
    for name in names[1:]:
        if args[name] != args[names[0]]:
            raise TypeError(
                f"For '{prim_name}', the type of '{name}' should be same as '{names[0]}', but got '{names[0]}' with "
                f"type {args[names[0]]} and '{name}' with type {args[name]}."
            )


def check_subclass(
    arg_name: str, type_: Any, template_types: Any, prim_name: Any, addition_error_info: str | None = None
) -> None:
    """TypeError unless a data type is one of the templates, or of their kind (`mindspore.number`)."""
    templates = tuple(template_types) if isinstance(template_types, Iterable) else (template_types,)
    if not any(type_ is one or mstype._issubclass_(type_, one) for one in templates):
        got = f"type '{type(type_).__name__}'" if isinstance(type_, (tuple, list)) else str(type_)
        raise TypeError(
            f"For '{prim_name}', the element of '{arg_name}' must be {'one of ' if len(templates) > 1 else ''}"
            f"{', '.join(map(str, templates))}, but got {got}{' ' if addition_error_info else ''}"
            f"{addition_error_info or ''}."
        )


def _check_elements(arg_name: str, elements: Iterable[Any], valid_types: Any, prim_name: Any) -> None:
    for element in elements:
        if not isinstance(element, tuple(valid_types)):
            begin = f"For '{prim_name}', the" if prim_name else "The"
            raise TypeError(
                f"{begin} type of '{arg_name}' should be "
                f"{_names_of(valid_types)}, but got '{element}' with type '{type(element).__name__}'."
            )


def check_element_type_of_iterable(arg_name: str, arg_value: Any, valid_types: Any, prim_name: Any = None) -> None:
    """TypeError unless a list or tuple whose elements are all of the types."""
    check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    _check_elements(arg_name, arg_value, valid_types, prim_name)


def check_element_type_of_dict(
    arg_name: str, arg_value: Any, key_types: Any, value_types: Any, prim_name: Any = None
) -> None:
    """TypeError unless a dict whose keys and values are of the types."""
    check_value_type(arg_name, arg_value, [dict], prim_name)
    _check_elements(arg_name, arg_value, key_types, prim_name)
    _check_elements(arg_name, arg_value.values(), value_types, prim_name)


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: TypeError for an argument that is neither None nor of the type given here under its name."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        types = signature.bind_partial(*type_args, **type_kwargs).arguments
        types = types.get("kwargs", types)

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            for name, value in given.get("kwargs", given).items():
                if name in types and value is not None and not isinstance(value, types[name]):
                    raise TypeError(f"The parameter '{name}' must be {types[name]}, but got {type(value)}")
            return function(*args, **kwargs)

        return checked

    return decorate


def _expanded(size: int) -> Callable[[Any], tuple[int, ...]]:
    def expand(value: Any) -> tuple[int, ...]:
        if isinstance(value, int) and not isinstance(value, bool):
            return (value,) * size
        begin = "When expanding an int number to tuple,"
        if not isinstance(value, tuple):
            raise TypeError(f"{begin} input type must be integer or tuple[int], but got {type(value)}")
        if len(value) != size:
            raise TypeError(f"{begin} input tuple dimension must be {size}, but got {value}")
        for element in value:
            if not isinstance(element, int) or isinstance(element, bool):
                raise TypeError(
                    f"{begin} the type of element in input tuple must be an integer, but got {type(element)}."
                )
        return value

    return expand


once, twice, triple = _expanded(1), _expanded(2), _expanded(3)


def check_str_by_regular(target: str, reg: str | None = None, flag: Any = re.ASCII, prim_name: Any = None) -> bool:
    """True if the regular expression fits: by default letters, digits, ``_`` and ``.``, not beginning with ``.``.

    Raises:
        ValueError: if it does not.
    """
    if re.match(r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg, target, flag):
        return True
    begin = f"For '{prim_name}', the" if prim_name else "The"
    raise ValueError(f"{begin} '{target}' is illegal, it must be match regular'{reg}' by flags'{flag}.'")


def check_str_and_none_by_regular(
    target: str, reg: str | None = None, flag: Any = re.ASCII, prim_name: Any = None
) -> bool:
    """The same; by default ``-`` and the empty string are good, too."""
    return check_str_by_regular(target, r"^\w*[0-9a-zA-Z\_\.\-]*$" if reg is None else reg, flag, prim_name)


def check_file_name_by_regular(target: str, reg: str | None = None, prim_name: Any = None) -> bool:
    """The same for a path: by default what files may be called on Linux.

    Raises:
        TypeError: if it is no string.
    """
    if not isinstance(target, str):
        begin = f"For '{prim_name}', the" if prim_name else "The"
        raise TypeError(f"{begin} '{target}' must be string, but got {type(target)}.")
    if target.endswith(("\\", "/")):
        begin = f"For '{prim_name}', the" if prim_name else "The"
        raise ValueError(f"{begin} '{target}' cannot be a directory path.")
    return check_str_by_regular(target, r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$" if reg is None else reg, 0, prim_name)


class Validator(Rel):
    """1.x's home of the checks, with its older signatures where they differ. It has the relations too: code that takes
    this class where there is one, and 2.x's module else, asks for `validator.EQ`.
    """

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


for _name in __all__:
    if _name.startswith("check") and _name not in vars(Validator):
        setattr(Validator, _name, staticmethod(globals()[_name]))
