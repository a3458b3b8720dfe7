"""Functions over sequences, and functions chosen by the types of their arguments. MindSpore:
``mindspore.ops.composite.base``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import in_graph
from mindspore_compat.common import dtype as mstype
from mindspore_compat.common.sparse_tensor import COOTensor, CSRTensor, RowTensor

__all__ = """
    MultitypeFuncGraph HyperMap Map add_flags core tail zip_operation env_get iter_converter ms_hasnext
    ms_next
""".split()

__getattr__ = module_getattr(
    __name__, {"GradOperation": "_ops.grad_operation", "recompute_block": "_autograd.cell_bprop"}
)
_Matcher = Callable[[Any], bool]


def _instance_of(*kinds: type) -> _Matcher:
    return lambda value: isinstance(value, kinds)


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _no_value(value: Any) -> bool:
    return False


def _is_scalar(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not value.ndim


_FLOAT, _PARAMETER, _DTYPE = _instance_of(float), _instance_of(torch.nn.Parameter), _instance_of(torch.dtype)
#: Which values a type string of `MultitypeFuncGraph.register` means.
_MATCHERS: dict[str, _Matcher] = {
    **dict.fromkeys("MapTensor UInt Int8 Int16 Float16 Problem EnvType".split(), _no_value),
    **dict.fromkeys("Int Int32 Int64".split(), _is_int),
    **dict.fromkeys("Float Float32 Float64".split(), _FLOAT),
    **dict.fromkeys("Ref Parameter".split(), _PARAMETER),
    **dict.fromkeys("TypeType Type".split(), _DTYPE),
    **dict.fromkeys("Function Func".split(), callable),
    **dict.fromkeys("Dictionary Dict".split(), _instance_of(dict)),
    "Tensor": _instance_of(torch.Tensor),
    "RowTensor": lambda value: type(value) is RowTensor,
    "COOTensor": _instance_of(COOTensor),
    "CSRTensor": _instance_of(CSRTensor),
    "Number": _instance_of(int, float, bool, complex, np.number),
    "Bool": _instance_of(bool),
    "String": _instance_of(str),
    "Tuple": _instance_of(tuple),
    "List": _instance_of(list),
    "Slice": _instance_of(slice),
    "Ellipsis": _instance_of(type(Ellipsis)),
    "None": _instance_of(type(None)),
    "Any": _instance_of(object),
}


def _tensor_of(inner: str) -> _Matcher:
    """Return a type that matches tensors of the dtype of ``Tensor[...]``."""
    kinds: dict[str, _Matcher] = {
        "Float": lambda value: value.dtype.is_floating_point,
        "Number": lambda value: True,
        "Int": lambda value: not value.dtype.is_floating_point,
    }
    wanted = None if inner in kinds else mstype.to_torch_dtype(inner)
    of_dtype = kinds.get(inner) or (lambda value: value.dtype is wanted)
    return lambda value: isinstance(value, torch.Tensor) and of_dtype(value)


def _matcher(type_name: Any) -> _Matcher:
    if isinstance(type_name, str):
        name = type_name.strip()
        if name in _MATCHERS:
            return _MATCHERS[name]
        if name.endswith("]") and name.split("[")[0] in ("Tensor", "Tuple", "List"):
            kind, inner = name[:-1].split("[", 1)
            if kind == "Tensor":
                return _tensor_of(inner)
            return _MATCHERS[kind]
        found = {key.lower(): match for key, match in _MATCHERS.items()}.get(name.lower())
        if found is not None:
            return found
        raise TypeError(
            f"For 'MultitypeFuncGraph', the type {type_name!r} is not known. Use one of {sorted(_MATCHERS)}, or "
            "'Tensor[Float32]'."
        )
    if isinstance(type_name, torch.dtype):
        python_type = mstype.dtype_to_pytype(type_name)
        return lambda value: type(value) is python_type
    known = _MATCHERS.get(repr(type_name))
    if known is None:
        raise TypeError(
            f"For 'MultitypeFuncGraph', register only supports str or mindspore.dtype, but got {type_name!r} of type "
            f"{type(type_name).__name__}."
        )
    return known


class MultitypeFuncGraph:
    """Function with implementations for different types of arguments.

    Args:
        name: its name.
        read_value: accepted; Parameters are passed as they are.

    Examples:
        >>> add = ops.MultitypeFuncGraph("add")
        >>> @add.register("Tensor", "Tensor")
        ... def add_tensors(x, y):
        ...     return x + y
        >>> print(add(Tensor([1.0]), Tensor([2.0])))
        [3.]
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        self.name = name
        self.entries: list[tuple[tuple[_Matcher, ...], Callable[..., Any]]] = []
        self._default: Callable[..., Any] | None = None

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorate a function for arguments of these types: "Tensor", "Number", "Tuple", "Tensor[Float32]", ..., or
        dtypes.

        Raises:
            TypeError: for an unknown type.
        """
        matchers = tuple(_matcher(name) for name in type_names)

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((matchers, function))
            return function

        return register

    def register_fn(self, type_names: tuple[Any, ...], function: Callable[..., Any]) -> None:
        """Register a function as `register`, by a plain call."""
        self.register(*type_names)(function)

    def register_default_fn(self, function: Callable[..., Any]) -> None:
        """Register the function for all other arguments."""
        self._default = function

    def __call__(self, *args: Any) -> Any:
        if len(self.entries) == 1 and self._default is None:
            return self.entries[0][1](*args)
        # of several that fit MindSpore takes the first in PyNative mode, the last in compiled code
        entries = self.entries[::-1] if in_graph() else self.entries
        for also in (_no_value, _is_scalar):  # Optimizer.weight_decay was a Number before it became a Tensor
            for matchers, function in entries:
                if len(matchers) == len(args) and all(
                    match(arg) or (match is _MATCHERS["Number"] and also(arg)) for match, arg in zip(matchers, args)
                ):
                    return function(*args)
        if self._default is not None:
            return self._default(*args)
        raise ValueError(
            f"For 'MultitypeFuncGraph', '{self.name}' has no function for arguments of the types "
            f"{[type(arg).__name__ for arg in args]}. Register one with @{self.name}.register(...)."
        )

    def set_doc_url(self, doc_url: str) -> None:
        """Do nothing."""

    def set_need_raise(self) -> None:
        """Do nothing."""

    set_doc_url_, set_need_raise_ = set_doc_url, set_need_raise


class HyperMap:
    """Function applied to the leaves of (nested) sequences; the results are tuples of the same nesting, in compiled
    code lists for lists and dicts for dicts.

    Args:
        ops: the function; None takes it as first argument of the call.
        reverse: accepted; it orders parallel execution MindSpore.

    Examples:
        >>> x, y = ops.HyperMap()(ops.Square(), [Tensor([1.0, 2.0]), Tensor([3.0])])
        >>> print(x, y)
        [1. 4.] [9.]
    """

    def __init__(self, ops: Any = None, reverse: bool = False) -> None:
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        if self.ops is None:
            return _over_leaves(args[0], args[1:])
        return _over_leaves(in_graph_version(self.ops) if in_graph() else self.ops, args)


def _over_leaves(function: Callable[..., Any], args: tuple) -> Any:
    return _over_elements(lambda *items: _over_leaves(function, items), args, function)


def _over_elements(each: Callable[..., Any], args: tuple, of_leaves: Callable[..., Any] | None) -> Any:
    """Return the results of ``each`` for the elements of sequences, or of ``of_leaves`` without sequences. In graph
    mode lists give a list and dicts a dict.
    """
    kinds = (tuple, list, dict) if in_graph() else (tuple, list)
    if of_leaves is not None and not isinstance(args[0], kinds):
        return of_leaves(*args)
    if isinstance(args[0], dict) and in_graph():
        return {key: each(*[item[key] for item in args]) for key in args[-1]}
    found = [each(*items) for items in zip(*args, strict=in_graph())]
    return found if in_graph() and isinstance(args[0], list) else tuple(found)


def iter_converter(xs: Any) -> Any:
    """Return the iterable of a compiled ``for`` loop: the keys of a dict, else the value itself."""
    return tuple(xs) if isinstance(xs, dict) else xs


def ms_hasnext(xs: Any) -> bool:
    """Return whether such a loop has elements left."""
    return len(xs) > 0


def ms_next(xs: Any) -> tuple[Any, Any]:
    """Return (the first element, the rest) of a sequence, a Tensor, or a dict by its keys.

    Examples:
        >>> print(ops.ms_next([1, 2, 3]))
        (1, [2, 3])
    """
    if isinstance(xs, dict):
        first, *others = xs
        return first, {name: xs[name] for name in others}
    return xs[0], xs[1:]


class Map:
    """Function applied to the elements of sequences; the result is a tuple, in compiled code a list for lists.

    Args:
        ops: the function; None takes it as first argument of the call.
        reverse: accepted; it orders parallel execution MindSpore.
    """

    def __init__(self, ops: Any = None, reverse: bool = False) -> None:
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args: Any) -> Any:
        function, items = (args[0], args[1:]) if self.ops is None else (self.ops, args)
        return _over_elements(function, items, None)


def add_flags(fn: Any = None, **flags: Any) -> Any:
    """Set flags for MindSpore's graph compiler on the function or Cell; also a decorator."""

    def decorate(target: Any) -> Any:
        own = getattr(target, "add_flags", None)
        if own is not None:
            own(**flags)
        else:
            target._func_graph_flags = {**getattr(target, "_func_graph_flags", {}), **flags}
        return target

    return decorate if fn is None else decorate(fn)


def core(fn: Any = None, **flags: Any) -> Any:
    """Run `add_flags` with ``core=True``."""
    return add_flags(fn, core=True, **flags)


def tail(sequence: tuple) -> tuple:
    """Return all elements but the first."""
    return sequence[1:]


def zip_operation(*sequences: Any) -> tuple:
    """Return ``zip`` as a tuple of tuples."""
    return tuple(zip(*sequences))


def env_get(environment: Any, key: Any, default: Any = None) -> Any:
    """Return an entry of an environment of gradients."""
    return environment.get(key, default)
