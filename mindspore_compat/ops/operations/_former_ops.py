"""Operators in class form that earlier releases had."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import plain, primitive
from mindspore_compat.ops.function import _former
from mindspore_compat.ops.operations._array_table import TensorScatterElements

__all__ = """
    AddV2 ControlDepend FusedBatchNorm FusedBatchNormEx IsInstance IsSubClass SameTypeShape ScatterElements
""".split()

_Run = Callable[..., Any]


@primitive
def ControlDepend(depend_mode: int = 0) -> _Run:
    """The order of two operations (1.0, 1.1), which is that of the program here; gives the first."""
    return lambda src, dst: src


@primitive
def FusedBatchNorm(mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW") -> _Run:
    """(y, moving mean, moving variance, and two reserved) of a training step (1.0, 1.1)."""

    def run(x: Any, scale: Any, b: Any, mean: Any, variance: Any) -> Any:
        y, _, _, *reserved = F.batch_norm_outputs(x, scale, b, mean, variance, True, epsilon, momentum, data_format)
        return (y, mean, variance, *reserved)

    return run


@primitive
def FusedBatchNormEx(mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW") -> _Run:
    """`FusedBatchNorm` with a third reserved output."""
    inner = FusedBatchNorm(mode, epsilon, momentum, data_format)
    return lambda *inputs: (*(outputs := inner(*inputs)), outputs[-1])


AddV2 = plain("AddV2", F.add)
ScatterElements = TensorScatterElements
SameTypeShape = plain("SameTypeShape", _former.same_type_shape)
IsSubClass = plain("IsSubClass", _former.issubclass_)
IsInstance = plain("IsInstance", _former.isinstance_)
