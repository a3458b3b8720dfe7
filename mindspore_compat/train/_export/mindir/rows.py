"""aten operators as MINDIR operators, one row each: inputs and attributes as in MindSpore 2.10."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.export.decompose import as_axes
from mindspore_compat._graph.export.ir import Node, Value, refuse
from mindspore_compat.train._export._deploy import FAKE_QUANT_PARAM, Sequence
from mindspore_compat.train._export._lower import (
    Ref,
    Row,
    compare_dtype,
    pools_batches,
    scaled,
    spatial_pads,
    untransposed,
)

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


def _abs(e: Any, a: Any, n: Node) -> Ref:
    return e("ComplexAbs", a.self) if a.self.dtype.is_complex else e("Abs", a.self)


def _computed_in(n: Node, right: Any) -> torch.dtype:
    """Return the dtype in which torch multiplies or divides: with 16-bit floats, a number on the right, or a 0-d tensor
    of a wider dtype, counts as float32, and only the result is rounded.
    """
    dtype = n.outputs[0].dtype
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) and _is_wider(right, dtype) else dtype


def _is_wider(item: Any, dtype: torch.dtype) -> bool:
    """Return whether a dtype cannot hold a number, or a tensor of another one, exactly."""
    if isinstance(item, Value):
        return item.dtype.is_floating_point and item.dtype is not dtype
    return isinstance(item, float) and torch.tensor(item, dtype=dtype).item() != item


def _binary(name: str) -> Row:
    """Return the row with both operands in the dtype of the result; MindSpore's loader promotes nothing."""

    def row(e: Any, a: Any, n: Node) -> Ref:
        right = getattr(a, "exponent" if name == "Pow" else "other", None)
        factor = getattr(a, "alpha", 1)
        dtype = _computed_in(n, right) if name == "Mul" else n.outputs[0].dtype
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
        result = e(op, e.operand(a.self, dtype), scaled(e, right, factor, dtype))
        return result if dtype is n.outputs[0].dtype else e.cast(result, n.outputs[0].dtype)

    return row


#: torch's computation for these exponents instead of powers
_POWERS: dict[float, Callable[[Any, Ref], Ref]] = {
    2.0: lambda e, x: e("Square", x),
    3.0: lambda e, x: e("Mul", e("Mul", x, x), x),
    0.5: lambda e, x: e("Sqrt", x),
    -0.5: lambda e, x: e("Rsqrt", x),
    -1.0: lambda e, x: e("Reciprocal", x),
    -2.0: lambda e, x: e("Reciprocal", e("Square", x)),
}


def _pow(e: Any, a: Any, n: Node) -> Ref:
    dtype, exponent = n.outputs[0].dtype, a.exponent
    if dtype.is_floating_point and isinstance(exponent, (int, float)) and exponent in _POWERS:
        return _POWERS[exponent](e, e.operand(a.self, dtype))
    return _binary("Pow")(e, a, n)


def _compare(name: str) -> Row:
    return lambda e, a, n: e(name, *[e.operand(item, compare_dtype(a.self, a.other)) for item in (a.self, a.other)])


def as_bool(e: Any, value: Value) -> Ref:
    return e.ref(value) if value.dtype is torch.bool else e("NotEqual", value, e.scalar(0, value.dtype))


def _div(e: Any, a: Any, n: Node) -> Ref:
    mode = getattr(a, "rounding_mode", None)
    dtype = n.outputs[0].dtype if mode else _computed_in(n, a.other)
    both = e.operand(a.self, dtype), e.operand(a.other, dtype)
    if mode == "floor":
        return e("FloorDiv", *both)
    if mode == "trunc" and not dtype.is_floating_point:
        return e.cast(e("Trunc", e("Div", e.cast(both[0], torch.float64), e.cast(both[1], torch.float64))), dtype)
    if mode == "trunc":
        return e("Trunc", e("Div", *both))
    return e("Div", *both) if dtype is n.outputs[0].dtype else e.cast(e("Div", *both), n.outputs[0].dtype)


def _logical(name: str) -> Row:
    return lambda e, a, n: e(name, as_bool(e, a.self), as_bool(e, a.other))


def _reduce(name: str) -> Row:
    rest = (False,) if name == "ReduceSum" else ()  # skip_mode

    def row(e: Any, a: Any, n: Node) -> Ref:
        dtype = n.outputs[0].dtype
        x = (
            as_bool(e, a.self)
            if dtype is torch.bool and name in ("ReduceAny", "ReduceAll")
            else e.operand(a.self, dtype)
        )
        if not a.self.ndim:
            return x
        axes = tuple(as_axes(getattr(a, "dim", None), a.self.ndim))
        if name == "ReduceProd" and not hasattr(a, "dim"):
            axes = ()  # of everything at once, not axis by axis
        return e(name, x, axes, getattr(a, "keepdim", False), *rest)

    return row


