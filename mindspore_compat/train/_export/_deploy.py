"""Quantization-aware networks in deployed form: weights on their grid with the batch norm folded in, fixed ranges.

`deployed` makes the Cell to trace, in which torch's fake-quantize operators mark integer computations; the other
functions prepare the traced graph for a format. ONNX gets pairs of QuantizeLinear and DequantizeLinear
(`_quantized_rows`), MINDIR floats and FakeQuantParam (docs/quant.md).

torch's fake-quantize operators as ONNX's QuantizeLinear and DequantizeLinear; weights as int8, biases of integer
layers as int32 initializers.

Runtimes turn the pairs around a layer into one that computes in integers.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch

from mindspore_compat._graph.export.ir import INPUT, RESULT, Graph, Node, Value, refuse
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer.quant import FakeQuantWithMinMaxObserver
from mindspore_compat.train._export._lower import Ref, Row, untransposed

FAKE = frozenset({"fake_quantize_per_tensor_affine_cachemask", "fake_quantize_per_channel_affine_cachemask"})
#: The node written by `mindir_graph`, and the offset of unsigned types in QuantDtype.
FAKE_QUANT_PARAM, _UNSIGNED = "fake_quant_param", 100
#: If all values are 0, any scale is correct; a small one preserves an int32 bias's precision.
_TINY_WEIGHT, _TINY_RANGE = 2.0**-20, 2.0**-40
#: Operators with results on the grid of their input.
_SAME_GRID = frozenset(
    "relu view permute transpose squeeze unsqueeze slice flip select expand max_pool2d_with_indices".split()
)
#: Activations as they are traced, by MindSpore's classes.
_ACTIVATIONS = {
    "relu": "ReLU",
    "hardtanh": "ReLU6",
    "sigmoid": "Sigmoid",
    "leaky_relu": "LeakyReLU",
    "hardswish": "HSwish",
    "hardsigmoid": "HSigmoid",
}


def _values(tensor: Any) -> torch.Tensor:
    return plain(tensor).detach().clone()


class _Rounding(Cell):
    """Rounding to a fixed grid: per tensor, or for each channel along ``axis``."""

    def _set_grid(
        self, observer: Any, scale: torch.Tensor, zero: torch.Tensor, lowest: int, highest: int, axis: int, tiny: float
    ) -> None:
        scale, zero = torch.where(scale == 0, tiny, scale), zero.to(torch.int32)
        self.__dict__.update(
            observer=observer,
            scale=scale,
            zero=zero,
            lowest=lowest,
            highest=highest,
            axis=axis,
            _cast_dtype=observer._cast_dtype,
        )

    def _round(self, x: Any) -> Any:
        if self.scale.numel() == 1:
            return torch.fake_quantize_per_tensor_affine(
                x, float(self.scale), int(self.zero), self.lowest, self.highest
            )
        return torch.fake_quantize_per_channel_affine(
            x, self.scale, self.zero, self.axis % x.dim(), self.lowest, self.highest
        )


class RoundedResult(_Rounding):
    """Replacement of an observer of results."""

    def __init__(self, observer: FakeQuantWithMinMaxObserver) -> None:
        super().__init__()
        scale, zero, lowest, highest = observer.grid()
        self._set_grid(observer, _values(scale), _values(zero), lowest, highest, observer.channel_axis, _TINY_RANGE)

    def construct(self, x: Any) -> Any:
        return self._round(x)


class IntegerLayer(_Rounding):
    """Replacement of a layer with rounded weights: whole numbers around 0 in the range of int8."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        index, (scale, zero, lowest, highest), bias = layer.integers()
        index, scale, zero = _values(index), _values(scale), _values(zero)
        middle = 0 if lowest < 0 else (highest + 1) // 2
        self._set_grid(
            layer.fake_quant_weight, scale, zero - middle, lowest - middle, highest - middle, 0, _TINY_WEIGHT
        )
        shape = (-1,) + (1,) * (index.dim() - 1)
        weight = (index - zero.reshape(shape)) * scale.reshape(shape)
        self.weight = Parameter(weight, name=layer.weight.name, requires_grad=False)
        name = layer.weight.name
        self.bias = (
            None
            if bias is None
            else Parameter(_values(bias), name=name[: name.rindex("weight")] + "bias", requires_grad=False)
        )
        self.__dict__["layer"] = layer  # no child: its parameters are not part of the file

    def construct(self, x: Any) -> Any:
        return self.layer.core(x, self._round(self.weight), self.bias)


