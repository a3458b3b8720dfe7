"""A network as MindSpore's graph message. In GRAPH_MODE it has one node per operator of the forward, if possible; else,
and in PYNATIVE_MODE, one per layer, from the Cell tree or, after a run, from its calls.

`CallTrace` records one run: layers then have the order of their calls, with shapes, and edges follow the Tensors. A
Tensor that no layer returned (the result of an operator between layers) counts as the layer before's. Without a run,
layers have the order of registration, each with the one before as input.

For one node per operator the forward runs again through export's trace, with MINDIR's rows. A copy of the Cells runs
without hooks; it shares the Parameters, and their values, generator states and output streams are restored afterwards.
Operators that an export rejects raise here, too.
"""

from __future__ import annotations

import copy
import functools
import random
import stat
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from mindspore_compat import context
from mindspore_compat._format.events import DATA_TYPES
from mindspore_compat._format.proto import anf_ir
from mindspore_compat._format.proto.anf_ir import ModelProto
from mindspore_compat._graph.calls import Call, LayerCalls, NextInputs
from mindspore_compat._graph.export.decompose import DECOMPOSITIONS, torch_decompositions
from mindspore_compat._graph.export.ir import Graph, Node, Value, leaves
from mindspore_compat._graph.recorder import Identity
from mindspore_compat._ops.debug import summary_hooks
from mindspore_compat._runtime.files import write_atomically
from mindspore_compat._runtime.module_tree import children, modules, named_parameters, walk
from mindspore_compat.common import seed
from mindspore_compat.log import logger
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.optim.optimizer import Optimizer
from mindspore_compat.train._export._lower import Lowering, Ref, Row
from mindspore_compat.train._export._write import graph_of as traced_graph
from mindspore_compat.train._export.mindir import rows as mindir

_MOST_SECONDS = 10.0  # a graph must not delay a training
_HOOKS = tuple(
    (
        "_forward_hooks _forward_pre_hooks _backward_hooks _backward_pre_hooks _forward_hooks_with_kwargs "
        "_forward_hooks_always_called _forward_pre_hooks_with_kwargs"
    ).split()
)
_SHAPED_AS_RESULT = frozenset(
    {"Conv2D", "Conv3D", "MatMul", "BatchMatMul"}
)  # later operators in their rows keep the shape


# --- operators decomposed by MINDIR's rows, but not by MindSpore's compiler -------------------------------------------


def _in(node: Node, layer: str) -> bool:
    return node.scope.rpartition("-")[2] == layer


def _batch_norm(e: Any, a: Any, n: Node) -> Any:
    if not a.training:
        return mindir.ROWS["native_batch_norm"](e, a, n)
    tensors = [item for item in (a.input, a.weight, a.bias, a.running_mean, a.running_var) if item is not None]
    return (e.item(e("BatchNorm", *tensors, True, float(a.eps), float(a.momentum), 0), 0), None, None)


def _nll_loss(e: Any, a: Any, n: Node) -> Any:
    target = a.target.node.args["self"] if a.target.node is not None and a.target.node.op == "to" else a.target
    source = a.self.node
    if (
        source is not None
        and source.op == "_log_softmax"
        and a.reduction == 1
        and _in(n, "SoftmaxCrossEntropyWithLogits")
    ):
        return e("SparseSoftmaxCrossEntropyWithLogits", source.args["self"], target, is_grad=False), None
    result = e("NLLLoss", a.self, target, a.weight, ("none", "mean", "sum")[a.reduction], a.ignore_index)
    return e.item(result, 0), None


def _view(e: Any, a: Any, n: Node) -> Ref:
    return e("Flatten", a.self) if _in(n, "Flatten") else mindir.ROWS["view"](e, a, n)


def _with_number(op: str, name: str) -> Row:
    """Return the row of ``x * 2``, which is a separate operator."""

    def row(e: Any, a: Any, n: Node) -> Ref:
        number = (
            a.other.data.item()
            if isinstance(a.other, Value) and a.other.data is not None and not a.other.shape
            else a.other
        )
        if (
            isinstance(number, (int, float))
            and a.self.dtype is n.outputs[0].dtype
            and getattr(a, "rounding_mode", None) is None
        ):
            return e(name, a.self, number)
        return mindir.ROWS[op](e, a, n)

    return row


def _mse_loss(e: Any, a: Any, n: Node) -> Ref:
    squares = e("Square", e("Sub", a.self, a.target))
    return (
        squares
        if a.reduction == 0
        else e(("ReduceMean", "ReduceSum")[a.reduction - 1], squares, tuple(range(a.self.ndim)), False)
    )


