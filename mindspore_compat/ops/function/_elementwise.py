"""Functions of one input, element by element; `_operator` and `_binary` make those of two (``_arithmetic.py``). Part of
``mindspore.ops.function.math_func``.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._numerics import kernels
from mindspore_compat._numerics.dtype_fallback import retry_in_wider_dtype
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.ops._adapt import as_plain, pair, to_dtype
from mindspore_compat.ops.function._bessel import BESSEL

_special = torch.special
_float32 = torch.float32


def _unary(name: str, function: Callable[[Any], torch.Tensor], meaning: str = "") -> Callable[[Any], Any]:
    """Return ``name(input)`` over a function of one tensor."""

    def op(input: Any) -> Any:
        try:
            return wrap(function(input))
        except RuntimeError as error:
            return wrap(retry_in_wider_dtype(error, function, (input,), None, name))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{meaning or name.replace('_', ' ').capitalize()}, element by element."
    return op


def _binary(name: str, function: Callable[[Any, Any], torch.Tensor]) -> Callable[[Any, Any], Any]:
    """Return ``name(input, other)`` over a function of two tensors of one dtype; numbers are taken on either side."""

    def op(input: Any, other: Any) -> Any:
        try:
            return wrap(function(*pair(input, other)))
        except RuntimeError as error:
            return wrap(retry_in_wider_dtype(error, lambda *both: function(*pair(*both)), (input, other), None, name))

    op.__name__ = op.__qualname__ = name
    op.__doc__ = f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element."
    return op


def _operator(
    name: str, function: Callable[[Any, Any], Any], of_one_dtype: Callable[[Any, Any], torch.Tensor]
) -> Callable[[Any, Any], Any]:
    """Return ``name(input, other)`` over a Python operator: `Tensor`'s own rules of promotion hold. Tensors of one
    dtype need none.
    """

    def op(input: Any, other: Any) -> Any:
        if isinstance(input, torch.Tensor):
            if isinstance(other, torch.Tensor) and input.dtype is other.dtype:
                try:
                    return wrap(of_one_dtype(input, other))
                except RuntimeError as error:
                    return wrap(retry_in_wider_dtype(error, of_one_dtype, (input, other), None, name))
        elif not isinstance(other, torch.Tensor):
            input = wrap(as_plain(input))
        found = function(input, other)
        if isinstance(found, bool):  # Python's answer where neither side knows how to compare
            raise TypeError(
                f"Failed calling {name}: its inputs must be Tensors or numbers, but got {type(input).__name__} and "
                f"{type(other).__name__}. Make a Tensor of a list."
            )
        return wrap(found)

    op.__name__ = op.__qualname__ = name
    op.__doc__ = (
        f"{name.replace('_', ' ').capitalize()} of ``input`` and ``other``, element by element; one of them "
        "may be a number."
    )
    return op


def _in_single(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the function, computed in float32 for 16-bit floats: torch has no kernels of its derivative for them."""

    def apply(x: Any) -> Any:
        is_half = x.dtype in (torch.float16, torch.bfloat16)
        return to_dtype(function(torch.Tensor.float(x)), x.dtype) if is_half else function(x)

    return apply


# --- one input --------------------------------------------------------------------------------------------------------

