"""Operations that apply others, and their check."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.arguments import Annotated, arguments, real
from mindspore_compat.dataset.core.randomness import (
    called_directly,
    called_in_python,
    engine_of,
    kept_order,
    python_random,
)
from mindspore_compat.dataset.core.validator_helpers import type_check
from mindspore_compat.dataset.transforms._operation import Composed, Implementation, TensorOperation, apply_operations


def check_operation(operation: Any, name: str) -> None:
    """Check for an operation or a function. Raises: TypeError."""
    if not callable(operation) or inspect.isclass(operation):
        raise TypeError(f"{name} must be an operation or a function, but got {operation}. Are its parentheses missing?")


def check_operations(operations: Any, name: str = "transforms", types: tuple[type, ...] = (list,)) -> list[Any]:
    """Return a non-empty list of operations or functions. Raises: TypeError, ValueError."""
    type_check(operations, types, f"{name} list")
    if not operations:
        raise ValueError(f"{name} list can not be empty.")
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
