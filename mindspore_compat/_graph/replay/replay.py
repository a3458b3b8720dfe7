"""Replay of repeated computations from a tape of operators, in GRAPH_MODE and in functions under `jit`
(docs/design/replay.md).

The first call for inputs of a kind runs eagerly, and the next two are recorded. If both recordings agree, the following
calls are replayed: as in MindSpore, Python runs only while a graph is made. A computation that a replay could get wrong
(values that Python reads, prints, Cells whose attributes change) goes on eagerly. PYNATIVE_MODE replays nothing.

``MS_JIT=0`` or ``MINDSPORE_COMPAT_REPLAY=off`` turn replays off; at ``jit_level`` O1 and O2 inductor compiles the tape
(inductor.py); ``MINDSPORE_COMPAT_REPLAY=check`` or ``check:N`` runs every (N-th) replayed step eagerly as well and
compares. The logger ``mindspore_compat`` says once for each step at level INFO that it is replayed, or why not.
"""

from __future__ import annotations

import functools
import threading
import time
import types
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._autograd.forward import KEPT
from mindspore_compat._autograd.recorded import THREAD
from mindspore_compat._graph.mode import Call, own_results, run_in_graph
from mindspore_compat._graph.operators import is_random
from mindspore_compat._graph.program import program
from mindspore_compat._graph.replay.branches import OtherBranchError, Saved
from mindspore_compat._graph.replay.check import checked
from mindspore_compat._graph.replay.compile import compiled, generators_of
from mindspore_compat._graph.replay.computations import Computations, computations_of
from mindspore_compat._graph.replay.tape import DRAWS, NO_UPDATE, Opaque, Tape, record
from mindspore_compat._random.rng_state import Graph
from mindspore_compat._runtime import module_tree
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.aliasing import TAKEN_BEFORE, Views, was_copied
from mindspore_compat._tensor.tracing import is_tracing, not_traced
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.context import is_graph_mode, jit_level

_Base = torch._C.TensorBase
_data_ptr, _stride, _item = _Base.data_ptr, _Base.stride, _Base.item
_shape, _dtype, _requires_grad, _device = (
    _Base.__dict__[name].__get__ for name in ("shape", "dtype", "requires_grad", "device")
)
_saved_tensors_hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)  # torch 2.6 has none
_CONSTANTS = (int, float, bool, str, type(None), torch.dtype)
_MAIN_THREAD = threading.main_thread().ident
_MAX_DISAGREEMENTS, _MAX_OTHER_BRANCHES, _MAX_KINDS, _MAX_STATES = 4, 32, 32, 4
_MIN_OPERATORS = 8  # of an evaluation call; fewer are as quick by themselves
_EVALUATES = "evaluation"  # in the keys of calls that are not differentiated
_clock = time.perf_counter
_waiting = False  # a step runs that may be replayed as a whole later


class _Plan:
    """One state of the Cells: from the first call to the compiled tape."""

    def __init__(self) -> None:
        self.called = False
        self.recorded = 0
        self.tape: Tape | None = None
        self.run: Callable[[list[torch.Tensor]], Any] | None = None
        self.read: list[torch.Tensor] = []  # numbers that Python has read, and what they were
        self.found: list[Any] = []
        # tensors that it uses beside Parameters: a change of their memory is not always reported
        self.foreign: list[torch.Tensor] = []
        self.pointers: list[int] = []
        self.written: list[torch.Tensor] = []  # tensors from outside that it writes to
        self.saved: Saved | None = None  # of a tape with branches
        self.replays = self.misses = self.misses_in_a_row = 0  # of those; a miss is a branch that went the other way
        self.writes = True  # whether it has an effect but its results

    def holds(self) -> bool:
        return list(map(_data_ptr, self.foreign)) == self.pointers and list(map(_item, self.read)) == self.found


class _Calls:
    """The calls of one function with inputs of one kind."""

    def __init__(self, made: Computations, keep: Any, graph: Graph) -> None:
        self.made = made
        self.keep = keep  # objects whose ids are in the key
        self.graph = graph
        self.plans: dict[Any, _Plan] = {}
        self.plan = _Plan()
        self.epoch = -1
        self.eager_s = 0.0  # the shortest eager call
        self.disagreements = self.other_branches = self.replayed = 0
        self.misses = self.skip = 0  # new states in a row; changes to skip, since new states cost time as well
        self.stopped = False

    def enter(self, state: Any) -> None:
        """Select the plan of ``state``."""
        if state in self.plans:
            self.misses = 0
        else:
            self.misses += 1
            self.skip = min(self.misses - 1, 30)
            if self.misses == _MAX_STATES:
                self.made.say("runs eagerly while attributes of Cells change from call to call")
            if len(self.plans) >= _MAX_STATES:
                self.plans.clear()
        self.plan, self.epoch = self.plans.setdefault(state, _Plan()), program.epoch

    def eagerly(self, compute: Callable[[Any], Any], arguments: Any) -> Any:
        """Run `compute` and time it; inner computations are not replayed meanwhile."""
        global _waiting
        _waiting, start = True, _clock()
        try:
            result = self.graph.run(compute, arguments)
        finally:
            _waiting = False
        took = _clock() - start
        self.eager_s = took if not self.eager_s else min(took, self.eager_s)
        self.made.eager_s += self.eager_s
        return result

    def stop(self, why: str) -> None:
        self.stopped = True
        self.plans.clear()
        self.plan = _Plan()
        self.made.say("runs eagerly: " + why)


