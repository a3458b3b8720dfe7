"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.former_names import or_older_meaning
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.autocast import cast_here
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_ints
from mindspore_compat._ops.declare import Ints, classes, functions, named, op, primitive, primitive_class
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time
_CONV = {1: kernels.conv1d, 2: kernels.conv2d, 3: kernels.conv3d}
_CONV_T = {1: kernels.conv_transpose1d, 2: kernels.conv_transpose2d, 3: kernels.conv_transpose3d}
_CHANNEL_LAST = ("NHWC", "NDHWC", "NWC")

# On a CPU, oneDNN and batch norm are faster on memory in channels-last order, unless there are few channels
# (docs/design/tensor.md). What follows keeps the order, so a network converts once.
_CHANNELS_LAST_FROM = 16

_contiguous = torch._C.TensorBase.contiguous  # type: ignore[attr-defined]


def in_fast_order(x: Any, channels: int) -> Any:
    """Return images (N, C, H, W) in the memory order of a convolution; ``channels`` is the smaller number of its input
    and output. Another order changes the order of sums, so layers, operators and loaded files use this function. A
    single row, as in a convolution over one axis, stays unchanged.
    """
    if channels >= _CHANNELS_LAST_FROM and isinstance(x, torch.Tensor) and x.dim() == 4 and x.is_cpu and x.shape[2] > 1:
        return _contiguous(x, memory_format=torch.channels_last)
    return x


@with_dtype_fallback
def sizes_of(value: Any, count: int) -> tuple[int, ...]:
    """Return ``count`` ints from one int, ``count`` ints, or the ``count + 2`` ints of an NCHW shape."""
    if value.__class__ is int:
        return (value,) * count
    sizes = as_ints(value)
    if len(sizes) == 1:
        return sizes * count
    return sizes[-count:]


