"""Convolution, pooling and resizing. Part of ``mindspore.ops.function.nn_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops._adapt import as_ints, to_dtype

tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_nd",
    "conv_transpose_nd",
    "conv_transpose2d",
    "conv3d_transpose",
    "same_padding",
    "pool_nd",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool2d",
    "max_pool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "lp_pool1d",
    "lp_pool2d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "interpolate",
    "upsample",
    "resize_linear",
    "resize_nearest",
    "resize_cubic",
    "grid_sample",
    "affine_grid",
    "unfold",
    "fold",
    "col2im",
    "sizes_of",
]

_CONV = {1: kernels.conv1d, 2: kernels.conv2d, 3: kernels.conv3d}
_CONV_T = {1: kernels.conv_transpose1d, 2: kernels.conv_transpose2d, 3: kernels.conv_transpose3d}
_CHANNEL_LAST = ("NHWC", "NDHWC", "NWC")


def sizes_of(value: Any, count: int) -> tuple[int, ...]:
    """``count`` ints from one int, ``count`` ints, or the ``count + 2`` ints of an NCHW shape."""
    if value.__class__ is int:
        return (value,) * count
    sizes = as_ints(value)
    if len(sizes) == 1:
        return sizes * count
    return sizes[-count:]


def same_padding(length: int, kernel: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """(before, after) such that the output has ceil(length / stride) elements; the odd one comes after."""
    total = max((-(-length // stride) - 1) * stride + (kernel - 1) * dilation + 1 - length, 0)
    return total // 2, total - total // 2


def split_padding(x: Any, pairs: list[tuple[int, int]], value: float = 0.0) -> tuple[Any, tuple[int, ...]]:
    """``x`` and the padding still to apply at both ends: padded here if (before, after) differ, else left to the
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
    """2·count ints in upstream's order (top, bottom, left, right, ...) from one int, ``count`` ints or all."""
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
    """Convolution over ``count`` axes with MindSpore's padding modes.

    Raises:
        ValueError: for an unknown ``pad_mode``.
    """
    stride, dilation = sizes_of(stride, count), sizes_of(dilation, count)
    mode = pad_mode.lower()
    symmetric: Any = 0
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
    return wrap(_CONV[count](x, weight, bias, stride, symmetric, dilation, groups))


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
    """Convolution of (N, C, L)."""
    return conv_nd(1, input, weight, bias, stride, pad_mode, padding, dilation, groups, "conv1d")


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
    """Convolution of (N, C, H, W)."""
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
    """Convolution of (N, C, D, H, W)."""
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
    """The gradient of a convolution by its input, as a layer: weight (in, out / groups, ...); output length fixed by
    mode or given.
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
    """Transposed convolution of (N, C, H, W)."""
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
    """Transposed convolution of (N, C, D, H, W)."""
    return conv_transpose_nd(3, inputs, weight, None, stride, pad_mode, padding, dilation, group, output_padding)


# --- pooling ----------------------------------------------------------------------------------------------------------


def pool_nd(
    count: int,
    kind: str,
    x: Any,
    kernel_size: Any,
    strides: Any,
    pad_mode: str,
    data_format: str = "NCHW",
    return_indices: bool = False,
    owner: str = "MaxPool",
    count_include_pad: bool = False,
) -> Any:
    """Max or mean over windows, with "VALID" or "SAME" padding; in means padding counts only if so asked.

    Raises:
        ValueError: for another ``pad_mode``.
    """
    mode = pad_mode.upper()
    if mode not in ("VALID", "SAME"):
        raise ValueError(f"For '{owner}', the 'pad_mode' must be 'valid' or 'same', but got {pad_mode!r}.")
    kernel, stride = sizes_of(kernel_size, count), sizes_of(strides, count)
    last = data_format in _CHANNEL_LAST
    if last:
        x = torch.movedim(x, -1, 1)
    ones = (1,) * count
    if kind == "max":
        if mode == "SAME":
            x = _pad_same(
                x, kernel, stride, ones, float("-inf") if x.dtype.is_floating_point else torch.iinfo(x.dtype).min
            )
        function: Any = (tf.max_pool1d, tf.max_pool2d, tf.max_pool3d)[count - 1]
        result = function(x, kernel, stride, return_indices=return_indices)
        if return_indices:
            return wrap(tuple(result))
    else:
        function = (torch.avg_pool1d, torch._C._nn.avg_pool2d, kernels.avg_pool3d)[count - 1]
        if mode == "SAME" and count_include_pad:
            result = function(_pad_same(x, kernel, stride, ones), kernel, stride)
        elif mode == "SAME":
            inside = _pad_same(torch.ones((1, 1, *x.shape[2:]), dtype=x.dtype, device=x.device), kernel, stride, ones)
            result = function(_pad_same(x, kernel, stride, ones), kernel, stride) / function(inside, kernel, stride)
        else:
            result = function(x, kernel, stride)
    return wrap(torch.movedim(result, 1, -1) if last else result)


def avg_pool1d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """Means over windows of (N, C, L)."""
    return wrap(tf.avg_pool1d(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad))


def avg_pool2d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    *,
    strides: Any = None,
    pad_mode: str | None = None,
) -> Any:
    """Means over windows of (N, C, H, W); ``strides`` and ``pad_mode`` are the form of 1.x."""
    if strides is not None or pad_mode is not None:
        return pool_nd(2, "avg", input_x, kernel_size, strides if strides is not None else stride, pad_mode or "valid")
    return wrap(
        tf.avg_pool2d(
            input_x, kernel_size, stride, _symmetric(padding, 2), ceil_mode, count_include_pad, divisor_override or None
        )
    )


def avg_pool3d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Any:
    """Means over windows of (N, C, D, H, W)."""
    return wrap(
        kernels.avg_pool3d(
            input_x, kernel_size, stride, _symmetric(padding, 3), ceil_mode, count_include_pad, divisor_override or None
        )
    )


def _symmetric(padding: Any, count: int) -> Any:
    """Padding as torch's pools take it: one int for each axis.

    Raises:
        ValueError: if the two sides of an axis differ.
    """
    if isinstance(padding, int):
        return padding
    sides = as_ints(padding)
    if len(sides) == 2 * count:
        if sides[::2] != sides[1::2]:
            raise ValueError(
                f"For pooling, the 'padding' must be the same on both sides of an axis, but got {padding}. Use ops.pad "
                "before it."
            )
        return sides[::2]
    return sides


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Maxima over windows of (N, C, H, W), with int64 indices if asked for."""
    return wrap(tf.max_pool2d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices))


