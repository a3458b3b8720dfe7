"""Operations on any data. MindSpore: ``mindspore.dataset.transforms.transforms``."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, dtype_like, kind_of, own_dtype, real
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32
from mindspore_compat.dataset.transforms._compound import Compose, RandomApply, RandomChoice, RandomOrder
from mindspore_compat.dataset.transforms._operation import PyTensorOperation, TensorOperation

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "not_random",
]


def not_random(function: Callable) -> Callable:
    """Mark a function as deterministic; kept for scripts that use MindSpore's cache."""
    function.random = False  # type: ignore[attr-defined]
    return function


class Relational(IntEnum):
    """Comparison of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARISONS = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


@arguments
class TypeCast(TensorOperation):
    """The input as `data_type` (a MindSpore or NumPy dtype, or a name).

    Examples:
        >>> print(ds.transforms.TypeCast(ms.float32)(np.array([1, 2])).dtype)
        float32
    """

    has_block = True
    is_pointwise = True

    data_type: Annotated[Any, dtype_like]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if array.dtype.kind in "US" and self.data_type.kind not in "US":
            kind = "string" if array.dtype.kind == "U" else "bytes"
            raise RuntimeError(f"TypeCast: TypeCast does not support cast from {kind} to {self.data_type}")
        if self.data_type.kind in "ui" and self.data_type.itemsize < 8 and array.dtype.kind == "f":
            # In C a float outside the range is undefined; MindSpore's converts through the next larger integer.
            if self.data_type == np.uint32:
                array = array.astype(np.int64)
            else:
                fits = (array > -(2**31) - 1) & (array < 2**31)
                array = np.where(fits, array, np.float64(-(2**31))).astype(np.int32)
        return array.astype(self.data_type, copy=False)

    _compute_block = _compute


@arguments
class OneHot(TensorOperation):
    """A label, or a vector of labels, as one-hot rows of its own dtype (float64 with smoothing).

    Args:
        num_classes: must be larger than the largest label.
        smoothing_rate: part of the weight that is spread over all classes.
    """

    has_block = True

    num_classes: Annotated[int, check_pos_int32]
    smoothing_rate: Annotated[float, real(0.0, 1.0)] = 0.0

    def _prepare(self) -> None:
        self.smoothing_rate = float(self.smoothing_rate)

    def _compute(self, labels: np.ndarray) -> np.ndarray:
        labels = np.squeeze(labels)
        if labels.ndim > 1:
            raise RuntimeError(f"OneHot: Only support scalar or 1D input, got rank: {labels.ndim}.")
        return self._compute_block(labels)

    def _compute_block(self, labels: np.ndarray) -> np.ndarray:
        if labels.dtype.kind not in "iu":
            raise RuntimeError(f"OneHot: Only support input of int type, but got: {labels.dtype}")
        if labels.ndim > 1:
            return np.stack([self._compute(row) for row in labels])
        if labels.size and (labels.max() >= self.num_classes or labels.min() < 0):
            raise RuntimeError(f"OneHot: labels {labels.min()} to {labels.max()} are not in [0, {self.num_classes}).")
        if not self.smoothing_rate:
            return np.eye(self.num_classes, dtype=labels.dtype)[labels]
        rows = np.full((*labels.shape, self.num_classes), self.smoothing_rate / self.num_classes)
        np.put_along_axis(rows, labels[..., None].astype(np.int64), 1 - self.smoothing_rate + rows.flat[0], axis=-1)
        return rows


@arguments
class Fill(TensorOperation):
    """The input's shape and dtype, every element `fill_value`."""

    has_block = True

    fill_value: Annotated[Any, kind_of(str, float, bool, int, bytes)]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        is_text = isinstance(self.fill_value, (str, bytes))
        if is_text != (array.dtype.kind in "US"):
            raise RuntimeError(f"Fill: fill_value {self.fill_value!r} does not fit data of type {array.dtype}.")
        value = np.asarray(self.fill_value)
        return np.full(array.shape, value if is_text else value.astype(array.dtype))  # as C++ converts: modulo 2^n

    _compute_block = _compute


class Slice(TensorOperation):
    """Part of the input: for each axis an int, a list of ints, a slice, None or Ellipsis (all)."""

    def __init__(self, *slices: Any) -> None:
        self.slices = slices

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if self.slices == (...,) or self.slices == (None,):
            return array
        for axis, item in enumerate(self.slices):
            array = np.take(array, _axis_ids(item, array.shape[axis]), axis=axis)
        return array


