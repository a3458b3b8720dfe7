"""Layers, losses and pooling in class form. Upstream: ``mindspore.ops.operations.nn_ops``; optimizers stand in
``_update_ops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_float_range, check_positive_int, check_str_in, check_type
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import primitive
from mindspore_compat.ops.operations import _nn_table
from mindspore_compat.ops.operations._nn_table import *  # noqa: F403
from mindspore_compat.ops.operations._recurrent_ops import *  # noqa: F403
from mindspore_compat.ops.operations._recurrent_ops import __all__ as _recurrent
from mindspore_compat.ops.operations._update_ops import *  # noqa: F403
from mindspore_compat.ops.operations._update_ops import __all__ as _updates

_Run = Callable[..., Any]
_REDUCTIONS = ("mean", "sum", "none")


__all__ = [
    *_nn_table.__all__,
    *_recurrent,
    *_updates,
    "Softmax",
    "InstanceNorm",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "DropoutGenMask",
    "DropoutDoMask",
    "Conv2D",
    "Conv2DTranspose",
    "Conv2DBackpropInput",
    "Conv3D",
    "Conv3DTranspose",
    "DepthwiseConv2dNative",
    "MaxPool",
    "AvgPool",
    "MaxPool3D",
    "AvgPool3D",
    "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2",
    "MaxPool3DWithArgmax",
    "MaxUnpool2D",
    "MaxUnpool3D",
    "AdaptiveMaxPool2D",
    "Pad",
    "PadV3",
    "SmoothL1Loss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "TripletMarginLoss",
    "ComputeAccidentalHits",
    "Im2Col",
    "UpsampleNearest3D",
    "UpsampleTrilinear3D",
    "DeformableOffsets",
]


# --- activations ------------------------------------------------------------------------------------------------------


@primitive
def Softmax(axis: Any = -1) -> _Run:
    """exp(x) normalized to sum 1 along one axis or several."""
    if isinstance(axis, bool) or not isinstance(axis, (int, tuple)):
        raise TypeError(
            f"For 'Softmax', the 'axis' must be an int or a tuple of ints, but got {axis!r} of type "
            f"{type(axis).__name__}."
        )
    if isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, int):
        return lambda input: wrap(torch.softmax(input, axis))
    return lambda input: F.softmax_axes(input, axis)


# --- normalization and dropout ----------------------------------------------------------------------------------------


@primitive
def InstanceNorm(epsilon: float = 1e-05, momentum: float = 0.1) -> _Run:
    """(y, mean, variance) of each sample's channels; the moving ones are updated."""

    def run(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any) -> Any:
        axes = tuple(range(2, x.dim()))
        with torch.no_grad():
            batch_variance, batch_mean = torch.var_mean(x, axes, correction=0)
            for moving, now in ((mean, batch_mean), (variance, batch_variance)):
                F.assign(moving, moving * (1 - momentum) + torch.mean(now, 0) * momentum)
        return wrap(
            (
                torch.instance_norm(x, gamma, beta, None, None, True, momentum, epsilon, False),
                batch_mean,
                batch_variance,
            )
        )

    return run


@primitive
def Dropout(keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0, p: float | None = None) -> _Run:
    """(x with elements set to 0 and the rest scaled up, mask). No MindSpore takes ``p``, the share set to 0, but
    projects write it.
    """
    if p is not None:
        keep_prob = 1 - check_float_range(p, "p", "Dropout", 0, 1, (True, False))
    if not isinstance(keep_prob, (int, float)) or not 0 < keep_prob <= 1:
        raise ValueError(f"For 'Dropout', the 'keep_prob' must be in (0, 1], but got {keep_prob!r}.")
    return lambda x: F.dropout_with_mask(x, keep_prob, Seed0 or Seed1)


def _channel_dropout(keep_prob: float, axes: int) -> _Run:
    def run(x: Any) -> Any:
        keep = torch.rand((*x.shape[:2], *(1,) * axes), device=x.device) < keep_prob
        mask = torch.Tensor.expand(keep, tuple(x.shape))
        return wrap(x * to_dtype(mask, x.dtype) / keep_prob), wrap(torch.clone(mask))

    return run


