"""Graph mode as a property of the outermost call.

MindSpore compiles the call of a Cell in GRAPH_MODE, a function under ``jit``, and differentiated functions. There a few
Tensor methods return something else, ``x[i] = v`` makes a new value for the name ``x``, and results have memory of
their own. The outermost such call sets a context variable and restores it at its end; everything below asks that
variable.

Methods that differ (``tests/golden/make_modes.py`` runs real MindSpore's table of methods in both modes):

| method | PyNative | compiled | file of ``_tensor/`` |
|---|---|---|---|
| ``max(int)``, ``min(int)`` | (values, indices) | values | methods_reduce |
| ``argmax()`` | of all | along the last axis | methods_reduce |
| ``transpose(0, 1)`` of a matrix | the axes exchanged | a permutation: no change | methods_shape |
| ``add_`` and the like, another dtype | that, ``self`` stays | ``self`` changes, the operand is cast | torch_methods |
| ``x += y`` and the like, another dtype | that | the dtype of ``x``, the operand is cast | operators |
| ``fmod``, ``multiply`` of bools with an int | int64 | int32 | ``_ops/tensor_methods.py`` |
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, Token
from operator import is_
from typing import Any

import torch

from mindspore_compat._graph.program import program
from mindspore_compat._numerics.dtype_fallback import note_operator
from mindspore_compat._tensor import wrapping
from mindspore_compat._tensor.tracing import not_traced
from mindspore_compat._tensor.wrapping import _is_tracing, maker, wrap
from mindspore_compat.context import is_graph_mode

_Parameter = torch.nn.Parameter


class Call:
    """The outermost call that runs in this context.

    Attributes:
        is_graph: whether it is compiled code for MindSpore.
        inputs: the arguments of a call in graph mode, by position and then by name.
        updates_names: whether ``x[i] = v`` makes a new value for the name ``x``.
        trains: whether it is the call of a training Cell, whose forwards are kept until it ends.
        kept: Cells that keep a forward for this call.
        aliases: how many others shared the memory of a Parameter, by its id, when compiled code first read it.
    """

    __slots__ = ("aliases", "inputs", "is_graph", "kept", "trains", "updates_names")

    def __init__(self, is_graph: bool, inputs: tuple[Any, ...] = (), updates_names: bool = True) -> None:
        self.is_graph, self.inputs, self.updates_names = is_graph, inputs, is_graph and updates_names
        self.trains = False
        self.kept: list[Any] = []
        self.aliases: dict[int, int] = {}


#: no call runs
OUTSIDE = Call(False)
#: an eager call runs, in PYNATIVE_MODE
EAGER = Call(False)

_current: ContextVar[Call] = ContextVar("mindspore_compat_call", default=OUTSIDE)
#: the outermost call, `OUTSIDE` if there is none; Dynamo does not trace it
current: Callable[[], Call] = _current.get
begin: Callable[[Call], Token[Call]] = _current.set
end: Callable[[Token[Call]], None] = _current.reset


def in_graph() -> bool:
    """Return whether the caller runs in graph mode; in GRAPH_MODE also code that torch.compile traces."""
    return is_graph_mode() if _is_tracing() else current().is_graph


def run_in_graph(call: Call, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call ``function`` as the outermost call in graph mode. Its results get memory of their own."""
    before, token = program.writes, begin(call)
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        note_operator(error)
        raise
    finally:
        end(token)
        for cell in call.kept:
            if not cell.__dict__["requires_grad"]:
                cell._forget_kept()
    if type(result) is wrapping.TENSOR and result._base is None:
        return result
    return own_results(wrap(result), call.inputs, before)


def differentiating(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a gradient function: it is the outermost call unless another one is around it."""

    @functools.wraps(function, updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        if _is_tracing():
            return not_traced(run, *args, **kwargs)
        if current() is not OUTSIDE:
            return function(*args, **kwargs)
        token = begin(Call(True, (*args, *kwargs.values())) if is_graph_mode() else EAGER)
        try:
            return function(*args, **kwargs)
        finally:
            end(token)

    return run


def own_results(result: Any, inputs: Iterable[Any], writes: int) -> Any:
    """Copy results that share memory with a Parameter or an input: a view alone, and in containers the tensor itself,
    too.

    A Parameter that is the whole result stays one if no Parameter was written since ``writes``. Containers that are
    inputs belong to the program and stay as they are.
    """
    if isinstance(result, torch.Tensor):
        if isinstance(result, _Parameter):
            is_foreign = program.writes != writes or any(result is item for item in inputs)
        else:
            is_foreign = result._base is not None and _shares_memory(result, list(_tensors(inputs, set())))
        return wrap(torch.clone(result)) if is_foreign else result
    return _Owner(inputs).own(result) if isinstance(result, (tuple, list, dict)) else result


def _shares_memory(tensor: torch.Tensor, inputs: list[torch.Tensor]) -> bool:
    base = tensor._base
    if base is None or isinstance(base, _Parameter):
        return base is not None
    return any(item is base or item._base is base for item in inputs)


def _tensors(value: Any, known: set[int]) -> Iterator[torch.Tensor]:
    """Yield the tensors in nested containers. Each container is visited once and its id added to ``known``."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list, dict)) and id(value) not in known:
        known.add(id(value))
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item, known)


class _Owner:
    """One walk through a result."""

    def __init__(self, inputs: Iterable[Any]) -> None:
        self._containers: set[int] = set()
        self._tensors = [tensor for item in inputs for tensor in _tensors(item, self._containers)]
        self._ids = set(map(id, self._tensors))
        self._done: dict[int, Any] = {}

    def own(self, value: Any) -> Any:
        if id(value) in self._done:
            return self._done[id(value)]
        if isinstance(value, torch.Tensor):
            is_given = isinstance(value, _Parameter) or id(value) in self._ids
            if not is_given and not _shares_memory(value, self._tensors):
                return value
            return self._remember(value, wrap(torch.clone(value)))
        make = maker(type(value))
        if (make is None and type(value) is not dict) or id(value) in self._containers:
            return value
        self._done[id(value)] = value  # a container may hold itself
        if type(value) is dict:
            items = {key: self.own(item) for key, item in value.items()}
            is_same = all(item is items[key] for key, item in value.items())
            return self._remember(value, value if is_same else items)
        found = [self.own(item) for item in value]
        is_same = all(map(is_, found, value))
        return self._remember(value, value if is_same else make(found))

    def _remember(self, value: Any, own: Any) -> Any:
        self._done[id(value)] = own
        return own