def replayed(owner: Any, key: tuple, compute: Callable[[Any], Any], arguments: Any, keep: Any = None) -> Any:
    """Return ``compute(arguments)``, replayed once the computation has repeated itself: tensors may then be torch's
    own.

    Args:
        owner: the Cell or function that ``compute`` differentiates.
        key: other properties of the computation of ``owner``, hashable, with ids of objects in ``keep``.
        arguments: tuples, lists and dicts of tensors and constants.
    """
    if is_tracing():
        return not_traced(replayed, owner, key, compute, arguments, keep)
    if not is_graph_mode() or not _may_record(owner):
        return compute(arguments)
    return _replayed(owner, computations_of(owner), key, compute, arguments, keep)


def evaluated(
    owner: Any, around: Any, compute: Any, args: tuple, kwargs: dict, updates_names: bool = True, method: Any = None
) -> Any:
    """Run ``compute(*args, **kwargs)`` as an outermost call in graph mode that is not differentiated, replayed as a
    step is. Calls that are not replayed are checked less and less often, one in 31 in the end.

    Args:
        around: calls a function with its arguments, without recording for derivatives.
        updates_names: as for `Call`.
        method: of ``owner``, if it is not what a call of it computes.
    """

    def run(arguments: tuple[tuple, dict[str, Any]]) -> Any:
        args, kwargs = arguments
        call = Call(True, (*args, *kwargs.values()), updates_names)
        return around(run_in_graph, call, compute, *args, **kwargs)

    key, made = (_EVALUATES, id(method)), computations_of(owner)
    if made.skip or not _may_record(owner):
        made.skip = max(0, made.skip - 1)
        call = Call(True, (*args, *kwargs.values()), updates_names)
        return made.graphs.run(key, (args, kwargs), method, around, run_in_graph, call, compute, *args, **kwargs)
    made.misses += 1
    result = _replayed(owner, made, key, run, (args, kwargs), method)
    made.skip = min(max(0, made.misses - 1), 30)
    return wrap(result)


def _replayed(
    owner: Any, made: Computations, key: tuple, compute: Callable[[Any], Any], arguments: Any, keep: Any
) -> Any:
    if made.is_off:
        made.say("runs eagerly: the environment says so")
        return made.graphs.run(key, arguments, keep, compute, arguments)
    if isinstance(owner, types.FunctionType):
        made.forget_other_names(owner)
    tensors: list[torch.Tensor] = []
    kind = _kind(arguments, tensors)
    if kind is None:
        made.say("runs eagerly: an argument is no number, tuple, list, dict or plain tensor without a graph and hooks")
        return made.graphs.run(key, arguments, keep, compute, arguments)
    if len(tensors) > 1 and len({*map(id, tensors)}) < len(tensors):  # one tensor in several places
        ids = list(map(id, tensors))
        kind = kind, tuple(map(ids.index, ids))
    if KEPT and _is_kept(tensors):  # it may take a forward that ran before the step
        return made.graphs.run(key, arguments, keep, compute, arguments)
    of_graph = key
    key = key, kind, torch.get_default_dtype(), torch.is_grad_enabled(), _level_of(owner)
    calls = made.calls.get(key)
    if calls is None:
        graph = made.graphs.of(of_graph, arguments, keep)
        if len(made.calls) >= _MAX_KINDS:  # drop those that came once or twice
            made.calls = {kind: calls for kind, calls in made.calls.items() if calls.replayed}
            if len(made.calls) >= _MAX_KINDS:
                return graph.run(compute, arguments)
        calls = made.calls[key] = _Calls(made, keep, graph)
    elif not calls.stopped:
        made.misses = 0
    if calls.stopped:
        return calls.graph.run(compute, arguments)
    if calls.epoch != program.epoch:
        if calls.skip:
            calls.skip -= 1
            return calls.eagerly(compute, arguments)
        calls.enter(_state_of(owner, made))
    why = "a part of it is compiled by torch.compile" if made.has_compiled else _why_not()
    if why:
        made.say("runs eagerly: " + why)
        return calls.graph.run(compute, arguments)
    plan = calls.plan
    if plan.run is not None:
        if plan.holds():
            return _replay(owner, calls, compute, arguments, tensors)
        plan.run, plan.saved, plan.recorded = None, None, 0  # and recorded anew
        made.watch_rates()
    if not plan.called:
        plan.called = True
        was_copied()
        result = calls.eagerly(compute, arguments)
        if was_copied():
            calls.stop(TAKEN_BEFORE)
        return result
    if not (plan.recorded == 1 or made.can_pay()):  # a begun recording may finish
        return calls.eagerly(compute, arguments)
    return _recorded(calls, compute, arguments, tensors, of_graph[0] is _EVALUATES)


