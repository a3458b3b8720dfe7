"""``mindspore.scipy.linalg``. Integers are computed in float64 (but see
`solve_triangular`); ``overwrite_…`` and ``check_finite`` have no effect."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._ops.linalg import from_triangle
from mindspore_compat._ops.linalg import solve_triangular as of_triangle
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
]

#: how ``trans`` may be written
TRANSPOSED = {"N": 0, "T": 1, "C": 2}


def _matrix(value: Any) -> Any:
    """Return a matrix to compute with."""
    return value.to(torch.float64) if value.dtype in (torch.int32, torch.int64) else value


def block_diag(*arrs: Any) -> Any:
    """Return a matrix with ``arrs`` on its diagonal; numbers and vectors count as rows."""
    if not arrs:
        return F.zeros((1, 0), torch.float32)
    return wrap(torch.block_diag(*arrs))


def inv(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the inverse of a square matrix.

    Examples:
        >>> print(ms.scipy.linalg.inv(Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.5  0.  ]
         [0.   0.25]]
    """
    return wrap(torch.linalg.inv(_matrix(a)))


def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return U with a = Uᵀ·U, or L with a = L·Lᵀ if ``lower``."""
    return wrap(torch.linalg.cholesky(_matrix(a), upper=not lower))


def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return (`cholesky`, ``lower``), for `cho_solve`."""
    return wrap(torch.linalg.cholesky(_matrix(a), upper=not lower)), lower


def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """Return x with a·x = b, from `cho_factor`'s result for a."""
    factor, lower = c_and_lower
    factor = _matrix(factor)
    right = b.to(factor.dtype)
    factor = torch.tril(factor) if lower else torch.triu(factor)  # torch's gradient takes the rest for a part of it
    found = torch.cholesky_solve(right.reshape(right.shape[0], -1), factor, upper=not lower)
    return wrap(found.reshape(right.shape))


def eigh(
    a: Any,
    b: Any = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: Any = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """Return the eigenvalues (ascending) of a symmetric or Hermitian matrix, and its eigenvectors as columns.

    Args:
        lower: which half of ``a`` is read.
        eigvals_only: True gives no eigenvectors.
        b, eigvals: None only. turbo, type: without effect.

    Raises:
        ValueError: for other values of ``b`` and ``eigvals``.
    """
    matrix = _matrix(a)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise ValueError(f"For 'eigh', '{name}' must be None, but got {value!r}. Reduce the problem to one matrix.")
    matrix, half = from_triangle(matrix, lower), "L" if lower else "U"
    if eigvals_only:
        return wrap(torch.linalg.eigvalsh(matrix, half))
    return wrap(tuple(torch.linalg.eigh(matrix, half)))


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return L without its diagonal and U in one matrix, and the rows (int32, from 0) exchanged with each row."""
    factors, pivots = torch.linalg.lu_factor(_matrix(a))
    return wrap((factors, (pivots - 1).to(torch.int32)))


def lu(a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return P, L, U with a = P·L·U, P of int32; with ``permute_l`` P·L and U."""
    permutation, lower, upper = torch.linalg.lu(_matrix(a))
    if permute_l:
        return wrap((permutation @ lower, upper))
    return wrap((permutation.to(torch.int32), lower, upper))


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """Return x with a·x = b (aᵀ·x = b for ``trans`` 1 and 2), from `lu_factor`'s result for a.

    Raises:
        ValueError: for another ``trans``.
    """
    if trans not in (0, 1, 2):
        raise ValueError(f"For 'lu_solve', 'trans' must be 0, 1 or 2, but got {trans}.")
    factors, pivots = lu_and_piv
    factors = _matrix(factors)
    right = b.to(factors.dtype)
    columns = right.reshape(right.shape[0], -1)
    found = torch.linalg.lu_solve(factors, pivots + 1, columns, adjoint=bool(trans))
    return wrap(found.reshape(right.shape))


def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the determinant of a square matrix."""
    return wrap(torch.linalg.det(_matrix(a)))


def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Any:
    """Return x with a·x = b; only a triangle of ``a`` is read.

    Args:
        a: (…, N, N). b: (…, N, M) or (…, N), of the same dtype. Integers give float32, int64 float64.
        trans: 0 or "N" as above, 1 or "T" for aᵀ·x = b, 2 or "C" for its conjugate.
        lower: which triangle.
        unit_diagonal: whether its diagonal counts as 1.

    Raises:
        TypeError: for other types and dtypes. ValueError: for other shapes or names of ``trans``. RuntimeError: for
            other numbers of it.
    """
    if isinstance(trans, str) and trans not in TRANSPOSED:
        raise ValueError(f"For 'solve_triangular', 'trans' must be one of 0, 1, 2, 'N', 'T', 'C', but got {trans!r}.")
    return of_triangle(a, b, TRANSPOSED[trans] if isinstance(trans, str) else trans, lower, unit_diagonal)


def lstsq(A: Any, B: Any, rcond: Any = None, driver: str | None = None) -> Any:
    """Return (solution, residual, rank, singular values) of the least squares problem A·X = B, as torch's; empty
    Tensors for results that the driver does not compute.

    Args:
        driver: "gels", "gelsy", "gelss", "gelsd"; None is "gelsy", on CUDA "gels".
        rcond: without effect, as in MindSpore.
    """
    is_vector = B.dim() == A.dim() - 1
    found = torch.linalg.lstsq(A, B.unsqueeze(-1) if is_vector else B, driver=driver)
    solution = found.solution.squeeze(-1) if is_vector else found.solution
    return wrap((solution, found.residuals, found.rank, found.singular_values))
