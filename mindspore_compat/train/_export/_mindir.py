"""Writing MINDIR: the messages of a graph, as MindSpore 2.10 loads them."""
from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._format.proto import mindir as proto
from mindspore_compat.train._export._deploy import Sequence
from mindspore_compat.train._export._graph import Graph, Value, leaves
from mindspore_compat.train._export._lower import Lowering, Ref, raw_bytes, remove_unused
from mindspore_compat.train._export._mindir_rows import ROWS, TYPE_IDS, kept

__all__ = ["DATA_TYPES", "kept", "mindir_model"]

_T = proto.AttributeType
DATA_TYPES = {torch.float32: _T.FLOAT, torch.uint8: _T.UINT8, torch.int8: _T.INT8, torch.int16: _T.INT16, torch.int32: _T.INT32,
               torch.int64: _T.INT64, torch.bool: _T.BOOL, torch.float16: _T.FLOAT16, torch.float64: _T.DOUBLE, torch.bfloat16: _T.BFLOAT16,
               torch.complex64: _T.COMPLEX64, torch.complex128: _T.COMPLEX128}
_MIND_IR_VERSION, _MODEL_VERSION = 3, "2.10.0"


def _describe(message: Any, shape: tuple[int, ...], dtype: torch.dtype) -> Any:
    if dtype not in DATA_TYPES:
        raise TypeError(f"For 'export', MINDIR can not hold tensors of {dtype}. Cast them in 'construct'.")
    message.dims.extend(shape)
    message.data_type = DATA_TYPES[dtype]
    return message


def _fill(attribute: Any, value: Any) -> None:
    """Type and value of an attribute; ints inside of tuples stand in ``ints``, else real MindSpore refuses the file."""
    if value is None:
        attribute.type = _T.NONE
    elif isinstance(value, torch.Tensor):
        attribute.type = _T.TENSORS
        tensor = _describe(attribute.tensors.add(name="value0"), tuple(value.shape), value.dtype)
        tensor.raw_data = raw_bytes(value)
    elif isinstance(value, bool):
        attribute.type, attribute.i = _T.BOOL, int(value)
    elif isinstance(value, int):
        attribute.type, attribute.i = _T.INT64, value
    elif isinstance(value, float):
        attribute.type, attribute.f = _T.FLOAT, value
    elif isinstance(value, str):
        attribute.type, attribute.s = _T.STRING, value.encode()
    else:
        attribute.type = _T.LIST if isinstance(value, Sequence) else _T.TUPLE
        for item in value:
            element = attribute.values.add()
            if isinstance(value, Sequence) and isinstance(item, float):
                element.type = _T.FLOAT
                element.floats.append(item)
            elif isinstance(item, int) and not isinstance(item, bool):
                element.type = _T.INT64
                element.ints.append(item)
            else:
                _fill(element, item)


class _MindirLowering(Lowering):
    """``e("Conv2D", x, w, stride=…)``: positional arguments are inputs (constants if they are no tensors), named ones attributes."""

    format = "MINDIR"

    def __init__(self, graph: Graph, model: Any) -> None:
        super().__init__(graph, ROWS)
        self._model, self._graph = model, model.graph
        self._constants: dict[Any, Ref] = {}
        self._marked: Any = None  # the node whose extra attributes are written: its first operator has them
        self._model.graph.name = graph.name
        for value in graph.inputs:
            self._bind(value, value.name)
            _describe(self._graph.input.add(name=self.ref(value)).tensor.add(), value.shape, value.dtype)
        for value in graph.parameters:
            self._bind(value, value.name)
            parameter = _describe(self._graph.parameter.add(name=self.ref(value), ref_key=value.name, compression_type=0), value.shape, value.dtype)
            assert value.data is not None
            parameter.raw_data = raw_bytes(value.data)

    def _bind(self, value: Value, name: str) -> None:
        self.bind(value, Ref(f"{self.graph.name}:{name}"))

    def constant(self, data: Any) -> Ref:
        ref = self.fresh(f"{self.graph.name}:ValueNode")
        node = self._graph.node.add(output=[ref], name=ref, op_type="Constant")
        _fill(node.attribute.add(name="value"), data)
        return ref

    def _input(self, item: Any) -> Ref:
        if isinstance(item, (Ref, Value)):
            return self.ref(item)
        key = (type(item), tuple(item) if isinstance(item, list) else item)
        if key not in self._constants:
            self._constants[key] = self.constant(item)
        return self._constants[key]

    def __call__(self, op: str, *inputs: Any, **attributes: Any) -> Ref:
        names = [self._input(item) for item in inputs]
        ref = self.fresh(f"{self.graph.name}:CNode")
        scope = self.node.scope if self.node is not None else ""
        node = self._graph.node.add(input=names, output=[ref], name=ref, op_type=op,
                                    domain=f"Default/{scope.replace('.', '/')}/{op}" if "-" in scope else f"Default/{op}")
        if self.node is not None and self.node is not self._marked and self.node.attributes and op != "Cast":
            attributes, self._marked = {**attributes, **self.node.attributes}, self.node
        for name, value in attributes.items():
            _fill(node.attribute.add(name=name), value)
        return ref

    def item(self, result: Ref, index: int) -> Ref:
        """One of several results."""
        return self("TupleGetItem", result, index)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        return self("Cast", value, TYPE_IDS[dtype])

    def finish(self) -> None:
        """The graph's output: a tensor, or one tuple with all that ``construct`` returned."""
        self.node = None
        outputs = self.graph.outputs
        if isinstance(outputs, Value):
            info = self._graph.output.add(name=self.ref(outputs))
            _describe(info.tensor.add(), outputs.shape, outputs.dtype)
        else:
            info = self._graph.output.add(name=self._tuple(outputs), denotation="Tuple")
            _describe_tuple(info.attr_info, outputs)
        remove_unused(self._graph.node, {info.name})

    def _tuple(self, outputs: Any) -> Ref:
        if isinstance(outputs, Value):
            return self.ref(outputs)
        return self("MakeTuple", *[self._tuple(item) for item in (outputs.values() if isinstance(outputs, dict) else outputs)])


def _describe_tuple(attribute: Any, outputs: Any) -> None:
    attribute.type = _T.TUPLE
    attribute.seq_info.is_dyn_len = False
    for item in outputs.values() if isinstance(outputs, dict) else outputs:
        element = attribute.values.add()
        if isinstance(item, Value):
            element.type = _T.TENSORS
            _describe(element.tensors.add(), item.shape, item.dtype)
        else:
            _describe_tuple(element, item)


def mindir_model(graph: Graph) -> Any:
    """The ModelProto of ``graph``; a dict as output becomes the tuple of its values."""
    model = proto.ModelProto(ir_version="1.1", producer_name="MindSpore", model_version=_MODEL_VERSION, little_endian=True,
                             mind_ir_version=_MIND_IR_VERSION)
    lowering = _MindirLowering(graph, model)
    if not list(leaves(graph.outputs)):
        raise ValueError("For 'export', 'construct' must return at least one Tensor, but it returned none.")
    lowering.run()
    lowering.finish()
    return model

