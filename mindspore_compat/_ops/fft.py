"""Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._ops.adapt import dtype_or_none
from mindspore_compat._ops.declare import classes, functions, op, primitive
from mindspore_compat._runtime.device import current_device
from mindspore_compat._runtime.placement import sent
from mindspore_compat._tensor.wrapping import wrap

_Run = Callable[..., Any]


_1D = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_2D = ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2")
_ND = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")


def _single(x: Any) -> Any:
    """Return float16 as float32: torch computes in it on a GPU alone, MindSpore nowhere."""
    return torch.Tensor.float(x) if x.dtype is torch.float16 else x


def _over_one(name: str) -> Callable[..., Any]:
    function = getattr(torch.fft, name)

    def compute(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
        return wrap(function(_single(input), n, dim, norm))

    compute.__name__, compute.__doc__ = name, f"``{name}`` along one axis."
    return op(compute)


def _over_two(name: str) -> Callable[..., Any]:
    function = getattr(torch.fft, name)

    def compute(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Any:
        return wrap(function(_single(input), s, dim, norm))

    compute.__name__, compute.__doc__ = name, f"``{name}`` along two axes."
    return op(compute)


def _over_all(name: str) -> Callable[..., Any]:
    function = getattr(torch.fft, name)

    def compute(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Any:
        return wrap(function(_single(input), s, dim, norm))

    compute.__name__, compute.__doc__ = name, f"``{name}`` along all or the named axes."
    return op(compute)


globals().update({name: _over_one(name) for name in _1D})

globals().update({name: _over_two(name) for name in _2D})

globals().update({name: _over_all(name) for name in _ND})


@op
def fftshift(input: Any, dim: Any = None) -> Any:
    """Move the zero frequency to the middle."""
    return wrap(torch.fft.fftshift(input, dim))


@op
def ifftshift(input: Any, dim: Any = None) -> Any:
    """Return the inverse of `fftshift`."""
    return wrap(torch.fft.ifftshift(input, dim))


@op
def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Any:
    """Return frequencies of `fft`."""
    return wrap(sent(torch.fft.fftfreq(n, d, dtype=dtype_or_none(dtype)), current_device()))


@op
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Any:
    """Return frequencies of `rfft`."""
    return wrap(sent(torch.fft.rfftfreq(n, d, dtype=dtype_or_none(dtype)), current_device()))


@op
def stft(
    x: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Any:
    """Return the short-time Fourier transform; real and imaginary parts in a last axis unless ``return_complex``."""
    result = torch.stft(
        x, n_fft, hop_length, win_length, window, center, pad_mode.lower(), normalized, onesided, return_complex=True
    )
    return wrap(result if return_complex else torch.view_as_real(result))


@primitive(inputs="x", settable=True)
def FFTWithSize(
    signal_ndim: int, inverse: bool, real: bool, norm: str = "backward", onesided: bool = True, signal_sizes: Any = ()
) -> _Run:
    """The Fourier transform over the last ``signal_ndim`` axes."""
    axes = tuple(range(-signal_ndim, 0))
    if not real:
        return lambda x: wrap((torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=axes, norm=norm))
    if inverse and not onesided:
        return lambda x: wrap(torch.real(torch.fft.ifftn(x, tuple(signal_sizes) or None, axes, norm)))
    if inverse:
        return lambda x: wrap(torch.fft.irfftn(x, tuple(signal_sizes) or None, axes, norm))
    return lambda x: wrap((torch.fft.rfftn if onesided else torch.fft.fftn)(x, dim=axes, norm=norm))


@primitive(inputs="x window")
def STFT(n_fft: int, hop_length: int, win_length: int, normalized: bool, onesided: bool, return_complex: bool) -> _Run:
    """The short-time Fourier transform of (batch, time) without centering."""
    return lambda x, window: stft(
        x, n_fft, hop_length, win_length, window, False, "REFLECT", normalized, onesided, return_complex
    )


__all__ = functions(globals())
PRIMITIVES = classes(globals())
