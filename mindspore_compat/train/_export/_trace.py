"""Tracing: a Cell runs once on the given inputs while a dispatch mode writes down every aten operator.

Real values flow, so shapes, Python control flow and constants come out as in any run. In-place operators and views are rewritten here
(``x[:, 0] = y`` becomes a scatter), operators on constants alone are folded, and composite ones are taken apart (``_decompose.py``).
"""
from __future__ import annotations

import sys
from typing import Any, Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from mindspore_compat.common._wrap import plain, wrap
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._decompose import CREATION, DECOMPOSITIONS
from mindspore_compat.train._export._graph import CONSTANT, INPUT, PARAMETER, RESULT, Graph, Node, Value, map_values

__all__ = ["trace"]

_aten = torch.ops.aten
_IDENTITY = frozenset({"detach", "alias", "lift_fresh", "lift", "lift_fresh_copy", "clone", "contiguous", "view_as_real_copy", "native_dropout"})
_RENAMED = {"_unsafe_view": "view", "reshape": "view", "_reshape_alias": "view", "cudnn_batch_norm": "native_batch_norm",
            "miopen_batch_norm": "native_batch_norm", "t": "transpose", "_adaptive_avg_pool2d": "adaptive_avg_pool2d", "_to_copy": "to",
            "mean.dim": "mean", "cudnn_convolution": "convolution"}


class _Handle:
    """What is known of one torch tensor: its Value now, and for a view how to make it again after its base has changed."""

    __slots__ = ("tensor", "value", "base", "view", "version", "seen")

    def __init__(self, tensor: torch.Tensor, value: Value, base: "_Handle | None" = None, view: tuple[str, dict[str, Any], int] | None = None) -> None:
        self.tensor, self.value, self.base, self.view = tensor, value, base, view
        self.version, self.seen = 0, base.root().version if base is not None else 0

    def root(self) -> "_Handle":
        return self if self.base is None else self.base.root()


def _refuse(what: str, scope: str) -> NotImplementedError:
    return NotImplementedError(f"For 'export', {what}{f' (in {scope})' if scope else ''}. Rewrite that part of 'construct', or use save_checkpoint "
                               "for the parameters, or torch.onnx.export on the Cell, which is a torch.nn.Module.")


