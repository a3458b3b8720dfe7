"""Windows and regions that are drawn at random or patches, in class form. Parts of ``nn_ops`` and ``array_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as tf

from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.seed import joined_stream
from mindspore_compat.ops._adapt import as_ints, to_dtype
from mindspore_compat.ops._declare import Bool, Int, plain, primitive
from mindspore_compat.ops.function.random_func import fixed_generator

__all__ = """
    AdaptiveMaxPool3D Dilation2D ExtractVolumePatches FractionalAvgPool FractionalMaxPool
    FractionalMaxPoolWithFixedKsize FractionalMaxPool3DWithFixedKsize
""".split()

_Run = Callable[..., Any]


def _floating(x: torch.Tensor) -> torch.Tensor:
    """Return integers as float64, since torch has no kernel for them; a maximum gets the dtype back."""
    return x if x.dtype.is_floating_point else to_dtype(x, torch.float64)


def _adaptive_max_pool3d(x: Any, output_size: Any) -> Any:
    """Return (maxima over windows so that ``output_size``, a Tensor, remain; flat index of each as int32)."""
    values, places = tf.adaptive_max_pool3d(_floating(x), as_ints(output_size), return_indices=True)
    return wrap((to_dtype(values, x.dtype), to_dtype(places, torch.int32)))


AdaptiveMaxPool3D = plain("AdaptiveMaxPool3D", _adaptive_max_pool3d)


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


@primitive
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
        if pad_mode.upper() == "SAME":
            x = tf.pad(x, _same_padding(x.shape[2:], kernel, strides), value=float("-inf"))
        windows = torch.Tensor.unfold(torch.Tensor.unfold(x, 2, kernel[0], strides[0]), 3, kernel[1], strides[1])
        windows = windows[..., :: rates[0], :: rates[1]]
        return wrap(torch.amax(windows + filter[None, :, None, None], (-2, -1)))

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
            x = tf.pad(x, _same_padding(x.shape[2:], kernel, steps))
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
    return primitive(constructor)


FractionalMaxPool = _fractional("FractionalMaxPool", lambda x, axis: torch.amax(x, axis, keepdim=True))
FractionalAvgPool = _fractional("FractionalAvgPool", lambda x, axis: torch.mean(x, axis, keepdim=True))


@primitive
def FractionalMaxPoolWithFixedKsize(ksize: Any, output_shape: Any, data_format: Literal["NCHW"] = "NCHW") -> _Run:
    """(greatest values over windows ``ksize`` at places that ``random_samples`` (N, C, 2) choose, flat index)."""
    owner = "FractionalMaxPoolWithFixedKsize"
    kernel, size = _sizes(ksize, "ksize", owner, 2), _sizes(output_shape, "output_shape", owner, 2)

    def run(input_x: Any, random_samples: Any) -> Any:
        x = _floating(input_x)
        samples = random_samples.detach().to(x.dtype)
        values, places = tf.fractional_max_pool2d_with_indices(x, kernel, size, _random_samples=samples)
        return wrap((to_dtype(values, input_x.dtype), places))

    return run


@primitive
def FractionalMaxPool3DWithFixedKsize(
    ksize: Any, output_shape: Any, data_format: Literal["NCDHW", "NDHWC"] = "NCDHW"
) -> _Run:
    """(greatest values over windows ``ksize`` at places that ``random_samples`` (N, C, 3) choose, flat index)."""
    owner = "FractionalMaxPool3DWithFixedKsize"
    kernel, size = _sizes(ksize, "ksize", owner, 3), _sizes(output_shape, "output_shape", owner, 3)

    def run(x: Any, random_samples: Any) -> Any:
        channels_last = data_format == "NDHWC"
        maps = _floating(torch.movedim(x, -1, 1) if channels_last else x)
        values, places = tf.fractional_max_pool3d_with_indices(
            maps, kernel, size, _random_samples=random_samples.detach().to(maps.dtype)
        )
        found = to_dtype(values, x.dtype), places
        return wrap(tuple(torch.movedim(item, 1, -1) if channels_last else item for item in found))

    return run
