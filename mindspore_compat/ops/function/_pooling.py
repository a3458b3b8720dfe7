"""Pooling. Parts of ``nn_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops.function._conv import _pad_same, sizes_of

__all__ = """
    pool_nd avg_pool1d avg_pool2d avg_pool3d max_pool2d max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d max_unpool1d max_unpool2d
    max_unpool3d lp_pool1d lp_pool2d fractional_max_pool2d fractional_max_pool3d
""".split()

_CHANNEL_LAST = ("NHWC", "NDHWC", "NWC")
tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time


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
    """Return max or mean over windows, with "VALID" or "SAME" padding; in means padding counts only if so asked."""
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
    """Return means over windows of (N, C, L)."""
    return wrap(tf.avg_pool1d(input_x, kernel_size, stride, padding, ceil_mode, count_include_pad))


def avg_pool2d_before_2_0(
    x: Any, kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> Any:
    """Run `avg_pool2d` of MindSpore 1.9."""
    return pool_nd(2, "avg", x, kernel_size, strides, pad_mode, data_format)


def avg_pool2d(
    input_x: Any,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Any:
    """Return means over windows of (N, C, H, W)."""
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
    """Return means over windows of (N, C, D, H, W)."""
    return wrap(
        kernels.avg_pool3d(
            input_x, kernel_size, stride, _symmetric(padding, 3), ceil_mode, count_include_pad, divisor_override or None
        )
    )


def _symmetric(padding: Any, count: int) -> Any:
    """Return padding for torch's pools: one int for each axis."""
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
    """Return maxima over windows of (N, C, H, W), with int64 indices if asked for."""
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
    """Return maxima over windows of (N, C, D, H, W), with int64 indices if asked for."""
    return wrap(tf.max_pool3d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices))


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain."""
    return wrap(kernels.adaptive_avg_pool1d(input, output_size))


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool2d(input, _kept(output_size, input, 2)))


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool3d(input, _kept(output_size, input, 3)))


def _kept(output_size: Any, x: torch.Tensor, count: int) -> Any:
    sizes = (output_size,) * count if output_size is None or isinstance(output_size, int) else tuple(output_size)
    return tuple(length if size is None else size for size, length in zip(sizes, tuple(x.shape)[-count:]))


def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool1d(input, output_size))


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool2d(input, _kept(output_size, input, 2), return_indices))


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    if not input.dtype.is_floating_point:  # torch has no kernel of integers
        values = torch.Tensor.double(input)
        values, places = adaptive_max_pool3d(values, output_size, True)
        values = to_dtype(values, input.dtype)
        return wrap((values, places) if return_indices else values)
    values, places = tf.adaptive_max_pool3d(input, _kept(output_size, input, 3), return_indices=True)
    return wrap((values, to_dtype(places, torch.int32)) if return_indices else values)


def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool1d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool2d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Any:
    """Return the inverse of max pooling: zeros elsewhere."""
    return wrap(tf.max_unpool3d(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))


def lp_pool1d(x: Any, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> Any:
    """Return p-norms over windows."""
    return wrap(tf.lp_pool1d(x, norm_type, kernel_size, stride, ceil_mode))


def lp_pool2d(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """Return p-norms over windows."""
    return wrap(tf.lp_pool2d(x, norm_type, kernel_size, stride, ceil_mode))


def _samples(x: Any, samples: Any) -> Any:
    """Return the starts of windows, in the type that torch needs."""
    return None if samples is None else to_dtype(samples, x.dtype)


def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Return maxima over windows at random places."""
    return wrap(
        tf.fractional_max_pool2d(
            input, kernel_size, output_size, output_ratio, return_indices, _samples(input, _random_samples)
        )
    )


def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """Return maxima over windows at random places."""
    return wrap(
        tf.fractional_max_pool3d(
            input, kernel_size, output_size, output_ratio, return_indices, _samples(input, _random_samples)
        )
    )


apply_dtype_fallback(globals(), __all__)
