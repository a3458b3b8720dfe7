"""Norms and running reductions. Parts of ``math_func``, ``linalg_func``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels, norms, subgradients
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._numerics.integer_results import given_in
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_axes, as_int, dtype_or_none, to_dtype

__all__ = """
    norm vector_norm matrix_norm cumsum cumprod cummax cummin logcumsumexp cumulative euclidean_norm lp_norm renorm
    dist l2_normalize nuclear_norm
""".split()

_int32 = torch.int32


def cumsum(x: Any, axis: Any, dtype: Any = None) -> Any:
    """Return the running sum over ``axis``; the dtype stays."""
    return wrap(given_in(torch.cumsum, x, as_int(axis), dtype=dtype_or_none(dtype) or x.dtype))


def cumprod(input: Any, dim: Any, dtype: Any = None) -> Any:
    """Return the running product over ``dim``; ints give int64."""
    return wrap(given_in(torch.cumprod, input, as_int(dim), dtype=dtype_or_none(dtype)))


def cumulative(scan: Any, x: Any, axis: int, exclusive: bool, reverse: bool, start: float) -> Any:
    """Return ``scan`` over ``axis``, from the end if ``reverse``, without the element itself if ``exclusive``
    (``start`` comes first).
    """
    axis = as_int(axis)
    if reverse:
        x = torch.flip(x, (axis,))
    result = scan(x, axis)
    if exclusive:
        first = torch.full_like(torch.narrow(result, axis, 0, 1), start)
        result = torch.cat((first, torch.narrow(result, axis, 0, result.shape[axis] - 1)), axis)
    return wrap(torch.flip(result, (axis,)) if reverse else result)


def cummax(input: Any, axis: int) -> Any:
    """Return (running maximum, its int64 index) over ``axis``."""
    return wrap(tuple(torch.cummax(input, axis)))


def cummin(input: Any, axis: int) -> Any:
    """Return (running minimum, its int32 index) over ``axis``."""
    values, indices = torch.cummin(input, axis)
    return wrap(values), wrap(to_dtype(indices, _int32))


def logcumsumexp(input: Any, axis: int) -> Any:
    """Log of the running sum of exponentials."""
    return wrap(torch.logcumsumexp(input, axis))


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return vector or matrix norm."""
    return wrap(norms.norm(A, ord, as_axes(dim), keepdim, dtype_or_none(dtype)))


def vector_norm(x: Any, ord: Any = 2, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Return the ``ord``-norm of vectors along ``axis``."""
    return wrap(norms.vector_norm(x, ord, as_axes(axis), keepdims, dtype_or_none(dtype)))


def matrix_norm(A: Any, ord: Any = "fro", axis: Any = (-2, -1), keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Return the ``ord``-norm of matrices in the two axes."""
    return wrap(norms.matrix_norm(A, ord, tuple(axis), bool(keepdims), dtype_or_none(dtype)))


def euclidean_norm(x: Any, axes: Any = (), keep_dims: bool = False) -> Any:
    """Return the root of the sum of squares over ``axes``."""
    return wrap(torch.sqrt(torch.sum(kernels.square(x), as_axes(axes), keep_dims)))


def lp_norm(x: Any, axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Any:
    """Return the p-norm over ``axis``, at least ``epsilon``."""
    return wrap(subgradients.clamp(norms.vector_norm(x, p, as_axes(axis), keep_dims), min=epsilon))


def nuclear_norm(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the sum of singular values."""
    return wrap(kernels.matrix_norm(x, "nuc", tuple(dim) if dim else (-2, -1), keepdim))


def l2_normalize(x: Any, axis: Any = 0, epsilon: float = 1e-4) -> Any:
    """Return x / sqrt(max(sum(x²), epsilon)) over ``axis``."""
    squares = torch.sum(kernels.square(x), as_axes(axis), True)
    return wrap(x / torch.sqrt(subgradients.clamp(squares, min=epsilon)))


def renorm(input: Any, p: Any, axis: int, maxnorm: float) -> Any:
    """Scale each slice along ``axis`` down to a p-norm of at most ``maxnorm``."""
    return wrap(kernels.renorm(input, p, axis, maxnorm))


def dist(input: Any, other: Any, p: Any = 2) -> Any:
    """Return the p-norm of input - other."""
    return wrap(torch.dist(input, other, p))


apply_dtype_fallback(globals(), __all__)
