"""A network as MindSpore's graph message with one node per operator: its forward runs again through export's trace,
with MINDIR's rows.

A copy of the Cells runs without hooks; it shares the Parameters, and their values, generator states and output streams
are restored afterwards. Operators that an export rejects raise here, too.
"""

from __future__ import annotations

import copy
import functools
import random
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from mindspore_compat._format.events import DATA_TYPES
from mindspore_compat._format.proto import anf_ir
from mindspore_compat._graph.export.decompose import DECOMPOSITIONS, torch_decompositions
from mindspore_compat._graph.export.ir import Graph, Node, Value, leaves
from mindspore_compat._ops.debug import summary_hooks
from mindspore_compat.common import seed
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train._export._lower import Lowering, Ref, Row
from mindspore_compat.train._export._write import graph_of
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
    memo: dict[int, Any] = {id(parameter): parameter for parameter in torch.nn.Module.parameters(network)}
    for module in torch.nn.Module.modules(network):
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
        graph = graph_of(
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
