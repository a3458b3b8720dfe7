"""MINDIR's operators of derivatives (``TanhGrad``, ``Conv2DBackpropFilter``): the classes of
``ops.operations._grad_ops``, and others in files of train steps and of ``ops.grad`` only.

Arguments have the order of MindSpore 2.10: settings behind the inputs, words as numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat._ops.derivatives import adjoint, as_torch, derivative, derivatives
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops.operations import _grad_ops as G
from mindspore_compat.train._export.loading.rows import operator

_Run = Callable[..., Any]
_REDUCTIONS = ("sum", "mean", "none")
_PADDING_MODES = ("zeros", "border", "reflection")


def _forward(name: str, attributes: dict[str, Any], count: int = 2) -> _Run:
    """Return the forward operator of that name with the same attributes, of a file's ``count`` inputs."""
    found = operator(name, attributes, [...] * count)
    assert found is not None
    return found


# --- by attributes ----------------------------------------------------------------------------------------------------


def _convolution_filter(name: str, gradient_first: bool) -> Callable[[dict[str, Any]], _Run]:
    def row(a: dict[str, Any]) -> _Run:
        forward = _forward(name, a)

        def run(first: Any, second: Any, size: Any) -> Any:
            dy, x = (first, second) if gradient_first else (second, first)
            return adjoint(lambda weight: forward(as_torch(x), weight), tuple(size), dy)

        return run

    return row


def _convolution_input(a: dict[str, Any]) -> _Run:
    forward = _forward("Conv3D", a)
    return lambda weight, dy, size: adjoint(lambda x: forward(x, as_torch(weight)), tuple(size), dy)


def _pool(name: str) -> Callable[[dict[str, Any]], _Run]:
    """Return the row of ``MaxPoolGrad(x, y, dy)`` and the like."""

    def row(a: dict[str, Any]) -> _Run:
        forward = _forward(name, a, 1)
        return lambda x, _, dy: derivative(forward, x, dy)

    return row


def _average_pool_3d(a: dict[str, Any]) -> _Run:
    forward = _forward("AvgPool3D", a, 1)
    return lambda shape, dy: adjoint(forward, tuple(shape), dy)


def _strided_slice(a: dict[str, Any]) -> _Run:
    forward = _forward("StridedSlice", a, 4)
    return lambda dy, shape, begin, end, strides, *masks: adjoint(
        lambda x: forward(x, begin, end, strides, *masks), tuple(shape), dy
    )


def _lstm(a: dict[str, Any]) -> _Run:
    forward = _forward("LSTM", a, 4)

    def run(x: Any, h: Any, c: Any, weights: Any, *rest: Any) -> Any:
        return derivatives(lambda *items: tuple(forward(*map(wrap, items))[:3]), (x, h, c, weights), tuple(rest[3:6]))

    return run


def _layer_norm(a: dict[str, Any]) -> _Run:
    eps = a.get("epsilon", 1e-5)

    def run(x: Any, dy: Any, variance: Any, mean: Any, gamma: Any, axis: int, *_: Any) -> Any:
        shape = tuple(x.shape)[axis % x.ndim :]
        return derivatives(
            lambda x, gamma, beta: tf.layer_norm(x, shape, gamma, beta, eps),
            (x, gamma, torch.zeros_like(as_torch(gamma))),
            dy,
        )

    return run


def _median(a: dict[str, Any]) -> _Run:
    return G.MedianGrad(bool(a.get("global_median")), a.get("axis", 0), bool(a.get("keep_dims")))


#: {operator: a function from its attributes to the computation}
_BY_ATTRIBUTES: dict[str, Callable[[dict[str, Any]], _Run]] = {
    "Conv2DBackpropFilter": _convolution_filter("Conv2D", True),
    "Conv3DBackpropFilter": _convolution_filter("Conv3D", False),
    "Conv3DBackpropInput": _convolution_input,
    "MaxPoolGrad": _pool("MaxPool"),
    "MaxPool3DGrad": _pool("MaxPool3D"),
    "AvgPool3DGrad": _average_pool_3d,
    "MaxPoolGradWithArgmaxV2": lambda a: G.MaxPoolGradWithArgmaxV2(1),
    "MaxPool3DGradWithArgmax": lambda a: G.MaxPool3DGradWithArgmax(1, 1, 0),
    "StridedSliceGrad": _strided_slice,
    "L2NormalizeGrad": lambda a: G.L2NormalizeGrad(a.get("axis", 0), a.get("epsilon", 1e-4)),
    "LSTMGrad": _lstm,
    "LayerNormGrad": _layer_norm,
    "MirrorPadGrad": lambda a: G.MirrorPadGrad(a.get("mode", "REFLECT")),
    "MedianGrad": _median,
}


# --- by inputs --------------------------------------------------------------------------------------------------------


def _bias(dy: Any, format: Any = 0) -> Any:
    return G.BiasAddGrad("NHWC" if format in (1, "NHWC") else "NCHW")(dy)


