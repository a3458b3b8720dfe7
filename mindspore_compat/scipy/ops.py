"""Linear algebra and assignment as operators. Upstream: ``mindspore.scipy.ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.common._wrap import wrap
from mindspore_compat.common.dtype import dtype_name
from mindspore_compat.ops._declare import Bool, plain, primitive
from mindspore_compat.ops.function._triangular import solve_triangular
from mindspore_compat.scipy.linalg import TRANSPOSED
from mindspore_compat.scipy.optimize import linear_sum_assignment

__all__ = ["LU", "Eig", "LinearSumAssignment", "SolveTriangular"]

_FLOATS = (torch.float32, torch.float64)
_COMPLEX = (torch.complex64, torch.complex128)


def _refuse(owner: str, value: Any, dtypes: tuple[torch.dtype, ...]) -> None:
    """Raises: TypeError: if it is no Tensor of such a dtype. ValueError: if it has less than two axes."""
    if value.dtype not in dtypes:
        known = ", ".join(dtype_name(item) for item in dtypes)
        raise TypeError(f"For '{owner}', the dtype must be one of {known}, but got {dtype_name(value.dtype)}.")
    if value.dim() < 2:
        raise ValueError(f"For '{owner}', the input must have two axes or more, but its shape is {tuple(value.shape)}.")


class SolveTriangular:
    """x with a·x = b, by a triangle of ``a``: `mindspore.scipy.linalg.solve_triangular`, made ahead.

    Args:
        lower: which triangle. unit_diagonal: whether its diagonal counts as 1. trans: "N", "T" or "C".

    Raises:
        TypeError: at the call, for others. ValueError: for shapes that do not fit.

    Examples:
        >>> print(SolveTriangular(lower=True)(Tensor([[2.0, 0.0], [1.0, 4.0]]), Tensor([4.0, 6.0])))
        [2. 1.]
    """

    def __init__(self, lower: bool = False, unit_diagonal: bool = False, trans: str = "N") -> None:
        self.lower, self.unit_diagonal, self.trans = lower, unit_diagonal, TRANSPOSED.get(trans)

    def __call__(self, a: Any, b: Any) -> Any:
        return solve_triangular(a, b, self.trans, self.lower, self.unit_diagonal)  # type: ignore[arg-type]


@primitive
def Eig(compute_v: Bool = True) -> Callable[..., Any]:
    """(eigenvalues (…, N), eigenvectors in columns (…, N, N)) of square matrices, complex; without ``compute_v`` an
    empty Tensor in place of the vectors.

    Raises:
        TypeError: for integers and 16-bit floats. ValueError: unless the matrices are square.
    """

    def run(a: Any) -> Any:
        _refuse("Eig", a, _FLOATS + _COMPLEX)
        if a.shape[-1] != a.shape[-2]:
            raise ValueError(f"For 'Eig', the matrices must be square, but their shape is {tuple(a.shape)}.")
        if compute_v:
            return wrap(tuple(torch.linalg.eig(a)))
        values = torch.linalg.eigvals(a)
        return wrap((values, values.new_empty((0,))))

    return run


def _lu(x: Any) -> Any:
    """(L below its diagonal of ones and U in one matrix, the row (int32, from 0) exchanged with each row, P (int32))
    of x = P·L·U.

    Raises:
        TypeError: unless of float32 or float64. ValueError: for matrices of more rows than columns.
    """
    _refuse("LU", x, _FLOATS)
    if x.shape[-2] > x.shape[-1]:
        raise ValueError(
            f"For 'LU', there must be no more rows than columns, but the shape is {tuple(x.shape)}. Use "
            "mindspore.ops.lu_unpack with torch.linalg.lu_factor's result."
        )
    factors, pivots = torch.linalg.lu_factor(x)
    permutation = torch.lu_unpack(factors, pivots, unpack_data=False)[0]
    return wrap((factors, (pivots - 1).to(torch.int32), permutation.to(torch.int32)))


LU = plain("LU", _lu)


def _assign(cost_matrix: Any, dimension_limit: Any, maximize: bool) -> Any:
    """Rows and columns (int64) of the assignment of least (most) cost: `mindspore.scipy.optimize`'s, by SciPy.

    Raises:
        TypeError: for other types. ValueError: if the matrix has not two axes. RuntimeError: for a limit that is not
            among its columns, and nan. ImportError: without SciPy.
    """
    if dimension_limit is None:
        raise TypeError("For 'LinearSumAssignment', the 'dimension_limit' must be an int64 Tensor, but got None.")
    return linear_sum_assignment(cost_matrix, maximize, dimension_limit)


LinearSumAssignment = plain("LinearSumAssignment", _assign)
