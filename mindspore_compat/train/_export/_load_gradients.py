"""MINDIR's operators of derivatives (``TanhGrad``, ``Conv2DBackpropFilter``): each is torch's derivative of the forward
operator.

The files of train steps and of ``ops.grad`` hold them. Arguments stand in the order in which MindSpore 2.10 writes
them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as tf

from mindspore_compat.common._wrap import wrap
from mindspore_compat.train._export._load_rows import operator

__all__ = ["gradient"]

_Run = Callable[..., Any]
_REDUCTIONS = ("sum", "mean", "none")
_PADDING_MODES = ("zeros", "border", "reflection")


def _tensor(value: Any) -> Any:
    """A torch.Tensor that keeps its history."""
    return torch.Tensor.as_subclass(value, torch.Tensor) if isinstance(value, torch.Tensor) else value


def _derivatives(function: _Run, inputs: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
    """Of ``function`` by each of ``inputs``, in the direction of its result; composes with derivatives around it."""
    with torch.enable_grad():
        _, pull = torch.func.vjp(lambda *items: _tensors(function(*items)), *[_tensor(item) for item in inputs])
        found = pull(_tensors(cotangent))
    return tuple(wrap(item) for item in found)


def _tensors(tree: Any) -> Any:
    return tuple(_tensors(item) for item in tree) if isinstance(tree, (tuple, list)) else _tensor(tree)


def _derivative(function: _Run, x: Any, cotangent: Any) -> Any:
    return _derivatives(function, (x,), cotangent)[0]


def _by_x(function: _Run) -> _Run:
    """``Grad(dy, x, …)``; what follows belongs to the forward function."""
    return lambda dy, x, *rest: _derivative(lambda x: function(x, *rest), x, dy)


def _forward(name: str, attributes: dict[str, Any], count: int = 2) -> _Run:
    """The forward operator of that name with the same attributes, of a file's ``count`` inputs."""
    found = operator(name, attributes, [...] * count)
    assert found is not None
    return found


# --- by attributes ----------------------------------------------------------------------------------------------------


def _convolution_filter(name: str, gradient_first: bool) -> Callable[[dict[str, Any]], _Run]:
    def row(a: dict[str, Any]) -> _Run:
        forward = _forward(name, a)

        def run(first: Any, second: Any, size: Any) -> Any:
            dy, x = (first, second) if gradient_first else (second, first)
            return _derivative(lambda weight: forward(_tensor(x), weight), x.new_zeros(tuple(size)), dy)

        return run

    return row


def _convolution_input(a: dict[str, Any]) -> _Run:
    forward = _forward("Conv3D", a)
    return lambda weight, dy, size: _derivative(
        lambda x: forward(x, _tensor(weight)), weight.new_zeros(tuple(size)), dy
    )


def _pool(name: str) -> Callable[[dict[str, Any]], _Run]:
    """``MaxPoolGrad(x, y, dy)``"""

    def row(a: dict[str, Any]) -> _Run:
        forward = _forward(name, a, 1)
        return lambda x, _, dy: _derivative(forward, x, dy)

    return row


def _average_pool_3d(a: dict[str, Any]) -> _Run:
    forward = _forward("AvgPool3D", a, 1)
    return lambda shape, dy: _derivative(forward, dy.new_zeros(tuple(shape)), dy)


def _max_pool_places(_: dict[str, Any]) -> _Run:
    """From the places of the largest elements, numbered within a channel."""

    def run(x: Any, dy: Any, places: Any) -> Any:
        shape = tuple(x.shape)
        start = 2
        flat = torch.zeros((*shape[:start], int(x[0, 0].numel())), dtype=dy.dtype, device=dy.device)
        index = torch.reshape(_tensor(places), (*shape[:start], -1)).to(torch.int64)
        return wrap(
            torch.reshape(torch.scatter_add(flat, start, index, torch.reshape(_tensor(dy), index.shape)), shape)
        )

    return run