def _axis_ids(item: Any, size: int) -> np.ndarray:
    if item is None or item is ...:
        return np.arange(size)
    if isinstance(item, slice):
        return np.arange(size)[item]
    ids = np.atleast_1d(np.asarray(item))
    if ((ids < -size) | (ids >= size)).any():
        raise RuntimeError(f"Slice: index {item} is out of the bounds of an axis of {size} elements.")
    return ids


def _check_numeric(data_type: Any, name: str) -> np.dtype:
    found = own_dtype(data_type, name)
    if found.kind not in "biuf":
        raise TypeError(f"dtype must be a numeric type, but got {data_type}.")
    return found


@arguments
class Mask(TensorOperation):
    """Mask of elements for which `operator` holds between input and `constant`, as `dtype`."""

    has_block = True

    operator: Annotated[Relational, kind_of(Relational)]
    constant: Annotated[Any, kind_of(str, float, bool, int, bytes)]
    dtype: Annotated[Any, _check_numeric] = np.bool_

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if (array.dtype.kind in "US") != isinstance(self.constant, (str, bytes)):
            raise RuntimeError(f"Mask: constant {self.constant!r} does not fit data of type {array.dtype}.")
        constant = self.constant
        if array.dtype.kind not in "US":  # in the type of the data, as in MindSpore: 2.5 may be 2, -1 255
            constant = np.asarray(constant).astype(array.dtype)
        return np.asarray(_COMPARISONS[self.operator](array, constant)).astype(self.dtype, copy=False)

    _compute_block = _compute


@arguments
class PadEnd(TensorOperation):
    """The input padded (or cut off) at the end of each axis; None in `pad_shape` leaves an axis unchanged."""

    pad_shape: Annotated[Any, kind_of(list)]
    pad_value: Annotated[Any, kind_of(str, float, bool, int, bytes)] = None

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if array.ndim == 0:
            return array
        if len(self.pad_shape) != array.ndim:
            raise RuntimeError(f"PadEnd: pad_shape has {len(self.pad_shape)} axes, the input {array.ndim}.")
        is_text = array.dtype.kind in "US"
        if self.pad_value is not None and is_text != isinstance(self.pad_value, (str, bytes)):
            raise RuntimeError(f"PadEnd: pad_value {self.pad_value!r} does not fit data of type {array.dtype}.")
        shape = [n if size is None else size for size, n in zip(self.pad_shape, array.shape, strict=True)]
        fill = self.pad_value if self.pad_value is not None else ("" if is_text else 0)
        dtype = np.result_type(array.dtype, np.asarray(fill).dtype) if is_text else array.dtype
        padded = np.full(shape, fill, dtype)
        box = tuple(slice(0, min(a, b)) for a, b in zip(shape, array.shape, strict=True))
        padded[box] = array[box]
        return padded


@arguments
class Concatenate(TensorOperation):
    """The inputs one after another, between `prepend` and `append`; along the first axis (0 or -1)."""

    is_multi_column = True

    axis: Annotated[int, kind_of(int)] = 0
    prepend: Any = None
    append: Any = None

    def _prepare(self) -> None:
        if self.axis not in (0, -1):
            raise ValueError(f"only 1D concatenation supported. Axis must be 0 or -1, but got {self.axis}.")

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        ends = [() if end is None else (np.asarray(end),) for end in (self.prepend, self.append)]
        parts = [np.atleast_1d(a) for a in (*ends[0], *arrays, *ends[1])]
        if any(part.ndim != 1 for part in parts):
            rank = next(part.ndim for part in parts if part.ndim != 1)
            raise RuntimeError(f"Concatenate: only 1D input supported, got rank of input: {rank}")
        if len({part.dtype.kind if part.dtype.kind in "US" else part.dtype for part in parts}) > 1:
            raise RuntimeError(f"Concatenate: input types must agree, but got {[str(p.dtype) for p in parts]}.")
        return np.concatenate(parts)


class Duplicate(TensorOperation):
    """The input twice: one column becomes two."""

    has_block = True

    def _compute(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return array, array.copy()

    _compute_block = _compute


class Unique(TensorOperation):
    """Flat unique elements in order of appearance; the new place of each element (int32); counts (int32)."""

    def _compute(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        _, first, inverse, counts = np.unique(array.ravel(), return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return array.ravel()[first[order]], rank[inverse.ravel()].astype(np.int32), counts[order].astype(np.int32)
