"""What GRAPH_MODE does: a differentiated computation that repeats itself is run from a tape of its operators (docs/design/graph.md).

The first call for inputs of a kind runs eagerly, the next two are recorded, and if both recordings agree the following ones
are replayed. As upstream, Python runs only while a graph is made; unlike upstream, whatever a replay could get wrong (values that Python
reads, prints, Cells whose attributes change) goes on eagerly, and ``mindspore_compat.log`` says why at level INFO.
"""
from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat.common import _grad_state
from mindspore_compat.common._wrap import plain, wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.ops.composite._tape import DRAWS, Tape, compiled, record

__all__ = ["graph_mode"]

_Base = torch._C.TensorBase
_data_ptr, _stride, _item = _Base.data_ptr, _Base.stride, _Base.item
_shape, _dtype, _requires_grad, _is_cpu = (_Base.__dict__[name].__get__ for name in ("shape", "dtype", "requires_grad", "is_cpu"))
_CONSTANTS = (int, float, bool, str, type(None), torch.dtype)
_MAX_DISAGREEMENTS, _MAX_WASTED, _MAX_KINDS = 4, 12, 32
_calls: weakref.WeakKeyDictionary[Any, dict[Any, _Calls]] = weakref.WeakKeyDictionary()


class _Plan:
    """One state of the Cells: from the first call to the compiled tape."""

    def __init__(self) -> None:
        self.called = False
        self.tape: Tape | None = None
        self.run: Callable[[list[torch.Tensor]], Any] | None = None
        self.read: list[torch.Tensor] = []  # numbers that Python has read, and what they were
        self.found: list[Any] = []
        self.foreign: list[torch.Tensor] = []  # torch's own tensors that it uses: nobody says when they get other memory
        self.pointers: list[int] = []


class _Calls:
    """The calls of one function with inputs of one kind."""

    def __init__(self, keep: Any) -> None:
        self.keep = keep  # objects whose ids are in the key
        self.plans: dict[Any, _Plan] = {}
        self.plan = _Plan()
        self.epoch = -1
        self.disagreements = self.recorded = self.replayed = 0
        self.stopped = False

    def stop(self, owner: Any, why: str) -> None:
        self.stopped = True
        self.plans.clear()
        self.plan = _Plan()
        log.info("%s runs eagerly in GRAPH_MODE: %s.", type(owner).__name__ if isinstance(owner, torch.nn.Module) else
                 getattr(owner, "__name__", owner), why)


def graph_mode(owner: Any, key: tuple, compute: Callable[[Any], Any], arguments: Any, keep: Any = None) -> Any:
    """``compute(arguments)``, from a tape once it has proved to repeat itself; tensors in the result may then be torch's own.

    Args:
        owner: the Cell or function that ``compute`` differentiates.
        key: what else tells one computation of ``owner`` from another; hashable. ``keep`` holds objects whose ids are in it.
        arguments: tuples, lists and dicts of tensors and constants.
    """
    if _grad_state.recorder is not None or _grad_state.depth or torch.is_autocast_enabled("cpu"):
        return compute(arguments)
    tensors: list[torch.Tensor] = []
    kind = _kind(arguments, tensors)
    if kind is None:
        return compute(arguments)
    by_key = _calls.get(owner)
    if by_key is None:
        if not isinstance(owner, (torch.nn.Module, types.FunctionType)):
            return compute(arguments)
        by_key = _calls[owner] = {}
    calls = by_key.get((key, kind))
    if calls is None:
        if len(by_key) >= _MAX_KINDS:
            return compute(arguments)
        calls = by_key[key, kind] = _Calls(keep)
    if calls.stopped:
        return compute(arguments)
    if calls.epoch != _grad_state.epoch:
        state = _state_of(owner)
        if state not in calls.plans and len(calls.plans) >= 4:
            calls.plans.clear()
        calls.plan, calls.epoch = calls.plans.setdefault(state, _Plan()), _grad_state.epoch
    plan = calls.plan
    if plan.run is not None:
        if list(map(_data_ptr, plan.foreign)) == plan.pointers and list(map(_item, plan.read)) == plan.found:
            calls.replayed += 1
            return plan.run(tensors)
        plan.run = None  # and recorded anew
    if not plan.called:
        plan.called = True
        return compute(arguments)
    return _recorded(owner, calls, compute, arguments, tensors)


def _kind(value: Any, tensors: list[torch.Tensor]) -> Any:
    """What a replay takes for granted of the arguments, hashable; None where it can not. Appends the tensors, as torch's own."""
    if isinstance(value, torch.Tensor):
        if _requires_grad(value) or isinstance(value, torch.nn.Parameter):
            return None
        value = plain(value)
        tensors.append(value)
        return (_shape(value), _dtype(value), _stride(value)) if _is_cpu(value) else None
    if isinstance(value, (tuple, list)):
        kinds = tuple([_kind(item, tensors) for item in value])
        return None if None in kinds else (type(value), kinds)
    if isinstance(value, dict):
        kinds = tuple([_kind(item, tensors) for item in value.values()])
        return None if None in kinds else (tuple(value), kinds)
    return (type(value), value) if isinstance(value, _CONSTANTS) else None


def _with_tensors(value: Any, tensors: Any) -> Any:
    """``value`` with its tensors taken from the iterator ``tensors``."""
    if isinstance(value, torch.Tensor):
        return next(tensors)
    if isinstance(value, (tuple, list)):
        return type(value)([_with_tensors(item, tensors) for item in value])
    return {key: _with_tensors(item, tensors) for key, item in value.items()} if isinstance(value, dict) else value


def _state_of(owner: Any) -> Any:
    """What of the Cells may change the computation, apart from the values of Parameters."""
    if not isinstance(owner, torch.nn.Module):
        return _grad_state.epoch
    return (_grad_state.moved, tuple([(module.training, module.__dict__.get("_version")) for module in owner.modules()]),
            tuple([_requires_grad(parameter) for parameter in owner.parameters()]))


def _recorded(owner: Any, calls: _Calls, compute: Callable[[Any], Any], arguments: Any, tensors: list[torch.Tensor]) -> Any:
    """`compute` once more, with a tape running."""
    plan = calls.plan
    inputs = wrap(tensors)  # objects that only this call knows
    replaced = _with_tensors(arguments, iter(inputs))
    result, tape, problem = record(lambda: compute(replaced), inputs, quick=plan.tape is not None)
    calls.recorded += 1
    if problem == DRAWS and calls.disagreements < _MAX_DISAGREEMENTS:
        calls.disagreements += 1
    elif tape is None or calls.epoch != _grad_state.epoch:
        calls.stop(owner, problem or "it sets attributes of a Cell")
    elif any(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks or module._backward_pre_hooks
             for module in (owner.modules() if isinstance(owner, torch.nn.Module) else ())):
        calls.stop(owner, "it has hooks")
    elif plan.tape is None:
        plan.tape = tape
    elif plan.tape.agrees(tape):
        plan.run, plan.tape = compiled(tape), None
        plan.foreign = [tensor for tensor in tape.constants.values() if not isinstance(tensor, Tensor)]
        plan.pointers = list(map(_data_ptr, plan.foreign))
        plan.read, plan.found = [plain(tape.constants[name]) for name in tape.read], list(tape.read.values())  # type: ignore[index]
    else:
        plan.tape = tape
        calls.disagreements += 1
        if calls.disagreements > _MAX_DISAGREEMENTS:
            calls.stop(owner, "it computes something else at each call")
    if calls.recorded > _MAX_WASTED and calls.replayed < calls.recorded:
        calls.stop(owner, "its Cells change too often")
    return result
