"""Nodes that work on rows and columns: map, filter, project, rename, zip, concat, flat_map."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mindspore_compat.dataset.callback import check_callbacks
from mindspore_compat.dataset.core.validator_helpers import row_sizes, type_check, type_check_list
from mindspore_compat.dataset.engine._columns import Row, rows_of, stackable, to_column
from mindspore_compat.dataset.engine._session import Parallelism, Run
from mindspore_compat.dataset.engine._source_nodes import MappableDataset
from mindspore_compat.dataset.engine.datasets import Columns, Dataset
from mindspore_compat.dataset.engine.samplers import BuiltinSampler, DistributedSampler, SequentialSampler
from mindspore_compat.dataset.transforms._fused import Pointwise, Texts, fuse
from mindspore_compat.dataset.transforms._operation import (
    TensorOperation,
    apply_operations,
    call_user_function,
    is_builtin,
)

__all__ = ["ConcatDataset", "FilterDataset", "MapDataset", "ProjectDataset", "RenameDataset", "ZipDataset"]


_FUNCTION = "The function of a map operation"


def check_columns(columns: Any, name: str) -> list[str]:
    """A non-empty list of different names, from a name or a list. Raises: TypeError, ValueError."""
    type_check(columns, (list, tuple, str), name)
    columns = [columns] if isinstance(columns, str) else list(columns)
    if not columns:
        raise ValueError(f"{name} should not be empty.")
    type_check_list(columns, str, name)
    for i, column in enumerate(columns):
        if not column:
            raise ValueError(f"{name}[{i}] should not be empty.")
    if len(set(columns)) != len(columns):
        raise ValueError(
            f"Every column name should not be same with others in column_names, but got {columns} as {name}."
        )
    return columns


def positions(wanted: Sequence[str], names: Sequence[str], what: str) -> list[int]:
    """Where the `wanted` columns stand in `names`. Raises: RuntimeError."""
    for name in wanted:
        if name not in names:
            raise RuntimeError(
                f"Invalid parameter, {what} column name: {name} doesn't exist in the dataset columns {list(names)}."
            )
    return [list(names).index(name) for name in wanted]


#: Rows of more bytes are not put together to a block for an operation: the copy costs more than a call for each row.
_LARGE_ROW = 1 << 14


def apply_to_columns(operations: Sequence[Any], columns: list[Any]) -> list[Any]:
    """`operations` on columns of rows: on blocks where they can treat one and the columns are (or make) one, else row
    by row.

    Each row goes through all that comes up to the next fused operation, so that only few large images are there at
    once.
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


def _failed(operation: Any, error: Exception) -> Exception:
    """What the reader of the pipeline gets: of built-in operations a RuntimeError that names them, as upstream."""
    if (
        not is_builtin(operation)
        or isinstance(error, (ImportError, NotImplementedError))
        or str(error).startswith("Exception thrown")
    ):
        return error
    return RuntimeError(
        f"Exception thrown from dataset pipeline. map operation: [{type(operation).__name__}] failed. {error}"
    )


def _by_rows(operations: Sequence[Any], columns: list[Any]) -> list[Any]:
    results = [_applied(operations, values) for values in zip(*map(rows_of, columns), strict=True)]
    counts = {len(result) for result in results}
    if len(counts) > 1:
        raise RuntimeError(f"{_FUNCTION} must return equally many columns for all rows, but got {sorted(counts)}.")
    return [list(column) for column in zip(*results, strict=True)]


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
        type_check(python_multiprocessing, bool, "python_multiprocessing")
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
        """Positions of the inputs; where outputs replace them one by one; the resulting names."""
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

    def _column_names(self) -> list[str]:
        return self._layout()[2]

    def _merge(self, row: Row, results: Row) -> Row:
        """The output row: outputs in place of the inputs, or first if their number or names do not allow it."""
        if len(results) != self._output_count:
            raise RuntimeError(
                "Invalid columns, the number of columns returned in 'map' operations should match the number of "
                "'output_columns', but got the number of columns returned in 'map' operations: "
                f"{len(results)}, the number of "
                f"'output_columns': {self._output_count}."
            )
        in_place = self._layout_cache[1]
        if in_place is not None:
            merged = list(row)
            for place, result in zip(in_place, results, strict=True):
                merged[place] = result
            return tuple(merged)
        return (*results, *(row[i] for i in self._kept))

    def _begin_session(self) -> None:
        self._layout_cache = self._layout()
        before = self.children[0]._column_names()
        outputs = self.output_columns or []
        self._output_count = len(outputs or self.input_columns or before[:1])
        self._fused = fuse(self.operations)
        self._kept = [i for i, n in enumerate(before) if i not in self._layout_cache[0] and n not in outputs]

    def _apply(self, row: Row) -> Row:
        values: tuple = tuple(row[i] for i in self._layout_cache[0])
        values = _applied(self.operations, values)
        return self._merge(row, tuple(to_column(v, _FUNCTION) for v in values))

    def _stream(self, run: Run) -> Iterator[Row]:
        if self.callbacks:
            rows: Iterator[Row] = self._stream_rows(run)
            for callback in self.callbacks:
                rows = callback._around(rows, run)
            return rows
        return self._stream_rows(run)

    def _stream_rows(self, run: Run) -> Iterator[Row]:
        if self._is_indexed():
            return super()._stream(run)
        rows = self.children[0]._stream(run)
        for callback in self.callbacks:
            rows = callback._before(rows, run)
        tasks = ((run.task_key(self, i), row) for i, row in enumerate(rows))
        asked = self._parallelism()
        return run.session.map(
            self, self._apply, tasks, asked if asked.processes or any(map(_is_free, self.operations)) else Parallelism()
        )

    def _is_indexed(self) -> bool:
        return not self.callbacks and self.children[0]._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _step(self, value: Any) -> list[Any]:
        values = apply_to_columns(self._fused, [value[i] for i in self._layout_cache[0]])
        merged = self._merge(tuple(value), tuple(values))
        return [v if isinstance(v, np.ndarray) else [to_column(x, _FUNCTION) for x in v] for v in merged]

    def _parallelism(self) -> Parallelism:
        if all(map(is_builtin, self.operations)):
            # one more, as upstream has other threads for reading and batching; only one where all would wait for
            # Python's lock
            return Parallelism(threads=self.num_parallel_workers + 1 if any(map(_is_free, self.operations)) else 1)
        return (
            Parallelism(processes=self.num_parallel_workers) if self.python_multiprocessing else Parallelism(here=True)
        )


