"""A differentiated computation that repeats itself is run from a tape of its operators (docs/design/replay.md).

The first call for inputs of a kind runs eagerly, the next two are recorded, and if both recordings agree the following ones
are replayed. In GRAPH_MODE Python runs only while a graph is made, as upstream; in PYNATIVE_MODE what Python does must be proved to have no
effect first (`nn/_purity.py`). Whatever a replay could get wrong (values that Python reads, prints, Cells whose attributes change)
goes on eagerly, and ``mindspore_compat.log`` says why at level INFO.
"""
from __future__ import annotations

import sys
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat import log
from mindspore_compat.common import _grad_state
from mindspore_compat.common._wrap import plain, wrap
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import is_graph_mode
from mindspore_compat.ops.composite._tape import DRAWS, Tape, compiled, record

__all__ = ["replayed"]

_Base = torch._C.TensorBase
_data_ptr, _stride, _item = _Base.data_ptr, _Base.stride, _Base.item
_shape, _dtype, _requires_grad, _is_cpu = (_Base.__dict__[name].__get__ for name in ("shape", "dtype", "requires_grad", "is_cpu"))
_CONSTANTS = (int, float, bool, str, type(None), torch.dtype)
_monitoring: Any = getattr(sys, "monitoring", None)  # Python >= 3.12
_MAIN_THREAD = threading.main_thread().ident
_MAX_DISAGREEMENTS, _MAX_WASTED, _MAX_KINDS = 4, 12, 32


class _Computations:
    """What is computed with a Cell or function, by kind of call. It lives in the owner's dict, so that it goes with it; a copy begins anew."""

    def __init__(self, owner: Any = None) -> None:
        self.owner = weakref.ref(owner) if owner is not None else None
        self.calls: dict[Any, _Calls] = {}
        self.unproved = False  # Python may have an effect: always run in PYNATIVE_MODE

    def __deepcopy__(self, memo: dict) -> _Computations:
        return _Computations()

    def __reduce__(self) -> Any:
        return _Computations, ()


def _computations_of(owner: Any) -> _Computations:
    """``functools.wraps`` copies a function's dict, and a Cell's may be copied: what is found there may be another's."""
    made = owner.__dict__.get("_computations")
    if made is None or made.owner is None or made.owner() is not owner:
        made = owner.__dict__["_computations"] = _Computations(owner)
    return made


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
        self.proof: Any = None  # that Python has no effect; asked for in PYNATIVE_MODE only


class _Calls:
    """The calls of one function with inputs of one kind."""

    def __init__(self, keep: Any) -> None:
        self.keep = keep  # objects whose ids are in the key
        self.plans: dict[Any, _Plan] = {}
        self.plan = _Plan()
        self.proof: Any = None  # the last one
        self.epoch = -1
        self.disagreements = self.recorded = self.replayed = 0
        self.stopped = False

    def stop(self, owner: Any, why: str) -> None:
        self.stopped = True
        self.plans.clear()
        self.plan = _Plan()
        _say(owner, why)


def replayed(owner: Any, key: tuple, compute: Callable[[Any], Any], arguments: Any, keep: Any = None) -> Any:
    """``compute(arguments)``, from a tape once it has proved to repeat itself; tensors in the result may then be torch's own.

    Args:
        owner: the Cell or function that ``compute`` differentiates.
        key: what else tells one computation of ``owner`` from another; hashable. ``keep`` holds objects whose ids are in it.
        arguments: tuples, lists and dicts of tensors and constants.
    """
    if (_grad_state.recorder is not None or _grad_state.depth or torch.is_autocast_enabled("cpu")
            or threading.get_ident() != _MAIN_THREAD):  # standard output and the recorder are everybody's
        return compute(arguments)
    if not isinstance(owner, (torch.nn.Module, types.FunctionType)):
        return compute(arguments)
    made = _computations_of(owner)
    in_graph_mode = is_graph_mode()
    if not in_graph_mode and (made.unproved or _is_watched()):
        return compute(arguments)
    tensors: list[torch.Tensor] = []
    kind = _kind(arguments, tensors)
    if kind is None:
        return compute(arguments)
    if len(tensors) > 1 and len({*map(id, tensors)}) < len(tensors):  # one tensor in several places
        ids = list(map(id, tensors))
        kind = kind, tuple(map(ids.index, ids))
    calls = made.calls.get((key, kind))
    if calls is None:
        if len(made.calls) >= _MAX_KINDS:
            return compute(arguments)
        calls = made.calls[key, kind] = _Calls(keep)
    if calls.stopped:
        return compute(arguments)
    if calls.epoch != _grad_state.epoch:
        state = _state_of(owner, calls)
        if state not in calls.plans and len(calls.plans) >= 4:
            calls.plans.clear()
        calls.plan, calls.epoch = calls.plans.setdefault(state, _Plan()), _grad_state.epoch
    plan = calls.plan
    if not in_graph_mode and not (plan.proof is not None and plan.proof.holds()) and not _prove(owner, made, calls, arguments):
        return compute(arguments)
    if plan.run is not None:
        if list(map(_data_ptr, plan.foreign)) == plan.pointers and list(map(_item, plan.read)) == plan.found:
            calls.replayed += 1
            return plan.run(tensors)
        plan.run = None  # and recorded anew
    if not plan.called:
        plan.called = True
        return compute(arguments)
    return _recorded(owner, calls, compute, arguments, tensors)


