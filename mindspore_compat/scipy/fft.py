"""``mindspore.scipy.fft``: orthonormal discrete cosine transforms of the second kind, on torch's FFT."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._ops.adapt import all_axes
from mindspore_compat._tensor.wrapping import wrap

__all__ = ["dct", "dctn", "idct", "idctn"]

_KEPT = (torch.float64, torch.complex64, torch.complex128)
_Transform = Callable[[torch.Tensor], torch.Tensor]


def _checked(owner: str, x: Any, type: int, norm: Any) -> torch.Tensor:
    """Return the input in the dtype to compute in."""
    if type != 2:
        raise ValueError(f"For '{owner}', the 'type' must be 2, but got {type}.")
    if norm not in (None, "ortho"):
        raise ValueError(f"For '{owner}', the 'norm' must be None or 'ortho', but got {norm!r}.")
    return x if x.dtype in _KEPT else x.to(torch.float32)


def _sized(owner: str, x: torch.Tensor, n: Any) -> torch.Tensor:
    """Return the last axis cut or filled with zeros."""
    if n is None:
        return x
    if n < 1:
        raise ValueError(f"For '{owner}', the length must be at least 1, but got {n}.")
    return torch.nn.functional.pad(x[..., :n], (0, max(0, n - x.shape[-1])))


def _angles(x: torch.Tensor) -> torch.Tensor:
    count = x.shape[-1]
    return torch.arange(count, dtype=x.dtype, device=x.device) * (math.pi / (2 * count))


def _forward(x: torch.Tensor) -> torch.Tensor:
    """Transform by one FFT of the even elements and the odd ones backwards (J. Makhoul, 1980)."""
    count, angles = x.shape[-1], _angles(x)
    found = torch.fft.fft(torch.cat((x[..., ::2], x[..., 1::2].flip(-1)), -1))
    found = (found.real * torch.cos(angles) + found.imag * torch.sin(angles)) * math.sqrt(2 / count)
    return torch.cat((found[..., :1] * math.sqrt(0.5), found[..., 1:]), -1)


def _backward(x: torch.Tensor) -> torch.Tensor:
    count, angles = x.shape[-1], _angles(x)
    x = torch.cat((x[..., :1] * math.sqrt(2), x[..., 1:]), -1) * math.sqrt(count / 2)
    mirrored = torch.cat((torch.zeros_like(x[..., :1]), x[..., 1:].flip(-1)), -1)
    found = torch.fft.ifft(torch.complex(x, -mirrored) * torch.polar(torch.ones_like(angles), angles)).real
    even = (count + 1) // 2
    result = torch.empty_like(found)
    result[..., ::2], result[..., 1::2] = found[..., :even], found[..., even:].flip(-1)
    return result


def _along(transform: _Transform, owner: str, x: torch.Tensor, n: Any, axis: int) -> torch.Tensor:
    x = _sized(owner, torch.movedim(x, axis, -1), n)
    if x.is_complex():
        x = torch.complex(transform(x.real), transform(x.imag))
    else:
        x = transform(x)
    return torch.movedim(x, -1, axis)


def _along_one(transform: _Transform, owner: str, x: Any, type: int, n: Any, axis: Any, norm: Any) -> Any:
    x = _checked(owner, x, type, norm)
    return wrap(_along(transform, owner, x, n, all_axes(axis, x.dim())[0]))


def _along_many(transform: _Transform, owner: str, x: Any, type: int, s: Any, axes: Any, norm: Any) -> Any:
    x = _checked(owner, x, type, norm)
    if axes is None and s is not None:
        axes = tuple(range(x.dim() - len(s), x.dim()))
    places = all_axes(axes, x.dim())
    sizes = [None] * len(places) if s is None else list(s)
    for size, place in zip(sizes, places, strict=True):
        x = _along(transform, owner, x, size, place)
    return wrap(x)


def dct(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Return the orthonormal cosine transform along ``axis``, cut or filled with zeros to ``n`` elements.

    Args:
        x: int16, int32, int64, float16, float32 (computed in float32), float64, complex64 or complex128.

    Raises:
        ValueError: for another ``type`` than 2, another ``norm`` than
            "ortho", an axis that is not there, a length below 1.

    Examples:
        >>> print(ms.scipy.fft.dct(Tensor([1.0, 1.0, 1.0, 1.0])).round())
        [2. 0. 0. 0.]
    """
    return _along_one(_forward, "dct", x, type, n, axis, norm)


def idct(x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Return the inverse of `dct`; arguments and errors as there."""
    return _along_one(_backward, "idct", x, type, n, axis, norm)


def dctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Return `dct` along several ``axes`` (None: all, or the last ``len(s)``), with the lengths ``s``."""
    return _along_many(_forward, "dctn", x, type, s, axes, norm)


def idctn(x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
    """Return the inverse of `dctn`; arguments and errors as there."""
    return _along_many(_backward, "idctn", x, type, s, axes, norm)