@primitive
def Dropout2D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 2)


@primitive
def Dropout3D(keep_prob: float = 0.5) -> _Run:
    """(x with whole channels set to 0, bool mask)."""
    return _channel_dropout(keep_prob, 3)


@primitive
def DropoutGenMask(Seed0: int = 0, Seed1: int = 0) -> _Run:
    """The mask of a shape for `DropoutDoMask`: one byte each, not upstream's one bit each."""

    def run(shape: Any, keep_prob: Any) -> Any:
        drawn = torch.rand(as_ints(shape), generator=F.generator_of(Seed0 or Seed1))
        return wrap(to_dtype(drawn < float(keep_prob), torch.uint8))

    return run


@primitive
def DropoutDoMask() -> _Run:
    """x · mask / keep_prob, with a mask of `DropoutGenMask`."""
    return lambda x, mask, keep_prob: wrap(
        x * to_dtype(torch.reshape(mask, tuple(x.shape)), x.dtype).to(x.device) / float(keep_prob)
    )


# --- convolution ------------------------------------------------------------------------------------------------------


def _check_conv(owner: str, out_channel: int, pad_mode: str, pad: Any, group: int) -> None:
    check_positive_int(out_channel, "out_channel", owner)
    check_positive_int(group, "group", owner)
    check_str_in(
        pad_mode.lower() if isinstance(pad_mode, str) else pad_mode, "pad_mode", ("valid", "same", "pad"), owner
    )
    if pad_mode.lower() != "pad" and any(as_ints(pad)):
        raise ValueError(
            f"For '{owner}', the 'pad' must be 0 when 'pad_mode' is {pad_mode!r}, but got {pad}. Use pad_mode='pad'."
        )


def _check_positive(owner: str, **values: Any) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, tuple, list)):
            raise TypeError(
                f"For '{owner}', the '{name}' must be an int or a tuple of ints, but got {value!r} of type "
                f"{type(value).__name__}."
            )
        if any(item <= 0 for item in as_ints(value)):
            raise ValueError(f"For '{owner}', the '{name}' must be a positive int, but got {value!r}.")


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
    data_format: str = "NCHW",
) -> _Run:
    """Convolution of (N, C, H, W) with a weight (out_channel, C / group, kh, kw)."""
    _check_conv("Conv2D", out_channel, pad_mode, pad, group)
    _check_positive("Conv2D", kernel_size=kernel_size, stride=stride, dilation=dilation)
    if data_format == "NHWC":
        return lambda x, weight: wrap(
            torch.movedim(
                F.conv_nd(
                    2,
                    torch.movedim(x, -1, 1),
                    torch.movedim(weight, -1, 1),
                    None,
                    stride,
                    pad_mode,
                    pad,
                    dilation,
                    group,
                    "Conv2D",
                ),
                1,
                -1,
            )
        )
    return lambda x, weight: F.conv_nd(2, x, weight, None, stride, pad_mode, pad, dilation, group, "Conv2D")


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
    data_format: str = "NCDHW",
) -> _Run:
    """Convolution of (N, C, D, H, W)."""
    _check_conv("Conv3D", out_channel, pad_mode, pad, group)
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
    data_format: str = "NCHW",
) -> _Run:
    """The input whose convolution gives ``dout``: (dout, weight, input size)."""
    _check_conv("Conv2DTranspose", out_channel, pad_mode, pad, group)
    return lambda dout, weight, input_size: F.conv_transpose_nd(
        2, dout, weight, None, _spatial(stride), pad_mode, pad, dilation, group, output_shape=input_size
    )


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
    data_format: str = "NCHW",
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
    data_format: str = "NCDHW",
) -> _Run:
    """Transposed convolution of (N, C, D, H, W)."""
    return lambda dout, weight, bias=None: F.conv_transpose_nd(
        3, dout, weight, bias, stride, pad_mode, pad, dilation, group, output_padding
    )


# --- pooling ----------------------------------------------------------------------------------------------------------


