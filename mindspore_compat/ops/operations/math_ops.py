"""Arithmetic, reductions and products in class form. Upstream: ``mindspore.ops.operations.math_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._api.validate import check_bool, check_int, check_type
from mindspore_compat.common import _kernels as kernels
from mindspore_compat.common._wrap import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import dtype_or_none, to_dtype
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.operations import _plain_math
from mindspore_compat.ops.operations._plain_math import *  # noqa: F403

__all__ = [
    *_plain_math.__all__,
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceAll",
    "ReduceAny",
    "ReduceStd",
    "EuclideanNorm",
    "Argmax",
    "Argmin",
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "CumSum",
    "CumProd",
    "Cummax",
    "Cummin",
    "CumulativeLogsumexp",
    "MatMul",
    "BatchMatMul",
    "Logit",
    "NanToNum",
    "ApproximateEqual",
    "IsClose",
    "LpNorm",
    "Renorm",
    "Median",
    "Histogram",
    "HistogramFixedWidth",
    "Cross",
    "Cdist",
    "Einsum",
    "Cholesky",
    "CholeskyInverse",
    "CholeskySolve",
    "MatrixInverse",
    "MatrixPower",
    "MatrixSolve",
    "MatrixTriangularSolve",
    "Eig",
    "Qr",
    "Svd",
    "LuUnpack",
    "Ormqr",
    "NuclearNorm",
    "Mvlgamma",
    "FloatStatus",
    "NPUAllocFloatStatus",
    "NPUGetFloatStatus",
    "NPUClearFloatStatus",
    "Bucketize",
    "Quantile",
    "CountNonZero",
    "LinSpace",
    "LogSpace",
    "Lerp",
    "Addcdiv",
    "Addcmul",
    "Pdist",
    "Round",
    "LerpScalar",
    "ConjugateTranspose",
    "TransposeExtView",
    "SelectView",
    "LogSoftmaxExt",
    "SquareSumAll",
    "MatrixLogarithm",
    "FFTWithSize",
    "STFT",
    "InplaceAdd",
    "InplaceSub",
    "InplaceUpdate",
    "InplaceIndexAdd",
    "IndexAdd",
    "BartlettWindow",
    "BlackmanWindow",
    "HammingWindow",
    "Lstsq",
    "EqualCount",
]

_Run = Callable[..., Any]


# --- reductions -------------------------------------------------------------------------------------------------------


@primitive
def ReduceSum(keep_dims: bool = False, skip_mode: bool = False) -> _Run:
    """Sum over ``axis``; ``()`` is all axes, or none with ``skip_mode``."""
    check_bool(keep_dims, "keep_dims", "ReduceSum")
    return lambda x, axis=(): F.reduce_sum(x, axis, keep_dims, skip_mode)


@primitive
def ReduceMean(keep_dims: bool = False) -> _Run:
    """Mean over ``axis``; ``()`` is all axes."""
    check_bool(keep_dims, "keep_dims", "ReduceMean")
    return lambda x, axis=(): F.reduce_mean(x, axis, keep_dims)


@primitive
def ReduceMax(keep_dims: bool = False) -> _Run:
    """Maximum over ``axis``; ``()`` is all axes."""
    check_bool(keep_dims, "keep_dims", "ReduceMax")
    return lambda x, axis=(): F.reduce_max(x, axis, keep_dims)


@primitive
def ReduceMin(keep_dims: bool = False) -> _Run:
    """Minimum over ``axis``; ``()`` is all axes."""
    check_bool(keep_dims, "keep_dims", "ReduceMin")
    return lambda x, axis=(): F.reduce_min(x, axis, keep_dims)


@primitive
def ReduceProd(keep_dims: bool = False) -> _Run:
    """Product over ``axis``; ``()`` is all axes."""
    check_bool(keep_dims, "keep_dims", "ReduceProd")
    return lambda x, axis=(): F.reduce_prod(x, axis, keep_dims)


@primitive
def ReduceAll(keep_dims: bool = False) -> _Run:
    """Whether all elements over ``axis`` are true."""
    check_bool(keep_dims, "keep_dims", "ReduceAll")
    return lambda x, axis=(): F.reduce_all(x, axis, keep_dims)


@primitive
def ReduceAny(keep_dims: bool = False) -> _Run:
    """Whether any element over ``axis`` is true."""
    check_bool(keep_dims, "keep_dims", "ReduceAny")
    return lambda x, axis=(): F.reduce_any(x, axis, keep_dims)


@primitive
def ReduceStd(axis: Any = (), unbiased: bool = True, keep_dims: bool = False) -> _Run:
    """(standard deviation, mean) over ``axis``."""
    return lambda x: F.std_mean(x, axis, int(unbiased), keep_dims)


@primitive
def EuclideanNorm(keep_dims: bool = False) -> _Run:
    """Root of the sum of squares over ``axes``."""
    return lambda x, axes: F.euclidean_norm(x, axes, keep_dims)


@primitive
def LpNorm(axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> _Run:
    """The p-norm over ``axis``."""
    return lambda x: F.lp_norm(x, axis, p, keep_dims, epsilon)


@primitive
def Argmax(axis: int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the maximum over ``axis``."""
    check_int(axis, "axis", "Argmax")
    dtype = dtype_or_none(output_type)
    if dtype not in (torch.int32, torch.int64):
        raise TypeError(
            f"For 'Argmax', the 'output_type' must be mindspore.int32 or mindspore.int64, but got {output_type}."
        )
    return lambda input_x: wrap(to_dtype(torch.argmax(input_x, axis), dtype))