#: {aten's operator: its row}
ARITHMETIC: dict[str, Row] = {
    **{op: _unary(name) for op, name in _UNARY.items()},
    **{op: _binary(name) for op, name in _BINARY.items()},
    "abs": _abs,
    "pow": _pow,
    **{op: _compare(name) for op, name in _COMPARE.items()},
    **{op: _logical(name) for op, name in _LOGICAL.items()},
    **{op: _reduce(name) for op, name in _REDUCE.items()},
    "logical_not": lambda e, a, n: e("LogicalNot", as_bool(e, a.self)),
    "bitwise_not": lambda e, a, n: (
        e("LogicalNot", a.self) if a.self.dtype is torch.bool else e("Sub", e.scalar(-1, a.self.dtype), a.self)
    ),
    "round": lambda e, a, n: e("Round", a.self, 0),
    "rsub": lambda e, a, n: e(
        "Sub", e.operand(a.other, n.outputs[0].dtype), scaled(e, a.self, a.alpha, n.outputs[0].dtype)
    ),
    "div": _div,
}


#: MindSpore's numbers for the order of axes, by how many are convolved
_FORMATS = {2: 0, 3: 14}  # NCHW, NCDHW


def convolution(e: Any, a: Any, n: Node) -> Ref:
    if a.transposed:
        return _transposed_convolution(e, a, n)
    spatial = a.weight.ndim - 2
    x, pads = spatial_pads(a.input, spatial) if e.made_here(a.input) else (a.input, [(0, 0)] * spatial)
    pads = [(before + pad, after + pad) for (before, after), pad in zip(pads, a.padding)]
    kernel, stride, dilation = a.weight.shape[2:], tuple(a.stride), tuple(a.dilation)
    flat = tuple(side for pair in pads for side in pair)
    shared: dict[str, Any] = {
        "out_channel": a.weight.shape[0],
        "mode": 1,
        "pad_mode": "pad",
        "pad": flat,
        "pad_list": flat,
        "groups": a.groups,
        "group": a.groups,
    }
    steps, gaps = (1, 1, *stride), (1, 1, *dilation)
    of_3d = {"strides": steps, "dilations": gaps, "offset_x": 0} if spatial == 3 else {}
    name, layout = ("Conv3D", "NCDHW") if spatial == 3 else ("Conv2D", "NCHW")
    result = e(name, x, a.weight, kernel_size=kernel, stride=steps, dilation=gaps, format=layout, **of_3d, **shared)
    if a.bias is None:
        return result
    return e("BiasAdd", result, a.bias, _FORMATS[spatial])


def _transposed_convolution(e: Any, a: Any, n: Node) -> Ref:
    spatial, shape, pads = a.weight.ndim - 2, tuple(n.outputs[0].shape), tuple(pad for pad in a.padding for _ in "12")
    steps, gaps = (1, 1, *a.stride), (1, 1, *a.dilation)
    shared = {"kernel_size": a.weight.shape[2:], "mode": 1, "pad": pads, "pad_list": pads}
    shared |= {"groups": a.groups, "group": a.groups}
    if spatial == 2:
        shared |= {"out_channel": a.weight.shape[0], "pad_mode": "PAD", "stride": steps, "dilation": gaps}
        result = e("Conv2DTranspose", a.input, a.weight, shape, format="NCHW", **shared)
    elif spatial == 3:
        shared |= {"in_channel": a.weight.shape[0], "out_channel": shape[1], "pad_mode": "pad", "input_size": shape}
        shared |= {"stride": steps[2:], "strides": steps, "dilation": gaps[2:], "dilations": gaps, "format": "NCDHW"}
        result = e("Conv3DTranspose", a.input, a.weight, output_padding=(0, 0, *a.output_padding), **shared)
    else:
        raise refuse(f"a transposed convolution over {spatial} axes has no row in MINDIR", n.scope)
    return result if a.bias is None else e("BiasAdd", result, a.bias, _FORMATS[spatial])


def batch_norm(e: Any, a: Any, n: Node) -> Any:
    """Write the batch norm of evaluation; MindSpore's takes two or four axes."""
    shape, count = a.input.shape, a.running_mean.shape[0]
    gamma = a.weight if a.weight is not None else e.constant(torch.ones(count))
    beta = a.bias if a.bias is not None else e.constant(torch.zeros(count))
    x = a.input if len(shape) in (2, 4) else e("Reshape", a.input, (*shape[:2], math.prod(shape[2:]), 1))
    result = e.item(
        e("BatchNorm", x, gamma, beta, a.running_mean, a.running_var, False, float(a.eps), float(a.momentum), 0), 0
    )
    return (result if len(shape) in (2, 4) else e("Reshape", result, shape),)


