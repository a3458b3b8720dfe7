"""Functions and methods that raise MindSpore's exceptions where torch refuses an axis, a shape or a dtype; unsigned
integers for which torch lacks a kernel they compute as wider ones.

Cells do so for all that runs in them (`nn.Cell.__call__`); this is for what is called outside. A wrapper with the
arguments of what it calls costs 30 to 60 ns of a call, one that takes any arguments 10 times as much: so its text is
made from the signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from types import FunctionType
from typing import Any

from mindspore_compat.common._lacking import retried
from mindspore_compat.common._refusals import refused

__all__ = ["handed_on", "otherwise", "telling_text", "tells_of_refusals"]

_NOTHING: Mapping[str, Any] = {}
_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def telling_text(name: str, arguments: str, call: str, instead: str) -> str:
    """The text of a function that gives ``call``, or does ``instead`` where torch refuses that."""
    return (
        f"def {name}({arguments}):\n"
        f"    try:\n        return {call}\n"
        f"    except (IndexError, RuntimeError) as error:\n        {instead}\n"
    )


def handed_on(signature: inspect.Signature, more: str = "") -> str:
    """A tuple and a dict of all arguments of a function with the signature, as text; ``more`` goes into the dict."""
    given, named = "", more
    for item in signature.parameters.values():
        if item.kind is item.KEYWORD_ONLY:
            named += f"{item.name!r}: {item.name}, "
        elif item.kind is item.VAR_KEYWORD:
            named += f"**{item.name}, "
        else:
            given += f"{_STARS.get(item.kind, '')}{item.name}, "
    return f"({given}), {{{named}}}"


def otherwise(
    error: Exception, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any] = _NOTHING
) -> Any:
    """What ``function`` gives of unsigned integers where torch, which raised ``error``, has no kernel for them.

    Raises:
        Exception: what MindSpore raises instead of ``error``, if that is not why torch refused.
    """
    try:
        return retried(error, function, args, kwargs)
    except (IndexError, RuntimeError) as found:
        raise refused(found) from None


def tells_of_refusals(
    members: dict[str, Any] | type, names: Iterable[str] | None = None, *, of_one_tensor: bool = True
) -> None:
    """Put a wrapper around the functions of a module (``globals()``, with its ``__all__``), or methods of a class.

    Methods with ``*args`` or ``**kwargs`` catch torch's errors themselves, as a wrapper that hands these on costs them
    more. ``of_one_tensor=False`` leaves out functions of a single argument: element by element, nothing but a dtype is
    refused.
    """
    found = members if isinstance(members, dict) else dict(vars(members))
    own = {name: found[name] for name in names or found if inspect.isfunction(found[name]) and name[0] != "_"}
    made = {
        function: _telling(function)
        for function in dict.fromkeys(own.values())
        if not (isinstance(members, type) and _takes_any(function))
        and (of_one_tensor or len(inspect.signature(function).parameters) > 1)
    }
    for name, function in own.items():  # other names of a function stay names of one
        if function in made and isinstance(members, dict):
            members[name] = made[function]
        elif function in made:
            setattr(members, name, made[function])


def _takes_any(function: Callable[..., Any]) -> bool:
    return bool(inspect.unwrap(function).__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))


def _telling(function: Callable[..., Any]) -> Callable[..., Any]:
    given, passed = [], []
    called = _by_position(function)
    for item in inspect.signature(function).parameters.values():
        name, is_named = item.name, item.kind is inspect.Parameter.KEYWORD_ONLY
        if item.kind in _STARS:
            given.append(_STARS[item.kind] + name)
            passed.append(given[-1])
            continue
        if is_named and not any(text[0] == "*" for text in given):
            given.append("*")
        given.append(name if item.default is item.empty else f"{name}=None")
        passed.append(f"{name}={name}" if is_named and called is function else name)
    again = handed_on(inspect.signature(function))
    text = telling_text(
        function.__name__,
        ", ".join(given),
        f"_called({', '.join(passed)})",
        f"return _otherwise(error, _function, {again})",
    )
    scope: dict[str, Any] = {"_called": called, "_function": function, "_otherwise": otherwise}
    exec(compile(text, f"<{__name__}>", "exec"), scope)
    made, inner = scope[function.__name__], inspect.unwrap(function)
    made.__defaults__, made.__kwdefaults__ = inner.__defaults__, inner.__kwdefaults__
    return update_wrapper(made, function)


def _by_position(function: Any) -> Any:
    """``function`` with its keyword-only arguments behind the others, since to pass them by name costs 50 ns each."""
    code = function.__code__
    if not code.co_kwonlyargcount or _takes_any(function) or hasattr(function, "__wrapped__"):
        return function
    code = code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)
    return FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
