"""Tensor semantics while torch.compile traces a program (docs/design/replay.md).

Dynamo takes an operator on a subclass of ``torch.Tensor`` for torch's own: ``~x`` would be bitwise, ``x += 1`` in
place. It asks the class's ``__torch_function__`` if there is one. Ours is on only while Dynamo traces, since a Python
function there costs each operator 2 µs. Guards do not check it.

Nothing here runs, and nothing of Dynamo is imported, in a program that does not use torch.compile.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import torch

is_tracing: Callable[[], bool] = torch.compiler.is_dynamo_compiling
_plain_operators = torch._C.DisableTorchFunctionSubclass
_off = torch._C._disabled_torch_function_impl
_TENSOR: Any = None
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
active = False  # whether Dynamo traces; traced code must not read it
#: Tensor's operators while Dynamo traces, by the name in `operator`
by_operator: dict[str, Callable[..., Any]] = {}
_own: dict[Any, Callable[..., Any]] = {}  # the same by what Dynamo calls them
_own_functions: list[
    tuple[Callable[..., Any], Callable[..., Any]]
] = []  # torch's Python functions, which Dynamo does not find as keys
_reflected: dict[Any, Callable[..., Any]] = {}  # for torch.export, which leaves ``1 - x`` as it is
#: torch's methods that mean something else on a Tensor
_ambiguous: set[Any] = set()


def _torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Run as Tensor's ``__torch_function__`` while Dynamo traces: MindSpore's operators, else torch's function."""
    with _plain_operators():
        if is_tracing():
            own = _own.get(func)
            for method, of_method in _own_functions:
                if func is method:
                    own = of_method
            if own is not None and not kwargs:
                return own(*args) if isinstance(args[0], torch.Tensor) else _reflected[func](args[1], args[0])
        if func in _ambiguous:
            args = _with_plain_self(*args)
        return func(*args, **(kwargs or {}))


def _with_plain_self(self: torch.Tensor, *args: Any) -> tuple[Any, ...]:
    """Convert ``self`` for backends that run Dynamo's graph as it is: they look up torch's methods by name on any
    object.
    """
    return torch.ops.aten.alias.default(self), *args


_on: Any = classmethod(_torch_function)


def _fill() -> None:
    """Fill the tables. Dynamo looks up an operator by torch's method: ``iadd`` comes as ``Tensor.add_``. Direct calls
    of methods of that name do not come here.
    """
    from torch._dynamo.variables import builtin

    if not hasattr(builtin, "populate_builtin_to_tensor_fn_map"):
        raise RuntimeError(
            f"torch.compile does not see MindSpore's Tensors in torch {torch.__version__}. Use torch 2.13 or newer, or "
            "leave out torch.compile and jit_level O1, O2."
        )
    builtin.populate_builtin_to_tensor_fn_map()
    for prefix, methods in (("", builtin.BUILTIN_TO_TENSOR_FN_MAP), ("r", builtin.BUILTIN_TO_TENSOR_RFN_MAP)):
        for function, method in methods.items():
            name = function.__name__.strip("_")
            own = by_operator.get(prefix + name)
            if own is not None and isinstance(method, types.FunctionType):
                _own_functions.append((method, own))
            elif own is not None:
                _own.setdefault(method, own)
            if name in by_operator:
                _own.setdefault(function, by_operator[name])
                _reflected.setdefault(
                    function, by_operator.get(_MIRRORED.get(name, "r" + name.removeprefix("i")), by_operator[name])
                )
    _ambiguous.update(
        method
        for name in dir(torch._C.TensorBase)
        if not name.startswith("_")
        and name not in ("size", "dim")
        and isinstance(method := getattr(torch._C.TensorBase, name), types.MethodDescriptorType)
        and getattr(_TENSOR, name) is not method
    )


def begin() -> None:
    """Begin tracing; the first function of this package that Dynamo meets calls it."""
    global active
    from torch._dynamo.symbolic_convert import InstructionTranslator

    if active:
        return
    if not _own:
        _fill()
        import torch._functorch.config as config

        # A check of custom operators' aliasing that AOT runs at the first call. It refuses classes that it does not
        # know ("Multiple dispatch failed"), and has no list of exceptions.
        config.check_custom_op_aliasing = False
    InstructionTranslator.current_tx().output.add_cleanup_hook(end)
    _TENSOR.__torch_function__, active = _on, True


begin._dynamo_marked_constant = True  # type: ignore[attr-defined]  # as torch.compiler.assume_constant_result, which imports Dynamo


def end() -> None:
    """End tracing, after success or failure."""
    global active
    _TENSOR.__torch_function__, active = _off, False


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def traced_as(version: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a function: Dynamo traces ``version`` in its place, so the function need not check for tracing.

    Do not decorate such a function with `functools.wraps`, which copies the mark.
    """

    def mark(function: Any) -> Any:
        function._torchdynamo_inline = version
        return function

    return mark


#: calls a function eagerly, with all that it calls: differentiation and optimizers, whose Python Dynamo cannot follow
# rightly. It breaks the graph
not_traced = torch._disable_dynamo(_call)


class SeenByDynamo:
    """Attribute that no tensor has, named ``__tensor_flatten__``: Dynamo asks each tensor for it first."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self  # programs read all that dir(Tensor) lists
        dynamo = sys.modules.get("torch._dynamo.symbolic_convert")
        if dynamo is not None and getattr(dynamo.tls, "current_tx", None) is not None:
            begin()
        raise AttributeError("__tensor_flatten__")


def bind(cls: type) -> None:
    """Set the Tensor class; called once by common/tensor.py."""
    global _TENSOR
    _TENSOR = cls