def _strided_slice(a: dict[str, Any]) -> _Run:
    forward = _forward("StridedSlice", a, 4)

    def run(dy: Any, shape: Any, begin: Any, end: Any, strides: Any, *masks: Any) -> Any:
        return _derivative(lambda x: forward(wrap(x), begin, end, strides, *masks), dy.new_zeros(tuple(shape)), dy)

    return run


def _l2_normalize(a: dict[str, Any]) -> _Run:
    forward = _forward("L2Normalize", a, 1)
    return lambda x, _, dy: _derivative(lambda x: forward(wrap(x)), x, dy)


def _lstm(a: dict[str, Any]) -> _Run:
    forward = _forward("LSTM", a, 4)

    def run(x: Any, h: Any, c: Any, weights: Any, *rest: Any) -> Any:
        return _derivatives(lambda *items: tuple(forward(*map(wrap, items))[:3]), (x, h, c, weights), tuple(rest[3:6]))

    return run


def _layer_norm(a: dict[str, Any]) -> _Run:
    eps = a.get("epsilon", 1e-5)

    def run(x: Any, dy: Any, variance: Any, mean: Any, gamma: Any, axis: int, *_: Any) -> Any:
        shape = tuple(x.shape)[axis % x.ndim :]
        return _derivatives(
            lambda x, gamma, beta: tf.layer_norm(x, shape, gamma, beta, eps),
            (x, gamma, torch.zeros_like(_tensor(gamma))),
            dy,
        )

    return run


def _mirror_pad(a: dict[str, Any]) -> _Run:
    forward = _forward("MirrorPad", a, 2)

    def run(dy: Any, paddings: Any) -> Any:
        shape = [size - sum(pair) for size, pair in zip(dy.shape, _tensor(paddings).tolist())]
        return _derivative(lambda x: forward(wrap(x), paddings), dy.new_zeros(shape), dy)

    return run


def _median(a: dict[str, Any]) -> _Run:
    if a.get("global_median"):
        raise NotImplementedError(
            "For 'load', the derivative of the median of all elements is not available. Take the median along an axis."
        )
    axis, keep = a["axis"], a["keep_dims"]

    def run(dy: Any, x: Any, _: Any, places: Any) -> Any:
        dy, places = (item if keep else torch.unsqueeze(item, axis) for item in (_tensor(dy), _tensor(places)))
        return wrap(torch.scatter_add(torch.zeros_like(_tensor(x)), axis, places.to(torch.int64), dy))

    return run


#: {operator: a function of its attributes that gives the computation}
_BY_ATTRIBUTES: dict[str, Callable[[dict[str, Any]], _Run]] = {
    "Conv2DBackpropFilter": _convolution_filter("Conv2D", True),
    "Conv3DBackpropFilter": _convolution_filter("Conv3D", False),
    "Conv3DBackpropInput": _convolution_input,
    "MaxPoolGrad": _pool("MaxPool"),
    "MaxPool3DGrad": _pool("MaxPool3D"),
    "AvgPool3DGrad": _average_pool_3d,
    "MaxPoolGradWithArgmaxV2": _max_pool_places,
    "MaxPool3DGradWithArgmax": _max_pool_places,
    "StridedSliceGrad": _strided_slice,
    "L2NormalizeGrad": _l2_normalize,
    "LSTMGrad": _lstm,
    "LayerNormGrad": _layer_norm,
    "MirrorPadGrad": _mirror_pad,
    "MedianGrad": _median,
}


# --- by inputs --------------------------------------------------------------------------------------------------------


def _bias(dy: Any, format: Any = 0) -> Any:
    axis = dy.ndim - 1 if format in (1, "NHWC") else 1
    return wrap(torch.sum(_tensor(dy), [item for item in range(dy.ndim) if item != axis]))