@with_dtype_fallback
def same_padding(length: int, kernel: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Return (before, after) such that the output has ceil(length / stride) elements; the odd one comes after."""
    total = max((-(-length // stride) - 1) * stride + (kernel - 1) * dilation + 1 - length, 0)
    return total // 2, total - total // 2


def split_padding(x: Any, pairs: list[tuple[int, int]], value: float = 0.0) -> tuple[Any, tuple[int, ...]]:
    """Return ``x`` and the padding still to apply at both ends: padded here if (before, after) differ, else left to the
    operator, which is faster.
    """
    if all(before == after for before, after in pairs):
        return x, tuple(before for before, _ in pairs)
    return torch._C._nn.pad(x, [side for pair in reversed(pairs) for side in pair], value=value), (0,) * len(pairs)


def _pad_same(
    x: torch.Tensor, kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...], value: float = 0
) -> torch.Tensor:
    sides: list[int] = []
    for length, k, s, d in zip(reversed(tuple(x.shape)), reversed(kernel), reversed(stride), reversed(dilation)):
        sides += same_padding(length, k, s, d)
    return tf.pad(x, sides, value=value) if any(sides) else x


def _explicit(padding: Any, count: int) -> tuple[int, ...]:
    """Return 2·count ints in MindSpore's order (top, bottom, left, right, ...) from one int, ``count`` ints or all."""
    sizes = (padding,) * (2 * count) if padding.__class__ is int else as_ints(padding)
    if len(sizes) == count:
        sizes = tuple(item for item in sizes for _ in (0, 1))
    return sizes * (2 * count) if len(sizes) == 1 else sizes


@with_dtype_fallback
def conv_nd(
    count: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    pad_mode: str,
    padding: Any,
    dilation: Any,
    groups: int,
    owner: str,
) -> Any:
    """Return the convolution over ``count`` axes with MindSpore's padding modes."""
    stride, dilation = sizes_of(stride, count), sizes_of(dilation, count)
    mode = pad_mode.lower()
    symmetric: Any = 0
    if count == 2 and weight.dim() == 4:
        x = in_fast_order(x, min(weight.shape[0], weight.shape[1] * groups))
    if mode == "same":
        pairs = [
            same_padding(*item) for item in zip(tuple(x.shape)[-count:], tuple(weight.shape)[-count:], stride, dilation)
        ]
        x, symmetric = split_padding(x, pairs)
    elif mode == "pad":
        sides = _explicit(padding, count)
        x, symmetric = split_padding(x, list(zip(sides[::2], sides[1::2])))
    elif mode != "valid":
        raise ValueError(
            f"For '{owner}', the 'pad_mode' must be one of 'valid', 'same' and 'pad', but got {pad_mode!r}."
        )
    return wrap(kernels.convolved(_CONV[count], x, weight, bias, stride, symmetric, dilation, groups))


def conv2d_before_2_0(
    inputs: Any,
    weight: Any,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
) -> Any:
    """Run `conv2d` of MindSpore 1.9."""
    return conv_nd(2, inputs, weight, None, stride, pad_mode, padding, dilation, group, "conv2d")


def _conv(count: int, shape: str) -> Any:
    name = f"conv{count}d"

    def conv(
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        return conv_nd(count, input, weight, bias, stride, pad_mode, padding, dilation, groups, name)

    return named(conv, name, f"Return the convolution of {shape}.")


conv1d = op(_conv(1, "(N, C, L)"))
conv2d = op(or_older_meaning(conv2d_before_2_0, 2, str)(_conv(2, "(N, C, H, W)")), formerly="inputs=input group=groups")
conv3d = op(_conv(3, "(N, C, D, H, W)"), formerly="inputs=input group=groups")


@with_dtype_fallback
def conv_transpose_nd(
    count: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    pad_mode: str,
    padding: Any,
    dilation: Any,
    groups: int,
    output_padding: Any = 0,
    output_shape: Any = None,
) -> Any:
    """Return the gradient of a convolution by its input, as a layer: weight (in, out / groups, ...); output length
    fixed by mode or given.
    """
    stride, dilation, kernel = sizes_of(stride, count), sizes_of(dilation, count), tuple(weight.shape[2:])
    lengths = tuple(x.shape[-count:])
    mode = pad_mode.lower()
    if mode == "same":
        wanted = tuple(length * s for length, s in zip(lengths, stride))
        sides = [
            item for length, k, s, d in zip(wanted, kernel, stride, dilation) for item in same_padding(length, k, s, d)
        ]
    elif mode == "pad":
        sides = list(_explicit(padding, count))
        wanted = None
    else:
        sides, wanted = [0] * (2 * count), None
    if output_shape is not None:
        wanted = tuple(as_ints(output_shape))[-count:]
    full = _CONV_T[count](x, weight, bias if wanted is None else None, stride, 0, 0, groups, dilation)
    extra = sizes_of(output_padding, count)
    for i in range(count):
        axis, before = full.dim() - count + i, sides[2 * i]
        length = wanted[i] if wanted is not None else full.shape[axis] - before - sides[2 * i + 1] + extra[i]
        missing = before + length - full.shape[axis]
        if missing > 0:
            pads = [0] * (2 * (full.dim() - axis))
            pads[-1] = missing
            full = tf.pad(full, pads)
        full = torch.narrow(full, axis, before, length)
    if bias is not None and wanted is not None:
        full = full + torch.reshape(bias, (-1, *(1,) * count))
    return wrap(full)


@op
def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """Return the transposed convolution of (N, C, H, W)."""
    return wrap(kernels.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation))


@op
def conv3d_transpose(
    inputs: Any,
    weight: Any,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
) -> Any:
    """Return the transposed convolution of (N, C, D, H, W)."""
    return conv_transpose_nd(3, inputs, weight, None, stride, pad_mode, padding, dilation, group, output_padding)


@op
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return windows of (N, C, H, W) as columns (N, C·k, L)."""
    return wrap(kernels.unfold(cast_here(input), kernel_size, dilation, padding, stride))


@op(method="fold")
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Add columns (N, C·k, L) or (N, C, k, L) up into (N, C, H, W)."""
    if input.dim() == 4:
        input = torch.flatten(input, 1, 2)
    return wrap(kernels.fold(input, as_ints(output_size), kernel_size, dilation, padding, stride))


@op(method="col2im")
def col2im(input_x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Any:
    """Add columns (N, C, k, L) up into (N, C, H, W)."""
    return fold(input_x, output_size, kernel_size, dilation, padding_value, stride)


Col2Im = primitive_class(
    "Col2Im",
    col2im,
    "Columns (N, C, k, L) added up.",
    kernel_size=(Any, ...),
    dilation=(Any, 1),
    padding=(Any, 0, "padding_value"),
    stride=(Any, 1),
    inputs="x output_size",
)


@op
def deformable_conv2d(
    x: Any,
    weight: Any,
    offsets: Any,
    kernel_size: Any,
    strides: Any,
    padding: Any,
    bias: Any = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Any:
    """Return the convolution with taps moved by ``offsets`` (n, 3·groups·k, h, w): all x, all y, then the masks."""
    kh, kw = as_ints(kernel_size)
    stride, dilation = as_ints(strides)[-2:], as_ints(dilations)[-2:]
    top, bottom, left, right = as_ints(padding)
    n, channels, height, width = x.shape
    rows = (height + top + bottom - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    cols = (width + left + right - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    taps, g = kh * kw, deformable_groups
    parts = torch.reshape(offsets, (n, -1, g, taps, rows, cols))
    base_y = torch.reshape(torch.arange(rows, device=x.device) * stride[0] - top, (rows, 1))
    base_x = torch.arange(cols, device=x.device) * stride[1] - left
    tap_y = torch.reshape(torch.arange(taps, device=x.device) // kw * dilation[0], (taps, 1, 1))
    tap_x = torch.reshape(torch.arange(taps, device=x.device) % kw * dilation[1], (taps, 1, 1))
    places_x, places_y = parts[:, 0] + (base_x + tap_x), parts[:, 1] + (base_y + tap_y)
    image = torch.reshape(x, (n * g, channels // g, height, width))
    grid = torch.stack(((2 * places_x + 1) / width - 1, (2 * places_y + 1) / height - 1), -1)
    sampled = torch.nn.functional.grid_sample(
        image, torch.reshape(grid, (n * g, taps * rows, cols, 2)), align_corners=False
    )
    sampled = torch.reshape(sampled, (n, g, channels // g, taps, rows, cols))
    if modulated:
        sampled = sampled * torch.unsqueeze(parts[:, 2], 2)
    columns = torch.reshape(sampled, (n, groups, channels // groups * taps, rows * cols))
    kernel = torch.reshape(weight, (groups, weight.shape[0] // groups, -1))
    result = torch.reshape(kernels.matmul(kernel, columns), (n, -1, rows, cols))
    return wrap(result if bias is None else result + torch.reshape(bias, (-1, 1, 1)))


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


@primitive(inputs="x w")
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
        return conv_nd(2, x, weight, None, stride, pad_mode, pad, dilation, group, "Conv2D")

    return channels_last(run) if data_format == "NHWC" else run


@primitive(inputs="x w")
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
    return lambda x, weight: conv_nd(3, x, weight, None, stride, pad_mode, pad, dilation, group, "Conv3D")


@primitive(inputs="x w")
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
        return conv_nd(2, x, kernel, None, stride, pad_mode, pad, dilation, x.shape[1], "DepthwiseConv2dNative")

    return run


def _input_gradient(
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
        return conv_transpose_nd(
            2, dout, weight, None, _spatial(stride), pad_mode, pad, dilation, group, output_shape=as_ints(input_size)
        )

    return channels_last(run) if data_format == "NHWC" else run


def _spatial(stride: Any) -> Any:
    return stride[-2:] if isinstance(stride, (tuple, list)) else stride


Conv2DTranspose = primitive(_input_gradient, name="Conv2DTranspose")
Conv2DBackpropInput = primitive(
    _input_gradient,
    name="Conv2DBackpropInput",
    doc="The old name of `Conv2DTranspose`.",
    inputs="out_backprop filter input_sizes",
)


@primitive(inputs="x filter")
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
    return lambda dout, weight, bias=None: conv_transpose_nd(
        3, dout, weight, bias, stride, pad_mode, pad, dilation, group, output_padding
    )


@primitive(inputs="input_x", settable=True)
def ExtractImagePatches(
    ksizes: Ints[int | list | tuple],
    strides: Ints[int | list | tuple],
    rates: Ints[int | list | tuple],
    padding: str = "VALID",
) -> _Run:
    """Windows of (N, C, H, W) as channels (N, kh·kw·C, H', W')."""
    kernel, stride, rate = (
        (as_ints(item) * 2)[:2] if len(as_ints(item)) == 1 else as_ints(item)[-2:] for item in (ksizes, strides, rates)
    )

    def run(input_x: Any) -> Any:
        height, width = input_x.shape[-2:]
        if padding.upper() == "SAME":
            rows = same_padding(height, kernel[0], stride[0], rate[0])
            cols = same_padding(width, kernel[1], stride[1], rate[1])
            input_x = torch.nn.functional.pad(input_x, (*cols, *rows))
        n, c, height, width = input_x.shape
        out = [(length - (k - 1) * r - 1) // s + 1 for length, k, s, r in zip((height, width), kernel, stride, rate)]
        columns = torch.reshape(kernels.unfold(input_x, kernel, rate, 0, stride), (n, c, kernel[0] * kernel[1], *out))
        return wrap(torch.reshape(torch.transpose(columns, 1, 2), (n, -1, *out)))

    return run


@primitive(inputs="x")
def Im2Col(ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> _Run:
    """Windows as columns (N, C, k, L)."""

    def run(x: Any) -> Any:
        columns = kernels.unfold(x, ksizes, dilations, pads, strides)
        return wrap(torch.reshape(columns, (x.shape[0], x.shape[1], -1, columns.shape[-1])))

    return run


@primitive(inputs="x offsets")
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

    @kernels.as_given
    def run(x: Any, offsets: Any) -> Any:
        channels = x.shape[1]
        identity = (
            torch.eye(kh * kw, dtype=x.dtype, device=x.device).reshape(kh * kw, 1, kh, kw).repeat(channels, 1, 1, 1)
        )
        taps = deformable_conv2d(
            x, identity, offsets, ksize, strides, pads, None, dilations, channels, deformable_groups, modulated
        )
        n, _, rows, cols = taps.shape
        taps = torch.reshape(taps, (n, channels, kh, kw, rows, cols))
        return wrap(torch.reshape(torch.permute(taps, (0, 1, 4, 2, 5, 3)), (n, channels, rows * kh, cols * kw)))

    return run


__all__ = functions(globals())
PRIMITIVES = classes(globals())