def deployed(network: Cell) -> Cell:
    """Return a copy of ``network`` for inference.

    Raises:
        ValueError: if nothing in it is quantized.
    """
    if isinstance(network, FakeQuantWithMinMaxObserver) or hasattr(network, "integers"):
        raise ValueError(f"For 'export', a lone {type(network).__name__} must be in a Cell, e.g. nn.SequentialCell.")
    made = copy.deepcopy(network)
    made.set_train(False)
    if not _replace(made, {}):
        raise ValueError(
            f"For 'export', nothing in {type(network).__name__} is quantized: leave 'quant_mode' out, or make it by "
            "convert_quant_network, QuantizationAwareTraining or layers of nn.layer.quant."
        )
    return made


def _replace(cell: Cell, done: dict[int, Cell]) -> int:
    """Return how many children were replaced; a shared one gets one replacement."""
    count = 0
    for name, child in list(cell._modules.items()):
        if isinstance(child, FakeQuantWithMinMaxObserver) or hasattr(child, "integers"):
            if id(child) not in done:
                done[id(child)] = (
                    RoundedResult(child) if isinstance(child, FakeQuantWithMinMaxObserver) else IntegerLayer(child)
                )
            cell._exchange_child(name, done[id(child)])
            count += 1
        elif isinstance(child, Cell):
            count += _replace(child, done)
    return count


# --- the traced graph -------------------------------------------------------------------------------------------------


def fake_of(value: Any) -> Node | None:
    """Return the fake-quantize operator that computes the Value."""
    return value.node if isinstance(value, Value) and value.node is not None and value.node.op in FAKE else None


def is_fake(value: Any) -> bool:
    """Return whether the Value is the result of a fake-quantize operator."""
    return fake_of(value) is not None


def weight_of(node: Node) -> tuple[Value, str] | None:
    """Return (the rounded weight, the name of the other factor's argument) of a convolution or product in integers;
    else None.
    """
    if node.op == "convolution":
        weight, key = node.args["weight"], "input"
    elif node.op in ("addmm", "mm"):
        weight, key = untransposed(node.args["mat2"])[0], "mat1" if node.op == "addmm" else "self"
    else:
        return None
    return (weight, key) if is_fake(weight) and weight.node.args["self"].data is not None else None


def _origin(value: Value) -> tuple[Value, bool]:
    """Return (the Value that defines the grid of ``value``, whether operators are between)."""
    between = False
    while value.node is not None and (
        value.node.op in _SAME_GRID or (value.node.op == "constant_pad_nd" and value.node.args["value"] == 0)
    ):
        value, between = value.node.args["self"], True
    return value, between


def _input_grid(mean: float, std_dev: float) -> dict[str, Any]:
    if not 0 < std_dev < math.inf:
        raise ValueError(f"For 'export', the 'std_dev' must be a number above 0, but got {std_dev}.")
    if not 0 <= mean <= 255:
        raise ValueError(f"For 'export', the 'mean' of pixels must lie between 0 and 255, but got {mean}.")
    return {"scale": 1 / std_dev, "zero_point": round(mean), "quant_min": 0, "quant_max": 255}


def requantized(graph: Graph, mean: float, std_dev: float) -> tuple[Graph, list[str]]:
    """Round the input of each integer layer, and the graph's inputs: again if operators stand between it and its
    rounding, which changes nothing.

    Returns: the graph, and the places of layers whose input is not rounded, which stay in floats.

    Raises:
        TypeError, ValueError: for a wrong ``mean`` or ``std_dev``.
    """
    entry = _input_grid(mean, std_dev)
    made: dict[int, Value] = {}
    left = []
    for node in list(graph.nodes):
        found = weight_of(node)
        if found is None:
            continue
        holder, key = node, found[1]
        before = node.args[key].node
        if before is not None and before.op == "constant_pad_nd" and before.args["value"] == 0:
            holder, key = before, "self"  # the padding stays beside the convolution, which absorbs it
        value = holder.args[key]
        origin, between = _origin(value)
        fake = fake_of(origin)
        if fake is not None and fake.args["self"].data is None:
            arguments, scope = {key: item for key, item in fake.args.items() if key != "self"}, fake.scope
            if not between or "axis" in arguments:
                continue
        elif origin.kind == INPUT and origin.dtype is torch.float32:
            arguments, scope = entry, ""
        else:
            left.append(node.scope)
            continue
        if id(value) not in made:
            again = Node("fake_quantize_per_tensor_affine_cachemask", {"self": value, **arguments}, scope=scope)
            made[id(value)] = Value(RESULT, value.shape, value.dtype, node=again)
            again.outputs = [made[id(value)], Value(RESULT, value.shape, torch.bool, node=again, index=1)]
            graph.nodes.insert(graph.nodes.index(value.node) + 1 if value.node is not None else 0, again)
        holder.args[key] = made[id(value)]
    return graph, left