def _batch_norm(
    dy: Any, x: Any, gamma: Any, mean: Any, variance: Any, reserve: Any, training: bool, eps: float, *_: Any
) -> Any:
    """(by x, gamma, beta); evaluation uses the given statistics, training those of the batch."""

    def forward(x: Any, gamma: Any, beta: Any) -> Any:
        if training:
            return tf.batch_norm(x, None, None, gamma, beta, True, 0.0, eps)
        return tf.batch_norm(x, _tensor(mean).detach(), _tensor(variance).detach(), gamma, beta, False, 0.0, eps)

    return _derivatives(forward, (x, gamma, torch.zeros_like(_tensor(gamma))), dy)


def _group_norm(dy: Any, x: Any, mean: Any, spread: Any, gamma: Any, groups: int, *_: Any) -> Any:
    """With the statistics of the forward pass: (by x, gamma, beta)."""
    x, dy, gamma = _tensor(x), _tensor(dy), _tensor(gamma)
    shape, rows = tuple(x.shape), (x.shape[0], groups, -1)
    around = (1, -1) + (1,) * (x.ndim - 2)
    spread = torch.reshape(_tensor(spread), (x.shape[0], groups, 1))
    normal = (torch.reshape(x, rows) - torch.reshape(_tensor(mean), (x.shape[0], groups, 1))) * spread
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
    return _derivative(lambda x: forward(wrap(x), *settings), x, dy)


def _adaptive_average(dy: Any, shape: Any) -> Any:
    size = [int(item) for item in shape]
    return _derivative(lambda x: tf.adaptive_avg_pool2d(x, tuple(dy.shape[-2:])), dy.new_zeros(size), dy)


def _adaptive_max(dy: Any, x: Any, places: Any) -> Any:
    return _max_pool_places({})(x, dy, places)


def _cross_entropy(x: Any, label: Any, dy: Any, weight: Any, reduction: int) -> Any:
    return _derivative(
        lambda x: tf.binary_cross_entropy(x, _tensor(label), _tensor(weight), reduction=_REDUCTIONS[reduction]), x, dy
    )


def _cross_entropy_logits(dy: Any, x: Any, label: Any, weight: Any, positive: Any, reduction: int) -> Any:
    def forward(x: Any) -> Any:
        return tf.binary_cross_entropy_with_logits(
            x, _tensor(label), _tensor(weight), pos_weight=_tensor(positive), reduction=_REDUCTIONS[reduction]
        )

    return _derivative(forward, x, dy)


def _smooth_l1(x: Any, target: Any, dy: Any, beta: float, reduction: int) -> Any:
    return _derivative(
        lambda x: tf.smooth_l1_loss(x, _tensor(target), beta=beta, reduction=_REDUCTIONS[reduction]), x, dy
    )


def _gather_d(x: Any, axis: int, index: Any, dy: Any) -> Any:
    return wrap(torch.scatter_add(torch.zeros_like(_tensor(x)), axis, _tensor(index).to(torch.int64), _tensor(dy)))


def _grid(dy: Any, x: Any, grid: Any, mode: int, padding: int, corners: Any, *_: Any) -> Any:
    names = {"mode": ("bilinear", "nearest", "bicubic")[mode], "padding_mode": _PADDING_MODES[padding]}
    return _derivatives(lambda x, grid: tf.grid_sample(x, grid, **names, align_corners=bool(corners)), (x, grid), dy)


def _prelu(dy: Any, x: Any, weight: Any) -> Any:
    return _derivatives(tf.prelu, (x, weight), dy)


def _resize_bilinear(dy: Any, x: Any, corners: bool, half: bool) -> Any:
    if not corners and not half:
        raise NotImplementedError(
            "For 'GraphCell', the derivative of a resizing with neither 'align_corners' nor 'half_pixel_centers' is "
            "not available. Set one of them."
        )
    return _derivative(
        lambda x: tf.interpolate(x, tuple(dy.shape[-2:]), mode="bilinear", align_corners=bool(corners)), x, dy
    )


