"""aten operators as MINDIR operators, one row each: inputs and attributes as MindSpore 2.10 writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._capture.graph.decompose import as_axes
from mindspore_compat._capture.graph.ir import Node, Value
from mindspore_compat.train._export._deploy import FAKE_QUANT_PARAM
from mindspore_compat.train._export._lower import Ref, Row, compare_dtype
from mindspore_compat.train._export._mindir_layers import (
    addmm,
    avg_pool,
    batch_norm,
    convolution,
    convolution_gradient,
    dropout,
    layer_norm,
    lstm_layer,
    matrix_product,
    max_pool,
    max_pool_gradient,
    resize,
)

__all__ = ["ROWS", "TYPE_IDS", "kept"]

#: MindSpore's numbers for dtypes, as Cast and Argmax take them.
TYPE_IDS = {
    torch.bool: 30,
    torch.int8: 32,
    torch.int16: 33,
    torch.int32: 34,
    torch.int64: 35,
    torch.uint8: 37,
    torch.float16: 42,
    torch.float32: 43,
    torch.float64: 44,
    torch.bfloat16: 45,
    torch.complex64: 48,
    torch.complex128: 49,
}

_UNARY = {
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "silu": "SiLU",
    "mish": "Mish",
    "hardswish": "HSwish",
    "hardsigmoid": "HSigmoid",
    "abs": "Abs",
    "neg": "Neg",
    "exp": "Exp",
    "log": "Log",
    "log1p": "Log1p",
    "expm1": "Expm1",
    "sqrt": "Sqrt",
    "rsqrt": "Rsqrt",
    "reciprocal": "Reciprocal",
    "square": "Square",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "asin": "Asin",
    "acos": "ACos",
    "atan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
    "erf": "Erf",
    "erfc": "Erfc",
    "floor": "Floor",
    "ceil": "Ceil",
    "trunc": "Trunc",
    "sign": "Sign",
    "isnan": "IsNan",
    "isinf": "IsInf",
    "isfinite": "IsFinite",
}
_BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "pow": "Pow",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "remainder": "FloorMod",
    "floor_divide": "FloorDiv",
    "atan2": "Atan2",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
}
_COMPARE = {"eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessEqual", "gt": "Greater", "ge": "GreaterEqual"}
_LOGICAL = {"logical_and": "LogicalAnd", "logical_or": "LogicalOr", "logical_xor": "LogicalXor"}
_REDUCE = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "amax": "ReduceMax",
    "amin": "ReduceMin",
    "any": "ReduceAny",
    "all": "ReduceAll",
}


def _unary(name: str) -> Row:
    return lambda e, a, n: e(
        name, e.operand(a.self, n.outputs[0].dtype if n.op not in ("isnan", "isinf", "isfinite") else a.self.dtype)
    )


def _binary(name: str) -> Row:
    """Both operands in the dtype of the result; MindSpore's loader promotes nothing."""

    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = n.outputs[0].dtype
        op = (
            {
                "BitwiseAnd": "LogicalAnd",
                "BitwiseOr": "LogicalOr",
                "BitwiseXor": "LogicalXor",
                "Mul": "LogicalAnd",
                "Add": "LogicalOr",
            }.get(name, name)
            if dtype is torch.bool
            else name
        )
        left, right = [getattr(a, key, None) for key in ("self", "exponent" if name == "Pow" else "other")]
        return e(op, e.operand(left, dtype), _scaled(e, right, getattr(a, "alpha", 1), dtype))

    return row


def _scaled(e: Any, item: Any, factor: Any, dtype: torch.dtype) -> Ref:
    return e.operand(item, dtype) if factor == 1 else e("Mul", e.operand(item, dtype), e.scalar(factor, dtype))


def _compare(name: str) -> Row:
    return lambda e, a, n: e(name, *[e.operand(item, compare_dtype(a.self, a.other)) for item in (a.self, a.other)])


def _as_bool(e: Any, value: Value) -> Ref:
    return e.ref(value) if value.dtype is torch.bool else e("NotEqual", value, e.scalar(0, value.dtype))