def _is_free(operation: Any) -> bool:
    return is_builtin(operation) and operation.releases_gil


def _check_operations(operations: Any) -> list[Any]:
    """A flat list of callables. Raises: ValueError for anything else, RuntimeError for none at all."""
    from mindspore_compat.dataset.transforms._operation import Composed

    if operations is None or (isinstance(operations, (list, tuple)) and not operations):
        raise RuntimeError("Map: No 'operations' are specified.")
    flat: list[Any] = []
    for operation in operations if isinstance(operations, (list, tuple)) else [operations]:
        if inspect.isclass(operation) and issubclass(operation, TensorOperation):
            raise ValueError(
                "Parameter operations's element of method map should be a dataset processing operation "
                "instance, but got: "
                f"{operation}. It may be missing parentheses for instantiation."
            )
        if not callable(operation):
            raise ValueError(
                "Parameter operations's element of method map should be a python function or class method "
                "which should be "
                f"callable, but got: {operation}. It doesn't need parentheses for python function or class method."
            )
        flat.extend(operation.transforms if isinstance(operation, Composed) else [operation])
    return flat


class FilterDataset(Dataset):
    """The rows for which the predicate holds."""

    def __init__(
        self,
        input_dataset: Dataset,
        predicate: Callable,
        input_columns: Columns | None = None,
        num_parallel_workers: int | None = None,
    ) -> None:
        if not callable(predicate):
            raise TypeError(
                f"Predicate should be a Python function or a callable Python object, but got {type(predicate)}."
            )
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate = predicate
        self.input_columns = None if input_columns is None else check_columns(input_columns, "input_columns")

    def _stream(self, run: Run) -> Iterator[Row]:
        names = self.children[0]._column_names()
        places = positions(self.input_columns or names, names, "input")
        for row in self.children[0]._stream(run):
            keep = call_user_function(self.predicate, tuple(row[i] for i in places), "filter operation failed.")
            if np.all(keep):
                yield row


class _ColumnNode(Dataset):
    """Passes columns on, chosen or renamed; rows keep their numbers."""

    def _choose(self, row: Row) -> Row:
        return row

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _stream(self, run: Run) -> Iterator[Row]:
        return (self._choose(row) for row in self.children[0]._stream(run))

    def _is_indexed(self) -> bool:
        return self.children[0]._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _step(self, value: Any) -> list[Any]:
        return list(self._choose(tuple(value)))


class ProjectDataset(_ColumnNode):
    """Only some columns, in a given order."""

    def __init__(self, input_dataset: Dataset, columns: Columns) -> None:
        self.columns = check_columns(columns, "columns")
        super().__init__(input_dataset)

    def _places(self) -> list[int]:
        return positions(self.columns, self.children[0]._column_names(), "project")

    def _begin_session(self) -> None:
        self._chosen = self._places()

    def _column_names(self) -> list[str]:
        self._places()
        return self.columns

    def _choose(self, row: Row) -> Row:
        return tuple(row[i] for i in self._chosen)


