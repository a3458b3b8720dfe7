"""torch's norms with MindSpore's derivative. For a largest or smallest element or sum, the first of equal ones gets the
gradient; torch shares it among them.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from mindspore_compat._numerics import kernels

_INFINITE = (math.inf, -math.inf)
_EXTREME = (*_INFINITE, 1, -1)  # of matrices


def _of_integers(x: torch.Tensor, dtype: Any) -> bool:
    return dtype is None and not (x.is_floating_point() or x.is_complex())


def norm(x: torch.Tensor, ord: Any, dim: Any, keepdim: bool = False, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Return `torch.linalg.norm`: of vectors in one axis, of matrices in two; of integers float32, or counts."""
    if ord in _EXTREME or (ord == 0 and _of_integers(x, dtype)):
        count = x.dim() if dim is None else 1 if isinstance(dim, int) else len(dim)
        if count == 2:
            return matrix_norm(x, ord, (-2, -1) if dim is None else tuple(dim), keepdim, dtype)
        if count == 1:
            return vector_norm(x, ord, dim, keepdim, dtype)
    return kernels.norm(
        torch.Tensor.to(x, torch.float32) if _of_integers(x, dtype) else x, ord, dim, keepdim, dtype=dtype
    )


def vector_norm(
    x: torch.Tensor, ord: Any, dim: Any = None, keepdim: bool = False, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """Return `torch.linalg.vector_norm`."""
    if ord in _INFINITE and x.numel():
        return _extreme(torch.abs(x if dtype is None else torch.Tensor.to(x, dtype)), dim, keepdim, ord > 0)
    if _of_integers(x, dtype):
        found = kernels.vector_norm(torch.Tensor.to(x, torch.float32), ord, dim, keepdim)
        return torch.Tensor.to(found, torch.int64) if ord == 0 else found
    return kernels.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(
    x: torch.Tensor, ord: Any, dim: tuple[int, ...], keepdim: bool = False, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """Return `torch.linalg.matrix_norm`."""
    if _of_integers(x, dtype):
        found = matrix_norm(torch.Tensor.to(x, torch.float32), ord, dim, keepdim)
        return torch.Tensor.to(found, torch.int64 if abs(ord) == 1 else x.dtype) if ord in _EXTREME else found
    if ord not in _EXTREME or len(dim) != 2 or not x.numel():
        return kernels.matrix_norm(x, ord, dim, keepdim, dtype=dtype)
    summed, other = dim if abs(ord) == 1 else dim[::-1]
    found = _extreme(kernels.vector_norm(x, 1, summed, True, dtype=dtype), other, True, ord > 0)
    return found if keepdim else torch.squeeze(found, dim)


def _extreme(x: torch.Tensor, dim: Any, keepdim: bool, is_largest: bool) -> torch.Tensor:
    pick: Any = torch.max if is_largest else torch.min
    if isinstance(dim, int):
        return pick(x, dim, keepdim)[0]
    axes = range(x.dim()) if dim is None else sorted(axis % x.dim() for axis in dim)
    rest = [axis for axis in range(x.dim()) if axis not in axes]
    flat = torch.reshape(torch.permute(x, (*rest, *axes)), [*(x.shape[axis] for axis in rest), -1])
    found = pick(flat, -1)[0]
    return torch.reshape(found, [1 if axis in axes else x.shape[axis] for axis in range(x.dim())]) if keepdim else found
