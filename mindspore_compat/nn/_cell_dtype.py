"""Computation dtype of a Cell: `Cell.to_float`, and the flags ``fp16``, ``fp32``, ``bf16``."""

from __future__ import annotations

import enum
import functools
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.element_updates import in_graph_version
from mindspore_compat._graph.mode import in_graph
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import OperatorsIn
from mindspore_compat._runtime.module_tree import modules
from mindspore_compat._tensor.wrapping import _is_tracing, maker, wrap
from mindspore_compat.common.parameter import ParameterTuple
from mindspore_compat.common.tensor import Tensor

FLOATS = (torch.float16, torch.float32, torch.bfloat16, torch.float64)
FLAG_DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "bf16": torch.bfloat16}


class MixedPrecisionType(enum.Enum):
    """Computation dtype of a Cell. MindSpore: ``mindspore._c_expression.MixedPrecisionType``."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


def compiled_dtype(state: dict[str, Any]) -> torch.dtype | None:
    """Return the dtype of `Cell.set_mixed_precision_type` where MindSpore compiles, else that of `Cell.to_float`."""
    chosen = state.get("_compiled_type")
    if chosen is None or not in_graph():
        return state["_cast_dtype"]
    return FLAG_DTYPES.get(chosen.name.lower())


class _Casting(threading.local):
    """State of this thread: the number of running Cells with a dtype from `to_float`. While one runs, it reads its own
    and its children's parameters in that dtype. Also whether MindSpore would have compiled the outermost one.
    """

    depth = 0
    compiled = False


casting = _Casting()


class Computing:
    """Context in which a Cell computes in a dtype (None: its parent's). In compiled code it casts the Cell's Tensors
    that are no Parameters, and in PyNative all inputs of operators. It may be entered again, for recomputation.
    """

    def __init__(self, cell: Any, dtype: torch.dtype | None, depth: int) -> None:
        self._cell, self._dtype, self._depth = cell, dtype, depth
        is_recorded = OperatorsIn.innermost() is None and kernels.shows_torch()
        self._compiled = (casting.depth and casting.compiled) or is_recorded or in_graph()
        self._operators = None if self._compiled else dtype or OperatorsIn.innermost()
        self._entered: list[tuple[int, bool, Any, list[_Replaced]]] = []

    def __enter__(self) -> None:
        before = casting.depth, casting.compiled
        mode = None
        if self._operators is not None and OperatorsIn.innermost() is not self._operators and not _is_tracing():
            mode = OperatorsIn(self._operators)
            mode.__enter__()
        shown = _with_constants_in(self._cell, self._dtype) if self._compiled and self._dtype is not None else []
        casting.depth, casting.compiled = self._depth, self._compiled
        self._entered.append((*before, mode, shown))

    def __exit__(self, *error: object) -> None:
        casting.depth, casting.compiled, mode, shown = self._entered.pop()
        for state, name, constant, cast in shown:
            if state.get(name) is cast:  # else the Cell has set it
                state[name] = constant
        if mode is not None:
            mode.__exit__(*error)


def casts_itself(cell: Any) -> bool:
    """Return whether the running Cell casts its inputs and Parameters. This holds in compiled code, and for this
    package's layers, whose operators take several at once. In PyNative only a program's operators cast their inputs.
    """
    return casting.compiled or OperatorsIn.innermost() is None or type(cell).__module__.startswith("mindspore_compat.")


_Replaced = tuple[dict[str, Any], str, Any, Any]  # attributes, name, value, replacement


def _with_constants_in(cell: Any, dtype: torch.dtype) -> list[_Replaced]:
    """Cast the Cell's floating-point Tensors to ``dtype`` in this context; in the outermost Cell also the
    ParameterTuples of all Cells to their dtypes.
    """
    state = cell.__dict__
    found = [
        (state, name, value, cast_floats(value, dtype))
        for name, value in state.items()
        if type(value) is Tensor and value.dtype in FLOATS and value.dtype is not dtype
    ]
    if not casting.depth:
        for inner in modules(cell):
            found += _parameter_tuples(inner)
    for attributes, name, _, cast in found:
        attributes[name] = cast
    return found


def _parameter_tuples(cell: Any) -> list[_Replaced]:
    state = cell.__dict__
    dtype = state.get("_cast_dtype")
    if dtype is None or cell._is_optimizer:
        return []
    tuples = [(name, value) for name, value in state.items() if type(value) is ParameterTuple]
    return [(state, name, value, _CastParameters(value, dtype)) for name, value in tuples]


class _CastParameters(ParameterTuple):
    """ParameterTuple with elements cast on reading, so that their gradients reach the Parameters."""

    dtype: torch.dtype

    def __new__(cls, parameters: ParameterTuple, dtype: torch.dtype) -> _CastParameters:
        made = tuple.__new__(cls, parameters)
        made.dtype = dtype
        return made

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return _cast_input(found, self.dtype) if isinstance(found, Tensor) else _CastParameters(found, self.dtype)

    def __iter__(self) -> Any:
        return iter([_cast_input(item, self.dtype) for item in tuple.__iter__(self)])


def cast_floats(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        is_other = value.dtype in FLOATS and value.dtype is not dtype
        return wrap(torch._C.TensorBase.to(value, dtype)) if is_other else value
    return make([cast_floats(item, dtype) for item in value]) if (make := maker(type(value))) else value


def cast_inputs(args: tuple, kwargs: dict[str, Any], dtype: torch.dtype) -> tuple[tuple, dict[str, Any]]:
    """Return a Cell's inputs in ``dtype``, also in dicts. A write to a Parameter reaches it."""
    return tuple([_cast_input(arg, dtype) for arg in args]), {
        key: _cast_input(value, dtype) for key, value in kwargs.items()
    }


def _cast_input(value: Any, dtype: torch.dtype) -> Any:
    if type(value) is dict:
        return {key: _cast_input(item, dtype) for key, item in value.items()}
    cast = cast_floats(value, dtype)
    if isinstance(value, torch.nn.Parameter) and cast is not value:
        cast.shows = value
    return cast


# --- methods beside ``construct`` -------------------------------------------------------------------------------------


def let_methods_compute(cell: Any) -> None:
    """Let other methods of the program's Cell than ``construct`` compute in its own dtype in graph mode: when another
    Cell or a function under ``jit`` calls them, or when they are differentiated. The Cell, not its class, gets them.

    Methods that this package or torch also defines, static ones and properties stay unchanged.
    """
    for method in _methods_of(cell.__class__):
        cell.__dict__.setdefault(method.__name__, types.MethodType(method, cell))


@functools.lru_cache(4096)
def _methods_of(cls: type) -> tuple[types.FunctionType, ...]:
    owners = [owner for owner in cls.__mro__ if not _is_others(owner)]
    known = {name for owner in cls.__mro__ if owner not in owners for name in vars(owner)}
    found: dict[str, types.FunctionType] = {}
    for owner in owners:
        for name, item in vars(owner).items():
            is_special = name in known or (name.startswith("__") and name.endswith("__"))
            if type(item) is types.FunctionType and not is_special and not hasattr(item, "_is_jit"):
                found.setdefault(name, _in_dtype(name, item))
    return tuple(found.values())


def _is_others(owner: type) -> bool:
    package = owner.__module__.partition(".")[0]
    return package in ("mindspore_compat", "torch") or (package in sys.stdlib_module_names and package != "__main__")


def _in_dtype(name: str, method: Callable[..., Any]) -> Any:
    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        state = getattr(self, "__dict__", {})
        if not in_graph():
            return method(self, *args, **kwargs)
        function = in_graph_version(method)
        if state.get("_cast_dtype") is None and "_compiled_type" not in state:
            return function(self, *args, **kwargs)
        return run_in_dtype(self, function, (self, *args), kwargs)

    run.__name__ = name
    return run


def run_in_dtype(cell: Any, method: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return a Cell's compiled ``method`` in the Cell's computation dtype."""
    dtype = compiled_dtype(cell.__dict__)
    if dtype is None:
        return method(*args, **kwargs)
    with Computing(cell, dtype, casting.depth + 1):
        args, kwargs = cast_inputs(args, kwargs, dtype)
        return method(*args, **kwargs)