@primitive
def Argmin(axis: int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the minimum over ``axis``."""
    check_int(axis, "axis", "Argmin")
    dtype = dtype_or_none(output_type) or torch.int32
    return lambda x: wrap(to_dtype(torch.argmin(x, axis), dtype))


@primitive
def ArgMaxWithValue(axis: int = 0, keep_dims: bool = False) -> _Run:
    """(int64 index of the maximum over ``axis``, the maximum)."""
    check_int(axis, "axis", "ArgMaxWithValue")
    check_bool(keep_dims, "keep_dims", "ArgMaxWithValue")
    return lambda input: F.argmax_with_value(input, axis, keep_dims)


@primitive
def ArgMinWithValue(axis: int = 0, keep_dims: bool = False) -> _Run:
    """(int64 index of the minimum over ``axis``, the minimum)."""
    check_int(axis, "axis", "ArgMinWithValue")
    check_bool(keep_dims, "keep_dims", "ArgMinWithValue")
    return lambda input: F.argmin_with_value(input, axis, keep_dims)


@primitive
def CumSum(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Running sum over ``axis``."""
    check_bool(exclusive, "exclusive", "CumSum")
    check_bool(reverse, "reverse", "CumSum")
    return lambda input, axis: F.cumulative(F.cumsum, input, axis, exclusive, reverse, 0)


@primitive
def CumProd(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Running product over ``axis``."""
    return lambda x, axis: F.cumulative(F.cumprod, x, axis, exclusive, reverse, 1)


@primitive
def CumulativeLogsumexp(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Log of the running sum of exponentials."""
    return lambda x, axis: F.cumulative(torch.logcumsumexp, x, axis, exclusive, reverse, torch.finfo(x.dtype).min)


@primitive
def Cummax(axis: int) -> _Run:
    """(running maximum, its index)."""
    return lambda input: F.cummax(input, axis)


@primitive
def Cummin(axis: int) -> _Run:
    """(running minimum, its index)."""
    return lambda input: F.cummin(input, axis)


@primitive
def Median(global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False) -> _Run:
    """(lower median, its index) over ``axis`` or of all."""
    function = torch.nanmedian if ignore_nan else torch.median
    if global_median:
        return lambda x: (wrap(function(x)), wrap(torch.zeros((), dtype=torch.int64)))
    return lambda x: wrap(tuple(function(x, axis, keep_dims)))


@primitive
def Quantile(dim: Any = None, keep_dims: bool = False, ignore_nan: bool = False) -> _Run:
    """The q-th quantiles."""
    function = F.nanquantile if ignore_nan else F.quantile
    return lambda x, q: function(x, q, dim, keep_dims)


@primitive
def CountNonZero(dims: Any = None) -> _Run:
    """int64 count of the elements that are not zero."""
    return lambda x: F.count_nonzero(x, () if dims is None else dims, False, torch.int64)


@primitive
def Histogram(bins: int = 100, min: float = 0.0, max: float = 0.0) -> _Run:
    """int32 counts in equal bins."""
    return lambda x: wrap(to_dtype(torch.histc(to_dtype(x, torch.float32), bins, min, max), torch.int32))


@primitive
def HistogramFixedWidth(nbins: int, dtype: str = "int32") -> _Run:
    """int32 counts in ``nbins`` equal bins of a range; what lies outside goes into the outer ones."""

    def run(x: Any, value_range: Any) -> Any:
        low, high = value_range.tolist()
        places = torch.clamp(torch.floor((x - low) * (nbins / (high - low))).to(torch.int64), 0, nbins - 1)
        return wrap(to_dtype(torch.bincount(torch.reshape(places, (-1,)), minlength=nbins), torch.int32))

    return run


# --- products and linear algebra --------------------------------------------------------------------------------------


@primitive
def MatMul(transpose_a: bool = False, transpose_b: bool = False) -> _Run:
    """The product of two matrices, each transposed first if so asked."""
    check_bool(transpose_a, "transpose_a", "MatMul")
    check_bool(transpose_b, "transpose_b", "MatMul")
    return lambda input, mat2: F.mat_mul(input, mat2, transpose_a, transpose_b)


@primitive
def BatchMatMul(transpose_a: bool = False, transpose_b: bool = False) -> _Run:
    """The products of matrices in leading axes, each transposed first if so asked."""
    check_bool(transpose_a, "transpose_a", "BatchMatMul")
    check_bool(transpose_b, "transpose_b", "BatchMatMul")
    return lambda x, y: F.batch_mat_mul(x, y, transpose_a, transpose_b)


@primitive
def Einsum(equation: str) -> _Run:
    """Sums of products by Einstein's notation."""
    check_type(equation, "equation", str, "Einsum")
    return lambda *inputs: F.einsum(equation, *inputs)


@primitive
def Cross(dim: int = -65530) -> _Run:
    """The cross product."""
    return lambda input, other: F.cross(input, other, dim)


@primitive
def Cdist(p: float = 2.0) -> _Run:
    """p-norm distances of all pairs of rows."""
    return lambda x1, x2: F.cdist(x1, x2, p)


@primitive
def Pdist(p: float = 2.0) -> _Run:
    """p-norm distances of all pairs of rows of one matrix."""
    return lambda x: F.pdist(x, p)


@primitive
def Cholesky(upper: bool = False) -> _Run:
    """The Cholesky factor."""
    return lambda input_x: F.cholesky(input_x, upper)


@primitive
def CholeskyInverse(upper: bool = False) -> _Run:
    """The inverse of a matrix given by its Cholesky factor."""
    return lambda input_x: F.cholesky_inverse(input_x, upper)


@primitive
def CholeskySolve(upper: bool = False) -> _Run:
    """The solution of a system by the Cholesky factor."""
    return lambda x1, x2: F.cholesky_solve(x1, x2, upper)


@primitive
def MatrixInverse(adjoint: bool = False) -> _Run:
    """The inverse matrix, of the adjoint if so asked."""
    return lambda x: F.inverse(torch.adjoint(x) if adjoint else x)


@primitive
def MatrixPower(n: int) -> _Run:
    """The n-th power of a square matrix."""
    return lambda x: F.matrix_power(x, n)


@primitive
def MatrixSolve(adjoint: bool = False) -> _Run:
    """The solution of matrix @ x = rhs."""
    return lambda matrix, rhs: F.matrix_solve(matrix, rhs, adjoint)


@primitive
def MatrixTriangularSolve(lower: bool = True, adjoint: bool = False) -> _Run:
    """`MatrixSolve` for a triangular matrix."""
    return lambda matrix, rhs: F.matrix_triangular_solve(matrix, rhs, lower, adjoint)


@primitive
def Lstsq(fast: bool = True, l2_regularizer: float = 0.0) -> _Run:
    """The least-squares solution."""
    return lambda x, a: F.lstsq(x, a)


@primitive
def Eig(compute_v: bool = False) -> _Run:
    """(eigenvalues, eigenvectors or an empty tensor), complex."""
    return lambda x: (
        F.eig(x)
        if compute_v
        else (F.eigvals(x), wrap(torch.empty((0,), dtype=torch.promote_types(x.dtype, torch.complex64))))
    )


@primitive
def Qr(full_matrices: bool = False) -> _Run:
    """(Q, R)."""
    return lambda x: F.qr(x, "complete" if full_matrices else "reduced")


@primitive
def Svd(full_matrices: bool = False, compute_uv: bool = True) -> _Run:
    """(singular values, U, V); without U and V, empty tensors in their place."""
    if compute_uv:
        return lambda input: F.svd(input, full_matrices, True)
    return lambda input: (
        F.svd(input, full_matrices, False),
        wrap(torch.zeros((1,), dtype=input.dtype)),
        wrap(torch.zeros((1,), dtype=input.dtype)),
    )


@primitive
def LuUnpack(unpack_data: bool = True, unpack_pivots: bool = True) -> _Run:
    """(P, L, U) from LAPACK's form."""
    return lambda data, pivots: F.lu_unpack(data, pivots, unpack_data, unpack_pivots)


@primitive
def Ormqr(left: bool = True, transpose: bool = False) -> _Run:
    """Q times a matrix from Householder vectors."""
    return lambda x, tau, other: F.ormqr(x, tau, other, left, transpose)


@primitive
def NuclearNorm(dim: Any = None, keepdim: bool = False) -> _Run:
    """The sum of singular values."""
    return lambda x: F.nuclear_norm(x, dim, keepdim)


@primitive
def FFTWithSize(
    signal_ndim: int, inverse: bool, real: bool, norm: str = "backward", onesided: bool = True, signal_sizes: Any = ()
) -> _Run:
    """The Fourier transform over the last ``signal_ndim`` axes."""
    axes = tuple(range(-signal_ndim, 0))
    if not real:
        return lambda x: wrap((torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=axes, norm=norm))
    if inverse:
        return lambda x: wrap(torch.fft.irfftn(x, tuple(signal_sizes) or None, axes, norm))
    return lambda x: wrap((torch.fft.rfftn if onesided else torch.fft.fftn)(x, dim=axes, norm=norm))


@primitive
def STFT(n_fft: int, hop_length: int, win_length: int, normalized: bool, onesided: bool, return_complex: bool) -> _Run:
    """The short-time Fourier transform of (batch, time) without centering."""
    return lambda x, window: F.stft(
        x, n_fft, hop_length, win_length, window, False, "REFLECT", normalized, onesided, return_complex
    )


# --- element by element, with attributes ------------------------------------------------------------------------------


@primitive
def Logit(eps: float = -1.0) -> _Run:
    """log(x / (1 - x))."""
    return lambda input: F.logit(input, eps)


@primitive
def NanToNum(nan: Any = None, posinf: Any = None, neginf: Any = None) -> _Run:
    """Nans and infinities replaced."""
    return lambda input: F.nan_to_num(input, nan, posinf, neginf)


@primitive
def ApproximateEqual(tolerance: float = 1e-05) -> _Run:
    """Whether |x - y| < tolerance."""
    return lambda x, y: F.approximate_equal(x, y, tolerance)


@primitive
def IsClose(rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> _Run:
    """Whether |input - other| <= atol + rtol * |other|."""
    return lambda input, other: F.isclose(input, other, rtol, atol, equal_nan)


@primitive
def Renorm(p: float, dim: int, maxnorm: float) -> _Run:
    """Each slice scaled down to a p-norm of at most ``maxnorm``."""
    return lambda x: F.renorm(x, p, dim, maxnorm)


@primitive
def Mvlgamma(p: int) -> _Run:
    """Multivariate log-gamma."""
    return lambda x: F.mvlgamma(x, p)


@primitive
def Bucketize(boundaries: Any) -> _Run:
    """The int32 number of the bucket of each element."""
    return lambda input: F.bucketize(input, list(boundaries))


@primitive
def LogSpace(steps: int = 10, base: int = 10, dtype: Any = torch.float32) -> _Run:
    """base**start ... base**end."""
    return lambda start, end: F.logspace(start, end, steps, base, dtype=dtype)


@primitive
def BartlettWindow(periodic: bool = True, dtype: Any = torch.float32) -> _Run:
    """A triangular window."""
    return lambda length: F.bartlett_window(length, periodic, dtype=dtype)


@primitive
def BlackmanWindow(periodic: bool = True, dtype: Any = torch.float32) -> _Run:
    """A Blackman window."""
    return lambda length: F.blackman_window(length, periodic, dtype=dtype)


@primitive
def HammingWindow(periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, dtype: Any = torch.float32) -> _Run:
    """A Hamming window."""
    return lambda length: F.hamming_window(length, periodic, alpha, beta, dtype=dtype)


@primitive
def InplaceAdd(indices: Any) -> _Run:
    """A copy with ``input_v`` added to the rows."""
    return lambda x, input_v: F.inplace_add(x, input_v, indices)


@primitive
def InplaceSub(indices: Any) -> _Run:
    """A copy with ``input_v`` subtracted from the rows."""
    return lambda x, input_v: F.inplace_sub(x, input_v, indices)


@primitive
def InplaceUpdate(indices: Any) -> _Run:
    """A copy with rows replaced."""
    return lambda x, v: F.inplace_update(x, v, indices)


@primitive
def InplaceIndexAdd(axis: int) -> _Run:
    """``updates`` added at the indices."""
    return lambda var, indices, updates: F.inplace_index_add(var, indices, updates, axis)


@primitive
def IndexAdd(axis: int, use_lock: bool = True, check_index_bound: bool = True) -> _Run:
    """``y`` added at the indices; a Parameter is changed."""
    return lambda x, indices, y: F.index_add(x, indices, y, axis)


# --- overflow checks of Ascend ----------------------------------------------------------------------------------------

FloatStatus = plain("FloatStatus", F.float_status)
NPUAllocFloatStatus = plain("NPUAllocFloatStatus", lambda: wrap(torch.zeros(8)))
NPUGetFloatStatus = plain("NPUGetFloatStatus", lambda x: wrap(torch.zeros_like(x)))
NPUClearFloatStatus = plain("NPUClearFloatStatus", lambda x: wrap(torch.zeros_like(x)))
Round = plain("Round", lambda input, decimals=0: F.round(input, decimals=decimals))
LinSpace = plain("LinSpace", F.linspace)
Lerp, LerpScalar = plain("Lerp", F.lerp), plain("LerpScalar", F.lerp)
TransposeExtView = plain("TransposeExtView", F.swapaxes)
ConjugateTranspose = plain("ConjugateTranspose", lambda x, perm: F.conj(F.transpose(x, perm)))
SelectView = plain("SelectView", lambda input, dim, index: wrap(torch.select(input, dim, index)))
LogSoftmaxExt = plain(
    "LogSoftmaxExt",
    lambda input, dim=None, dtype=None: wrap(torch.log_softmax(input, -1 if dim is None else dim, dtype=dtype)),
)
Addcmul, Addcdiv = plain("Addcmul", F.addcmul), plain("Addcdiv", F.addcdiv)
SquareSumAll = plain("SquareSumAll", lambda x, y: wrap((torch.sum(kernels.square(x)), torch.sum(kernels.square(y)))))
EqualCount = plain("EqualCount", lambda x, y: wrap(torch.reshape(torch.sum(torch.eq(x, y)), (1,)).to(x.dtype)))


def _matrix_logarithm(x: Any) -> Any:
    values, vectors = torch.linalg.eig(x)
    return wrap(vectors @ torch.diag_embed(torch.log(values)) @ torch.linalg.inv(vectors))


MatrixLogarithm = plain("MatrixLogarithm", _matrix_logarithm)
