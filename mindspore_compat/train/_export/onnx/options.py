"""Options of `export` for ONNX beyond MindSpore's: names of open sizes, 16-bit floats, the opset."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._format.proto import onnx as proto
from mindspore_compat._graph.export.ir import map_values
from mindspore_compat.common.symbol import Symbol, open_sizes
from mindspore_compat.common.tensor import OpenTensor
from mindspore_compat.train._export.onnx import OPSETS

_FLOAT, _HALF = proto.DataType.FLOAT, proto.DataType.FLOAT16


def check_options(options: dict[str, Any]) -> None:
    """Raise ValueError or TypeError for invalid values of the options."""
    opset = options.get("opset_version")
    if opset is not None and (not isinstance(opset, int) or opset not in OPSETS):
        raise ValueError(
            f"For 'export', 'opset_version' must be an int from {OPSETS[0]} to {OPSETS[-1]}, but got {opset!r}."
        )
    axes = options.get("dynamic_axes")
    if axes is not None and not (
        isinstance(axes, dict)
        and all(isinstance(item, dict) for item in axes.values())
        and all(
            isinstance(axis, int) and isinstance(name, str) and name
            for item in axes.values()
            for axis, name in item.items()
        )
    ):
        raise TypeError(
            "For 'export', 'dynamic_axes' must be a dict {name of an input: {axis: name of its size}}, such as "
            f"{{'x': {{0: 'batch'}}}}, but got {axes!r}."
        )


def opened(
    inputs: tuple[Any, ...], names: list[str], axes: dict[str, dict[int, str]] | None
) -> tuple[tuple[Any, ...], dict[tuple[int, int], str]]:
    """Return (the inputs with these sizes open, {(input, axis): name of the size}); sizes of one name are equal.

    Raises:
        ValueError: for inputs and axes that are not there.
    """
    unknown = set(axes or {}) - set(names)
    if unknown:
        raise ValueError(f"For 'export', 'dynamic_axes' has no such inputs: {sorted(unknown)}; there are {names}.")
    symbols: dict[str, Symbol] = {}
    named: dict[tuple[int, int], str] = {}
    place = iter(range(len(names)))

    def open_axes(item: Any) -> Any:
        if not isinstance(item, torch.Tensor):
            return item
        number = next(place)
        sizes: list[Any] = list(item._sizes) if isinstance(item, OpenTensor) else list(item.shape)
        for axis, name in (axes or {}).get(names[number], {}).items():
            if not -len(sizes) <= axis < len(sizes):
                raise ValueError(
                    f"For 'export', 'dynamic_axes' has the axis {axis} of {names[number]!r}, which has {len(sizes)} "
                    "axes."
                )
            named[number, axis % len(sizes)] = name
            sizes[axis] = symbols.setdefault(name, Symbol(unique=True))
        found = open_sizes(tuple(sizes))
        return item if found is None else OpenTensor.of(found, item.dtype)

    return map_values(open_axes, inputs), named


def finished(model: Any, half: bool) -> Any:
    """Return the message, computing in 16-bit floats if ``half``: inputs and outputs stay float32."""
    if not half:
        return model
    graph, opset = model.graph, model.opset_import[0].version
    if opset < 14 and any(node.op_type == "CumSum" for node in graph.node):
        raise NotImplementedError("For 'export', CumSum takes 16-bit floats from opset 14 on. Give opset_version=14.")
    used_as_is = {name for node in graph.node if node.op_type == "Resize" for name in node.input[1:3]}
    for item in graph.initializer:
        if item.data_type == _FLOAT and item.name not in used_as_is:
            values = (
                torch.frombuffer(bytearray(item.raw_data), dtype=torch.float32) if item.raw_data else torch.zeros(0)
            )
            limit = torch.finfo(torch.float16).max
            finite = torch.where(torch.isfinite(values), values.clamp(-limit, limit), values)
            item.data_type, item.raw_data = _HALF, finite.to(torch.float16).numpy().tobytes()
    before, after = [], []
    renamed: dict[str, str] = {}
    for info in graph.input:
        if info.type.tensor_type.elem_type == _FLOAT:
            renamed[info.name] = f"{info.name}_half"
            before.append(_cast(info.name, renamed[info.name], _HALF))
    for info in graph.output:
        if info.type.tensor_type.elem_type == _FLOAT:
            renamed[info.name] = f"{info.name}_half"
            after.append(_cast(renamed[info.name], info.name, _FLOAT))
    _rename(graph, renamed)
    nodes = [*before, *graph.node, *after]
    copies = []
    for node in nodes:
        copy: Any = proto.NodeProto()
        copy.CopyFrom(node)
        copies.append(copy)
    del graph.node[:]
    graph.node.extend(copies)
    return model


def _cast(source: str, target: str, dtype: int) -> Any:
    node = proto.NodeProto(input=[source], output=[target], name=f"{target}_cast", op_type="Cast")
    node.attribute.add(name="to", type=proto.AttributeType.INT, i=dtype)
    return node


def _rename(graph: Any, renamed: dict[str, str]) -> None:
    """Set other names, and 16-bit floats in casts and in the descriptions of inner graphs."""
    for node in graph.node:
        for names in (node.input, node.output):
            for index, name in enumerate(names):
                names[index] = renamed.get(name, name)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename(attribute.g, renamed)
                for info in (*attribute.g.input, *attribute.g.output):
                    if info.type.tensor_type.elem_type == _FLOAT:
                        info.type.tensor_type.elem_type = _HALF
            elif node.op_type == "Cast" and attribute.name == "to" and attribute.i == _FLOAT:
                attribute.i = _HALF
