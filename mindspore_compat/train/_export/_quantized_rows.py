"""torch's fake-quantize operators as ONNX's QuantizeLinear and DequantizeLinear; weights as int8, biases of integer
layers as int32 initializers.

Runtimes turn the pairs around a layer into one that computes in integers.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._graph.export.ir import Node, Value, refuse
from mindspore_compat._tensor.wrapping import plain
from mindspore_compat.train._export._deploy import FAKE, is_fake
from mindspore_compat.train._export._lower import Ref, Row

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
