"""Mathematical layers. MindSpore: ``mindspore.nn.layer.math``; most are deprecated there in favour of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._numerics import kernels, subgradients
from mindspore_compat._ops.special import gammainc
from mindspore_compat.common.tensor import Tensor
from mindspore_compat.nn.cell import Cell
from mindspore_compat.nn.layer._shapes import squeezed

__all__ = [
    "ReduceLogSumExp",
    "Range",
    "LGamma",
    "DiGamma",
    "IGamma",
    "LBeta",
    "CosineSimilarity",
    "MatMul",
    "Moments",
    "MatInverse",
    "MatDet",
]


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over ``axis``; () takes all axes."""

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x: Any) -> Any:
        axis = self.axis if isinstance(self.axis, int) else tuple(self.axis) or tuple(range(x.dim()))
        return kernels.logsumexp(x, axis, self.keep_dims)


class Range(Cell):
    """The numbers from ``start`` to ``limit`` in steps of ``delta``: int32, or float32 if one of them is a float."""

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        data = np.arange(start, limit, delta) if limit is not None else np.arange(0, start, delta)
        self.result_tensor = Tensor(data, torch.float32 if data.dtype == np.float64 else torch.int32)

    def construct(self) -> Any:
        return self.result_tensor


class LGamma(Cell):
    """log of |Γ(x)|."""

    def construct(self, x: Any) -> Any:
        return torch.lgamma(x)


class DiGamma(Cell):
    """The derivative of log Γ(x)."""

    def construct(self, x: Any) -> Any:
        return torch.digamma(x)


class IGamma(Cell):
    """The lower regularized incomplete gamma function P(a, x)."""

    def construct(self, a: Any, x: Any) -> Any:
        return gammainc(a, x)


class LBeta(Cell):
    """log of the Beta function of x and y."""

    def construct(self, x: Any, y: Any) -> Any:
        # In double precision: the logarithms nearly cancel for large arguments.
        a, b = x.double(), y.double()
        return (torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)).to(x.dtype)


class CosineSimilarity(Cell):
    """Cosine of the angle between x1 and x2 along ``dim``."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1: Any, x2: Any) -> Any:
        product = torch.sum(torch.mul(x1, x2), self.dim)
        squares = torch.mul(torch.sum(kernels.square(x1), self.dim), torch.sum(kernels.square(x2), self.dim))
        return torch.div(product, torch.sqrt(subgradients.clamp(squares, min=self.eps * self.eps)))


class MatMul(Cell):
    """Matrix product with broadcasting; either operand may be transposed first."""

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = transpose_x1
        self.transpose_x2 = transpose_x2

    def construct(self, x1: Any, x2: Any) -> Any:
        left = torch.transpose(x1, -2, -1) if self.transpose_x1 and x1.dim() > 1 else x1
        right = torch.transpose(x2, -2, -1) if self.transpose_x2 and x2.dim() > 1 else x2
        return kernels.matmul(left, right)


class Moments(Cell):
    """(mean, variance) over ``axis``; no axis takes all."""

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        axis = () if axis is None else axis
        self.axis = self._squeezed = axis
        self.keep_dims = False if keep_dims is None else keep_dims

    def construct(self, x: Any) -> Any:
        axis = tuple(range(x.dim())) if self.axis == () else self.axis
        values = x.float()
        mean = torch.mean(values, axis, True)
        variance = torch.mean(kernels.square(torch.sub(values, mean.detach())), axis, True)
        found = [item if self.keep_dims else squeezed(item, self._squeezed) for item in (mean, variance)]
        return tuple(item.to(x.dtype) for item in found)


class MatInverse(Cell):
    """The inverse of a symmetric positive definite matrix."""

    def construct(self, a: Any) -> Any:
        return torch.cholesky_inverse(torch.linalg.cholesky(a.float())).to(a.dtype)


class MatDet(Cell):
    """The determinant of a symmetric positive definite matrix."""

    def construct(self, a: Any) -> Any:
        diagonal = torch.diagonal(torch.linalg.cholesky(a.float()), dim1=-2, dim2=-1)
        return kernels.square(kernels.prod(diagonal, -1)).to(a.dtype)
