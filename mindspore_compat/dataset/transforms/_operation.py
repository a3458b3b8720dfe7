"""Base of data operations, and calls by a pipeline or a user."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.errors import failed_function
from mindspore_compat.dataset.core.randomness import called_directly


def call_user_function(function: Callable, args: tuple, what: str) -> Any:
    """Return ``function(*args)``; its exception becomes MindSpore's RuntimeError, with the traceback in the text."""
    try:
        return function(*args)
    except Exception as error:
        raise failed_function(what, error) from error


class Implementation(enum.IntEnum):
    """Choice between MindSpore's two implementations. A built-in operation has one here: the input decides (an array or
    a PIL image), and setting its `implementation` changes nothing. A user's subclass of `TensorOperation` runs its
    `_execute_py` with PY, and the result of its `parse` with C.
    """

    C = 0
    PY = 1


class TensorOperation:
    """Base of the operations. A built-in one gives `_compute(array) -> array` (or a tuple of arrays). A user's gives,
    as in MindSpore, `_execute_py(*values)`, `parse() -> an operation of the engine` (`mindspore._c_dataengine`), or a
    `__call__` of its own.

    Attributes:
        is_multi_column: several columns may come at once; then `_compute` gets them all.
        has_block: `_compute_block` works on a whole batch at once, with the same result as row by row.
        is_pointwise: each result value depends on one value and its channel only; channels may move to the front.
        draws: draws from an engine of its own (`core.randomness.engine_of`).
        keeps_state: the result of a row depends on rows before.
        releases_gil: runs in threads without waiting for the interpreter.
        takes_pil: gets a PIL image unchanged instead of an array of it.
        takes_batches: images (..., H, W, C) of more axes are treated one by one, alike; `_compute_block` knows rows (H,
            W[, C]) only.
    """

    implementation: Implementation | None = None
    is_multi_column = False
    has_block = False
    is_pointwise = False
    draws = False
    keeps_state = False
    releases_gil = False
    takes_pil = False
    takes_batches = False

    def __init__(self) -> None:
        """Set nothing; operations with arguments have theirs from `core.arguments`, or their own."""

    def _prepare(self) -> None:
        """Check combinations of the checked arguments, and set derived values."""

    def device(self, device_target: str = "CPU") -> TensorOperation:
        """Return this operation: all run on the host, also with "Ascend"."""
        return self

    def __call__(self, *inputs: Any) -> Any:
        """Apply to one input (NumPy array, PIL image, list, number, Tensor); several give a tuple."""
        try:
            with called_directly():
                results = self._apply(*inputs)
        except Exception as error:
            if type(error).__module__ == "cv2":
                raise RuntimeError(f"{type(self).__name__}: {error}") from error
            raise
        return results[0] if len(results) == 1 else results

    def _plain(self) -> Callable[[Any], Any] | None:
        """Return a function for operations on texts: from a text, or a list of texts, to a list of texts or an array;
        None if there is none.
        """
        return None

    def _inner(self) -> Sequence[Any]:
        """Return the operations and functions that this one calls."""
        return ()

    def _check_count(self, values: tuple) -> None:
        is_of_user = type(self)._compute is TensorOperation._compute
        if len(values) > 1 and not self.is_multi_column and not is_of_user:
            raise RuntimeError("The op is OneToOne, can only accept one tensor as input.")

    def _apply(self, *values: Any) -> tuple:
        self._check_count(values)
        result = self._compute(*(self._as_input(v) for v in values))
        return result if isinstance(result, tuple) else (result,)

    def _as_input(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value
        if hasattr(value, "asnumpy"):
            return value.asnumpy()
        if (self.takes_pil and hasattr(value, "getbands")) or hasattr(self, "_execute_py"):
            return value
        try:
            array = np.asarray(value)
        except ValueError:  # ragged lists
            array = np.empty((), object)
        if array.dtype == object:
            raise TypeError(f"Invalid user input. Got {type(value)}: {value}, cannot be converted into tensor.")
        return array

    def _compute(self, *arrays: Any) -> Any:
        """Run a user's subclass, by `_execute_py` and `parse`."""
        in_python = getattr(self, "_execute_py", None)
        if in_python is not None and (self.implementation != Implementation.C or not hasattr(self, "parse")):
            return in_python(*arrays)
        if hasattr(self, "parse"):
            return self.parse()._apply(*arrays)
        if type(self).__call__.__module__.startswith("mindspore_compat."):
            raise NotImplementedError(f"{type(self).__name__} has to implement parse() or _execute_py() method.")
        return self(*arrays)

    def _apply_block(self, *blocks: Any) -> tuple:
        if len(blocks) > 1 and not self.is_multi_column:
            return self._apply(*blocks)
        result = self._compute_block(*blocks)
        return result if isinstance(result, tuple) else (result,)

    def _compute_block(self, *blocks: Any) -> Any:
        raise NotImplementedError


class PyTensorOperation(TensorOperation):
    """Base of operations that work on PIL images or arrays in Python, for subclasses only."""


class Composed(TensorOperation):
    """A list of operations as one; `transforms` holds them."""

    transforms: list[Any]


def is_builtin(operation: Any) -> bool:
    """Return whether it runs no user code and keeps no state, so that any thread may run it, rows in any order."""
    if not isinstance(operation, TensorOperation) or not type(operation).__module__.startswith("mindspore_compat."):
        return False
    return not operation.keeps_state and all(map(is_builtin, operation._inner()))


def apply_operations(operations: Sequence[Any], values: tuple) -> tuple:
    """Return `values` after all `operations`, one after another."""
    for operation in operations:
        if isinstance(operation, TensorOperation):
            values = operation._apply(*values)
        else:
            result = call_user_function(operation, values, "map operation: [PyFunc] failed.")
            values = _apart(result) if isinstance(result, tuple) else (result,)
    return values


def _apart(values: tuple) -> tuple:
    """Return `values` without two arrays in the same memory: an in-place write to one column must not alter another."""
    for place, value in enumerate(values[1:], 1):
        if isinstance(value, np.ndarray) and any(
            isinstance(v, np.ndarray) and np.may_share_memory(v, value) for v in values[:place]
        ):
            values = (*values[:place], np.array(value), *values[place + 1 :])
    return values
