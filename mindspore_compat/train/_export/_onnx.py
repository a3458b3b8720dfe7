"""Writing ONNX (opset 11, with quantized values 13): the messages of a graph, weights as initializers under their names in checkpoints."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._format.proto import onnx as proto
from mindspore_compat.train._export._deploy import FAKE
from mindspore_compat.train._export._graph import Graph, Value, leaves
from mindspore_compat.train._export._lower import Lowering, Ref, raw_bytes, remove_unused
from mindspore_compat.train._export._onnx_rows import DATA_TYPES, ROWS, kept

__all__ = ["kept", "onnx_model"]

#: {opset: version of the intermediate representation}. 4 lets initializers stand without being inputs; 13 has a scale for each channel.
_IR_VERSIONS = {11: 4, 13: 7}
_A = proto.AttributeType


def _describe(info: Any, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    info.type.tensor_type.elem_type = _data_type(dtype)
    info.type.tensor_type.shape.SetInParent()
    for size in shape:
        info.type.tensor_type.shape.dim.add(dim_value=size)


def _data_type(dtype: torch.dtype) -> int:
    if dtype not in DATA_TYPES:
        raise TypeError(f"For 'export', ONNX can not hold tensors of {dtype}. Cast them in 'construct'.")
    return DATA_TYPES[dtype]


def _fill(attribute: Any, value: Any) -> None:
    if isinstance(value, int):
        attribute.type, attribute.i = _A.INT, int(value)
    elif isinstance(value, float):
        attribute.type, attribute.f = _A.FLOAT, value
    elif isinstance(value, str):
        attribute.type, attribute.s = _A.STRING, value.encode()
    else:
        attribute.type = _A.INTS
        attribute.ints.extend(value)


class _OnnxLowering(Lowering):
    """``e("Conv", x, w, group=…)``: positional arguments are inputs (tuples become int64 tensors), named ones attributes."""

    def __init__(self, graph: Graph, model: Any, opset: int) -> None:
        super().__init__(graph, ROWS)
        self.opset, self.format = opset, f"ONNX opset {opset}"
        self._graph = model.graph
        self._graph.name = graph.name
        self._constants: dict[tuple[int, ...], Ref] = {}
        for value in graph.inputs:
            self.bind(value, Ref(value.name))
            _describe(self._graph.input.add(name=value.name), value.shape, value.dtype)
        for value in graph.parameters:
            assert value.data is not None
            self.bind(value, self.initializer(value.name, value.data))

    def initializer(self, name: str, data: torch.Tensor) -> Ref:
        """A constant under a name of its own."""
        self._graph.initializer.add(name=name, dims=data.shape, data_type=_data_type(data.dtype), raw_data=raw_bytes(data))
        return Ref(name)

    def constant(self, data: Any) -> Ref:
        return self.initializer(self.fresh("constant"), data)

    def _input(self, item: Any) -> str:
        if item is None:
            return ""
        if isinstance(item, (tuple, list)):
            key = tuple(item)
            if key not in self._constants:
                self._constants[key] = self.constant(torch.tensor(key, dtype=torch.int64))
            return self._constants[key]
        return self.ref(item)

    def __call__(self, op: str, *inputs: Any, results: int = 1, **attributes: Any) -> Any:
        names = [self._input(item) for item in inputs]
        while names and not names[-1]:  # left-out inputs at the end
            names.pop()
        self._number += 1
        outputs = [Ref(f"{self._number}" if index == 0 else f"{self._number}_{index}") for index in range(results)]
        node = self._graph.node.add(input=names, output=outputs, name=f"{self._number}{op}", op_type=op)
        if self.node is not None and self.node.scope:
            node.doc_string = self.node.scope
        for name, value in attributes.items():
            _fill(node.attribute.add(name=name), value)
        return outputs[0] if results == 1 else tuple(outputs)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        return self("Cast", value, to=_data_type(dtype))

    def finish(self) -> None:
        """All tensors that ``construct`` returned, in order; inputs and weights among them pass through Identity."""
        self.node = None
        names: set[str] = set()
        for value in leaves(self.graph.outputs):
            name = self.ref(value)
            if value.node is None or name in names:
                name = self("Identity", name)
            names.add(name)
            _describe(self._graph.output.add(name=name), value.shape, value.dtype)
        remove_unused(self._graph.node, names)
        used = {name for node in self._graph.node for name in node.input}
        initializers = [item for item in self._graph.initializer if item.name in used]
        del self._graph.initializer[:]
        self._graph.initializer.extend(initializers)


def onnx_model(graph: Graph) -> Any:
    """The ModelProto of ``graph``; what ``construct`` returned in tuples and dicts stands flat, in order."""
    opset = 13 if any(node.op in FAKE for node in graph.nodes) else 11
    model = proto.ModelProto(ir_version=_IR_VERSIONS[opset], producer_name="MindSpore", producer_version="1.0")
    model.opset_import.add(domain="", version=opset)
    if not any(isinstance(item, Value) for item in leaves(graph.outputs)):
        raise ValueError("For 'export', 'construct' must return at least one Tensor, but it returned none.")
    lowering = _OnnxLowering(graph, model, opset)
    lowering.run()
    lowering.finish()
    return model
