"""Writer of MINDIR: the messages of a graph in MindSpore 2.10's form."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._format.proto import mindir as proto
from mindspore_compat._graph.export.ir import Graph, Sparse, Value
from mindspore_compat.train._export._deploy import Sequence
from mindspore_compat.train._export._lower import Lowering, Ref, raw_bytes, remove_unused
from mindspore_compat.train._export.mindir.rows import ROWS, TYPE_IDS

_T = proto.AttributeType
DATA_TYPES = {
    torch.float32: _T.FLOAT,
    torch.uint8: _T.UINT8,
    torch.int8: _T.INT8,
    torch.int16: _T.INT16,
    torch.int32: _T.INT32,
    torch.int64: _T.INT64,
    torch.bool: _T.BOOL,
    torch.float16: _T.FLOAT16,
    torch.float64: _T.DOUBLE,
    torch.bfloat16: _T.BFLOAT16,
    torch.complex64: _T.COMPLEX64,
    torch.complex128: _T.COMPLEX128,
}
_SHOWN = 64  # elements of one number that are written out
_MONAD = object()  # the token of side effects before the first one
_MIND_IR_VERSION, _MODEL_VERSION = 3, "2.10.0"


def _describe(message: Any, shape: tuple[int, ...], dtype: torch.dtype) -> Any:
    if dtype not in DATA_TYPES:
        raise TypeError(f"For 'export', MINDIR cannot hold tensors of {dtype}. Cast them in 'construct'.")
    message.dims.extend(shape)
    message.data_type = DATA_TYPES[dtype]
    return message


def fill(attribute: Any, value: Any) -> None:
    """Set type and value of an attribute; ints in tuples go to ``ints``, else real MindSpore rejects the file."""
    if value is None:
        attribute.type = _T.NONE
    elif value is _MONAD:
        attribute.type = _T.UMONAD
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
                fill(element, item)


class _MindirLowering(Lowering):
    """Lowering by ``e("Conv2D", x, w, stride=…)``: positional arguments are inputs (constants if they are no tensors),
    named ones attributes.
    """

    format = "MINDIR"
    shares = True  # one constant for equal numbers; not for files to compare

    def __init__(
        self,
        graph: Graph,
        model: Any,
        message: Any = None,
        taken: list[Value] | None = None,
        separate: list[Any] | None = None,
    ) -> None:
        super().__init__(graph, ROWS | {"branch": _branch, "loop": _loop})
        self._model, self._graph = model, model.graph if message is None else message
        self._constants: dict[Any, Ref] = {}
        self._marked: Any = None  # the node of the current extra attributes: its first operator gets them
        self._graph.name = graph.name
        self._moved: list[Ref] = []  # contents of Parameters before their change
        for value in graph.inputs if taken is None else [*graph.inputs, *taken]:
            self._bind(value, value.name if taken is None else f"input_{len(self._graph.input)}")
            _describe(self._graph.input.add(name=self.ref(value)).tensor.add(), value.shape, value.dtype)
        for value in graph.parameters if taken is None else ():
            self._bind(value, value.name)
            parameter = _describe(
                self._graph.parameter.add(name=self.ref(value), ref_key=value.name, compression_type=0),
                value.shape,
                value.dtype,
            )
            assert value.data is not None
            if separate is None:
                parameter.raw_data = raw_bytes(value.data)
            else:
                separate.append((parameter, value.data))
        self._start = self.constant(_MONAD) if graph.updates else None
        self._targets = [(self.ref(value), new) for value, new in graph.updates]
        for value, _ in graph.updates:
            self.bind(value, self("TensorMove", self("Load", self.ref(value), self._start)))
            self._moved.append(self.ref(value))

    def inner(self, graph: Graph, taken: list[Value], stem: str) -> _MindirLowering:
        """Return the lowering of a function of the file, which gets its own inputs and then ``taken``."""
        graph.name = self.fresh(f"{self.graph.name}_{stem}")
        made = _MindirLowering(graph, self._model, self._model.functions.add(), taken)
        made.shares = self.shares
        return made

    def call(self, function: Any, *inputs: Any) -> Ref:
        """Return the result of a function, or of a Switch's choice."""
        return self(f"REF::{function}", *inputs)

    def _bind(self, value: Value, name: str) -> None:
        self.bind(value, Ref(f"{self.graph.name}:{name}"))

    def constant(self, data: Any) -> Ref:
        short = self._short(data) if isinstance(data, torch.Tensor) and self.shares and data.numel() > _SHOWN else None
        if short is not None:
            return short
        ref = self.fresh(f"{self.graph.name}:ValueNode")
        node = self._graph.node.add(output=[ref], name=ref, op_type="Constant")
        fill(node.attribute.add(name="value"), data)
        return ref

    def _short(self, data: torch.Tensor) -> Ref | None:
        """Return equal numbers, and the numbers from 0 on, by operators that generate them."""
        flat = data.flatten()
        if data.dtype is torch.float32 and bool((flat == flat[0]).all()):
            return self("FillV2", tuple(data.shape), flat[0].clone())
        if data.dtype is torch.int64 and torch.equal(flat, torch.arange(len(flat))):
            return self("Reshape", self("Range", 0, len(flat), 1, max(len(flat), 1_000_000)), tuple(data.shape))
        return None

    def _input(self, item: Any) -> Ref:
        if isinstance(item, (Ref, Value)):
            return self.ref(item)
        key = (type(item), tuple(item) if isinstance(item, list) else item)
        if key not in self._constants or not self.shares:
            self._constants[key] = self.constant(item)
        return self._constants[key]

    def __call__(self, op: str, *inputs: Any, **attributes: Any) -> Ref:
        names = [self._input(item) for item in inputs]
        ref = self.fresh(f"{self.graph.name}:CNode")
        scope = self.node.scope if self.node is not None else ""
        node = self._graph.node.add(
            input=names,
            output=[ref],
            name=ref,
            op_type=op,
            domain=f"Default/{scope.replace('.', '/')}/{op}" if "-" in scope else f"Default/{op}",
        )
        if self.node is not None and self.node is not self._marked and self.node.attributes and op != "Cast":
            attributes, self._marked = {**attributes, **self.node.attributes}, self.node
        for name, value in attributes.items():
            fill(node.attribute.add(name=name), value)
        return ref

    def item(self, result: Ref, index: int) -> Ref:
        """Return one of several results."""
        return self("TupleGetItem", result, index)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        return self("Cast", value, TYPE_IDS[dtype])

    def finish(self, result: Ref | None = None) -> None:
        """Write the graph's output: a tensor, or one tuple with all results of ``construct``; ``result`` instead, for a
        function that ends otherwise.
        """
        self.node = None
        outputs = self.graph.outputs
        info = self._graph.output.add()
        if isinstance(outputs, Value):
            _describe(info.tensor.add(), outputs.shape, outputs.dtype)
        elif isinstance(outputs, Sparse):
            info.denotation = f"{outputs.kind}Type"
            _describe_sparse(info.attr_info, outputs)
        else:
            info.denotation = "Tuple"
            _describe_tuple(info.attr_info, outputs)
        info.name = self._updated(self._tuple(outputs) if result is None else result)
        remove_unused(self._graph.node, {info.name})

    def _updated(self, result: Ref) -> Ref:
        """Return ``result`` after the assignments to Parameters, which wait for readers of the old contents."""
        if self._start is None:
            return result
        token = self("UpdateState", self._start, *self._moved)
        news = [self.ref(new) for _, new in self._targets]
        for (target, _), new in zip(self._targets, news):
            token = self("UpdateState", token, self("Assign", target, new, token, side_effect_mem=True))
        return self("Depend", result, token, side_effect_propagate=1)

    def _tuple(self, outputs: Any) -> Ref:
        if isinstance(outputs, Value):
            return self.ref(outputs)
        if outputs is None:
            return self.constant(None)
        if isinstance(outputs, Sparse):
            made = self("MakeTuple", *outputs.parts, outputs.shape)
            _describe_sparse(self._graph.node[-1].attribute.add(name="shape"), outputs)  # real MindSpore reads it there
            return made
        return self(
            "MakeTuple", *[self._tuple(item) for item in (outputs.values() if isinstance(outputs, dict) else outputs)]
        )


