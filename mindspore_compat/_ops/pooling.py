"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.former_names import renamed_args
from mindspore_compat._api.validate import check_str_in
from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import with_dtype_fallback
from mindspore_compat._ops.adapt import as_ints, to_dtype
from mindspore_compat._ops.conv import _pad_same, channels_last, last_as_second, same_padding, sizes_of
from mindspore_compat._ops.declare import Bool, Int, Ints, classes, functions, named, op, primitive, primitive_class
from mindspore_compat._ops.random import fixed_generator
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import joined_stream

_Run = Callable[..., Any]


@op(fallback=False)
def adaptive_avg_pool2d_ext(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remains; None in it keeps an axis."""
    size = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    whole = [given if given is not None else have for given, have in zip(size, input.shape[-2:])]
    return wrap(kernels.adaptive_avg_pool2d(input, as_ints(whole)))


_CHANNEL_LAST = ("NHWC", "NDHWC", "NWC")
tf: Any = torch.nn.functional  # its overloads do not know a bool that is only known at run time


@with_dtype_fallback
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


@op
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


def _avg_pool(count: int, shape: str, pool: Callable[..., Any]) -> Any:
    def avg_pool(
        input_x: Any,
        kernel_size: Any = 1,
        stride: Any = 1,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int = 0,
    ) -> Any:
        sides, divisor = _symmetric(padding, count), divisor_override or None
        return wrap(pool(input_x, kernel_size, stride, sides, ceil_mode, count_include_pad, divisor))

    return op(named(avg_pool, f"avg_pool{count}d", f"Return means over windows of {shape}."))


avg_pool2d = _avg_pool(2, "(N, C, H, W)", tf.avg_pool2d)
avg_pool3d = _avg_pool(3, "(N, C, D, H, W)", kernels.avg_pool3d)


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


@op
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


@op
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


@op(formerly="input_x=input")
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain."""
    return wrap(kernels.adaptive_avg_pool1d(input, output_size))


@op(formerly="input_x=input")
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool2d(input, _kept(output_size, input, 2)))


@op(formerly="input_x=input")
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Return means over windows so that ``output_size`` remain; None keeps a length."""
    return wrap(kernels.adaptive_avg_pool3d(input, _kept(output_size, input, 3)))


AdaptiveAvgPool2D, AdaptiveAvgPool3D = (
    primitive_class(
        f"AdaptiveAvgPool{count}D",
        function,
        "Means over windows so that ``output_size`` remain.",
        output_size=(Any, ...),
        inputs="x",
    )
    for count, function in ((2, adaptive_avg_pool2d), (3, adaptive_avg_pool3d))
)


def _kept(output_size: Any, x: torch.Tensor, count: int) -> Any:
    sizes = (output_size,) * count if output_size is None or isinstance(output_size, int) else tuple(output_size)
    return tuple(length if size is None else size for size, length in zip(sizes, tuple(x.shape)[-count:]))


@op(formerly="input_x=input")
def adaptive_max_pool1d(input: Any, output_size: Any) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool1d(input, output_size))


@op(formerly="input_x=input")
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    return wrap(tf.adaptive_max_pool2d(input, _kept(output_size, input, 2), return_indices))


@op(formerly="x=input")
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Return maxima over windows so that ``output_size`` remain."""
    if not input.dtype.is_floating_point:  # torch has no kernel of integers
        values = torch.Tensor.double(input)
        values, places = adaptive_max_pool3d(values, output_size, True)
        values = to_dtype(values, input.dtype)
        return wrap((values, places) if return_indices else values)
    values, places = tf.adaptive_max_pool3d(input, _kept(output_size, input, 3), return_indices=True)
    return wrap((values, to_dtype(places, torch.int32)) if return_indices else values)


