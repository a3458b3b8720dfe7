"""Merging of ONNX files that differ in numbers only: nodes compute the numbers from the shapes of the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from mindspore_compat._format.proto import onnx as proto
from mindspore_compat.train._export._dynamic import SizeExpressions, unequal
from mindspore_compat.train._export._lower import raw_bytes
from mindspore_compat.train._export._sizes import Expression, OpenSize, fit
from mindspore_compat.train._export.onnx import fill
from mindspore_compat.train._export.onnx.rows import DATA_TYPES

_TORCH = {number: dtype for dtype, number in DATA_TYPES.items()}

_GROUP = "\0"  # before the group of an unnamed size


def merge(models: Sequence[Any], sizes: Sequence[OpenSize], traces: Sequence[dict[int, int]]) -> Any:
    """Return the first message, with its differences to the others computed from sizes."""
    _Merger(models, sizes, traces).run()
    return models[0]


def name_sizes(model: Any, sizes: Sequence[OpenSize], names: dict[tuple[int, int], str]) -> None:
    """Name the open sizes of inputs: as given, else ``INPUT_AXIS``; equal sizes share one name."""
    chosen: dict[int, str] = {}
    for size in sizes:
        info = model.graph.input[size.input]
        chosen.setdefault(size.group, names.get((size.input, size.axis), f"{info.name}_{size.axis}"))
        info.type.tensor_type.shape.dim[size.axis].dim_param = chosen[size.group]
    for info in model.graph.output:
        for dim in info.type.tensor_type.shape.dim:
            if dim.dim_param.startswith(_GROUP):
                dim.dim_param = chosen[int(dim.dim_param[len(_GROUP) :])]


class _Merger(SizeExpressions):
    MULTIPLY, ADD, DIVIDE = "Mul", "Add", "Div"

    def __init__(self, models: Sequence[Any], sizes: Sequence[OpenSize], traces: Sequence[dict[int, int]]) -> None:
        super().__init__(traces)
        self.graphs, self.graph, self.sizes = [model.graph for model in models], models[0].graph, sizes
        self.made: list[Any] = []

    def run(self) -> None:
        nodes = [list(graph.node) for graph in self.graphs]
        for row in zip(*nodes):
            if any(node != row[0] for node in row):
                raise unequal(
                    f"other operators, or other settings of them, are needed for other sizes: {row[0].op_type} "
                    f"({row[0].doc_string}) differs"
                )
        constants = [list(graph.initializer) for graph in self.graphs]
        if len({len(item) for item in nodes}) > 1 or len({len(item) for item in constants}) > 1:
            raise unequal("other operators are needed for other sizes")
        users: dict[str, list[Any]] = {}
        for node in nodes[0]:
            for index, name in enumerate(node.input):
                users.setdefault(name, []).append((node.op_type, index))
        left = []
        for row in zip(*constants):
            if all(item == row[0] for item in row) or self._constant(
                [_read(item) for item in row], row[0], users.get(row[0].name, [])
            ):
                left.append(row[0])
        self._replace(self.graph.initializer, left + self._initializers)
        self._replace(self.graph.node, [*self.made, *self.graph.node])
        for infos in (*zip(*[graph.input for graph in self.graphs]), *zip(*[graph.output for graph in self.graphs])):
            for axis, dims in enumerate(zip(*[info.type.tensor_type.shape.dim for info in infos])):
                if len({dim.dim_value for dim in dims}) > 1:
                    found = fit([dim.dim_value for dim in dims], self.traces)
                    dims[0].ClearField("dim_value")
                    same = found is not None and found == Expression(found.groups[:1])
                    dims[0].dim_param = (
                        f"{_GROUP}{found.groups[0]}" if found is not None and same else f"{infos[0].name}_{axis}"
                    )

    @property
    def _initializers(self) -> list[Any]:
        return [item for key, item in self.known.items() if isinstance(item, proto.TensorProto)]

    @staticmethod
    def _replace(field: Any, items: Sequence[Any]) -> None:
        copies = []
        for item in items:
            copy: Any = type(item)()
            copy.CopyFrom(item)
            copies.append(copy)
        del field[:]
        field.extend(copies)

    def _constant(self, values: Sequence[torch.Tensor], message: Any, users: Sequence[Any]) -> bool:
        """Return whether the constant stays, with other contents; otherwise new nodes replace its result."""
        shapes, dtype, name = [tuple(item.shape) for item in values], values[0].dtype, message.name
        if len({len(shape) for shape in shapes}) > 1:
            raise unequal("the shape of a constant depends on a size")
        if dtype is torch.int64 and len(shapes[0]) == 1 and len(set(shapes)) == 1:
            columns = list(zip(*[item.tolist() for item in values]))
            differing = [index for index, column in enumerate(columns) if len(set(column)) > 1]
            if len(differing) == 1 and users and all(user == ("Reshape", 1) for user in users):
                changed = values[0].clone()
                changed[differing[0]] = -1
                message.raw_data = raw_bytes(changed)
                return True
            self._shape(columns, name)
            return False
        if not shapes[0]:
            self._scalar([item.item() for item in values], dtype, name)
            return False
        first = values[0].flatten()
        if all(item.numel() and bool((item == first[0]).all()) for item in values):
            self._node("Expand", self._tensor(first[0].clone()), self._shape(list(zip(*shapes))), name=name)
            return False
        self._range(values, shapes, dtype, name)
        return False

    def _scalar(self, values: Sequence[Any], dtype: torch.dtype, name: str) -> None:
        whole = all(float(value).is_integer() for value in values)
        numbers = [int(value) if whole else round(1 / value) for value in values]
        if not whole and any(abs(number * value - 1) > 1e-6 for number, value in zip(numbers, values)):
            raise unequal("a number in the file depends on a size in a way that no operator writes")
        flat = self._node("Reshape", self._number(numbers), self._empty())
        if whole:
            self._node("Cast", flat, name=name, to=DATA_TYPES[dtype])
        else:
            self._node("Reciprocal", self._node("Cast", flat, to=DATA_TYPES[dtype]), name=name)

    def _range(
        self, values: Sequence[torch.Tensor], shapes: Sequence[tuple[int, ...]], dtype: torch.dtype, name: str
    ) -> None:
        """Write start + step · (0, 1, 2 …) along the only axis that is not 1."""
        flat = [item.flatten().to(torch.float64) for item in values]
        start, step = float(flat[0][0]), float(flat[0][1] - flat[0][0])
        if any(len([size for size in shape if size != 1]) > 1 for shape in shapes) or any(
            not torch.equal(item, start + step * torch.arange(len(item), dtype=torch.float64)) for item in flat
        ):
            raise unequal(
                f"a constant of the shape {list(shapes[0])} depends on a size in a way that no operator writes"
            )
        end = self._node("Reshape", self._number([len(item) for item in flat]), self._empty())
        rows = self._node(
            "Cast",
            self._node("Range", self._tensor(torch.tensor(0)), end, self._tensor(torch.tensor(1))),
            to=DATA_TYPES[dtype],
        )
        if step != 1:
            rows = self._node("Mul", rows, self._tensor(torch.tensor(step, dtype=dtype)))
        if start:
            rows = self._node("Add", rows, self._tensor(torch.tensor(start, dtype=dtype)))
        self._node(
            "Reshape", rows, self._tensor(torch.tensor([-1 if size != 1 else 1 for size in shapes[0]])), name=name
        )

    # --- nodes --------------------------------------------------------------------------------------------------------

    def _node(self, op: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        name = name or f"size_{len(self.made)}"
        node = proto.NodeProto(input=inputs, output=[name], name=f"{name}_{op}", op_type=op)
        for key, value in attributes.items():
            fill(node.attribute.add(name=key), value)
        self.made.append(node)
        return name

    def _tensor(self, data: torch.Tensor) -> str:
        key = repr((data, data.dtype))
        if key not in self.known:
            name = f"size_constant_{len(self.known)}"
            self.known[key] = proto.TensorProto(
                name=name, dims=data.shape, data_type=DATA_TYPES[data.dtype], raw_data=raw_bytes(data)
            )
        found: Any = self.known[key]
        return found.name

    def _empty(self) -> str:
        return self._tensor(torch.zeros(0, dtype=torch.int64))

    def _shape(self, columns: Sequence[Sequence[int]], name: str = "") -> str:
        return self._node("Concat", *[self._number(column) for column in columns], name=name, axis=0)

    def _number(self, values: Sequence[int]) -> str:
        """Return a tensor of one int64: the same in all files, or an expression of sizes."""
        if len(set(values)) == 1:
            return self._tensor(torch.tensor([int(values[0])]))
        found = self.fitting(values)
        return self.expression(found)

    def operator(self, op: str, *inputs: str) -> str:
        return self._node(op, *inputs)

    def literal(self, number: int) -> str:
        return self._tensor(torch.tensor([number]))

    def size(self, group: int) -> str:
        key = ("size", group)
        if key not in self.known:
            size = next(item for item in self.sizes if item.group == group)
            shape = self._node("Shape", self.graph.input[size.input].name)
            self.known[key] = self._node("Gather", shape, self._tensor(torch.tensor([size.axis])), axis=0)
        return self.known[key]


def _read(message: Any) -> torch.Tensor:
    if not message.raw_data:
        return torch.zeros(tuple(message.dims), dtype=_TORCH[message.data_type])
    return torch.frombuffer(bytearray(message.raw_data), dtype=_TORCH[message.data_type]).reshape(tuple(message.dims))
