"""Creation of tensors as in numpy. MindSpore: ``mindspore.numpy.array_creations``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._numerics import kernels
from mindspore_compat._ops.adapt import as_ints
from mindspore_compat._ops.creation import vandermonde
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import copied, wrap
from mindspore_compat.common.dtype import to_torch_dtype
from mindspore_compat.numpy import _padding, _windows
from mindspore_compat.numpy._padding import *  # noqa: F403
from mindspore_compat.numpy._windows import *  # noqa: F403
from mindspore_compat.numpy._windows import _number
from mindspore_compat.numpy.utils import as_tensor, cast, on_device
from mindspore_compat.ops import function as F

__all__ = [
    *_padding.__all__,
    *_windows.__all__,
    *"""
    array asarray asfarray copy zeros ones full empty zeros_like ones_like full_like empty_like arange linspace
    logspace geomspace eye identity tri tril triu tril_indices triu_indices tril_indices_from triu_indices_from diag
    diagflat diagonal diag_indices trace meshgrid mgrid ogrid ix_ indices vander histogram_bin_edges
    """.split(),
]

_float32, _int32 = torch.float32, torch.int32


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Return a tensor from a tensor, number, array or nested list."""
    result = as_tensor(obj, dtype)
    if copy and result is obj:
        result = torch.clone(result)
    result = result.to(current_device()) if result is not obj else result
    if ndmin > result.dim():
        result = torch.reshape(result, (1,) * (ndmin - result.dim()) + tuple(result.shape))
    return cast(result, dtype)


def asarray(a: Any, dtype: Any = None) -> Any:
    """Return a tensor from a tensor, number, array or nested list; tensors are not copied."""
    return array(a, dtype, copy=False)


def asfarray(a: Any, dtype: Any = _float32) -> Any:
    """Return `asarray` as floats; another ``dtype`` becomes float32."""
    kind = to_torch_dtype(dtype)
    return array(a, kind if kind.is_floating_point else _float32, copy=False)


def copy(a: Any) -> Any:
    """Return a copy."""
    return array(a)


def _filled(shape: Any, value: Any, dtype: Any) -> Any:
    return wrap(torch.full(as_ints(shape), value, dtype=to_torch_dtype(dtype), device=current_device()))


def zeros(shape: Any, dtype: Any = _float32) -> Any:
    """Return zeros."""
    return _filled(shape, 0, dtype)


def ones(shape: Any, dtype: Any = _float32) -> Any:
    """Return ones."""
    return _filled(shape, 1, dtype)


