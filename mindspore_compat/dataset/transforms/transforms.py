"""Operations on any data. Upstream: ``mindspore.dataset.transforms.transforms``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, dtype_like, kind_of, real
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.randomness import current_rng
from mindspore_compat.dataset.core.validator_helpers import check_pos_int32, check_probability, type_check
from mindspore_compat.dataset.transforms._operation import (
    Composed,
    Implementation,
    PyTensorOperation,
    TensorOperation,
    apply_operations,
)

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
    """Mark a function as deterministic; kept for scripts that use upstream's cache."""
    function.random = False  # type: ignore[attr-defined]
    return function


class Relational(IntEnum):
    """How `Mask` compares."""

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
        if self.data_type.kind in "ui" and self.data_type.itemsize < 8 and array.dtype.kind == "f":
            # By way of int64: C leaves a float outside the range undefined, upstream wraps around.
            array = array.astype(np.int64)
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
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim > 1:
            raise RuntimeError(f"OneHot: OneHot only supports scalars or 1D input, but got rank: {labels.ndim}.")
        return self._compute_block(labels)

    def _compute_block(self, labels: np.ndarray) -> np.ndarray:
        if labels.dtype.kind not in "iu":
            raise RuntimeError(f"OneHot: OneHot does not support input of type {labels.dtype}; expected int.")
        if labels.ndim > 1:
            return np.stack([self._compute(row) for row in labels])
        if labels.size and (labels.max() >= self.num_classes or labels.min() < 0):
            raise RuntimeError(
                f"OneHot: index values should not be bigger than num classes: {self.num_classes}, but got: "
                f"{int(labels.max())} as largest and {int(labels.min())} as smallest."
            )
        if not self.smoothing_rate:
            return np.eye(self.num_classes, dtype=labels.dtype)[labels]
        rows = np.full((*labels.shape, self.num_classes), self.smoothing_rate / self.num_classes)
        np.put_along_axis(rows, labels[..., None].astype(np.int64), 1 - self.smoothing_rate + rows.flat[0], axis=-1)
        return rows


@arguments
class Fill(TensorOperation):
    """The input's shape and dtype, every element `fill_value`."""

    has_block = True

    fill_value: Annotated[Any, kind_of(str, bytes, float, bool, int)]

    def _compute(self, array: np.ndarray) -> np.ndarray:
        is_text = isinstance(self.fill_value, (str, bytes))
        if is_text != (array.dtype.kind in "US"):
            raise RuntimeError(f"Fill: a {type(self.fill_value).__name__} does not fit data of type {array.dtype}.")
        return np.full(array.shape, self.fill_value, None if is_text else array.dtype)

    _compute_block = _compute


class Slice(TensorOperation):
    """Part of the input: for each axis an int, a list of ints, a slice, None or Ellipsis (all)."""

    def __init__(self, *slices: Any) -> None:
        for item in slices:
            type_check(item, (int, list, slice, type(None), type(...)), "slices")
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
        ids = np.arange(size)[item]
        if len(ids) == 0 or ((item.step or 1) < 0 and item.start is None):
            raise RuntimeError(f"Slice: {item} selects nothing of an axis of {size} elements.")
        return ids
    ids = np.atleast_1d(np.asarray(item))
    if ((ids < -size) | (ids >= size)).any():
        raise RuntimeError(f"Slice: index {item} is out of the bounds of an axis of {size} elements.")
    return ids


def _check_numeric(data_type: Any, name: str) -> np.dtype:
    found = numpy_dtype(data_type)
    if found.kind not in "biuf":
        raise TypeError(f"dtype must be a numeric type, but got {data_type}.")
    return found


@arguments
class Mask(TensorOperation):
    """Where the input stands in `operator` to `constant`, as `dtype`."""

    has_block = True

    operator: Annotated[Relational, kind_of(Relational)]
    constant: Annotated[Any, kind_of(str, float, bool, int, bytes)]
    dtype: Annotated[Any, _check_numeric] = np.bool_

    def _compute(self, array: np.ndarray) -> np.ndarray:
        return _COMPARISONS[self.operator](array, self.constant).astype(self.dtype)

    _compute_block = _compute