def _other(e: Any, a: Any, n: Node) -> Any:
    """Write an operator without a row in MINDIR, under torch's name: the graph is only displayed."""

    def given(item: Any) -> Any:
        if isinstance(item, Value) or item is None or isinstance(item, (bool, int, float, str)):
            return item
        if isinstance(item, (tuple, list)) and not any(isinstance(part, Value) for part in item):
            return tuple(part if isinstance(part, (bool, int, float)) else str(part) for part in item)
        return e("MakeTuple", *item) if isinstance(item, (tuple, list)) else str(item)

    result = e(
        "".join(part[:1].upper() + part[1:] for part in n.op.split("_")), *[given(item) for item in vars(a).values()]
    )
    return result if len(n.outputs) == 1 else tuple(e.item(result, index) for index in range(len(n.outputs)))


class _Rows(dict[str, Row]):
    def get(self, op: str, default: Any = None) -> Row:
        return super().get(op) or _other


_ROWS = _Rows(
    {
        **mindir.ROWS,
        "mul": _with_number("mul", "Muls"),
        "div": _with_number("div", "Divs"),
        "native_batch_norm": _batch_norm,
        "nll_loss_forward": _nll_loss,
        "mse_loss": _mse_loss,
        "view": _view,
        "native_group_norm": lambda e, a, n: (
            e.item(e("GroupNorm", a.input, a.group, a.weight, a.bias, float(a.eps)), 0),
            None,
            None,
        ),
        "_adaptive_avg_pool2d": lambda e, a, n: e("AdaptiveAvgPool2D", a.self, output_size=tuple(a.output_size)),
    }
)
_WHOLE = frozenset(
    {"nll_loss_forward", "native_batch_norm", "native_group_norm", "_adaptive_avg_pool2d"}
)  # not decomposed


@functools.cache
def _named() -> set[str]:
    """Return the operators that torch could decompose, but that keep their names here."""
    found = {str(op.overloadpacket.__name__) for op in torch_decompositions() if isinstance(op, torch._ops.OpOverload)}
    return {name for name in found if "_backward" not in name} - DECOMPOSITIONS.keys()


def _kept(deadline: float) -> Callable[[str, dict[str, Any]], bool]:
    def kept(op: str, arguments: dict[str, Any]) -> bool:
        if time.monotonic() > deadline:
            raise TimeoutError("the graph takes too long to record")
        return op in _WHOLE or op in _named() or mindir.kept(op, arguments)

    return kept


# --- the message ------------------------------------------------------------------------------------------------------


def set_type(target: Any, tensor: Any) -> None:
    """Set the TypeProto of an object with shape and dtype."""
    target.data_type = anf_ir.DataType.DT_TENSOR
    target.tensor_type.elem_type = DATA_TYPES.get(str(tensor.dtype).removeprefix("torch."), 0)
    for size in tensor.shape:
        target.tensor_type.shape.dim.add(size=size)


def _fill(message: Any, value: Any) -> None:
    """Fill a ValueProto; of tensors, with shape and dtype, as in MindSpore."""
    kinds = anf_ir.DataType
    if isinstance(value, torch.Tensor):
        message.dtype = kinds.DT_TENSOR
        message.tensor_val.dims.extend(value.shape)
        message.tensor_val.data_type = DATA_TYPES.get(str(value.dtype).removeprefix("torch."), 0)
    elif isinstance(value, bool):
        message.dtype, message.bool_val = kinds.DT_BOOL, value
    elif isinstance(value, int):
        message.dtype, message.int_val = kinds.DT_INT64, value
    elif isinstance(value, float):
        message.dtype, message.float_val = kinds.DT_FLOAT32, value
    elif isinstance(value, str):
        message.dtype, message.str_val = kinds.DT_STRING, value
    elif value is None:
        message.dtype = kinds.DT_NONE
    else:
        message.dtype = kinds.DT_TUPLE
        for item in value:
            _fill(message.values.add(), item)


class _Written:
    """One operator; binding its Ref to a Value of the trace sets its type."""

    def __init__(self, ref: Ref, op: str, inputs: list[Ref], attributes: dict[str, Any], node: Node | None) -> None:
        self.ref, self.op, self.inputs, self.attributes, self.node = ref, op, inputs, attributes, node
        self.outputs: list[Any] = list(node.outputs[:1]) if node is not None and op in _SHAPED_AS_RESULT else []
        self.is_tuple = False