@primitive
def MaxPool(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> _Run:
    """Maxima over windows."""
    _check_positive("MaxPool", kernel_size=kernel_size, strides=strides)
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "MaxPool")
    return lambda x: F.pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, owner="MaxPool")


@primitive
def AvgPool(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """Means over windows; padding does not count."""
    _check_positive("AvgPool", kernel_size=kernel_size, strides=strides)
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "AvgPool")
    return lambda x: F.pool_nd(2, "avg", x, kernel_size, strides, pad_mode, data_format, owner="AvgPool")


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
    _check_positive("MaxPool3D", kernel_size=kernel_size, strides=strides)
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
    _check_positive("AvgPool3D", kernel_size=kernel_size, strides=strides)
    kernel, step = F.sizes_of(kernel_size, 3), F.sizes_of(strides, 3)
    if pad_mode.upper() == "PAD":
        return lambda x: F.avg_pool3d(x, kernel, step, pad, ceil_mode, count_include_pad, divisor_override)
    return lambda x: F.pool_nd(
        3, "avg", x, kernel, step, pad_mode, data_format, owner="AvgPool3D", count_include_pad=count_include_pad
    )


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
        rows, cols = (
            torch.div(places, padded_width, rounding_mode="floor") - top,
            torch.remainder(places, padded_width) - left,
        )
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
    data_format: str = "NCDHW",
    argmax_type: Any = torch.int64,
) -> _Run:
    """(maxima over windows, flat index of each in its volume)."""

    def run(x: Any) -> Any:
        values, places = torch.nn.functional.max_pool3d(x, ksize, strides, pads, dilation, ceil_mode, True)
        return wrap(values), wrap(to_dtype(places, argmax_type))

    return run


@primitive
def MaxUnpool2D(ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: str = "NCHW") -> _Run:
    """The inverse of max pooling."""
    return lambda x, argmax: F.max_unpool2d(x, argmax, ksize, strides or None, pads, tuple(output_shape) or None)


@primitive
def MaxUnpool3D(
    ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: str = "NCDHW"
) -> _Run:
    """The inverse of max pooling."""
    return lambda x, argmax: F.max_unpool3d(x, argmax, ksize, strides or None, pads, tuple(output_shape) or None)


@primitive
def AdaptiveMaxPool2D(output_size: Any) -> _Run:
    """(maxima over windows so that ``output_size`` remain, int64 indices)."""
    return lambda input: F.adaptive_max_pool2d(input, output_size, True)


# --- padding and sampling ---------------------------------------------------------------------------------------------


@primitive
def Pad(paddings: Any) -> _Run:
    """Zeros around: ((before, after), ...), the first axis first."""
    if not isinstance(paddings, tuple):
        raise TypeError(
            f"For 'Pad', the 'paddings' must be a tuple of (before, after) tuples, but got {type(paddings).__name__}."
        )
    for sides in paddings:
        if len(sides) != 2:
            raise ValueError(f"For 'Pad', the shape of 'paddings' must be (n, 2), but got {paddings}.")

    def run(input_x: Any) -> Any:
        flat = [int(side) for sides in reversed(paddings) for side in sides]
        if any(side < 0 for side in flat):
            raise ValueError(
                f"For 'Pad', all elements of 'paddings' must be >= 0, but got {paddings}. Use ops.pad to cut."
            )
        return wrap(torch.nn.functional.pad(input_x, flat))

    return run


@primitive
def PadV3(mode: str = "constant", paddings_contiguous: bool = True) -> _Run:
    """Padded by (before, after) pairs, the last axis first, as `ops.pad`."""
    return lambda x, paddings, constant_value=None: F.pad(
        x, paddings, {"edge": "replicate"}.get(mode, mode), constant_value
    )