def _describe_tuple(attribute: Any, outputs: Any) -> None:
    attribute.type = _T.TUPLE
    attribute.seq_info.is_dyn_len = False
    for item in outputs.values() if isinstance(outputs, dict) else outputs:
        element = attribute.values.add()
        if isinstance(item, Value):
            element.type = _T.TENSORS
            _describe(element.tensors.add(), item.shape, item.dtype)
        elif isinstance(item, Sparse):
            _describe_sparse(element, item)
        elif item is None:
            element.type = _T.NONE
        else:
            _describe_tuple(element, item)


def _describe_sparse(attribute: Any, outputs: Sparse) -> None:
    """Describe the parts and then the shape, a tuple of numbers."""
    attribute.type = _T.CSR_TENSOR if outputs.kind == "CSRTensor" else _T.COO_TENSOR
    for part in outputs.parts:
        element = attribute.values.add(type=_T.TENSORS)
        _describe(element.tensors.add(), part.shape, part.dtype)
    shape = attribute.values.add(type=_T.TUPLE)
    shape.seq_info.is_dyn_len = False
    for _ in outputs.shape:
        _describe(shape.values.add(type=_T.SCALAR).tensors.add(), (0,), torch.int64)


def _flat(outputs: Any) -> Any:
    """Return one result alone, several as a tuple."""
    return outputs[0] if len(outputs) == 1 else outputs