class _Lowering(Lowering):
    """Lowering that records the nodes of MINDIR's rows, for a GraphProto at the end."""

    format = "the graph of a summary"

    def __init__(self, graph: Graph, scopes: dict[str, str]) -> None:
        super().__init__(graph, _ROWS)
        self._scopes = scopes
        self._written: dict[Ref, _Written] = {}
        self._constants: dict[Ref, Any] = {}
        self._known: dict[Any, Ref] = {}
        for value in (*graph.inputs, *graph.parameters):
            self.bind(value, Ref(value.name))

    def bind(self, value: Value, ref: Ref) -> None:
        super().bind(value, ref)
        made = self._written.get(ref)
        if made is not None and not made.outputs:
            made.outputs = [value]

    def constant(self, data: Any) -> Ref:
        ref = self.fresh("\0constant")  # no Parameter has such a name
        self._constants[ref] = data
        return ref

    def _input(self, item: Any) -> Ref:
        if isinstance(item, (Ref, Value)):
            return self.ref(item)
        if isinstance(item, torch.Tensor):
            return self.constant(item)
        key = repr(item)
        if key not in self._known:
            self._known[key] = self.constant(item)
        return self._known[key]

    def __call__(self, op: str, *inputs: Any, **attributes: Any) -> Ref:
        ref = self.fresh("\0node")
        self._written[ref] = _Written(ref, op, [self._input(item) for item in inputs], attributes, self.node)
        return ref

    def item(self, result: Ref, index: int) -> Ref:
        """Return one of several results."""
        made = self._written[result]
        if not made.is_tuple and self.node is not None:
            made.is_tuple, made.outputs = True, list(self.node.outputs)
        return self("TupleGetItem", result, index)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        ref = self("Cast", value, mindir.TYPE_IDS[dtype])
        if isinstance(value, Value):
            self._written[ref].outputs = [torch.empty(value.shape, dtype=dtype, device="meta")]
        return ref

    def message(self, name: str) -> Any:
        """Return the GraphProto of the nodes that the outputs need."""
        self.node = None
        results = [self.ref(value) for value in leaves(self.graph.outputs)]
        result = results[0] if len(results) == 1 else self("MakeTuple", *results)
        needed, kept = {result}, []
        for made in reversed(self._written.values()):
            if made.ref in needed:
                needed.update(made.inputs)
                kept.append(made)
        graph = anf_ir.GraphProto(name=name)
        names: dict[str, str] = {}
        for number, made in enumerate(kept[::-1], 1):
            names[made.ref] = str(number)
        for value in (*self.graph.inputs, *self.graph.parameters):
            if Ref(value.name) in needed or value in self.graph.inputs:
                set_type(graph.parameters.add(name=value.name).type, value)
        for ref, data in self._constants.items():
            if ref in needed:
                names[ref] = f"cst{len(graph.const_vals) + 1}"
                _fill(graph.const_vals.add(key=names[ref]).value, data)
        counts: Counter[str] = Counter()
        for made in kept[::-1]:
            self._add(graph, made, names, counts)
        graph.outputs.add(name=names.get(result, result))
        if graph.node and names.get(result) == graph.node[-1].name:
            graph.outputs[0].type.CopyFrom(graph.node[-1].output_type)
        return graph

    def _add(self, graph: Any, made: _Written, names: dict[str, str], counts: Counter[str]) -> None:
        scope = self._scopes.get(made.node.scope if made.node is not None else "", self._scopes[""])
        full_name = f"{scope}/{made.op}"
        row = graph.node.add(
            name=names[made.ref],
            op_type=made.op,
            scope=scope,
            full_name=f"{full_name}-op{counts[full_name]}",
            instance_name=scope.rpartition("/")[2].partition("-")[0],
        )
        counts[full_name] += 1
        for ref in made.inputs:
            row.input.add(name=names.get(ref, ref), type=0)
        for key, value in made.attributes.items():
            _fill(row.attribute.add(name=key).value, value)
        if made.is_tuple:
            row.output_type.data_type = anf_ir.DataType.DT_TUPLE
            for value in made.outputs:
                set_type(row.output_type.sequence_type.elem_types.add(), value)
        elif made.outputs:
            set_type(row.output_type, made.outputs[0])


# --- running without side effects -------------------------------------------------------------------------------------


