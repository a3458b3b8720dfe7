"""Sums of a tensor and a product of others. Parts of MindSpore's ``math_func``.

MindSpore adds beta * input and alpha * product as tensors. The result has the broadcast shape and the promoted type,
and a beta of 0 keeps NaN. torch's kernel has the product's shape and the inputs' common type, and does not read an
operand multiplied by 0. It is used where both agree.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops.function._reduction import sum as sum_
from mindspore_compat.ops.function.linalg_func import bmm, mat_mul, mv

__all__ = ["addbmm", "addmm", "addmm_", "addmv", "addr", "baddbmm", "baddbmm_ext"]


def _whole_factors(addend: torch.Tensor, beta: Any, alpha: Any) -> tuple[Any, Any]:
    """Return the factors beside an addend; those of integers are truncated."""
    return (beta, alpha) if addend.is_floating_point() else (int(beta), int(alpha))


def _fused(kernel: Any, addend: Any, one: Any, other: Any, beta: Any, alpha: Any) -> Any:
    """Return the sum by torch's one kernel, or None where that computes another."""
    if not (addend.is_floating_point() and addend.dtype is one.dtype is other.dtype and beta and alpha):
        return None
    try:
        return wrap(kernel(addend, one, other, beta=beta, alpha=alpha))
    except NotImplementedError:
        raise
    except (IndexError, RuntimeError):  # a larger addend, or operands that do not fit: the parts tell
        return None


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (mat1 @ mat2), input of any shape that broadcasts with the product's."""
    fused = _fused(kernels.addmm, input, mat1, mat2, beta, alpha)
    if fused is not None:
        return fused
    return beta * input + alpha * mat_mul(mat1, mat2)


def addmm_(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Run `addmm` in place."""
    return wrap(torch.Tensor.addmm_(input, mat1, mat2, beta=beta, alpha=alpha))


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (mat @ vec), input of any shape that broadcasts with the product's."""
    beta, alpha = _whole_factors(input, beta, alpha)
    fused = _fused(kernels.addmv, input, mat, vec, beta, alpha)
    return beta * input + alpha * mv(mat, vec) if fused is None else fused


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * the products' sum over the batch (of two matrices over the product's rows)."""
    fused = _fused(kernels.addbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * sum_(bmm(batch1, batch2), 0) if fused is None else fused


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * input + alpha * (batch1 @ batch2), of matrices too; input broadcasts with the product."""
    fused = _fused(kernels.baddbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * bmm(batch1, batch2) if fused is None else fused


baddbmm_ext = baddbmm


def addr(x: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Return beta * x + alpha * outer(vec1, vec2), x of any shape that broadcasts with the product's."""
    beta, alpha = _whole_factors(x, beta, alpha)
    fused = _fused(kernels.addr, x, vec1, vec2, beta, alpha) if x.dim() <= 2 else None  # torch's derivative has no more
    if fused is not None:
        return fused
    column, row = vec1.reshape(vec1.shape[0], 1), vec2.reshape(1, vec2.shape[0])
    return beta * x + alpha * mat_mul(column, row)


apply_dtype_fallback(globals(), __all__)