program.evaluated = evaluated


def _may_record(owner: Any) -> bool:
    """Return whether a recording could begin here; the main thread owns standard output and the recorder."""
    return (
        not _waiting
        and program.recorder is None
        and not THREAD.running
        and isinstance(owner, (torch.nn.Module, types.FunctionType))
        and torch._C._functorch.peek_interpreter_stack() is None  # vmap
        and threading.get_ident() == _MAIN_THREAD
    )


def _is_kept(tensors: list[torch.Tensor]) -> bool:
    """Return whether a Cell keeps a forward of one of these tensors."""
    return any(cell._has_kept(tensors) for cell in [kept() for kept in list(KEPT.values())] if cell is not None)


def _why_not() -> str:
    """Return why nothing is replayed at the moment; empty if replays are possible."""
    if _saved_tensors_hooks is None:
        return f"torch {torch.__version__} does not show hooks on saved tensors"
    if torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda"):
        return "autocast is on around it"
    if (
        torch.is_anomaly_enabled()
        or torch._C._len_torch_dispatch_stack() > 0
        or torch._C._len_torch_function_stack() > 0
        or _saved_tensors_hooks(False) is not None
    ):
        return "a mode of torch is on"
    return ""


def _replay(
    owner: Any, calls: _Calls, compute: Callable[[Any], Any], arguments: Any, tensors: list[torch.Tensor]
) -> Any:
    run: Any = calls.plan.run
    if calls.plan.saved is not None:
        run = functools.partial(_run_with_branches, calls, compute, arguments)
    calls.replayed += 1
    if calls.plan.writes:
        program.values_written()
    if calls.made.checks_every and calls.replayed % calls.made.checks_every == 0:
        return checked(
            owner, calls.plan.written, calls.graph, lambda: calls.graph.run(compute, arguments), lambda: run(tensors)
        )
    start = _clock()
    try:
        result = run(tensors)
    except Exception:
        if calls.plan.writes:
            raise
        return calls.graph.run(compute, arguments)  # raises in MindSpore's words
    calls.made.eager_s += calls.eager_s
    calls.made.saved_s += max(0.0, calls.eager_s - (_clock() - start))
    return result


def _run_with_branches(
    calls: _Calls, compute: Callable[[Any], Any], arguments: Any, tensors: list[torch.Tensor]
) -> Any:
    """Replay a tape with branches; where one goes another way, restore what it has written, and run Python."""
    plan: Any = calls.plan
    plan.saved.keep()
    set_draws = calls.graph.kept()
    plan.replays += 1
    try:
        result = plan.run(tensors)
    except OtherBranchError:
        plan.saved.restore()
        set_draws()
    else:
        plan.misses_in_a_row = 0
        return result
    plan.misses, plan.misses_in_a_row = plan.misses + 1, plan.misses_in_a_row + 1
    if 4 * plan.misses > plan.replays + _MAX_OTHER_BRANCHES:
        calls.stop("it takes another branch too often")
    elif plan.misses_in_a_row > _MAX_OTHER_BRANCHES:  # it is recorded anew
        plan.run, plan.saved, plan.recorded = None, None, 0
    return calls.eagerly(compute, arguments)


def _kind(value: Any, tensors: list[torch.Tensor]) -> Any:
    """Return the arguments' properties that a replay relies on, hashable; None if it cannot. Append the tensors."""
    cls = value.__class__
    if cls is Tensor or cls is torch.Tensor:  # others have methods of their own
        tensors.append(value)
        device = _device(value)
        here = device == CPU or device == current_device()
        if _requires_grad(value) or value.__dict__.get("_input_hooks") or not here:
            return None
        return cls, _shape(value), _dtype(value), _stride(value), device
    if cls is tuple or cls is list:
        kinds = tuple([_kind(item, tensors) for item in value])
        return None if None in kinds else (type(value), kinds)
    if cls is float:
        return float, value.hex()  # distinguishes -0.0 from 0.0
    if cls is dict:
        kinds = tuple([_kind(item, tensors) for item in value.values()])
        return None if None in kinds else (tuple(value), kinds)
    return (type(value), value) if isinstance(value, _CONSTANTS) else None


