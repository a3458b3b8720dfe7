"""Colours of images, glimpses, and scaling with filters, in class form. Parts of ``image_ops``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.placement import constant
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops._adapt import as_ints
from mindspore_compat.ops._declare import Bool, Typed, plain, primitive

__all__ = "AdjustHue AdjustSaturation ExtractGlimpse ScaleAndTranslate".split()

_Run = Callable[..., Any]


def _check_image(owner: str, image: Any) -> None:
    """Raise TypeError for integers, whose result would be cut off."""
    if not image.is_floating_point():
        raise TypeError(f"For '{owner}', the 'image' must be of floats, but got {dtype_name(image.dtype)}.")


def _hue_and_range(image: Any) -> tuple[Any, Any, Any]:
    """Return (hue in [0, 6), greatest, least) of colours along the last axis."""
    high, place = torch.max(image, -1)
    low = torch.amin(image, -1)
    span = torch.where(high > low, high - low, torch.ones_like(high))
    r, g, b = torch.unbind(image, -1)
    hues = torch.stack(((g - b) / span, 2 + (b - r) / span, 4 + (r - g) / span), -1)
    hue = torch.squeeze(torch.gather(hues, -1, torch.unsqueeze(place, -1)), -1)
    return torch.remainder(hue, 6), high, low


def _of_hue(hue: Any, high: Any, low: Any) -> Any:
    offsets = constant([0.0, 4.0, 2.0], hue.device, hue.dtype)
    distance = torch.abs(torch.remainder(torch.unsqueeze(hue, -1) + offsets, 6) - 3)
    share = torch.clamp(distance - 1, 0, 1)
    low, high = torch.unsqueeze(low, -1), torch.unsqueeze(high, -1)
    return low + (high - low) * share


def _adjust_hue(image: Any, delta: Any) -> Any:
    """Return (..., 3) RGB with ``delta`` added to the hue, whose full circle is 1; float16, float32 or float64."""
    _check_image("AdjustHue", image)
    exact = image.float() if image.dtype == torch.float16 else image
    hue, high, low = _hue_and_range(exact)
    return wrap(_of_hue(torch.remainder(hue + 6 * delta.to(hue.dtype), 6), high, low).to(image.dtype))


def _adjust_saturation(image: Any, scale: Any) -> Any:
    """Return (..., 3) RGB with the saturation multiplied by ``scale``, up to 1; float16, float32 or float64."""
    _check_image("AdjustSaturation", image)
    exact = image.float() if image.dtype == torch.float16 else image
    hue, high, low = _hue_and_range(exact)
    safe = torch.where(high > 0, high, torch.ones_like(high))
    saturation = torch.where(high > 0, (high - low) / safe, torch.zeros_like(high))
    saturation = torch.clamp(saturation * scale.to(hue.dtype), 0, 1)
    return wrap(_of_hue(hue, high, high - saturation * high).to(image.dtype))


AdjustHue = plain("AdjustHue", _adjust_hue)
AdjustSaturation = plain("AdjustSaturation", _adjust_saturation)


@primitive
def ExtractGlimpse(
    centered: Bool = True,
    normalized: Bool = True,
    uniform_noise: Bool = True,
    noise: Literal["uniform", "gaussian", "zero"] = "uniform",
) -> _Run:
    """Windows of ``size`` around ``offsets`` (N, 2) of (N, H, W, C) images; places outside are noise, or zeros."""

    def run(x: Any, size: Any, offsets: Any) -> Any:
        samples, height, width, channels = x.shape
        rows, columns = as_ints(size)
        out = x.new_zeros((samples, rows, columns, channels))
        if noise == "uniform" and uniform_noise:
            out.uniform_(0, 255)
        elif noise != "zero":
            out.normal_(127.5, 127.5 / 3) if noise == "gaussian" else out.uniform_(0, 255)
        for sample, (y, z) in enumerate(offsets.tolist()):
            if normalized:
                y, z = y * height, z * width
            if centered:
                y, z = (y + height) / 2, (z + width) / 2
            first = [int(y - rows / 2), int(z - columns / 2)]
            top, left = max(first[0], 0), max(first[1], 0)
            bottom, right = min(first[0] + rows, height), min(first[1] + columns, width)
            if bottom > top and right > left:
                place = slice(top - first[0], bottom - first[0]), slice(left - first[1], right - first[1])
                out[sample][place] = x[sample, top:bottom, left:right]
        return wrap(out)

    return run


def _lanczos(radius: int) -> tuple[float, Callable[[torch.Tensor], torch.Tensor]]:
    def weigh(x: torch.Tensor) -> torch.Tensor:
        return torch.where(torch.abs(x) <= radius, torch.sinc(x) * torch.sinc(x / radius), torch.zeros_like(x))

    return float(radius), weigh


def _cubic(b: float, c: float) -> tuple[float, Callable[[torch.Tensor], torch.Tensor]]:
    def weigh(x: torch.Tensor) -> torch.Tensor:
        x = torch.abs(x)
        near = (12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b
        far = (-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c
        return torch.where(x < 1, near, torch.where(x < 2, far, torch.zeros_like(x))) / 6

    return 2.0, weigh


def _box(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.abs(x) < 0.5, 1.0, torch.where(torch.abs(x) == 0.5, 0.5, 0.0))


_KERNELS: dict[str, tuple[float, Callable[[torch.Tensor], torch.Tensor]]] = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": (
        1.5,
        lambda x: torch.where(torch.abs(x) < 1.5, torch.exp(-2 * kernels.square(x)), torch.zeros_like(x)),
    ),
    "box": (1.0, _box),
    "triangle": (1.0, lambda x: torch.clamp(1 - torch.abs(x), min=0)),
    "keyscubic": _cubic(0.0, 0.5),
    "mitchellcubic": _cubic(1 / 3, 1 / 3),
}


def _spread(kernel: str, antialias: bool, size: int, count: int, scale: float, shift: float, device: Any) -> Any:
    """Return the weights (count, size) of the input's pixels along one axis."""
    radius, weigh = _KERNELS[kernel]
    stretch = max(1 / scale, 1.0) if antialias else 1.0
    center = (torch.arange(count, device=device, dtype=torch.float64) + 0.5) / scale - shift / scale
    center = torch.unsqueeze(center, -1)
    places = torch.arange(size, device=device, dtype=torch.float64)
    first, last = (
        torch.clamp(bound, 0, size - 1)
        for bound in (
            torch.ceil(center - radius * stretch - 0.5),
            torch.floor(center + radius * stretch - 0.5),
        )
    )
    weights = weigh((places + 0.5 - center) / stretch) * ((places >= first) & (places <= last))
    total = torch.sum(weights, -1, keepdim=True)
    weights = torch.where(torch.abs(total) >= 1000 * torch.finfo(torch.float32).tiny, weights / total, 0.0)
    return torch.where((center < 0) | (center > size), 0.0, weights).float()


@primitive
def ScaleAndTranslate(
    kernel_type: Literal[
        "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"
    ] = "lanczos3",
    antialias: Typed[bool] = True,
) -> _Run:
    """float32 images (N, ``size``, C): (N, H, W, C) ones scaled, then moved, by a filter."""

    @kernels.as_given
    def run(images: Any, size: Any, scale: Any, translation: Any) -> Any:
        counts, scales, shifts = as_ints(size), scale.tolist(), translation.tolist()
        if not all(math.isfinite(item) and item > 0 for item in scales):
            raise ValueError(f"For 'ScaleAndTranslate', the 'scale' must be positive, but got {scales}.")
        rows, columns = (
            _spread(kernel_type, antialias, images.shape[axis], counts[axis - 1], scales[axis - 1], shifts[axis - 1],
                    images.device)
            for axis in (1, 2)
        )  # fmt: skip
        return wrap(kernels.einsum("yh,nhwc,xw->nyxc", rows, images.float(), columns))

    return run
