"""How the operators in class form are declared: one function each, over the functions of ``ops.function``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

from mindspore_compat.ops.primitive import Primitive

__all__ = ["plain", "primitive"]

_set_name = Primitive.__init__


class _Signature:
    """The constructor's signature for ``inspect``, made when it is asked for: 280 of them would cost 20 ms of import
    time.
    """

    def __init__(self, constructor: Callable[..., Any]) -> None:
        self.constructor = constructor

    def __get__(self, instance: Any, owner: type) -> inspect.Signature:
        return inspect.signature(self.constructor if instance is None else instance._run)


def _no_arguments() -> None:
    """The constructor of an operator without attributes."""


_PLAIN_SIGNATURE = _Signature(_no_arguments)


def plain(name: str, function: Callable[..., Any]) -> Any:
    """A Primitive class without attributes: an instance called is ``function`` called."""

    def __init__(self: Any) -> None:
        _set_name(self, name)

    return type(
        name,
        (Primitive,),
        {
            "__init__": __init__,
            "__call__": staticmethod(function),
            "_run": staticmethod(function),
            "__module__": sys._getframe(1).f_globals["__name__"],
            "__doc__": function.__doc__,
            "__signature__": _PLAIN_SIGNATURE,
        },
    )


class _Declared(Primitive):
    """What all operators with attributes share: they are copied and pickled by the arguments they were made with."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __reduce__(self) -> Any:
        return _restore, (type(self), {key: value for key, value in self.init_attrs.items() if key != "name"})

    def __deepcopy__(self, memo: dict) -> Any:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, attrs=dict(self.attrs))
        return copy


def _restore(cls: Any, attributes: dict[str, Any]) -> Any:
    return cls(**attributes)


def primitive(constructor: Callable[..., Callable[..., Any]]) -> Any:
    """Decorator: a Primitive class from a function of its constructor's arguments that returns the computation.

    The arguments become attributes.
    """
    name = constructor.__name__
    code = constructor.__code__
    names = code.co_varnames[: code.co_argcount]
    values = constructor.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(values) :], values))

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        run = constructor(*args, **kwargs)
        attributes = {**defaults, **dict(zip(names, args)), **kwargs}
        self.__dict__.update(
            attributes,
            _run=run,
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
            "__doc__": constructor.__doc__,
            "__module__": constructor.__module__,
            "__signature__": _Signature(constructor),
        },
    )