def _with_tensors(value: Any, tensors: Any) -> Any:
    """Return ``value`` with its tensors taken from the iterator ``tensors``."""
    if isinstance(value, torch.Tensor):
        return next(tensors)
    if isinstance(value, (tuple, list)):
        return type(value)([_with_tensors(item, tensors) for item in value])
    return {key: _with_tensors(item, tensors) for key, item in value.items()} if isinstance(value, dict) else value


def _state_of(owner: Any, made: Computations) -> Any:
    """Return the state of the Cells that may change the computation, except the values of Parameters."""
    if not isinstance(owner, torch.nn.Module):
        return program.epoch
    if made.structure != program.structure:
        modules = module_tree.modules(owner)
        made.structure = program.structure
        made.states = [module.__dict__ for module in modules if "_orig_mod" not in module._modules]
        made.has_compiled = any(
            "_orig_mod" in module._modules or module._compiled_call_impl is not None for module in modules
        )
        made.parameters = [
            parameter for state in made.states for parameter in state["_parameters"].values() if parameter is not None
        ]
    return (
        program.moved,
        tuple([(state["training"], state.get("_version")) for state in made.states]),
        tuple(map(_requires_grad, made.parameters)),
    )


def _recorded(
    calls: _Calls, compute: Callable[[Any], Any], arguments: Any, tensors: list[torch.Tensor], evaluates: bool
) -> Any:
    """Run `compute` once more, with a tape recording."""
    plan, made, start = calls.plan, calls.made, _clock()
    aliases = {id(tensor): wrap(plain(tensor)) if tensor.__class__ is Tensor else plain(tensor) for tensor in tensors}
    inputs = [aliases[id(tensor)] for tensor in tensors]  # objects that only this call knows
    replaced = _with_tensors(arguments, iter(inputs))

    def own() -> Any:  # a replay's results have memory of their own, too
        return own_results(calls.graph.run(compute, replaced), (replaced,), program.writes)

    result, tape, problem = record(own, inputs, quick=plan.tape is not None, evaluates=evaluates)
    if evaluates:  # a result that is an input is the caller's object
        result = next((tensor for tensor in tensors if aliases[id(tensor)] is result), result)
    is_other = problem == NO_UPDATE or (tape and plan.tape and plan.tape.branches != tape.branches)
    if is_other and calls.other_branches < _MAX_OTHER_BRANCHES:  # such as after an overflow; it begins anew
        calls.other_branches, plan.tape, plan.recorded = calls.other_branches + 1, None, -1
    elif problem == DRAWS and calls.disagreements < _MAX_DISAGREEMENTS:
        calls.disagreements += 1
    elif tape is None or calls.epoch != program.epoch:
        calls.stop(problem or "it sets attributes of a Cell")
    elif plan.tape is None:
        plan.tape = tape
    elif evaluates and len(tape.nodes) < _MIN_OPERATORS:
        calls.stop("it has too few operators for a replay to be quicker")
    elif plan.tape.agrees(tape):
        _compile(plan, tape, _level_of(made.owner()) if made.owner is not None else "")
        made.say("is replayed from now on, without its Python: %s operators", len(tape.nodes))
    elif plan.tape.read != tape.read and made.watch_rates():
        plan.tape, plan.recorded = None, -1  # begins anew, with this call
    else:
        plan.tape = tape
        calls.disagreements += 1
        if calls.disagreements > _MAX_DISAGREEMENTS:
            calls.stop("it computes something else at each call")
    made.last_s = max(0.0, _clock() - start - calls.eager_s)
    plan.recorded += 1
    made.is_free = made.is_free and plan.recorded == 0
    made.spent_s, made.eager_s = made.spent_s + made.last_s, made.eager_s + calls.eager_s
    return result


def _level_of(owner: Any) -> str:
    return owner.__dict__.get("_jit_level") or jit_level()


def _compile(plan: _Plan, tape: Tape, level: str) -> None:
    plan.run, plan.tape = compiled(tape, level in ("O1", "O2")), None
    plan.written = Views(plain(tape.constants[name]) for name in tape.constants if name in tape.written)
    plan.writes = bool(tape.written) or any(node.op is Opaque or is_random(node.op) for node in tape.nodes)
    plan.foreign = [tensor for tensor in tape.constants.values() if not isinstance(tensor, Parameter)]
    plan.pointers = list(map(_data_ptr, plan.foreign))
    plan.read = Views(plain(tape.constants[name]) for name in tape.read)  # type: ignore[index]
    plan.found = list(tape.read.values())
    plan.replays = plan.misses = plan.misses_in_a_row = 0
    if tape.branches:
        before = Views(map(plain, tape.before_branch))
        draws = any(is_random(node.op) for node in tape.nodes)
        defaults = [torch.default_generator, *torch.cuda.default_generators[: torch.cuda.device_count()]]
        plan.saved = Saved(before, [*generators_of(tape.nodes), *(defaults if draws else ())])
