"""Tracing: a Cell runs once on the given inputs while a dispatch mode writes down every aten operator.

Real values flow, so shapes, Python control flow and constants come out as in any run. In-place operators and views are
rewritten here (``x[:, 0] = y`` becomes a scatter), operators on constants alone are folded, and those the format lacks
are taken apart (``_decompose.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import memory, plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._aten import bind, changes_nothing, computed, is_view, normalized, tensors_in
from mindspore_compat.train._export._decompose import CREATION, DECOMPOSITIONS
from mindspore_compat.train._export._decompose import GRADIENTS as _GRADIENTS
from mindspore_compat.train._export._decompose_layers import batch_norm_in_training
from mindspore_compat.train._export._explore import MOST_WAYS, Attempt, explore, too_many
from mindspore_compat.train._export._graph import CONSTANT, INPUT, PARAMETER, RESULT, Graph, Node, Value, map_values
from mindspore_compat.train._export._loop_node import ChangesParameter, attributes_of, run_loop, same_attribute
from mindspore_compat.train._export._loops import looping
from mindspore_compat.train._export._optimizers import recordable_optimizers
from mindspore_compat.train._export._recurrent import RECURRENT, recurrent

__all__ = ["Kept", "refuse", "trace"]

# : Takes an operator and its arguments; tells whether the file format has it in this form, so that it need not be taken
# apart.
Kept = Callable[[str, dict[str, Any]], bool]

_Base = torch._C.TensorBase
_IDENTITY = frozenset(
    {"detach", "alias", "lift_fresh", "lift", "lift_fresh_copy", "clone", "contiguous", "native_dropout"}
)
_SYNONYMS = {
    "_unsafe_view": "view",
    "_reshape_alias": "view",
    "cudnn_batch_norm": "native_batch_norm",
    "miopen_batch_norm": "native_batch_norm",
    "t": "transpose",
    "_to_copy": "to",
    "cudnn_convolution": "convolution",
    "unsafe_split": "split",
    "true_divide": "div",
    "unsafe_split_with_sizes": "split_with_sizes",
    "expand_copy": "expand",
    "absolute": "abs",
    "fix": "trunc",
}
_READING = frozenset({"numpy", "tolist", "__array__", "untyped_storage", "storage", "__dlpack__"})
_DECIDING = frozenset({"__bool__", "is_nonzero"})
_RESHAPING = frozenset({"transpose_", "t_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_"})


_SHOWING = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
#: operators with such results in some forms only: whether this form is none
_FIXED_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "index": lambda a: not any(item is not None and item.dtype in (torch.bool, torch.uint8) for item in a["indices"]),
}
_BOOLS = {Tensor.__bool__.__code__}


_refusals: list[NotImplementedError] = []  # of this run: 'construct' may catch what is raised in it, and go on


def refuse(what: str, scope: str) -> NotImplementedError:
    """The error for what no file can hold, with the place and the ways around it."""
    error = NotImplementedError(
        f"For 'export', {what}{f' (in {scope})' if scope else ''}. Rewrite that part of 'construct', or use "
        "save_checkpoint "
        "for the parameters, or torch.onnx.export on the Cell, which is a torch.nn.Module."
    )
    _refusals.append(error)
    return error


class _Handle:
    """What is known of one torch tensor: its Value now, and for a view how to make it again after its base
    has changed.
    """

    __slots__ = ("base", "level", "parameter", "seen", "tensor", "value", "version", "view")

    def __init__(
        self,
        tensor: torch.Tensor,
        value: Value,
        base: _Handle | None = None,
        view: tuple[Any, dict[str, Any], int] | None = None,
    ) -> None:
        self.tensor, self.value, self.base, self.view = (
            tensor,
            value,
            base,
            view,
        )  # view: operator, its arguments, which result
        self.parameter = value if value.kind == PARAMETER and base is None else None
        self.level = 0  # how deep in loops it was made
        self.version, self.seen = 0, base.root().version if base is not None else 0

    def root(self) -> _Handle:
        return self if self.base is None else self.base.root()


class _Recorder(TorchDispatchMode):
    """Writes operators into ``nodes``. ``kept`` says which operators the format has itself, in this form."""

    def __init__(
        self, paths: dict[int, str], kept: Kept, choices: tuple[bool, ...] = (), straight: bool = False
    ) -> None:
        super().__init__()
        self._straight = straight
        self.nodes: list[Node] = []
        self.parameters: dict[str, Value] = {}
        self.decisions: list[tuple[int, Value, bool]] = []
        self._choices = choices
        self.carried: list[_Handle] = []  # Parameters that the loops around here carry on
        self._level = 0
        self._changed: dict[
            str, tuple[_Handle, torch.Tensor]
        ] = {}  # Parameters that are assigned to, and their contents before
        self._paths, self._kept = paths, kept
        self._handles: dict[int, _Handle] = {}
        self._by_place: dict[tuple[Any, ...], _Handle] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Nothing is compiled here; torch would import its compiler (seconds) only to be told to skip this mode."""
        return False

    # --- tensors and Values -------------------------------------------------------------------------------------------

    def add_source(self, tensor: torch.Tensor, kind: str, name: str) -> Value:
        """An input or parameter; found again also by its place in memory, since ``.data`` makes objects behind the
        mode's back.
        """
        value = Value(kind, tuple(tensor.shape), tensor.dtype, name, plain(tensor) if kind == PARAMETER else None)
        self._handles[id(tensor)] = handle = _Handle(tensor, value)
        handle.level = 0 if kind == PARAMETER else self._level
        if tensor.numel():
            self._by_place.setdefault(_place(tensor), handle)
        return value

    def _handle_of(self, tensor: torch.Tensor) -> _Handle:
        handle = self._handles.get(id(tensor)) or self._by_place.get(_place(tensor))
        if handle is None:
            if (
                isinstance(tensor, Parameter) and tensor.name not in self.parameters
            ):  # of a function, or outside of the Cell
                self.parameters[tensor.name] = self.add_source(tensor, PARAMETER, tensor.name)
                return self._handles[id(tensor)]
            handle = self._handles[id(tensor)] = _Handle(tensor, _constant(tensor))
            handle.level = self._level
        return handle

    def read(self, tensor: torch.Tensor) -> Value:
        """The Value that ``tensor`` stands for now."""
        handle = self._handle_of(tensor)
        root = handle.root()
        if handle.base is not None and handle.seen != root.version:
            if self.read(handle.base.tensor).kind == CONSTANT:
                handle.value = _constant(handle.tensor)
            else:
                assert handle.view is not None
                view, arguments, index = handle.view
                with self:
                    again = view(**arguments)
                handle.value = self.read(again[index] if isinstance(again, (tuple, list)) else again)
            handle.seen = root.version
        return handle.value

    # --- operators ----------------------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        bound = bind(func, args, kwargs or {})
        name = str(func.overloadpacket.__name__)
        self._check_visible(func, name, bound)
        written = [
            argument.name
            for argument in func._schema.arguments
            if argument.alias_info is not None and argument.alias_info.is_write
        ]
        if written:
            return self._in_place(func, name, bound, written)
        op = _SYNONYMS.get(name, name)
        if op == "native_batch_norm" and bound["training"] and not self._kept(op, bound):
            return self._batch_norm(bound)
        if not all(self.read(tensor).kind == CONSTANT for tensor in tensors_in(bound)):
            kept = self._kept(op, bound)
            decompose = DECOMPOSITIONS.get(op) if not kept else None
            with self:
                result = decompose(**bound) if decompose is not None else NotImplemented
                if (
                    decompose is None and not kept and "_backward" in op and func in _GRADIENTS
                ):  # of a derivative in 'construct'
                    result = _GRADIENTS[func](*args, **kwargs or {})
                if result is NotImplemented and not kept and op not in _IDENTITY and op not in CREATION:
                    result = func.decompose(*args, **kwargs or {})  # torch's composite operators
            if result is not NotImplemented:
                return result
        return self._record(func, op, bound, args, kwargs or {})

    def _check_visible(self, func: Any, name: str, bound: dict[str, Any]) -> None:
        """Refuse what shows Python a value, or a size that depends on values: it would silently become a constant."""
        if _SHOWING.isdisjoint(func.tags) or all(self.read(tensor).kind == CONSTANT for tensor in tensors_in(bound)):
            return
        if torch.Tag.data_dependent_output in func.tags:
            raise refuse(
                "'construct' turns a value that depends on inputs or parameters into a Python number (item(), int(), "
                "float(), range), "
                "which a file can not repeat. Keep it a Tensor",
                self.scope(),
            )
        if name not in _FIXED_FORMS or not _FIXED_FORMS[name](bound):
            raise refuse(
                f"the result of the operator '{name}' has a size that depends on values, which a file can not hold. "
                "Use ops.select, "
                "masked_fill or a product with the mask",
                self.scope(),
            )

    def decide(self, tensor: torch.Tensor) -> bool | None:
        """The outcome of ``if tensor`` on this way; None if it is a constant."""
        value = self.read(tensor)
        if value.kind == CONSTANT:
            return None
        for _, condition, outcome in self.decisions:
            if condition is value:
                return outcome
        number = len(self.decisions)
        if self._straight or number > MOST_WAYS:
            raise too_many(lambda what: refuse(what, self.scope()))
        with _disable_current_modes():
            outcome = self._choices[number] if number < len(self._choices) else bool(plain(tensor))
        self.decisions.append((len(self.nodes), value, outcome))
        return outcome

    def _batch_norm(self, bound: dict[str, Any]) -> Any:
        """With statistics of the batch; the moving ones follow them, as torch does it inside of the operator."""
        with self:
            result, mean, spread, variance = batch_norm_in_training(
                bound["input"], bound["weight"], bound["bias"], bound["eps"]
            )
            momentum = bound["momentum"]
            for moving, new in ((bound["running_mean"], mean), (bound["running_var"], variance)):
                if moving is not None and momentum:
                    _Base.copy_(moving, _Base.detach(moving) * (1 - momentum) + new * momentum)
            return result, mean, spread

    def updates(self) -> list[tuple[Value, Value]]:
        """(Parameter, its last Value) of those that `construct` changed."""
        return [(self.parameters[name], self.read(handle.tensor)) for name, (handle, _) in self._changed.items()]

    def note_change(self, handle: _Handle) -> None:
        """Keep what a Parameter holds, before the first change."""
        assert handle.parameter is not None
        if handle.parameter.name not in self._changed:
            with _disable_current_modes(), torch._C.DisableTorchFunction():
                self._changed[handle.parameter.name] = handle, _Base.clone(plain(handle.tensor))

    def keeps(self, op: str) -> bool:
        """Whether the format has this operator of the trace's own."""
        return self._kept(op, {})

    def keep(self, tensor: torch.Tensor) -> None:
        """A constant from outside of the trace gets a Value now."""
        self._handle_of(tensor)

    def bind(self, tensor: torch.Tensor, value: Value) -> None:
        """``tensor`` stands for ``value``."""
        self._handles[id(tensor)] = handle = _Handle(tensor, value)
        handle.level = self._level

    @contextmanager
    def inner(self, choices: tuple[bool, ...]) -> Iterator[tuple[list[Node], list[tuple[int, Value, bool]]]]:
        """What is recorded goes to the lists given here, with decisions of their own."""
        outer = self.nodes, self.decisions, self._choices
        self.nodes, self.decisions, self._choices = [], [], choices
        self._level += 1
        try:
            yield self.nodes, self.decisions
        finally:
            self.nodes, self.decisions, self._choices = outer
            self._level -= 1

    def restore(self) -> None:
        """Give the Parameters their contents back."""
        for handle, before in self._changed.values():
            memory(handle.tensor).copy_(before)

    def _record(self, func: Any, op: str, bound: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        tensors = tensors_in(bound)
        dropping = op == "native_dropout" and bound.get("train")
        if (torch.Tag.nondeterministic_seeded in func.tags and op != "native_dropout") or (
            dropping and not self._kept(op, bound)
        ):
            raise refuse(f"'construct' draws random numbers with '{op}'", self.scope())
        values = {id(tensor): self.read(tensor) for tensor in tensors}
        if op == "native_batch_norm" and bound["training"]:  # one that is kept does not move the statistics
            args = tuple(
                _Base.clone(item) if name.startswith("running_") and item is not None else item
                for name, item in bound.items()
            )
            kwargs = {}
        result = computed(func, args, kwargs)
        made = [
            item
            for item in (result if isinstance(result, (tuple, list)) else [result])
            if isinstance(item, torch.Tensor)
        ]
        if op in CREATION or all(value.kind == CONSTANT for value in values.values()):
            outputs = [_constant(item) for item in made]
        elif (op in _IDENTITY and not dropping) or changes_nothing(op, bound, tensors, made):
            outputs = [values[id(tensors[0])]] * len(made)
        else:
            named = {
                key: map_values(lambda item: values[id(item)] if isinstance(item, torch.Tensor) else item, item)
                for key, item in bound.items()
            }
            outputs = self._emit(op, normalized(func, op, named, made), made)
        base = self._handle_of(tensors[0]) if tensors and is_view(func) else None
        for index, (item, value) in enumerate(zip(made, outputs)):
            known = self._handles.get(id(item))
            if known is None or known.tensor is not item:
                self._handles[id(item)] = _Handle(item, value, base, (func, bound, index) if base is not None else None)
                self._handles[id(item)].level = self._level
        return result

    def _emit(self, op: str, args: dict[str, Any], results: list[torch.Tensor]) -> list[Value]:
        node = Node(op, args, scope=self.scope())
        node.outputs = [
            Value(RESULT, tuple(result.shape), result.dtype, node=node, index=index)
            for index, result in enumerate(results)
        ]
        self.nodes.append(node)
        return node.outputs

    def _in_place(self, func: Any, name: str, bound: dict[str, Any], written: list[str]) -> Any:
        """``x.add_(y)``: write down ``add``, and for a view of z what z becomes; then let the real tensor take the
        values.
        """
        if not name.endswith("_") or len(written) > 1:
            raise refuse(f"the operator '{name}' writes into {', '.join(written)}", self.scope())
        target = bound[written[0]]
        handle = self._handle_of(target)
        if name in _RESHAPING:  # another shape on the same elements
            with self:
                handle.value = self.read(getattr(torch.ops.aten, name[:-1])(**bound))
            handle.base = handle.view = None
            return func(**bound)
        root = handle.root()
        changed, new = [handle], self._without_side_effect(name, bound, target)
        if root.parameter is not None:
            if (
                root.value is root.parameter
                and self._is_only(root.parameter, new)
                and torch.allclose(target, new, equal_nan=True)
            ):
                return target  # torch's instance_norm writes the moving values back unchanged
            if self._level and root not in self.carried:
                raise ChangesParameter(root)
            self.note_change(root)
        elif root.level < self._level:
            raise refuse("a loop changes a Tensor in place that was made outside of it", self.scope())
        made = [new]
        while changed[-1].base is not None:
            with self:
                made.append(self._scattered(changed[-1], made[-1]))
            changed.append(changed[-1].base)
        values = [self.read(item) for item in made]
        result = _Base.copy_(target, new)
        root.version += 1
        for item, value in zip(changed, values):
            item.value, item.seen = value, root.version
        return result

    def _is_only(self, parameter: Value, tensor: torch.Tensor) -> bool:
        """Whether ``tensor`` depends on nothing but this Parameter."""
        left, seen = [self.read(tensor)], set()
        while left:
            value = left.pop()
            if value is parameter or value.kind == CONSTANT or id(value) in seen:
                continue
            if value.node is None:
                return False
            seen.add(id(value))
            left += value.node.inputs()
        return True

    def _without_side_effect(self, name: str, bound: dict[str, Any], target: torch.Tensor) -> torch.Tensor:
        shape, like = tuple(target.shape), {"dtype": target.dtype, "device": target.device}
        with self:
            if name == "copy_":
                return torch.broadcast_to(_Base.to(bound["src"], target.dtype), shape)
            if name in ("fill_", "zero_"):
                value = bound.get("value", 0)
                return torch.broadcast_to(
                    _Base.to(value, target.dtype) if isinstance(value, torch.Tensor) else torch.full((), value, **like),
                    shape,
                )
            packet = getattr(torch.ops.aten, name[:-1], None)
            if packet is None:
                raise refuse(f"the in-place operator '{name}' has no counterpart without side effect", self.scope())
            new = packet(**bound)
            return _Base.to(new, target.dtype)

    def _scattered(self, handle: _Handle, value: torch.Tensor) -> torch.Tensor:
        """What the base of a view becomes when the view becomes ``value``."""
        assert handle.view is not None and handle.base is not None
        view, arguments, _ = handle.view
        base, name = handle.base.tensor, str(view.overloadpacket.__name__)
        rest = {key: item for key, item in arguments.items() if key != "self"}
        op = _SYNONYMS.get(name, name)
        if op == "select":
            return torch.select_scatter(base, value, **rest)
        if op == "slice":
            return torch.slice_scatter(base, value, **rest)
        if op in ("view", "unsqueeze", "squeeze") or op in _IDENTITY:
            return torch.reshape(value, tuple(_Base.shape.__get__(base)))  # type: ignore[attr-defined]
        if op == "transpose":
            return torch.transpose(value, rest.get("dim0", 0), rest.get("dim1", -1))
        if op == "permute":
            order = [axis % base.dim() for axis in rest["dims"]]
            return torch.permute(value, [order.index(axis) for axis in range(len(order))])
        raise refuse(f"a tensor is changed in place through its view by '{op}'", self.scope())

    def scope(self) -> str:
        """Path and class of the innermost Cell whose ``construct`` runs."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name == "construct":
                cell = frame.f_locals.get("self")
                if isinstance(cell, Cell):
                    path = self._paths.get(id(cell), "")
                    return f"{path}-{type(cell).__name__}" if path else type(cell).__name__
            frame = frame.f_back
        return ""


class _NoReading(TorchFunctionMode):
    """Refuses the ways from a tensor to numpy and lists, which no dispatch mode sees: their values would silently
    become constants.

    ``if tensor`` asks the recorder which way to go; dropout in training becomes one operator.
    """

    def __init__(self, recorder: _Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def _is_place(self, index: Any) -> bool:
        """Whether it is one number of the graph."""
        return (
            isinstance(index, torch.Tensor)
            and not index.dim()
            and index.dtype in (torch.int32, torch.int64)
            and self._recorder.read(index).kind != CONSTANT
        )

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        name = getattr(func, "__name__", "")
        if name in _DECIDING or (name == "item" and _asked_by_bool()):
            outcome = self._recorder.decide(args[0])
            if outcome is not None:
                return outcome
        if name in ("__getitem__", "__setitem__") and self._is_place(args[1]):  # torch would make a number of it
            args = (
                args[0],
                torch.reshape(args[1], (1,)),
                *[
                    torch.unsqueeze(item, 0) if isinstance(item, torch.Tensor) and item.dim() else item
                    for item in args[2:]
                ],
            )
            return func(*args) if name == "__setitem__" else torch.squeeze(func(*args), 0)
        if func is torch.dropout and _given(args, kwargs, 2, "train") and _given(args, kwargs, 1, "p"):
            return wrap(torch.native_dropout(args[0], _given(args, kwargs, 1, "p"), True)[0])
        if name in RECURRENT and func is getattr(torch, name, None) and not kwargs:
            found = recurrent(self._recorder, lambda what: refuse(what, self._recorder.scope()), name, args)
            if found is not NotImplemented:
                return wrap(found)
        if name in _READING and self._recorder.read(args[0]).kind != CONSTANT:
            raise refuse(
                "'construct' reads the values of a tensor that depends on inputs or parameters (asnumpy(), tolist()), "
                "which a file can "
                "not repeat",
                self._recorder.scope(),
            )
        return func(*args, **kwargs or {})


def _asked_by_bool() -> bool:
    """Whether the tensor is read for ``if`` and the like."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.endswith("overrides.py"):
        frame = frame.f_back
    return frame is not None and frame.f_code in _BOOLS


def _given(args: tuple[Any, ...], kwargs: dict[str, Any] | None, index: int, name: str) -> Any:
    return args[index] if len(args) > index else (kwargs or {}).get(name)


def _place(tensor: torch.Tensor) -> tuple[Any, ...]:
    return _Base.data_ptr(tensor), tuple(tensor.shape), _Base.stride(tensor), tensor.dtype


def _constant(tensor: torch.Tensor) -> Value:
    return Value(CONSTANT, tuple(tensor.shape), tensor.dtype, data=_Base.clone(plain(tensor)))


def trace(
    net: Any, inputs: tuple[Any, ...], names: Iterable[str], label: str, kept: Kept, straight: bool = False
) -> Graph:
    """The graph of ``net(*inputs)``.

    Args:
        net: a Cell in the mode to export, or a function of tensors.
        inputs: tensors, or tuples and lists of them.
        names: a name for each tensor in them.
        label: the graph's name.
        kept: tells which operators not to take apart.
        straight: refuse decisions by values, so that it runs only once.

    Raises:
        NotImplementedError: if ``construct`` does what a fixed graph can not do; names the Cell.
    """
    paths = {id(cell): path for path, cell in net.cells_and_names()} if isinstance(net, Cell) else {}
    names = list(names)

    def attempt(choices: tuple[bool, ...]) -> Attempt:
        _refusals.clear()
        recorder = _Recorder(paths, kept, choices, straight)
        fresh = map_values(
            lambda item: wrap(_Base.clone(plain(item))) if isinstance(item, torch.Tensor) else item, tuple(inputs)
        )
        sources = [recorder.add_source(item, INPUT, name) for item, name in zip(tensors_in(fresh), names)]
        if isinstance(net, Cell):
            for parameter in net.get_parameters():
                recorder.parameters[parameter.name] = recorder.add_source(parameter, PARAMETER, parameter.name)

        def run(test: Callable[..., Any], body: Callable[..., Any], values: Any) -> Any:
            before = attributes_of(net)
            found = run_loop(recorder, lambda what: refuse(what, recorder.scope()), test, body, values)
            for key, item in attributes_of(net).items():
                if key not in before or not same_attribute(before[key], item):
                    raise refuse(
                        f"the body of a loop changes the attribute {key[1]!r} of a Cell, which a file does not hold. "
                        "Use a name in "
                        "'construct', or a Parameter",
                        recorder.scope(),
                    )
            return found

        try:
            with recordable_optimizers(net, lambda what: refuse(what, recorder.scope())), looping(net, run) as function:
                outputs = _run(recorder, function, fresh)
            if _refusals:
                raise _refusals[0]
            updates = recorder.updates()
        finally:
            recorder.restore()
        return Attempt(
            Graph(label, sources, list(recorder.parameters.values()), recorder.nodes, outputs, updates),
            recorder.decisions,
        )

    graph = explore(attempt, lambda what: refuse(what, ""), again=True)
    graph.remove_dead()
    return graph


@contextmanager
def _without_fused_kernels() -> Iterator[None]:
    """Attention and recurrent layers as plain operators, which file formats have."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    before = torch._C._get_mkldnn_enabled(), torch._C._get_cudnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    torch._C._set_cudnn_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH), kernels.as_torch():
            yield
    finally:
        torch._C._set_mkldnn_enabled(before[0])
        torch._C._set_cudnn_enabled(before[1])


def _run(recorder: _Recorder, net: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    with torch.no_grad(), _without_fused_kernels(), _NoReading(recorder), recorder:
        result = net(*inputs)

    def value_of(item: Any) -> Value:
        if isinstance(item, torch.Tensor):
            return recorder.read(item)
        if isinstance(item, (bool, int, float)):
            return _constant(torch.tensor(item, dtype=torch.float32 if isinstance(item, float) else None))
        raise TypeError(
            "For 'export', 'construct' must return Tensors, numbers, or tuples of them, but it returned "
            f"{type(item).__name__}."
        )

    return map_values(value_of, result)
