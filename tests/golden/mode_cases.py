"""Tensor's methods with the calls that are made of them in both of MindSpore's modes: ``make_modes.py`` runs them under
real MindSpore, ``tests/common/test_modes_of_methods.py`` under ours.

A case is (method, arguments as text, kind of the tensor); `arrays` gives what the texts name.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["KINDS", "NAMES", "PROPERTIES", "arrays", "calls", "same", "shown", "source"]

NAMES = """
    H T abs absolute acos acosh add add_ addbmm addcdiv addcmul addmm addmm_ addmv addr adjoint all allclose
    amax amin aminmax angle any approximate_equal arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax
    argmax_with_value argmin argmin_with_value argsort argwhere asin asinh asnumpy astype atan atan2 atanh
    baddbmm bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor bmm bool broadcast_to byte ceil cholesky cholesky_inverse cholesky_solve choose chunk clamp
    clamp_ clip clone col2im conj contiguous copy copy_ copysign cos cosh count_nonzero cov cross cummax cummin
    cumprod cumsum data deg2rad det diag diagflat diagonal diagonal_scatter diff digamma dim div div_ divide dot
    double dsplit dtype eigvals eq equal erf erfc erfinv erfinv_ exp exp_ expand expand_as expand_dims expm1
    fill fill_ fill_diagonal fill_diagonal_ fills flatten flip fliplr flipud float float_power floor floor_
    floor_divide floor_divide_ fmax fmin fmod fold frac gather gather_elements gather_nd gcd ge geqrf ger
    greater greater_equal gt half hardshrink heaviside histc hsplit hypot i0 igamma igammac imag index index_add
    index_add_ index_copy_ index_fill index_fill_ index_put index_put_ index_select inner inplace_update int inv
    inverse invert is_complex is_contiguous is_floating_point is_init is_meta is_signed isclose isfinite isinf
    isnan isneginf isposinf isreal item itemset itemsize kthvalue lcm ldexp le lerp less less_equal lgamma log
    log10 log1p log2 log_ log_matrix_determinant logaddexp logaddexp2 logcumsumexp logdet logical_and
    logical_not logical_or logical_xor logit logsumexp long lstsq lt lu_solve mH mT masked_fill masked_fill_
    masked_scatter masked_scatter_ masked_select matmul matrix_determinant matrix_power max maximum mean median
    min minimum mm moveaxis movedim msort mul mul_ multiply mvlgamma nan_to_num nanmean nanmedian nanquantile
    nansum narrow nbytes ndim ndimension ne neg negative nelement new_empty new_full new_ones new_zeros
    nextafter nonzero norm not_equal numel numpy orgqr ormqr outer permute positive pow prod ptp put_ qr
    quantile rad2deg ravel real reciprocal remainder remainder_ renorm repeat repeat_interleave requires_grad_
    reshape reshape_as resize reverse reverse_sequence roll rot90 round rsqrt scatter scatter_ scatter_add
    scatter_add_ scatter_div scatter_max scatter_min scatter_mul scatter_sub searchsorted select select_scatter
    set_ sgn shape short sigmoid sigmoid_ sign sign_ signbit sin sinc sinh size slice_scatter slogdet
    soft_shrink softmax sort split sqrt square squeeze std storage_offset stride strides sub sub_ subtract sum
    sum_to_size svd swapaxes swapdims t take tan tanh tanh_ tensor_split tile to to_ to_coo to_csr tolist top_k
    topk trace transpose triangular_solve tril triu true_divide trunc type type_as unbind unfold unique
    unique_consecutive unique_with_pad unsorted_segment_max unsorted_segment_min unsorted_segment_prod unsqueeze
    value var view view_as vsplit where xdivy xlogy zero_