def _resize_nearest(dy: Any, size: Any, corners: bool, half: bool) -> Any:
    forward = _forward("ResizeNearestNeighborV2", {}, 4)
    shape = (*dy.shape[:2], *[int(item) for item in size])
    return _derivative(lambda x: forward(wrap(x), tuple(dy.shape[-2:]), corners, half), dy.new_zeros(shape), dy)


def _elementwise(function: _Run) -> _Run:
    return lambda *items: wrap(function(*[_tensor(item) for item in items]))


#: {operator: the computation, of all that the file gives it}
_BY_INPUTS: dict[str, _Run] = {
    "TanhGrad": _elementwise(lambda y, dy: dy * (1 - y * y)),
    "SigmoidGrad": _elementwise(lambda y, dy: dy * y * (1 - y)),
    "SqrtGrad": _elementwise(lambda y, dy: dy / (2 * y)),
    "RsqrtGrad": _elementwise(lambda y, dy: -0.5 * dy * y * y * y),
    **dict.fromkeys(("InvGrad", "ReciprocalGrad"), _elementwise(lambda y, dy: -dy * y * y)),
    "AsinGrad": _elementwise(lambda x, dy: dy * torch.rsqrt(1 - x * x)),
    "ACosGrad": _elementwise(lambda x, dy: -dy * torch.rsqrt(1 - x * x)),
    "AtanGrad": _elementwise(lambda x, dy: dy / (1 + x * x)),
    "AsinhGrad": _elementwise(lambda y, dy: dy / torch.cosh(y)),
    "AcoshGrad": _elementwise(lambda y, dy: dy / torch.sinh(y)),
    "AbsGrad": _elementwise(lambda x, dy: dy * torch.sign(x)),
    "ReluGrad": _elementwise(lambda dy, y: dy * (y > 0).to(dy.dtype)),
    "EluGrad": _elementwise(lambda dy, y: torch.where(y > 0, dy, dy * (y + 1))),
    "ReLU6Grad": _by_x(tf.relu6),
    "GeLUGrad": lambda dy, x, _: _derivative(lambda x: tf.gelu(x, approximate="tanh"), x, dy),
    "FastGeLUGrad": _by_x(lambda x: x * torch.exp(0.851 * (x - torch.abs(x))) / (1 + torch.exp(-1.702 * torch.abs(x)))),
    "HSwishGrad": _by_x(tf.hardswish),
    "HSigmoidGrad": _by_x(tf.hardsigmoid),
    "HShrinkGrad": _by_x(tf.hardshrink),
    "SoftShrinkGrad": _by_x(tf.softshrink),
    "SiLUGrad": _by_x(tf.silu),
    "SoftplusGrad": _by_x(tf.softplus),
    "LogSoftmaxGrad": _elementwise(lambda y, dy, axis: dy - torch.exp(y) * torch.sum(dy, axis, True)),
    "SoftmaxBackward": _elementwise(lambda dy, y, axis: y * (dy - torch.sum(dy * y, axis, True))),
    "BiasAddGrad": _bias,
    "BatchNormGrad": _batch_norm,
    "GroupNormGrad": _group_norm,
    "AvgPoolGrad": _average_pool,
    "AdaptiveAvgPool2DGrad": _adaptive_average,
    "AdaptiveMaxPool2DGrad": _adaptive_max,
    "BinaryCrossEntropyGrad": _cross_entropy,
    "BinaryCrossEntropyWithLogitsBackward": _cross_entropy_logits,
    "SmoothL1LossGrad": _smooth_l1,
    "GatherDGradV2": _gather_d,
    "GridSampler2DGrad": _grid,
    "PReLUGrad": _prelu,
    "ResizeBilinearGrad": _resize_bilinear,
    "ResizeNearestNeighborV2Grad": _resize_nearest,
}


def gradient(kind: str, attributes: dict[str, Any]) -> _Run | None:
    """The computation of an operator of derivatives, None if there is none of that name."""
    if kind in _BY_ATTRIBUTES:
        return _BY_ATTRIBUTES[kind](attributes)
    return _BY_INPUTS.get(kind)
