"""Operators in class form that earlier releases had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.function import _former

__all__ = """
    ControlDepend FusedBatchNorm FusedBatchNormEx IsInstance IsSubClass SameTypeShape ScatterElements
""".split()


@primitive
def ControlDepend(depend_mode: int = 0) -> Callable[..., Any]:
    """The order of two operations (1.0, 1.1), which is that of the program here; gives the first."""
    return lambda src, dst: src


@primitive
def FusedBatchNorm(mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1) -> Callable[..., Any]:
    """(y, moving mean, moving variance, and two reserved) of a training step (1.0, 1.1)."""

    def run(x: Any, scale: Any, b: Any, mean: Any, variance: Any) -> Any:
        y, _, _, *reserved = F.batch_norm_outputs(x, scale, b, mean, variance, True, epsilon, momentum)
        return (y, mean, variance, *reserved)

    return run


@primitive
def FusedBatchNormEx(
    mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW"
) -> Callable[..., Any]:
    """`FusedBatchNorm` with a third reserved output."""

    def run(x: Any, scale: Any, b: Any, mean: Any, variance: Any) -> Any:
        found = F.batch_norm_outputs(x, scale, b, mean, variance, True, epsilon, momentum, data_format)
        y, _, _, *reserved = found
        return (y, mean, variance, *reserved, reserved[-1])

    return run


@primitive
def ScatterElements(axis: int = 0) -> Callable[..., Any]:
    """A copy with elements replaced (1.7)."""
    return lambda x, indices, updates: F.tensor_scatter_elements(x, indices, updates, axis)


SameTypeShape = plain("SameTypeShape", _former.same_type_shape)
IsSubClass = plain("IsSubClass", _former.issubclass_)
IsInstance = plain("IsInstance", _former.isinstance_)
