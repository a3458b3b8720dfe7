"""Arithmetic, reductions and products in class form. MindSpore: ``mindspore.ops.operations.math_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat._autograd.float_status import clear_status, read_status
from mindspore_compat._numerics import kernels
from mindspore_compat._runtime.device import current_device
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._adapt import dtype_or_none, to_dtype
from mindspore_compat.ops._declare import Bool, Int, Ints, Typed, plain, primitive
from mindspore_compat.ops.operations import _math_table
from mindspore_compat.ops.operations._math_table import *  # noqa: F403

__all__ = [
    *_math_table.__all__,
    *"""
    ReduceStd EuclideanNorm Argmax Argmin CumSum CumProd CumulativeLogsumexp Median Histogram HistogramFixedWidth
    Einsum MatrixInverse Eig Qr Svd FloatStatus NPUAllocFloatStatus NPUGetFloatStatus NPUClearFloatStatus Bucketize
    Quantile CountNonZero LinSpace Lerp Addcdiv Addcmul Round LerpScalar ConjugateTranspose TransposeExtView
    SelectView LogSoftmaxExt SquareSumAll MatrixLogarithm FFTWithSize STFT IndexAdd EqualCount
    """.split(),
]

_Run = Callable[..., Any]


# --- reductions -------------------------------------------------------------------------------------------------------


@primitive
def ReduceStd(
    axis: Ints[int | list | tuple | torch.Tensor] = (), unbiased: bool = True, keep_dims: bool = False
) -> _Run:
    """(standard deviation, mean) over ``axis``."""
    return lambda x: F.std_mean(x, axis, int(unbiased), keep_dims)


@primitive
def EuclideanNorm(keep_dims: bool = False) -> _Run:
    """Root of the sum of squares over ``axes``."""
    return lambda x, axes: F.euclidean_norm(x, axes, keep_dims)


@primitive
def Argmax(axis: Int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the maximum over ``axis``."""
    dtype = dtype_or_none(output_type) or torch.int32
    return lambda input_x: wrap(to_dtype(torch.argmax(input_x, axis), dtype))


@primitive
def Argmin(axis: Int = -1, output_type: Any = torch.int32) -> _Run:
    """The index of the minimum over ``axis``."""
    dtype = dtype_or_none(output_type) or torch.int32
    return lambda x: wrap(to_dtype(torch.argmin(x, axis), dtype))


@primitive
def CumSum(exclusive: Bool = False, reverse: Bool = False) -> _Run:
    """Running sum over ``axis``."""
    return lambda input, axis: F.cumulative(F.cumsum, input, axis, exclusive, reverse, 0)


