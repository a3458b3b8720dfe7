"""Declaration of operators in class form, over the functions of ``ops.function``. Those that only pass arguments on are
rows of tables (`row`, `declared`), the others a function each (`primitive`).

Arguments of a constructor with a ``Literal`` annotation, or ``Annotated`` with a check, are checked by it. Other
annotations are only shown.
"""

from __future__ import annotations

import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from mindspore_compat._api.validate import check_positive_int, check_str_in
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype
from mindspore_compat.ops._examples import EXAMPLES
from mindspore_compat.ops._input_names import positional
from mindspore_compat.ops._set_later import READ_WHEN_CALLED, given_later
from mindspore_compat.ops.primitive import Primitive

__all__ = ["Bool", "Int", "Ints", "PositiveInt", "Typed", "declared", "plain", "primitive", "row"]

T = TypeVar("T")
Bool = bool
Int = int
PositiveInt = Annotated[int, check_positive_int]
Typed = Annotated[T, None]
Ints = Annotated[T, None]

_set_name = Primitive.__init__


_Checks = list[tuple[str, Callable[[Any], Any]]]


def _checks(owner: str, annotations: Mapping[str, Any]) -> _Checks:
    """Return (argument, its check), for those that are checked."""
    found: _Checks = []
    for name, annotation in annotations.items():
        if get_origin(annotation) is Literal:
            check = functools.partial(check_str_in, name=name, choices=get_args(annotation), owner=owner)
            found.append((name, check))
        elif get_origin(annotation) is Annotated and get_args(annotation)[1] is not None:
            found.append((name, functools.partial(get_args(annotation)[1], name=name, owner=owner)))
    return found


class _Signature:
    """Lazy constructor's signature for ``inspect``: 280 eager ones would cost 20 ms of import time."""

    def __init__(self, of_constructor: Callable[[], inspect.Signature]) -> None:
        self.of_constructor = of_constructor

    def __get__(self, instance: Any, owner: type) -> inspect.Signature:
        if instance is None:
            return self.of_constructor()
        signature = inspect.signature(instance._run)
        bound = getattr(instance._run, "keywords", ())
        return signature.replace(parameters=[p for p in signature.parameters.values() if p.name not in bound])


def _documented(name: str, doc: str | None) -> str | None:
    """Return a function's docstring as that of its class: with the class form's example in place of its own."""
    text, section, _ = (doc or "").partition("Examples:\n")
    if name not in EXAMPLES:
        return text.rstrip() if section else doc
    return f"{inspect.cleandoc(text)}\n\nExamples:\n{textwrap.indent(EXAMPLES[name], '    ')}"


_PLAIN_SIGNATURE = _Signature(inspect.Signature)


def plain(name: str, function: Callable[..., Any], module: str | None = None) -> Any:
    """Return a Primitive class without attributes: a call of an instance calls ``function``."""

    def __init__(self: Any) -> None:
        _set_name(self, name)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args, kwargs = positional(name, args, kwargs)
        try:
            return function(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, function, args, kwargs, name)

    return type(
        name,
        (Primitive,),
        {
            "__init__": __init__,
            "__call__": __call__,
            "_run": staticmethod(function),
            "__module__": module or sys._getframe(1).f_globals["__name__"],
            "__doc__": _documented(name, function.__doc__),
            "__signature__": _PLAIN_SIGNATURE,
        },
    )


