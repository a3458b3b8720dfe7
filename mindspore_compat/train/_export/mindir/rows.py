"""aten operators as MINDIR operators, one row each: inputs and attributes as in MindSpore 2.10."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.export.ir import Node
from mindspore_compat.train._export._deploy import FAKE_QUANT_PARAM
from mindspore_compat.train._export._lower import Ref, Row
from mindspore_compat.train._export.mindir.arithmetic import ARITHMETIC, as_bool
from mindspore_compat.train._export.mindir.layers import (
    addmm,
    avg_pool,
    batch_norm,
    convolution,
    convolution_gradient,
    dropout,
    group_norm,
    layer_norm,
    lstm_layer,
    matrix_product,
    max_pool,
    max_pool_gradient,
    resize,
    spread,
    vector_norm,
)

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
LOSSES: dict[str, Row] = {
    "nll_loss_forward": _nll_loss,
    "multi_margin_loss": _margin_loss,
}

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
    return _pools_batches(a) and not (any(a["padding"]) or a["ceil_mode"] or a.get("divisor_override"))


def _pools_batches(a: dict[str, Any]) -> bool:
    return len(a["kernel_size"]) > 1 and a["self"].dim() == len(a["kernel_size"]) + 2


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
    "avg_pool2d": lambda a: _plain_pool(a) or (_pools_batches(a) and _is_float32(a)),
    "avg_pool3d": lambda a: _plain_pool(a) or (_pools_batches(a) and _is_float32(a)),
}


def kept(op: str, arguments: dict[str, Any]) -> bool:
    """Return whether MINDIR has the operator in the form of these arguments."""
    return op in ROWS and (op not in _FORMS or _FORMS[op](arguments))