def _max_unpool(count: int, unpool: Callable[..., Any]) -> Any:
    def max_unpool(
        x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        return wrap(unpool(x, to_dtype(indices, torch.int64), kernel_size, stride, padding, output_size))

    return op(named(max_unpool, f"max_unpool{count}d", "Return the inverse of max pooling: zeros elsewhere."))


max_unpool1d = _max_unpool(1, tf.max_unpool1d)
max_unpool2d = _max_unpool(2, tf.max_unpool2d)
max_unpool3d = _max_unpool(3, tf.max_unpool3d)


@op
def lp_pool1d(x: Any, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> Any:
    """Return p-norms over windows."""
    return wrap(tf.lp_pool1d(x, norm_type, kernel_size, stride, ceil_mode))


@op
def lp_pool2d(x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """Return p-norms over windows."""
    return wrap(tf.lp_pool2d(x, norm_type, kernel_size, stride, ceil_mode))


def _fractional_max_pool(count: int, pool: Callable[..., Any]) -> Any:
    def fractional_max_pool(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        samples = None if _random_samples is None else to_dtype(_random_samples, input.dtype)  # as torch needs them
        return wrap(pool(input, kernel_size, output_size, output_ratio, return_indices, samples))

    made = named(fractional_max_pool, f"fractional_max_pool{count}d", "Return maxima over windows at random places.")
    return op(made, formerly="input_x=input")


fractional_max_pool2d = _fractional_max_pool(2, tf.fractional_max_pool2d)
fractional_max_pool3d = _fractional_max_pool(3, tf.fractional_max_pool3d)


def _max_pool(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> _Run:
    """Maxima over windows."""
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "MaxPool")
    return lambda x: pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, owner="MaxPool")


def _avg_pool2d(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "VALID", data_format: str = "NCHW") -> _Run:
    """Means over windows; padding does not count."""
    check_str_in(pad_mode.upper(), "pad_mode", ("VALID", "SAME"), "AvgPool")
    return lambda x: pool_nd(2, "avg", x, kernel_size, strides, pad_mode, data_format, owner="AvgPool")


MaxPool = renamed_args(ksize="kernel_size", padding="pad_mode")(primitive(_max_pool, name="MaxPool"))
AvgPool = renamed_args(ksize="kernel_size", padding="pad_mode")(primitive(_avg_pool2d, name="AvgPool", settable=True))
MaxPoolV1 = primitive(_max_pool, name="MaxPoolV1", doc="The same as `MaxPool`; MindSpore has it on Ascend.")
AvgPoolV1 = primitive(_avg_pool2d, name="AvgPoolV1", doc="The same as `AvgPool`; MindSpore has it on Ascend.")


@primitive
def MaxPool3D(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "VALID",
    pad_list: Any = 0,
    ceil_mode: Any = None,
    data_format: str = "NCDHW",
) -> _Run:
    """Maxima over windows of (N, C, D, H, W); pad_mode "PAD" uses the three or six numbers of ``pad_list``."""
    if pad_mode.upper() != "PAD":
        return lambda x: pool_nd(3, "max", x, kernel_size, strides, pad_mode, data_format, owner="MaxPool3D")
    sides = as_ints(pad_list) * (6 if isinstance(pad_list, int) else 1)
    front, back, top, bottom, left, right = sides if len(sides) != 3 else [side for side in sides for _ in range(2)]

    def run(x: Any) -> Any:
        padded = torch.nn.functional.pad(x, (left, right, top, bottom, front, back), value=float("-inf"))
        return wrap(
            torch.nn.functional.max_pool3d(
                padded, sizes_of(kernel_size, 3), sizes_of(strides, 3), ceil_mode=bool(ceil_mode)
            )
        )

    return run


@primitive(inputs="input")
def AvgPool3D(
    kernel_size: Any = 1,
    strides: Any = 1,
    pad_mode: str = "valid",
    pad: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: Literal["NCDHW"] = "NCDHW",
) -> _Run:
    """Means over windows of (N, C, D, H, W)."""
    kernel, step = sizes_of(kernel_size, 3), sizes_of(strides, 3)
    if pad_mode.upper() != "SAME":
        pad = pad if pad_mode.upper() == "PAD" else 0
        return lambda x: avg_pool3d(x, kernel, step, pad, ceil_mode, count_include_pad, divisor_override)
    scale = math.prod(kernel) / divisor_override if divisor_override else 1
    counted = count_include_pad or divisor_override > 0
    return lambda x: pool_nd(3, "avg", x, kernel, step, "SAME", owner="AvgPool3D", count_include_pad=counted) * scale


@renamed_args(ksize="kernel_size", padding="pad_mode")
@primitive
def MaxPoolWithArgmax(
    kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW"
) -> _Run:
    """(maxima over windows, int32 flat index of each in its sample (C, H, W))."""
    kernel, step = sizes_of(kernel_size, 2), sizes_of(strides, 2)

    def run(x: Any) -> Any:
        height, width = x.shape[-2:]
        planes = torch.reshape(torch.arange(x.shape[1], device=x.device) * (height * width), (-1, 1, 1))
        if pad_mode.upper() == "VALID":
            values, places = pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, True)
            return values, wrap(to_dtype(places + planes, torch.int32))
        top, left = same_padding(height, kernel[0], step[0])[0], same_padding(width, kernel[1], step[1])[0]
        values, places = pool_nd(2, "max", x, kernel_size, strides, pad_mode, data_format, True)
        padded_width = width + sum(same_padding(width, kernel[1], step[1]))
        rows = torch.div(places, padded_width, rounding_mode="floor") - top
        cols = torch.remainder(places, padded_width) - left
        return values, wrap(to_dtype(rows * width + cols + planes, torch.int32))

    return run


@primitive(inputs="x")
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


@primitive(inputs="x")
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


@primitive(inputs="x argmax")
def MaxUnpool2D(
    ksize: Any, strides: Any = 0, pads: Any = 0, output_shape: Any = (), data_format: Literal["NCHW", "NHWC"] = "NCHW"
) -> _Run:
    """The inverse of max pooling."""
    return _unpool(max_unpool2d, ksize, strides, pads, output_shape, data_format)


@primitive(inputs="x argmax")
def MaxUnpool3D(
    ksize: Any,
    strides: Any = 0,
    pads: Any = 0,
    output_shape: Any = (),
    data_format: Literal["NCDHW", "NDHWC"] = "NCDHW",
) -> _Run:
    """The inverse of max pooling."""
    return _unpool(max_unpool3d, ksize, strides, pads, output_shape, data_format)


@primitive(inputs="input", settable=True)
def AdaptiveMaxPool2D(output_size: Ints[int | list | tuple]) -> _Run:
    """(maxima over windows so that ``output_size`` remain, int64 indices)."""
    return lambda input: adaptive_max_pool2d(input, output_size, True)


def _floating(x: torch.Tensor) -> torch.Tensor:
    """Return integers as float64, since torch has no kernel for them; a maximum gets the dtype back."""
    return x if x.dtype.is_floating_point else to_dtype(x, torch.float64)


def _adaptive_max_pool3d(x: Any, output_size: Any) -> Any:
    """Return (maxima over windows so that ``output_size``, a Tensor, remain; flat index of each as int32)."""
    values, places = torch.nn.functional.adaptive_max_pool3d(_floating(x), as_ints(output_size), return_indices=True)
    return wrap((to_dtype(values, x.dtype), to_dtype(places, torch.int32)))


AdaptiveMaxPool3D = primitive_class("AdaptiveMaxPool3D", _adaptive_max_pool3d)


def _sizes(value: Any, name: str, owner: str, axes: int) -> tuple[int, ...]:
    """Return ``axes`` positive ints from one int, as many, or those of a whole shape, of which the first two are 1."""
    given = (value,) * axes if isinstance(value, int) else tuple(value)
    if len(given) == axes + 2:
        if given[0] != 1 or given[1] != 1:
            raise ValueError(f"For '{owner}', the first two of '{name}' must be 1, but got {value!r}.")
        given = given[2:]
    if len(given) != axes or any(item <= 0 for item in given):
        raise ValueError(f"For '{owner}', the '{name}' must be {axes} positive ints, but got {value!r}.")
    return given


def _same_padding(sizes: Any, kernel: Any, strides: Any) -> list[int]:
    """Return the zeros before and after each axis, the last axis first."""
    pads: list[int] = []
    for size, width, stride in zip(reversed(sizes), reversed(kernel), reversed(strides)):
        total = max((math.ceil(size / stride) - 1) * stride + width - size, 0)
        pads += [total // 2, total - total // 2]
    return pads


@primitive(inputs="x filter")
def Dilation2D(
    stride: Any,
    dilation: Any,
    pad_mode: Literal["VALID", "SAME", "valid", "same"] = "SAME",
    data_format: Literal["NCHW"] = "NCHW",
) -> _Run:
    """The greatest of image + filter over windows: (N, C, H, W) and a filter (C, h, w)."""
    strides, rates = _sizes(stride, "stride", "Dilation2D", 2), _sizes(dilation, "dilation", "Dilation2D", 2)

    def run(x: Any, filter: Any) -> Any:
        kernel = [(size - 1) * rate + 1 for size, rate in zip(filter.shape[1:], rates)]
        dtype, x = x.dtype, x if x.is_floating_point() else x.double()  # integers have no -inf
        if pad_mode.upper() == "SAME":
            x = torch.nn.functional.pad(x, _same_padding(x.shape[2:], kernel, strides), value=float("-inf"))
        windows = torch.Tensor.unfold(torch.Tensor.unfold(x, 2, kernel[0], strides[0]), 3, kernel[1], strides[1])
        windows = windows[..., :: rates[0], :: rates[1]]
        return wrap(torch.amax(windows + filter[None, :, None, None], (-2, -1)).to(dtype))

    return run


@primitive
def ExtractVolumePatches(kernel_size: Any, strides: Any, padding: Literal["SAME", "VALID", "same", "valid"]) -> _Run:
    """The windows of (N, C, D, H, W) as channels, (N, C · kd · kh · kw, ...)."""
    owner = "ExtractVolumePatches"
    kernel = _sizes(kernel_size, "kernel_size", owner, 3)
    steps = _sizes(strides, "strides", owner, 3)

    def run(input_x: Any) -> Any:
        x = input_x
        if padding.upper() == "SAME":
            for size, width, stride in zip(x.shape[2:], kernel, steps):
                if (math.ceil(size / stride) - 1) * stride + width < size:
                    raise ValueError(
                        f"For '{owner}', 'SAME' padding needs windows that reach the end, but got size {size}, kernel "
                        f"{width} and stride {stride}."
                    )
            x = torch.nn.functional.pad(x, _same_padding(x.shape[2:], kernel, steps))
        for axis, (width, stride) in enumerate(zip(kernel, steps), 2):
            x = torch.Tensor.unfold(x, axis, width, stride)
        moved = torch.permute(x, (0, 5, 6, 7, 1, 2, 3, 4))
        return wrap(torch.flatten(moved, 1, 4))

    return run


# --- windows of fractional sizes --------------------------------------------------------------------------------------
def _borders(size: int, count: int, pseudo_random: bool, generator: torch.Generator | None) -> list[int]:
    """Return ``count`` windows over ``size`` places, whose lengths are the two whole numbers around size / count."""
    if pseudo_random:
        alpha = size / count
        u_max = min((size - 1.0) / alpha - count + 1 if count > 1 else 1.0, 1.0)
        u = float(torch.rand((), generator=generator)) * max(u_max, 0.0)
        found = [int(alpha * (number + u)) - int(alpha * u) for number in range(count)]
        return [*found, size]
    short = size // count
    lengths = torch.full((count,), short, dtype=torch.int64)
    lengths[torch.randperm(count, generator=generator)[: size - short * count]] += 1
    return [0, *torch.cumsum(lengths, 0).tolist()]


def _fractional(owner: str, reduce: Callable[..., torch.Tensor]) -> Any:
    def constructor(
        pooling_ratio: Any,
        pseudo_random: Bool = False,
        overlapping: Bool = False,
        deterministic: Bool = False,
        seed: Int = 0,
        seed2: Int = 0,
    ) -> _Run:

        def run(x: Any) -> Any:
            if pooling_ratio[0] != 1 or pooling_ratio[3] != 1 or min(pooling_ratio) < 1:
                raise ValueError(
                    f"For '{owner}', the 'pooling_ratio' must be [1.0, rows, columns, 1.0] of at least 1, but got "
                    f"{pooling_ratio}."
                )
            borders, dtype, x = [], x.dtype, _floating(x)
            generator = fixed_generator(joined_stream(seed, seed2) or int(deterministic), "cpu")
            for axis in (1, 2):
                count = int(x.shape[axis] / pooling_ratio[axis])
                borders.append(_borders(x.shape[axis], count, pseudo_random, generator))
                ends = [min(end + overlapping, x.shape[axis]) for end in borders[-1][1:]]
                parts = [reduce(x[(slice(None),) * axis + (slice(a, b),)], axis) for a, b in zip(borders[-1], ends)]
                x = torch.cat(parts, axis)
            return wrap((to_dtype(x, dtype), *(constant(item, x.device) for item in borders)))

        return run

    constructor.__name__ = owner
    constructor.__doc__ = (
        f"({'Greatest values' if 'Max' in owner else 'Means'} over windows of (N, H, W, C) with whole lengths around "
        "``pooling_ratio``, the borders of the rows, those of the columns).\n\nThe borders are drawn as MindSpore "
        "draws them, with other random numbers."
    )
    return primitive(constructor, inputs="x")


FractionalMaxPool = _fractional("FractionalMaxPool", lambda x, axis: torch.amax(x, axis, keepdim=True))
FractionalAvgPool = _fractional("FractionalAvgPool", lambda x, axis: torch.mean(x, axis, keepdim=True))


@primitive(inputs="input_x random_samples")
def FractionalMaxPoolWithFixedKsize(ksize: Any, output_shape: Any, data_format: Literal["NCHW"] = "NCHW") -> _Run:
    """(greatest values over windows ``ksize`` at places that ``random_samples`` (N, C, 2) choose, flat index)."""
    owner = "FractionalMaxPoolWithFixedKsize"
    kernel, size = _sizes(ksize, "ksize", owner, 2), _sizes(output_shape, "output_shape", owner, 2)

    def run(input_x: Any, random_samples: Any) -> Any:
        x = _floating(input_x)
        samples = random_samples.detach().to(x.dtype)
        values, places = torch.nn.functional.fractional_max_pool2d_with_indices(
            x, kernel, size, _random_samples=samples
        )
        return wrap((to_dtype(values, input_x.dtype), places))

    return run


@primitive(inputs="x random_samples")
def FractionalMaxPool3DWithFixedKsize(
    ksize: Any, output_shape: Any, data_format: Literal["NCDHW", "NDHWC"] = "NCDHW"
) -> _Run:
    """(greatest values over windows ``ksize`` at places that ``random_samples`` (N, C, 3) choose, flat index)."""
    owner = "FractionalMaxPool3DWithFixedKsize"
    kernel, size = _sizes(ksize, "ksize", owner, 3), _sizes(output_shape, "output_shape", owner, 3)

    def run(x: Any, random_samples: Any) -> Any:
        channels_last = data_format == "NDHWC"
        maps = _floating(torch.movedim(x, -1, 1) if channels_last else x)
        values, places = torch.nn.functional.fractional_max_pool3d_with_indices(
            maps, kernel, size, _random_samples=random_samples.detach().to(maps.dtype)
        )
        found = to_dtype(values, x.dtype), places
        return wrap(tuple(torch.movedim(item, 1, -1) if channels_last else item for item in found))

    return run


__all__ = functions(globals())
PRIMITIVES = classes(globals())