abs = absolute = _unary("abs", torch.abs)
acos = arccos = _unary("acos", torch.acos)
acosh = arccosh = _unary("acosh", torch.acosh)
asin = arcsin = _unary("asin", torch.asin)
asinh = arcsinh = _unary("asinh", torch.asinh)
atan = arctan = _unary("atan", torch.atan)
atanh = arctanh = _unary("atanh", torch.atanh)
angle = _unary("angle", torch.angle)
bessel_i0 = i0 = _unary("bessel_i0", torch.i0, "Modified Bessel function of the first kind, order 0")
bessel_i0e = _unary("bessel_i0e", _special.i0e)
bessel_i1 = _unary("bessel_i1", _in_single(_special.i1))
bessel_i1e = _unary("bessel_i1e", _in_single(_special.i1e))
bessel_j0 = _unary("bessel_j0", BESSEL["j0"])
bessel_j1 = _unary("bessel_j1", BESSEL["j1"])
bessel_k0 = _unary("bessel_k0", BESSEL["k0"])
bessel_k0e = _unary("bessel_k0e", BESSEL["k0e"])
bessel_k1 = _unary("bessel_k1", BESSEL["k1"])
bessel_k1e = _unary("bessel_k1e", BESSEL["k1e"])
bessel_y0 = _unary("bessel_y0", BESSEL["y0"])
bessel_y1 = _unary("bessel_y1", BESSEL["y1"])
ceil = _unary("ceil", torch.ceil)
conj = _unary("conj", lambda x: torch.conj(x).resolve_conj() if x.is_complex() else torch.clone(x))
cos = _unary("cos", torch.cos)
cosh = _unary("cosh", torch.cosh)
deg2rad = _unary("deg2rad", torch.deg2rad)
digamma = _unary("digamma", torch.digamma)
erf = _unary("erf", torch.erf)
erfc = _unary("erfc", torch.erfc)
erfinv = _unary("erfinv", torch.erfinv)
exp = _unary("exp", torch.exp)
exp2 = _unary("exp2", torch.exp2)
expm1 = _unary("expm1", torch.expm1)
floor = _unary("floor", torch.floor)
frac = _unary("frac", torch.frac)
imag = _unary("imag", lambda x: torch.clone(torch.imag(x)) if x.is_complex() else torch.zeros_like(x))
invert = bitwise_not = _unary("invert", torch.bitwise_not, "Every bit flipped")
isfinite = _unary("isfinite", torch.isfinite)
isinf = _unary("isinf", torch.isinf)
isnan = _unary("isnan", torch.isnan)
isneginf = _unary("isneginf", torch.isneginf)
isposinf = _unary("isposinf", torch.isposinf)
isreal = _unary("isreal", torch.isreal)
lgamma = _unary("lgamma", torch.lgamma)
log = _unary("log", torch.log)
log10 = _unary("log10", torch.log10)
log1p = _unary("log1p", torch.log1p)
log2 = _unary("log2", torch.log2)
logical_not = _unary("logical_not", torch.logical_not)
neg = negative = _unary("neg", torch.neg)
positive = _unary("positive", torch.clone)
rad2deg = _unary("rad2deg", torch.rad2deg)
real = _unary("real", lambda x: torch.clone(torch.real(x)))
reciprocal = _unary("reciprocal", torch.reciprocal)
rint = _unary("rint", torch.round)
rsqrt = _unary("rsqrt", torch.rsqrt)
sgn = _unary("sgn", lambda x: torch.sgn(x) if x.is_complex() else torch.sign(x))
sign = _unary("sign", torch.sign)
signbit = _unary("signbit", torch.signbit)
sin = _unary("sin", torch.sin)
sinc = _unary("sinc", torch.sinc)
sinh = _unary("sinh", torch.sinh)


def sqrt(x: Any) -> Any:
    """Return the square root, element by element."""
    return wrap(torch.sqrt(x))


square = _unary("square", kernels.square)
tan = _unary("tan", torch.tan)
trunc = _unary("trunc", torch.trunc)


def round(input: Any, *, decimals: int = 0) -> Any:
    """Round half to even, to ``decimals`` places."""
    return wrap(torch.round(input, decimals=decimals) if decimals else torch.round(input))


def logit(input: Any, eps: float | None = None) -> Any:
    """Return log(x / (1 - x)), with x cut to [eps, 1 - eps] if ``eps`` is given."""
    return wrap(torch.logit(input, None if eps is None or eps < 0 else eps))


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """Return ``input`` with nan and infinities replaced; None: 0 and the dtype's extremes."""
    return wrap(torch.nan_to_num(input, nan, posinf, neginf))


def polygamma(n: Any, input: Any) -> Any:
    """Return the n-th derivative of digamma."""
    return wrap(torch.polygamma(int(n), input))


def mvlgamma(input: Any, p: int) -> Any:
    """Return the multivariate log-gamma of dimension ``p``."""
    return wrap(torch.mvlgamma(input, p))


def population_count(input_x: Any) -> Any:
    """Return the number of set bits of each element, as uint8."""
    bits = input_x.element_size() * 8
    counts = builtins.sum(
        torch.bitwise_and(torch.bitwise_right_shift(input_x, shift), 1) for shift in builtins.range(bits)
    )
    return wrap(to_dtype(counts, torch.uint8))  # type: ignore[arg-type]


def view_as_real(input: Any) -> Any:
    """Return a complex tensor as a float one with a last axis of (real, imaginary)."""
    return wrap(torch.clone(torch.view_as_real(input)))


def is_complex(input: Any) -> bool:
    """Return whether the dtype is complex."""
    return torch.is_complex(input)


def is_floating_point(input: Any) -> bool:
    """Return whether the dtype is a float."""
    return torch.is_floating_point(input)


def is_nonzero(input: Any) -> bool:
    """Return whether the only element is not zero."""
    return bool(input)


def eps(x: Any) -> Any:
    """Return a tensor like ``x`` filled with the smallest step above 1 in its dtype."""
    return wrap(torch.full_like(x, torch.finfo(x.dtype).eps))


__all__ = """
    abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bessel_i0
    bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0
    bessel_y1 bitwise_not ceil conj cos cosh deg2rad digamma eps erf erfc erfinv exp exp2 expm1 floor frac i0 imag
    invert is_complex is_floating_point is_nonzero isfinite isinf isnan isneginf isposinf isreal lgamma log log10
    log1p log2 logical_not logit mvlgamma nan_to_num neg negative polygamma population_count positive rad2deg real
    reciprocal rint round rsqrt sgn sign signbit sin sinc sinh sqrt square tan trunc view_as_real
""".split()