@primitive
def CumProd(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Running product over ``axis``."""
    return lambda x, axis: F.cumulative(
        lambda x, axis: F.cumprod(x, axis, dtype=x.dtype), x, axis, exclusive, reverse, 1
    )


@primitive
def CumulativeLogsumexp(exclusive: bool = False, reverse: bool = False) -> _Run:
    """Log of the running sum of exponentials."""
    return lambda x, axis: F.cumulative(torch.logcumsumexp, x, axis, exclusive, reverse, torch.finfo(x.dtype).min)


@primitive
def Median(global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False) -> _Run:
    """(lower median, its index) over ``axis`` or of all."""
    function = torch.nanmedian if ignore_nan else torch.median
    if global_median:

        def of_all(x: Any) -> Any:
            if not x.numel() and not x.dtype.is_floating_point:  # of no integers 0, of no floats nan
                value = torch.zeros((), dtype=x.dtype, device=x.device)
            else:
                value = function(x)
            return wrap(value), wrap(torch.zeros((), dtype=torch.int64, device=x.device))

        return of_all
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
    """Counts in equal bins, in the dtype of the input."""
    return lambda x: F.histc(x, bins, min, max)


@primitive
def HistogramFixedWidth(nbins: int, dtype: Literal["int32"] = "int32") -> _Run:
    """int32 counts in ``nbins`` equal bins of a range; what lies outside goes into the outer ones."""

    def run(x: Any, value_range: Any) -> Any:
        low, high = value_range.tolist()
        places = torch.clamp(torch.floor((x - low) * (nbins / (high - low))).to(torch.int64), 0, nbins - 1)
        return wrap(to_dtype(torch.bincount(torch.reshape(places, (-1,)), minlength=nbins), torch.int32))

    return run


# --- products and linear algebra --------------------------------------------------------------------------------------


@primitive
def Einsum(equation: Typed[str]) -> _Run:
    """Sums of products by Einstein's notation."""
    return lambda *inputs: F.einsum(equation, *inputs)


@primitive
def MatrixInverse(adjoint: bool = False) -> _Run:
    """The inverse matrix, of the adjoint if so asked."""
    return lambda x: F.inverse(torch.adjoint(x) if adjoint else x)


@primitive
def Eig(compute_v: bool = False) -> _Run:
    """(eigenvalues, eigenvectors or an empty tensor), complex."""
    return lambda x: (
        F.eig(x)
        if compute_v
        else (F.eigvals(x), wrap(x.new_empty((0,), dtype=torch.promote_types(x.dtype, torch.complex64))))
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
        wrap(torch.zeros((1,), dtype=input.dtype, device=input.device)),
        wrap(torch.zeros((1,), dtype=input.dtype, device=input.device)),
    )


@primitive
def FFTWithSize(
    signal_ndim: int, inverse: bool, real: bool, norm: str = "backward", onesided: bool = True, signal_sizes: Any = ()
) -> _Run:
    """The Fourier transform over the last ``signal_ndim`` axes."""
    axes = tuple(range(-signal_ndim, 0))
    if not real:
        return lambda x: wrap((torch.fft.ifftn if inverse else torch.fft.fftn)(x, dim=axes, norm=norm))
    if inverse and not onesided:
        return lambda x: wrap(torch.real(torch.fft.ifftn(x, tuple(signal_sizes) or None, axes, norm)))
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
def Bucketize(boundaries: Any) -> _Run:
    """The int32 number of the bucket of each element; a boundary belongs to the bucket that it begins."""
    return lambda input: F.bucketize(input, list(boundaries), right=True)


@primitive
def IndexAdd(axis: int, use_lock: bool = True, check_index_bound: bool = True) -> _Run:
    """``y`` added at the indices; a Parameter is changed."""
    return lambda x, indices, y: F.index_add(x, indices, y, axis)


# --- overflow checks of Ascend ----------------------------------------------------------------------------------------

FloatStatus = plain("FloatStatus", F.float_status)
NPUAllocFloatStatus = plain("NPUAllocFloatStatus", lambda: wrap(torch.zeros(8, device=current_device())))
NPUGetFloatStatus, NPUClearFloatStatus = (
    plain("NPUGetFloatStatus", read_status),
    plain("NPUClearFloatStatus", clear_status),
)
Round = plain("Round", lambda input, decimals=0: F.round(input, decimals=decimals))
LinSpace = plain("LinSpace", F.linspace)
Lerp, LerpScalar = plain("Lerp", F.lerp), plain("LerpScalar", F.lerp)
TransposeExtView = plain("TransposeExtView", F.swapaxes)
ConjugateTranspose = plain("ConjugateTranspose", lambda x, perm: F.conj(F.transpose(x, perm)))
SelectView = plain("SelectView", lambda input, index, axis: wrap(torch.select(input, axis, index)))
LogSoftmaxExt = plain(
    "LogSoftmaxExt",
    lambda input, dim=None, dtype=None: wrap(torch.log_softmax(input, -1 if dim is None else dim, dtype=dtype)),
)
Addcmul, Addcdiv = plain("Addcmul", F.addcmul), plain("Addcdiv", F.addcdiv)


def _square_sums(x: Any, y: Any) -> Any:
    """Return (the sum of squares of ``x``, that of ``y``)."""
    return wrap((torch.sum(kernels.square(x)), torch.sum(kernels.square(y))))


SquareSumAll = plain("SquareSumAll", _square_sums)
EqualCount = plain("EqualCount", lambda x, y: wrap(torch.reshape(torch.sum(torch.eq(x, y)), (1,)).to(x.dtype)))


def _matrix_logarithm(x: Any) -> Any:
    values, vectors = torch.linalg.eig(x)
    return wrap(vectors @ torch.diag_embed(torch.log(values)) @ torch.linalg.inv(vectors))


MatrixLogarithm = plain("MatrixLogarithm", _matrix_logarithm)

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
