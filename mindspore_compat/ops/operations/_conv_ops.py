"""Convolutions in class form. Parts of ``mindspore.ops.operations.nn_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.validate import check_str_in
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import primitive

__all__ = ["Conv2D", "Conv2DTranspose", "Conv2DBackpropInput", "Conv3D", "Conv3DTranspose", "DepthwiseConv2dNative"]

_Run = Callable[..., Any]


def last_as_second(items: Any) -> Any:
    """Return a Tensor, or its shape, with the last axis moved to the second place."""
    return torch.movedim(items, -1, 1) if isinstance(items, torch.Tensor) else (items[0], items[-1], *items[1:-1])


def channels_last(run: _Run) -> _Run:
    """Return ``run`` on Tensors and shapes whose channels are the last axis."""
    return lambda *inputs: wrap(torch.movedim(run(*map(last_as_second, inputs)), 1, -1))


def _check_conv(owner: str, pad_mode: str, pad: Any) -> None:
    check_str_in(
        pad_mode.lower() if isinstance(pad_mode, str) else pad_mode, "pad_mode", ("valid", "same", "pad"), owner
    )
    if pad_mode.lower() != "pad" and any(as_ints(pad)):
        raise ValueError(
            f"For '{owner}', the 'pad' must be 0 when 'pad_mode' is {pad_mode!r}, but got {pad}. Use pad_mode='pad'."
        )


@primitive
def Conv2D(
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
) -> _Run:
    """Convolution of (N, C, H, W) with a weight (out_channel, C / group, kh, kw)."""
    _check_conv("Conv2D", pad_mode, pad)

    def run(x: Any, weight: Any) -> Any:
        return F.conv_nd(2, x, weight, None, stride, pad_mode, pad, dilation, group, "Conv2D")

    return channels_last(run) if data_format == "NHWC" else run


@primitive
def Conv3D(
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> _Run:
    """Convolution of (N, C, D, H, W)."""
    _check_conv("Conv3D", pad_mode, pad)
    return lambda x, weight: F.conv_nd(3, x, weight, None, stride, pad_mode, pad, dilation, group, "Conv3D")


@primitive
def DepthwiseConv2dNative(
    channel_multiplier: int,
    kernel_size: Any,
    mode: int = 3,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
) -> _Run:
    """Convolution of each channel by itself with a weight (multiplier, C, kh, kw)."""

    def run(x: Any, weight: Any) -> Any:
        kernel = torch.reshape(torch.transpose(weight, 0, 1), (-1, 1, *tuple(weight.shape[2:])))
        return F.conv_nd(2, x, kernel, None, stride, pad_mode, pad, dilation, x.shape[1], "DepthwiseConv2dNative")

    return run


@primitive
def Conv2DTranspose(
    out_channel: int,
    kernel_size: Any,
    pad_mode: str = "valid",
    pad: Any = 0,
    pad_list: Any = None,
    mode: int = 1,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
) -> _Run:
    """The input whose convolution gives ``dout``: (dout, weight, input size)."""
    _check_conv("Conv2DTranspose", pad_mode, pad)

    def run(dout: Any, weight: Any, input_size: Any) -> Any:
        return F.conv_transpose_nd(
            2, dout, weight, None, _spatial(stride), pad_mode, pad, dilation, group, output_shape=as_ints(input_size)
        )

    return channels_last(run) if data_format == "NHWC" else run


def _spatial(stride: Any) -> Any:
    return stride[-2:] if isinstance(stride, (tuple, list)) else stride


@primitive
def Conv2DBackpropInput(
    out_channel: int,
    kernel_size: Any,
    pad_mode: str = "valid",
    pad: Any = 0,
    pad_list: Any = None,
    mode: int = 1,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    data_format: Literal["NCHW", "NHWC"] = "NCHW",
) -> _Run:
    """The old name of `Conv2DTranspose`."""
    return Conv2DTranspose(
        out_channel, kernel_size, pad_mode, pad, pad_list, mode, stride, dilation, group, data_format
    )._run


@primitive
def Conv3DTranspose(
    in_channel: int,
    out_channel: int,
    kernel_size: Any,
    mode: int = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> _Run:
    """Transposed convolution of (N, C, D, H, W)."""
    _check_conv("Conv3DTranspose", pad_mode, pad)
    return lambda dout, weight, bias=None: F.conv_transpose_nd(
        3, dout, weight, bias, stride, pad_mode, pad, dilation, group, output_padding
    )
