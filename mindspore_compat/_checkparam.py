"""Argument checks borrowed by scripts of the model zoo. MindSpore: ``mindspore._checkparam`` (functions in 2.x,
``Validator`` and ``Rel`` in 1.x).
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mindspore_compat._api import validate
from mindspore_compat.common import dtype as mstype
from mindspore_compat.common.hook_handle import check_hook_fn  # noqa: F401

EQ, NE, LT, LE, GT, GE = 1, 2, 3, 4, 5, 6
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = 7, 8, 9, 10
IN, NOT_IN = 11, 12


class Rel:
    """Relations, as in 1.x."""

    EQ, NE, LT, LE, GT, GE = EQ, NE, LT, LE, GT, GE
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH


#: relation -> (its sign, its test)
_RELATIONS: dict[int, tuple[str, Callable[[Any, Any], bool]]] = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda value, bound: value in bound),
    NOT_IN: ("not in", lambda value, bound: value not in bound),
}
#: ends that belong to a range
_ENDS = {INC_NEITHER: (False, False), INC_LEFT: (True, False), INC_RIGHT: (False, True), INC_BOTH: (True, True)}


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: Any = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """Raise `excp_cls` unless ``arg_value`` is in the relation to ``value``, called ``value_name`` in the message."""
    sign, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        begin = f"For '{prim_name}', the" if prim_name else "The"
        raise excp_cls(f"{begin} '{arg_name}' must be {sign} {value_name} {value}, but got {arg_value}.")
    return arg_value


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: Any) -> Any:
    """Raise ValueError unless the number is in the relation to ``value``."""
    return check(arg_name, arg_value, "", value, rel, prim_name)


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: Any = None) -> Any:
    """Raise TypeError unless the value is of one of the types; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    return validate.check_type(arg_value, arg_name, types, prim_name)


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """Raise ValueError (as in MindSpore, not TypeError) unless the value is an instance of one of the classes."""
    return validate.check_isinstance(arg_value, arg_name, classes)


