"""While torch.compile traces a program, Tensors mean the same as ever (docs/design/compile.md).

Dynamo takes an operator on a subclass of ``torch.Tensor`` for torch's own: ``~x`` would be bitwise, ``x += 1`` in place. It asks the class's
``__torch_function__`` if there is one; but ours is switched off, since a Python function there costs each operator 2 µs. So it is switched on while
Dynamo traces, and only then. Guards do not look at it.

Nothing here runs, and nothing of Dynamo is imported, in a program that does not use torch.compile.
"""
from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["SeenByDynamo", "begin", "by_operator", "is_tracing"]

is_tracing: Callable[[], bool] = torch.compiler.is_dynamo_compiling
_plain_operators = torch._C.DisableTorchFunctionSubclass
_off = torch._C._disabled_torch_function_impl
_TENSOR: Any = None
#: what Tensor's operators are while Dynamo traces, by the name in `operator`
by_operator: dict[str, Callable[..., Any]] = {}
_own: dict[Any, Callable[..., Any]] = {}  # the same by what Dynamo calls them
_own_functions: list[tuple[Callable[..., Any], Callable[..., Any]]] = []  # those that torch has in Python, which Dynamo does not find as keys


def _torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Tensor's ``__torch_function__`` while Dynamo traces: MindSpore's operators, else torch's function."""
    with _plain_operators():
        if is_tracing():
            own = _own.get(func)
            for method, of_method in _own_functions:
                if func is method:
                    own = of_method
            if own is not None and not kwargs:
                return own(*args)
        return func(*args, **(kwargs or {}))


_on = classmethod(_torch_function)


def _fill() -> None:
    """Dynamo asks with torch's method for an operator: ``iadd`` comes as ``Tensor.add_``. Methods of that name do not come here."""
    from torch._dynamo.variables import builtin
    builtin.populate_builtin_to_tensor_fn_map()
    for reflected, methods in (("", builtin.BUILTIN_TO_TENSOR_FN_MAP), ("r", builtin.BUILTIN_TO_TENSOR_RFN_MAP)):
        for function, method in methods.items():
            own = by_operator.get(reflected + function.__name__.strip("_"))
            if own is not None and isinstance(method, types.FunctionType):
                _own_functions.append((method, own))
            elif own is not None:
                _own.setdefault(method, own)


def begin() -> None:
    """Called at trace time, by whatever of ours Dynamo meets first."""
    from torch._dynamo.callback import callback_handler
    if not _own:
        _fill()
        import torch._functorch.config as config

        # A check of custom operators' aliasing that AOT runs at the first call. It refuses classes that it does not know ("Multiple dispatch
        # failed"), and has no list to put them on.
        config.check_custom_op_aliasing = False
    if end not in callback_handler.end_callbacks:  # `torch._dynamo.reset` takes it out
        callback_handler.register_end_callback(end)
    _TENSOR.__torch_function__ = _on


begin._dynamo_marked_constant = True  # type: ignore[attr-defined]  # as torch.compiler.assume_constant_result, which imports Dynamo


def end(_: Any = None) -> None:
    """Called when Dynamo has traced and compiled, or failed to."""
    _TENSOR.__torch_function__ = _off


class SeenByDynamo:
    """An attribute that is never there. Dynamo asks each tensor that it meets for ``__tensor_flatten__`` first; nothing else of torch's eager code does."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        callbacks = sys.modules.get("torch._dynamo.callback")
        if callbacks is not None and _is_compiling(callbacks.callback_handler):
            begin()
        raise AttributeError("__tensor_flatten__")


def _is_compiling(handler: Any) -> bool:
    return bool(getattr(handler, "_CompilationCallbackHandler__pending_callbacks_counter", 0))


def bind(cls: type) -> None:
    """Tell which class it is; called once by common/tensor.py."""
    global _TENSOR
    _TENSOR = cls
