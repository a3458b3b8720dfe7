"""Mathematical layers. Upstream: ``mindspore.nn.layer.math``; most are deprecated there in favour of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mindspore_compat._api.validate import check_bool, check_type
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common import _kinks
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

_HALF_OR_SINGLE = (torch.float16, torch.float32)


def _check_dtype(owner: str, allowed: tuple[torch.dtype, ...] = _HALF_OR_SINGLE, **given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, torch.Tensor) or value.dtype not in allowed:
            got = value.dtype if isinstance(value, torch.Tensor) else type(value).__name__
            raise TypeError(f"For '{owner}', the dtype of '{name}' must be one of {list(allowed)}, but got {got}.")


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over ``axis``; () takes all axes."""

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        check_type(axis, "axis", (int, list, tuple), "ReduceLogSumExp")
        self.axis, self.keep_dims = axis, check_bool(keep_dims, "keep_dims", "ReduceLogSumExp")

    def construct(self, x: Any) -> Any:
        axis = self.axis if isinstance(self.axis, int) else tuple(self.axis) or tuple(range(x.dim()))
        return kernels.logsumexp(x, axis, self.keep_dims)


class Range(Cell):
    """The numbers from ``start`` to ``limit`` in steps of ``delta``: int32, or float32 if one of them is a float."""

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        if delta == 0:
            raise ValueError(f"For 'Range', the 'delta' can not be zero, but got {delta}.")
        data = np.arange(start, limit, delta) if limit is not None else np.arange(0, start, delta)
        self.result_tensor = Tensor(data, torch.float32 if data.dtype == np.float64 else torch.int32)

    def construct(self) -> Any:
        return self.result_tensor


class LGamma(Cell):
    """log of |Γ(x)|."""

    def construct(self, x: Any) -> Any:
        _check_dtype("LGamma", x=x)
        return torch.lgamma(x)


class DiGamma(Cell):
    """The derivative of log Γ(x)."""

    def construct(self, x: Any) -> Any:
        _check_dtype("DiGamma", x=x)
        return torch.digamma(x)


class IGamma(Cell):
    """The lower regularized incomplete gamma function P(a, x)."""

    def construct(self, a: Any, x: Any) -> Any:
        _check_dtype("IGamma", (torch.float32,), a=a, x=x)
        return torch.special.gammainc(a, x)


class LBeta(Cell):
    """log of the Beta function of x and y."""

    def construct(self, x: Any, y: Any) -> Any:
        _check_dtype("LBeta", x=x)
        _check_dtype("LBeta", (x.dtype,), y=y)
        # In double precision: the logarithms nearly cancel for large arguments.
        a, b = x.double(), y.double()
        return (torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)).to(x.dtype)


class CosineSimilarity(Cell):
    """Cosine of the angle between x1 and x2 along ``dim``."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1: Any, x2: Any) -> Any:
        for name, value in (("x1", x1), ("x2", x2)):
            if not isinstance(value, torch.Tensor):
                raise TypeError(f"For 'CosineSimilarity', '{name}' must be a tensor, but got {type(value)}.")
        product = torch.sum(torch.mul(x1, x2), self.dim)
        squares = torch.mul(torch.sum(kernels.square(x1), self.dim), torch.sum(kernels.square(x2), self.dim))
        return torch.div(product, torch.sqrt(_kinks.clamp(squares, min=self.eps * self.eps)))


class MatMul(Cell):
    """Matrix product with broadcasting; either operand may be transposed first."""

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = check_bool(transpose_x1, "transpose_x1", "MatMul")
        self.transpose_x2 = check_bool(transpose_x2, "transpose_x2", "MatMul")

    def construct(self, x1: Any, x2: Any) -> Any:
        left = torch.transpose(x1, -2, -1) if self.transpose_x1 and x1.dim() > 1 else x1
        right = torch.transpose(x2, -2, -1) if self.transpose_x2 and x2.dim() > 1 else x2
        try:
            return kernels.matmul(left, right)
        except RuntimeError as error:
            if left.dtype is not right.dtype:
                raise TypeError(
                    f"For 'MatMul', 'x1' and 'x2' must have one dtype, but got {left.dtype} and {right.dtype}."
                ) from None
            raise ValueError(
                "For 'MatMul', the last axis of 'x1' must equal the last but one of 'x2' (after transposing) and the "
                f"other axes must broadcast, but got {tuple(x1.shape)} and {tuple(x2.shape)}: {error}"
            ) from None


class Moments(Cell):
    """(mean, variance) over ``axis``; no axis takes all."""

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        axis = () if axis is None else check_type(axis, "axis", (int, tuple), "Moments")
        for item in axis if isinstance(axis, tuple) else ():
            check_type(item, "axis", int, "Moments")
        self.axis = self._squeezed = axis
        self.keep_dims = False if keep_dims is None else check_bool(keep_dims, "keep_dims", "Moments")

    def construct(self, x: Any) -> Any:
        _check_dtype("Moments", x=x)
        axis = tuple(range(x.dim())) if self.axis == () else self.axis
        values = x.float()
        mean = torch.mean(values, axis, True)
        variance = torch.mean(kernels.square(torch.sub(values, mean.detach())), axis, True)
        found = [item if self.keep_dims else squeezed(item, self._squeezed) for item in (mean, variance)]
        return tuple(item.to(x.dtype) for item in found)


class MatInverse(Cell):
    """The inverse of a symmetric positive definite matrix."""

    def construct(self, a: Any) -> Any:
        _check_dtype("MatInverse", input_a=a)
        return torch.cholesky_inverse(torch.linalg.cholesky(a.float())).to(a.dtype)


class MatDet(Cell):
    """The determinant of a symmetric positive definite matrix."""

    def construct(self, a: Any) -> Any:
        _check_dtype("MatDet", input_a=a)
        diagonal = torch.diagonal(torch.linalg.cholesky(a.float()), dim1=-2, dim2=-1)
        return kernels.square(kernels.prod(diagonal, -1)).to(a.dtype)