def max_pool3d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Maxima over windows of (N, C, D, H, W), with int64 indices if asked for."""
    return wrap(tf.max_pool3d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices))


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over windows so that ``output_size`` remain."""
    return wrap(kernels.adaptive_avg_pool1d(input, output_size))


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool2d(input, _kept(output_size, input, 2)))


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool3d(input, _kept(output_size, input, 3)))


def _kept(output_size: Any, x: torch.Tensor, count: int) -> Any:
    sizes = (output_size,) * count if output_size is None or isinstance(output_size, int) else tuple(output_size)
    return tuple(length if size is None else size for size, length in zip(sizes, tuple(x.shape)[-count:]))


def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """Maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool1d(input, output_size))


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool2d(input, _kept(output_size, input, 2), return_indices))


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool3d(input, _kept(output_size, input, 3), return_indices))


def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool1d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool2d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """The inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool3d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def lp_pool1d(x: Any, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> Any:
    """p-norms over windows."""
    return wrap(tf.lp_pool1d(x, norm_type, kernel_size, stride, ceil_mode))


def lp_pool2d(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """p-norms over windows."""
    return wrap(tf.lp_pool2d(x, norm_type, kernel_size, stride, ceil_mode))


def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Maxima over windows at random places."""
    return wrap(
        tf.fractional_max_pool2d(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    )


def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Maxima over windows at random places."""
    return wrap(
        tf.fractional_max_pool3d(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    )


# --- resizing ---------------------------------------------------------------------------------------------------------


def _sources(length: int, size: int, align_corners: bool, half_pixel: bool, device: Any) -> torch.Tensor:
    """The place in the input of each output element of an axis."""
    places = torch.arange(size, dtype=torch.float32, device=device)
    if align_corners and size > 1:
        return places * ((length - 1) / (size - 1))
    scale = length / size
    return torch.clamp((places + 0.5) * scale - 0.5, min=0) if half_pixel else places * scale


def resize_linear(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Linear interpolation of the last axes to ``size``; without both flags, output i lies at i · length / size."""
    size = as_ints(size)
    if align_corners or half_pixel_centers:
        mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[len(size)]
        return wrap(kernels.interpolate(x, size, mode=mode, align_corners=align_corners))
    for axis, target in enumerate(size, x.dim() - len(size)):
        length = x.shape[axis]
        if target == length:
            continue
        places = _sources(length, target, False, False, x.device)
        low = torch.clamp(places.to(torch.int64), max=length - 1)
        high = torch.clamp(low + 1, max=length - 1)
        weight = torch.reshape((places - low).to(x.dtype), (-1, *(1,) * (x.dim() - axis - 1)))
        below, above = torch.index_select(x, axis, low), torch.index_select(x, axis, high)
        x = below + (above - below) * weight
    return wrap(x)


def resize_nearest(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """The nearest input element for each output element of the last axes."""
    size = as_ints(size)
    if not align_corners:
        return wrap(kernels.interpolate(x, size, mode="nearest-exact" if half_pixel_centers else "nearest"))
    for axis, target in enumerate(size, x.dim() - len(size)):
        places = torch.floor(_sources(x.shape[axis], target, True, False, x.device) + 0.5).to(torch.int64)
        x = torch.index_select(x, axis, torch.clamp(places, max=x.shape[axis] - 1))
    return wrap(x)


def _cubic(distance: torch.Tensor, a: float) -> torch.Tensor:
    """Keys' cubic kernel."""
    d = torch.abs(distance)
    near, far = ((a + 2) * d - (a + 3)) * d * d + 1, ((d - 5) * d + 8) * d * a - 4 * a
    return torch.where(d < 1, near, torch.where(d < 2, far, torch.zeros_like(d)))


def resize_cubic(x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
    """Cubic interpolation of the last two axes, with upstream's two kernels.

    Half-pixel centers use a = -0.5 and leave out what lies outside; the other placements a = -0.75 and repeat the
    border.
    """
    a = -0.5 if half_pixel_centers else -0.75
    for axis, target in enumerate(as_ints(size), x.dim() - 2):
        length = x.shape[axis]
        steps = torch.arange(target, dtype=torch.float64, device=x.device)
        if align_corners:
            places = steps * ((length - 1) / max(target - 1, 1))
        else:
            places = (steps + 0.5) * (length / target) - 0.5 if half_pixel_centers else steps * (length / target)
        taps = torch.unsqueeze(torch.floor(places), 1) + torch.arange(-1, 3, device=x.device)
        weights = _cubic(torch.unsqueeze(places, 1) - taps, a)
        if half_pixel_centers:
            weights = weights * ((taps >= 0) & (taps < length))
            weights = weights / torch.sum(weights, 1, True)
        matrix = torch.zeros((target, length), dtype=torch.float64, device=x.device)
        matrix = torch.scatter_add(matrix, 1, torch.clamp(taps, 0, length - 1).to(torch.int64), weights)
        x = torch.movedim(kernels.tensordot(x, to_dtype(matrix, x.dtype), ([axis], [1])), -1, axis)
    return wrap(x)


_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    *,
    roi: None = None,
    sizes: Any = None,
    scales: Any = None,
    coordinate_transformation_mode: str | None = None,
) -> Any:
    """The last axes resized to ``size`` or by ``scale_factor``.

    ``roi`` (never used), ``sizes``, ``scales`` and ``coordinate_transformation_mode`` ("align_corners", "half_pixel",
    "asymmetric") are the form of 1.x.

    Raises:
        ValueError: for an unknown mode, or unless just one of size and factor is given.
    """
    if sizes is not None or scales is not None or coordinate_transformation_mode is not None:
        return _interpolate_1x(
            input, sizes if size is None else size, scales, coordinate_transformation_mode or "align_corners", mode
        )
    if mode not in _MODES:
        raise ValueError(f"For 'interpolate', the 'mode' must be one of {list(_MODES)}, but got {mode!r}.")
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "For 'interpolate', exactly one of 'size' and 'scale_factor' must be given. Leave the other None."
        )
    if align_corners and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(
            f"For 'interpolate', 'align_corners' works with linear modes only, but got mode {mode!r}. Leave it None."
        )
    if size is not None:
        count = input.dim() - 2
        size = sizes_of(size, count)
    elif mode != "area" and recompute_scale_factor is None:
        factors = (scale_factor,) * (input.dim() - 2) if isinstance(scale_factor, (int, float)) else tuple(scale_factor)
        size, scale_factor = (
            tuple(int(length * factor) for length, factor in zip(tuple(input.shape)[2:], factors)),
            None,
        )
    if mode == "bicubic" and size is not None:
        return resize_cubic(input, size, bool(align_corners), not align_corners)
    return wrap(kernels.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor))


def _interpolate_1x(x: Any, sizes: Any, scales: Any, transformation: str, mode: str) -> Any:
    size = (
        as_ints(sizes)[-(x.dim() - 2) :]
        if sizes is not None
        else tuple(int(length * factor) for length, factor in zip(tuple(x.shape), scales))[2:]
    )
    if transformation not in ("align_corners", "half_pixel", "asymmetric"):
        raise ValueError(
            "For 'interpolate', the 'coordinate_transformation_mode' must be one of 'align_corners', 'half_pixel' and "
            "'asymmetric', "
            f"but got {transformation!r}."
        )
    if mode not in ("linear", "bilinear"):
        raise ValueError(
            f"For 'interpolate' with 1.x arguments, the 'mode' must be 'linear' or 'bilinear', but got {mode!r}."
        )
    return resize_linear(x, size, transformation == "align_corners", transformation == "half_pixel")


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """The same as `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
    *,
    interpolation_mode: str | None = None,
) -> Any:
    """``input`` at the places of ``grid`` in [-1, 1]; ``interpolation_mode`` is the name of 1.x."""
    return wrap(tf.grid_sample(input, grid, interpolation_mode or mode, padding_mode, bool(align_corners)))


def affine_grid(theta: Any, size: Any, align_corners: bool = False) -> Any:
    """The grid of affine transforms for `grid_sample`."""
    return wrap(kernels.affine_grid(theta, list(as_ints(size)), align_corners))


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Windows of (N, C, H, W) as columns (N, C·k, L)."""
    return wrap(kernels.unfold(input, kernel_size, dilation, padding, stride))


def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Columns (N, C·k, L) added up into (N, C, H, W)."""
    return wrap(kernels.fold(input, as_ints(output_size), kernel_size, dilation, padding, stride))


def col2im(input_x: Any, output_size: Any, kernel_size: Any, dilation: Any, padding_value: Any, stride: Any) -> Any:
    """Columns (N, C, k, L) added up into (N, C, H, W)."""
    n, c, k, length = input_x.shape
    return fold(torch.reshape(input_x, (n, c * k, length)), output_size, kernel_size, dilation, padding_value, stride)
