"""Systems whose matrix is a triangle. Upstream: ``mindspore.ops.auto_generate.solve_triangular``."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops._adapt import to_dtype

__all__ = ["solve_triangular"]

_INNER = dict.fromkeys((torch.int8, torch.int16, torch.int32, torch.float16), torch.float32)
_INNER |= {torch.int64: torch.float64}
_TAKEN = (*_INNER, torch.float32, torch.float64, torch.complex64, torch.complex128)


def _refuse_types(owner: str, a: Any, b: Any, trans: Any, **flags: Any) -> None:
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"For '{owner}', the type of '{name}' must be Tensor, but got {type(value).__name__}.")
    if type(trans) is not int:
        raise TypeError(f"For '{owner}', the type of 'trans' must be int, but got {type(trans).__name__}.")
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"For '{owner}', the type of '{name}' must be bool, but got {type(value).__name__}.")
    if a.dtype not in _TAKEN:
        known = ", ".join(dtype_name(item) for item in _TAKEN)
        raise TypeError(f"For '{owner}', the dtype of 'a' must be one of {known}, but got {dtype_name(a.dtype)}.")
    if a.dtype is not b.dtype:
        raise TypeError(
            f"For '{owner}', the dtypes of 'a' and 'b' must be the same, but got {dtype_name(a.dtype)} and "
            f"{dtype_name(b.dtype)}. Cast one of them."
        )
    if trans not in (0, 1, 2):
        raise RuntimeError(f"For '{owner}', 'trans' must be in [0, 1, 2, 'N', 'T', 'C'], but got [{trans}].")


def _refuse_shapes(owner: str, a: Any, b: Any) -> None:
    shapes = f"but their shapes are {tuple(a.shape)} and {tuple(b.shape)}."
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"For '{owner}', 'a' must be a (batch of) square matrix, but its shape is {tuple(a.shape)}.")
    if b.dim() not in (a.dim(), a.dim() - 1):
        raise ValueError(f"For '{owner}', 'b' must have as many axes as 'a' or one less, {shapes}")
    if b.shape[a.dim() - 2] != a.shape[-1]:
        raise ValueError(f"For '{owner}', the shapes must be (…, N, N) and (…, N, M) or (…, N), {shapes}")
    if a.shape[:-2] != b.shape[: a.dim() - 2]:
        raise ValueError(f"For '{owner}', the batches of 'a' and 'b' must be the same, {shapes}")


def solve_triangular(a: Any, b: Any, trans: int = 0, lower: bool = False, unit_diagonal: bool = False) -> Any:
    """x with a·x = b, where only a triangle of ``a`` is read.

    Args:
        a: (…, N, N). b: (…, N, M) or (…, N), of the same dtype. Integers give float32, int64 float64.
        trans: 0 as above, 1 for aᵀ·x = b, 2 for its conjugate.
        lower: which triangle. unit_diagonal: whether its diagonal counts as 1.

    Raises:
        TypeError: for other types and dtypes. ValueError: for other shapes. RuntimeError: for another ``trans``.

    Examples:
        >>> print(solve_triangular(Tensor([[2.0, 1.0], [9.0, 4.0]]), Tensor([4.0, 4.0])))
        [1.5 1. ]
    """
    _refuse_types("SolveTriangular", a, b, trans, lower=lower, unit_diagonal=unit_diagonal)
    _refuse_shapes("SolveTriangular", a, b)
    inner = _INNER.get(a.dtype, a.dtype)
    matrix, right = torch.Tensor.to(a, inner), torch.Tensor.to(b, inner)
    is_vector = b.dim() < a.dim()
    read = (matrix, matrix.mT, matrix.mH)[trans]
    found = torch.linalg.solve_triangular(
        read, right.unsqueeze(-1) if is_vector else right, upper=lower == bool(trans), unitriangular=unit_diagonal
    )
    found = found.squeeze(-1) if is_vector else found
    return wrap(to_dtype(found, a.dtype) if a.dtype.is_floating_point else found)
