"""Operations that apply others, their check, and fused forms of operations in sequence: the same results, faster."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from mindspore_compat._format.images import opencv
from mindspore_compat.dataset.core.arguments import Annotated, arguments, real
from mindspore_compat.dataset.core.randomness import (
    called_directly,
    called_in_python,
    engine_of,
    kept_order,
    python_random,
)
from mindspore_compat.dataset.core.validator_helpers import type_check
from mindspore_compat.dataset.transforms._operation import (
    Composed,
    Implementation,
    TensorOperation,
    apply_operations,
    is_builtin,
)

_MOST_CHANNELS = 4
#: dtypes of OpenCV's tables; others of equal size are viewed as these
_CARRIERS = {1: "u1", 2: "u2", 4: "f4", 8: "f8"}


def fuse(operations: Sequence[Any]) -> list[Any]:
    """Return `operations` with runs of pointwise ones as one `Pointwise`, a tokenizer with a lookup as one `Texts`."""
    fused: list[Any] = []
    for is_run, run in groupby(operations, lambda op: is_builtin(op) and op.is_pointwise):
        members = list(run)
        worth = is_run and any(op.releases_gil for op in members)
        fused.extend([Pointwise(members)] if worth else members)
    for place in range(len(fused) - 2, -1, -1):
        pair = fused[place : place + 2]
        if all(is_builtin(op) and op._plain() is not None for op in pair):
            fused[place : place + 2] = [Texts(pair)]
    return fused


class Texts(TensorOperation):
    """Two operations that have a `_plain` form, one after the other."""

    def __init__(self, transforms: Sequence[TensorOperation]) -> None:
        self.transforms = list(transforms)

    def on_column(self, column: Any) -> list[np.ndarray] | None:
        """Return the rows of a column of single texts, None for others."""
        if isinstance(column, np.ndarray) or any(
            not isinstance(row, np.ndarray) or row.ndim or row.dtype.kind != "U" for row in column
        ):
            return None
        first, second = (operation._plain() for operation in self.transforms)
        if first is None or second is None:
            return None
        return [np.asarray(second(first(row.item()))) for row in column]


class Pointwise(TensorOperation):
    """Pointwise `transforms`, one after another."""

    def __init__(self, transforms: Sequence[TensorOperation]) -> None:
        self.transforms = list(transforms)
        self._tables: dict[int, tuple[bool, np.ndarray] | None] = {}

    def _table(self, channels: int) -> tuple[bool, np.ndarray] | None:
        """Return (whether channels come first, values (channels, 256)), None if operations reject such images."""
        if channels not in self._tables:
            ramp = np.repeat(np.arange(256, dtype=np.uint8)[:, None, None], channels, 2)
            try:
                (result,) = apply_operations(self.transforms, (ramp,))
            except Exception:
                self._tables[channels] = None  # run one by one, they raise it for the original image
            else:
                is_first = result.shape == (channels, 256, 1)
                known = is_first or result.shape == ramp.shape
                values = result[..., 0] if is_first else result[:, 0].T
                self._tables[channels] = (
                    (is_first, np.ascontiguousarray(values)) if known and result.dtype.kind in "biuf" else None
                )
        return self._tables[channels]

    def on_column(self, column: Any) -> np.ndarray | None:
        """Return the block of a column of uint8 images (H, W, C) of one shape, None for any other."""
        first = column[0]
        if not isinstance(first, np.ndarray) or first.ndim != 3 or first.shape[2] > _MOST_CHANNELS or not first.size:
            return None
        is_block = isinstance(column, np.ndarray)
        if any(row.dtype != np.uint8 or row.shape != first.shape for row in (column[:1] if is_block else column)):
            return None
        found = self._table(first.shape[2])
        if found is None:
            return None
        is_first, table = found
        height, width, channels = first.shape
        result = np.empty((len(column), *((channels, height, width) if is_first else first.shape)), table.dtype)
        carrier = _CARRIERS[table.dtype.itemsize]
        _look_up(column, table.view(carrier), result.view(carrier), is_first)
        return result


def _look_up(column: Any, table: np.ndarray, result: np.ndarray, is_first: bool) -> None:
    cv2 = opencv()
    count, channels = len(column), len(table)
    images: list[Any] = list(column)
    targets = list(result)
    if isinstance(column, np.ndarray):  # each image as one line, so that a batch is one call a channel
        images = [np.ascontiguousarray(column).reshape(count, -1, channels)]
        targets = [
            result.reshape(count, channels, -1).transpose(1, 0, 2) if is_first else result.reshape(count, -1, channels)
        ]
    together = np.ascontiguousarray(table.T).reshape(1, 256, channels)
    planes = list(
        np.empty((channels, *images[0].shape[:2]), np.uint8)
    )  # reused for all images: allocation costs more than the work
    for image, target in zip(images, targets, strict=True):
        if not is_first:
            _into(target, cv2.LUT(image, together, target))
            continue
        for values, plane, place in zip(table, cv2.split(image, planes), target, strict=True):
            _into(place, cv2.LUT(plane, values.reshape(1, 256), place))


def _into(target: np.ndarray, filled: np.ndarray) -> None:
    """Copy into `target` if OpenCV could not write into it."""
    if filled is not target and not np.shares_memory(filled, target):
        target[...] = filled.reshape(target.shape)


def check_operation(operation: Any, name: str) -> None:
    """Check for an operation or a function. Raises: TypeError."""
    if not callable(operation) or inspect.isclass(operation):
        raise TypeError(f"{name} must be an operation or a function, but got {operation}. Are its parentheses missing?")


def check_operations(operations: Any, name: str = "transforms", types: tuple[type, ...] = (list,)) -> list[Any]:
    """Return a non-empty list of operations or functions. Raises: TypeError, ValueError."""
    type_check(operations, types, f"{name} list")
    if not operations:
        raise ValueError(f"{name} list cannot be empty.")
    for i, operation in enumerate(operations):
        check_operation(operation, f"{name}[{i}]")
    return operations


def as_engine(values: tuple) -> tuple:
    """Return `values` as NumPy arrays, as MindSpore's engine does. Raises: RuntimeError for other values."""
    arrays = tuple(value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value) for value in values)
    for value, array in zip(values, arrays):
        if array.dtype == object:
            raise RuntimeError(f"Invalid data: {type(value).__name__} is neither an array, a number nor a text.")
    return arrays