""".split()
PROPERTIES = frozenset("H T data dtype imag is_init itemsize mH mT nbytes ndim real shape size strides".split())
KINDS = {"F": np.float32, "I": np.int32, "B": np.bool_}
_SQUARE = frozenset(
    """
    addmm adjoint baddbmm bmm cholesky cholesky_inverse cholesky_solve det eigvals geqrf inverse
    log_matrix_determinant logdet lstsq lu_solve matmul matrix_determinant matrix_power mm qr slogdet svd trace
    triangular_solve
    """.split()
)
_VECTOR = frozenset("addr bincount diag diagflat dot ger inner outer".split())
#: tried with every method
_COMMON = """
(none)
0
1
-1
2
(0, 1)
[0, 1]
None
0, True
0, keepdims=True
0, keep_dims=True
0, keepdim=True
axis=0
axis=-1
axis=(0, 1)
axis=None
dim=0
dim=(0, 1)
dim=None
axis=0, keepdims=True
axis=0, keep_dims=True
dim=0, keepdim=True
keepdims=True
keepdim=True
keep_dims=True
2.0
True
y
other=y
other=2
dtype=ms.float16
ms.float16
0, 1
1, 0
0, y
i
0, i
i, 0
b
b, 1
b, y
b, 1.5
0, dtype=ms.float16
axis=0, dtype=ms.float16
dim=0, dtype=ms.float16
(3, 2)
3, 2
""".split("\n")[1:-1]
#: tried with one method: "name: call | call"
_OWN = {
    name: own.split(" | ")
    for name, _, own in (
        line.partition(": ") for line in Path(__file__).with_suffix(".txt").read_text().split("\n") if line
    )
}


def calls(name: str) -> list[str | None]:
    """The arguments to try, None for a property."""
    if name in PROPERTIES:
        return [None]
    common = ["" if item == "(none)" else item for item in _COMMON]
    return list(dict.fromkeys([*common, *_OWN.get(name, ())]))


def source(name: str, call: str | None) -> str:
    """The body of a function of x, y, b, i, j, k, w, v."""
    return f"return x.{name}" + ("" if call is None else f"({call})")


def arrays(name: str, kind: str) -> list[np.ndarray]:
    """x, y (alike), b (bools like x), i, j, k (indices), w (like x), v (three of its values)."""
    shape = (3, 3) if name in _SQUARE else (4,) if name in _VECTOR else (2, 3)
    rng = np.random.default_rng(3)

    def make() -> np.ndarray:
        values: Any = rng.integers(-4, 8, shape)
        if kind == "F":
            values = values + rng.integers(0, 4, shape) / 4
        return (values > 1 if kind == "B" else values).astype(KINDS[kind])

    x, y, w = make(), make(), make()
    v = make().reshape(-1)[:3]
    if name in ("cholesky", "cholesky_inverse", "logdet") and kind == "F":
        x = (x @ x.T + np.eye(3)).astype(np.float32)
    b = rng.integers(0, 2, shape).astype(bool)
    j = rng.integers(0, shape[-1], shape).astype(np.int64)
    return [x, y, b, np.array([1, 0], np.int32), j, np.array([[1], [0]], np.int32), w, v]


def shown(value: Any) -> Any:
    """A result as JSON: ["T", dtype, shape, values] of a Tensor, [type, parts] of a tuple or list."""
    if hasattr(value, "asnumpy"):
        try:
            found = value.asnumpy()
        except (RuntimeError, TypeError, ValueError):
            return ["T?", _dtype(value), list(value.shape)]
        flat = found.reshape(-1)[:60]
        if found.dtype.kind == "c":
            return ["T", _dtype(value), list(value.shape), [[float(item.real), float(item.imag)] for item in flat]]
        return ["T", _dtype(value), list(value.shape), [item.item() * 1 for item in flat]]
    if isinstance(value, (tuple, list)):
        return [type(value).__name__ if type(value) in (tuple, list) else "tuple", *map(shown, value)]
    if isinstance(value, (bool, int, float, str, type(None))):
        return [type(value).__name__, value]
    return ["?", type(value).__name__]


def _dtype(value: Any) -> str:
    return str(value.dtype).replace("torch.", "").lower()


def same(one: Any, other: Any) -> bool:
    """Whether two results are alike, numbers to 1e-4."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other or (one != one and other != other) or abs(one - other) <= 1e-4 * max(1.0, abs(one))
    return str(one).lower() == str(other).lower()
