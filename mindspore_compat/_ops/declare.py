"""Declarations of operators. `op` declares a function, with its names in earlier releases and as a method of Tensor;
`primitive_class` declares the class over a function, and `primitive` a class from a function of its constructor's
arguments. The last lines of each file of operators collect both (`functions`, `classes`).

Arguments of a constructor with a ``Literal`` annotation, or ``Annotated`` with a check, are checked by it. Other
annotations are only shown.
"""

from __future__ import annotations

import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from mindspore_compat._api.former_names import accept_aliases
from mindspore_compat._api.validate import check_positive_int, check_str_in
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype, with_dtype_fallback
from mindspore_compat._ops.examples import EXAMPLES
from mindspore_compat._ops.primitive import Primitive

T = TypeVar("T")
Bool = bool
Int = int
PositiveInt = Annotated[int, check_positive_int]
Typed = Annotated[T, None]
Ints = Annotated[T, None]

_set_name = Primitive.__init__
_PRIMITIVES = Primitive.__module__

#: Tensor method -> the function that it is
METHODS: dict[str, Callable[..., Any]] = {}
#: operator -> (the function that computes it, without `with_dtype_fallback`; other names of arguments, not known to it)
_DIRECT: dict[Callable[..., Any], tuple[Callable[..., Any], frozenset[str]]] = {}


def op(
    function: Any = None,
    *,
    formerly: str = "",
    method: str = "",
    in_method: str = "",
    shown: str = "",
    hidden: str = "",
    name: str = "",
    fallback: bool = True,
    listed: bool = True,
) -> Any:
    """Declare a function as an operator of ``mindspore.ops``. Use as decorator, with or without arguments.

    Args:
        formerly: names of its arguments in earlier releases, "OLD=NEW ...".
        method: names of Tensor's methods that are this function.
        in_method: other names of the methods' arguments, "OLD=NEW ...".
        shown: MindSpore's names of its first arguments, if they differ; its own names work as well.
        hidden: arguments that the signature does not show: libraries detect MindSpore's release by it.
        name: another name.
        fallback: whether to compute in a wider dtype where torch has no kernel (`with_dtype_fallback`).
        listed: False for a method without a function in ``mindspore.ops``.
    """
    if function is None:
        return functools.partial(
            op,
            formerly=formerly,
            method=method,
            in_method=in_method,
            shown=shown,
            hidden=hidden,
            name=name,
            fallback=fallback,
            listed=listed,
        )
    signature = inspect.signature(function) if shown or hidden else None
    called = with_dtype_fallback(function) if fallback else function
    aliases = dict(item.split("=") for item in formerly.split())
    if signature is not None:
        own = list(signature.parameters.values())
        new = dict(zip([item.name for item in own], shown.split()))
        aliases |= {to: of for of, to in new.items() if of != to}
        parameters = [
            item.replace(name=new.get(item.name, item.name)) for item in own if item.name not in hidden.split()
        ]
        signature = signature.replace(parameters=parameters)
    if aliases or name:
        called = accept_aliases(called, aliases)
    if signature is not None:
        called.__signature__ = signature
    if name:
        called.__name__ = called.__qualname__ = name
    called._is_listed = listed
    direct, others = _DIRECT.get(function, (function, frozenset()))
    _DIRECT[called] = direct, others | aliases.keys()
    names = dict(item.split("=") for item in in_method.split())
    METHODS.update(dict.fromkeys(method.split(), accept_aliases(called, names) if names else called))
    return called


def named(function: Any, name: str, doc: str) -> Any:
    """Return ``function``, one of a family, with its name and docstring."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def functions(members: Mapping[str, Any]) -> list[str]:
    """Return the names of a file's operators as functions: those that `op` has declared."""
    return [
        name
        for name, item in members.items()
        if name[0] != "_" and getattr(item, "_is_listed", False) is True and not isinstance(item, type)
    ]


def classes(members: Mapping[str, Any]) -> dict[str, type]:
    """Return the operators in class form of a file (``globals()``) by name."""
    return {
        name: item
        for name, item in members.items()
        if isinstance(item, type) and issubclass(item, Primitive) and name[0] != "_" and item.__module__ != _PRIMITIVES
    }


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


def primitive_class(
    name: str,
    function: Callable[..., Any],
    doc: str | None = None,
    /,
    *,
    inputs: str = "",
    settable: bool = False,
    **arguments: tuple[Any, ...],
) -> Any:
    """Return a Primitive class whose instances call ``function`` with their inputs, then with the arguments of the
    constructor by name.

    Args:
        doc: the docstring, None for that of the function.
        inputs: MindSpore's names of the inputs, if the function has others.
        settable: whether ``operator.axis = 1`` counts, as with some of MindSpore's operators. For the others
            `Primitive.add_prim_attr` does.
        arguments: constructor argument -> (annotation, default), the default ``...`` if it must be given; as a third
            item the function's name for it, None if the function does not take it.
    """
    module = sys._getframe(1).f_globals["__name__"]
    return _of_row(name, (function, doc, arguments), module, inputs, settable)


