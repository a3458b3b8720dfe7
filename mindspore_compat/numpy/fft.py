"""``mindspore.numpy.fft``: Fourier transforms of `mindspore.ops` with NumPy's argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.ops import function as F
from mindspore_compat.ops.function import fftfreq, rfftfreq

_ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_ALONG_TWO = tuple(f"{name}2" for name in _ALONG_ONE)
_ALONG_MANY = tuple(f"{name}n" for name in _ALONG_ONE)
__all__ = [*_ALONG_ONE, *_ALONG_TWO, *_ALONG_MANY, "fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftshift(x: Any, axes: Any = None) -> Any:
    """Return the zero frequency moved to the middle of ``axes`` (None: of all)."""
    return F.fftshift(x, axes)


def ifftshift(x: Any, axes: Any = None) -> Any:
    """Return the inverse of `fftshift`."""
    return F.ifftshift(x, axes)


def _along_one(name: str) -> Callable[..., Any]:
    compute = getattr(F, name)

    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return compute(a, n, axis, norm)

    return transform


def _along_many(name: str, default: Any) -> Callable[..., Any]:
    compute = getattr(F, name)

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return compute(a, s, axes, norm)

    return transform


for _name in (*_ALONG_ONE, *_ALONG_TWO, *_ALONG_MANY):
    _made = _along_one(_name) if _name in _ALONG_ONE else _along_many(_name, (-2, -1) if _name in _ALONG_TWO else None)
    _made.__name__ = _made.__qualname__ = _name
    _made.__doc__ = f"`mindspore.ops.{_name}` under NumPy's names for the arguments."
    globals()[_name] = _made