def layer_norm(e: Any, a: Any, n: Node) -> Any:
    axis, shape = a.input.ndim - len(a.normalized_shape), tuple(a.normalized_shape)
    gamma = a.weight if a.weight is not None else e.constant(torch.ones(shape, dtype=a.input.dtype))
    beta = a.bias if a.bias is not None else e.constant(torch.zeros(shape, dtype=a.input.dtype))
    return (e.item(e("LayerNorm", a.input, gamma, beta, axis, axis, float(a.eps)), 0),)


def group_norm(e: Any, a: Any, n: Node) -> Any:
    gamma = a.weight if a.weight is not None else e.constant(torch.ones(a.C))
    beta = a.bias if a.bias is not None else e.constant(torch.zeros(a.C))
    result = e("GroupNorm", a.input, a.group, gamma, beta, float(a.eps))
    return tuple(e.item(result, number) for number in range(3))


def vector_norm(e: Any, a: Any, n: Node) -> Ref:
    axes = Sequence(as_axes(getattr(a, "dim", None), a.self.ndim))
    return e("LpNorm", a.self, axis=axes, p=2, keep_dims=bool(getattr(a, "keepdim", False)), epsilon=0.0)


def spread(e: Any, a: Any) -> Ref:
    """Return (standard deviation, mean)."""
    axes, correction = tuple(as_axes(getattr(a, "dim", None), a.self.ndim)), getattr(a, "correction", 1)
    return e("ReduceStd", a.self, axes, correction != 0, bool(getattr(a, "keepdim", False)))


def max_pool(e: Any, a: Any, n: Node) -> Any:
    kernel, stride = tuple(a.kernel_size), tuple(a.stride or a.kernel_size)
    if any(item != 1 for item in a.dilation):
        raise refuse("max pooling with dilation has no counterpart in MINDIR", n.scope)
    name, format = ("MaxPool", "NCHW") if len(kernel) == 2 else ("MaxPool3D", "NCDHW")
    extra = {} if len(kernel) == 2 else {"ceil_mode": 0, "pad_list": (0,) * 6}
    return (
        e(name, a.self, kernel_size=(1, 1, *kernel), strides=(1, 1, *stride), pad_mode="VALID", format=format, **extra),
    )


def avg_pool(e: Any, a: Any, n: Node) -> Ref:
    """Write AvgPool for plain windows; AvgPool3D has torch's options, here with one axis of length one."""
    kernel, stride, padding = tuple(a.kernel_size), tuple(a.stride or a.kernel_size), tuple(a.padding)
    x, ceil, divisor = a.self, bool(a.ceil_mode), getattr(a, "divisor_override", None)
    flat = len(kernel) == 2
    if flat and not (any(padding) or ceil or divisor):
        return e("AvgPool", x, kernel, stride, 2, 0)
    if flat:
        x, kernel, stride, padding = e("ExpandDims", x, a.self.ndim - 2), (1, *kernel), (1, *stride), (0, *padding)
    pads = tuple(side for side in padding for _ in range(2))
    result = e(
        "AvgPool3D",
        x,
        kernel_size=(1, 1, *kernel),
        strides=(1, 1, *stride),
        pad_mode="PAD" if any(pads) or ceil else "VALID",
        pad=pads,
        pad_list=pads,
        ceil_mode=ceil,
        count_include_pad=bool(a.count_include_pad),
        divisor_override=divisor or 0,
        format="NCDHW",
    )
    return e("Reshape", result, n.outputs[0].shape) if flat else result


def max_pool_gradient(e: Any, a: Any, n: Node) -> Ref:
    kernel, stride = tuple(a.kernel_size), tuple(a.stride or a.kernel_size)
    return e(
        "MaxPoolGrad",
        a.self,
        a.indices.node.outputs[0],
        a.grad_output,
        kernel_size=(1, 1, *kernel),
        strides=(1, 1, *stride),
        pad_mode="VALID",
        data_format="NCHW",
        format="NCHW",
    )


