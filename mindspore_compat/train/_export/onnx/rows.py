"""aten operators as operators of ONNX opset 11 (and 13, for quantized values), one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._format.proto.onnx import DataType
from mindspore_compat._graph.export.decompose import as_axes
from mindspore_compat._graph.export.ir import Node
from mindspore_compat.train._export._deploy import QUANTIZED_ROWS, bias_of, is_fake
from mindspore_compat.train._export._lower import (
    Ref,
    Row,
    compare_dtype,
    pools_batches,
    scaled,
    spatial_pads,
    untransposed,
)


def convolution(e: Any, a: Any, n: Node) -> Ref:
    spatial = a.weight.ndim - 2
    x, pads = (a.input, [(0, 0)] * spatial) if a.transposed else spatial_pads(a.input, spatial)
    sides = [
        [before + pad for (before, _), pad in zip(pads, a.padding)],
        [after + pad for (_, after), pad in zip(pads, a.padding)],
    ]
    attributes = {
        "kernel_shape": a.weight.shape[2:],
        "strides": a.stride,
        "pads": sides[0] + sides[1],
        "dilations": a.dilation,
        "group": a.groups,
    }
    if a.transposed:
        return e("ConvTranspose", x, a.weight, a.bias, output_padding=a.output_padding, **attributes)
    return e("Conv", x, a.weight, bias_of(e, a.bias, a.input, a.weight), **attributes)


def batch_norm(e: Any, a: Any, n: Node) -> Any:
    count, dtype = a.running_mean.shape[0], a.running_mean.dtype
    gamma = a.weight if a.weight is not None else e.constant(torch.ones(count, dtype=dtype))
    beta = a.bias if a.bias is not None else e.constant(torch.zeros(count, dtype=dtype))
    return (e("BatchNormalization", a.input, gamma, beta, a.running_mean, a.running_var, epsilon=float(a.eps)),)


def pool(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Any:
        spatial = len(a.kernel_size)
        pads = list(a.padding) * (spatial if len(a.padding) == 1 else 1)
        extra = (
            {"dilations": list(a.dilation) * (spatial if len(a.dilation) == 1 else 1)}
            if name == "MaxPool"
            else {"count_include_pad": a.count_include_pad}
        )
        result = e(name, a.self, kernel_shape=a.kernel_size, strides=a.stride or a.kernel_size, pads=pads * 2, **extra)
        return (result,) if name == "MaxPool" else result

    return row


def softmax(name: str) -> Row:
    """Return the row of a softmax. Opset 11 merges all axes from the given one on, so that has to be the last."""

    def row(e: Any, a: Any, n: Node) -> Ref:
        x, ndim = e.operand(a.self, n.outputs[0].dtype), a.self.ndim
        if not ndim or a.dim % ndim == ndim - 1:
            return e(name, x, axis=max(ndim - 1, 0))
        order = list(range(ndim))
        order[a.dim % ndim], order[-1] = order[-1], order[a.dim % ndim]
        return e("Transpose", e(name, e("Transpose", x, perm=order), axis=ndim - 1), perm=order)

    return row


def resize(mode: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        coordinates = (
            "asymmetric" if mode == "nearest" else "align_corners" if a.align_corners else "pytorch_half_pixel"
        )
        empty = e.constant(torch.zeros(0))
        return e(
            "Resize",
            a.self,
            empty,
            empty,
            n.outputs[0].shape,
            mode=mode,
            nearest_mode="floor",
            coordinate_transformation_mode=coordinates,
        )

    return row


def recurrent(name: str, order: list[int], **attributes: Any) -> Row:
    """Return the row of a recurrent layer. ONNX has one more axis, for directions, and another order of gates."""

    def row(e: Any, a: Any, n: Node) -> Any:
        size = a.w_hh.shape[1]
        rows = torch.tensor([place * size + row for place in order for row in range(size)])

        def sorted_rows(item: Any) -> Ref:
            return e("Gather", item, e.constant(rows), axis=0) if order != [0] else e.ref(item)

        bias = e("Concat", sorted_rows(a.b_ih), sorted_rows(a.b_hh), axis=0) if hasattr(a, "b_ih") else None
        weights = [
            e("Unsqueeze", item, axes=[0]) if item is not None else None
            for item in (sorted_rows(a.w_ih), sorted_rows(a.w_hh), bias)
        ]
        starts = [e("Unsqueeze", item, axes=[0]) for item in ([a.h, a.c] if hasattr(a, "c") else [a.h])]
        found = e(name, a.x, *weights, None, *starts, results=1 + len(starts), hidden_size=size, **attributes)
        return (e("Squeeze", found[0], axes=[1]), *[e("Squeeze", item, axes=[0]) for item in found[1:]])

    return row


DATA_TYPES = {
    torch.float32: DataType.FLOAT,
    torch.uint8: DataType.UINT8,
    torch.int8: DataType.INT8,
    torch.int16: DataType.INT16,
    torch.int32: DataType.INT32,
    torch.int64: DataType.INT64,
    torch.bool: DataType.BOOL,
    torch.float16: DataType.FLOAT16,
    torch.float64: DataType.DOUBLE,
}
_LAST = -(2**31)

_UNARY = {
    name.lower(): name
    for name in (
        "Relu Sigmoid Tanh Abs Neg Exp Log Sqrt Reciprocal Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh "
        "Atanh Erf Floor Ceil Round Sign"
    ).split()
}
_BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "pow": "Pow",
    "maximum": "Max",
    "minimum": "Min",
    "bitwise_and": "And",
    "bitwise_or": "Or",
    "bitwise_xor": "Xor",
}
_COMPARE = {
    "eq": ("Equal", False),
    "ne": ("Equal", True),
    "lt": ("Less", False),
    "ge": ("Less", True),
    "gt": ("Greater", False),
    "le": ("Greater", True),
}  # and whether the opposite is meant
_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
_REDUCE = {"sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "amax": "ReduceMax", "amin": "ReduceMin"}


def _as_bool(e: Any, value: Any) -> Ref:
    return e.cast(value, torch.bool) if value.dtype is not torch.bool else e.ref(value)


def _unary(name: str) -> Row:
    return lambda e, a, n: e(name, e.operand(a.self, n.outputs[0].dtype))


def _logical(name: str) -> Row:
    return lambda e, a, n: e(name, _as_bool(e, a.self), _as_bool(e, a.other))


def _binary(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = n.outputs[0].dtype
        op = {"Mul": "And", "Add": "Or"}.get(name, name) if dtype is torch.bool else name
        right = a.exponent if name == "Pow" else a.other
        return e(op, e.operand(a.self, dtype), scaled(e, right, getattr(a, "alpha", 1), dtype))

    return row


def _compare(name: str, opposite: bool) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = compare_dtype(a.self, a.other)
        if dtype is torch.bool and name != "Equal":
            dtype = torch.int32
        result = e(name, e.operand(a.self, dtype), e.operand(a.other, dtype))
        return e("Not", result) if opposite else result

    return row


def _reduce(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        x = e.operand(a.self, n.outputs[0].dtype)
        if not a.self.ndim:
            return x
        axes, keepdims = as_axes(getattr(a, "dim", None), a.self.ndim), getattr(a, "keepdim", False)
        if name == "ReduceSum" and e.opset >= 13:
            return e(name, x, tuple(axes), keepdims=keepdims)
        return e(name, x, axes=axes, keepdims=keepdims)

    return row


def _logical_reduce(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        x = e.cast(_as_bool(e, a.self), torch.int32)
        axes = as_axes(getattr(a, "dim", None), a.self.ndim)
        return e.cast(e(name, x, axes=axes, keepdims=getattr(a, "keepdim", False)) if axes else x, torch.bool)

    return row


def _extreme(arg: str, reduce: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Any:
        if not hasattr(a, "dim"):
            return e(reduce, a.self, axes=range(a.self.ndim), keepdims=False) if a.self.ndim else e.ref(a.self)
        return e(reduce, a.self, axes=[a.dim % a.self.ndim], keepdims=a.keepdim), e(
            arg, a.self, axis=a.dim, keepdims=a.keepdim
        )

    return row


def _arg_extreme(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        x, axis = (a.self, a.dim) if a.dim is not None else (e("Reshape", a.self, (-1,)), 0)
        result = e(name, x, axis=axis, keepdims=a.keepdim and a.dim is not None)
        return e("Reshape", result, n.outputs[0].shape) if a.keepdim and a.dim is None else result

    return row


def _div(e: Any, a: Any, n: Node) -> Ref:
    dtype, mode = n.outputs[0].dtype, getattr(a, "rounding_mode", None) if n.op == "div" else "floor"
    if mode is None:
        return e("Div", e.operand(a.self, dtype), e.operand(a.other, dtype))
    wide = dtype if dtype.is_floating_point else torch.float64
    quotient = e("Div", e.operand(a.self, wide), e.operand(a.other, wide))
    rounded = e("Floor", quotient) if mode == "floor" else e("Mul", e("Sign", quotient), e("Floor", e("Abs", quotient)))
    return rounded if wide is dtype else e.cast(rounded, dtype)


def _remainder(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    left, right = e.operand(a.self, dtype), e.operand(a.other, dtype)
    return (
        e("Sub", left, e("Mul", e("Floor", e("Div", left, right)), right))
        if dtype.is_floating_point
        else e("Mod", left, right)
    )


def _clamp(e: Any, a: Any, n: Node) -> Ref:
    dtype, limits = n.outputs[0].dtype, [getattr(a, key, None) for key in ("min", "max")]
    return e("Clip", e.operand(a.self, dtype), *[None if item is None else e.operand(item, dtype) for item in limits])


def _addmm(e: Any, a: Any, n: Node) -> Ref:
    (left, left_flag), (right, right_flag) = untransposed(a.mat1), untransposed(a.mat2)
    return e(
        "Gemm",
        left,
        right,
        bias_of(e, a.self, a.mat1, right),
        transA=left_flag,
        transB=right_flag,
        alpha=float(a.alpha),
        beta=float(a.beta),
    )


def _mm(e: Any, a: Any, n: Node) -> Ref:
    (weight, flag) = untransposed(a.mat2)
    return e("Gemm", a.self, weight, transB=flag) if is_fake(weight) else e("MatMul", a.self, a.mat2)


def _slice(e: Any, a: Any, n: Node) -> Ref:
    taken = range(*slice(a.start, a.end, a.step).indices(a.self.shape[a.dim]))
    return e("Slice", a.self, (taken.start,), (max(taken.stop, taken.start),), (a.dim % a.self.ndim,), (a.step,))


def _pad(e: Any, a: Any, n: Node) -> Ref:
    before, after = [0] * a.self.ndim, [0] * a.self.ndim
    for axis in range(len(a.pad) // 2):
        before[a.self.ndim - 1 - axis], after[a.self.ndim - 1 - axis] = a.pad[2 * axis], a.pad[2 * axis + 1]
    return e("Pad", a.self, tuple(before + after), e.scalar(a.value, a.self.dtype), mode="constant")


def _transpose(e: Any, a: Any, n: Node) -> Ref:
    order = list(range(a.self.ndim))
    first, second = a.dim0 % a.self.ndim, a.dim1 % a.self.ndim
    order[first], order[second] = second, first
    return e("Transpose", a.self, perm=order)


def _cat(e: Any, a: Any, n: Node) -> Ref:
    parts = [e.operand(part, n.outputs[0].dtype) for part in a.tensors if part.shape != (0,)]
    return e("Concat", *parts, axis=a.dim % n.outputs[0].ndim)


def _repeat(e: Any, a: Any, n: Node) -> Ref:
    missing = len(a.repeats) - a.self.ndim
    return e("Tile", e("Reshape", a.self, (1,) * missing + a.self.shape) if missing else a.self, tuple(a.repeats))


def _where(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    return e("Where", _as_bool(e, a.condition), e.operand(a.self, dtype), e.operand(a.other, dtype))


def _flip(e: Any, a: Any, n: Node) -> Ref:
    count = len(a.dims)
    return e("Slice", a.self, (-1,) * count, (_LAST,) * count, [axis % a.self.ndim for axis in a.dims], (-1,) * count)


def _reshaped(e: Any, a: Any, n: Node) -> Ref:
    return e("Reshape", a.self, n.outputs[0].shape)


ROWS: dict[str, Row] = {
    **{op: _unary(name) for op, name in _UNARY.items()},
    **{op: _binary(name) for op, name in _BINARY.items()},
    **{op: _compare(*names) for op, names in _COMPARE.items()},
    **{op: _logical(name) for op, name in _LOGICAL.items()},
    **{op: _reduce(name) for op, name in _REDUCE.items()},
    "any": _logical_reduce("ReduceMax"),
    "all": _logical_reduce("ReduceMin"),
    "logical_not": lambda e, a, n: e("Not", _as_bool(e, a.self)),
    "bitwise_not": lambda e, a, n: e("Not", a.self),
    "isnan": lambda e, a, n: e("IsNaN", a.self),
    "isinf": lambda e, a, n: e("IsInf", a.self),
    "rsub": lambda e, a, n: e(
        "Sub", e.operand(a.other, n.outputs[0].dtype), scaled(e, a.self, a.alpha, n.outputs[0].dtype)
    ),
    "div": _div,
    "floor_divide": _div,
    "remainder": _remainder,
    "clamp": _clamp,
    "where": _where,
    "to": lambda e, a, n: e.cast(a.self, n.outputs[0].dtype),
    "max": _extreme("ArgMax", "ReduceMax"),
    "min": _extreme("ArgMin", "ReduceMin"),
    "argmax": _arg_extreme("ArgMax"),
    "argmin": _arg_extreme("ArgMin"),
    "cumsum": lambda e, a, n: e("CumSum", e.operand(a.self, n.outputs[0].dtype), e.scalar(a.dim, torch.int64)),
    "mm": _mm,
    "bmm": lambda e, a, n: e("MatMul", a.self, a.mat2),
    "addmm": _addmm,
    "convolution": convolution,
    "native_batch_norm": batch_norm,
    "max_pool2d_with_indices": pool("MaxPool"),
    "max_pool3d_with_indices": pool("MaxPool"),
    "avg_pool2d": pool("AveragePool"),
    "avg_pool3d": pool("AveragePool"),
    "_softmax": softmax("Softmax"),
    "_log_softmax": softmax("LogSoftmax"),
    "elu": lambda e, a, n: e("Elu", a.self, alpha=float(a.alpha)),
    "leaky_relu": lambda e, a, n: e("LeakyRelu", a.self, alpha=float(a.negative_slope)),
    "_prelu_kernel": lambda e, a, n: e("PRelu", a.self, a.weight),
    "hardsigmoid": lambda e, a, n: e("HardSigmoid", a.self, alpha=1 / 6, beta=0.5),
    "hardtanh": lambda e, a, n: e("Clip", a.self, e.scalar(a.min_val, a.self.dtype), e.scalar(a.max_val, a.self.dtype)),
    "view": _reshaped,
    "squeeze": _reshaped,
    "unsqueeze": _reshaped,
    "expand": lambda e, a, n: e("Expand", a.self, tuple(a.size)),
    "permute": lambda e, a, n: e("Transpose", a.self, perm=[axis % a.self.ndim for axis in a.dims]),
    "transpose": _transpose,
    "repeat": _repeat,
    "slice": _slice,
    "cat": _cat,
    "constant_pad_nd": _pad,
    "select": lambda e, a, n: e(
        "Gather", a.self, e.scalar(a.index % a.self.shape[a.dim], torch.int64), axis=a.dim % a.self.ndim
    ),
    "flip": _flip,
    "embedding": lambda e, a, n: e("Gather", a.weight, a.indices, axis=0),
    "index_select": lambda e, a, n: e("Gather", a.self, a.index, axis=a.dim % a.self.ndim),
    "gather": lambda e, a, n: e("GatherElements", a.self, a.index, axis=a.dim % a.self.ndim),
    "scatter": lambda e, a, n: e("ScatterElements", a.self, a.index, a.src, axis=a.dim % a.self.ndim),
    "lstm_layer": recurrent("LSTM", [0, 3, 1, 2]),
    "gru_layer": recurrent("GRU", [1, 0, 2], linear_before_reset=1),
    "rnn_tanh_layer": recurrent("RNN", [0], activations=["Tanh"]),
    "rnn_relu_layer": recurrent("RNN", [0], activations=["Relu"]),
    "topk": lambda e, a, n: e("TopK", a.self, (a.k,), axis=a.dim, largest=a.largest, sorted=a.sorted, results=2),
    "sort": lambda e, a, n: e(
        "TopK", a.self, (a.self.shape[a.dim],), axis=a.dim, largest=a.descending, sorted=True, results=2
    ),
    "upsample_nearest2d": resize("nearest"),
    "upsample_bilinear2d": resize("linear"),
    **QUANTIZED_ROWS,
}


def _is_float(a: dict[str, Any]) -> bool:
    return a["self"].dtype.is_floating_point


#: Forms that ONNX has; the operator's other forms are decomposed.
_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "round": lambda a: not a.get("decimals") and _is_float(a),
    **dict.fromkeys(("ceil", "floor", "relu", "square"), _is_float),
    "pow": lambda a: any(
        item.dtype.is_floating_point if isinstance(item, torch.Tensor) else isinstance(item, float)
        for item in (a["self"], a["exponent"])
    ),
    "maximum": _is_float,
    "minimum": _is_float,
    "clamp": _is_float,
    "bitwise_and": lambda a: a["self"].dtype is torch.bool,
    "bitwise_or": lambda a: a["self"].dtype is torch.bool,
    "bitwise_xor": lambda a: a["self"].dtype is torch.bool,
    "bitwise_not": lambda a: a["self"].dtype is torch.bool,
    "elu": lambda a: (a["scale"], a["input_scale"]) == (1, 1),
    "native_batch_norm": lambda a: not a["training"],
    "scatter": lambda a: not a.get("reduce") and a.get("src") is not None and a["src"].shape == a["index"].shape,
    "avg_pool2d": lambda a: pools_batches(a) and not (a["ceil_mode"] or a["divisor_override"]),
    "avg_pool3d": lambda a: pools_batches(a) and not (a["ceil_mode"] or a["divisor_override"]),
    "max_pool2d_with_indices": lambda a: pools_batches(a) and not a["ceil_mode"],
    "max_pool3d_with_indices": lambda a: pools_batches(a) and not a["ceil_mode"],
}


def kept(op: str, arguments: dict[str, Any]) -> bool:
    """Return whether ONNX has the operator in the form of these arguments."""
    return op in ROWS and (op not in _FORMS or _FORMS[op](arguments))
