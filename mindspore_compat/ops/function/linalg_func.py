"""Products of matrices and vectors, and linear algebra. MindSpore: ``mindspore.ops.function.linalg_func`` and parts of
``math_func``.
"""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import apply_dtype_fallback, retry_in_wider_dtype
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import is_cast_by_operator, pair, to_dtype

__all__ = """
    matmul mat_mul batch_mat_mul mm bmm mv dot batch_dot tensor_dot inner outer ger kron vecdot cross einsum
    dense bias_add cdist pdist cholesky cholesky_inverse cholesky_solve cond det
    matrix_determinant logdet slogdet log_matrix_determinant eig eigvals geqrf inverse lu_solve lu_unpack matrix_exp
    matrix_power matrix_solve orgqr ormqr pinv qr svd lstsq matrix_triangular_solve einsum_ext
    bidense
""".split()


def matmul(input: Any, other: Any) -> Any:
    """Return the matrix product, with broadcasting of leading axes."""
    if input.dtype is not other.dtype:
        input, other = pair(input, other)
    try:
        return wrap(kernels.matmul(input, other))
    except RuntimeError as error:
        return wrap(retry_in_wider_dtype(error, kernels.matmul, (input, other), None, "matmul"))


def mat_mul(input: Any, mat2: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Return the product of two matrices, each transposed first if so asked."""
    if transpose_a:
        input = torch.transpose(input, -1, -2)
    if transpose_b:
        mat2 = torch.transpose(mat2, -1, -2)
    return wrap(kernels.matmul(input, mat2))


batch_mat_mul = mat_mul


def mm(input: Any, mat2: Any) -> Any:
    """Return the product of two matrices."""
    return wrap(kernels.mm(input, mat2))


def bmm(input_x: Any, mat2: Any) -> Any:
    """Return the products of matrices in a batch."""
    return wrap(kernels.matmul(input_x, mat2))


def mv(mat: Any, vec: Any) -> Any:
    """Return a matrix times a vector."""
    return wrap(kernels.mv(mat, vec))


def dot(input: Any = None, other: Any = None, *, x1: Any = None, x2: Any = None) -> Any:
    """Return the product over the last axis of the first and the last but one of the second, as numpy's ``dot``; matrix
    @ vector works too.
    """
    input, other = x1 if input is None else input, x2 if other is None else other
    if input.dim() == 0 or other.dim() == 0:
        return wrap(torch.mul(input, other))
    if input.dim() <= 2 and other.dim() <= 2:
        return wrap(kernels.matmul(input, other))
    axis = max(other.dim() - 2, 0)
    return wrap(kernels.tensordot(input, other, ([input.dim() - 1], [axis])))


def batch_dot(x1: Any, x2: Any, axes: Any = None) -> Any:
    """Return for each batch element the product summed over one axis of each input."""
    if axes is None:
        axes = (x1.dim() - 1, 1 if x2.dim() == 2 else x2.dim() - 2)
    axes = (axes, axes) if isinstance(axes, int) else tuple(axes)
    first, second = axes[0] % x1.dim(), axes[1] % x2.dim()
    a, b = torch.movedim(x1, first, -1), torch.movedim(x2, second, 1)
    rest_a, rest_b = tuple(a.shape[1:-1]), tuple(b.shape[2:])
    product = kernels.bmm(
        torch.reshape(a, (a.shape[0], -1, a.shape[-1])), torch.reshape(b, (b.shape[0], b.shape[1], -1))
    )
    return wrap(torch.reshape(product, (a.shape[0], *(rest_a + rest_b or (1,)))))


def _summed_axes(x1: Any, x2: Any, axes: Any) -> list[list[int]]:
    """Return the axes of each input that ``tensor_dot`` sums over, counted from the front. Their sizes agree one by
    one, in this or in the reverse order: MindSpore accepts both.
    """
    shapes = f"'x1_shape': {tuple(x1.shape)}, 'x2_shape': {tuple(x2.shape)}, 'axes': {axes}"
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.dim(), x2.dim()):
            raise ValueError(f"For 'tensor_dot', 'axes' must be from 0 to what each input has, but got {shapes}.")
        axes = (range(x1.dim() - axes, x1.dim()), range(axes))
    named = [[item] if isinstance(item, int) else list(item) for item in axes]
    for tensor, items in zip((x1, x2), named):
        if any(not -tensor.dim() <= item < tensor.dim() for item in items):
            raise ValueError(f"For 'tensor_dot', 'axes' must be axes that the inputs have, but got {shapes}.")
        items[:] = [item % tensor.dim() for item in items]
        if len(set(items)) < len(items):
            raise ValueError(f"For 'tensor_dot', the 'axes' cannot have duplicating values, but got {shapes}.")
    sizes = [[tensor.shape[item] for item in items] for tensor, items in zip((x1, x2), named)]
    if sizes[1] not in (sizes[0], sizes[0][::-1]):
        raise ValueError(f"For 'tensor_dot', axes summed over must be as long in 'x1' as in 'x2', but got {shapes}.")
    return named


def tensor_dot(x1: Any, x2: Any, axes: Any) -> Any:
    """Return the product summed over axes: the last and first ``axes`` ones, or those named in a pair. Each input is
    flattened in the named order, which also pairs the axes where their sizes agree in reverse order.
    """
    first, second = _summed_axes(x1, x2, axes)
    rest = [[i for i in range(tensor.dim()) if i not in summed] for tensor, summed in ((x1, first), (x2, second))]
    shape = [x1.shape[i] for i in rest[0]] + [x2.shape[i] for i in rest[1]]
    left = torch.flatten(torch.permute(x1, rest[0] + first), len(rest[0])) if first else torch.unsqueeze(x1, -1)
    right = torch.permute(x2, second + rest[1])
    right = torch.flatten(right, 0, len(second) - 1) if second else torch.unsqueeze(right, 0)
    return wrap(torch.reshape(kernels.tensordot(left, right, ([left.dim() - 1], [0])), shape))


def inner(input: Any, other: Any) -> Any:
    """Return the product summed over the last axes."""
    return wrap(kernels.inner(input, other))


def outer(input: Any, vec2: Any) -> Any:
    """Return the outer product of two vectors."""
    return wrap(torch.mul(torch.reshape(input, (-1, 1)), vec2))


def ger(input: Any, vec2: Any) -> Any:
    """Return the outer product of two vectors."""
    return wrap(torch.outer(input, vec2))


def kron(input: Any, other: Any) -> Any:
    """Return the Kronecker product."""
    return wrap(torch.kron(input, other))


def vecdot(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Return the product of vectors along ``axis``; of integers in int64, of bools how often both are true."""
    if x.is_complex() or y.is_complex():
        return wrap(torch.linalg.vecdot(x, y, dim=axis))
    return wrap(torch.sum(x * y, dim=axis))


def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """Return the cross product along ``dim`` (None: the first axis of length 3)."""
    input, other = torch.broadcast_tensors(input, other)
    if dim is None or dim == -65530:
        dim = next((axis for axis, length in enumerate(input.shape) if length == 3), None)
        if dim is None:
            raise ValueError(f"For 'Cross', one axis of the inputs must have size 3, but got {tuple(input.shape)}.")
    return wrap(torch.linalg.cross(input, other, dim=dim))


def einsum(equation: str, *operands: Any) -> Any:
    """Return sums of products by Einstein's notation."""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    return wrap(kernels.einsum(equation, *operands))


einsum_ext = einsum


def bidense(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return input1 · weight · input2 + bias, for each output."""
    return wrap(kernels.bilinear(input1, input2, weight, bias))


def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return input @ weight.T + bias."""
    return wrap(kernels.linear(input, weight, bias))


def bias_add(input_x: Any, bias: Any, data_format: str = "NCHW") -> Any:
    """Return ``bias`` added to the channels: the second axis, or the last for "NHWC"."""
    if data_format in ("NCHW", "NCDHW") and input_x.dim() > 2:
        bias = torch.reshape(bias, (-1, *(1,) * (input_x.dim() - 2)))
    return wrap(torch.add(input_x, bias))


def cdist(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """Return p-norm distances of all pairs of rows."""
    return wrap(kernels.cdist(x1, x2, p))


def pdist(input: Any, p: float = 2.0) -> Any:
    """Return p-norm distances of all pairs of rows of one matrix."""
    if input.dtype is torch.float16:  # torch has no kernel of it
        distances = torch.pdist(torch.Tensor.float(input), p)
        return wrap(distances if is_cast_by_operator() else to_dtype(distances, torch.float16))
    return wrap(torch.pdist(input, p))


# --- factors and solutions --------------------------------------------------------------------------------------------


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor."""
    return wrap(torch.linalg.cholesky(input_x, upper=upper))


def from_triangle(matrix: torch.Tensor, lower: bool) -> torch.Tensor:
    """Return the symmetric (Hermitian) matrix with this triangle; the gradient is by the triangle alone."""
    kept = torch.tril(matrix) if lower else torch.triu(matrix)
    return kept + torch.tril(matrix, -1).mH if lower else kept + torch.triu(matrix, 1).mH


@kernels.as_given
def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """Return the inverse of a matrix given by its Cholesky factor L (U, ``upper``): of L·Lᵀ (Uᵀ·U), the other triangle
    as it is, as in MindSpore.
    """
    inverse = torch.linalg.inv(input_x)
    return wrap(kernels.matmul(*((inverse, inverse.mT) if upper else (inverse.mT, inverse))))


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """Return the solution of A x = input, with the Cholesky factor ``input2`` of A."""
    return wrap(torch.cholesky_solve(input, input2, upper))


def cond(A: Any, p: Any = None) -> Any:
    """Return the condition number."""
    return wrap(torch.linalg.cond(A, p))


def det(input: Any) -> Any:
    """Return the determinant."""
    return wrap(torch.linalg.det(input))


matrix_determinant = det


def logdet(input: Any) -> Any:
    """Return the logarithm of the determinant."""
    return wrap(torch.logdet(input))


def slogdet(input: Any) -> Any:
    """Return (sign, logarithm of the absolute value) of the determinant."""
    return wrap(tuple(torch.linalg.slogdet(input)))


log_matrix_determinant = slogdet


def eig(A: Any) -> Any:
    """Return (eigenvalues, eigenvectors), complex."""
    return wrap(tuple(torch.linalg.eig(A)))


def eigvals(A: Any) -> Any:
    """Return eigenvalues, complex."""
    return wrap(torch.linalg.eigvals(A))


def geqrf(input: Any) -> Any:
    """Return (factor, tau) of the QR decomposition in LAPACK's form."""
    return wrap(tuple(torch.geqrf(input)))


def inverse(input: Any) -> Any:
    """Return the inverse matrix."""
    return wrap(torch.linalg.inv(input))


def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Return the solution of A x = b from the LU factors of A."""
    return wrap(torch.lu_solve(b, LU_data, LU_pivots))


def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return (P, L, U) from LAPACK's form."""
    return wrap(tuple(torch.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)))


def matrix_exp(input: Any) -> Any:
    """Return the matrix exponential."""
    return wrap(torch.linalg.matrix_exp(input))


def matrix_power(input: Any, n: int) -> Any:
    """Return the n-th power of a square matrix."""
    return wrap(kernels.matrix_power(input, n))


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """Return the solution of matrix @ x = rhs."""
    return wrap(torch.linalg.solve(torch.adjoint(matrix) if adjoint else matrix, rhs))


def matrix_triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    """Run `matrix_solve` for a triangular matrix."""
    if adjoint:
        matrix, lower = torch.adjoint(matrix), not lower
    return wrap(torch.linalg.solve_triangular(matrix, rhs, upper=not lower))


def orgqr(input: Any, input2: Any) -> Any:
    """Return Q from Householder vectors and their factors."""
    return wrap(torch.linalg.householder_product(input, input2))


def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return Q @ other (or other @ Q) from Householder vectors."""
    return wrap(torch.ormqr(input, tau, other, left, transpose))


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse."""
    return wrap(torch.linalg.pinv(x, atol=atol, rtol=rtol, hermitian=hermitian))


def qr(input: Any, mode: str = "reduced") -> Any:
    """Return (Q, R); mode "complete" gives a square Q, "r" only R."""
    q, r = torch.linalg.qr(input, mode)
    return (wrap(q), wrap(r))


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Return (singular values, U, V), or the values alone. V is not transposed."""
    if not compute_uv:
        return wrap(torch.linalg.svdvals(input))
    u, s, vh = torch.linalg.svd(input, full_matrices)
    return wrap(s), wrap(u), wrap(torch.adjoint(vh).resolve_conj())


def lstsq(input: Any, A: Any) -> Any:
    """Return the least-squares solution of input @ x = A."""
    return wrap(torch.linalg.lstsq(input, torch.unsqueeze(A, 1) if A.dim() == 1 else A).solution)


apply_dtype_fallback(globals(), __all__, skip="matmul")
