"""The node map: operations on columns, a batch of rows at a time."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mindspore_compat._api.errors import UnsupportedError
from mindspore_compat.dataset.callback.ds_callback import around, check_callbacks
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.config import ErrorSamplesMode
from mindspore_compat.dataset.core.errors import failed_function, failed_operation
from mindspore_compat.dataset.core.validator_helpers import check_columns, row_sizes
from mindspore_compat.dataset.debug.debug_hook import with_hooks
from mindspore_compat.dataset.engine._dataset import Columns, Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import Row, positions, rows_of, stackable, to_column
from mindspore_compat.dataset.engine._execution.rng_workers import WorkerTask
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run
from mindspore_compat.dataset.engine._nodes._column_maps import column_map, with_outputs
from mindspore_compat.dataset.transforms._compound import Pointwise, Texts, fuse
from mindspore_compat.dataset.transforms._operation import (
    Composed,
    Implementation,
    PyTensorOperation,
    TensorOperation,
    apply_operations,
    is_builtin,
)
from mindspore_compat.log import logger

__all__ = ["MapDataset"]


_FUNCTION = "The function of a map operation"


#: Larger rows are not stacked to a block for an operation: the copy costs more than a call for each row.
_LARGE_ROW = 1 << 14


def apply_to_columns(operations: Sequence[Any], columns: list[Any]) -> list[Any]:
    """Apply `operations` to columns of rows: to blocks where they support one and the columns are (or make) one, else
    row by row.

    Each row goes through all operations up to the next fused one, so that only few large images exist at once.
    """
    place = 0
    while place < len(operations):
        operation = operations[place]
        done = _on_blocks(operation, columns)
        stop = place + 1
        if done is None and isinstance(operation, (Pointwise, Texts)):
            done = columns
            for each in operation.transforms:
                found = _on_blocks(each, done)
                done = _by_rows([each], done) if found is None else found
        elif done is None:
            while stop < len(operations) and not isinstance(operations[stop], (Pointwise, Texts)):
                stop += 1
            done = _by_rows(operations[place:stop], columns)
        columns, place = done, stop
    return columns


def _on_blocks(operation: Any, columns: list[Any]) -> list[Any] | None:
    if isinstance(operation, (Pointwise, Texts)):
        column = operation.on_column(columns[0]) if len(columns) == 1 else None
        return None if column is None else [column]
    if not isinstance(operation, TensorOperation) or not operation.has_block:
        return None
    blocks = [c if isinstance(c, np.ndarray) else stackable(c, _LARGE_ROW) for c in columns]
    if any(block is None or (operation.takes_batches and block.ndim > 4) for block in blocks):
        return None
    try:
        return list(operation._apply_block(*blocks))
    except Exception as error:
        raise _failed(operation, error) from error


def _applied(operations: Sequence[Any], values: tuple) -> tuple:
    for operation in operations:
        try:
            values = apply_operations((operation,), values)
        except Exception as error:
            raise _failed(operation, error) from error
    return values


def _is_python(operation: Any) -> bool:
    is_built_in = isinstance(operation, TensorOperation) and not isinstance(operation, PyTensorOperation)
    return not is_built_in or operation.implementation == Implementation.PY


def _failed(operation: Any, error: Exception) -> Exception:
    """Return the exception for the reader: for built-in operations a RuntimeError that names them, as in MindSpore."""
    if not is_builtin(operation) or isinstance(error, (ImportError, NotImplementedError)) or hasattr(error, "parts"):
        return error
    if isinstance(operation, PyTensorOperation):  # MindSpore has these in Python
        return failed_function("map operation: [PyFunc] failed.", error, is_own=True)
    return failed_operation(type(operation).__name__, error)


def _by_rows(operations: Sequence[Any], columns: list[Any]) -> list[Any]:
    results: list[tuple] = []
    try:
        for values in zip(*map(rows_of, columns), strict=True):
            results.append(_applied(operations, values))
    except Exception as error:
        error.row = len(results)  # type: ignore[attr-defined]  # whose file the session looks for
        raise
    counts = {len(result) for result in results}
    if len(counts) > 1:
        raise RuntimeError(f"{_FUNCTION} must return equally many columns for all rows, but got {sorted(counts)}.")
    return [list(column) for column in zip(*results, strict=True)]


@register_node
class MapDataset(Dataset):
    """`operations` applied to columns of every row.

    Python functions run in the thread that iterates, or in worker processes where `python_multiprocessing` is set;
    built-in operations run in threads. `max_rowsize`, `cache` and `offload` are accepted without effect.
    """

    def __init__(
        self,
        input_dataset: Dataset,
        operations: Any = None,
        input_columns: Columns | None = None,
        output_columns: Columns | None = None,
        num_parallel_workers: int | None = None,
        python_multiprocessing: bool = False,
        cache: Any = None,
        callbacks: Any = None,
        max_rowsize: Any = None,
        offload: bool | None = None,
    ) -> None:
        self.operations = _check_operations(operations)
        self.callbacks = check_callbacks(callbacks)
        super().__init__(input_dataset, num_parallel_workers, cache)
        self.python_multiprocessing = python_multiprocessing
        self.max_rowsize = row_sizes(max_rowsize)
        self.input_columns = None if input_columns is None else check_columns(input_columns, "input_columns")
        self.output_columns = None if output_columns is None else check_columns(output_columns, "output_columns")

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _layout(self) -> tuple[list[int], list[int] | None, list[str]]:
        """Return positions of the inputs; where outputs replace them one by one; the resulting names."""
        names = self.children[0]._column_names()
        inputs = self.input_columns or names[:1]
        outputs = self.output_columns or inputs
        places = positions(inputs, names, "input")
        rest = [n for n in names if n not in inputs]
        if len(outputs) == len(inputs):
            renamed = list(names)
            for place, output in zip(places, outputs, strict=True):
                renamed[place] = output
            duplicates = [n for n in outputs if n in rest]
            if not duplicates:
                return places, places, renamed
            return places, None, [*outputs, *(n for n in rest if n not in outputs)]
        # an output with the name of a column that is no input is lost, as in MindSpore
        return places, None, [*(n for n in outputs if n not in rest), *rest]

    def _column_names(self) -> list[str]:
        return self._layout()[2]

    def _column_map(self) -> list[str]:
        inputs = self.input_columns or self.children[0]._column_names()[:1]
        return with_outputs(column_map(self.children[0]), inputs, self.output_columns or inputs)

    def _merge(self, row: Row, results: Row) -> Row:
        """Return the output row: outputs in place of the inputs, or first if their number or names do not allow it."""
        if len(results) != self._output_count:
            raise RuntimeError(
                "Invalid columns, the number of columns returned in 'map' operations should match the number of "
                f"'output_columns', but got the number of columns returned in 'map' operations: {len(results)}, the "
                f"number of 'output_columns': {self._output_count}."
            )
        in_place = self._layout_cache[1]
        if in_place is not None:
            merged = list(row)
            for place, result in zip(in_place, results, strict=True):
                merged[place] = result
            return tuple(merged)
        return (*(results[i] for i in self._given), *(row[i] for i in self._kept))

    def _begin_session(self) -> None:
        self._layout_cache = self._layout()
        before = self.children[0]._column_names()
        outputs = self.output_columns or []
        self._output_count = len(outputs or self.input_columns or before[:1])
        hooks = config.debug_hooks()
        operations = _apart(self.operations)
        self._called_operations = list(_called(operations))
        self._running = with_hooks(operations, hooks) if hooks else operations
        # operations in Python share one generator, so that each row has to go through all before the next
        one_by_one = sum(map(_draws, self.operations)) > 1 and any(map(_is_python, self.operations))
        self._fused = self._running if hooks or one_by_one else fuse(self._running)
        self._drawing = max((place for place, op in enumerate(self._fused, 1) if _draws(op)), default=0)
        places, _, names = self._layout_cache
        rest = [i for i, n in enumerate(before) if i not in places]
        is_lost = len(outputs) not in (0, len(places))
        taken = {before[i] for i in rest} if is_lost else set()
        self._given = [i for i, n in enumerate(outputs or names[: self._output_count]) if n not in taken]
        self._kept = rest if is_lost else [i for i in rest if before[i] not in outputs]

    def _apply(self, row: Row) -> Row:
        return self._merge(row, self._results(row))

    def _apply_or_fail(self, row: Row) -> Row | None:
        """Return the row, or None where the operations fail."""
        try:
            results = self._results(row)
        except (ImportError, UnsupportedError):
            raise
        except Exception as error:
            told = getattr(error, "parts", (str(error),))[-1].strip().split("\n")[-1]
            logger.warning("map: a row fails, and 'error_samples_mode' lets it go: %s", told)
            return None
        return self._merge(row, results)

    def _results(self, row: Row) -> Row:
        values = _applied(self._running, tuple(row[i] for i in self._layout_cache[0]))
        return tuple(to_column(v, _FUNCTION) for v in values)

    def _stream(self, run: Run) -> Iterator[Row]:
        rows = self._stream_rows(run)
        return around(self.callbacks, rows, run) if self.callbacks else rows

    def _stream_rows(self, run: Run) -> Iterator[Row]:
        if run.session.by_number(self):
            return super()._stream(run)
        rows = self.children[0]._stream(run)
        for callback in self.callbacks:
            rows = callback._before(rows, run)
        tasks = ((run.task_key(self, i), row) for i, row in enumerate(rows))
        asked, mode = self._parallelism(), config.get_error_samples_mode()
        if not asked.processes and not any(map(_is_free, self.operations)):
            asked = replace(asked, threads=0, here=False)
        if mode == ErrorSamplesMode.RETURN:
            return run.session.map(self, self._apply, tasks, asked)
        results = run.session.map(self, self._apply_or_fail, tasks, asked)
        if mode == ErrorSamplesMode.REPLACE:
            return run.session.good_rows(self).replacing(results)
        return (row for row in results if row is not None)

    def _is_indexed(self) -> bool:
        is_whole = config.get_error_samples_mode() == ErrorSamplesMode.RETURN  # no row is skipped or moved
        return is_whole and not self.callbacks and self.children[0]._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        order = self.children[0]._order(run)
        run.session.expect(self, len(order))
        return order

    def _step(self, value: Any) -> list[Any]:
        return self._put(value, apply_to_columns(self._fused, [value[i] for i in self._layout_cache[0]]))

    def _step_in_lanes(self, value: Any, ticket: WorkerTask) -> list[Any]:
        drawing, rest = self._fused[: self._drawing], self._fused[self._drawing :]
        columns = [value[i] for i in self._layout_cache[0]]
        columns = ticket.columns_through(partial(apply_to_columns, drawing), columns)
        return self._put(value, apply_to_columns(rest, columns))

    def _put(self, value: Any, values: list[Any]) -> list[Any]:
        merged = self._merge(tuple(value), tuple(values))
        return [v if isinstance(v, np.ndarray) else [to_column(x, _FUNCTION) for x in v] for v in merged]

    def _parallelism(self) -> Parallelism:
        in_python = any(map(_is_python, self.operations))
        lanes = self._wanted_workers if any(map(_draws, self.operations)) else 0
        if all(map(is_builtin, self.operations)):
            # one more, as MindSpore has other threads for reading and batching; only one if all would wait for
            # the GIL
            free = any(map(_is_free, self.operations))
            is_direct = self.python_multiprocessing and in_python
            threads = self.num_parallel_workers + 1 if free else 1
            return Parallelism(threads=threads, lanes=lanes, is_direct=is_direct)
        if self.python_multiprocessing and in_python:  # not if C++ calls the functions, as in a RandomApply
            return Parallelism(processes=self.num_parallel_workers, lanes=self._wanted_workers)
        return Parallelism(here=True, lanes=lanes)


def _draws(operation: Any) -> bool:
    """Return whether it, or one that it calls, draws from its own engine."""
    return isinstance(operation, TensorOperation) and (operation.draws or any(map(_draws, operation._inner())))


def _called(operations: Sequence[Any]) -> Iterator[Any]:
    """Yield the operations that `operations` call."""
    for operation in operations:
        if isinstance(operation, TensorOperation):
            yield from operation._inner()
            yield from _called(operation._inner())


def _apart(operations: Sequence[Any]) -> list[Any]:
    """Return `operations`; a repeated one becomes two with their own engines, as MindSpore makes each anew."""
    known = set(map(id, _called(operations)))
    found = []
    for operation in operations:
        if id(operation) in known and _draws(operation):
            operation = (deepcopy if is_builtin(operation) else copy)(operation)
        known.add(id(operation))
        found.append(operation)
    return found


def _is_free(operation: Any) -> bool:
    return is_builtin(operation) and operation.releases_gil


def _check_operations(operations: Any) -> list[Any]:
    """Return a flat list of callables. Raises: ValueError for anything else."""
    flat: list[Any] = []
    for operation in operations if isinstance(operations, (list, tuple)) else [operations]:
        if not callable(operation) or (inspect.isclass(operation) and issubclass(operation, TensorOperation)):
            raise ValueError(f"The operations of map: {operation} is no function; missing parentheses for an instance?")
        flat.extend(operation.transforms if isinstance(operation, Composed) else [operation])
    return flat