def _div(e: Any, a: Any, n: Node) -> Ref:
    dtype, mode = n.outputs[0].dtype, getattr(a, "rounding_mode", None)
    both = e.operand(a.self, dtype), e.operand(a.other, dtype)
    if mode == "floor":
        return e("FloorDiv", *both)
    if mode == "trunc" and not dtype.is_floating_point:
        return e.cast(e("Trunc", e("Div", e.cast(both[0], torch.float64), e.cast(both[1], torch.float64))), dtype)
    return e("Trunc", e("Div", *both)) if mode == "trunc" else e("Div", *both)


def _logical(name: str) -> Row:
    return lambda e, a, n: e(name, _as_bool(e, a.self), _as_bool(e, a.other))


def _reduce(name: str) -> Row:
    rest = (False,) if name == "ReduceSum" else ()  # skip_mode

    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = n.outputs[0].dtype
        x = (
            _as_bool(e, a.self)
            if dtype is torch.bool and name in ("ReduceAny", "ReduceAll")
            else e.operand(a.self, dtype)
        )
        if not a.self.ndim:
            return x
        return e(name, x, tuple(as_axes(getattr(a, "dim", None), a.self.ndim)), getattr(a, "keepdim", False), *rest)

    return row


def _extreme(op: str, reduce: str) -> Row:
    """``max`` and ``min``: of everything, or values and places along an axis."""

    def row(e: Any, a: Any, n: Node) -> Any:
        if not hasattr(a, "dim"):
            return e(reduce, a.self, tuple(range(a.self.ndim)), False)
        both = e(op, a.self, a.dim, a.keepdim)
        return e.item(both, 1), e.cast(e.item(both, 0), torch.int64)

    return row


