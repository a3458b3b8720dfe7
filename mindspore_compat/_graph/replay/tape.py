"""A computation as a flat list of operators: recorded once, checked by a second recording, then run without its Python.

A replay repeats torch's operators below autograd, forward and backward in one list, with the same memory as the
recorded run: Parameters are read and written in place. Python's work in between (a branch, a computed number) is part
of the recording. So two recordings of different steps must agree before a tape is used, and a recording ends if Python
reads a value.
"""

from __future__ import annotations

import gc
import io
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.utils._pytree import tree_leaves, tree_map

from mindspore_compat._autograd.engine import GRADS
from mindspore_compat._autograd.forward import KEPT
from mindspore_compat._autograd.recorded import MAX_NODES
from mindspore_compat._graph.export.ir import MAX_LEAVES, num_leaves
from mindspore_compat._graph.operators import SHOWS_SIZE, SHOWS_VALUE, aliased, is_random
from mindspore_compat._graph.program import program
from mindspore_compat._graph.recorder import Identity, Reading, Recorder, place_of
from mindspore_compat._graph.replay.bindings import binding
from mindspore_compat._graph.replay.branches import MAX_SAVED, Branch
from mindspore_compat._runtime.device import CPU, current_device
from mindspore_compat._tensor.aliasing import has_views
from mindspore_compat._tensor.wrapping import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor

_Base = torch._C.TensorBase
#: functions of torch in a step whose Python no replay would run
_RUNS_PYTHON = frozenset({"backward", "register_hook", "register_post_accumulate_grad_hook"})
_CONSTANT_TYPES = (
    int,
    float,
    bool,
    complex,
    str,
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
    torch.Generator,
)
_UNPREDICTABLE = (SHOWS_VALUE, SHOWS_SIZE, torch.Tag.inplace_view)
_aten = torch.ops.aten
NO_UPDATE = "a branch on a value leaves the optimizer out"
DRAWS = "it draws random numbers in Python"  # or another thread did meanwhile


class Node:
    """One operator of a tape. Tensors in ``args`` and ``kwargs`` are `Ref`s; ``outputs`` are names, None without a
    tensor.
    """

    __slots__ = ("args", "call", "described", "is_list", "kwargs", "op", "outputs")

    def __init__(
        self,
        op: Any,
        call: Any,
        args: tuple,
        kwargs: dict[str, Any],
        outputs: list[str | None],
        is_list: bool,
        described: tuple,
    ) -> None:
        self.op, self.call, self.args, self.kwargs = op, call, args, kwargs
        self.outputs, self.is_list, self.described = outputs, is_list, described


class Opaque:
    """Stand-in for an operator: each replay calls Python itself here."""

    tags: tuple = ()
    _schema: Any = SimpleNamespace(name="python", arguments=(), is_mutable=True)


class Ref(str):
    """A tensor's name on a tape: ``x0`` an input, ``c0`` a tensor from outside, ``t0`` a result."""

    __slots__ = ()


class Tape:
    """Nodes of one recording, its tensors from outside, and its result (with `Ref`s for tensors)."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.constants: dict[Ref, torch.Tensor] = {}
        self.written: set[str] = set()  # tensors that an operator wrote to, directly or through a view
        self.read: dict[str, Any] = {}  # constants of one element that Python read, with their values
        self.made: set[str] = set()  # constants that Python makes in each call
        self.on_cpu: set[str] = set()
        self.recomputes = False
        self.before_branch: list[torch.Tensor] = []  # tensors from outside that are written before the last branch
        self.returned: Any = None

    @property
    def branches(self) -> list[Branch]:
        """The branches on values, in order."""
        return [node.call for node in self.nodes if isinstance(node.call, Branch)]

    def agrees(self, later: Tape) -> bool:
        """Return whether ``later`` ran the same operators on the same or equal values, so that neither depends on its
        own step.

        Also record which of its constants were `made` in the step.
        """
        if (
            len(self.nodes) != len(later.nodes)
            or list(self.constants) != list(later.constants)
            or self.returned != later.returned
            or not _same(self.read, later.read)
        ):
            return False
        for name, constant in self.constants.items():
            other = later.constants[name]
            if constant is not other:
                if name in self.written or not _equal(constant, other):
                    return False
                later.made.add(name)
        return all(
            a.op is b.op
            and (a.op is not Opaque or a.call == b.call)
            and a.outputs == b.outputs
            and a.described == b.described
            and _same(a.args, b.args)
            and _same(a.kwargs, b.kwargs)
            for a, b in zip(self.nodes, later.nodes)
        )


def _is_constant(value: Any) -> bool:
    """Return whether a value is a constant, or a tuple of constants: an optimizer's result."""
    return (
        value is None or isinstance(value, _CONSTANT_TYPES) or (type(value) is tuple and all(map(_is_constant, value)))
    )


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return (
        a.dtype is b.dtype
        and tuple(a.shape) == tuple(b.shape)
        and a.device == b.device
        and bool(torch.equal(plain(a), plain(b)))
    )


