"""Recorder of a graph: it rewrites each operator as one without side effects.

In-place operators and views become pure operators (``in_place.py``: ``x[:, 0] = y`` becomes a scatter). Operators on
constants alone are folded, and operators missing in the format are decomposed (``decompose.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from mindspore_compat._graph.export.decompose import (
    CREATION,
    DECOMPOSITIONS,
    batch_norm_in_training,
    torch_decompositions,
)
from mindspore_compat._graph.export.explore import MOST_PATHS, too_many
from mindspore_compat._graph.export.in_place import Handle, InPlace
from mindspore_compat._graph.export.ir import (
    CONSTANT,
    IDENTITY,
    PARAMETER,
    RESULT,
    SYNONYMS,
    Node,
    Value,
    changes_nothing,
    computed,
    map_values,
    normalized,
    refuse,
    tensors_in,
)
from mindspore_compat._graph.operators import SHOWS_SIZE, SHOWS_VALUE, bind, is_random, is_view, written
from mindspore_compat._graph.recorder import Identity, place_of
from mindspore_compat._tensor.wrapping import memory, plain
from mindspore_compat.common.parameter import Parameter

#: Takes an operator and its arguments; returns whether the file format has it in this form, so that it is not
#: decomposed.
Kept = Callable[[str, dict[str, Any]], bool]

_Base = torch._C.TensorBase
#: operators with such results in some forms only: whether this form is none
_FIXED_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "index": lambda a: not any(item is not None and item.dtype in (torch.bool, torch.uint8) for item in a["indices"])
}

#: operators that take masks; of those that are constants the size of the result is known
_MASKED = frozenset({"index", "index_put", "index_put_", "masked_select"})


class GraphRecorder(InPlace):
    """Recorder of operators in ``nodes``. ``kept`` returns whether the format has an operator in this form."""

    writes_file = True  # checks of this package, as of shadows of integers, pause it

    def __init__(
        self, paths: dict[int, str], kept: Kept, choices: tuple[bool, ...] = (), straight: bool = False
    ) -> None:
        super().__init__()
        self._straight = straight
        self.nodes: list[Node] = []
        self.parameters: dict[str, Value] = {}
        self.decisions: list[tuple[int, Value, bool]] = []
        self._choices = choices
        self.carried: list[Handle] = []  # Parameters that the enclosing loops carry
        self._level = 0
        # Parameters that are assigned to, and their contents before
        self._changed: dict[str, tuple[Handle, torch.Tensor]] = {}
        self._paths, self._kept = paths, kept
        self._handles: Identity[Handle] = Identity(holds=True)
        self._by_place: dict[tuple[Any, ...], Handle] = {}

    # --- tensors and Values -------------------------------------------------------------------------------------------

    def add_source(self, tensor: torch.Tensor, kind: str, name: str) -> Value:
        """Add an input or parameter."""
        value = Value(kind, tuple(tensor.shape), tensor.dtype, name, plain(tensor) if kind == PARAMETER else None)
        self._know(Handle(tensor, value), 0 if kind == PARAMETER else self._level)
        return value

    def _know(self, handle: Handle, level: int | None = None) -> Handle:
        """Register a tensor by object and by address, since ``.data`` and ``as_subclass`` make objects that the mode
        does not see. All known tensors are kept alive, so no other one gets their address.
        """
        handle.level = self._level if level is None else level
        if handle.tensor.numel():
            self._by_place.setdefault(place_of(handle.tensor), handle)
        return self._handles.put(handle.tensor, handle)

    def _handle_of(self, tensor: torch.Tensor) -> Handle:
        handle = self._handles.get(tensor) or self._by_place.get(place_of(tensor))
        if handle is None:
            if isinstance(tensor, Parameter) and tensor.name not in self.parameters:  # of a function, or from outside
                self.parameters[tensor.name] = self.add_source(tensor, PARAMETER, tensor.name)
                return self._handles.get(tensor)  # type: ignore[return-value]
            handle = self._know(Handle(tensor, constant(tensor)))
        return handle

    def read(self, tensor: torch.Tensor) -> Value:
        """Return the Value that ``tensor`` stands for now."""
        handle = self._handle_of(tensor)
        root = handle.root()
        if handle.base is not None and handle.seen != root.version:
            if self.read(handle.base.tensor).kind == CONSTANT:
                handle.value = constant(handle.tensor)
            else:
                assert handle.view is not None
                view, arguments, index = handle.view
                with self:
                    again = view(**arguments)
                handle.value = self.read(again[index] if isinstance(again, (tuple, list)) else again)
            handle.seen = root.version
        return handle.value

    # --- operators ----------------------------------------------------------------------------------------------------

    def saw(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        bound = bind(func, args, kwargs)
        name = str(func.overloadpacket.__name__)
        if name in _MASKED and not all(self.read(tensor).kind == CONSTANT for tensor in tensors_in(bound)):
            if name == "masked_select" and self.read(bound["mask"]).kind == CONSTANT:
                with self:
                    return _Base.__getitem__(*torch.broadcast_tensors(bound["self"], bound["mask"]))
            if "indices" in bound:
                bound["indices"] = [place for index in bound["indices"] for place in self._places(index)]
                args, kwargs = (bound["self"],), {key: item for key, item in bound.items() if key != "self"}
        self._check_visible(func, name, bound)
        targets = written(func)
        if targets:
            return self._in_place(func, name, bound, targets)
        op = SYNONYMS.get(name, name)
        if op == "native_batch_norm" and bound["training"] and not self._kept(op, bound):
            return self._batch_norm(bound)
        if not all(self.read(tensor).kind == CONSTANT for tensor in tensors_in(bound)):
            result = self._taken_apart(func, op, bound, args, kwargs)
            if result is not NotImplemented:
                return result
        return self._record(func, op, bound, args, kwargs)

    def _present(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return results with tensors of the first one's shape for missing side results. torch needs them, but no file
        can hold their values.
        """
        made = []
        for result in results:
            if result is None:
                with _disable_current_modes():
                    result = torch.empty(tuple(results[0].shape), dtype=torch.int64)
                absent = Node("of places", {}, scope=self.scope())
                self.bind(result, Value(RESULT, tuple(result.shape), result.dtype, node=absent))
            made.append(result)
        return tuple(made)

    def _taken_apart(self, func: Any, op: str, bound: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Return the result of a decomposed operator; NotImplemented to record it whole."""
        kept = self._kept(op, bound)
        own = DECOMPOSITIONS.get(op) if not kept else None
        with self:
            result = own(**bound) if own is not None else NotImplemented
            if isinstance(result, tuple):
                return self._present(result)
            if result is NotImplemented and not kept and op not in IDENTITY and op not in CREATION:
                result = func.decompose(*args, **kwargs)  # torch's composite operators
                if result is NotImplemented and own is None and not is_random(func):
                    row = torch_decompositions().get(func)
                    result = row(*args, **kwargs) if row is not None else NotImplemented
        return result

    def _places(self, index: torch.Tensor | None) -> list[torch.Tensor | None]:
        """Return the true places of a constant mask; any other index unchanged."""
        if index is None or index.dtype not in (torch.bool, torch.uint8) or self.read(index).kind != CONSTANT:
            return [index]
        with _disable_current_modes():
            return list(torch.nonzero(plain(index), as_tuple=True))

    def memory_read(self, name: str, tensor: Any) -> None:
        if self.read(tensor).kind != CONSTANT:
            raise refuse(
                "'construct' reads the values of a tensor that depends on inputs or parameters (asnumpy(), tolist()), "
                "which a file cannot repeat",
                self.scope(),
            )

    def _check_visible(self, func: Any, name: str, bound: dict[str, Any]) -> None:
        """Refuse to show Python a value, or a size that depends on values: it would silently become a constant."""
        if SHOWS_VALUE not in func.tags and SHOWS_SIZE not in func.tags:
            return
        if all(self.read(tensor).kind == CONSTANT for tensor in tensors_in(bound)):
            return
        if SHOWS_VALUE in func.tags:
            raise refuse(
                "'construct' turns a value that depends on inputs or parameters into a Python number (item(), int(), "
                "float(), range), which a file cannot repeat. Keep it a Tensor",
                self.scope(),
            )
        if name not in _FIXED_FORMS or not _FIXED_FORMS[name](bound):
            raise refuse(
                f"the result of the operator '{name}' has a size that depends on values, which a file cannot hold. "
                "Use ops.select, masked_fill or a product with the mask",
                self.scope(),
            )

    def decide(self, tensor: torch.Tensor) -> bool | None:
        """Return the outcome of ``if tensor`` on this path; None if it is a constant."""
        value = self.read(tensor)
        if value.kind == CONSTANT:
            return None
        for _, condition, outcome in self.decisions:
            if condition is value:
                return outcome
        number = len(self.decisions)
        if self._straight or number > MOST_PATHS:
            raise too_many(lambda what: refuse(what, self.scope()))
        with _disable_current_modes():
            outcome = self._choices[number] if number < len(self._choices) else bool(plain(tensor))
        self.decisions.append((len(self.nodes), value, outcome))
        return outcome

    def _batch_norm(self, bound: dict[str, Any]) -> Any:
        """Compute with statistics of the batch, and update the moving ones, as torch does in the operator."""
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
        """Return (Parameter, its last Value) for the Parameters that `construct` changed."""
        return [(self.parameters[name], self.read(handle.tensor)) for name, (handle, _) in self._changed.items()]

    def note_change(self, handle: Handle) -> None:
        """Save the contents of a Parameter before the first change."""
        assert handle.parameter is not None
        if handle.parameter.name not in self._changed:
            with _disable_current_modes(), torch._C.DisableTorchFunction():
                self._changed[handle.parameter.name] = handle, _Base.clone(plain(handle.tensor))

    def keeps(self, op: str) -> bool:
        """Return whether the format has this operator of the trace's own."""
        return self._kept(op, {})

    def keep(self, tensor: torch.Tensor) -> None:
        """Give a constant from outside of the trace a Value now."""
        self._handle_of(tensor)

    def bind(self, tensor: torch.Tensor, value: Value) -> None:
        """Let ``tensor`` stand for ``value``."""
        self._know(Handle(tensor, value))

    @contextmanager
    def inner(self, choices: tuple[bool, ...]) -> Iterator[tuple[list[Node], list[tuple[int, Value, bool]]]]:
        """Record into the lists yielded here, with decisions of their own."""
        outer = self.nodes, self.decisions, self._choices
        self.nodes, self.decisions, self._choices = [], [], choices
        self._level += 1
        try:
            yield self.nodes, self.decisions
        finally:
            self.nodes, self.decisions, self._choices = outer
            self._level -= 1

    def restore(self) -> None:
        """Restore the contents of the Parameters."""
        for handle, before in self._changed.values():
            memory(handle.tensor).copy_(before)

    def _record(self, func: Any, op: str, bound: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        tensors = tensors_in(bound)
        dropping = op == "native_dropout" and bound.get("train")
        if (is_random(func) and op != "native_dropout") or (dropping and not self._kept(op, bound)):
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
            outputs = [constant(item) for item in made]
        elif (op in IDENTITY and not dropping) or changes_nothing(op, bound, tensors, made):
            outputs = [values[id(tensors[0])]] * len(made)
        else:
            named = {
                key: map_values(lambda item: values[id(item)] if isinstance(item, torch.Tensor) else item, item)
                for key, item in bound.items()
            }
            outputs = self._emit(op, normalized(func, op, named, made), made)
            self.nodes[-1].fits = self._kept(op, bound)
        base = self._handle_of(tensors[0]) if tensors and is_view(func) else None
        for index, (item, value) in enumerate(zip(made, outputs)):
            if self._handles.get(item) is None:
                view = (func, bound, index) if base is not None else None
                self._know(Handle(item, value, base, view))
        return result

    def _emit(self, op: str, args: dict[str, Any], results: list[torch.Tensor]) -> list[Value]:
        node = Node(op, args, scope=self.scope())
        node.outputs = [
            Value(RESULT, tuple(result.shape), result.dtype, node=node, index=index)
            for index, result in enumerate(results)
        ]
        self.nodes.append(node)
        return node.outputs

    def scope(self) -> str:
        """Return the path and class of the innermost Cell whose ``construct`` runs."""
        frame: Any = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name == "construct":
                cell = frame.f_locals.get("self")
                if isinstance(cell, torch.nn.Module):
                    path = self._paths.get(id(cell), "")
                    return f"{path}-{type(cell).__name__}" if path else type(cell).__name__
            frame = frame.f_back
        return ""


def constant(tensor: torch.Tensor) -> Value:
    return Value(CONSTANT, tuple(tensor.shape), tensor.dtype, data=_Base.clone(plain(tensor)))