class _Silent:
    """Output stream that is silent for the thread that reruns the network; other threads write as usual."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._thread = stream, threading.get_ident()

    def write(self, text: str) -> int:
        return len(text) if threading.get_ident() == self._thread else self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _nothing_seen() -> Iterator[None]:
    """Restore generator states and silence summary operators, standard output and error within the context."""
    streams, hooks = (sys.stdout, sys.stderr), list(summary_hooks)
    python, numpy = random.getstate(), np.random.get_state()
    kernels = copy.deepcopy(seed._kernel_seeds)
    sys.stdout, sys.stderr = _Silent(sys.stdout), _Silent(sys.stderr)
    summary_hooks.clear()
    try:
        with torch.random.fork_rng([torch.cuda.current_device()] if torch.cuda.is_initialized() else []):
            yield
    finally:
        summary_hooks[:] = hooks
        sys.stdout, sys.stderr = streams
        random.setstate(python)
        np.random.set_state(numpy)
        seed._kernel_seeds.clear()
        seed._kernel_seeds.update(kernels)


def _without_hooks(network: Cell) -> Any:
    """Return a copy of the Cells, so that `construct` does not alter the network's attributes; it shares Parameters."""
    memo: dict[int, Any] = {id(parameter): parameter for _, parameter in named_parameters(network)}
    for module in modules(network):
        memo.update({id(hooks): OrderedDict() for key in _HOOKS if (hooks := module.__dict__.get(key)) is not None})
    return copy.deepcopy(network, memo)


def operator_graph(network: Cell, path: str, scopes: dict[str, str], inputs: tuple[Any, ...], name: str) -> Any:
    """Return the GraphProto of ``network(*inputs)``.

    Args:
        network: the forward, with the loss.
        path: of the network in what trains it, "" if it is that.
        scopes: path of each Cell -> its scope.
        name: the graph's.

    Raises:
        NotImplementedError: for what an export refuses. Any error of the network.
    """
    below = {
        key[len(path) + 1 :] if path and key != path else "" if key == path else key: scope
        for key, scope in scopes.items()
        if not path or key == path or key.startswith(f"{path}.")
    }
    run = _without_hooks(network)
    count = sum(isinstance(item, torch.Tensor) for item in leaves(inputs))
    with _nothing_seen():
        graph = traced_graph(
            run,
            inputs,
            [f"inputs{number}" for number in range(count)],
            name,
            _kept(time.monotonic() + _MOST_SECONDS),
            straight=True,
        )
    named = {
        f"{key}-{type(cell).__name__}" if key else type(cell).__name__: below[key]
        for key, cell in network.cells_and_names()
        if key in below
    }
    lowering = _Lowering(graph, {"": below[""], **named})
    lowering.run()
    return lowering.message(name)


def _is_leaf(module: torch.nn.Module) -> bool:
    return not children(module)


class InputsTrace(NextInputs):
    """Recorder of a network's forward inputs at its next call, in GRAPH_MODE."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__(_forward_of(network)[1] if context.get_context("mode") == context.GRAPH_MODE else None)


class CallTrace(LayerCalls):
    """Recorder of a network's layer calls and forward inputs during one run; `stop` ends it."""

    def __init__(self, network: torch.nn.Module) -> None:
        self._forward = InputsTrace(network)
        super().__init__(_layers_of(network))

    @property
    def inputs(self) -> tuple[Any, ...] | None:
        """Inputs of the forward, with the loss."""
        return self._forward.inputs

    def stop(self) -> None:
        self._forward.stop()
        super().stop()


def _forward_of(network: torch.nn.Module) -> tuple[str, Any]:
    """Return (path, Cell) of the loss network in a training network; (…, None) if it is not known."""
    trains = any(_is_optimizer(module) for module in children(network).values())
    forward = getattr(network, "network", None) if trains else network
    return "network" if trains else "", forward if isinstance(forward, Cell) else None


def _is_optimizer(module: Any) -> bool:
    return isinstance(module, Optimizer)


def _layers_of(network: torch.nn.Module) -> list[torch.nn.Module]:
    """Return the layers; in a training step without the optimizer and the gradient reducer."""
    others = getattr(network, "grad_reducer", None)
    return [item for item in modules(network) if _is_leaf(item) and not _is_optimizer(item) and item is not others]


def _scopes(network: torch.nn.Module) -> dict[int, str]:
    """Return MindSpore's scope by module id, such as Default/network-WithLossCell/_backbone-LeNet5/conv1-Conv2d."""
    found: dict[int, str] = {id(network): "Default"}
    for path, module in walk(network, set()):
        if path:
            above, _, name = path.rpartition(".")
            found.setdefault(id(module), f"{found[id(network.get_submodule(above))]}/{name}-{type(module).__name__}")
    return found


def _set_output_type(target: Any, outputs: list[torch.Tensor]) -> None:
    if len(outputs) == 1:
        set_type(target, outputs[0])
    elif outputs:
        target.data_type = anf_ir.DataType.DT_TUPLE
        for tensor in outputs:
            set_type(target.sequence_type.elem_types.add(), tensor)


