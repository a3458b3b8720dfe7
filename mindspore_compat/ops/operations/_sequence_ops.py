"""Operators of Python's tuples and lists, which upstream keeps in ``mindspore.ops.operations._sequence_ops`` for its
compiler; others are found here as in any of its files.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.common.tensor import tensor
from mindspore_compat.ops import function as F
from mindspore_compat.ops._declare import Int, plain, primitive

_Run = Callable[..., Any]


# --- parts, sums, products of sequences -------------------------------------------------------------------------------


def _slice(sequence: Any, start: Any, stop: Any, step: Any) -> Any:
    """``sequence[start:stop:step]``"""
    return sequence[int(start) : int(stop) : int(step)]


def _set_slice(sequence: Any, target: Any, start: Any, stop: Any, step: Any) -> Any:
    """The sequence with ``[start:stop:step]`` set to those of ``target``."""
    items = list(sequence)
    items[int(start) : int(stop) : int(step)] = target
    return type(sequence)(items)


def _slice_gradient(dy: Any, x: Any, start: Any, stop: Any, step: Any) -> Any:
    """The gradient of a slice of ``x``: zeros, but for ``dy`` where the slice was taken."""
    return _set_slice(type(x)(_zeros(x)), dy, start, stop, step)


def _offsets(x: Any, y: Any) -> Any:
    """Where each of two sequences begins in their sum."""
    return 0, len(x)


def _index(sequence: Any, target: Any, start: Any = None, end: Any = None) -> int:
    """The first place of ``target`` between start and end.

    Raises:
        TypeError: without start and end. ValueError: if it is not there.
    """
    return sequence.index(target, start, end)


def _zeros(sequence: Any) -> Any:
    """As many zeros, each of its element's kind."""
    return type(sequence)(
        F.zeros_like(item) if isinstance(item, torch.Tensor) else _zeros(item) if isinstance(item, (tuple, list))
        else type(item)(0) for item in sequence
    )  # fmt: skip


def _appended(sequence: Any, item: Any) -> Any:
    """A new sequence with one more."""
    return [*sequence, item] if isinstance(sequence, list) else (*sequence, item)


def _inserted(sequence: Any, place: Any, item: Any) -> Any:
    """A new sequence with one more before ``place``."""
    items = list(sequence)
    items.insert(int(place), item)
    return type(sequence)(items)


def _product(sequence: Sequence[int]) -> int:
    """The product of a shape."""
    result = 1
    for item in sequence:
        result *= item
    return result


_FUNCTIONS: dict[str, _Run] = {
    "SequenceSlice": _slice,
    "SequenceSliceSetItem": _set_slice,
    "SequenceSliceGrad": _slice_gradient,
    "SequenceAdd": lambda x, y: x + y,
    "SequenceAddOffset": _offsets,
    "SequenceMul": lambda sequence, scalar: sequence * scalar,
    "SequenceCount": lambda sequence, target: sequence.count(target),
    "SequenceIndex": _index,
    "SequenceMax": lambda sequence: max(sequence),
    "SequenceMin": lambda sequence: min(sequence),
    "SequenceZerosLike": _zeros,
    "SequenceAddN": lambda sequence: F.addn(sequence),
    "InSequence": lambda target, sequence: target in sequence,
    "ListAppend": _appended,
    "ListInsert": _inserted,
    "make_range": lambda start, limit, delta: range(start, limit, delta),
    "sequence_len": len,
    "shape_mul": _product,
    **{
        f"{kind}_{name}": compare
        for kind in ("tuple", "list")
        for name, compare in (
            ("equal", operator.eq), ("lt", operator.lt), ("le", operator.le), ("greater_than", operator.gt),
            ("greater_equal", operator.ge),
        )
    },
}  # fmt: skip


# --- tensors of sequences ---------------------------------------------------------------------------------------------


@primitive
def SequenceConcat(axis: Int = 0) -> _Run:
    """The tensors of a sequence one behind the other along an axis.

    Raises:
        ValueError: for an axis that they do not have, and for shapes that differ elsewhere.
    """

    def run(x: Any) -> Any:
        dims = x[0].dim()
        if not -dims <= axis < dims:
            raise ValueError(
                f"For primitive[SequenceConcat], the axis value must be in [{-dims},{dims}), but got {axis}."
            )
        shapes = [(*item.shape[: axis % dims], *item.shape[axis % dims + 1 :]) for item in x]
        if any(shape != shapes[0] for shape in shapes):
            raise ValueError(
                "For primitive[SequenceConcat], shapes of tensors must match except in given concat axis "
                f"{axis}, but got {[tuple(item.shape) for item in x]}."
            )
        return F.concat(x, axis)

    return run


@primitive
def SequenceStack(axis: Int = 0) -> _Run:
    """The tensors of a sequence side by side along a new axis."""
    return lambda x: F.stack(x, axis)


@primitive
def SequenceUnstack(axis: Int = 0, num: int | None = None) -> _Run:
    """A tensor's parts along an axis, as a tuple."""

    def run(x: Any) -> Any:
        parts = F.unbind(x, axis)
        if num is not None and num != len(parts):
            raise ValueError(f"For 'SequenceUnstack', the 'num' must be {len(parts)}, but got {num}.")
        return parts

    return run


def _tuple_tensor(x: Any, dtype: Any) -> Any:
    """A tensor of this dtype of a tuple of numbers."""
    if not isinstance(x, tuple):
        raise RuntimeError(f"For 'TupleToTensor', the input must be a tuple, but got {x}.")
    return F.cast(tensor(x), dtype)


def _list_tensor(x: Any, dtype: Any) -> Any:
    """A tensor of this dtype of a list of numbers."""
    if not isinstance(x, list):
        raise RuntimeError(f"For 'ListToTensor', the input must be list, but got {x}.")
    return F.cast(tensor(x), dtype)


def _scalar(input_tensor: Any) -> Any:
    """The number that a Tensor without axes holds.

    Raises:
        TypeError: for what is no Tensor. ValueError: for one with axes.
    """
    if not isinstance(input_tensor, torch.Tensor):
        raise TypeError(
            f"For Primitive[TensorToScalar], the input argument[input] must be a Tensor, but got {input_tensor}."
        )
    if input_tensor.dim():
        raise ValueError(
            f"For Primitive[TensorToScalar], the input argument[input] must be a 0-D Tensor, but got "
            f"{input_tensor.dim()}-D."
        )
    return input_tensor.item()


_FUNCTIONS |= {
    "TupleToTensor": _tuple_tensor,
    "ListToTensor": _list_tensor,
    "TensorToList": lambda x: x.tolist() if x.dim() else [x.item()],
    "TensorToScalar": _scalar,
}
_CLASSES = {name: plain(name, function, __name__) for name, function in _FUNCTIONS.items()}
globals().update(_CLASSES)
__all__ = [*_CLASSES, "SequenceConcat", "SequenceStack", "SequenceUnstack"]

__getattr__ = module_getattr(__name__, fallback="ops.auto_generate.gen_ops_prim")
