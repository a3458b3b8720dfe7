"""Gradients of operators as operators: formulas, and derivatives of the forward operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import torch
import torch.nn.functional as tf

from mindspore_compat._autograd.saved_copies import aside
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import all_axes, as_int, as_ints, checks_places, to_dtype
from mindspore_compat._ops.declare import Bool, Int, Typed, classes, declared, functions, row
from mindspore_compat._ops.image import grid_sample, resize_linear, resize_nearest
from mindspore_compat._ops.shape import mirror_pad, strided_slice
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


# --- derivatives of functions -----------------------------------------------------------------------------------------
def as_torch(tree: Any) -> Any:
    """Return torch.Tensors that keep their history, in lists and tuples too; other values unchanged."""
    if isinstance(tree, (tuple, list)):
        return tuple(as_torch(item) for item in tree)
    return torch.Tensor.as_subclass(tree, torch.Tensor) if isinstance(tree, torch.Tensor) else tree


def derivatives(function: _Run, inputs: Sequence[Any], cotangent: Any) -> tuple[Any, ...]:
    """Return derivatives of ``function`` by each of ``inputs``, in the direction of its result; composable."""
    with torch.enable_grad(), aside():
        _, pull = torch.func.vjp(lambda *items: as_torch(function(*items)), *as_torch(tuple(inputs)))
        found = pull(as_torch(cotangent))
    return tuple(wrap(item) for item in found)


def derivative(function: _Run, x: Any, cotangent: Any) -> Any:
    """Return the derivative of ``function`` by ``x``, as `derivatives`."""
    return derivatives(lambda x: function(wrap(x)), (x,), cotangent)[0]


def adjoint(function: _Run, shape: Any, cotangent: Any) -> Any:
    """Return the derivative of a linear ``function`` of a tensor of this shape, or of that of a Tensor of floats;
    integers go through float64.
    """
    is_tensor = isinstance(shape, torch.Tensor) and shape.dtype.is_floating_point
    dtype = cotangent.dtype
    cotangent = cotangent if dtype.is_floating_point or dtype.is_complex else to_dtype(cotangent, torch.float64)
    sizes = tuple(shape.shape) if is_tensor else as_ints(shape)
    zeros = torch.zeros(sizes, dtype=cotangent.dtype, device=cotangent.device)
    return wrap(to_dtype(derivative(function, zeros, cotangent), dtype))


# --- element by element -----------------------------------------------------------------------------------------------
def _elementwise(formula: _Run, name: str = "") -> _Run:
    """Return ``formula`` of tensors in the first one's dtype; 16-bit floats are computed in float32."""

    def run(*items: Any) -> Any:
        dtype = items[0].dtype
        wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
        found = formula(*[to_dtype(to_dtype(item, dtype), wide) for item in as_torch(items)])
        return wrap(to_dtype(found, dtype))

    run.__doc__ = f"The gradient of `{name.removesuffix('Grad')}`, element by element."
    return run


def _cosine(x: torch.Tensor) -> torch.Tensor:
    """Return the derivative of asin, conjugated as torch and MindSpore multiply complex gradients."""
    return torch.conj(torch.rsqrt(1 - x * x))


