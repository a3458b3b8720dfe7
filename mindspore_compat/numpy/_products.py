"""numpy's products of arrays."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy._statistics import _float_pair
from mindspore_compat.numpy.utils import as_tensor, cast
from mindspore_compat.ops import function as F

__all__ = ["matmul", "dot", "inner", "outer", "tensordot", "kron", "cross", "matrix_power", "multi_dot"]


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return the matrix product."""
    return cast(kernels.matmul(*_float_pair(x1, x2)), dtype)


def dot(a: Any, b: Any) -> Any:
    """Return numpy's ``dot``."""
    left, right = _float_pair(a, b)
    if left.dim() == 0 or right.dim() == 0:
        return wrap(left * right)
    if right.dim() <= 2:
        return wrap(kernels.matmul(left, right))
    return wrap(kernels.tensordot(left, right, ([left.dim() - 1], [right.dim() - 2])))


def inner(a: Any, b: Any) -> Any:
    """Return the product over the last axes."""
    return wrap(kernels.inner(*_float_pair(a, b)))


def outer(a: Any, b: Any) -> Any:
    """Return the outer product of the flattened inputs."""
    left, right = _float_pair(a, b)
    return wrap(torch.outer(torch.reshape(left, (-1,)), torch.reshape(right, (-1,))))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return the product summed over axes."""
    left, right = _float_pair(a, b)
    return F.tensor_dot(left, right, axes)


def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product."""
    return wrap(torch.kron(*_float_pair(a, b)))


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Return the cross product of vectors of 2 or 3 elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = (torch.movedim(item, source, -1) for item, source in zip(_float_pair(a, b), (axisa, axisb)))
    flat = left.shape[-1] == 2 and right.shape[-1] == 2
    left, right = (torch.nn.functional.pad(item, (0, 1)) if item.shape[-1] == 2 else item for item in (left, right))
    left, right = torch.broadcast_tensors(left, right)
    result = torch.linalg.cross(left, right, dim=-1)
    return wrap(result[..., 2] if flat else torch.movedim(result, -1, axisc))


def matrix_power(a: Any, n: int) -> Any:
    """Return the n-th power of a square matrix."""
    return wrap(kernels.matrix_power(as_tensor(a), n))


def multi_dot(arrays: Any) -> Any:
    """Return the product of several matrices."""
    return wrap(kernels.multi_dot([as_tensor(item) for item in arrays]))
