"""numpy's random arrays and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._ops.adapt import as_ints
from mindspore_compat._ops.random import ints, normals, reals
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import dtype_name, to_torch_dtype
from mindspore_compat.common.seed import get_seed
from mindspore_compat.numpy.utils import on_device

__all__ = ["rand", "randn", "randint", "bartlett", "blackman", "hamming", "hanning"]

_float32, _int32 = torch.float32, torch.int32


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, (torch.Tensor, np.generic)) else value


def _random_shape(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape; (1,) without sizes."""
    return (as_ints(shape[0]) if len(shape) == 1 else shape) or (1,)


def _random_dtype(owner: str, dtype: Any) -> torch.dtype:
    kind = to_torch_dtype(dtype)
    if not kind.is_floating_point:
        raise ValueError(
            f"For '{owner}', the 'dtype' must be float16, float32 or float64, but got {dtype_name(dtype)}."
        )
    return kind


def rand(*shape: Any, dtype: Any = _float32) -> Any:
    """Return floats from [0, 1)."""
    return wrap(reals("UniformReal", _random_shape(shape), get_seed()).to(_random_dtype("rand", dtype)))


def randn(*shape: Any, dtype: Any = _float32) -> Any:
    """Return floats from N(0, 1)."""
    return wrap(normals("StandardNormal", _random_shape(shape), get_seed()).to(_random_dtype("randn", dtype)))


_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8)


def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = _int32) -> Any:
    """Return ints from [minval, maxval), or from [0, minval).

    Raises:
        TypeError: for bounds that are no ints. ValueError: for an empty range, and a ``dtype`` that is no signed int.
    """
    low, high = (0, minval) if maxval is None else (minval, maxval)
    if low >= high:
        wanted = "'minval' must be above 0" if maxval is None else "'maxval' must be above 'minval'"
        raise ValueError(f"For 'randint', the {wanted}, but the range is [{low}, {high}).")
    kind = to_torch_dtype(dtype)
    if kind not in _INTEGERS:
        raise ValueError(
            f"For 'randint', the 'dtype' must be int8, int16, int32 or int64, but got {dtype_name(dtype)}."
        )
    sizes = as_ints(shape) if shape is not None else (1,)
    return wrap(ints("UniformInt", int(low), int(high), sizes, get_seed(), kind))


def _window(function: Any, M: int) -> Any:
    return wrap(on_device(np.asarray(function(M), np.float32)))


def bartlett(M: int) -> Any:
    """Return a triangular window."""
    return _window(np.bartlett, M)


def blackman(M: int) -> Any:
    """Return a Blackman window."""
    return _window(np.blackman, M)


def hamming(M: int) -> Any:
    """Return a Hamming window."""
    return _window(np.hamming, M)


def hanning(M: int) -> Any:
    """Return a Hann window."""
    return _window(np.hanning, M)
