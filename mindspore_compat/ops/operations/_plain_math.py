"""Class forms without attributes: each is the function of the same meaning, declared by a row of the table."""
from __future__ import annotations

from typing import Any

from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import plain

_TABLE: dict[str, Any] = {
    # element by element, one input
    "Abs": F.abs, "ACos": F.acos, "Acosh": F.acosh, "Angle": F.angle, "Asin": F.asin, "Asinh": F.asinh, "Atan": F.atan, "Atanh": F.atanh,
    "BesselI0": F.bessel_i0, "BesselI0e": F.bessel_i0e, "BesselI1": F.bessel_i1, "BesselI1e": F.bessel_i1e, "BesselJ0": F.bessel_j0,
    "BesselJ1": F.bessel_j1, "BesselK0": F.bessel_k0, "BesselK0e": F.bessel_k0e, "BesselK1": F.bessel_k1, "BesselK1e": F.bessel_k1e,
    "BesselY0": F.bessel_y0, "BesselY1": F.bessel_y1, "Ceil": F.ceil, "ComplexAbs": F.abs, "Conj": F.conj, "Cos": F.cos, "Cosh": F.cosh,
    "Digamma": F.digamma, "Erf": F.erf, "Erfc": F.erfc, "Erfinv": F.erfinv, "Exp": F.exp, "Expm1": F.expm1, "Floor": F.floor,
    "Imag": F.imag, "Inv": F.inv, "Invert": F.invert, "IsFinite": F.isfinite, "IsInf": F.isinf, "IsNan": F.isnan, "Lgamma": F.lgamma,
    "Log": F.log, "Log1p": F.log1p, "LogicalNot": F.logical_not, "Neg": F.neg, "PopulationCount": F.population_count, "Real": F.real,
    "Reciprocal": F.reciprocal, "Rint": F.rint, "Rsqrt": F.rsqrt, "Sign": F.sign, "Sin": F.sin, "Sinc": F.sinc, "Sinh": F.sinh,
    "Sqrt": F.sqrt, "Square": F.square, "Tan": F.tan, "Trunc": F.trunc, "Eps": F.eps,
    # element by element, two inputs
    "Add": F.add, "TensorAdd": F.add, "Atan2": F.atan2, "BitwiseAnd": F.bitwise_and, "BitwiseOr": F.bitwise_or, "BitwiseXor": F.bitwise_xor,
    "Complex": F.complex, "Div": F.div, "DivNoNan": F.div_no_nan, "Equal": F.equal, "FloorDiv": F.floor_div, "FloorMod": F.floor_mod,
    "Fmax": F.fmax, "Fmin": F.fmin, "Gcd": F.gcd, "Greater": F.greater, "GreaterEqual": F.greater_equal, "Heaviside": F.heaviside,
    "Hypot": F.hypot, "Igamma": F.igamma, "Igammac": F.igammac, "Lcm": F.lcm, "LeftShift": F.bitwise_left_shift, "Less": F.less,
    "LessEqual": F.less_equal, "LogicalAnd": F.logical_and, "LogicalOr": F.logical_or, "LogicalXor": F.logical_xor, "Maximum": F.maximum,
    "Minimum": F.minimum, "Mod": F.fmod, "Mul": F.mul, "MulNoNan": F.mul_no_nan, "NextAfter": F.nextafter, "NotEqual": F.not_equal,
    "Polar": F.polar, "Polygamma": F.polygamma, "Pow": F.pow, "RealDiv": F.real_div, "RightShift": F.bitwise_right_shift,
    "SquaredDifference": F.squared_difference, "Sub": F.sub, "TruncateDiv": F.truncate_div, "TruncateMod": F.truncate_mod,
    "Xdivy": F.xdivy, "Xlogy": F.xlogy, "Zeta": F.zeta,
    # sums, products, linear algebra
    "AccumulateNV2": F.accumulate_n, "AddN": F.addn, "Bincount": F.bincount, "Geqrf": F.geqrf, "Ger": F.ger, "LogMatrixDeterminant":
    F.log_matrix_determinant, "LuSolve": F.lu_solve, "MatrixDeterminant": F.matrix_determinant, "MatrixExp": F.matrix_exp, "Orgqr": F.orgqr,
    "Trace": F.trace,
}
globals().update({name: plain(name, function) for name, function in _TABLE.items()})
__all__ = list(_TABLE)
