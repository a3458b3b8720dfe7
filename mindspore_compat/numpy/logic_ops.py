"""Comparisons and logic as in numpy. MindSpore: ``mindspore.numpy.logic_ops``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._ops.declare import op
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.numpy.utils import as_tensor, axes_of, cast, number_of
from mindspore_compat.ops import function as F

_COMPARISONS: dict[str, Callable[..., Any]] = {
    "equal": F.equal,
    "not_equal": F.not_equal,
    "less": F.less,
    "less_equal": F.less_equal,
    "greater": F.greater,
    "greater_equal": F.greater_equal,
    "logical_and": F.logical_and,
    "logical_or": F.logical_or,
    "logical_xor": F.logical_xor,
}
_TESTS: dict[str, Callable[..., Any]] = {
    "isfinite": torch.isfinite,
    "isinf": torch.isinf,
    "isnan": torch.isnan,
    "logical_not": torch.logical_not,
}


def _comparison(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x1: Any, x2: Any, dtype: Any = None) -> Any:
        return cast(function(wrap(as_tensor(x1)), wrap(as_tensor(x2))), dtype)

    op.__name__, op.__doc__ = name, f"numpy's ``{name}``, element by element."
    return op


def _test(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def op(x: Any, dtype: Any = None) -> Any:
        return cast(function(as_tensor(x)), dtype)

    op.__name__, op.__doc__ = name, f"numpy's ``{name}``, element by element."
    return op


globals().update({name: _comparison(name, function) for name, function in _COMPARISONS.items()})
globals().update({name: _test(name, function) for name, function in _TESTS.items()})
globals()["logical_not"] = op(
    globals()["logical_not"], name="logical_not", shown="a", fallback=False
)  # MindSpore's name

__all__ = [
    *_COMPARISONS,
    *_TESTS,
    *"""
    isneginf isposinf isclose isscalar isin in1d array_equal array_equiv sometrue
    """.split(),
]


def isneginf(x: Any) -> Any:
    """Return whether it is -inf."""
    return wrap(torch.isneginf(as_tensor(x)))


def isposinf(x: Any) -> Any:
    """Return whether it is +inf."""
    return wrap(torch.isposinf(as_tensor(x)))


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether |a - b| <= atol + rtol |b|."""
    left, right = as_tensor(a), as_tensor(b)
    common = torch.promote_types(left.dtype, right.dtype)
    return wrap(torch.isclose(torch.Tensor.to(left, common), torch.Tensor.to(right, common), rtol, atol, equal_nan))


def isscalar(element: Any) -> bool:
    """Return whether it is a Python number or str."""
    return isinstance(element, (int, float, bool, complex, str))


def isin(element: Any, test_elements: Any, invert: bool = False) -> Any:
    """Return whether each element is among the others."""
    given = [number_of(as_tensor(item)) for item in (element, test_elements)]  # torch's takes no bools
    return wrap(torch.isin(*given, invert=bool(invert)))


def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Any:
    """Return `isin` of the flattened input."""
    return isin(torch.reshape(as_tensor(ar1), (-1,)), ar2, invert)


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Return whether shapes and elements are equal."""
    left, right = as_tensor(a1), as_tensor(a2)
    if tuple(left.shape) != tuple(right.shape):
        return wrap(torch.tensor(False, device=left.device))
    same = torch.eq(left, right)
    if equal_nan:
        same = same | (torch.isnan(left) & torch.isnan(right))
    return wrap(torch.all(same))


def array_equiv(a1: Any, a2: Any) -> Any:
    """Return whether elements are equal after broadcasting."""
    try:
        left, right = torch.broadcast_tensors(as_tensor(a1), as_tensor(a2))
    except RuntimeError:
        return wrap(torch.tensor(False, device=as_tensor(a1).device))
    return wrap(torch.all(torch.eq(left, right)))


def sometrue(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element over an axis is true."""
    source = as_tensor(a).to(torch.bool)
    return wrap(torch.any(source, tuple(range(source.dim())) if axis is None else axes_of(axis), bool(keepdims)))