class _Declared(Primitive):
    """Base of all operators with attributes: copied and pickled by their arguments."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for name in kwargs.keys() & getattr(self._run, "keywords", {}).keys():
                raise TypeError(f"{type(self).__name__}: {name!r} is an argument of the constructor, not of the call")
            args, kwargs = positional(self.name, args, kwargs)
        try:
            return self._run(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, self._run, args, kwargs, self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if "_run" in self.__dict__ and self.name in READ_WHEN_CALLED:
            given_later(self, self._of_upstream(), name, value)

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        super().add_prim_attr(name, value)
        if "_run" in self.__dict__:
            given_later(self, self._of_upstream(), name, value)
        return self

    def _of_upstream(self) -> Any:
        """Return the class as declared; a script may have derived from it."""
        return next(cls for cls in type(self).__mro__ if _Declared in cls.__bases__)

    def __reduce__(self) -> Any:
        return _restore, (type(self), {key: value for key, value in self.init_attrs.items() if key != "name"})

    def __deepcopy__(self, memo: dict) -> Any:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, attrs=dict(self.attrs))
        return copy


def _restore(cls: Any, attributes: dict[str, Any]) -> Any:
    return cls(**attributes)


def primitive(constructor: Callable[..., Callable[..., Any]]) -> Any:
    """Make a Primitive class from a function of its constructor's arguments that returns the computation.

    The arguments become attributes.
    """
    code, values = constructor.__code__, constructor.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return _class(
        constructor.__name__,
        constructor.__doc__,
        constructor.__module__,
        names,
        dict(zip(names[len(names) - len(values) :], values)),
        lambda: get_type_hints(constructor, include_extras=True),
        lambda args, kwargs, attributes: constructor(*args, **kwargs),
        lambda: inspect.signature(constructor),
    )


class _Row(NamedTuple):
    function: Callable[..., Any]
    doc: str | None
    arguments: dict[str, tuple[Any, ...]]


def row(function: Callable[..., Any], doc: str | None = None, /, **arguments: tuple[Any, ...]) -> Any:
    """Return an operator that calls ``function`` with its inputs, then the arguments of its constructor by name.

    Args:
        doc: the docstring, None for that of the function.
        arguments: constructor argument -> (annotation, default), the default ``...`` if it must be given; as a third
            item the function's name for it, None if the function does not take it.
    """
    return _Row(function, doc or function.__doc__, arguments)


def declared(table: Mapping[str, Any], module: str) -> dict[str, Any]:
    """Return name -> Primitive class, of rows and of functions; functions are operators without attributes."""
    return {
        name: _of_row(name, item, module) if isinstance(item, _Row) else plain(name, item, module)
        for name, item in table.items()
    }


def _of_row(name: str, item: _Row, module: str) -> Any:
    function, _, arguments = item
    annotations = {key: annotation for key, (annotation, *_) in arguments.items()}
    defaults = {key: default for key, (_, default, *_) in arguments.items() if default is not ...}
    renamed = {key: (*rest, key)[0] for key, (_, _, *rest) in arguments.items()}
    passed = [(key, to) for key, to in renamed.items() if to is not None]

    def signature() -> inspect.Signature:
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        return inspect.Signature(
            [
                inspect.Parameter(key, kind, default=defaults.get(key, empty), annotation=annotation)
                for key, annotation in annotations.items()
            ]
        )

    names, count, is_direct = tuple(arguments), len(arguments), [*renamed.values()] == [*renamed]

    def run(args: tuple[Any, ...], kwargs: dict[str, Any], attributes: dict[str, Any]) -> Callable[..., Any]:
        fits = len(attributes) == count >= len(args)
        if kwargs and fits:
            fits = attributes.keys() == annotations.keys() and kwargs.keys().isdisjoint(names[: len(args)])
        if not fits:
            try:
                signature().bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{name}() {error}") from None
        return functools.partial(function, **(attributes if is_direct else {to: attributes[key] for key, to in passed}))

    return _class(name, _documented(name, item.doc), module, names, defaults, lambda: annotations, run, signature)


def _class(
    name: str,
    doc: str | None,
    module: str,
    names: tuple[str, ...],
    defaults: dict[str, Any],
    annotations: Callable[[], Mapping[str, Any]],
    make: Callable[[tuple[Any, ...], dict[str, Any], dict[str, Any]], Callable[..., Any]],
    signature: Callable[[], inspect.Signature],
) -> Any:
    """Return a Primitive class whose instances compute what ``make(args, kwargs, attributes)`` returns."""
    checks: _Checks | None = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal checks
        if checks is None:  # at the first instance: reading all annotations would cost 10 ms of import time
            checks = _checks(name, annotations())
        attributes = {**defaults, **dict(zip(names, args)), **kwargs}
        for argument, check in checks:
            if argument in attributes:
                check(attributes[argument])
        self.__dict__.update(
            attributes,
            _run=make(args, kwargs, attributes),
            name=name,
            attrs=attributes,
            init_attrs={"name": name, **attributes},
            instance_name="",
            in_strategy=None,
            out_strategy=None,
        )

    return type(
        name,
        (_Declared,),
        {"__init__": __init__, "__doc__": doc, "__module__": module, "__signature__": _Signature(signature)},
    )