def _items(e: Any, result: Ref, count: int) -> Any:
    return result if count == 1 else tuple(e.item(result, index) for index in range(count))


def _truth(e: Any, value: Value) -> Ref:
    truth = e.ref(value) if value.dtype is torch.bool else e("NotEqual", value, e.scalar(0, value.dtype))
    return truth if not value.shape else e("Reshape", truth, ())


def _branch(e: Any, a: Any, n: Any) -> Any:
    """Write a function for each side, and a Switch between them."""
    taken = list({id(value): value for side in (a.then, a.other) for value in side.captured()}.values())
    sides = []
    for stem, side in (("then", a.then), ("else", a.other)):
        side.outputs = _flat(side.outputs)
        inner = e.inner(side, taken, stem)
        inner.run()
        inner.finish()
        sides.append(e("Partial", Ref(side.name), *taken, side_effect_propagate=1))
    return _items(e, e.call(e("Switch", _truth(e, a.condition), *sides)), len(n.outputs))


def _loop(e: Any, a: Any, n: Any) -> Any:
    """Write a function that tests and calls the body, which calls it again, or returns its values: no deeper stack."""
    taken = list({id(value): value for part in (a.condition, a.body) for value in part.captured()}.values())
    (condition,) = a.condition.outputs
    head = e.inner(a.condition, taken, "loop")
    body = e.inner(a.body, taken, "round")
    end = e.inner(Graph("", list(a.condition.inputs), [], [], _flat(tuple(a.condition.inputs))), [], "end")
    end.finish()
    body.run()
    news, body.graph.outputs = a.body.outputs, _flat(tuple(n.outputs))
    body.finish(body.call(Ref(a.condition.name), *news, *taken))
    head.run()
    rounds = head("Partial", Ref(a.body.name), *a.condition.inputs, *taken, side_effect_propagate=1)
    done = head("Partial", Ref(end.graph.name), *a.condition.inputs, side_effect_propagate=1)
    head.graph.outputs = _flat(tuple(n.outputs))
    head.finish(head.call(head("Switch", _truth(head, condition), rounds, done)))
    return _items(e, e.call(Ref(a.condition.name), *a.initial, *taken), len(n.outputs))


def mindir_model(graph: Graph, shares: bool = True, separate: list[Any] | None = None) -> Any:
    """Return the ModelProto of ``graph``; a dict as output becomes the tuple of its values.

    Args:
        shares: equal numbers are one constant.
        separate: gets (message, tensor) of each Parameter, whose contents are left out then.
    """
    model = proto.ModelProto(
        ir_version="1.1",
        producer_name="MindSpore",
        model_version=_MODEL_VERSION,
        little_endian=True,
        mind_ir_version=_MIND_IR_VERSION,
    )
    lowering = _MindirLowering(graph, model, separate=separate)
    lowering.shares = shares
    if not graph.results():
        raise ValueError("For 'export', 'construct' must return at least one Tensor, but it returned none.")
    lowering.run()
    lowering.finish()
    return model