class _Recorder(TorchDispatchMode):
    """Writes operators into ``nodes``."""

    def __init__(self, paths: dict[int, str]) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self._handles: dict[int, _Handle] = {}
        self._by_storage: dict[tuple[Any, ...], _Handle] = {}
        self._paths = paths
        self.parameters: dict[str, Value] = {}

    # --- tensors and Values -------------------------------------------------------------------------------------------------

    def add_source(self, tensor: torch.Tensor, kind: str, name: str) -> Value:
        """An input or parameter; found again also by its storage, since ``.data`` makes objects behind the mode's back."""
        value = Value(kind, tuple(tensor.shape), tensor.dtype, name, plain(tensor) if kind == PARAMETER else None)
        self._handles[id(tensor)] = handle = _Handle(tensor, value)
        self._by_storage.setdefault(_place(tensor), handle)
        return value

    def _handle_of(self, tensor: torch.Tensor) -> _Handle:
        handle = self._handles.get(id(tensor)) or self._by_storage.get(_place(tensor))
        if handle is None:
            if isinstance(tensor, Parameter) and tensor.name not in self.parameters:  # of a function, or outside of the Cell
                self.parameters[tensor.name] = self.add_source(tensor, PARAMETER, tensor.name)
                return self._handles[id(tensor)]
            handle = self._handles[id(tensor)] = _Handle(tensor, _constant(tensor))
        return handle

    def read(self, tensor: torch.Tensor) -> Value:
        """The Value that ``tensor`` stands for now."""
        return self._read(self._handle_of(tensor))

    def _read(self, handle: _Handle) -> Value:
        root = handle.root()
        if handle.base is not None and handle.seen != root.version:
            base = self._read(handle.base)
            if base.kind == CONSTANT:
                handle.value = _constant(handle.tensor)
            else:
                assert handle.view is not None
                op, args, index = handle.view
                handle.value = self._view_again(op, {**args, _first(args): base}, index, handle)
            handle.seen = root.version
        return handle.value

    def _view_again(self, op: str, args: dict[str, Any], index: int, handle: _Handle) -> Value:
        if op in _IDENTITY:
            return args[_first(args)]
        if op in ("split", "unbind", "split_with_sizes", "chunk"):
            raise _refuse(f"a piece made by '{op}' is read after its tensor was changed in place", self._scope())
        return self._emit(op, args, [handle.tensor])[0]

    def _write(self, handle: _Handle, value: Value) -> None:
        """The tensor of ``handle`` was changed in place to ``value``: so was what it is a view of."""
        handle.value = value
        if handle.base is not None:
            assert handle.view is not None
            base = self._read_for_write(handle.base)
            op, args, _ = handle.view
            self._write(handle.base, self._scattered(op, {**args, _first(args): base}, value, handle.base.tensor))
        elif handle.value.kind == PARAMETER or handle.tensor is not None and isinstance(handle.tensor, Parameter):
            raise _refuse(f"'construct' changes the Parameter {handle.tensor.name!r}", self._scope())
        else:
            handle.version += 1
        handle.seen = handle.root().version

    def _read_for_write(self, handle: _Handle) -> Value:
        return handle.value if handle.base is None or handle.seen == handle.root().version else self._read(handle)

    def _scattered(self, op: str, args: dict[str, Any], value: Value, base: torch.Tensor) -> Value:
        """The base of a view after the view became ``value``."""
        inverse = {"select": "select_scatter", "slice": "slice_scatter"}.get(op)
        if inverse is not None:
            first = _first(args)
            return self._emit(inverse, {first: args[first], "src": value, **{key: item for key, item in args.items() if key != first}}, [base])[0]
        if op in ("view", "unsqueeze", "squeeze", *_IDENTITY):
            return self._emit("view", {"self": value, "size": list(base.shape)}, [base])[0]
        if op == "transpose":
            return self._emit("transpose", {**args, "self": value}, [base])[0]
        if op == "permute":
            order = [axis % base.dim() for axis in args["dims"]]
            return self._emit("permute", {"self": value, "dims": [order.index(axis) for axis in range(len(order))]}, [base])[0]
        raise _refuse(f"a tensor is changed in place through its view by '{op}'", self._scope())

    def _emit(self, op: str, args: dict[str, Any], results: list[torch.Tensor]) -> list[Value]:
        node = Node(op, args, scope=self._scope())
        node.outputs = [Value(RESULT, tuple(result.shape), result.dtype, node=node, index=index) for index, result in enumerate(results)]
        self.nodes.append(node)
        return node.outputs

    # --- operators ------------------------------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        bound = _bind(func, args, kwargs or {})
        name = str(func.overloadpacket.__name__)
        if name == "_local_scalar_dense":
            if self.read(args[0]).kind != CONSTANT:
                raise _refuse("'construct' turns a value that depends on the inputs or parameters into a Python number (item(), if, int(), "
                              "range), which a file can not repeat", self._scope())
            return func(*args)
        written = [argument.name for argument in func._schema.arguments if argument.alias_info is not None and argument.alias_info.is_write]
        if written:
            return self._in_place(func, name, bound, written)
        decompose = DECOMPOSITIONS.get(f"{name}.{func._overloadname}") or DECOMPOSITIONS.get(name)
        if decompose is not None and not self._is_constant(bound):
            with self:
                result = decompose(**bound)
            if result is not NotImplemented:
                return result
        return self._plain_op(func, name, bound, args, kwargs or {})

    def _is_constant(self, bound: dict[str, Any]) -> bool:
        tensors = _tensors(bound)
        return all(self.read(tensor).kind == CONSTANT for tensor in tensors)

    def _plain_op(self, func: Any, name: str, bound: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        tensors = _tensors(bound)
        if torch.Tag.nondeterministic_seeded in func.tags and not (name == "native_dropout" and not bound.get("train")):
            raise _refuse(f"'construct' draws random numbers with '{name}'", self._scope())
        values = {id(tensor): self.read(tensor) for tensor in tensors}
        result = func(*args, **kwargs)
        results = list(result) if isinstance(result, (tuple, list)) else [result]
        made = [item for item in results if isinstance(item, torch.Tensor)]
        base = self._handle_of(tensors[0]) if tensors and _is_view(func) else None
        named = {key: map_values(lambda item: values[id(item)] if isinstance(item, torch.Tensor) else item, item) for key, item in bound.items()}
        named, op = _renamed(name, named, made)
        if name in CREATION or all(value.kind == CONSTANT for value in values.values()):
            outputs = [_constant(item) for item in made]
        elif name in _IDENTITY:
            outputs = [next(iter(values.values()))] * len(made)
        else:
            outputs = self._emit(op, named, made)
        for index, (item, value) in enumerate(zip(made, outputs)):
            if id(item) not in self._handles or self._handles[id(item)].tensor is not item:
                self._handles[id(item)] = _Handle(item, value, base, (op, named, index) if base is not None else None)
        return result

    def _in_place(self, func: Any, name: str, bound: dict[str, Any], written: list[str]) -> Any:
        """``x.add_(y)``: compute ``add`` for the graph, let the real tensor take its values, and tell all views."""
        target = bound[written[0]]
        if not name.endswith("_") or len(written) > 1:
            raise _refuse(f"the operator '{name}' writes into {written}", self._scope())
        with self:
            if name == "copy_":
                new = torch.broadcast_to(bound["src"].to(target.dtype), tuple(target.shape))
            elif name == "fill_":
                value = bound["value"]
                value = value.to(target.dtype) if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=target.dtype, device=target.device)
                new = torch.broadcast_to(value, tuple(target.shape))
            elif name == "zero_":
                new = torch.zeros(tuple(target.shape), dtype=target.dtype, device=target.device)
            else:
                packet = getattr(_aten, name[:-1], None)
                if packet is None:
                    raise _refuse(f"the in-place operator '{name}' has no counterpart without side effect", self._scope())
                new = packet(**{key: item for key, item in bound.items() if item is not None or key in ("indices",)})
                new = new if new.dtype is target.dtype else new.to(target.dtype)
        handle, value = self._handle_of(target), self.read(new)
        self._read(handle)
        result = torch._C.TensorBase.copy_(target, new)
        self._write(handle, value)
        return result

    def _scope(self) -> str:
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