def _fast_gelu(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    share = torch.sigmoid(1.702 * x)
    return dy * share * (1 + 1.702 * x * (1 - share))


def _hard_swish(y_grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    inner = y_grad * (2 * x + 3) / 6
    return torch.where(x <= -3, torch.zeros_like(y_grad), torch.where(x >= 3, y_grad, to_dtype(inner, x.dtype)))


def _kept(gradient: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the gradient where the mask is, else 0."""
    return torch.where(mask, gradient, torch.zeros_like(gradient))


#: name -> the formula over tensors with MindSpore's names; ``y``, ``out`` and ``result`` are the forward value
_FORMULAS: dict[str, _Run] = {
    "AbsGrad": lambda x, dout: dout * torch.sign(x),
    "ACosGrad": lambda x, dout: -dout * _cosine(x),
    "AsinGrad": lambda x, dout: dout * _cosine(x),
    "AtanGrad": lambda x, dout: dout / (1 + torch.conj(x * x)),
    "AcoshGrad": lambda out, dout: dout / torch.conj(torch.sinh(out)),
    "AsinhGrad": lambda out, dout: dout / torch.conj(torch.cosh(out)),
    "ReciprocalGrad": lambda y, dy: -dy * torch.conj(y * y),
    # x is the value, for complex ones not conjugated, as MindSpore's
    "InvGrad": lambda x, grad: -grad * x * x,
    # the first argument is the value, the second its gradient
    "RsqrtGrad": lambda y_backprop, x: -0.5 * x * torch.conj(y_backprop * y_backprop * y_backprop),
    "SqrtGrad": lambda dy, y: 0.5 * y / torch.conj(dy),
    "SigmoidGrad": lambda y, dy: dy * torch.conj(y * (1 - y)),
    "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "SiLUGrad": lambda dout, x: derivative(tf.silu, x, dout),
    "EluGrad": lambda dout, out: torch.where(out < 0, dout * (out + 1), dout),
    "ReluGrad": lambda y_backprop, x: _kept(y_backprop, x > 0),
    "ReLU6Grad": lambda y_backprop, x: _kept(y_backprop, (x > 0) & (x <= 6)),  # at 6 it still passes
    "GeLUGrad": lambda dy, x, y: derivative(lambda x: tf.gelu(x, approximate="tanh"), x, dy),
    "FastGeLUGrad": _fast_gelu,
    "HSwishGrad": _hard_swish,
    "HSigmoidGrad": lambda grads, x: _kept(to_dtype(grads / 6, grads.dtype), (x > -3) & (x < 3)),
    "SoftplusGrad": lambda gradients, features: gradients * torch.sigmoid(features),
}


def _shrink(gradient: Any, x: Any, lambd: float) -> Any:
    """Return the gradient where x, the second input, is further than ``lambd`` from 0, else 0."""
    return _elementwise(lambda dy, x: _kept(dy, torch.abs(x) > lambd))(gradient, x)


# --- activations along an axis, sums, lengths -------------------------------------------------------------------------
def _softmax(dout: Any, out: Any, dim: int = -1) -> Any:
    """Return the gradient of softmax by its value ``out``."""
    return wrap(out * (dout - torch.sum(dout * out, dim, keepdim=True)))


def _log_softmax(logits: Any, grad: Any, axis: int) -> Any:
    """Return the gradient of `LogSoftmax` by its value, the first input."""
    return _elementwise(lambda y, dy: dy - torch.exp(y) * torch.sum(dy, axis, keepdim=True))(logits, grad)


def _prelu(dy: Any, x: Any, weight: Any) -> Any:
    """Return (by x, by the channels' weights) of `PReLU`."""
    wide, values, slopes = (
        to_dtype(item, torch.promote_types(item.dtype, torch.float32)) for item in as_torch((dy, x, weight))
    )
    channels = slopes if slopes.numel() == 1 else torch.reshape(slopes, (1, -1, *(1,) * (x.dim() - 2)))
    by_x = torch.where(values > 0, wide, wide * channels)
    by_weight = torch.where(values > 0, torch.zeros_like(wide), wide * values).sum_to_size(channels.shape)
    return wrap((to_dtype(by_x, x.dtype), to_dtype(torch.reshape(by_weight, slopes.shape), weight.dtype)))


def _bias(dout: Any, data_format: str) -> Any:
    """Return the gradient of a bias of channels: the sum over all other axes."""
    channels = dout.dim() - 1 if data_format == "NHWC" else 1
    return wrap(torch.sum(dout, [axis for axis in range(dout.dim()) if axis != channels], dtype=dout.dtype))


def _l2_normalize(x: Any, y: Any, dy: Any, axis: Any, epsilon: float) -> Any:
    """Return the gradient of `L2Normalize` by x, with its value ``y``: (dy - y · sum(y · dy)) / norm."""
    along = all_axes(axis, x.dim())

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
        squares = torch.clamp(torch.sum(x * x, along, keepdim=True), min=epsilon)
        return (dy - y * torch.sum(y * dy, along, keepdim=True)) * torch.rsqrt(squares)

    return _elementwise(compute)(x, y, dy)


# --- gathering, losses ------------------------------------------------------------------------------------------------
def _gather(x: Any, dim: Any, index: Any, dout: Any) -> Any:
    """Return the gradient of `GatherD` by x, of which only the shape counts: ``dout`` added at the indices."""
    zeros = torch.zeros(tuple(x.shape), dtype=dout.dtype, device=dout.device)
    return wrap(torch.scatter_add(zeros, as_int(dim), as_torch(index).to(torch.int64), as_torch(dout)))


def _median(y_grad: Any, x: Any, y: Any, indices: Any, global_median: bool, axis: int, keep_dims: bool) -> Any:
    """Return the gradient of `Median` by x: at the median's place along the axis; of all elements, shared by those
    equal to it.
    """
    dy, x, y, places = as_torch((y_grad, x, y, indices))
    if global_median:
        equal = to_dtype(x == y, dy.dtype)
        return wrap(to_dtype(equal * (dy / torch.sum(equal)), dy.dtype))
    if not keep_dims and x.dim():
        dy, places = torch.unsqueeze(dy, axis), torch.unsqueeze(places, axis)
    return wrap(torch.scatter_add(torch.zeros_like(x, dtype=dy.dtype), axis, places.to(torch.int64), dy))


@checks_places("MaxPoolGradWithArgmax", "argmax")
def _put(x: Any, dy: Any, argmax: Any, start: int = 2, data_format: str = "") -> Any:
    """Return the gradient by x, from the places that the forward operator gave; they count from axis ``start`` on."""
    if data_format == "NDHWC":
        x, dy, argmax = (torch.movedim(item, -1, -4) for item in (x, dy, argmax))
    places = torch.reshape(as_torch(argmax), (*argmax.shape[:start], -1)).to(torch.int64)
    flat = torch.zeros_like(torch.reshape(as_torch(x), (*x.shape[:start], -1)), dtype=dy.dtype)
    found = torch.scatter_add(flat, -1, places, torch.reshape(as_torch(dy), places.shape)).reshape(x.shape)
    return wrap(torch.movedim(found, -4, -1) if data_format == "NDHWC" else found)


def _of_loss(dy: Any, like: torch.Tensor, reduction: str) -> torch.Tensor:
    """Return the gradient of a loss as that of each element's: as it is, or one number for all, divided for "mean"."""
    dy = to_dtype(as_torch(dy), like.dtype)
    if reduction == "none":
        return dy
    return torch.reshape(dy, (1,) * like.dim()) / (max(like.numel(), 1) if reduction == "mean" else 1)


def _smooth(prediction: Any, target: Any, dout: Any, beta: float, reduction: str) -> Any:
    """Return the gradient of `SmoothL1Loss` by the prediction: d / beta within beta, else the sign of d."""

    def compute(x: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
        d = x - y
        return dy * torch.where(torch.abs(d) < beta, d / beta, torch.sign(d))

    return _elementwise(compute)(prediction, target, _of_loss(dout, prediction, reduction))


def _binary(input: Any, target: Any, grad_output: Any, weight: Any = None, *, reduction: str) -> Any:
    """Return the gradient of `BinaryCrossEntropy` by shares: weight · (x - y) / (x · (1 - x))."""
    weight = torch.ones_like(as_torch(input)) if weight is None else weight
    return _elementwise(lambda x, y, dy, weight: weight * dy * (x - y) / torch.clamp(x * (1 - x), min=1e-12))(
        input, target, _of_loss(grad_output, input, reduction), weight
    )


# --- padding, images --------------------------------------------------------------------------------------------------
def _mirror_pad(dy: Any, paddings: Any, mode: str) -> Any:
    """Return the gradient of `MirrorPad` by x."""
    sides = paddings.tolist() if isinstance(paddings, torch.Tensor) else paddings
    shape = [length - sum(pair) for length, pair in zip(dy.shape, sides)]
    return adjoint(lambda x: mirror_pad(x, sides, mode), shape, dy)


def _grid_sample(
    grad: Any, input_x: Any, grid: Any, interpolation_mode: str, padding_mode: str, align_corners: bool
) -> Any:
    """Return (by the images, by the grid) of `GridSampler2D`; both are always given, as on MindSpore's CPU."""

    def forward(x: Any, grid: Any) -> Any:
        return grid_sample(wrap(x), wrap(grid), interpolation_mode, padding_mode, align_corners)

    return derivatives(forward, (input_x, grid), grad)


def _resize_nearest(grads: Any, size: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return the gradient of `ResizeNearestNeighborV2` by pictures of ``size``."""
    target, shape = tuple(grads.shape[2:]), (*grads.shape[:2], *as_ints(size))
    return adjoint(lambda x: resize_nearest(x, target, align_corners, half_pixel_centers), shape, grads)


def _resize_bilinear(grads: Any, image: Any, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Return the gradient of `ResizeBilinearV2` by the image."""
    target = tuple(grads.shape[2:])
    return adjoint(lambda x: resize_linear(x, target, align_corners, half_pixel_centers), image, grads)


def _adaptive_average(input_grad: Any, orig_input_shape: Any) -> Any:
    """Return the gradient of `AdaptiveAvgPool2D` by x."""
    sizes = tuple(input_grad.shape[-2:])
    return adjoint(lambda x: kernels.adaptive_avg_pool2d(x, sizes), orig_input_shape, input_grad)


def _strided_slice(dy: Any, shapex: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    """Return the gradient of `StridedSlice` by an input of the shape ``shapex``."""
    return adjoint(lambda x: strided_slice(x, begin, end, strides, **masks), shapex, dy)


_REDUCTIONS = Literal["none", "mean", "sum"]
_CORNERS = {"align_corners": (Bool, False), "half_pixel_centers": (Bool, False)}
_WINDOWS = {"strides": (Any, None, None), "pads": (Any, 0, None)}
_TABLE: dict[str, Any] = {
    **{name: _elementwise(formula, name) for name, formula in _FORMULAS.items()},
    "HShrinkGrad": row(_shrink, lambd=(float, 0.5)),
    "SoftShrinkGrad": row(_shrink, lambd=(float, 0.5)),
    "SoftmaxBackward": _softmax,
    "LogSoftmaxGrad": row(_log_softmax, axis=(Int, -1)),
    "PReLUGrad": _prelu,
    "BiasAddGrad": row(_bias, data_format=(Literal["NCHW", "NHWC", "NCDHW"], "NCHW")),
    "L2NormalizeGrad": row(_l2_normalize, axis=(Any, 0), epsilon=(float, 0.0001)),
    "GatherDGradV2": _gather,
    "MedianGrad": row(_median, global_median=(Bool, False), axis=(Int, 0), keep_dims=(Bool, False)),
    "SmoothL1LossGrad": row(_smooth, beta=(Typed[float], 1.0), reduction=(_REDUCTIONS, "none")),
    "BinaryCrossEntropyGrad": row(_binary, reduction=(_REDUCTIONS, "mean")),
    "MirrorPadGrad": row(_mirror_pad, mode=(Literal["REFLECT", "SYMMETRIC"], "REFLECT")),
    "GridSampler2DGrad": row(
        _grid_sample,
        interpolation_mode=(Literal["bilinear", "nearest", "bicubic"], "bilinear"),
        padding_mode=(Literal["zeros", "border", "reflection"], "zeros"),
        align_corners=(Bool, False),
        output_mask=(Any, (1, 1), None),
    ),
    "ResizeNearestNeighborV2Grad": row(_resize_nearest, **_CORNERS),
    "ResizeBilinearGrad": row(_resize_bilinear, **_CORNERS),
    "AdaptiveAvgPool2DGrad": _adaptive_average,
    "StridedSliceGrad": row(
        _strided_slice, **{f"{name}_mask": (Int, 0) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    ),
    "AdaptiveMaxPool2DGrad": lambda y_grad, x, argmax: _put(x, y_grad, argmax, -2),
    "MaxPoolGradWithArgmaxV2": row(
        _put,
        kernel_size=(Any, ..., None),
        **_WINDOWS,
        dilation=(Any, (1, 1), None),
        ceil_mode=(Bool, False, None),
        argmax_type=(Any, torch.int64, None),
    ),
    "MaxPool3DGradWithArgmax": row(
        _put,
        ksize=(Any, ..., None),
        strides=(Any, ..., None),
        pads=(Any, ..., None),
        dilation=(Any, (1, 1, 1), None),
        ceil_mode=(Bool, False, None),
        data_format=(str, "NCDHW"),
    ),
}
_CLASSES = declared(_TABLE, __name__)

globals().update(_CLASSES)

__all__ = functions(globals())
PRIMITIVES = classes(globals())