class Sequence(list):
    """List of numbers in MINDIR, where others are tuples."""


def mindir_graph(graph: Graph, net: Cell, mean: float, std_dev: float) -> Graph:
    """Return the graph with FakeQuantParam, which passes its input on and holds type, scale and zero point, in place of
    the fake-quantize operators; and with the ranges in attributes of the operators around, as in MindSpore 1.x.
    """
    observers = {
        f"{path}-{type(cell).__name__}" if path else type(cell).__name__: cell.observer
        for path, cell in net.cells_and_names()
        if isinstance(cell, _Rounding)
    }
    for node in graph.nodes:
        if node.op in FAKE and node.args["self"].data is None and node.scope in observers:
            _mark_output(node.args["self"].node, observers[node.scope])
    for node in graph.nodes:
        found = weight_of(node)
        if found is not None:
            _mark_layer(node, found, observers, mean, std_dev)
    for node in graph.nodes:
        if node.op in FAKE:
            node.attributes = _fake_quant_param(node.args, observers.get(node.scope))
            node.op, node.args = FAKE_QUANT_PARAM, {"self": node.args["self"]}
    return graph


def _fake_quant_param(args: dict[str, Any], observer: Any) -> dict[str, Any]:
    """Return the attributes of ``FakeQuantParam.linear_quant_param``; signed numbers if the range is not learned, as in
    1.x.
    """
    bits = 8 if observer is None else observer.num_bits
    signed = args["quant_min"] < 0 or observer is None or observer.mode == "DEFAULT"
    shift = 2 ** (bits - 1) if signed and args["quant_min"] >= 0 else 0
    per_channel = "axis" in args
    scales = plain(args["scale"].data).tolist() if per_channel else [args["scale"]]
    zeros = plain(args["zero_point"].data).tolist() if per_channel else [args["zero_point"]]
    return {
        "quant_algo_name": "linear_quant_algo",
        "is_per_channel": per_channel,
        "quant_dtype": bits - 1 + (0 if signed else _UNSIGNED),
        "linear_quant_scale": Sequence(map(float, scales)),
        "linear_quant_zero_point": Sequence(int(zero) - shift for zero in zeros),
        "narrow_range": bool(observer is not None and observer.narrow_range),
    }


def _range(observer: Any, prefix: str) -> dict[str, Any]:
    low, high = _values(observer.minq), _values(observer.maxq)
    if observer.mode == "LEARNED_SCALE":
        low, high = torch.zeros_like(low) if observer.neg_trunc else -torch.abs(high), torch.abs(high)
    return {f"{prefix}_maxq": high, f"{prefix}_minq": low}


def _mark_output(node: Node | None, observer: Any) -> None:
    """Mark the operator that makes the values, and for an activation also the layer before it."""
    if node is None:
        return
    marks = {**_range(observer, "output"), "output_narrow_range": torch.tensor(observer.narrow_range)}
    node.attributes.update(marks)
    if node.op in _ACTIVATIONS:
        before = node.args["self"].node
        if before is not None and weight_of(before) is not None:
            before.attributes.update({**marks, "activation_name": _ACTIVATIONS[node.op]})


def _mark_layer(node: Node, found: tuple[Value, str], observers: dict[str, Any], mean: float, std_dev: float) -> None:
    weight, key = found
    assert weight.node is not None
    observer = observers[weight.node.scope]
    bits = 8
    fake = fake_of(_origin(node.args[key])[0])
    if fake is not None and fake.scope in observers:
        before = observers[fake.scope]
        bits = before.num_bits
        node.attributes.update({**_range(before, "input"), "input_narrow_range": torch.tensor(before.narrow_range)})
    elif fake is not None:  # the network's input
        node.attributes.update(mean=torch.tensor(float(mean)), std_dev=torch.tensor(float(std_dev)))
    node.attributes.update(
        {
            **_range(observer, "filter"),
            "symmetric": torch.tensor(observer.symmetric),
            "act_num_bits": torch.tensor(bits),
            "weight_num_bits": torch.tensor(observer.num_bits),
            "weight_narrow_range": torch.tensor(observer.narrow_range),
        }
    )


