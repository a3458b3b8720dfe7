"""Gradients of parts, padding, images, convolutions and pooling as operators: each row is the derivative of a forward
operator. Parts of ``mindspore.ops.operations._grad_ops``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Literal

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, check_tensors, checks_places
from mindspore_compat.ops._declare import Bool, Int, declared, row
from mindspore_compat.ops.operations._conv_ops import Conv2D, Conv3D
from mindspore_compat.ops.operations._gradient_ops import (
    adjoint,
    as_torch,
    check_kind,
    check_shapes,
    derivative,
    derivatives,
)
from mindspore_compat.ops.operations._pooling_ops import AvgPool, AvgPool3D, MaxPool, MaxPool3D
from mindspore_compat.ops.operations.array_ops import StridedSlice

_Run = Callable[..., Any]
_Forward = Callable[[Any, Any], Any]
_NAMED = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _named(inputs: str, attributes: dict[str, Any], run: Callable[[Any], Any]) -> _Run:
    """``run(given)`` with inputs and attributes as attributes of ``given``, under the signature that they make."""
    names = inputs.split()

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) + len(kwargs.keys() & set(names)) != len(names):
            raise TypeError(f"{len(names)} inputs are needed ({', '.join(names)}), but got {len(args)}.")
        return run(SimpleNamespace(**dict(zip(names, args)), **kwargs))

    parameters = [inspect.Parameter(name, _NAMED) for name in names]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in attributes]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call


def _of(inputs: str, doc: str, forward: _Forward, shape: Any = None, **attributes: Any) -> Any:
    """A row: the derivative of ``forward(x, given)`` by x.

    Args:
        inputs: names in order. ``@x``: it is differentiated by that value; ``~x``: ``forward`` is linear, so only the
            shape counts, that of a Tensor or one that is given; ``*dy``: the derivative is along it.
        shape: gives x's shape where no input has it.
    """
    words = inputs.split()
    along = next(word[1:] for word in words if word[0] == "*")
    by = next((word for word in words if word[0] in "@~"), "~")

    def run(given: Any) -> Any:
        dy = getattr(given, along)
        check_tensors("Gradient", **{along: dy})
        if by[0] == "@":
            return derivative(lambda x: forward(wrap(x), given), getattr(given, by[1:]), dy)
        x = shape(given) if shape is not None else getattr(given, by[1:])
        is_shape = shape is not None or not isinstance(x, torch.Tensor) or not x.dtype.is_floating_point
        return adjoint(lambda x: forward(x, given), as_ints(x) if is_shape else tuple(x.shape), dy)

    return row(_named(inputs.translate({ord(mark): None for mark in "@~*"}), attributes, run), doc, **attributes)


# --- padding, images --------------------------------------------------------------------------------------------------


def _strided(x: Any, g: Any) -> Any:
    forward = StridedSlice(g.begin_mask, g.end_mask, g.ellipsis_mask, g.new_axis_mask, g.shrink_axis_mask)
    return forward(x, *[as_ints(item) for item in (g.begin, g.end, g.strides)])


def _unpadded(sides: Any, lengths: Any) -> tuple[int, ...]:
    """The shape before padding of (before, after) for each axis."""
    return tuple(length - sum(pair) for length, pair in zip(lengths, sides))


def _pairs(paddings: Any) -> Any:
    return paddings.tolist() if isinstance(paddings, torch.Tensor) else paddings


def _sampled(g: Any) -> Any:
    return derivatives(
        lambda x, grid: F.grid_sample(wrap(x), wrap(grid), g.interpolation_mode, g.padding_mode, g.align_corners),
        (g.input_x, g.grid),
        g.grad,
    )


_SAMPLER: dict[str, Any] = {
    "interpolation_mode": (Literal["bilinear", "nearest", "bicubic"], "bilinear"),
    "padding_mode": (Literal["zeros", "border", "reflection"], "zeros"), "align_corners": (Bool, False),
    "output_mask": (Any, (1, 1)),
}  # fmt: skip


def _nearest_v2_shape(g: Any) -> tuple[int, ...]:
    if g.align_corners and g.half_pixel_centers:
        raise ValueError("For ResizeNearestNeighborV2Grad, half_pixel_centers must be False where align_corners is.")
    check_kind("ResizeNearestNeighborV2Grad", "grads", g.grads, "f")
    if g.grads.dim() != 4 or len(as_ints(g.size)) != 2:
        raise ValueError("For ResizeNearestNeighborV2Grad, 'grads' must have 4 axes and 'size' two lengths.")
    return *g.grads.shape[:2], *as_ints(g.size)


def _resized(resize: _Run) -> _Forward:
    return lambda x, g: resize(x, tuple(g.grads.shape[2:]), g.align_corners, g.half_pixel_centers)


_CORNERS = {"align_corners": (Bool, False), "half_pixel_centers": (Bool, False)}


# --- convolutions, pooling --------------------------------------------------------------------------------------------


def _conv2d(weight: Any, g: Any) -> Any:
    sides = 0 if g.pad_mode.lower() != "pad" else g.pad if any(as_ints(g.pad)) else g.pad_list
    steps, holes = (as_ints(item)[-2:] * (1 if len(as_ints(item)) > 1 else 2) for item in (g.stride, g.dilation))
    forward = Conv2D(g.out_channel, g.kernel_size, g.mode, g.pad_mode, sides, steps, holes, g.group, g.data_format)
    return forward(wrap(as_torch(g.input)), wrap(weight))


def _conv3d(weight: Any, g: Any) -> Any:
    steps, holes = (as_ints(item)[-3:] if not isinstance(item, int) else item for item in (g.stride, g.dilation))
    forward = Conv3D(g.out_channel, g.kernel_size, g.mode, g.pad_mode, g.pad, steps, holes, g.group, g.data_format)
    return forward(wrap(as_torch(g.x)), wrap(weight))


def _average3d(x: Any, g: Any) -> Any:
    return AvgPool3D(
        g.kernel_size, g.strides, g.pad_mode, g.pads, g.ceil_mode, g.count_include_pad, g.divisor_override
    )(x)


def _maxima(make: Any, axes: int) -> _Forward:
    def forward(x: Any, g: Any) -> Any:
        if axes == 2 and getattr(g, "data_format", "NCHW") == "NHWC":
            raise ValueError("NHWC format only support in GPU target.")
        tail = [as_ints(item)[-axes:] if not isinstance(item, int) else item for item in (g.kernel_size, g.strides)]
        return make(*tail, g.pad_mode, *([getattr(g, "pad_list", 0)] if axes == 3 else []))(x)

    return forward


_POOL = {"kernel_size": (Any, 1), "strides": (Any, 1), "pad_mode": (str, "VALID")}
_POOL3D = {"kernel_size": (Any, (1,) * 5), "strides": (Any, (1,) * 5), "pad_mode": (str, "VALID")}


def _put(owner: str, inputs: str, start: int, **attributes: Any) -> Any:
    """A row: zeros like ``@x``, ``*dy`` added at the places of ``argmax``, which count from axis ``start`` on."""
    names = {word[0]: word[1:] for word in inputs.split()}

    @checks_places(owner, "argmax")
    def put(g: Any) -> Any:
        x, dy, argmax = getattr(g, names["@"]), getattr(g, names["*"]), g.argmax
        if getattr(g, "data_format", "") == "NDHWC":
            x, dy, argmax = (torch.movedim(item, -1, -4) for item in (x, dy, argmax))
        check_tensors(owner, x=x, grad=dy, argmax=argmax)
        check_shapes(owner, grad=dy, argmax=argmax)
        places = torch.reshape(as_torch(argmax), (*argmax.shape[:start], -1)).to(torch.int64)
        flat = torch.zeros_like(torch.reshape(as_torch(x), (*x.shape[:start], -1)), dtype=dy.dtype)
        flat = torch.scatter_add(flat, -1, places, torch.reshape(as_torch(dy), places.shape))
        found = torch.reshape(flat, x.shape)
        return wrap(torch.movedim(found, -4, -1) if getattr(g, "data_format", "") == "NDHWC" else found)

    doc = "The gradient by x, from the places that the forward operator gave."
    return row(_named(inputs.replace("@", "").replace("*", ""), attributes, put), doc, **attributes)


_N5 = (1, 1, 1, 1, 1)
_TABLE: dict[str, Any] = {
    "StridedSliceGrad": _of(
        "*dy ~shapex begin end strides", "The gradient of `StridedSlice`, of the shape ``shapex``.", _strided,
        begin_mask=(Int, 0), end_mask=(Int, 0), ellipsis_mask=(Int, 0), new_axis_mask=(Int, 0),
        shrink_axis_mask=(Int, 0),
    ),
    "MirrorPadGrad": _of(
        "*dy paddings", "The gradient of `MirrorPad` by x.",
        lambda x, g: F.mirror_pad(x, _pairs(g.paddings), g.mode),
        lambda g: _unpadded(_pairs(g.paddings), g.dy.shape), mode=(Literal["REFLECT", "SYMMETRIC"], "REFLECT"),
    ),
    "GridSampler2DGrad": row(
        _named("grad input_x grid", _SAMPLER, _sampled),
        "(by the images, by the grid) of `GridSampler2D`; both are always given, as on upstream's CPU.", **_SAMPLER,
    ),
    "ResizeNearestNeighborV2Grad": _of(
        "*grads size", "The gradient of `ResizeNearestNeighborV2` by pictures of ``size``.",
        _resized(F.resize_nearest), _nearest_v2_shape, **_CORNERS,
    ),
    "ResizeBilinearGrad": _of(
        "*grads ~image", "The gradient of `ResizeBilinearV2` by the image.", _resized(F.resize_linear), **_CORNERS
    ),
    "Conv2DBackpropFilter": _of(
        "*out_backprop input ~filter_sizes", "The gradient of `Conv2D` by its weight.", _conv2d,
        out_channel=(int, ...), kernel_size=(Any, ...), pad_mode=(str, "valid"), pad=(Any, 0),
        pad_list=(Any, (0, 0, 0, 0)), mode=(int, 1), stride=(Any, (1, 1)), dilation=(Any, (1, 1, 1, 1)), group=(int, 1),
        data_format=(str, "NCHW"),
    ),
    "Conv3DBackpropFilter": _of(
        "x *out_backprop ~filter_size", "The gradient of `Conv3D` by its weight.", _conv3d, out_channel=(int, ...),
        kernel_size=(Any, ...), mode=(int, 1), pad_mode=(str, "valid"), pad=(Any, 0), stride=(Any, _N5),
        dilation=(Any, _N5), group=(int, 1), data_format=(str, "NCDHW"),
    ),
    "AvgPoolGrad": _of(
        "~x out *dout", "The gradient of `AvgPool` by x, of which only the shape counts.",
        lambda x, g: AvgPool(g.kernel_size, g.strides, g.pad_mode, g.data_format)(x),
        **_POOL, data_format=(str, "NCHW"),
    ),
    "AvgPool3DGrad": _of(
        "~origin_input_shape *grads", "The gradient of `AvgPool3D` by x.", _average3d, kernel_size=(Any, 1),
        strides=(Any, 1), pads=(Any, 0), ceil_mode=(Bool, False), count_include_pad=(Bool, True),
        divisor_override=(int, 0), data_format=(str, "NCDHW"), pad_mode=(str, "pad"),
    ),
    "AdaptiveAvgPool2DGrad": _of(
        "*input_grad ~orig_input_shape", "The gradient of `AdaptiveAvgPool2D` by x.",
        lambda x, g: kernels.adaptive_avg_pool2d(x, tuple(g.input_grad.shape[-2:])),
    ),
    "MaxPoolGrad": _of(
        "@x_origin out_origin *grad", "The gradient of `MaxPool` by x.", _maxima(MaxPool, 2),
        **_POOL, data_format=(str, "NCHW"),
    ),
    "MaxPool3DGrad": _of(
        "@x_origin out_origin *grad", "The gradient of `MaxPool3D` by x.", _maxima(MaxPool3D, 3),
        **_POOL3D, pad_list=(Any, 0), data_format=(str, "NCDHW"),
    ),
    "MaxPoolGradWithArgmaxV2": _put(
        "MaxPoolGradWithArgmaxV2", "@x *grad argmax", 2, kernel_size=(Any, ...), strides=(Any, None), pads=(Any, 0),
        dilation=(Any, (1, 1)), ceil_mode=(Bool, False), argmax_type=(Any, torch.int64),
    ),
    "MaxPool3DGradWithArgmax": _put(
        "MaxPool3DGradWithArgmax", "@x *grads argmax", 2, ksize=(Any, ...), strides=(Any, ...), pads=(Any, ...),
        dilation=(Any, (1, 1, 1)), ceil_mode=(Bool, False), data_format=(str, "NCDHW"),
    ),
    "AdaptiveMaxPool2DGrad": _put("AdaptiveMaxPool2DGrad", "*y_grad @x argmax", -2),
}  # fmt: skip

_CLASSES = declared(_TABLE, __name__)
globals().update(_CLASSES)
__all__ = [*_CLASSES]
