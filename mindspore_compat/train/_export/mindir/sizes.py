"""Merging of MINDIR files that differ in numbers only: nodes compute the numbers from the shapes of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._format.proto import mindir as proto
from mindspore_compat.train._export._dynamic import SizeExpressions, unequal
from mindspore_compat.train._export._sizes import OpenSize
from mindspore_compat.train._export.mindir import DATA_TYPES, fill
from mindspore_compat.train._export.mindir.rows import TYPE_IDS

_T = proto.AttributeType
_TORCH = {number: dtype for dtype, number in DATA_TYPES.items()}


def merge(models: Sequence[Any], sizes: Sequence[OpenSize], traces: Sequence[dict[int, int]]) -> Any:
    """Return the first message, with its differences to the others computed from sizes."""
    graphs = [[model.graph, *model.functions] for model in models]
    if len({len(item) for item in graphs}) > 1:
        raise unequal("the network decides otherwise for other sizes")
    for number, same in enumerate(zip(*graphs)):
        _Merger(same, sizes, traces, number == 0).run()
    return models[0]


class _Merger(SizeExpressions):
    """Merger of one graph of all files."""

    MULTIPLY, ADD, DIVIDE = "ScalarMul", "ScalarAdd", "ScalarFloorDiv"

    def __init__(
        self, graphs: Sequence[Any], sizes: Sequence[OpenSize], traces: Sequence[dict[int, int]], is_main: bool
    ) -> None:
        super().__init__(traces)
        self.graph, self.graphs, self.sizes, self.is_main = graphs[0], graphs, sizes, is_main
        self.made: list[Any] = []

    def run(self) -> None:
        shown = [[(node.op_type, list(node.input), list(node.output)) for node in graph.node] for graph in self.graphs]
        for position, row in enumerate(zip(*shown)):
            if any(item != row[0] for item in row):
                raise unequal(
                    "other operators are needed for other sizes: "
                    f"{self.graph.node[position].op_type.rpartition('/')[2]} "
                    f"({self.graph.node[position].domain}) differs"
                )
        if len({len(item) for item in shown}) > 1:
            raise unequal("other operators are needed for other sizes")
        users: dict[str, list[Any]] = {}
        for node in self.graph.node:
            for index, name in enumerate(node.input):
                users.setdefault(name, []).append((node.op_type, index))
        rest = []
        for nodes in zip(*[graph.node for graph in self.graphs]):
            if any(node.attribute != nodes[0].attribute for node in nodes):
                if nodes[0].op_type == "MakeTuple":  # of a sparse tensor, with its form there
                    _open_tensors([list(_told(node.attribute[0])) for node in nodes])
                elif nodes[0].op_type != "Constant":
                    raise unequal(f"the settings of {nodes[0].op_type} ({nodes[0].domain}) depend on a size")
                elif not self._constant(nodes, users.get(nodes[0].output[0], [])):
                    continue
            rest.append(nodes[0])
        copies = [*self.made, *map(_copied, rest)]
        del self.graph.node[:]
        self.graph.node.extend(copies)
        self._open()

    def _open(self) -> None:
        """Set -1 in the shapes of inputs and outputs that differ."""
        for infos in (*zip(*[graph.input for graph in self.graphs]), *zip(*[graph.output for graph in self.graphs])):
            _open_tensors([list(_described(info)) for info in infos])

    # --- constants ----------------------------------------------------------------------------------------------------

    def _constant(self, nodes: Sequence[Any], users: Sequence[Any]) -> bool:
        """Return whether the node stays, with other contents; otherwise new nodes replace its result."""
        attributes = [node.attribute[0] for node in nodes]
        name, kind = nodes[0].output[0], attributes[0].type
        if kind == _T.TUPLE and len({len(item.values) for item in attributes}) == 1:
            columns = list(
                zip(*[[int(value.ints[0]) if value.ints else value.i for value in item.values] for item in attributes])
            )
            differing = [index for index, column in enumerate(columns) if len(set(column)) > 1]
            if len(differing) == 1 and users and all(user == ("Reshape", 1) for user in users):
                attributes[0].values[differing[0]].ints[0] = -1
                return True
            self._add("MakeTuple", *[self._number(column) for column in columns], name=name)
            return False
        if kind in (_T.INT64, _T.INT32):
            self._add("ScalarAdd", self._number([item.i for item in attributes]), self._plain(0), name=name)
            return False
        if kind == _T.TENSORS:
            return self._tensor([item.tensors[0] for item in attributes], name)
        raise unequal("a constant of the file depends on a size")

    def _tensor(self, messages: Sequence[Any], name: str) -> bool:
        """Write a tensor of one number, a range of numbers, or a triangular mask, of open sizes."""
        tensors = [_read(message) for message in messages]
        dtype, shapes = tensors[0].dtype, [tuple(item.shape) for item in tensors]
        if len({len(shape) for shape in shapes}) > 1:
            raise unequal("the shape of a constant depends on a size")
        if not shapes[0]:
            self._scalar([item.item() for item in tensors], dtype, name)
            return False
        if all(item.numel() and bool((item == tensors[0].flatten()[0]).all()) for item in tensors):
            self._add("FillV2", self._shape(shapes), self._plain(tensors[0].flatten()[0].clone()), name=name)
            return False
        for make in (self._range, self._triangle):
            if make(tensors, shapes, dtype, name):
                return False
        raise unequal(f"a constant of the shape {list(shapes[0])} depends on a size in a way that no operator writes")

    def _scalar(self, values: Sequence[Any], dtype: torch.dtype, name: str) -> None:
        """Write a number, or one part of it."""
        if all(float(value).is_integer() for value in values):
            whole = self._add(
                "ScalarToTensor", self._number([int(value) for value in values]), self._plain(TYPE_IDS[torch.int64])
            )
            self._add("Cast", whole, self._plain(TYPE_IDS[dtype]), name=name)
            return
        parts = [round(1 / value) for value in values if value]
        if len(parts) < len(values) or any(abs(part * value - 1) > 1e-6 for part, value in zip(parts, values)):
            raise unequal("a number in the file depends on a size in a way that no operator writes")
        whole = self._add("ScalarToTensor", self._number(parts), self._plain(TYPE_IDS[torch.int64]))
        self._add("Reciprocal", self._add("Cast", whole, self._plain(TYPE_IDS[dtype])), name=name)

    def _range(
        self, tensors: Sequence[torch.Tensor], shapes: Sequence[tuple[int, ...]], dtype: torch.dtype, name: str
    ) -> bool:
        """Write start + step · (0, 1, 2 …) along the only axis that is not 1."""
        flat = [item.flatten().to(torch.float64) for item in tensors]
        if any(len([size for size in shape if size != 1]) > 1 for shape in shapes) or any(
            len(item) < 2 for item in flat
        ):
            return False
        start, step = float(flat[0][0]), float(flat[0][1] - flat[0][0])
        if any(not torch.equal(item, start + step * torch.arange(len(item), dtype=torch.float64)) for item in flat):
            return False
        rows = self._arange([len(item) for item in flat], dtype)
        if step != 1:
            rows = self._add("Mul", rows, self._plain(torch.tensor(step, dtype=dtype)))
        if start:
            rows = self._add("Add", rows, self._plain(torch.tensor(start, dtype=dtype)))
        self._add("Reshape", rows, self._plain(tuple(-1 if size != 1 else 1 for size in shapes[0])), name=name)
        return True

    def _triangle(
        self, tensors: Sequence[torch.Tensor], shapes: Sequence[tuple[int, ...]], dtype: torch.dtype, name: str
    ) -> bool:
        """Write one number where column <= row + offset, another elsewhere; axes before the last two have size 1."""
        if len(shapes[0]) < 2 or any(set(shape[:-2]) - {1} for shape in shapes):
            return False
        low, high = tensors[0].flatten()[-shapes[0][-1]].clone(), tensors[0].flatten()[shapes[0][-1] - 1].clone()
        for offset in (0, -1):
            if all(
                torch.equal(torch.where(torch.ones(shape[-2:]).tril(offset) > 0, low, high).expand(shape), item)
                for item, shape in zip(tensors, shapes)
            ):
                rows = self._add(
                    "Reshape", self._arange([shape[-2] for shape in shapes], torch.int64), self._plain((-1, 1))
                )
                columns = self._arange([shape[-1] for shape in shapes], torch.int64)
                hit = self._add("LessEqual", columns, self._add("Add", rows, self._plain(torch.tensor(offset))))
                sides = []
                for value in (low, high):
                    sides.append(self._add("FillV2", self._shape([shape[-2:] for shape in shapes]), self._plain(value)))
                chosen = self._add("Select", hit, *sides)
                self._add("Reshape", chosen, self._shape(shapes), name=name)
                return True
        return False

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _add(self, op: str, *inputs: str, name: str = "") -> str:
        name = name or f"{self.graph.name}:Size_{len(self.made)}"
        self.made.append(proto.NodeProto(input=inputs, output=[name], name=name, op_type=op, domain=f"Default/{op}"))
        return name

    def _plain(self, value: Any) -> str:
        key = repr(value)
        if key not in self.known:
            name = f"{self.graph.name}:Size_{len(self.made)}"
            node = proto.NodeProto(output=[name], name=name, op_type="Constant")
            fill(node.attribute.add(name="value"), value)
            self.made.append(node)
            self.known[key] = name
        return self.known[key]

    def _arange(self, counts: Sequence[int], dtype: torch.dtype) -> str:
        rows = self._add("Range", self._plain(0), self._number(counts), self._plain(1), self._plain(1_000_000))
        return rows if dtype is torch.int64 else self._add("Cast", rows, self._plain(TYPE_IDS[dtype]))

    def _shape(self, shapes: Sequence[tuple[int, ...]]) -> str:
        return self._add("MakeTuple", *[self._number(column) for column in zip(*shapes)])

    def _number(self, values: Sequence[int]) -> str:
        """Return a number that is the same in all files, or an expression of sizes."""
        if len(set(values)) == 1:
            return self._plain(int(values[0]))
        found = self.fitting(values)
        if not self.is_main:
            raise unequal("a size in a loop or behind a decision that depends on values is needed as a number")
        return self.expression(found)

    def operator(self, op: str, *inputs: str) -> str:
        return self._add(op, *inputs)

    def literal(self, number: int) -> str:
        return self._plain(number)

    def size(self, group: int) -> str:
        key = ("size", group)
        if key not in self.known:
            size = next(item for item in self.sizes if item.group == group)
            source = self.graph.input[size.input].name
            if ("shape", source) not in self.known:
                self.known["shape", source] = self._add("Shape", source)
            self.known[key] = self._add("TupleGetItem", self.known["shape", source], self._plain(size.axis))
        return self.known[key]


def _copied(node: Any) -> Any:
    copy: Any = proto.NodeProto()
    copy.CopyFrom(node)
    return copy


def _read(message: Any) -> torch.Tensor:
    return torch.frombuffer(bytearray(message.raw_data), dtype=_TORCH[message.data_type]).reshape(tuple(message.dims))


def _described(info: Any) -> Any:
    """Yield the tensors in the description of an input or output."""
    yield from info.tensor
    yield from _told(info.attr_info)


def _told(attribute: Any) -> Any:
    stack: list[Any] = [attribute]
    while stack:
        attribute = stack.pop(0)
        yield from attribute.tensors
        stack = [*attribute.values, *stack]


def _open_tensors(columns: Sequence[Sequence[Any]]) -> None:
    for tensors in zip(*columns):
        for axis in range(len(tensors[0].dims)):
            if len({tensor.dims[axis] for tensor in tensors}) > 1:
                tensors[0].dims[axis] = -1
