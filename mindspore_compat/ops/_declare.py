"""How the operators in class form are declared: one function each, over the functions of ``ops.function``."""
from __future__ import annotations

import functools
import inspect
import sys
from typing import Any, Callable

from mindspore_compat.ops.primitive import Primitive

__all__ = ["plain", "primitive"]


def _calling_module() -> str:
    return sys._getframe(2).f_globals["__name__"]


def plain(name: str, function: Callable[..., Any]) -> Any:
    """A Primitive class without attributes: an instance called is ``function`` called."""
    def __init__(self: Any) -> None:
        Primitive.__init__(self, name)
    return type(name, (Primitive,), {"__init__": __init__, "__call__": staticmethod(function), "__module__": _calling_module(),
                                     "__doc__": function.__doc__})


def primitive(constructor: Callable[..., Callable[..., Any]]) -> Any:
    """Decorator: a Primitive class from a function of its constructor's arguments that returns the computation.

    The arguments become attributes. Instances are copied and pickled by their arguments.
    """
    name = constructor.__name__
    signature = inspect.signature(constructor)
    names = tuple(signature.parameters)
    defaults = {key: item.default for key, item in signature.parameters.items() if item.default is not inspect.Parameter.empty}

    @functools.wraps(constructor)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        try:
            state["_run"] = constructor(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"For '{name}', {error}") from None if str(error).startswith(f"For '{name}'") else error
        attributes = {**defaults, **dict(zip(names, args)), **kwargs}
        state.update(attributes)
        state.update(name=name, attrs=attributes, init_attrs={"name": name, **attributes}, instance_name="", in_strategy=None,
                     out_strategy=None)

    del __init__.__wrapped__
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *signature.parameters.values()]
    __init__.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    __init__.__name__ = "__init__"

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def __reduce__(self: Any) -> Any:
        return _restore, (type(self), {key: self.init_attrs[key] for key in names if key in self.init_attrs})

    def __deepcopy__(self: Any, memo: dict) -> Any:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__, attrs=dict(self.attrs))
        return copy

    return type(name, (Primitive,), {"__init__": __init__, "__call__": __call__, "__reduce__": __reduce__, "__deepcopy__": __deepcopy__,
                                     "__doc__": constructor.__doc__, "__module__": constructor.__module__})


def _restore(cls: Any, attributes: dict[str, Any]) -> Any:
    return cls(**attributes)
