"""Layers as ONNX operators; rows of ``_onnx_rows.py``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._graph.export.ir import Node
from mindspore_compat.train._export._lower import Ref, Row, spatial_pads
from mindspore_compat.train._export._quantized_rows import bias_of


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