def convolution_gradient(e: Any, a: Any, n: Node) -> Any:
    """Return the gradients (by input, weight, bias), as far as needed."""
    flat = tuple(pad for pad in a.padding for _ in range(2))
    shared: dict[str, Any] = {
        "kernel_size": a.weight.shape[2:],
        "out_channel": a.weight.shape[0],
        "mode": 1,
        "pad_mode": "pad",
        "pad": flat,
        "pad_list": flat,
        "stride": (1, 1, *a.stride),
        "dilation": (1, 1, *a.dilation),
        "groups": a.groups,
        "group": a.groups,
        "format": "NCHW",
    }
    made: list[Callable[[], Ref]] = [
        lambda: e("Conv2DBackpropInput", a.grad_output, a.weight, a.input.shape, **shared),
        lambda: e("Conv2DBackpropFilter", a.grad_output, a.input, a.weight.shape, **shared),
        lambda: e("BiasAddGrad", a.grad_output, 0),
    ]
    return tuple(make() for make, wanted in zip(made, a.output_mask) if wanted)


def lstm_layer(e: Any, a: Any, n: Node) -> Any:
    """Write MindSpore's LSTM, which takes all weights in one tensor, with the sum of the biases."""
    parts = [a.w_ih, a.w_hh] + ([e("Add", a.b_ih, a.b_hh)] if hasattr(a, "b_ih") else [])
    weights = e("Concat", e("MakeTuple", *[e("Reshape", part, (-1, 1, 1)) for part in parts]), 0)
    starts = [e("ExpandDims", item, 0) for item in (a.h, a.c)]
    result = e(
        "LSTM",
        a.x,
        *starts,
        weights,
        input_size=a.w_ih.shape[1],
        hidden_size=a.w_hh.shape[1],
        num_layers=1,
        has_bias=len(parts) > 2,
        bidirectional=False,
        dropout=0.0,
        proj_size=0,
    )
    return (e.item(result, 0), *[e("Squeeze", e.item(result, number), (0,)) for number in (1, 2)])


def dropout(e: Any, a: Any, n: Node) -> Any:
    both = e("Dropout", a.input, 1 - float(a.p), 0, 0)
    return e.item(both, 0), e.cast(e.item(both, 1), torch.bool)


def resize(name: str) -> Row:
    def row(e: Any, a: Any, n: Node) -> Ref:
        size, corners = n.outputs[0].shape[-2:], getattr(a, "align_corners", False)
        return e(name, a.self, size, corners, name == "ResizeBilinearV2" and not corners)

    return row


def matrix_product(e: Any, left: Any, right: Any, batched: bool = False) -> Ref:
    (left, left_flag), (right, right_flag) = [
        untransposed(item) if e.made_here(item) else (item, False) for item in (left, right)
    ]
    return e("BatchMatMul" if batched else "MatMul", left, right, left_flag, right_flag)


def addmm(e: Any, a: Any, n: Node) -> Ref:
    product, dtype = matrix_product(e, a.mat1, a.mat2), n.outputs[0].dtype
    if a.alpha != 1:
        product = e("Mul", product, e.scalar(a.alpha, dtype))
    if a.beta == 1 and a.self.ndim == 1 and a.self.shape[0] == n.outputs[0].shape[1]:
        return e("BiasAdd", product, a.self, 0)
    return e("Add", product, a.self if a.beta == 1 else e("Mul", a.self, e.scalar(a.beta, dtype)))


#: MindSpore's number and name of a reduction by torch's number
_NUMBERS, _NAMES = {0: 2, 1: 1, 2: 0}, {0: "none", 1: "mean", 2: "sum"}


def _nll_loss(e: Any, a: Any, n: Node) -> Any:
    weight = a.weight if a.weight is not None else e.constant(torch.ones(a.self.shape[1]))
    result = e("NLLLoss", a.self, e.operand(a.target, torch.int32), weight, _NUMBERS[a.reduction], a.ignore_index)
    return e.item(result, 0), e.item(result, 1)


def _margin_loss(e: Any, a: Any, n: Node) -> Ref:
    return e(
        "MultiMarginLoss",
        a.self,
        a.target,
        getattr(a, "weight", None),
        p=int(getattr(a, "p", 1)),
        margin=float(getattr(a, "margin", 1)),
        reduction=_NAMES[getattr(a, "reduction", 1)],
    )


#: {aten's operator: its row}
LOSSES: dict[str, Row] = {"nll_loss_forward": _nll_loss, "multi_margin_loss": _margin_loss}

#: the forms that MINDIR has
LOSS_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "nll_loss_forward": lambda a: a["self"].dtype is torch.float32 and a["self"].dim() == 2,
    "multi_margin_loss": lambda a: a["self"].dtype is torch.float32 and a["self"].dim() == 2,
}


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


def _extreme(op: str, reduce: str) -> Row:
    """Return the row of ``max`` or ``min``: of everything, or values and places along an axis."""

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
    return as_bool(e, a.self) if dtype is torch.bool else e.cast(a.self, dtype)