@arguments
class _Compound(TensorOperation):
    """Base of operations that apply others. In a pipeline, for Python operations and for one PIL image as input, inputs
    pass unchanged. Else a direct call makes arrays of the input, and of each step's result.
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
        with called_directly():
            results = self._as_arrays(*as_engine(inputs))
        return results[0] if len(results) == 1 else results

    def _as_arrays(self, *values: Any) -> tuple:
        return as_engine(self._apply(*values))

    def _is_python(self, values: tuple) -> bool:
        """Return whether MindSpore runs this in Python: for Python operations, and for PIL images."""
        return self.implementation == Implementation.PY or (len(values) == 1 and hasattr(values[0], "getbands"))

    def _as_input(self, value: Any) -> Any:
        return value

    def _inner(self) -> Sequence[Any]:
        return self.transforms

    def _applied(self, operations: Sequence[Any], values: tuple) -> tuple:
        """Return `values` after the chosen operations."""
        if not self._is_python(values):
            return apply_operations(operations, values)
        with called_in_python():
            return apply_operations(operations, values)


class Compose(_Compound, Composed):
    """`transforms` one after another. As in MindSpore, a direct call on a PIL image, or with a Python operation among
    them (`ToPIL`, ``Decode(to_pil=True)``), returns a tuple, also of one. A nested Compose is flattened into
    `transforms`.
    """

    def _prepare(self) -> None:
        self.transforms = self.decompose(self.transforms)
        super()._prepare()

    @staticmethod
    def decompose(operations: Sequence[Any]) -> list[Any]:
        """Return `operations`, with each Compose replaced by its content."""
        found: list[Any] = []
        for operation in operations:
            found += Compose.decompose(operation.transforms) if isinstance(operation, Compose) else [operation]
        return found

    def release_resource(self) -> None:
        """Do nothing: no resource is held."""

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

    draws = True
    prob: Annotated[float, real(0, 1)] = 0.5

    def _compute(self, *values: Any) -> tuple:
        draw = python_random().random() if self._is_python(values) else engine_of(self).double()
        return self._applied(self.transforms, values) if draw <= self.prob else values


class RandomChoice(_Compound):
    """One of `transforms`, drawn for each row."""

    draws = True

    def _compute(self, *values: Any) -> tuple:
        if self._is_python(values):
            return self._applied([python_random().choice(self.transforms)], values)
        return self._applied([self.transforms[engine_of(self).integer(0, len(self.transforms) - 1)]], values)


class RandomOrder(_Compound):
    """All of `transforms` in random order."""

    draws = True

    def _common_implementation(self) -> Implementation:
        return Implementation.PY

    def _compute(self, *values: Any) -> tuple:
        order = kept_order(self, self.transforms)  # MindSpore shuffles it in place, from row to row
        python_random().shuffle(order)
        return self._applied(order, values)