class _Builder:
    def __init__(self, network: torch.nn.Module) -> None:
        self.graph = anf_ir.GraphProto(name=type(network).__name__)
        self._network = network
        self._scopes = _scopes(network)
        self._counts: Counter[str] = Counter()
        self._names = {
            id(parameter): getattr(parameter, "name", None) or path for path, parameter in named_parameters(network)
        }
        self._listed: set[str] = set()
        self._sources: Identity[str] = Identity(holds=True)
        self._last: str | None = None

    def add_parameter(self, name: str, tensor: torch.Tensor | None) -> None:
        if name not in self._listed:
            self._listed.add(name)
            row = self.graph.parameters.add(name=name)
            if tensor is not None:
                set_type(row.type, tensor)

    def add_layer(self, module: torch.nn.Module, inputs: list[str], outputs: list[torch.Tensor]) -> None:
        kind = type(module).__name__
        scope = self._scopes.get(id(module), "Default")
        full_name = f"{scope}/{kind}"
        node = self.graph.node.add(
            name=str(len(self.graph.node) + 1),
            op_type=kind,
            scope=scope,
            instance_name=scope.rpartition("/")[2].partition("-")[0],
            full_name=f"{full_name}-op{self._counts[full_name]}",
        )
        self._counts[full_name] += 1
        for parameter in module._parameters.values():
            if parameter is not None:
                name = self._names[id(parameter)]
                self.add_parameter(name, parameter)
                inputs = [*inputs, name]
        for name in inputs:
            node.input.add(name=name, type=0)
        _set_output_type(node.output_type, outputs)
        self._last = node.name
        for tensor in outputs:
            self._sources.put(tensor, node.name)

    def follow(self, calls: list[Call]) -> None:
        """Add the nodes of a run."""
        for call in calls:
            names = []
            for tensor in call.inputs:
                source = self._sources.get(tensor)
                if source is None and (self._last is None or not tensor.is_floating_point()):
                    source = f"inputs{len([name for name in self._listed if name.startswith('inputs')])}"
                    self._sources.put(tensor, source)
                    self.add_parameter(source, tensor)
                names.append(source if source is not None else str(self._last))
            self.add_layer(call.module, list(dict.fromkeys(names)), call.outputs)

    def walk(self) -> None:
        """Add the nodes of the Cell tree."""
        self.add_parameter("inputs0", None)
        for module in _layers_of(self._network):
            self.add_layer(module, [self._last or "inputs0"], [])

    def finish(self) -> Any:
        if self._last is not None:
            row = self.graph.outputs.add(name=self._last)
            row.type.CopyFrom(self.graph.node[-1].output_type)
        return self.graph


def _with_operators(network: torch.nn.Module, inputs: tuple[Any, ...]) -> Any:
    """Return the graph of the forward's operators, None if there is none."""
    import torch.distributed as group

    path, forward = _forward_of(network)
    if forward is None or context.get_context("mode") != context.GRAPH_MODE:
        return None
    if group.is_available() and group.is_initialized() and group.get_world_size() > 1:
        return None  # the other processes do not take part
    known = _scopes(network)
    scopes = {name: known[id(module)] for name, module in walk(network, set())}
    try:
        return operator_graph(forward, path, scopes, inputs, type(network).__name__)
    except Exception as error:
        logger.info(
            "the graph of %s has layers, not operators: %s: %s", type(network).__name__, type(error).__name__, error
        )
        return None


def graph_of(network: torch.nn.Module, trace: CallTrace | None = None, inputs: tuple[Any, ...] | None = None) -> Any:
    """Return a GraphProto of a network; with a `CallTrace`, of the recorded run.

    Args:
        inputs: what its forward takes, if there is no trace.
    """
    inputs = inputs if trace is None else trace.inputs
    graph = _with_operators(network, inputs) if inputs else None
    if graph is not None:
        return graph
    builder = _Builder(network)
    if trace is not None and trace.calls:
        builder.follow(trace.calls)
    else:
        builder.walk()
    return builder.finish()


def write_graph(cb_params: Any, path: str) -> None:
    """Write the training network as MindSpore's graph message: its operators, or its layers in the order of
    registration.
    """
    network = cb_params.train_network
    ours = type(network).__module__.startswith("mindspore_compat.")  # a user's step may take other inputs
    inputs = tuple(cb_params.get("train_dataset_element") or ()) if ours else None
    model = ModelProto(ir_version=1, graph=graph_of(network, inputs=inputs))
    write_atomically(path, [model.SerializeToString(deterministic=True)], stat.S_IRUSR | stat.S_IWUSR)
