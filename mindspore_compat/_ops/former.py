"""Operators and call forms of earlier releases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat._ops.adapt import to_dtype
from mindspore_compat._ops.creation import meshgrid
from mindspore_compat._ops.declare import classes, functions, primitive, primitive_class
from mindspore_compat._ops.elementwise import add
from mindspore_compat._ops.grad_func import vjp
from mindspore_compat._ops.grad_operation import GradOperation
from mindspore_compat._ops.indexing import TensorScatterElements
from mindspore_compat._ops.linalg import lp_norm, matmul
from mindspore_compat._ops.normalization import batch_norm_outputs
from mindspore_compat._ops.other import hastype
from mindspore_compat._ops.pooling import avg_pool2d_before_2_0
from mindspore_compat._ops.reduction import argmax
from mindspore_compat._ops.shape import stack
from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import _issubclass_

_Run = Callable[..., Any]


def argmax_before_2_0(x: Any, axis: Any = -1, output_type: Any = torch.int32) -> Any:
    """Return the index of the maximum in a dtype (1.9)."""
    return wrap(to_dtype(argmax(x, axis), output_type))


def grad_before_2_0(fn: Any, grad_first_param: bool = False) -> Any:
    """Return the gradient by the first argument, or by all (1.5)."""
    return GradOperation(get_all=not grad_first_param)(fn)


def matmul_before_2_0(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return the product in a dtype (1.3 to 1.8)."""
    product = matmul(x1, x2)
    return product if dtype is None else wrap(to_dtype(product, dtype))


def median_before_2_0(x: Any, global_median: bool = False, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (the median of all or along ``axis``, its index) (1.9)."""
    return wrap(tuple(torch.median(torch.flatten(x), 0) if global_median else torch.median(x, axis, keep_dims)))


def norm_before_2_0(input_x: Any, axis: Any = None, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Any:
    """Return the p-norm of all elements along the axes (1.9)."""
    return lp_norm(input_x, tuple(range(input_x.dim())) if axis is None else axis, p, keep_dims, epsilon)


def vjp_before_2_0(fn: Any, inputs: Any, v: Any) -> Any:
    """Return (outputs, gradients of ``inputs`` for those of the outputs, ``v``) (1.7 to 1.9)."""
    several = isinstance(inputs, (tuple, list))
    outputs, gradients = vjp(fn, *(inputs if several else (inputs,)))
    found = gradients(*(v if isinstance(v, (tuple, list)) else (v,)))
    return outputs, found if several else found[0]


def control_depend(src: Any, dst: Any, depend_mode: int = 0) -> Any:
    """Return the first (1.0, 1.1): the order of two operations is that of the program here."""
    return src


def isinstance_(inst: Any, type_: Any) -> bool:
    """Return whether a value is of a type or of its family (1.x)."""
    return hastype(inst, type_)


IsInstance = primitive_class("IsInstance", isinstance_)


def issubclass_(type_: Any, dtype: Any) -> bool:
    """Return whether a type is another or of its family (1.x)."""
    return _issubclass_(type_, dtype)


IsSubClass = primitive_class("IsSubClass", issubclass_)


def meshgrid_before_2_0(inputs: Any, indexing: str = "xy") -> Any:
    """Return coordinate grids of a tuple of tensors (1.9)."""
    return meshgrid(*inputs, indexing=indexing)


def pack(x: Any, axis: int = 0) -> Any:
    """Run `stack` (1.x)."""
    return stack(x, axis)


def same_type_shape(input_x: Any, input_y: Any) -> Any:
    """Return ``input_x``, after a check that ``input_y`` has its dtype and shape (1.x)."""
    if input_x.dtype is not input_y.dtype or input_x.shape != input_y.shape:
        raise TypeError(
            f"For 'SameTypeShape', both must have one dtype and shape, but got {input_x.dtype}, {input_x.shape} and "
            f"{input_y.dtype}, {input_y.shape}."
        )
    return input_x


SameTypeShape = primitive_class("SameTypeShape", same_type_shape)


#: function -> what it was, where a type that today's does not take there chooses that, and the keywords that do
FORMER: dict[str, tuple[Any, int, Any, str]] = {
    "argmax": (argmax_before_2_0, 2, torch.dtype, "output_type"),
    "avg_pool2d": (avg_pool2d_before_2_0, 3, str, "x strides pad_mode data_format"),
    "grad": (grad_before_2_0, 1, bool, "grad_first_param"),
    "matmul": (matmul_before_2_0, 0, (), "dtype"),
    "median": (median_before_2_0, 1, bool, "global_median keep_dims"),
    "meshgrid": (meshgrid_before_2_0, 0, (), "inputs"),
    "norm": (norm_before_2_0, 0, (), "axis p keep_dims epsilon"),
    "vjp": (vjp_before_2_0, 0, (), "inputs v"),
}

#: functions that 2.10 has no more -> where they are: for `module_getattr`
_NAMES = {
    **dict.fromkeys("control_depend isinstance_ issubclass_ pack same_type_shape".split(), "_ops.former"),
    "argmax_ext": "mint:argmax",
    "ms_function": "common.api",
    "neg_tensor": "ops.function:neg",
    "random_shuffle": "ops.function:shuffle",
    "reduce_prod": "_ops.reduction:reduce_prod",
    "shard": "parallel.shard",
    "sparse_add": "ops.function:coo_add",
    "sparse_concat": "ops.function:coo_concat",
    **{
        f"sparse_tensor_get_{part}": f"ops.function:coo_tensor_get_{part}"
        for part in ("indices", "values", "dense_shape")
    },
}


@primitive
def ControlDepend(depend_mode: int = 0) -> _Run:
    """The order of two operations (1.0, 1.1), which is that of the program here; gives the first."""
    return lambda src, dst: src


@primitive
def FusedBatchNorm(mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW") -> _Run:
    """(y, moving mean, moving variance, and two reserved) of a training step (1.0, 1.1)."""

    def run(x: Any, scale: Any, b: Any, mean: Any, variance: Any) -> Any:
        y, _, _, *reserved = batch_norm_outputs(x, scale, b, mean, variance, True, epsilon, momentum, data_format)
        return (y, mean, variance, *reserved)

    return run


@primitive
def FusedBatchNormEx(mode: int = 0, epsilon: float = 1e-5, momentum: float = 0.1, data_format: str = "NCHW") -> _Run:
    """`FusedBatchNorm` with a third reserved output."""
    inner = FusedBatchNorm(mode, epsilon, momentum, data_format)
    return lambda *inputs: (*(outputs := inner(*inputs)), outputs[-1])


AddV2 = primitive_class("AddV2", add)
ScatterElements = TensorScatterElements

__all__ = functions(globals())
PRIMITIVES = classes(globals())
