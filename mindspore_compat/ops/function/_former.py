"""Functions with the signatures of earlier releases, selected by their keywords."""

from __future__ import annotations

from typing import Any

import torch

from mindspore_compat._tensor.wrapping import wrap
from mindspore_compat.common.dtype import _issubclass_
from mindspore_compat.ops._adapt import to_dtype
from mindspore_compat.ops.function._creation import meshgrid as _meshgrid
from mindspore_compat.ops.function._joining import stack
from mindspore_compat.ops.function._norms import lp_norm
from mindspore_compat.ops.function._pooling import avg_pool2d_before_2_0
from mindspore_compat.ops.function._reduction import argmax as _argmax
from mindspore_compat.ops.function.grad import vjp as _vjp
from mindspore_compat.ops.function.grad._operation import GradOperation
from mindspore_compat.ops.function.linalg_func import matmul as _matmul
from mindspore_compat.ops.function.other_func import hastype

__all__ = ["FORMER", "NAMES"]


def argmax(x: Any, axis: Any = -1, output_type: Any = torch.int32) -> Any:
    """Return the index of the maximum in a dtype (1.9)."""
    return wrap(to_dtype(_argmax(x, axis), output_type))


def grad(fn: Any, grad_first_param: bool = False) -> Any:
    """Return the gradient by the first argument, or by all (1.5)."""
    return GradOperation(get_all=not grad_first_param)(fn)


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """Return the product in a dtype (1.3 to 1.8)."""
    product = _matmul(x1, x2)
    return product if dtype is None else wrap(to_dtype(product, dtype))


def median(x: Any, global_median: bool = False, axis: int = 0, keep_dims: bool = False) -> Any:
    """Return (the median of all or along ``axis``, its index) (1.9)."""
    return wrap(tuple(torch.median(torch.flatten(x), 0) if global_median else torch.median(x, axis, keep_dims)))


def norm(input_x: Any, axis: Any = None, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12) -> Any:
    """Return the p-norm of all elements along the axes (1.9)."""
    return lp_norm(input_x, tuple(range(input_x.dim())) if axis is None else axis, p, keep_dims, epsilon)


def vjp(fn: Any, inputs: Any, v: Any) -> Any:
    """Return (outputs, gradients of the inputs) (1.7 to 1.9)."""
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    outputs, gradients = _vjp(fn, *inputs)
    found = gradients(*v) if isinstance(v, (tuple, list)) else gradients(v)
    return outputs, found if len(inputs) > 1 else found[0]


def control_depend(src: Any, dst: Any, depend_mode: int = 0) -> Any:
    """Return the first (1.0, 1.1): the order of two operations is that of the program here."""
    return src


def isinstance_(inst: Any, type_: Any) -> bool:
    """Return whether a value is of a type or of its family (1.x)."""
    return hastype(inst, type_)


def issubclass_(type_: Any, dtype: Any) -> bool:
    """Return whether a type is another or of its family (1.x)."""
    return _issubclass_(type_, dtype)


def meshgrid(inputs: Any, indexing: str = "xy") -> Any:
    """Return coordinate grids of a tuple of tensors (1.9)."""
    return _meshgrid(*inputs, indexing=indexing)


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


#: function -> what it was, where a type that today's does not take there chooses that, and the keywords that do
FORMER: dict[str, tuple[Any, int, Any, str]] = {
    "argmax": (argmax, 2, torch.dtype, "output_type"),
    "avg_pool2d": (avg_pool2d_before_2_0, 3, str, "x strides pad_mode data_format"),
    "grad": (grad, 1, bool, "grad_first_param"),
    "matmul": (matmul, 0, (), "dtype"),
    "median": (median, 1, bool, "global_median keep_dims"),
    "meshgrid": (meshgrid, 0, (), "inputs"),
    "norm": (norm, 0, (), "axis p keep_dims epsilon"),
    "vjp": (vjp, 0, (), "inputs v"),
}

#: functions that 2.10 has no more -> where they are: for `module_getattr`
NAMES = {
    **dict.fromkeys("control_depend isinstance_ issubclass_ pack same_type_shape".split(), "ops.function._former"),
    "argmax_ext": "mint:argmax",
    "ms_function": "common.api",
    "neg_tensor": "ops.function:neg",
    "random_shuffle": "ops.function:shuffle",
    "reduce_prod": "ops.function:reduce_prod",
    "shard": "parallel.shard",
    "sparse_add": "ops.function:coo_add",
    "sparse_concat": "ops.function:coo_concat",
    **{
        f"sparse_tensor_get_{part}": f"ops.function:coo_tensor_get_{part}"
        for part in ("indices", "values", "dense_shape")
    },
}
