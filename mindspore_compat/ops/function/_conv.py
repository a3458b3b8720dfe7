"""Convolution and its windows. Part of ``mindspore.ops.function.nn_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._api.former_names import or_older_meaning
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints

tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time

__all__ = """
    conv1d conv2d conv3d conv_nd conv_transpose_nd conv_transpose2d conv3d_transpose same_padding unfold fold col2im
    sizes_of
""".split()


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


def sizes_of(value: Any, count: int) -> tuple[int, ...]:
    """Return ``count`` ints from one int, ``count`` ints, or the ``count + 2`` ints of an NCHW shape."""
    if value.__class__ is int:
        return (value,) * count
    sizes = as_ints(value)
    if len(sizes) == 1:
        return sizes * count
    return sizes[-count:]


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


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Return the convolution of (N, C, L)."""
    return conv_nd(1, input, weight, bias, stride, pad_mode, padding, dilation, groups, "conv1d")


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


@or_older_meaning(conv2d_before_2_0, 2, str)
def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Return the convolution of (N, C, H, W)."""
    return conv_nd(2, input, weight, bias, stride, pad_mode, padding, dilation, groups, "conv2d")


def conv3d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Return the convolution of (N, C, D, H, W)."""
    return conv_nd(3, input, weight, bias, stride, pad_mode, padding, dilation, groups, "conv3d")


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


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return windows of (N, C, H, W) as columns (N, C·k, L)."""
    return wrap(kernels.unfold(input, kernel_size, dilation, padding, stride))


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Add columns (N, C·k, L) or (N, C, k, L) up into (N, C, H, W)."""
    if input.dim() == 4:
        input = torch.flatten(input, 1, 2)
    return wrap(kernels.fold(input, as_ints(output_size), kernel_size, dilation, padding, stride))


def col2im(input_x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Any:
    """Add columns (N, C, k, L) up into (N, C, H, W)."""
    return fold(input_x, output_size, kernel_size, dilation, padding_value, stride)


apply_dtype_fallback(globals(), __all__)
