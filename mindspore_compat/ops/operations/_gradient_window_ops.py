"""Gradients of convolutions and pooling as operators. Parts of ``mindspore.ops.operations._grad_ops``."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints, check_tensors, checks_places, to_dtype
from mindspore_compat.ops._declare import Bool, primitive
from mindspore_compat.ops.operations._conv_ops import Conv2D, Conv3D, _check_positive
from mindspore_compat.ops.operations._gradient_ops import adjoint, as_torch, check_shapes, derivative, pushed
from mindspore_compat.ops.operations._pooling_ops import AvgPool, AvgPool3D, MaxPool, MaxPool3D

__all__ = """
    AdaptiveAvgPool2DGrad AdaptiveAvgPool3DGrad AdaptiveMaxPool2DGrad AdaptiveMaxPool3DGrad AvgPool3DGrad AvgPoolGrad
    Conv2DBackpropFilter Conv3DBackpropFilter FractionalAvgPoolGrad FractionalMaxPool3DGradWithFixedKsize
    FractionalMaxPoolGrad FractionalMaxPoolGradWithFixedKsize MaxUnpool2DGrad MaxUnpool3DGrad MaxPool3DGrad
    MaxPool3DGradGrad MaxPool3DGradWithArgmax MaxPoolGrad MaxPoolGradGrad MaxPoolGradGradWithArgmax
    MaxPoolGradWithArgmax MaxPoolGradWithArgmaxV2
""".split()

_Run = Callable[..., Any]


# --- convolutions -----------------------------------------------------------------------------------------------------


def _filter(forward: _Run, dout: Any, x: Any, filter_size: Any) -> Any:
    """The gradient of a convolution by its weight, of the shape ``filter_size``."""
    return adjoint(lambda weight: forward(wrap(as_torch(x)), wrap(weight)), as_ints(filter_size), dout)


@primitive
def Conv2DBackpropFilter(
    out_channel: int,
    kernel_size: Any,
    pad_mode: str = "valid",
    pad: Any = 0,
    pad_list: Any = (0, 0, 0, 0),
    mode: int = 1,
    stride: Any = (1, 1),
    dilation: Any = (1, 1, 1, 1),
    group: int = 1,
    data_format: str = "NCHW",
) -> _Run:
    """The gradient of `Conv2D` by its weight, of the shape ``filter_sizes``."""
    sides = 0 if pad_mode.lower() != "pad" else pad if any(as_ints(pad)) else pad_list
    forward = Conv2D(
        out_channel, kernel_size, mode, pad_mode, sides, as_ints(stride)[-2:] * (1 if len(as_ints(stride)) > 1 else 2),
        as_ints(dilation)[-2:] * (1 if len(as_ints(dilation)) > 1 else 2), group, data_format,
    )  # fmt: skip
    return lambda out_backprop, input, filter_sizes: _filter(forward, out_backprop, input, filter_sizes)


@primitive
def Conv3DBackpropFilter(
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = (1, 1, 1, 1, 1),
    dilation: Any = (1, 1, 1, 1, 1),
    group: int = 1,
    data_format: str = "NCDHW",
) -> _Run:
    """The gradient of `Conv3D` by its weight, of the shape ``filter_size``."""
    steps, holes = (as_ints(item)[-3:] if not isinstance(item, int) else item for item in (stride, dilation))
    forward = Conv3D(out_channel, kernel_size, mode, pad_mode, pad, steps, holes, group, data_format)
    return lambda x, out_backprop, filter_size: _filter(forward, out_backprop, x, filter_size)


# --- means over windows -----------------------------------------------------------------------------------------------


@primitive
def AvgPoolGrad(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """The gradient of `AvgPool` by x, of which only the shape counts; ``out`` is not read."""
    forward = AvgPool(kernel_size, strides, pad_mode, data_format)
    return lambda x, out, dout: adjoint(lambda x: forward(x), tuple(x.shape), dout)


@primitive
def AvgPool3DGrad(
    kernel_size: Any = 1,
    strides: Any = 1,
    pads: Any = 0,
    ceil_mode: Bool = False,
    count_include_pad: Bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
    pad_mode: str = "pad",
) -> _Run:
    """The gradient of `AvgPool3D` by an input of the shape ``origin_input_shape``."""
    forward = AvgPool3D(kernel_size, strides, pad_mode, pads, ceil_mode, count_include_pad, divisor_override)
    return lambda origin_input_shape, grads: adjoint(lambda x: forward(x), as_ints(origin_input_shape), grads)


def _adaptive_average(axes: int) -> _Run:
    pool = (kernels.adaptive_avg_pool2d, kernels.adaptive_avg_pool3d)[axes - 2]

    def run(dy: Any, shape: Any) -> Any:
        return adjoint(lambda x: pool(x, tuple(dy.shape[-axes:])), as_ints(shape), dy)

    return run


@primitive
def AdaptiveAvgPool2DGrad() -> _Run:
    """The gradient of `AdaptiveAvgPool2D` by an input of the shape ``orig_input_shape``."""
    run = _adaptive_average(2)
    return lambda input_grad, orig_input_shape: run(input_grad, orig_input_shape)


@primitive
def AdaptiveAvgPool3DGrad() -> _Run:
    """The gradient of `AdaptiveAvgPool3D` by an input of the shape ``orig_input_shape``."""
    run = _adaptive_average(3)
    return lambda y_grad, orig_input_shape: run(y_grad, orig_input_shape)


# --- maxima over windows ----------------------------------------------------------------------------------------------


def _max_pool(owner: str, make: Any, kernel_size: Any, strides: Any, pad_mode: str, *rest: Any) -> _Run:
    """The forward operator, with the gradient's name in its complaints."""
    _check_positive(owner, kernel_size=kernel_size, strides=strides)
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME", *(("PAD", "CALCULATED") if rest else ())), owner)
    axes = 3 if rest else 2
    tail = [as_ints(item)[-axes:] if not isinstance(item, int) else item for item in (kernel_size, strides)]
    return make(*tail, pad_mode, *rest)