@primitive
def Im2Col(ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> _Run:
    """Windows as columns (N, C, k, L)."""

    def run(x: Any) -> Any:
        columns = kernels.unfold(x, ksizes, dilations, pads, strides)
        return wrap(torch.reshape(columns, (x.shape[0], x.shape[1], -1, columns.shape[-1])))

    return run


@primitive
def UpsampleNearest3D() -> _Run:
    """(N, C, D, H, W) resized by nearest neighbours."""
    return lambda x, output_size=None, scales=None: wrap(
        kernels.interpolate(
            x,
            None if output_size is None else as_ints(output_size),
            None if scales is None else tuple(scales),
            "nearest",
        )
    )


@primitive
def UpsampleTrilinear3D(align_corners: bool = False) -> _Run:
    """(N, C, D, H, W) resized by linear interpolation."""
    return lambda x, output_size=None, scales=None: wrap(
        kernels.interpolate(
            x,
            None if output_size is None else as_ints(output_size),
            None if scales is None else tuple(scales),
            "trilinear",
            align_corners,
        )
    )


@primitive
def DeformableOffsets(
    strides: Any,
    pads: Any,
    ksize: Any,
    dilations: Any = (1, 1, 1, 1),
    data_format: str = "NCHW",
    deformable_groups: int = 1,
    modulated: bool = True,
) -> _Run:
    """The moved taps of a deformable convolution, side by side: (n, c, h·kh, w·kw)."""
    kh, kw = as_ints(ksize)

    def run(x: Any, offsets: Any) -> Any:
        channels = x.shape[1]
        identity = (
            torch.eye(kh * kw, dtype=x.dtype, device=x.device).reshape(kh * kw, 1, kh, kw).repeat(channels, 1, 1, 1)
        )
        taps = F.deformable_conv2d(
            x, identity, offsets, ksize, strides, pads, None, dilations, channels, deformable_groups, modulated
        )
        n, _, rows, cols = taps.shape
        taps = torch.reshape(taps, (n, channels, kh, kw, rows, cols))
        return wrap(torch.reshape(torch.permute(taps, (0, 1, 4, 2, 5, 3)), (n, channels, rows * kh, cols * kw)))

    return run


# --- losses -----------------------------------------------------------------------------------------------------------


@primitive
def SmoothL1Loss(beta: float = 1.0, reduction: str = "none") -> _Run:
    """d² / (2 beta) for |d| < beta, else |d| - beta / 2."""
    check_type(beta, "beta", (float, int), "SmoothL1Loss")
    if beta <= 0:
        raise ValueError(f"For 'SmoothL1Loss', the 'beta' must be greater than 0, but got {beta}.")
    return lambda prediction, target: F.smooth_l1_loss(prediction, target, beta, reduction)


@primitive
def MultiMarginLoss(p: int = 1, margin: float = 1.0, reduction: str = "mean") -> _Run:
    """The hinge loss of classes."""
    return lambda x, target, weight=None: F.multi_margin_loss(x, target, p, margin, weight, reduction)


@primitive
def MultilabelMarginLoss(reduction: str = "mean") -> _Run:
    """(hinge loss of sets of classes, which classes are targets)."""

    def run(x: Any, target: Any) -> Any:
        listed = torch.cumprod(to_dtype(target >= 0, torch.int64), -1)
        hits = torch.zeros_like(x, dtype=torch.int32)
        hits = torch.scatter_add(hits, -1, torch.clamp(target.long(), min=0), to_dtype(listed, torch.int32))
        return F.multilabel_margin_loss(x, target, reduction), wrap(torch.clamp(hits, max=1))

    return run


@primitive
def TripletMarginLoss(p: int = 2, swap: bool = False, eps: float = 1e-06, reduction: str = "mean") -> _Run:
    """max(0, distance to positive - distance to negative + margin)."""
    return lambda x, positive, negative, margin: F.triplet_margin_loss(
        x, positive, negative, margin, p, eps, swap, reduction
    )


@primitive
def ComputeAccidentalHits(num_true: int = 1) -> _Run:
    """(row, place, weight) of sampled classes that are true ones."""

    def run(true_classes: Any, sampled_candidates: Any) -> Any:
        hits = torch.nonzero(torch.any(torch.unsqueeze(true_classes, 2) == sampled_candidates, 1))
        weights = torch.full((hits.shape[0],), torch.finfo(torch.float32).min)
        return wrap(to_dtype(hits[:, 0], torch.int32)), wrap(hits[:, 1]), wrap(weights)

    return run