def _is_watched() -> bool:
    """Whether somebody looks on while Python runs: a debugger, a profiler, torch's search for NaN, modes and hooks of torch around the call."""
    return (sys.gettrace() is not None or sys.getprofile() is not None or torch.is_anomaly_enabled()
            or torch._C._len_torch_dispatch_stack() > 0 or torch._C._len_torch_function_stack() > 0
            or torch._C._autograd._top_saved_tensors_default_hooks(False) is not None
            or (_monitoring is not None and _monitoring.get_tool(_monitoring.DEBUGGER_ID) is not None))


def _prove(owner: Any, made: _Computations, calls: _Calls, arguments: Any) -> bool:
    """Try to prove that the Python of ``owner`` has no effect, and forget what was recorded under another proof."""
    from mindspore_compat.nn._purity import Proof, proof_of
    found = "a list or dict is an argument, which it might change" if _is_mutable(arguments) else proof_of(owner)
    plan = calls.plan
    if isinstance(found, Proof):
        plan.proof = calls.proof = found
        plan.run = plan.tape = None
        return True
    made.unproved = True
    _say(owner, found)
    return False


def _is_mutable(value: Any) -> bool:
    return isinstance(value, (list, dict)) or (isinstance(value, tuple) and any(map(_is_mutable, value)))


def _say(owner: Any, why: str) -> None:
    name = type(owner).__name__ if isinstance(owner, torch.nn.Module) else getattr(owner, "__name__", owner)
    log.info("%s runs eagerly: %s.", name, why)


def _kind(value: Any, tensors: list[torch.Tensor]) -> Any:
    """What a replay takes for granted of the arguments, hashable; None where it can not. Appends the tensors."""
    cls = value.__class__
    if cls is Tensor or cls is torch.Tensor:  # others have methods of their own
        tensors.append(value)
        return (cls, _shape(value), _dtype(value), _stride(value)) if _is_cpu(value) and not _requires_grad(value) else None
    if cls is tuple or cls is list:
        kinds = tuple([_kind(item, tensors) for item in value])
        return None if None in kinds else (type(value), kinds)
    if cls is float:
        return float, value.hex()  # tells -0.0 from 0.0
    if cls is dict:
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


def _state_of(owner: Any, calls: _Calls) -> Any:
    """What of the Cells may change the computation, apart from the values of Parameters."""
    if calls.proof is not None:
        modules, others = [cell for cell in (ref() for ref in calls.proof.cells) if cell is not None], calls.proof.parameters
    elif isinstance(owner, torch.nn.Module):
        modules, others = list(owner.modules()), []
    else:
        return _grad_state.epoch
    parameters = [*others, *(parameter for module in modules for parameter in module._parameters.values() if parameter is not None)]
    return (_grad_state.moved, tuple([(module.training, module.__dict__.get("_version")) for module in modules]),
            tuple(map(_requires_grad, parameters)))


def _recorded(owner: Any, calls: _Calls, compute: Callable[[Any], Any], arguments: Any, tensors: list[torch.Tensor]) -> Any:
    """`compute` once more, with a tape running."""
    plan = calls.plan
    aliases = {id(tensor): wrap(plain(tensor)) if tensor.__class__ is Tensor else plain(tensor) for tensor in tensors}
    inputs = [aliases[id(tensor)] for tensor in tensors]  # objects that only this call knows
    replaced = _with_tensors(arguments, iter(inputs))
    result, tape, problem = record(lambda: compute(replaced), inputs, quick=plan.tape is not None)
    calls.recorded += 1
    if problem == DRAWS and calls.disagreements < _MAX_DISAGREEMENTS:
        calls.disagreements += 1
    elif tape is None or calls.epoch != _grad_state.epoch:
        calls.stop(owner, problem or "it sets attributes of a Cell")
    elif plan.proof is not None and not plan.proof.holds():
        calls.stop(owner, "it changes what it reads")
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