def _by_maxima(owner: str, forward: _Run) -> _Run:
    """``(x, y, dy)``; the value ``y`` is not read."""

    def run(x_origin: Any, out_origin: Any, grad: Any) -> Any:
        check_tensors(owner, x_origin=x_origin, out_origin=out_origin, grad=grad)
        check_shapes(owner, out_origin=out_origin, grad=grad)
        return derivative(lambda x: forward(wrap(x)), x_origin, grad)

    return run


def _of_maxima(owner: str, forward: _Run) -> _Run:
    """``(x, y, gradient of x)``: what of it lies where the maxima are."""

    def run(x_origin: Any, out_origin: Any, grad: Any) -> Any:
        check_tensors(owner, x_origin=x_origin, out_origin=out_origin, grad=grad)
        check_shapes(owner, x_origin=x_origin, grad=grad)
        return pushed(lambda x: forward(wrap(x)), x_origin, grad)

    return run


def _check_format(data_format: str) -> None:
    if data_format == "NHWC":
        raise ValueError("NHWC format only support in GPU target.")


@primitive
def MaxPoolGrad(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """The gradient of `MaxPool` by x."""
    _check_format(data_format)
    return _by_maxima("MaxPoolGrad", _max_pool("MaxPoolGrad", MaxPool, kernel_size, strides, pad_mode))


@primitive
def MaxPoolGradGrad(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID") -> _Run:
    """The gradient of `MaxPoolGrad` by its gradient: the elements of ``grad`` where the maxima of x are."""
    return _of_maxima("MaxPoolGradGrad", _max_pool("MaxPoolGradGrad", MaxPool, kernel_size, strides, pad_mode))


@primitive
def MaxPool3DGrad(
    kernel_size: Any = (1, 1, 1, 1, 1),
    strides: Any = (1, 1, 1, 1, 1),
    pad_mode: str = "VALID",
    pad_list: Any = 0,
    data_format: str = "NCDHW",
) -> _Run:
    """The gradient of `MaxPool3D` by x."""
    return _by_maxima("MaxPool3DGrad", _max_pool("MaxPool3DGrad", MaxPool3D, kernel_size, strides, pad_mode, pad_list))


@primitive
def MaxPool3DGradGrad(
    kernel_size: Any = (1, 1, 1, 1, 1),
    strides: Any = (1, 1, 1, 1, 1),
    pad_mode: str = "VALID",
    data_format: str = "NCDHW",
) -> _Run:
    """The gradient of `MaxPool3DGrad` by its gradient: the elements of ``grad`` where the maxima of x are."""
    return _of_maxima("MaxPool3DGradGrad", _max_pool("MaxPool3DGradGrad", MaxPool3D, kernel_size, strides, pad_mode, 0))


# --- maxima by their places -------------------------------------------------------------------------------------------


def _put(owner: str, start: int) -> _Run:
    """``(x, dy, places)``: zeros like x, ``dy`` added at the places, which count from axis ``start`` on."""

    @checks_places(owner, "argmax")
    def run(x: Any, dy: Any, argmax: Any) -> Any:
        check_tensors(owner, x=x, grad=dy, argmax=argmax)
        check_shapes(owner, grad=dy, argmax=argmax)
        places = torch.reshape(as_torch(argmax), (*argmax.shape[:start], -1)).to(torch.int64)
        flat = torch.zeros_like(torch.reshape(as_torch(x), (*x.shape[:start], -1)), dtype=dy.dtype)
        return wrap(
            torch.reshape(torch.scatter_add(flat, -1, places, torch.reshape(as_torch(dy), places.shape)), x.shape)
        )

    return run


def _taken(owner: str, start: int) -> _Run:
    """``(x, dy, places)``: the elements of ``dy`` at the places, which count from axis ``start`` on."""

    @checks_places(owner, "argmax")
    def run(x: Any, grad: Any, argmax: Any) -> Any:
        check_tensors(owner, x=x, grad=grad, argmax=argmax)
        places = torch.reshape(as_torch(argmax), (*argmax.shape[:start], -1)).to(torch.int64)
        flat = torch.reshape(as_torch(grad), (*grad.shape[:start], -1))
        return wrap(torch.reshape(torch.gather(flat, -1, places), argmax.shape))

    return run


@primitive
def MaxPoolGradWithArgmax(
    kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW"
) -> _Run:
    """The gradient of `MaxPoolWithArgmax` by x, from the places that it gave."""
    _max_pool("MaxPoolGradWithArgmax", MaxPool, kernel_size, strides, pad_mode)
    run = _put("MaxPoolGradWithArgmax", 1)
    return lambda x_origin, grad, argmax: run(x_origin, grad, argmax)


@primitive
def MaxPoolGradWithArgmaxV2(
    kernel_size: Any,
    strides: Any = None,
    pads: Any = 0,
    dilation: Any = (1, 1),
    ceil_mode: Bool = False,
    argmax_type: Any = torch.int64,
) -> _Run:
    """The gradient of `MaxPoolWithArgmaxV2` by x, from the places that it gave."""
    run = _put("MaxPoolGradWithArgmaxV2", 2)
    return lambda x, grad, argmax: run(x, grad, argmax)


@primitive
def MaxPool3DGradWithArgmax(
    ksize: Any, strides: Any, pads: Any, dilation: Any = (1, 1, 1), ceil_mode: Bool = False, data_format: str = "NCDHW"
) -> _Run:
    """The gradient of `MaxPool3DWithArgmax` by x, from the places that it gave."""
    run = _put("MaxPool3DGradWithArgmax", 2)
    return lambda x, grads, argmax: run(x, grads, argmax)


@primitive
def MaxPoolGradGradWithArgmax(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID") -> _Run:
    """The gradient of `MaxPoolGradWithArgmax` by its gradient: the elements of ``grad`` at the places."""
    owner = "MaxPoolGradGradWithArgmax"
    _max_pool(owner, MaxPool, kernel_size, strides, pad_mode)

    return _taken(owner, 1)


@primitive
def MaxUnpool2DGrad(
    ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: Literal["NCHW"] = "NCHW"
) -> _Run:
    """The gradient of `MaxUnpool2D` by x: the elements of ``grads`` at the places."""
    run = _taken("MaxUnpool2DGrad", -2)
    return lambda x, grads, argmax: run(x, grads, argmax)


@primitive
def MaxUnpool3DGrad(
    ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: Literal["NCDHW"] = "NCDHW"
) -> _Run:
    """The gradient of `MaxUnpool3D` by x: the elements of ``grads`` at the places."""
    run = _taken("MaxUnpool3DGrad", -3)
    return lambda x, grads, argmax: run(x, grads, argmax)


@primitive
def AdaptiveMaxPool2DGrad() -> _Run:
    """The gradient of `AdaptiveMaxPool2D` by x, from the places that it gave."""
    run = _put("AdaptiveMaxPool2DGrad", -2)
    return lambda y_grad, x, argmax: run(x, y_grad, argmax)


@primitive
def AdaptiveMaxPool3DGrad() -> _Run:
    """The gradient of `AdaptiveMaxPool3D` by x, from the places that it gave."""
    run = _put("AdaptiveMaxPool3DGrad", -3)
    return lambda input_grad, x, argmax: run(x, input_grad, argmax)


@primitive
def FractionalMaxPoolGradWithFixedKsize(data_format: Literal["NCHW"] = "NCHW") -> _Run:
    """The gradient of `FractionalMaxPoolWithFixedKsize` by x, from the places that it gave."""
    run = _put("FractionalMaxPoolGradWithFixedKsize", 2)
    return lambda origin_input, out_backprop, argmax: run(origin_input, out_backprop, argmax)


@primitive
def FractionalMaxPool3DGradWithFixedKsize(data_format: Literal["NCDHW", "NDHWC"] = "NCDHW") -> _Run:
    """The gradient of `FractionalMaxPool3DWithFixedKsize` by x, from the places that it gave."""
    run = _put("FractionalMaxPool3DGradWithFixedKsize", -3)
    if data_format == "NCDHW":
        return lambda origin_input, out_backprop, argmax: run(origin_input, out_backprop, argmax)
    return lambda origin_input, out_backprop, argmax: wrap(
        torch.movedim(run(*[torch.movedim(item, -1, -4) for item in (origin_input, out_backprop, argmax)]), -4, -1)
    )


# --- windows of changing size -----------------------------------------------------------------------------------------


def _windows(x: torch.Tensor, rows: Any, cols: Any, overlapping: bool, reduce: _Run) -> torch.Tensor:
    """(N, rows, cols, C) of (N, H, W, C): each window, flattened along axis 1, reduced; overlapping ones share
    borders.
    """
    more = 1 if overlapping else 0
    found = [
        [
            reduce(torch.flatten(x[:, top : bottom + more, left : right + more], 1, 2))
            for left, right in itertools.pairwise(cols)
        ]
        for top, bottom in itertools.pairwise(rows)
    ]
    return torch.stack([torch.stack(row, 1) for row in found], 1)


@primitive
def FractionalMaxPoolGrad(overlapping: Bool = False) -> _Run:
    """The gradient of `FractionalMaxPool` by x (N, H, W, C), with the borders of the windows that it gave."""

    def run(
        orig_input: Any, orig_output: Any, out_backprop: Any, row_pooling_sequence: Any, col_pooling_sequence: Any
    ) -> Any:
        rows, cols, dtype = as_ints(row_pooling_sequence), as_ints(col_pooling_sequence), out_backprop.dtype
        x, dy = (
            item if item.dtype.is_floating_point else to_dtype(item, torch.float64)
            for item in (orig_input, out_backprop)
        )
        found = derivative(lambda x: _windows(x, rows, cols, overlapping, lambda part: torch.max(part, 1)[0]), x, dy)
        return wrap(to_dtype(found, dtype))

    return run


@primitive
def FractionalAvgPoolGrad(overlapping: Bool = False) -> _Run:
    """The gradient of `FractionalAvgPool` by x (N, H, W, C), with the borders of the windows that it gave."""

    def run(
        orig_input_tensor_shape: Any, out_backprop: Any, row_pooling_sequence: Any, col_pooling_sequence: Any
    ) -> Any:
        rows, cols = as_ints(row_pooling_sequence), as_ints(col_pooling_sequence)
        return adjoint(
            lambda x: _windows(x, rows, cols, overlapping, lambda part: torch.mean(part, 1)),
            as_ints(orig_input_tensor_shape),
            out_backprop,
        )

    return run