def _without_attributes(name: str, function: Callable[..., Any], doc: str | None, module: str, inputs: str) -> Any:
    names = tuple(inputs.split())
    direct = _DIRECT[function][0] if function in _DIRECT else function

    def __init__(self: Any) -> None:
        _set_name(self, name)

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args, kwargs = _positional(names, args, kwargs)
        try:
            return function(*args, **kwargs) if kwargs else direct(*args)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, function, args, kwargs, name)

    return type(
        name,
        (Primitive,),
        {
            "__init__": __init__,
            "__call__": __call__,
            "_run": staticmethod(function),
            "_inputs": names,
            "__module__": module,
            "__doc__": _documented(name, doc),
            "__signature__": _PLAIN_SIGNATURE,
        },
    )


def _positional(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the call with inputs under MindSpore's names moved to their positions."""
    rest = dict(kwargs)
    for name in names[len(args) :]:
        if name not in rest:
            break
        args = (*args, rest.pop(name))
    return args, rest


class _Declared(Primitive):
    """Base of all operators with attributes: copied and pickled by their arguments."""

    _inputs: tuple[str, ...] = ()
    _is_settable = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            for name in kwargs.keys() & getattr(self._run, "keywords", {}).keys():
                raise TypeError(f"{type(self).__name__}: {name!r} is an argument of the constructor, not of the call")
            args, kwargs = _positional(self._inputs, args, kwargs)
        try:
            return self._run(*args, **kwargs)
        except (IndexError, RuntimeError) as error:
            return retry_in_wider_dtype(error, self._run, args, kwargs, self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if self._is_settable and "_run" in self.__dict__:
            _set_later(self, self._as_declared(), name, value)

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        super().add_prim_attr(name, value)
        if "_run" in self.__dict__:
            _set_later(self, self._as_declared(), name, value)
        return self

    def _as_declared(self) -> Any:
        """Return the class as declared; a script may have derived from it."""
        return next(cls for cls in type(self).__mro__ if _Declared in cls.__bases__)

    def __reduce__(self) -> Any:
        return _restore, (type(self), {key: value for key, value in self.init_attrs.items() if key != "name"})

    def __deepcopy__(self, memo: dict) -> Any:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, attrs=dict(self.attrs))
        return copy


def _set_later(operator: Any, declared: Any, name: str, value: Any) -> None:
    """Let ``operator`` compute as if constructed with ``value`` for the argument ``name``. Raise the constructor's
    error if it refuses the value.
    """
    given = {key: item for key, item in operator.__dict__["init_attrs"].items() if key != "name"}
    if name not in given or given[name] is value:
        return
    given[name] = value
    made = declared(**given)
    operator.__dict__.update(_run=made._run, init_attrs=made.init_attrs)


def _restore(cls: Any, attributes: dict[str, Any]) -> Any:
    return cls(**attributes)


def primitive(
    constructor: Any = None, *, inputs: str = "", settable: bool = False, name: str = "", doc: str = ""
) -> Any:
    """Make a Primitive class from a function of its constructor's arguments that returns the computation. The arguments
    become attributes. Use as decorator, with or without arguments.

    Args:
        inputs: MindSpore's names of the inputs, if the computation has others.
        settable: as for `primitive_class`.
        name, doc: of the class, if they are not the function's.
    """
    if constructor is None:
        return functools.partial(primitive, inputs=inputs, settable=settable, name=name, doc=doc)
    code, values = constructor.__code__, constructor.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return _class(
        name or constructor.__name__,
        doc or constructor.__doc__,
        constructor.__module__,
        names,
        dict(zip(names[len(names) - len(values) :], values)),
        lambda: get_type_hints(constructor, include_extras=True),
        lambda args, kwargs, attributes: constructor(*args, **kwargs),
        lambda: inspect.signature(constructor),
        inputs,
        settable,
    )


def row(function: Callable[..., Any], doc: str | None = None, /, **arguments: tuple[Any, ...]) -> Any:
    """Return an operator with attributes for a table (`declared`), as `primitive_class`."""
    return function, doc, arguments


def declared(table: Mapping[str, Any], module: str) -> dict[str, Any]:
    """Return name -> Primitive class, of rows and of functions; functions are operators without attributes."""
    rows = {name: item if isinstance(item, tuple) else (item, None, {}) for name, item in table.items()}
    return {name: _of_row(name, item, module) for name, item in rows.items()}


def _of_row(name: str, item: tuple[Any, ...], module: str, inputs: str = "", settable: bool = False) -> Any:
    function, doc, arguments = item
    doc = doc or function.__doc__
    if not arguments:
        return _without_attributes(name, function, doc, module, inputs)
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
    direct, others = _DIRECT.get(function, (function, frozenset()))
    if not hasattr(function, "__signature__") and others.isdisjoint(to for _, to in passed):
        function = direct  # an instance catches the error of a missing kernel itself

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

    documented = _documented(name, doc)
    return _class(name, documented, module, names, defaults, lambda: annotations, run, signature, inputs, settable)


def _class(
    name: str,
    doc: str | None,
    module: str,
    names: tuple[str, ...],
    defaults: dict[str, Any],
    annotations: Callable[[], Mapping[str, Any]],
    make: Callable[[tuple[Any, ...], dict[str, Any], dict[str, Any]], Callable[..., Any]],
    signature: Callable[[], inspect.Signature],
    inputs: str = "",
    settable: bool = False,
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
        {
            "__init__": __init__,
            "__doc__": doc,
            "__module__": module,
            "__signature__": _Signature(signature),
            "_inputs": tuple(inputs.split()),
            "_is_settable": settable,
        },
    )
