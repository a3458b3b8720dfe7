"""Writer of ONNX (opset 11 to 18): the messages of a graph, weights as initializers under their checkpoint names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from mindspore_compat._format.proto import onnx as proto
from mindspore_compat._graph.export.ir import Graph, has_sparse, leaves, refuse
from mindspore_compat.train._export._lower import Lowering, Ref, raw_bytes, remove_unused, taken_names
from mindspore_compat.train._export.onnx.rows import DATA_TYPES, ROWS

_IR_VERSION, _OPSET, _NEWEST = 4, 11, 18  # IR 4 allows initializers that are no inputs
OPSETS = range(_OPSET, _NEWEST + 1)
#: {operator: the opset from which its axes are an input}
_AXES_AS_INPUT = {
    **dict.fromkeys(("Squeeze", "Unsqueeze", "ReduceSum"), 13),
    **dict.fromkeys(("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"), 18),
}
_A = proto.AttributeType


def _describe(info: Any, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    info.type.tensor_type.elem_type = _data_type(dtype)
    info.type.tensor_type.shape.SetInParent()
    for size in shape:
        info.type.tensor_type.shape.dim.add(dim_value=size)


def _data_type(dtype: torch.dtype) -> int:
    if dtype not in DATA_TYPES:
        raise TypeError(f"For 'export', ONNX cannot hold tensors of {dtype}. Cast them in 'construct'.")
    return DATA_TYPES[dtype]


def fill(attribute: Any, value: Any) -> None:
    if isinstance(value, proto.GraphProto):
        attribute.type = _A.GRAPH
        attribute.g.CopyFrom(value)
    elif isinstance(value, int):
        attribute.type, attribute.i = _A.INT, int(value)
    elif isinstance(value, float):
        attribute.type, attribute.f = _A.FLOAT, value
    elif isinstance(value, str):
        attribute.type, attribute.s = _A.STRING, value.encode()
    elif list(value) and isinstance(next(iter(value)), str):
        attribute.type = _A.STRINGS
        attribute.strings.extend(item.encode() for item in value)
    else:
        attribute.type = _A.INTS
        attribute.ints.extend(value)


class _OnnxLowering(Lowering):
    """Lowering by ``e("Conv", x, w, group=…)``: positional arguments are inputs (tuples become int64 tensors), named
    ones attributes.
    """

    shares = True  # one constant for equal numbers; not for files to compare

    def __init__(self, graph: Graph, model: Any, opset: int = _OPSET) -> None:
        super().__init__(graph, ROWS | {"branch": _branch, "loop": _loop})
        self.opset, self.format = opset, f"ONNX opset {opset}"
        self._graph = self._root = model.graph
        self._graph.name = graph.name
        self._constants: dict[tuple[int, ...], Ref] = {}
        if graph.updates:
            raise refuse(
                f"'construct' changes the Parameter {graph.updates[0][0].name!r}, which ONNX cannot hold; a MINDIR can",
                "",
            )
        for value in graph.inputs:
            self.bind(value, Ref(value.name))
            _describe(self._graph.input.add(name=value.name), value.shape, value.dtype)
        for value in graph.parameters:
            assert value.data is not None
            self.bind(value, self.initializer(value.name, value.data))

    @contextmanager
    def inner(self, graph: Graph) -> Iterator[Any]:
        """Put nodes into a separate graph, which also sees outer values."""
        outer = self._graph, self.graph, self.node, dict(self._refs)
        self._graph, self.graph = proto.GraphProto(name=f"{self.graph.name}_{self.fresh('inner')}"), graph
        try:
            yield self._graph
        finally:
            self._graph, self.graph, self.node, self._refs = outer

    def give(self, graph: Graph, extra: Any = ()) -> None:
        """Write the outputs of an inner graph."""
        for name in extra:
            info = self._graph.output.add(name=self("Identity", name))
            _describe(info, (), torch.bool)
        for value in leaves(graph.outputs):
            info = self._graph.output.add(name=self("Identity", self.ref(value)))
            _describe(info, value.shape, value.dtype)

    def initializer(self, name: str, data: torch.Tensor) -> Ref:
        """Return a constant under a name of its own."""
        self._root.initializer.add(
            name=name, dims=data.shape, data_type=_data_type(data.dtype), raw_data=raw_bytes(data)
        )
        return Ref(name)

    def constant(self, data: Any) -> Ref:
        return self.initializer(self.fresh("constant"), data)

    def _input(self, item: Any) -> str:
        if item is None:
            return ""
        if isinstance(item, (tuple, list)):
            key = tuple(item)
            if key not in self._constants or not self.shares:
                self._constants[key] = self.constant(torch.tensor(key, dtype=torch.int64))
            return self._constants[key]
        return self.ref(item)

    def __call__(self, op: str, *inputs: Any, results: int = 1, **attributes: Any) -> Any:
        if "axes" in attributes and self.opset >= _AXES_AS_INPUT.get(op, 99):
            inputs = (*inputs, tuple(attributes.pop("axes")))
        names = [self._input(item) for item in inputs]
        while names and not names[-1]:  # omitted inputs at the end
            names.pop()
        self._number += 1
        outputs = [Ref(f"{self._number}" if index == 0 else f"{self._number}_{index}") for index in range(results)]
        node = self._graph.node.add(input=names, output=outputs, name=f"{self._number}{op}", op_type=op)
        if self.node is not None and self.node.scope:
            node.doc_string = self.node.scope
        for name, value in attributes.items():
            fill(node.attribute.add(name=name), value)
        return outputs[0] if results == 1 else tuple(outputs)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        return self("Cast", value, to=_data_type(dtype))

    def finish(self) -> None:
        """Write all result tensors of ``construct``, in order; inputs and weights among them pass through Identity."""
        self.node = None
        names: set[str] = set()
        for value in leaves(self.graph.outputs):
            name = self.ref(value)
            if value.node is None or name in names:
                name = self("Identity", name)
            names.add(name)
            _describe(self._graph.output.add(name=name), value.shape, value.dtype)
        remove_unused(self._graph.node, names)
        used = {name for node in self._graph.node for name in taken_names(node)}
        initializers = [item for item in self._graph.initializer if item.name in used]
        del self._graph.initializer[:]
        self._graph.initializer.extend(initializers)


def _truth(e: Any, value: Any) -> Ref:
    """Return a bool without axes."""
    truth = e.ref(value) if value.dtype is torch.bool else e.cast(value, torch.bool)
    return truth if not value.shape else e("Reshape", truth, ())


def _several(result: Any) -> Any:
    return result if isinstance(result, tuple) else (result,)


def _branch(e: Any, a: Any, n: Any) -> Any:
    sides = []
    for side in (a.then, a.other):
        with e.inner(side) as message:
            e.run()
            e.give(side)
        sides.append(message)
    return _several(e("If", _truth(e, a.condition), results=len(n.outputs), then_branch=sides[0], else_branch=sides[1]))


def _loop(e: Any, a: Any, n: Any) -> Any:
    """Write a loop with its test before it, and at the end of each round."""

    def tested(values: Any) -> Ref:
        """Return the test's nodes for these values, in the current graph."""
        node, graph, refs = e.node, e.graph, dict(e._refs)
        for value, ref in zip(a.condition.inputs, values):
            e.bind(value, ref)
        e.graph = a.condition
        e.run()
        truth = _truth(e, a.condition.outputs[0])
        e.node, e.graph, e._refs = node, graph, refs
        return truth

    first = tested([e.ref(value) for value in a.initial])
    with e.inner(a.body) as message:
        _describe(message.input.add(name=e.fresh("round")), (), torch.int64)
        _describe(message.input.add(name=e.fresh("go_on")), (), torch.bool)
        for value in a.body.inputs:
            e.bind(value, e.fresh("value"))
            _describe(message.input.add(name=e.ref(value)), value.shape, value.dtype)
        e.run()
        e.give(a.body, [tested([e.ref(value) for value in a.body.outputs])])
    return _several(e("Loop", None, first, *a.initial, results=len(n.outputs), body=message))


def onnx_model(graph: Graph, opset: int = _OPSET, shares: bool = True) -> Any:
    """Return the ModelProto of ``graph``; results in tuples and dicts are flattened, in order."""
    model = proto.ModelProto(
        ir_version=_IR_VERSION if opset < 13 else 8, producer_name="MindSpore", producer_version="1.0"
    )
    model.opset_import.add(domain="", version=opset)
    if not graph.results():
        raise ValueError("For 'export', 'construct' must return at least one Tensor, but it returned none.")
    if has_sparse(graph.outputs):
        raise refuse("a sparse tensor as result has no counterpart in ONNX. Return its parts", graph.name)
    if len(graph.results()) < len(list(leaves(graph.outputs))):
        raise refuse("None as a result has no counterpart in ONNX. Leave it out", graph.name)
    lowering = _OnnxLowering(graph, model, opset)
    lowering.shares = shares
    lowering.run()
    lowering.finish()
    return model