def _arg_extreme(op: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        x, axis = (a.self, a.dim) if a.dim is not None else (e("Reshape", a.self, (-1,)), 0)
        result = e(op, x, axis, TYPE_IDS[torch.int64])
        return e("Reshape", result, n.outputs[0].shape) if a.keepdim else result

    return row


def _clamp(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    x = e.operand(a.self, dtype)
    if a.min is not None:
        x = e("Maximum", x, e.operand(a.min, dtype))
    return x if a.max is None else e("Minimum", x, e.operand(a.max, dtype))


def _hardtanh(e: Any, a: Any, n: Node) -> Ref:
    low, high, dtype = a.min_val, a.max_val, a.self.dtype
    return (
        e("ReLU6", a.self)
        if (low, high) == (0, 6)
        else e("Minimum", e("Maximum", a.self, e.scalar(low, dtype)), e.scalar(high, dtype))
    )


def _pad(e: Any, a: Any, n: Node) -> Ref:
    pads = [(0, 0)] * a.self.ndim
    for axis in range(len(a.pad) // 2):
        pads[a.self.ndim - 1 - axis] = (a.pad[2 * axis], a.pad[2 * axis + 1])
    if a.value == 0 and min(a.pad) >= 0:
        return e("Pad", a.self, paddings=tuple(pads))
    return e("PadV3", a.self, tuple(a.pad), e.scalar(a.value, a.self.dtype), mode="constant", paddings_contiguous=True)


def _slice(e: Any, a: Any, n: Node) -> Ref:
    taken = range(*slice(a.start, a.end, a.step).indices(a.self.shape[a.dim]))
    ndim, axis = a.self.ndim, a.dim % a.self.ndim
    begin, end, step = [0] * ndim, list(a.self.shape), [1] * ndim
    begin[axis], end[axis], step[axis] = taken.start, max(taken.stop, taken.start), a.step
    return e("StridedSlice", a.self, tuple(begin), tuple(end), tuple(step), 0, 0, 0, 0, 0)


def _select(e: Any, a: Any, n: Node) -> Ref:
    axis, shape = a.dim % a.self.ndim, a.self.shape
    begin, end = [0] * len(shape), list(shape)
    begin[axis] = a.index % shape[axis]
    end[axis] = begin[axis] + 1
    return e("StridedSlice", a.self, tuple(begin), tuple(end), (1,) * len(shape), 0, 0, 0, 0, 1 << axis)


def _transpose(e: Any, a: Any, n: Node) -> Ref:
    order = list(range(a.self.ndim))
    first, second = a.dim0 % a.self.ndim, a.dim1 % a.self.ndim
    order[first], order[second] = second, first
    return e("Transpose", a.self, tuple(order))


def _cat(e: Any, a: Any, n: Node) -> Ref:
    parts = [part for part in a.tensors if part.shape != (0,)]
    tensors = e("MakeTuple", *[e.operand(part, n.outputs[0].dtype) for part in parts])
    return e("Concat", tensors, a.dim % n.outputs[0].ndim)


def _stack(e: Any, a: Any, n: Node) -> Ref:
    tensors = e("MakeTuple", *[e.operand(part, n.outputs[0].dtype) for part in a.tensors])
    return e("Stack", tensors, axis=a.dim % n.outputs[0].ndim, num=len(a.tensors))


def _repeat(e: Any, a: Any, n: Node) -> Ref:
    missing = len(a.repeats) - a.self.ndim
    x = e("Reshape", a.self, (1,) * missing + a.self.shape) if missing else a.self
    return e("Tile", x, tuple(a.repeats))


def _cast(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    return _as_bool(e, a.self) if dtype is torch.bool else e.cast(a.self, dtype)


def _where(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    return e("Select", _as_bool(e, a.condition), e.operand(a.self, dtype), e.operand(a.other, dtype))


def _topk(e: Any, a: Any, n: Node) -> Any:
    """Along the last axis, the largest first; others are turned into that while tracing."""
    both = e("TopK", a.self, a.k, sorted=bool(a.sorted))
    return e.item(both, 0), e.cast(e.item(both, 1), torch.int64)


def _sort(e: Any, a: Any, n: Node) -> Any:
    both = e("Sort", a.self, axis=a.dim, descending=bool(a.descending))
    return e.item(both, 0), e.cast(e.item(both, 1), torch.int64)


ROWS: dict[str, Row] = {
    **{op: _unary(name) for op, name in _UNARY.items()},
    **{op: _binary(name) for op, name in _BINARY.items()},
    **{op: _compare(name) for op, name in _COMPARE.items()},
    **{op: _logical(name) for op, name in _LOGICAL.items()},
    **{op: _reduce(name) for op, name in _REDUCE.items()},
    "logical_not": lambda e, a, n: e("LogicalNot", _as_bool(e, a.self)),
    "bitwise_not": lambda e, a, n: (
        e("LogicalNot", a.self) if a.self.dtype is torch.bool else e("Sub", e.scalar(-1, a.self.dtype), a.self)
    ),
    "round": lambda e, a, n: e("Round", a.self, 0),
    "rsub": lambda e, a, n: e(
        "Sub", e.operand(a.other, n.outputs[0].dtype), _scaled(e, a.self, a.alpha, n.outputs[0].dtype)
    ),
    "div": _div,
    "clamp": _clamp,
    "to": _cast,
    "where": _where,
    "max": _extreme("ArgMaxWithValue", "ReduceMax"),
    "min": _extreme("ArgMinWithValue", "ReduceMin"),
    "argmax": _arg_extreme("Argmax"),
    "argmin": _arg_extreme("Argmin"),
    "cumsum": lambda e, a, n: e("CumSum", e.operand(a.self, n.outputs[0].dtype), a.dim, False, False),
    "mm": lambda e, a, n: matrix_product(e, a.self, a.mat2),
    "bmm": lambda e, a, n: matrix_product(e, a.self, a.mat2, True),
    "addmm": addmm,
    "convolution": convolution,
    "native_batch_norm": batch_norm,
    "native_layer_norm": layer_norm,
    "max_pool2d_with_indices": max_pool,
    "max_pool3d_with_indices": max_pool,
    "avg_pool2d": avg_pool,
    "avg_pool3d": avg_pool,
    "_softmax": lambda e, a, n: e("Softmax", e.operand(a.self, n.outputs[0].dtype), (a.dim,)),
    "_log_softmax": lambda e, a, n: e("LogSoftmax", e.operand(a.self, n.outputs[0].dtype), a.dim),
    "gelu": lambda e, a, n: e("GeLU", a.self),
    "hardtanh": _hardtanh,
    "elu": lambda e, a, n: e("Elu", a.self, 1.0),
    "view": lambda e, a, n: e("Reshape", a.self, tuple(a.size)),
    "squeeze": lambda e, a, n: e("Reshape", a.self, n.outputs[0].shape),
    "unsqueeze": lambda e, a, n: e("ExpandDims", a.self, a.dim),
    "expand": lambda e, a, n: e("BroadcastTo", a.self, tuple(a.size)),
    "permute": lambda e, a, n: e("Transpose", a.self, tuple(axis % a.self.ndim for axis in a.dims)),
    "transpose": _transpose,
    "repeat": _repeat,
    "slice": _slice,
    "select": _select,
    "cat": _cat,
    "stack": _stack,
    "flip": lambda e, a, n: e("ReverseV2", a.self, tuple(axis % a.self.ndim for axis in a.dims)),
    "constant_pad_nd": _pad,
    "embedding": lambda e, a, n: e("Gather", a.weight, a.indices, 0, 0),
    "index_select": lambda e, a, n: e("Gather", a.self, a.index, a.dim, 0),
    "gather": lambda e, a, n: e("GatherD", a.self, a.dim, a.index),
    "scatter": lambda e, a, n: e("TensorScatterElements", a.self, a.index, a.src, a.dim, 0),
    "scatter_add": lambda e, a, n: e("TensorScatterElements", a.self, a.index, a.src, a.dim, 1),
    "grid_sampler_2d": lambda e, a, n: e(
        "GridSampler2D", a.input, a.grid, a.interpolation_mode, a.padding_mode, a.align_corners
    ),
    "cumprod": lambda e, a, n: e("CumProd", e.operand(a.self, n.outputs[0].dtype), a.dim, False, False),
    "max_pool2d_with_indices_backward": max_pool_gradient,
    "convolution_backward": convolution_gradient,
    "lstm_layer": lstm_layer,
    "topk": _topk,
    "sort": _sort,
    "native_dropout": dropout,
    FAKE_QUANT_PARAM: lambda e, a, n: (e("FakeQuantParam", a.self), None),
    "upsample_nearest2d": resize("ResizeNearestNeighborV2"),
    "upsample_bilinear2d": resize("ResizeBilinearV2"),
}


def _plain_pool(a: dict[str, Any]) -> bool:
    return len(a["kernel_size"]) > 1 and not (any(a["padding"]) or a["ceil_mode"] or a.get("divisor_override"))


#: Forms that MINDIR has; the operator's other forms are taken apart.
_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "max_pool2d_with_indices_backward": lambda a: _plain_pool(a),
    "convolution_backward": lambda a: a["weight"].dim() == 4 and not a["transposed"],
    "gelu": lambda a: a["approximate"] == "tanh",
    "elu": lambda a: (a["alpha"], a["scale"], a["input_scale"]) == (1, 1, 1),
    "topk": lambda a: a["largest"] and a["dim"] in (-1, a["self"].dim() - 1),
    "scatter": lambda a: not a.get("reduce") and a.get("src") is not None and a["src"].shape == a["index"].shape,
    "scatter_add": lambda a: a["src"].shape == a["index"].shape,
    "grid_sampler_2d": lambda a: a["interpolation_mode"] < 2,
    "native_batch_norm": lambda a: not a["training"],
    "convolution": lambda a: a["weight"].dim() > 3,
    "max_pool2d_with_indices": _plain_pool,
    "max_pool3d_with_indices": _plain_pool,
    "avg_pool2d": _plain_pool,
    "avg_pool3d": _plain_pool,
}


def kept(op: str, arguments: dict[str, Any]) -> bool:
    """Whether MINDIR has the operator in the form that these arguments ask for."""
    return op in ROWS and (op not in _FORMS or _FORMS[op](arguments))