def _same(a: Any, b: Any) -> bool:
    """Return whether both are equal in type and value, NaN equal to itself, generators by identity."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_same, a.values(), b.values()))
    return a is b or (a == b and (a != 0 or str(a) == str(b))) or (isinstance(a, float) and a != a and b != b)


class _StepReading(Reading):
    """Mode that also notices Python in a backward pass, whose reads are invisible."""

    recorder: _StepRecorder

    def called(self, func: Any, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        if name in _RUNS_PYTHON:
            self.recorder.memory_read(name, args[0])
        if func in GRADS and (_runs_python(args[0]) or any(tensor._backward_hooks for tensor in args[1])):
            self.recorder.give_up(f"its backward pass runs Python or has more than {MAX_NODES} nodes")
        return func(*args, **kwargs)


def _runs_python(roots: Any) -> bool:
    """Return whether the graph has a ``torch.autograd.Function`` without ``only_operators``, or too many nodes."""
    waiting = [root.grad_fn for root in ((roots,) if isinstance(roots, torch.Tensor) else roots)]
    seen: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        function = getattr(node, "_forward_cls", None)
        if len(seen) > MAX_NODES or (function is not None and not hasattr(function, "only_operators")):
            return True
        waiting.extend(following for following, _ in node.next_functions)
    return False


class _Watch(io.TextIOBase):
    """Standard output with a flag for writes."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.used = stream, False

    def write(self, text: str) -> int:
        self.used = True
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _StepRecorder(Recorder):
    """Recorder of every operator until something cannot be repeated; the computation itself always runs to its end.

    With ``quick`` it calls torch's own bindings if there are any, so that a replay runs what was tried in a recording.
    """

    def __init__(self, inputs: Sequence[torch.Tensor], quick: bool, evaluates: bool) -> None:
        super().__init__()
        self.tape, self.quick, self.problem = Tape(), quick, ""
        self.may_branch = not evaluates  # until Python runs that nothing undoes
        self.updates = False  # an optimizer was called: the result is not differentiated
        self._names: Identity[Ref] = Identity(holds=False)
        self._roots: dict[str, str] = {}  # a view -> its base
        self._count = 0
        for position, tensor in enumerate(inputs):
            self._put(tensor, f"x{position}")

    def give_up(self, problem: str) -> None:
        if not self.problem:
            self.problem, self.tape = problem, Tape()  # the tape may hold a whole step's memory

    def memory_read(self, name: str, tensor: Any) -> None:
        self.give_up(f"it calls Tensor.{name}")

    def ref(self, value: Any) -> Any:
        """Return ``value`` with every tensor in it replaced by its name."""
        if isinstance(value, torch.Tensor):
            known = self._names.get(value) or self._hidden_alias(value)
            if known is None:
                if value.layout is not torch.strided or value.device not in (CPU, current_device()):
                    self.give_up(f"it uses a {value.layout} tensor on {value.device}")
                known = self._put(value, f"c{len(self.tape.constants)}")
                self.tape.constants[known] = value
            return known
        if isinstance(value, (list, tuple)):
            return (
                tuple([self.ref(item) for item in value])
                if isinstance(value, tuple)
                else [self.ref(item) for item in value]
            )
        if isinstance(value, dict):
            return {key: self.ref(item) for key, item in value.items()}
        if value is not None and not isinstance(value, _CONSTANT_TYPES):
            self.give_up(f"it uses a {type(value).__name__}")
        return value

    def _put(self, tensor: torch.Tensor, name: str) -> Ref:
        if tensor.device == CPU:
            self.tape.on_cpu.add(name)
        return self._names.put(tensor, Ref(name))

    def _hidden_alias(self, tensor: torch.Tensor) -> Ref | None:
        """Return the name of the result that ``tensor`` is another object for. In the memory of an input it is
        ambiguous: it may be the input, or a tensor of the caller.
        """
        if isinstance(tensor, Parameter) or tensor.layout is not torch.strided:
            return None
        for other, name in self._names.sharing(tensor):
            is_same = place_of(other) == place_of(tensor)
            if name[0] == "t" and is_same:
                return self._names.put(tensor, name)
            if name[0] == "t" or (name[0] == "x" and is_same):
                self.give_up("it uses the memory of a tensor through another object")
        return None

    def alias(self, item: Any) -> Any:
        """Return another object for a tensor that the computation made: those that then live, the program keeps."""
        is_made = type(item) in (Tensor, torch.Tensor) and (self._names.get(item) or "")[:1] == "t"
        return wrap(_Base.detach(item)) if is_made else item

    def keeps_more(self) -> bool:
        """Return whether the program holds a tensor that it made, besides the result."""
        for _ in range(2):
            if not any(name[0] == "t" and not has_views(tensor) for tensor, name in self._names.alive()):
                return False
            gc.collect()  # cycles of objects
        return True

    def python(self, call: Callable[..., Any], args: tuple, draws: bool = False) -> Any:
        """Run ``call(*args)``, which each replay calls as well, with its own tensors. It may do anything but return new
        tensors; with ``draws`` it only fills them from a generator of the graph.
        """
        self.may_branch = self.may_branch and draws
        arguments = self.ref(args)
        program.recorder = None
        try:
            with self.pause():
                result = call(*args)
        finally:
            program.recorder = self
        if not _is_constant(result):
            self.give_up(f"{call} gives a {type(result).__name__}")
        if not self.problem:
            self.tape.written.update(self._roots.get(ref, ref) for ref in refs(arguments))
            self.tape.nodes.append(Node(Opaque, call, arguments, {}, [], False, (result,)))
        return result

    def saw(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        if func is _aten._local_scalar_dense.default and not self.problem:
            return self._read(args[0], func(*args))
        if not self.problem and any(tag in func.tags for tag in _UNPREDICTABLE) and not _takes_places(func, args):
            self.give_up(f"{func} makes Python depend on values")
        if is_random(func) and torch._C._current_autograd_node() is not None:
            # `recompute` sets torch's generator back, which no operator shows
            self.give_up("it draws random numbers in a backward pass")
        if self.problem:
            return func(*args, **kwargs)
        ref_args, ref_kwargs = self.ref(tuple(args)), self.ref(kwargs)
        call = (binding(func, kwargs) if self.quick else None) or func
        try:
            result = call(*args, **kwargs)
        except TypeError:
            if call is func:
                raise
            call = func
            result = func(*args, **kwargs)
        self._note(func, call, ref_args, ref_kwargs, result)
        return result

    def _read(self, tensor: torch.Tensor, value: Any) -> Any:
        """Record a number that Python reads. One from outside, such as a constant learning rate, is valid while it is
        the same; one that the step computes never is.
        """
        name = self.ref(tensor)
        is_constant = name in self.tape.constants and tensor.device == CPU
        if isinstance(value, bool) and not is_constant and self._branch(name, value):
            return value
        if name not in self.tape.constants or not isinstance(value, (int, float)):
            self.give_up("Python reads a value that it computes")
        elif tensor.device != CPU:  # whether it is still the same could only be known by waiting for the device
            self.give_up(f"Python reads a value on {tensor.device}")
        self.tape.read[name] = value
        return value

    def _branch(self, name: Ref, value: bool) -> bool:
        """Record that Python branches on a bool; return whether a replay could undo what it has done before."""
        nodes, constants = self.tape.nodes, self.tape.constants
        if any(isinstance(node.call, Branch) and node.args == (name,) for node in nodes) and (
            self._roots.get(name, name) not in self.tape.written
        ):
            return True
        # batch norm writes its averages, which its schema does not say
        averages = [ref for node in nodes if "batch_norm" in node.op._schema.name for ref in refs(node.args[3:5])]
        roots = {*self.tape.written, *(self._roots.get(ref, ref) for ref in averages)}
        written = {root for root in roots if root[0] != "t"}
        tensors = [constants[Ref(root)] for root in sorted(written) if root in constants]
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        if not self.may_branch or len(tensors) < len(written) or size > MAX_SAVED:
            return False
        self.tape.before_branch = tensors
        nodes.append(Node(Opaque, Branch(value), (name,), {}, [], False, (None,)))
        return True

    def _note(self, func: Any, call: Any, args: tuple, kwargs: dict[str, Any], result: Any) -> None:
        if not isinstance(result, (torch.Tensor, list, tuple)) and result is not None and not any(refs((args, kwargs))):
            return  # numbers from numbers, such as the dtype that two dtypes make
        outputs: list[str | None] = []
        described = []
        for item in result if isinstance(result, (list, tuple)) else [result]:
            name = None
            if isinstance(item, torch.Tensor):
                name = self._names.get(item)
                if name is None:
                    name = self._put(item, f"t{self._count}")
                    self._count += 1
                described.append((item.dtype, tuple(item.shape), _Base.stride(item), item.device))
            elif item is not None:
                return self.give_up(f"{func} gives Python a {type(item).__name__}")
            outputs.append(name)
        node = Node(func, call, args, kwargs, outputs, isinstance(result, (list, tuple)), tuple(described))
        for is_write, value in aliased(func, args, kwargs):
            root = self._roots.get(value, value)
            if is_write:
                self.tape.written.add(root)
            else:
                self._roots.update((name, root) for name in outputs if name is not None)
        self.tape.nodes.append(node)


def record(
    compute: Callable[[], Any], inputs: Sequence[torch.Tensor], quick: bool, evaluates: bool = False
) -> tuple[Any, Tape | None, str]:
    """Run ``compute`` once, for real, and return (its result, its tape or None, why there is none).

    Args:
        inputs: the tensors that differ from call to call; ``compute`` uses these very objects.
        quick: call torch's bindings where there are any.
        evaluates: no other tensor of it may stay alive but the result.
    """
    recorder = program.recorder = _StepRecorder(inputs, quick, evaluates)
    kept = set(KEPT)
    program.recording += 1
    watch, drawn = _Watch(sys.stdout), _random_states()
    sys.stdout = watch  # type: ignore[assignment]
    hook = register_module_forward_pre_hook(_module_called)
    try:
        with _StepReading(recorder), recorder:
            result = compute()
    finally:
        hook.remove()
        sys.stdout, program.recorder = watch.stream, None
    for cell in filter(None, [KEPT[key]() for key in KEPT.keys() - kept]):
        cell._forget_kept()  # of inputs that no later call has
    if num_leaves(result) > MAX_LEAVES:
        return result, None, f"its result has more than {MAX_LEAVES} values"
    if not recorder.updates and any(
        isinstance(item, torch.Tensor) and item.grad_fn is not None for item in tree_leaves(result)
    ):
        has_branches = bool(recorder.tape.branches)
        recorder.give_up(NO_UPDATE if has_branches else "its result can be differentiated, which a replay's could not")
    if not recorder.tape.written.isdisjoint(recorder.tape.read):
        recorder.give_up("Python reads a value that it changes")
    if watch.used:
        recorder.give_up("it prints")
    if drawn != _random_states():
        recorder.give_up(DRAWS)
    recorder.tape.returned, recorder.tape.recomputes = recorder.ref(result), recorder.recomputes
    if not recorder.problem:
        result = tree_map(recorder.alias, result)
        if recorder.keeps_more() or (evaluates and not _is_plain(result)):
            recorder.give_up("it keeps a tensor that it computes, or returns an object of another class")
    return (result, None, recorder.problem) if recorder.problem else (result, recorder.tape, "")


def _module_called(module: torch.nn.Module, args: Any) -> None:
    """Give up for a torch module: unlike a Cell's, its changes are not reported."""
    if not hasattr(type(module), "construct"):
        program.not_repeatable("it calls a torch module, whose changes are not reported")


def _takes_places(func: Any, args: tuple) -> bool:
    """Return whether it is ``x[i]`` with integers: its shape does not depend on values, unlike that of ``x[mask]``."""
    masks = torch.bool, torch.uint8
    return func is _aten.index.Tensor and not any(item is not None and item.dtype in masks for item in args[1])


def _is_plain(result: Any) -> bool:
    """Return whether a replay can make it: it consists of tuples, lists, dicts, numbers and tensors."""
    if isinstance(result, (tuple, list, dict)):
        items = result.values() if isinstance(result, dict) else result
        return type(result) in (tuple, list, dict) and all(map(_is_plain, items))
    return not isinstance(result, torch.Tensor) or type(result) in (Tensor, torch.Tensor, Parameter)


def _random_states() -> tuple:
    name, keys, *rest = np.random.get_state(legacy=True)
    return random.getstate(), name, np.asarray(keys).tobytes(), tuple(rest)


def refs(value: Any) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from refs(item)
    elif isinstance(value, dict):
        yield from refs(list(value.values()))
