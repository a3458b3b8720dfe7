"""Layers as MINDIR operators: convolutions, pools, normalizations, their gradients. Rows of ``_mindir_rows.py``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._graph.export.decompose import as_axes
from mindspore_compat._graph.export.ir import Node
from mindspore_compat._graph.export.refusals import refuse
from mindspore_compat.train._export._deploy import Sequence
from mindspore_compat.train._export._lower import Ref, Row, spatial_pads, untransposed

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
    if spatial == 3:
        result = e(
            "Conv3D",
            x,
            a.weight,
            kernel_size=kernel,
            strides=(1, 1, *stride),
            stride=(1, 1, *stride),
            dilations=(1, 1, *dilation),
            dilation=(1, 1, *dilation),
            format="NCDHW",
            offset_x=0,
            **shared,
        )
    else:
        result = e(
            "Conv2D",
            x,
            a.weight,
            kernel_size=kernel,
            stride=(1, 1, *stride),
            dilation=(1, 1, *dilation),
            format="NCHW",
            **shared,
        )
    if a.bias is None:
        return result
    return e("BiasAdd", result, a.bias, _FORMATS[spatial])


def _transposed_convolution(e: Any, a: Any, n: Node) -> Ref:
    if a.weight.ndim != 4:
        raise refuse(f"a transposed convolution over {a.weight.ndim - 2} axes has no row in MINDIR", n.scope)
    pads = tuple(pad for pad in a.padding for _ in range(2))
    result = e(
        "Conv2DTranspose",
        a.input,
        a.weight,
        n.outputs[0].shape,
        kernel_size=a.weight.shape[2:],
        out_channel=a.weight.shape[0],
        mode=1,
        pad_mode="PAD",
        pad=pads,
        pad_list=pads,
        stride=(1, 1, *a.stride),
        dilation=(1, 1, *a.dilation),
        groups=a.groups,
        group=a.groups,
        format="NCHW",
    )
    return result if a.bias is None else e("BiasAdd", result, a.bias, 0)


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