def _batch_norm(
    dy: Any, x: Any, gamma: Any, mean: Any, variance: Any, reserve: Any, training: bool, eps: float, *_: Any
) -> Any:
    """Return the gradients (by x, gamma, beta); evaluation uses the given statistics, training those of the batch."""

    def forward(x: Any, gamma: Any, beta: Any) -> Any:
        if training:
            return tf.batch_norm(x, None, None, gamma, beta, True, 0.0, eps)
        return tf.batch_norm(x, as_torch(mean).detach(), as_torch(variance).detach(), gamma, beta, False, 0.0, eps)

    return derivatives(forward, (x, gamma, torch.zeros_like(as_torch(gamma))), dy)


def _group_norm(dy: Any, x: Any, mean: Any, spread: Any, gamma: Any, groups: int, *_: Any) -> Any:
    """Return the gradients (by x, gamma, beta), with the statistics of the forward pass."""
    x, dy, gamma = as_torch(x), as_torch(dy), as_torch(gamma)
    shape, rows = tuple(x.shape), (x.shape[0], groups, -1)
    around = (1, -1) + (1,) * (x.ndim - 2)
    spread = torch.reshape(as_torch(spread), (x.shape[0], groups, 1))
    normal = (torch.reshape(x, rows) - torch.reshape(as_torch(mean), (x.shape[0], groups, 1))) * spread
    axes = [axis for axis in range(x.ndim) if axis != 1]
    scaled = torch.reshape(dy * torch.reshape(gamma, around), rows)
    by_x = spread * (scaled - scaled.mean(2, True) - normal * (scaled * normal).mean(2, True))
    return (
        wrap(torch.reshape(by_x, shape)),
        wrap(torch.sum(dy * torch.reshape(normal, shape), axes)),
        wrap(torch.sum(dy, axes)),
    )


def _average_pool(x: Any, _: Any, dy: Any, *settings: Any) -> Any:
    forward = _forward("AvgPool", {}, 5)
    return adjoint(lambda x: forward(x, *settings), tuple(x.shape), dy)


def _cross_entropy(x: Any, label: Any, dy: Any, weight: Any, reduction: int) -> Any:
    return G.BinaryCrossEntropyGrad(_REDUCTIONS[reduction])(x, label, dy, weight)


def _cross_entropy_logits(dy: Any, x: Any, label: Any, weight: Any, positive: Any, reduction: int) -> Any:
    def forward(x: Any) -> Any:
        return tf.binary_cross_entropy_with_logits(
            x, as_torch(label), as_torch(weight), pos_weight=as_torch(positive), reduction=_REDUCTIONS[reduction]
        )

    return derivative(forward, x, dy)


def _smooth_l1(x: Any, target: Any, dy: Any, beta: float, reduction: int) -> Any:
    return G.SmoothL1LossGrad(beta, _REDUCTIONS[reduction])(x, target, dy)


def _grid(dy: Any, x: Any, grid: Any, mode: int, padding: int, corners: Any, *_: Any) -> Any:
    of_mode = ("bilinear", "nearest", "bicubic")[mode]
    return G.GridSampler2DGrad(of_mode, _PADDING_MODES[padding], bool(corners))(dy, x, grid)


def _resize_bilinear(dy: Any, x: Any, corners: bool, half: bool) -> Any:
    return G.ResizeBilinearGrad(bool(corners), bool(half))(dy, x)


def _resize_nearest(dy: Any, size: Any, corners: bool, half: bool) -> Any:
    return G.ResizeNearestNeighborV2Grad(bool(corners), bool(half))(dy, size)


#: operators with exactly the inputs in a file
_AS_THEY_ARE = """
    TanhGrad SigmoidGrad SqrtGrad RsqrtGrad InvGrad ReciprocalGrad AsinGrad ACosGrad AtanGrad AsinhGrad AcoshGrad
    AbsGrad ReluGrad EluGrad ReLU6Grad GeLUGrad FastGeLUGrad HSwishGrad HSigmoidGrad SiLUGrad SoftplusGrad
    SoftmaxBackward AdaptiveAvgPool2DGrad AdaptiveMaxPool2DGrad GatherDGradV2 PReLUGrad
""".split()

#: {operator: the computation, on all inputs in the file}
_BY_INPUTS: dict[str, _Run] = {
    **{name: getattr(G, name)() for name in _AS_THEY_ARE},
    "HShrinkGrad": lambda dy, x, lambd=0.5: G.HShrinkGrad(lambd)(dy, x),
    "SoftShrinkGrad": lambda dy, x, lambd=0.5: G.SoftShrinkGrad(lambd)(dy, x),
    "LogSoftmaxGrad": lambda y, dy, axis: G.LogSoftmaxGrad(axis)(y, dy),
    "BiasAddGrad": _bias,
    "BatchNormGrad": _batch_norm,
    "GroupNormGrad": _group_norm,
    "AvgPoolGrad": _average_pool,
    "BinaryCrossEntropyGrad": _cross_entropy,
    "BinaryCrossEntropyWithLogitsBackward": _cross_entropy_logits,
    "SmoothL1LossGrad": _smooth_l1,
    "GridSampler2DGrad": _grid,
    "ResizeBilinearGrad": _resize_bilinear,
    "ResizeNearestNeighborV2Grad": _resize_nearest,
}


def gradient(kind: str, attributes: dict[str, Any]) -> _Run | None:
    """Return the computation of an operator of derivatives, None if there is none of that name."""
    if kind in _BY_ATTRIBUTES:
        return _BY_ATTRIBUTES[kind](attributes)
    return _BY_INPUTS.get(kind)