def _where(e: Any, a: Any, n: Node) -> Ref:
    dtype = n.outputs[0].dtype
    return e("Select", as_bool(e, a.condition), e.operand(a.self, dtype), e.operand(a.other, dtype))


def _topk(e: Any, a: Any, n: Node) -> Any:
    """Write TopK along the last axis, the largest first; tracing converts others to that."""
    both = e("TopK", a.self, a.k, sorted=bool(a.sorted))
    return e.item(both, 0), e.cast(e.item(both, 1), torch.int64)


def _sort(e: Any, a: Any, n: Node) -> Any:
    both = e("Sort", a.self, axis=a.dim, descending=bool(a.descending))
    return e.item(both, 0), e.cast(e.item(both, 1), torch.int64)


ROWS: dict[str, Row] = {
    **ARITHMETIC,
    **LOSSES,
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
    "elu": lambda e, a, n: e("SeLU", a.self) if a.alpha != 1 else e("Elu", a.self, 1.0),
    "softplus": lambda e, a, n: e("Softplus", a.self),
    "softshrink": lambda e, a, n: e("SoftShrink", a.self, float(a.lambd)),
    "linalg_cross": lambda e, a, n: e("Cross", a.self, a.other, a.dim % a.self.ndim),
    "linalg_vector_norm": vector_norm,
    "std": lambda e, a, n: e.item(spread(e, a), 0),
    "std_mean": lambda e, a, n: (e.item(spread(e, a), 0), e.item(spread(e, a), 1)),
    "native_group_norm": group_norm,
    "_adaptive_avg_pool2d": lambda e, a, n: e("AdaptiveAvgPool2D", a.self, output_size=tuple(a.output_size)),
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
    return pools_batches(a) and not (any(a["padding"]) or a["ceil_mode"] or a.get("divisor_override"))


def _is_float32(a: dict[str, Any], name: str = "self") -> bool:
    """Return whether it is float32, the only dtype of real MindSpore's kernel."""
    return a[name].dtype is torch.float32


#: alpha, scale and scale of the input that make ELU the self-normalizing one
_SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1)

#: Forms that MINDIR has; the operator's other forms are decomposed.
_FORMS: dict[str, Callable[[dict[str, Any]], bool]] = {
    **LOSS_FORMS,
    "max_pool2d_with_indices_backward": lambda a: _plain_pool(a),
    "convolution_backward": lambda a: a["weight"].dim() == 4 and not a["transposed"],
    "gelu": lambda a: a["approximate"] == "tanh",
    "elu": lambda a: (a["alpha"], a["scale"], a["input_scale"]) in ((1, 1, 1), _SELU),
    "softplus": lambda a: (a["beta"], a["threshold"]) == (1, 20),
    "softshrink": _is_float32,
    "linalg_cross": lambda a: _is_float32(a) and tuple(a["self"].shape) == tuple(a["other"].shape),
    "linalg_vector_norm": lambda a: _is_float32(a) and a["ord"] == 2 and not a.get("dtype"),
    "std": lambda a: _is_float32(a) and a.get("correction", 1) in (None, 0, 1),
    "std_mean": lambda a: _is_float32(a) and a.get("correction", 1) in (None, 0, 1),
    "native_group_norm": lambda a: _is_float32(a, "input"),
    "_adaptive_avg_pool2d": lambda a: (
        _is_float32(a) and any(size % wanted for size, wanted in zip(a["self"].shape[-2:], a["output_size"]))
    ),
    "round": lambda a: not a.get("decimals"),
    "topk": lambda a: a["largest"] and a["dim"] in (-1, a["self"].dim() - 1),
    "scatter": lambda a: not a.get("reduce") and a.get("src") is not None and a["src"].shape == a["index"].shape,
    "scatter_add": lambda a: a["src"].shape == a["index"].shape,
    "grid_sampler_2d": lambda a: a["interpolation_mode"] < 2,
    "native_batch_norm": lambda a: not a["training"],
    "convolution": lambda a: a["weight"].dim() > 3,
    "max_pool2d_with_indices": _plain_pool,
    "max_pool3d_with_indices": _plain_pool,
    "avg_pool2d": lambda a: _plain_pool(a) or (pools_batches(a) and _is_float32(a)),
    "avg_pool3d": lambda a: _plain_pool(a) or (pools_batches(a) and _is_float32(a)),
}


def kept(op: str, arguments: dict[str, Any]) -> bool:
    """Return whether MINDIR has the operator in the form of these arguments."""
    return op in ROWS and (op not in _FORMS or _FORMS[op](arguments))