def _place(tensor: torch.Tensor) -> tuple[Any, ...]:
    base = torch._C.TensorBase
    return base.data_ptr(tensor), tuple(tensor.shape), base.stride(tensor), tensor.dtype


def _constant(tensor: torch.Tensor) -> Value:
    return Value(CONSTANT, tuple(tensor.shape), tensor.dtype, data=torch._C.TensorBase.clone(plain(tensor)))


def _first(args: dict[str, Any]) -> str:
    return next(iter(args))


def _bind(func: Any, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments by their names in the schema, with defaults."""
    bound = {}
    for index, argument in enumerate(func._schema.arguments):
        if index < len(args):
            bound[argument.name] = args[index]
        elif argument.name in kwargs:
            bound[argument.name] = kwargs[argument.name]
        else:
            bound[argument.name] = argument.default_value
    return bound


def _tensors(bound: dict[str, Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for item in bound.values():
        if isinstance(item, torch.Tensor):
            found.append(item)
        elif isinstance(item, (tuple, list)):
            found.extend(part for part in item if isinstance(part, torch.Tensor))
    return found


def _is_view(func: Any) -> bool:
    return any(item.alias_info is not None and not item.alias_info.is_write for item in func._schema.returns)


def _renamed(name: str, named: dict[str, Any], made: list[torch.Tensor]) -> tuple[dict[str, Any], str]:
    """Synonyms under one name."""
    op = _RENAMED.get(name, name)
    if op == "view":
        named = {"self": named["self"], "size": list(made[0].shape)}
    elif name == "t":
        named = {"self": named["self"], "dim0": 0, "dim1": made[0].dim() - 1}
    return named, op


def trace(net: Any, inputs: tuple[Any, ...], names: list[str], label: str) -> Graph:
    """The graph of ``net(*inputs)``.

    Args:
        net: a Cell in the mode to export, or a function of tensors.
        inputs: tensors, or tuples and lists of them.
        names: a name for each tensor in them.
        label: the graph's name.

    Raises:
        NotImplementedError: if ``construct`` does what a fixed graph can not do; names the Cell.
    """
    paths = {id(cell): path for path, cell in net.cells_and_names()} if isinstance(net, Cell) else {}
    recorder = _Recorder(paths)
    remaining = iter(names)
    fresh = map_values(lambda item: wrap(plain(item).clone()) if isinstance(item, torch.Tensor) else item, tuple(inputs))
    sources = [recorder.add_source(item, INPUT, next(remaining)) for item in _flat_tensors(fresh)]
    if isinstance(net, Cell):
        for parameter in net.get_parameters():
            recorder.parameters[parameter.name] = recorder.add_source(parameter, PARAMETER, parameter.name)
    outputs = _run(recorder, net, fresh)
    graph = Graph(label, sources, list(recorder.parameters.values()), recorder.nodes, outputs)
    graph.remove_dead()
    return graph


def _flat_tensors(tree: Any) -> list[torch.Tensor]:
    from mindspore_compat.train._export._graph import leaves
    return [item for item in leaves(tree) if isinstance(item, torch.Tensor)]


def _run(recorder: _Recorder, net: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), torch.backends.cudnn.flags(enabled=False), recorder:
        result = net(*inputs)

    def value_of(item: Any) -> Value:
        if isinstance(item, torch.Tensor):
            return recorder.read(item)
        if isinstance(item, (bool, int, float)):
            return _constant(torch.tensor(item, dtype=torch.float32 if isinstance(item, float) else None))
        raise TypeError(f"For 'export', 'construct' must return Tensors, numbers, or tuples of them, but it returned {type(item).__name__}.")

    return map_values(value_of, result)