@arguments
class PadEnd(TensorOperation):
    """The input filled up (or cut off) at the end of each axis; None in `pad_shape` leaves an axis as it is."""

    pad_shape: Annotated[Any, kind_of(list, tuple)]
    pad_value: Annotated[Any, kind_of(str, float, bool, int, bytes)] = None

    def _prepare(self) -> None:
        for size in self.pad_shape:
            if size is not None:
                check_pos_int32(size, "dim in pad_shape")
        self.pad_shape = list(self.pad_shape)

    def _compute(self, array: np.ndarray) -> np.ndarray:
        if len(self.pad_shape) != array.ndim:
            raise RuntimeError(f"PadEnd: rank of pad_shape {self.pad_shape} must be that of the data, {array.shape}.")
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
    prepend: Annotated[Any, kind_of(list, np.ndarray)] = None
    append: Annotated[Any, kind_of(list, np.ndarray)] = None

    def _prepare(self) -> None:
        if self.axis not in (0, -1):
            raise ValueError(f"only 1D concatenation supported: axis must be 0 or -1, but got {self.axis}.")

    def _compute(self, *arrays: np.ndarray) -> np.ndarray:
        ends = [() if end is None else (np.asarray(end),) for end in (self.prepend, self.append)]
        parts = [np.atleast_1d(a) for a in (*ends[0], *arrays, *ends[1])]
        if any(part.ndim != 1 for part in parts):
            raise RuntimeError("Concatenate: only 1D input is supported.")
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
    """Flat unique elements in order of appearance; where each element went (int32); how often each came (int32)."""

    def _compute(self, array: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if array.dtype.kind in "US":
            raise RuntimeError("Unique: string data is not supported.")
        _, first, inverse, counts = np.unique(array.ravel(), return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return array.ravel()[first[order]], rank[inverse.ravel()].astype(np.int32), counts[order].astype(np.int32)


def check_operations(operations: Any, name: str = "transforms") -> list[Any]:
    """A non-empty list of operations or functions. Raises: TypeError, ValueError."""
    type_check(operations, list, name)
    if not operations:
        raise ValueError(f"{name} can not be empty.")
    for i, operation in enumerate(operations):
        if inspect.isclass(operation) and issubclass(operation, TensorOperation):
            raise ValueError(f"{name}[{i}] is the class {operation.__name__}; it may be missing parentheses.")
        if not callable(operation):
            raise TypeError(f"{name}[{i}] is neither a transform op (TensorOperation) nor a callable pyfunc.")
    return operations


def as_engine(values: tuple) -> tuple:
    """`values` as upstream's engine hands them on: NumPy arrays. Raises: RuntimeError for what is no array."""
    arrays = tuple(value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value) for value in values)
    for value, array in zip(values, arrays):
        if array.dtype == object:
            raise RuntimeError(f"Invalid data: {type(value).__name__} is neither an array, a number nor a text.")
    return arrays


@arguments
class _Compound(TensorOperation):
    """Base of operations that apply others. In a pipeline, and where the operations are Python's or the one input is a
    PIL image, what comes in is handed on as it is; else a direct call makes arrays of it, and of what each step gives.
    """

    is_multi_column = True

    transforms: Annotated[Any, check_operations]

    def _prepare(self) -> None:
        self.releases_gil = any(isinstance(op, TensorOperation) and op.releases_gil for op in self.transforms)
        self.implementation = self._common_implementation()

    def _common_implementation(self) -> Implementation | None:
        told = [getattr(op, "implementation", Implementation.C) for op in self.transforms]
        known = {one for one in told if one is not None}
        return known.pop() if len(known) == 1 else Implementation.C if known and None not in told else None

    def __call__(self, *inputs: Any) -> Any:
        is_image = len(inputs) == 1 and hasattr(inputs[0], "getbands")
        if not inputs or is_image or self.implementation == Implementation.PY:
            return super().__call__(*inputs)
        results = self._as_arrays(*as_engine(inputs))
        return results[0] if len(results) == 1 else results

    def _as_arrays(self, *values: Any) -> tuple:
        return as_engine(self._apply(*values))

    def _as_input(self, value: Any) -> Any:
        return value

    def _inner(self) -> Sequence[Any]:
        return self.transforms


class Compose(_Compound, Composed):
    """`transforms` one after another. As upstream's: called directly on a PIL image, or with an operation of Python's
    among them (`ToPIL`, ``Decode(to_pil=True)``), it gives a tuple, also of one.
    """

    def _common_implementation(self) -> Implementation | None:
        in_python = any(getattr(op, "implementation", None) == Implementation.PY for op in self.transforms)
        return Implementation.PY if in_python else super()._common_implementation()

    def __call__(self, *inputs: Any) -> Any:
        result = super().__call__(*inputs)
        in_python = self.implementation == Implementation.PY or (len(inputs) == 1 and hasattr(inputs[0], "getbands"))
        return result if isinstance(result, tuple) or not in_python else (result,)

    def _compute(self, *values: Any) -> tuple:
        return apply_operations(self.transforms, values)

    def _as_arrays(self, *values: Any) -> tuple:
        for operation in self.transforms:
            values = as_engine(apply_operations([operation], values))
        return values


@arguments
class RandomApply(_Compound):
    """All of `transforms`, or with a probability of ``1 - prob`` none."""

    prob: Annotated[float, check_probability] = 0.5

    def _compute(self, *values: Any) -> tuple:
        return apply_operations(self.transforms, values) if current_rng().random() < self.prob else values


class RandomChoice(_Compound):
    """One of `transforms`, drawn for each row."""

    def _compute(self, *values: Any) -> tuple:
        return apply_operations([self.transforms[current_rng().integers(len(self.transforms))]], values)


class RandomOrder(_Compound):
    """All of `transforms` in random order."""

    def _common_implementation(self) -> Implementation:
        return Implementation.PY

    def _compute(self, *values: Any) -> tuple:
        order = current_rng().permutation(len(self.transforms))
        return apply_operations([self.transforms[i] for i in order], values)
