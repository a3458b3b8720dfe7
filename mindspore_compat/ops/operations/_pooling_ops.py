"""Pooling in class form. Parts of ``mindspore.ops.operations.nn_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Ints, primitive
from mindspore_compat.ops.operations._conv_ops import channels_last, last_as_second

__all__ = """
    MaxPool MaxPoolV1 AvgPool AvgPoolV1 MaxPool3D AvgPool3D MaxPoolWithArgmax MaxPoolWithArgmaxV2 MaxPool3DWithArgmax
    MaxUnpool2D MaxUnpool3D AdaptiveMaxPool2D
""".split()

_Run = Callable[..., Any]


@renamed_args(ksize="kernel_size", padding="pad_mode")
@primitive
def MaxPool(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> _Run:
    """Maxima over windows."""
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "MaxPool")
    return lambda x: F.pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, owner="MaxPool")


@renamed_args(ksize="kernel_size", padding="pad_mode")
@primitive
def AvgPool(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """Means over windows; padding does not count."""
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "AvgPool")
    return lambda x: F.pool_nd(2, "avg", x, kernel_size, strides, pad_mode, data_format, owner="AvgPool")


@primitive
def MaxPoolV1(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> _Run:
    """The same as `MaxPool`; MindSpore has it on Ascend."""
    return MaxPool(kernel_size, strides, pad_mode, data_format)._run


@primitive
def AvgPoolV1(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """The same as `AvgPool`; MindSpore has it on Ascend."""
    return AvgPool(kernel_size, strides, pad_mode, data_format)._run


@primitive
def MaxPool3D(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "VALID",
    pad_list: Any = 0,
    ceil_mode: Any = None,
    data_format: str = "NCDHW",
) -> _Run:
    """Maxima over windows of (N, C, D, H, W); pad_mode "PAD" uses the six numbers of ``pad_list``."""
    if pad_mode.upper() != "PAD":
        return lambda x: F.pool_nd(3, "max", x, kernel_size, strides, pad_mode, data_format, owner="MaxPool3D")
    sides = as_ints(pad_list) * (6 if isinstance(pad_list, int) else 1)

    def run(x: Any) -> Any:
        padded = torch.nn.functional.pad(x, (*sides[4:], *sides[2:4], *sides[:2]), value=float("-inf"))
        return wrap(
            torch.nn.functional.max_pool3d(
                padded, F.sizes_of(kernel_size, 3), F.sizes_of(strides, 3), ceil_mode=bool(ceil_mode)
            )
        )

    return run


@primitive
def AvgPool3D(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
) -> _Run:
    """Means over windows of (N, C, D, H, W)."""
    kernel, step = F.sizes_of(kernel_size, 3), F.sizes_of(strides, 3)
    if pad_mode.upper() == "PAD":
        return lambda x: F.avg_pool3d(x, kernel, step, pad, ceil_mode, count_include_pad, divisor_override)
    return lambda x: F.pool_nd(
        3, "avg", x, kernel, step, pad_mode, data_format, owner="AvgPool3D", count_include_pad=count_include_pad
    )


@renamed_args(ksize="kernel_size", padding="pad_mode")
@primitive
def MaxPoolWithArgmax(
    kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> _Run:
    """(maxima over windows, int32 flat index of each in its sample (C, H, W))."""
    kernel, step = F.sizes_of(kernel_size, 2), F.sizes_of(strides, 2)

    def run(x: Any) -> Any:
        height, width = x.shape[-2:]
        planes = torch.reshape(torch.arange(x.shape[1], device=x.device) * (height * width), (-1, 1, 1))
        if pad_mode.upper() == "VALID":
            values, places = F.pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, True)
            return values, wrap(to_dtype(places + planes, torch.int32))
        top, left = F.same_padding(height, kernel[0], step[0])[0], F.same_padding(width, kernel[1], step[1])[0]
        values, places = F.pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, True)
        padded_width = width + sum(F.same_padding(width, kernel[1], step[1]))
        rows = torch.div(places, padded_width, rounding_mode="floor") - top
        cols = torch.remainder(places, padded_width) - left
        return values, wrap(to_dtype(rows * width + cols + planes, torch.int32))

    return run


@primitive
def MaxPoolWithArgmaxV2(
    kernel_size: Any,
    strides: Any = None,
    pads: Any = 0,
    dilation: Any = (1, 1),
    ceil_mode: bool = False,
    argmax_type: Any = torch.int64,
) -> _Run:
    """(maxima over windows, flat index of each in its plane)."""

    def run(x: Any) -> Any:
        values, places = torch.nn.functional.max_pool2d(x, kernel_size, strides, pads, dilation, ceil_mode, True)
        return wrap(values), wrap(to_dtype(places, argmax_type))

    return run


@primitive
def MaxPool3DWithArgmax(
    ksize: Any,
    strides: Any,
    pads: Any,
    dilation: Any = (1, 1, 1),
    ceil_mode: bool = False,
    data_format: Literal["NCDHW"] = "NCDHW",
    argmax_type: Any = torch.int64,
) -> _Run:
    """(maxima over windows, flat index of each in its volume)."""

    def run(x: Any) -> Any:
        values, places = torch.nn.functional.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
        return wrap(values), wrap(to_dtype(places, argmax_type))

    return run


def _unpool(
    unpool: Callable[..., Any], ksize: Any, strides: Any, pads: Any, output_shape: Any, data_format: str
) -> _Run:
    is_last = data_format.endswith("C")
    size = tuple(last_as_second(output_shape) if is_last and output_shape else output_shape) or None

    def run(x: Any, argmax: Any) -> Any:
        return unpool(x, argmax, ksize, strides or None, pads, size)

    return channels_last(run) if is_last else run


@primitive
def MaxUnpool2D(
    ksize: Any,
    strides: Any = 0,
    pads: Any = 0,
    output_shape: Any = (),
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
) -> _Run:
    """The inverse of max pooling."""
    return _unpool(F.max_unpool2d, ksize, strides, pads, output_shape, data_format)


@primitive
def MaxUnpool3D(
    ksize: Any,
    strides: Any = 0,
    pads: Any = 0,
    output_shape: Any = (),
    data_format: Literal["NCDHW", "NDHWC"] = "NCDHW",
) -> _Run:
    """The inverse of max pooling."""
    return _unpool(F.max_unpool3d, ksize, strides, pads, output_shape, data_format)


@primitive
def AdaptiveMaxPool2D(output_size: Ints[int | list | tuple]) -> _Run:
    """(maxima over windows so that ``output_size`` remain, int64 indices)."""
    return lambda input: F.adaptive_max_pool2d(input, output_size, True)
