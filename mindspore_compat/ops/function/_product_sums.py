"""A tensor plus a product of others. Parts of upstream's ``math_func``.

Upstream adds beta * input and alpha * product as tensors: the result is as large as both together and of a type for
both, and a beta of 0 leaves NaN in. torch's one kernel computes less (the sum has the product's shape and the inputs'
one type, and what is multiplied by 0 is not read), so it serves where that is the same.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._dtype_fallback import apply_dtype_fallback
from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops._adapt import is_cast_by_operator
from mindspore_compat.ops.function._reduction import sum as sum_
from mindspore_compat.ops.function.linalg_func import bmm, mat_mul, mv

__all__ = ["addbmm", "addmm", "addmm_", "addmv", "addr", "baddbmm", "baddbmm_ext"]

_ADDENDS = (torch.float16, torch.float32, torch.float64, torch.int16, torch.int32, torch.int64)


def _factors(owner: str, **factors: Any) -> None:
    """TypeError unless each is a number."""
    for name, value in factors.items():
        if not isinstance(value, (int, float)):
            raise TypeError(f"For '{owner}', parameter '{name}' must be an int or float, but got {type(value)}.")


def _alike(owner: str, named: str, *tensors: torch.Tensor) -> None:
    """TypeError unless the tensors are of one type."""
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors) and not is_cast_by_operator():
        told = ", ".join(dtype_name(tensor.dtype) for tensor in tensors)
        raise TypeError(f"For {owner}, the {named} should be the same dtype. They are {told}.")


def _whole_factors(owner: str, name: str, addend: torch.Tensor, beta: Any, alpha: Any) -> tuple[Any, Any]:
    """The factors beside an addend of a type that the operator takes; those of whole numbers are cut."""
    if addend.dtype not in _ADDENDS:
        told = ", ".join(f"mindspore.{dtype_name(dtype).lower()}" for dtype in _ADDENDS)
        raise TypeError(f"For '{owner}', the '{name}' should be one of [{told}], but got {dtype_name(addend.dtype)}.")
    for factor, value in {"alpha": alpha, "beta": beta}.items():
        if not isinstance(value, (int, float)):
            kinds = "['int', 'float', 'bool']"
            raise TypeError(f"For '{owner}', the type of '{factor}' should be one of '{kinds}', but got {type(value)}.")
    return (beta, alpha) if addend.is_floating_point() else (int(beta), int(alpha))


def _fused(kernel: Any, addend: Any, one: Any, other: Any, beta: Any, alpha: Any) -> Any:
    """The sum by torch's one kernel, or None where that computes another."""
    if not (addend.is_floating_point() and addend.dtype is one.dtype is other.dtype and beta and alpha):
        return None
    try:
        return wrap(kernel(addend, one, other, beta=beta, alpha=alpha))
    except NotImplementedError:
        raise
    except (IndexError, RuntimeError):  # a larger addend, or operands that do not fit: the parts tell
        return None


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat1 @ mat2), input of any shape that broadcasts with the product's.

    Raises:
        TypeError: a factor is no number.
        ValueError: mat1 or mat2 is no matrix, or they do not fit together.
    """
    _factors("addmm", alpha=alpha, beta=beta)
    fused = _fused(kernels.addmm, input, mat1, mat2, beta, alpha)
    if fused is not None:
        return fused
    if mat1.dim() != 2 or mat2.dim() != 2:
        told = f"They have {mat1.dim()} and {mat2.dim()} axes; ops.baddbmm takes batches."
        raise ValueError(f"MatMul inputs should have the same dimension size and equal to 2. {told}")
    return beta * input + alpha * mat_mul(mat1, mat2)


def addmm_(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """`addmm` in place."""
    return wrap(torch.Tensor.addmm_(input, mat1, mat2, beta=beta, alpha=alpha))


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat @ vec), input of any shape that broadcasts with the product's.

    Raises:
        TypeError: mat and vec are of two types, input is of 8 bits or complex, or a factor is no number.
    """
    _alike("Addmv", "mat and vec", mat, vec)
    beta, alpha = _whole_factors("Addmv", "input", input, beta, alpha)
    fused = _fused(kernels.addmv, input, mat, vec, beta, alpha)
    return beta * input + alpha * mv(mat, vec) if fused is None else fused


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * the products' sum over the batch (of two matrices over the product's rows).

    Raises:
        TypeError: a factor is no number.
    """
    _factors("addbmm", alpha=alpha, beta=beta)
    fused = _fused(kernels.addbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * sum_(bmm(batch1, batch2), 0) if fused is None else fused


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (batch1 @ batch2), of matrices too, input of any shape that broadcasts with the product's.

    Raises:
        TypeError: the tensors are of several types, or a factor is no number, or of whole numbers no whole number.
    """
    _alike("Baddbmm", "inputs", input, batch1, batch2)
    if not (isinstance(alpha, (int, float)) and isinstance(beta, (int, float))):
        raise TypeError(f"For attributes alpha and beta should be real numbers. They are {alpha!r} and {beta!r}.")
    if not input.is_floating_point() and not (isinstance(alpha, int) and isinstance(beta, int)):
        raise TypeError(
            "For inputs of type not FloatTensor or DoubleTensor, arguments beta and alpha must be integers. "
            f"They are {beta!r} and {alpha!r}."
        )
    fused = _fused(kernels.baddbmm, input, batch1, batch2, beta, alpha)
    return beta * input + alpha * bmm(batch1, batch2) if fused is None else fused


baddbmm_ext = baddbmm


def addr(x: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * x + alpha * outer(vec1, vec2), x of any shape that broadcasts with the product's.

    Raises:
        TypeError: vec1 and vec2 are of two types, x is of 8 bits or complex, or a factor is no number.
    """
    _alike("Addr", "vec1 and vec2", vec1, vec2)
    beta, alpha = _whole_factors("Addr", "x", x, beta, alpha)
    fused = _fused(kernels.addr, x, vec1, vec2, beta, alpha) if x.dim() <= 2 else None  # torch's derivative has no more
    if fused is not None:
        return fused
    column, row = vec1.reshape(vec1.shape[0], 1), vec2.reshape(1, vec2.shape[0])
    return beta * x + alpha * mat_mul(column, row)


apply_dtype_fallback(globals(), __all__)
