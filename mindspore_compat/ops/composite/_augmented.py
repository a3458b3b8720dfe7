"""Operators behind ``+=`` and the like, and helpers of MindSpore's compiler that work as functions. MindSpore:
``mindspore.ops.composite.multitype_ops`` and ``mindspore.ops.functional``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from mindspore_compat.ops import function as F
from mindspore_compat.ops.composite.base import HyperMap, MultitypeFuncGraph

__all__ = """
    augassign_add augassign_sub augassign_mul augassign_div augassign_floordiv augassign_mod hyper_add
    broadcast_gradient_args reduced_shape is_sequence_value_unknown is_sequence_shape_unknown
    is_dynamic_sequence_element_unknown switch_layer SliceGetItem
""".split()


def _graph(name: str, function: Callable[..., Any], plain: Callable[..., Any], **sparse: Callable[..., Any]) -> Any:
    """Return a function of pairs of ``sparse`` types, of ``function`` for other pairs with a Tensor, else of Python's
    operator.
    """

    def apply(x: Any, y: Any) -> Any:
        has_tensor = isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor)
        return function(x, y) if has_tensor else plain(x, y)

    made = MultitypeFuncGraph(name)
    for pair, own in sparse.items():
        made.register(*pair.split("_"))(own)
    made.register("Any", "Any")(apply)
    return made


augassign_add = _graph(
    "augassign_add",
    F.add,
    operator.add,
    RowTensor_Tensor=F.row_tensor_add,
    COOTensor_COOTensor=lambda x, y: F.coo_add(x, y, 0),
    CSRTensor_CSRTensor=lambda x, y: F.csr_add(x, y, 1, 1),
)
augassign_sub = _graph("augassign_sub", F.sub, operator.sub, CSRTensor_CSRTensor=lambda x, y: F.csr_add(x, y, 1, -1))
augassign_mul = _graph("augassign_mul", F.mul, operator.mul, CSRTensor_Tensor=F.csr_mul)
augassign_div = _graph("augassign_div", F.div, operator.truediv, CSRTensor_Tensor=F.csr_div)
augassign_floordiv = _graph("augassign_floordiv", F.floor_div, operator.floordiv)
augassign_mod = _graph("augassign_mod", F.floor_mod, operator.mod)


#: the sums of the leaves of two nested sequences
hyper_add = HyperMap(F.add)


def broadcast_gradient_args(x_shape: Any, y_shape: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes of the broadcast shape over which the gradient of each of two inputs is a sum."""
    size = max(len(x_shape), len(y_shape))
    shapes = [(1,) * (size - len(shape)) + tuple(shape) for shape in (x_shape, y_shape)]
    if any(one != other and 1 not in (one, other) for one, other in zip(*shapes)):
        raise RuntimeError(
            f"For 'broadcast_gradient_args', the shapes {tuple(x_shape)} and {tuple(y_shape)} do not broadcast."
        )
    first, second = (tuple(axis for axis, length in enumerate(shape) if length == 1) for shape in shapes)
    return first, second


def reduced_shape(shape: Any, axes: Any) -> tuple[int, ...]:
    """Return a shape with 1 for the axes of a reduction; () are all."""
    named = {axis % len(shape) for axis in axes} if axes else set(range(len(shape)))
    return tuple(1 if axis in named else size for axis, size in enumerate(shape))


def is_sequence_value_unknown(sequence: Any) -> bool:
    """Return False: elements are always known."""
    return False


def is_sequence_shape_unknown(sequence: Any) -> bool:
    """Return False: the length is always known."""
    return False


def is_dynamic_sequence_element_unknown(sequence: Any) -> bool:
    """Return False: elements are always known."""
    return False


def switch_layer(index: Any, layers: Any) -> Any:
    """Return the function of a tuple that a Tensor with an int32 index names."""
    return layers[int(index)]


def SliceGetItem(data: slice, name: str) -> Any:
    """The "start", "stop" or "step" of a slice."""
    return getattr(data, name)