def check_string(arg_value: Any, valid_values: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
    """Raise ValueError unless the value is one of the strings."""
    return validate.check_one_of(arg_value, arg_name or "parameter", valid_values, prim_name)


def check_bool(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> bool:
    """Raise TypeError unless the value is a bool."""
    return validate.check_bool(arg_value, arg_name, prim_name)


def check_int(arg_value: Any, value: int, rel: int, arg_name: Any = None, prim_name: Any = None) -> int:
    """Check an int in a relation to ``value``."""
    return check(arg_name, validate.check_int(arg_value, arg_name, prim_name), "", value, rel, prim_name)


def check_float(arg_value: Any, value: float, rel: int, arg_name: Any = None, prim_name: Any = None) -> float:
    """Check a float in a relation to ``value``."""
    return check(arg_name, validate.check_float(arg_value, arg_name, prim_name), "", value, rel, prim_name)


def check_equal_int(arg_value: Any, value: int, arg_name: Any = None, prim_name: Any = None) -> int:
    """Check that an int equals ``value``."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_int_range(
    arg_value: Any, lower_limit: int, upper_limit: int, rel: int, arg_name: Any = None, prim_name: Any = None
) -> int:
    """Check an int in a range; NumPy's numbers of any type are accepted."""
    kinds = (int, np.generic)
    return validate.check_number(arg_value, arg_name, prim_name, kinds, lower_limit, upper_limit, _ENDS[rel])


def check_float_range(
    arg_value: Any, lower_limit: float, upper_limit: float, rel: int, arg_name: Any = None, prim_name: Any = None
) -> float:
    """Check a float in a range, no int; NumPy's numbers of any type are accepted."""
    kinds = (float, np.generic)
    return validate.check_number(arg_value, arg_name, prim_name, kinds, lower_limit, upper_limit, _ENDS[rel])


def _beside_zero(kind: str, rel: int, name: str) -> Callable[..., Any]:
    check_one = check_int if kind == "int" else check_float

    def check_sign(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
        return check_one(arg_value, 0, rel, arg_name, prim_name)

    check_sign.__name__ = check_sign.__qualname__ = name
    check_sign.__doc__ = f"The value, which must be of {kind} and {_RELATIONS[rel][0]} 0."
    return check_sign


check_positive_int = _beside_zero("int", GT, "check_positive_int")
check_non_negative_int = _beside_zero("int", GE, "check_non_negative_int")
check_negative_int = _beside_zero("int", LT, "check_negative_int")
check_non_positive_int = _beside_zero("int", LE, "check_non_positive_int")
check_positive_float = _beside_zero("float", GT, "check_positive_float")
check_non_negative_float = _beside_zero("float", GE, "check_non_negative_float")
check_negative_float = _beside_zero("float", LT, "check_negative_float")
check_non_positive_float = _beside_zero("float", LE, "check_non_positive_float")


def check_is_number(arg_value: Any, arg_type: type, arg_name: Any = None, prim_name: Any = None) -> Any:
    """Check a finite number of that type."""
    return validate.check_number(arg_value, arg_name or "input value", prim_name, (arg_type,))


@functools.wraps(check_is_number)  # as in MindSpore, by whose signature it shows
def check_is_int(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> int:
    """Check an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


@functools.wraps(check_is_number)
def check_is_float(arg_value: Any, arg_name: Any = None, prim_name: Any = None) -> float:
    """Check a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def _of_each(name: str, check_one: Callable[..., Any]) -> Callable[..., Any]:
    def check_sequence(sequence: Any, arg_name: Any = None, prim_name: Any = None) -> Any:
        for index, element in enumerate(sequence):
            check_one(element, f"{arg_name or 'arg_name'}[{index}]", prim_name)
        return sequence

    check_sequence.__name__ = check_sequence.__qualname__ = name
    check_sequence.__doc__ = f"`{check_one.__name__}` of every element."
    return check_sequence


# of releases before 1.0; borrower: mindspore-ai/course
check_int_positive, check_int_non_negative = check_positive_int, check_non_negative_int
check_positive_int_sequence = _of_each("check_positive_int_sequence", check_positive_int)
check_non_negative_int_sequence = _of_each("check_non_negative_int_sequence", check_non_negative_int)
check_positive_float_sequence = _of_each("check_positive_float_sequence", check_positive_float)


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: Any) -> Any:
    """Raise TypeError unless a data type (or a Tensor type's element type) is valid; return it."""
    valid_types = valid_types if isinstance(valid_types, Iterable) else (valid_types,)
    element = getattr(arg_type, "element_type", None)
    return check(arg_name, element() if callable(element) else arg_type, "", valid_types, IN, prim_name, TypeError)


def check_subclass(
    arg_name: str, type_: Any, template_types: Any, prim_name: Any, addition_error_info: str | None = None
) -> None:
    """Raise TypeError unless a data type is one of the templates, or of their kind (`mindspore.number`)."""
    templates = tuple(template_types) if isinstance(template_types, Iterable) else (template_types,)
    if not any(type_ is one or mstype._issubclass_(type_, one) for one in templates):
        raise TypeError(
            f"For '{prim_name}', the type of '{arg_name}' must be one of {templates}, but got {type_}. "
            f"{addition_error_info or ''}"
        )


def check_types_same_and_valid(args: dict[str, Any], valid_values: Any, prim_name: Any) -> None:
    """Raise TypeError unless all data types (name -> type) are equal and of the valid kinds."""
    for name, kind in args.items():
        check_subclass(name, kind, valid_values, prim_name)
    if len(set(args.values())) > 1:
        raise TypeError(f"For '{prim_name}', the types of {list(args)} must be the same, but got {args}.")


def check_element_type_of_iterable(arg_name: str, arg_value: Any, valid_types: Any, prim_name: Any = None) -> None:
    """Raise TypeError unless it is a list or tuple with elements of the types."""
    for element in check_value_type(arg_name, arg_value, [list, tuple], prim_name):
        check_value_type(arg_name, element, valid_types, prim_name)


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function: raise TypeError for an argument that is neither None nor of the type under its name."""

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
        items = value if isinstance(value, tuple) else (value,) * size
        if len(items) != size or not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
            raise TypeError(f"The value must be an int or a tuple of {size} ints, but got {value!r}.")
        return items

    return expand


once, twice, triple = _expanded(1), _expanded(2), _expanded(3)


def _check_3d_int_or_tuple(arg_name: str, arg_value: Any, prim_name: str) -> tuple[int, ...]:
    """Return a size of three axes as a tuple; MindNLP (`mindnlp/_legacy/hypercomplex`) imports it."""
    return triple(arg_value)


def check_and_canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return an axis or a tuple of axes as a tuple of axes from 0."""
    return tuple(axis % ndim for axis in (axes if isinstance(axes, (list, tuple)) else (axes,)))


class Validator(Rel):
    """1.x's class of the checks, with its older signatures where they differ. It also has the relations: code that uses
    this class if it exists, and 2.x's module otherwise, reads `validator.EQ`.
    """

    @staticmethod
    def check_integer(arg_name: str, arg_value: Any, value: int, rel: int, prim_name: Any = None) -> int:
        """Check an int in a relation to ``value``."""
        return check_int(arg_value, value, rel, arg_name, prim_name)

    @staticmethod
    def check_float_positive(arg_name: str, arg_value: Any, prim_name: Any = None) -> float:
        """Check a number above 0."""
        return check_positive_float(arg_value, arg_name, prim_name)

    @staticmethod
    def check_float_legal_value(arg_name: str, arg_value: Any, prim_name: Any = None) -> float:
        """Check a finite number."""
        return validate.check_number(arg_value, arg_name, prim_name, (float, int))


_CHECKS = [name for name, item in list(globals().items()) if name.startswith("check") and inspect.isfunction(item)]
for _name in _CHECKS:
    setattr(Validator, _name, staticmethod(globals()[_name]))
__all__ = [
    *_CHECKS,
    *(name for name in vars(Rel) if name.isupper()),
    *("IN", "NOT_IN", "Rel", "Validator", "args_type_check", "check_hook_fn", "once", "triple", "twice"),
]
