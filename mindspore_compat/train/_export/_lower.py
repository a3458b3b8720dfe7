"""Shared base of both file formats' lowering of graph nodes: names, rows by operator, operands, fusions."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from mindspore_compat._graph.export.ir import Graph, Node, Value, refuse
from mindspore_compat._tensor.wrapping import byte_view, plain


class Ref(str):
    """The name of a tensor in the file."""


#: Takes the lowering, the node's arguments by name and the node; returns the Ref of its output, or a tuple of Refs.
Row = Callable[[Any, Any, Node], Any]


class Lowering:
    """Walk over a graph in order, in which the row of each operator writes nodes.

    Subclasses define how to write a constant and a node (`constant`, `__call__`) and hold the rows.
    """

    format = ""

    def __init__(self, graph: Graph, rows: dict[str, Row]) -> None:
        self.graph, self.rows = graph, rows
        self._refs: dict[int, Ref] = {}
        self._number = 0
        self._own: set[int] | None = None
        self.node: Node | None = None

    def fresh(self, stem: str) -> Ref:
        """Return a new, unused name."""
        self._number += 1
        return Ref(f"{stem}_{self._number}")

    def made_here(self, value: Value) -> bool:
        """Return whether a fusion may use the value's node: it is of this graph, so its inputs are known here."""
        if value.node is None:
            return False
        if self._own is None:
            self._own = {id(node) for node in self.graph.nodes}
        return id(value.node) in self._own

    def bind(self, value: Value, ref: Ref) -> None:
        self._refs[id(value)] = ref

    def ref(self, value: Any) -> Ref:
        """Return the tensor of a Value; constants are written at their first use."""
        if isinstance(value, Ref):
            return value
        found = self._refs.get(id(value))
        if found is None:
            if value.data is None:
                raise refuse(
                    f"a side result of the operator '{value.node.op}' has no counterpart in {self.format}",
                    value.node.scope,
                )
            found = self._refs[id(value)] = self.constant(value.data)
        return found

    def constant(self, data: torch.Tensor) -> Ref:
        raise NotImplementedError

    def scalar(self, number: Any, dtype: torch.dtype) -> Ref:
        """Return a 0-d constant."""
        return self.constant(torch.tensor(number, dtype=dtype))

    def operand(self, item: Any, dtype: torch.dtype) -> Ref:
        """Return a Value cast to ``dtype``, or a number as a constant of it."""
        if isinstance(item, Value):
            return self.ref(item) if item.dtype is dtype else self.cast(item, dtype)
        return item if isinstance(item, Ref) else self.scalar(item, dtype)

    def cast(self, value: Any, dtype: torch.dtype) -> Ref:
        raise NotImplementedError

    def run(self) -> None:
        """Write every node.

        Raises:
            NotImplementedError: for an operator without row.
        """
        for node in self.graph.nodes:
            row = self.rows.get(node.op)
            if row is None or not node.fits:
                form = "" if row is None else " for these arguments or their dtype"
                raise refuse(f"the operator 'aten.{node.op}' has no counterpart in {self.format}{form}", node.scope)
            self.node = node
            result = row(self, SimpleNamespace(**node.args), node)
            for value, ref in zip(node.outputs, result if isinstance(result, tuple) else (result,)):
                if ref is not None:
                    self.bind(value, ref)


def untransposed(value: Value) -> tuple[Value, bool]:
    """Return (matrix, whether it enters transposed): a transposition of the last two axes becomes a product's flag."""
    node = value.node
    if node is not None and value.ndim >= 2:
        order = list(range(value.ndim))
        order[-2:] = order[:-3:-1]
        if node.op == "transpose" and {node.args["dim0"] % value.ndim, node.args["dim1"] % value.ndim} == {
            value.ndim - 1,
            value.ndim - 2,
        }:
            return node.args["self"], True
        if node.op == "permute" and [axis % value.ndim for axis in node.args["dims"]] == order:
            return node.args["self"], True
    return value, False


def spatial_pads(value: Value, count: int) -> tuple[Value, list[tuple[int, int]]]:
    """Return (the value inside of a zero padding of the last ``count`` axes, (before, after) of each of them):
    convolutions pad by themselves.
    """
    node = value.node
    if node is not None and node.op == "constant_pad_nd" and node.args["value"] == 0:
        pad = [*node.args["pad"], *[0] * (2 * count)]
        if min(pad) >= 0 and not any(pad[2 * count :]):
            return node.args["self"], [(pad[2 * axis], pad[2 * axis + 1]) for axis in range(count)][::-1]
    return value, [(0, 0)] * count


def compare_dtype(left: Any, right: Any) -> torch.dtype:
    """Return the dtype that torch compares two Values or numbers in."""
    samples = [
        torch.empty((1,) * item.ndim, dtype=item.dtype) if isinstance(item, Value) else item for item in (left, right)
    ]
    return torch.result_type(*samples)


def raw_bytes(data: torch.Tensor) -> bytes:
    """Return the elements in row-major order, as bytes."""
    return byte_view(plain(data).cpu().contiguous()).numpy().tobytes()


def taken_names(node: Any) -> list[str]:
    """Return the input tensors of a node, including those of graphs in its attributes."""
    names = list(node.input)
    for attribute in node.attribute:
        if attribute.HasField("g"):
            names += [name for inner in attribute.g.node for name in taken_names(inner)]
    return names


def remove_unused(nodes: Any, names: set[str]) -> None:
    """Keep only the nodes of a file that the tensors ``names`` need: fusions skip some."""
    needed, left = set(names), []
    for node in reversed(nodes):
        if needed.intersection(node.output):
            needed.update(taken_names(node))
            if node.op_type.startswith("REF::"):  # a call names its function
                needed.add(node.op_type[5:])
            left.append(node)
    left.reverse()
    del nodes[:]
    nodes.extend(left)


def scaled(e: Any, item: Any, factor: Any, dtype: torch.dtype) -> Ref:
    """Return an operand times a number."""
    return e.operand(item, dtype) if factor == 1 else e("Mul", e.operand(item, dtype), e.scalar(factor, dtype))


def pools_batches(a: dict[str, Any]) -> bool:
    """Return whether a pooling in several axes has a batch axis."""
    return len(a["kernel_size"]) > 1 and a["self"].dim() == len(a["kernel_size"]) + 2