class RenameDataset(_ColumnNode):
    """Columns under other names."""

    def __init__(self, input_dataset: Dataset, input_columns: Columns, output_columns: Columns) -> None:
        self.input_columns = check_columns(input_columns, "input_columns")
        self.output_columns = check_columns(output_columns, "output_columns")
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(
                "Number of column in input_columns and output_columns is not equal: "
                f"{self.input_columns} and {self.output_columns}."
            )
        super().__init__(input_dataset)

    def _column_names(self) -> list[str]:
        names = list(self.children[0]._column_names())
        places = positions(self.input_columns, names, "rename")
        for place, name in zip(places, self.output_columns, strict=True):
            names[place] = name
        if len(set(names)) != len(names):
            raise RuntimeError(
                "Invalid column, rename operation does not support rename one column name into another "
                "already exist column "
                f"name, got {names}."
            )
        return names

    def _begin_session(self) -> None:
        self._column_names()


class ZipDataset(Dataset):
    """Columns of several datasets side by side, as long as the shortest."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        for dataset in datasets:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
        super().__init__(datasets)

    def _column_names(self) -> list[str]:
        names = [name for child in self.children for name in child._column_names()]
        for i, name in enumerate(names):
            if name in names[:i]:
                raise RuntimeError(f"Invalid data, duplicate column {name} already exists when zipping datasets.")
        return names

    def _begin_session(self) -> None:
        self._column_names()

    def _size(self) -> int:
        return min(child.get_dataset_size() for child in self.children)

    def _stream(self, run: Run) -> Iterator[Row]:
        for rows in zip(*(child._stream(run) for child in self.children), strict=False):
            yield tuple(value for row in rows for value in row)


class ConcatDataset(Dataset):
    """Rows of several datasets one after another."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        for dataset in datasets:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
        super().__init__(datasets)
        self._sampler: DistributedSampler | None = None

    def _column_names(self) -> list[str]:
        names = self.children[0]._column_names()
        for child in self.children[1:]:
            if child._column_names() != names:
                raise RuntimeError(
                    "Invalid columns, 'column name' or 'column order' of concat datasets should be the same, but got "
                    f"{names} and {child._column_names()}."
                )
        return names

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Read one shard of the whole: `sampler` must be a DistributedSampler without shuffle and num_samples."""
        if not isinstance(sampler, DistributedSampler):
            raise TypeError(f"The parameter {sampler} of concat must be DistributedSampler!")
        if sampler.is_shuffled():
            raise ValueError("The parameter shuffle of DistributedSampler must be False!")
        if sampler.num_samples is not None:
            raise ValueError("The parameter num_samples of DistributedSampler is not support to be set!")
        for child in self.children:
            if child.is_sharded():
                raise ValueError("A dataset of concat is sharded already, so the whole can not be sharded.")
            if isinstance(child, MappableDataset):
                # In a fixed order, or the shards of several processes would overlap.
                child.use_sampler(SequentialSampler(num_samples=child.sampler.num_samples))
        self._sampler = sampler

    def is_sharded(self) -> bool:
        return self._sampler is not None or super().is_sharded()

    def _begin_session(self) -> None:
        self._column_names()

    def _size(self) -> int:
        total = sum(child.get_dataset_size() for child in self.children)
        if self._sampler is None:
            return total
        return len(range(self._sampler.shard_id, total, self._sampler.num_shards))

    def _stream(self, run: Run) -> Iterator[Row]:
        dtypes: list | None = None
        number = 0
        for child in self.children:
            for i, row in enumerate(child._stream(run)):
                if i == 0:
                    dtypes = self._check_types(dtypes, row)
                if self._sampler is None or number % self._sampler.num_shards == self._sampler.shard_id:
                    yield row
                number += 1

    @staticmethod
    def _check_types(dtypes: list | None, row: Row) -> list:
        found = [getattr(v, "dtype", type(v)) for v in row]
        for before, now in zip(dtypes or found, found, strict=True):
            is_string = getattr(before, "kind", "") in "US" and getattr(now, "kind", "") in "US"
            if before != now and not is_string:
                raise RuntimeError(
                    "Concat: the data types of the two datasets to be concatenated should be the same, but got: "
                    f"{before} and {now}."
                )
        return found


def flat_map(dataset: Dataset, func: Callable[..., Dataset]) -> Dataset:
    """`Dataset.flat_map`: the function is called for every row now, as upstream does."""
    if not callable(func):
        raise TypeError(f"func must be a function, but got {type(func)}.")
    parts: list[Dataset] = []
    for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
        part = func(*row)
        if not isinstance(part, Dataset):
            raise TypeError(f"flat_map must return a Dataset object, but got {type(part)}.")
        parts.append(part)
    if not parts:
        raise RuntimeError("flat_map needs a dataset with at least one row.")
    return parts[0] if len(parts) == 1 else ConcatDataset(parts)
