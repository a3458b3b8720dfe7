"""Rows of the operators of ``math_ops`` without code of their own: arithmetic, reductions and products.

A function is an operator without attributes.
"""

from __future__ import annotations

import functools
from typing import Annotated, Any

import torch

from mindspore_compat._api.validate import check_one_of
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import Bool, Int, declared, row


def _bincount(array: Any, size: Any, weights: Any) -> Any:
    """Return the sums of ``weights``, or counts if they are empty, for numbers below ``size``; ignore the others."""
    inside = torch.flatten(array) < int(size)
    values = torch.flatten(weights)[inside] if weights.numel() else None
    found = torch.bincount(torch.flatten(array)[inside], values, int(size))
    return wrap(found.to(weights.dtype))


@functools.wraps(F.fmod)
def _mod(input: Any, other: Any) -> Any:
    if not isinstance(input, torch.Tensor) and not isinstance(other, torch.Tensor):
        kinds = f"{type(input).__name__} and {type(other).__name__}"
        raise TypeError(f"For 'Mod', the element of 'x' must be one of Tensor or 'y' be one, but got {kinds}.")
    return F.fmod(input, other)


_TABLE: dict[str, Any] = {
    # element by element, one input
    "Abs": F.abs,
    "ACos": F.acos,
    "Acosh": F.acosh,
    "Angle": F.angle,
    "Asin": F.asin,
    "Asinh": F.asinh,
    "Atan": F.atan,
    "Atanh": F.atanh,
    "BesselI0": F.bessel_i0,
    "BesselI0e": F.bessel_i0e,
    "BesselI1": F.bessel_i1,
    "BesselI1e": F.bessel_i1e,
    "BesselJ0": F.bessel_j0,
    "BesselJ1": F.bessel_j1,
    "BesselK0": F.bessel_k0,
    "BesselK0e": F.bessel_k0e,
    "BesselK1": F.bessel_k1,
    "BesselK1e": F.bessel_k1e,
    "BesselY0": F.bessel_y0,
    "BesselY1": F.bessel_y1,
    "Ceil": F.ceil,
    "ComplexAbs": F.abs,
    "Conj": F.conj,
    "Cos": F.cos,
    "Cosh": F.cosh,
    "Digamma": F.digamma,
    "Erf": F.erf,
    "Erfc": F.erfc,
    "Erfinv": F.erfinv,
    "Exp": F.exp,
    "Expm1": F.expm1,
    "Floor": F.floor,
    "Imag": F.imag,
    "Inv": F.inv,
    "Invert": F.invert,
    "IsFinite": F.isfinite,
    "IsInf": F.isinf,
    "IsNan": F.isnan,
    "Lgamma": F.lgamma,
    "Log": F.log,
    "Log1p": F.log1p,
    "LogicalNot": F.logical_not,
    "Neg": F.neg,
    "PopulationCount": F.population_count,
    "Real": F.real,
    "Reciprocal": F.reciprocal,
    "Rint": F.rint,
    "Rsqrt": F.rsqrt,
    "Sign": F.sign,
    "Sin": F.sin,
    "Sinc": F.sinc,
    "Sinh": F.sinh,
    "Sqrt": F.sqrt,
    "Square": F.square,
    "Tan": F.tan,
    "Trunc": F.trunc,
    "Eps": F.eps,
    # element by element, two inputs
    "Add": F.add,
    "TensorAdd": F.add,
    "Atan2": F.atan2,
    "BitwiseAnd": F.bitwise_and,
    "BitwiseOr": F.bitwise_or,
    "BitwiseXor": F.bitwise_xor,
    "Complex": F.complex,
    "Div": F.div,
    "DivNoNan": F.div_no_nan,
    "Equal": F.equal,
    "FloorDiv": F.floor_div,
    "FloorMod": F.floor_mod,
    "Fmax": F.fmax,
    "Fmin": F.fmin,
    "Gcd": F.gcd,
    "Greater": F.greater,
    "GreaterEqual": F.greater_equal,
    "Heaviside": F.heaviside,
    "Hypot": F.hypot,
    "Igamma": F.igamma,
    "Igammac": F.igammac,
    "Lcm": F.lcm,
    "LeftShift": F.bitwise_left_shift,
    "Less": F.less,
    "LessEqual": F.less_equal,
    "LogicalAnd": F.logical_and,
    "LogicalOr": F.logical_or,
    "LogicalXor": F.logical_xor,
    "Maximum": F.maximum,
    "Minimum": F.minimum,
    "Mod": _mod,
    "Mul": F.mul,
    "MulNoNan": F.mul_no_nan,
    "NextAfter": F.nextafter,
    "NotEqual": F.not_equal,
    "Polar": F.polar,
    "Polygamma": F.polygamma,
    "Pow": F.pow,
    "RealDiv": F.real_div,
    "RightShift": F.bitwise_right_shift,
    "SquaredDifference": F.squared_difference,
    "Sub": F.sub,
    "TruncateDiv": F.truncate_div,
    "TruncateMod": F.truncate_mod,
    "Xdivy": F.xdivy,
    "Xlogy": F.xlogy,
    "Zeta": F.zeta,
    # sums, products, linear algebra
    "AccumulateNV2": F.accumulate_n,
    "AddN": F.addn,
    "Bincount": lambda array, size, weights: _bincount(array, size, weights),
    "Geqrf": F.geqrf,
    "Ger": F.ger,
    "LogMatrixDeterminant": F.log_matrix_determinant,
    "LuSolve": F.lu_solve,
    "MatrixDeterminant": F.matrix_determinant,
    "MatrixExp": F.matrix_exp,
    "Orgqr": F.orgqr,
    "Trace": F.trace,
    # with attributes
    "ReduceSum": row(
        F.reduce_sum,
        "Sum over ``axis``; ``()`` is all axes, or none with ``skip_mode``.",
        keep_dims=(Bool, False),
        skip_mode=(bool, False),
    ),
    "ReduceMean": row(F.reduce_mean, keep_dims=(Bool, False)),
    "ReduceMax": row(F.reduce_max, keep_dims=(Bool, False)),
    "ReduceMin": row(F.reduce_min, keep_dims=(Bool, False)),
    "ReduceProd": row(F.reduce_prod, keep_dims=(Bool, False)),
    "ReduceAll": row(F.reduce_all, keep_dims=(Bool, False)),
    "ReduceAny": row(F.reduce_any, keep_dims=(Bool, False)),
    "LpNorm": row(F.lp_norm, axis=(Any, ...), p=(int, 2), keep_dims=(bool, False), epsilon=(float, 1e-12)),
    "ArgMaxWithValue": row(F.argmax_with_value, axis=(Int, 0), keep_dims=(Bool, False)),
    "ArgMinWithValue": row(F.argmin_with_value, axis=(Int, 0), keep_dims=(Bool, False)),
    "Cummax": row(F.cummax, "(running maximum, its index).", axis=(int, ...)),
    "Cummin": row(F.cummin, "(running minimum, its index).", axis=(int, ...)),
    "MatMul": row(F.mat_mul, transpose_a=(Bool, False), transpose_b=(Bool, False)),
    "BatchMatMul": row(
        F.batch_mat_mul,
        "The products of matrices in leading axes, each transposed first if so asked.",
        transpose_a=(Bool, False),
        transpose_b=(Bool, False),
    ),
    "Cross": row(F.cross, "The cross product.", dim=(int, -65530)),
    "Cdist": row(F.cdist, p=(float, 2.0)),
    "Pdist": row(F.pdist, p=(float, 2.0)),
    "Cholesky": row(F.cholesky, upper=(bool, False)),
    "CholeskyInverse": row(F.cholesky_inverse, upper=(bool, False)),
    "CholeskySolve": row(F.cholesky_solve, "The solution of a system by the Cholesky factor.", upper=(bool, False)),
    "MatrixPower": row(F.matrix_power, n=(int, ...)),
    "MatrixSolve": row(F.matrix_solve, adjoint=(bool, False)),
    "MatrixTriangularSolve": row(
        F.matrix_triangular_solve, "`MatrixSolve` for a triangular matrix.", lower=(bool, True), adjoint=(bool, False)
    ),
    "Lstsq": row(
        F.lstsq,
        "The least-squares solution.",
        fast=(Annotated[bool, functools.partial(check_one_of, choices=(True,))], True, None),
        l2_regularizer=(Annotated[float, functools.partial(check_one_of, choices=(0.0,))], 0.0, None),
    ),
    "LuUnpack": row(F.lu_unpack, unpack_data=(bool, True), unpack_pivots=(bool, True)),
    "Ormqr": row(F.ormqr, "Q times a matrix from Householder vectors.", left=(bool, True), transpose=(bool, False)),
    "NuclearNorm": row(F.nuclear_norm, dim=(Any, None), keepdim=(bool, False)),
    "Logit": row(F.logit, "log(x / (1 - x)).", eps=(float, -1.0)),
    "NanToNum": row(
        F.nan_to_num, "Nans and infinities replaced.", nan=(Any, None), posinf=(Any, None), neginf=(Any, None)
    ),
    "ApproximateEqual": row(F.approximate_equal, tolerance=(float, 1e-05)),
    "IsClose": row(F.isclose, rtol=(float, 1e-05), atol=(float, 1e-08), equal_nan=(bool, False)),
    "Renorm": row(
        F.renorm,
        "Each slice scaled down to a p-norm of at most ``maxnorm``.",
        p=(float, ...),
        dim=(int, ..., "axis"),
        maxnorm=(float, ...),
    ),
    "Mvlgamma": row(F.mvlgamma, "Multivariate log-gamma.", p=(int, ...)),
    "LogSpace": row(
        F.logspace, "base**start ... base**end.", steps=(int, 10), base=(int, 10), dtype=(Any, torch.float32)
    ),
    "BartlettWindow": row(F.bartlett_window, periodic=(bool, True), dtype=(Any, torch.float32)),
    "BlackmanWindow": row(F.blackman_window, periodic=(bool, True), dtype=(Any, torch.float32)),
    "HammingWindow": row(
        F.hamming_window, periodic=(bool, True), alpha=(float, 0.54), beta=(float, 0.46), dtype=(Any, torch.float32)
    ),
    "InplaceAdd": row(F.inplace_add, "A copy with ``input_v`` added to the rows.", indices=(Any, ...)),
    "InplaceSub": row(F.inplace_sub, "A copy with ``input_v`` subtracted from the rows.", indices=(Any, ...)),
    "InplaceUpdate": row(F.inplace_update, "A copy with rows replaced.", indices=(Any, ...)),
    "InplaceIndexAdd": row(F.inplace_index_add, "``updates`` added at the indices.", axis=(int, ...)),
}
globals().update(declared(_TABLE, "mindspore_compat.ops.operations.math_ops"))
__all__ = [*_TABLE]