_INT32_MAX = 2**31 - 1


def _grid(args: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor, dict[str, int]]:
    """Return scale and zero point, 0-d or one for each channel, and the attribute that names the axis."""
    if "axis" not in args:
        return torch.tensor(args["scale"], dtype=torch.float32), torch.tensor(args["zero_point"]), {}
    return plain(args["scale"].data).to(torch.float32), plain(args["zero_point"].data), {"axis": args["axis"]}


def _storage(args: dict[str, Any], node: Node) -> torch.dtype:
    low, high = args["quant_min"], args["quant_max"]
    for dtype in (torch.uint8, torch.int8):
        info = torch.iinfo(dtype)
        if info.min <= low and high <= info.max:
            return dtype
    raise refuse(
        f"whole numbers from {low} to {high} do not fit into 8 bits, and have no counterpart in ONNX", node.scope
    )


def _row(e: Any, a: Any, n: Node) -> Any:
    args = n.args
    (scale, zero, axis), value = _grid(args), args["self"]
    if value.dtype is not torch.float32:
        raise refuse(f"rounding of {value.dtype} has no counterpart in ONNX, which takes float32", n.scope)
    dtype = torch.int8 if value.data is not None and args["quant_max"] < 128 else _storage(args, n)
    scale_ref, zero_ref = e.constant(scale), e.constant(zero.to(dtype))
    if value.data is not None:
        shape = [-1 if position == axis.get("axis") else 1 for position in range(value.ndim)] if axis else []
        index = torch.round(plain(value.data) / scale.reshape(shape)) + zero.reshape(shape)
        whole = e.initializer(
            e.fresh(f"{value.name or 'constant'}_quantized"),
            torch.clamp(index, args["quant_min"], args["quant_max"]).to(dtype),
        )
        return e("DequantizeLinear", whole, scale_ref, zero_ref, **axis), None

    def pair(x: Any) -> Ref:
        return e("DequantizeLinear", e("QuantizeLinear", x, scale_ref, zero_ref, **axis), scale_ref, zero_ref, **axis)

    info, result = torch.iinfo(dtype), pair(value)
    if (args["quant_min"], args["quant_max"]) != (
        info.min,
        info.max,
    ):  # QuantizeLinear itself clips only at its type's limits
        if axis:
            raise refuse(
                "a grid for each channel of a result, narrower than its type, has no counterpart in ONNX", n.scope
            )
        low, high = ((args[name] - int(zero)) * float(scale) for name in ("quant_min", "quant_max"))
        result = pair(
            e("Clip", result, e.scalar(low, torch.float32), e.scalar(high, torch.float32))
        )  # after a pair, which the layer before needs
    return result, None


def bias_of(e: Any, bias: Any, x: Any, weight: Any) -> Any:
    """Return the bias of a layer: for an integer layer an int32 initializer, in steps of the product's scale."""
    if not (
        isinstance(bias, Value)
        and bias.data is not None
        and is_fake(weight)
        and weight.node.args["self"].data is not None
    ):
        return bias
    if x.node is not None and x.node.op == "constant_pad_nd":
        x = x.node.args["self"]
    if not is_fake(x) or "axis" in x.node.args:
        return bias
    scale = _grid(weight.node.args)[0] * _grid(x.node.args)[0]
    whole = torch.round(plain(bias.data).to(torch.float64) / scale.to(torch.float64))
    if bool(torch.any(torch.abs(whole) > _INT32_MAX)):
        return bias  # in floats it is correct, only slower
    data = e.initializer(e.fresh(f"{bias.name or 'bias'}_quantized"), whole.to(torch.int32))
    zero = torch.zeros(scale.shape, dtype=torch.int32)
    return e("DequantizeLinear", data, e.constant(scale), e.constant(zero), **({"axis": 0} if scale.ndim else {}))


QUANTIZED_ROWS: dict[str, Row] = dict.fromkeys(FAKE, _row)
