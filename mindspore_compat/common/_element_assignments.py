"""What assignments to elements do in functions that upstream compiles: ``_element_updates.py`` puts calls of these
functions into the code.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._compiled_meaning import is_compiled
from mindspore_compat.common._in_graph import by_compiled_line
from mindspore_compat.context import is_strict

__all__ = ["CHANGE", "PUT", "PUT_ATTRIBUTE", "REFUSE", "SLICE"]

PUT, CHANGE, PUT_ATTRIBUTE, REFUSE, SLICE = (
    f"__mindspore_compat_{name}__" for name in ("put", "change", "put_attribute", "refuse_in_strict", "slice")
)
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "MatMult": operator.imatmul,
    "BitAnd": operator.iand,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
}


def _put(value: Any, x: Any, *places: Any) -> Any:
    """``x[place]... = value``; gives what ``x`` is then."""
    return _with(x, places, lambda _: value)


def _change(change: str, value: Any, x: Any, *places: Any) -> Any:
    """``x[place]... += value`` and its like."""
    return _with(x, places, lambda element: _OPERATORS[change](element[places[-1]], value))


class UnknownAttributeError(TypeError, AttributeError):
    """An element of an attribute that a Cell does not have."""


def _put_attribute(change: str, value: Any, owner: Any, name: str, known: Any, *places: Any) -> Any:
    """``owner.name[place]... = value``, or as ``change`` says; gives what the method finds under the name from now on,
    None where that is the attribute. ``known``: what it has found there so far.
    """

    def value_of(element: Any) -> Any:
        return _OPERATORS[change](element[places[-1]], value) if change else value

    is_cell = isinstance(owner, torch.nn.Module) and is_compiled() and by_compiled_line(2)
    if is_cell and not hasattr(owner, name):
        raise UnknownAttributeError(f"'self.{name}' should be initialized in the '__init__' function before subscript.")
    held = getattr(owner, name) if known is None else known
    if is_cell:
        _check_strict(owner, name)
        is_tensor = isinstance(held, torch.Tensor) and not isinstance(held, torch.nn.Parameter)
        if is_tensor or type(held) is list:
            return _with(_copied(held, places), places, value_of)
    _write(held, places, value_of)
    return None


def _copied(held: Any, places: tuple[Any, ...]) -> Any:
    """Lists on the way to an element as lists of their own."""
    if type(held) is not list:
        return held
    held = list(held)
    if len(places) > 1:
        held[places[0]] = _copied(held[places[0]], places[1:])
    return held


def _refuse_in_strict(owner: Any, name: str) -> None:
    """Of ``owner.name[place].append(value)``."""
    if isinstance(owner, torch.nn.Module) and is_compiled() and by_compiled_line(2):
        _check_strict(owner, name)


def _check_strict(owner: Any, name: str) -> None:
    """Raise TypeError at the strict level, where elements of Parameters alone may be set."""
    if is_strict(owner.__dict__.get("_is_strict")):
        held = getattr(owner, name)
        if not isinstance(held, torch.nn.Parameter):
            raise TypeError(
                f"When JIT_SYNTAX_LEVEL is not set to LAX, self.{name} should be initialized as a 'Parameter' in the "
                f"'__init__' function to perform assign subscript, but got: {held!r:.100} with type "
                f"'{type(held).__name__}'."
            )


def _with(x: Any, places: tuple[Any, ...], value_of: Callable[[Any], Any]) -> Any:
    """``x`` with a value at a place: the object itself, but where upstream compiles another Tensor if it is one that is
    no Parameter, also in a list or dict.
    """
    if isinstance(x, torch.Tensor) and not isinstance(x, torch.nn.Parameter) and is_compiled():
        x = x.copy()  # type: ignore[attr-defined]
    elif len(places) > 1 and type(x) in (list, dict) and is_compiled():
        x[places[0]] = _with(x[places[0]], places[1:], value_of)
        return x
    _write(x, places, value_of)
    return x


def _write(x: Any, places: tuple[Any, ...], value_of: Callable[[Any], Any]) -> None:
    for place in places[:-1]:
        x = x[place]
    x[places[-1]] = value_of(x)


for _name, _helper in (
    (PUT, _put),
    (CHANGE, _change),
    (PUT_ATTRIBUTE, _put_attribute),
    (REFUSE, _refuse_in_strict),
    (SLICE, slice),
):
    setattr(builtins, _name, _helper)  # the functions keep their globals
