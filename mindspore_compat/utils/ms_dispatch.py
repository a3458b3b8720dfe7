"""MindSpore: ``mindspore.utils.ms_dispatch``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, get_testing_overrides
from torch.utils._pytree import tree_map

from mindspore_compat._tensor.wrapping import wrap

__all__ = ["MsDispatchMode", "OpFunc"]

#: torch's name -> name of MindSpore's operator
_NAMES = {
    "add": "AddExt",
    "sub": "SubExt",
    "matmul": "MatMulExt",
    "sum": "SumExt",
    "mean": "MeanExt",
    "relu": "ReLU",
    "transpose": "TransposeExtView",
    "cat": "Concat",
    "concat": "Concat",
    "gt": "Greater",
    "ge": "GreaterEqual",
    "lt": "Less",
    "le": "LessEqual",
    "eq": "Equal",
    "ne": "NotEqual",
    "to": "Cast",
    "true_divide": "Div",
}
_IS_OPERATOR: set[Any] = set()


class OpFunc:
    """Operator that is about to run. A call runs it, without the mode, with the arguments that came by name.

    Attributes:
        name: MindSpore's name where it is known, else torch's in capitals ("LayerNorm").
    """

    def __init__(self, function: Callable[..., Any], named: dict[str, Any] | None = None) -> None:
        self._function, self._named = function, named or {}
        name = function.__name__.strip("_")
        self.name = _NAMES.get(name) or "".join(part.capitalize() for part in name.split("_"))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return tree_map(wrap, self._function(*args, **{**self._named, **kwargs}))


def _is_operator(function: Any) -> bool:
    """Return whether it computes, and does not only read an attribute."""
    if not _IS_OPERATOR:
        _IS_OPERATOR.update(get_testing_overrides())
    name = getattr(function, "__name__", "__get__")
    looks = name in (
        "__get__",
        "__set__",
        "dim",
        "size",
        "numel",
        "element_size",
        "stride",
        "detach",
        "numpy",
        "tolist",
    )
    return function in _IS_OPERATOR and not looks and not name.startswith(("is_", "has_", "requires_grad", "data_ptr"))


class _Functions(TorchFunctionMode):
    def __init__(self, owner: MsDispatchMode) -> None:
        super().__init__()
        self.owner = owner

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not _is_operator(func):
            with torch._C.DisableTorchFunction():
                return func(*args, **(kwargs or {}))
        return self.owner.__ms_dispatch__(OpFunc(func, kwargs), args, None)


class MsDispatchMode:
    """Mode that gets each operator of the ``with`` block, or of the decorated function, in place of running it. Among
    nested modes the innermost gets it.

    Subclasses define ``__ms_dispatch__(self, func, args, kwargs=None)``, which returns the operator's result; ``func``
    is an `OpFunc`.

    Examples:
        >>> class Log(MsDispatchMode):
        ...     def __ms_dispatch__(self, func, args, kwargs=None):
        ...         print(func.name)
        ...         return func(*args)
        >>> with Log():
        ...     x = Tensor([1.0]).exp()
        Exp
    """

    def __enter__(self) -> MsDispatchMode:
        modes = self.__dict__.setdefault("_modes", [])
        modes.append(_Functions(self))
        modes[-1].__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.__dict__["_modes"].pop().__exit__(*error)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return run

    def __ms_dispatch__(self, func: OpFunc, args: tuple, kwargs: dict[str, Any] | None = None) -> Any:
        """Return the result of an operator."""
        raise NotImplementedError(f"'{type(self).__name__}' must define '__ms_dispatch__(self, func, args, kwargs)'.")