def empty(shape: Any, dtype: Any = _float32) -> Any:
    """Return a tensor of a shape with any content."""
    return _filled(shape, 0, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Return a shape filled with one value, or with a broadcast one."""
    value = as_tensor(fill_value, dtype)
    return cast(torch.clone(torch.Tensor.expand(value, as_ints(shape))).to(current_device()), dtype)


def _like(prototype: Any, value: Any, dtype: Any, shape: Any) -> Any:
    source = as_tensor(prototype)
    return cast(
        torch.full(
            as_ints(shape) if shape is not None else tuple(source.shape),
            value,
            device=source.device,
            dtype=source.dtype if dtype is None else to_torch_dtype(dtype),
        )
    )


def zeros_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return zeros like ``a``."""
    return _like(a, 0, dtype, shape)


def ones_like(a: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return ones like ``a``."""
    return _like(a, 1, dtype, shape)


def empty_like(prototype: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return a tensor like ``prototype`` with any content."""
    return _like(prototype, 0, dtype, shape)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """Return one value, or a broadcast one, in the shape and dtype of ``a``."""
    source = as_tensor(a)
    return full(
        as_ints(shape) if shape is not None else tuple(source.shape),
        fill_value,
        source.dtype if dtype is None else dtype,
    )


def arange(start: Any = 0, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    """Return start, start + step, ... below ``stop``: int32 for Python's ints, float32 for all others (arrays,
    Tensors).

    Raises:
        ValueError: for a step away from ``stop``. ZeroDivisionError: for a step of 0.
    """
    if dtype is None:
        dtype = _int32 if all(item is None or isinstance(item, int) for item in (start, stop, step)) else _float32
    start, stop, step = (
        item.item() if isinstance(item, np.ndarray) and item.size == 1 else _number(item)
        for item in (start, stop, step)
    )
    if step == 0:
        raise ZeroDivisionError("For 'arange', the 'step' must not be 0.")
    return cast(F.arange(start, stop, 1 if step is None else step), dtype)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    """Return ``num`` values from ``start`` to ``stop``; with ``retstep`` also the step.

    Raises:
        ValueError: for a ``num`` below 1.
    """
    if num < 1:
        raise ValueError(f"For 'linspace', the 'num' must be 1 or more, but got {num}.")
    start, stop = as_tensor(start).float(), as_tensor(stop).float()
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    values = torch.stack([start + step * i for i in range(num)], 0)
    if endpoint and num > 1:
        values[-1] = stop
    result = cast(torch.movedim(values, 0, axis), dtype)
    return (result, wrap(step)) if retstep else result


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    """Return base**start ... base**stop."""
    return cast(kernels.pow(float(base), linspace(start, stop, num, endpoint, axis=axis)), dtype)


def geomspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Any:
    """Return ``num`` values from ``start`` to ``stop`` with one ratio."""
    logs = linspace(torch.log2(as_tensor(start).float()), torch.log2(as_tensor(stop).float()), num, endpoint, axis=axis)
    return cast(torch.exp2(logs), dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = _float32) -> Any:
    """Return ones on a diagonal."""
    return wrap(on_device(np.eye(N, M, k)).to(to_torch_dtype(dtype)))


def identity(n: int, dtype: Any = _float32) -> Any:
    """Return the identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = _float32) -> Any:
    """Return ones at and below a diagonal."""
    return wrap(on_device(np.tri(N, M, k)).to(to_torch_dtype(dtype)))


def _matrix_of(m: Any) -> torch.Tensor:
    """Return a vector as so many equal rows."""
    source = as_tensor(m)
    return source.expand(source.shape[0], -1) if source.dim() == 1 else source


def tril(m: Any, k: int = 0) -> Any:
    """Return the lower triangle."""
    return wrap(torch.tril(_matrix_of(m), k))


def triu(m: Any, k: int = 0) -> Any:
    """Return the upper triangle."""
    return wrap(torch.triu(_matrix_of(m), k))


def _from_numpy(arrays: Sequence[Any]) -> tuple:
    return tuple(wrap(on_device(np.asarray(item, np.int32))) for item in arrays)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Return the indices of the lower triangle."""
    return _from_numpy(np.tril_indices(n, k, m))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> Any:
    """Return the indices of the upper triangle."""
    return _from_numpy(np.triu_indices(n, k, m))


def tril_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the indices of the lower triangle of ``arr``."""
    return tril_indices(arr.shape[-2], k, arr.shape[-1])


def triu_indices_from(arr: Any, k: int = 0) -> Any:
    """Return the indices of the upper triangle of ``arr``."""
    return triu_indices(arr.shape[-2], k, arr.shape[-1])


def diag(v: Any, k: int = 0) -> Any:
    """Return the diagonal of a matrix, or a matrix with one."""
    return wrap(torch.diag(as_tensor(v), k))


def diagflat(v: Any, k: int = 0) -> Any:
    """Return a matrix with the flattened input on a diagonal."""
    return wrap(torch.diagflat(as_tensor(v), k))


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a diagonal of two axes, as last axis."""
    return wrap(torch.diagonal(as_tensor(a), offset, axis1, axis2))


def diag_indices(n: int, ndim: int = 2) -> Any:
    """Return the indices of the main diagonal."""
    return _from_numpy([np.arange(n)] * ndim)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Return the sum along a diagonal."""
    source = as_tensor(a)
    return cast(
        torch.sum(
            torch.diagonal(source, offset, axis1, axis2), -1, dtype=torch.bool if source.dtype is torch.bool else None
        ),
        dtype,
    )


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> Any:
    """Return coordinate grids."""
    check_one_of(indexing, "indexing", ("xy", "ij"), "meshgrid")
    tensors = [torch.reshape(as_tensor(item), (-1,)) for item in xi]
    count = len(tensors)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    grids = [torch.reshape(item, [-1 if i == at else 1 for i in range(count)]) for at, item in zip(order, tensors)]
    return list(map(wrap, grids) if sparse else map(copied, torch.broadcast_tensors(*grids)))


class _Grid:
    """``mgrid[0:3, 0:2]`` and ``ogrid[...]``."""

    def __init__(self, source: Any, stacked: bool) -> None:
        self._source, self._stacked = source, stacked

    def __getitem__(self, key: Any) -> Any:
        found = self._source[key]
        if self._stacked or not isinstance(found, (list, tuple)):
            return array(np.asarray(found).astype(np.float32 if np.asarray(found).dtype.kind == "f" else np.int32))
        return [array(item.astype(np.float32 if item.dtype.kind == "f" else np.int32)) for item in found]


mgrid, ogrid = _Grid(np.mgrid, True), _Grid(np.ogrid, False)


def ix_(*args: Any) -> Any:
    """Return an open mesh of 1-d index tensors."""
    return tuple(
        wrap(torch.reshape(as_tensor(item), [-1 if axis == i else 1 for axis in range(len(args))]))
        for i, item in enumerate(_vectors(args))
    )


def _vectors(args: Sequence[Any]) -> list[torch.Tensor]:
    found = [as_tensor(item) for item in args]
    if any(item.dim() != 1 for item in found):
        raise ValueError("For 'ix_', each index must have one axis.")
    return found


def indices(dimensions: Any, dtype: Any = _int32, sparse: bool = False) -> Any:
    """Return the indices of a grid, one tensor for each axis."""
    return meshgrid(*[arange(length, dtype=dtype) for length in dimensions], sparse=sparse, indexing="ij")


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the Vandermonde matrix."""
    source = as_tensor(x)
    return wrap(torch.Tensor.to(vandermonde(source, N, increasing), source.dtype))


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """Return the edges of the bins of a histogram: float32, or ``bins`` themselves."""
    if isinstance(bins, (torch.Tensor, list, tuple)):
        return wrap(as_tensor(bins))
    source = as_tensor(a).detach().cpu().numpy()
    return array(np.histogram_bin_edges(source, bins, range).astype(np.float32))
