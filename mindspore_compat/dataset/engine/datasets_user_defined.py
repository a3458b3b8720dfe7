"""Sources of the user's own data. MindSpore: ``mindspore.dataset.engine.datasets_user_defined``."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, tee
from types import GeneratorType
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.validator_helpers import check_columns, row_sizes
from mindspore_compat.dataset.engine._execution.columns import Row, has_object_values, stack_columns, to_row
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run, Session
from mindspore_compat.dataset.engine._sources.base import ArrayDataset, MappableDataset, ask_once
from mindspore_compat.dataset.engine.samplers import IterSampler, Sampler
from mindspore_compat.dataset.engine.schema import Schema
from mindspore_compat.dataset.transforms._operation import call_user_function

__all__ = ["GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"]

_SOURCE = "'source' of 'GeneratorDataset'"


class GeneratorDataset(MappableDataset):
    """Rows from Python: an object with ``__getitem__`` and ``__len__``, an iterable, or a function that returns one.

    Args:
        source: see above. Only the first kind can be sampled, shuffled, sharded and read by worker processes.
        column_names: name or names of the columns; or a `schema` that has them.
        column_types: dtypes that the columns must have.
        num_parallel_workers: with `python_multiprocessing`, more than 1 starts that many worker processes.
        batch_sampler: yields lists of sample ids; each makes one batch, by `collate_fn` if given.
        collate_fn: ``f(list of column 1, ..., list of last column) -> columns of the batch``.

    Raises:
        TypeError, ValueError: see the arguments. RuntimeError while iterating: whatever the source raises or
            returns wrongly.

    Examples:
        >>> data = ds.GeneratorDataset([(1, 2), (3, 4)], ["x", "y"], shuffle=False)
        >>> print([(int(x), int(y)) for x, y in data.create_tuple_iterator(output_numpy=True)])
        [(1, 2), (3, 4)]
    """

    _takes_groups = True

    def __init__(
        self,
        source: Any,
        column_names: str | Sequence[str] | None = None,
        column_types: Sequence[Any] | None = None,
        schema: Schema | str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        python_multiprocessing: bool = True,
        max_rowsize: Any = None,
        batch_sampler: Any = None,
        collate_fn: Callable | None = None,
    ) -> None:
        if isinstance(source, zip):  # can be read only once
            source = list(source)
        self.source: Any = _Repeatable(source) if isinstance(source, GeneratorType) else source
        self._is_random_access = hasattr(source, "__getitem__")
        if not (
            self._is_random_access or hasattr(source, "__iter__") or hasattr(source, "__next__") or callable(source)
        ):
            raise TypeError(f"source must be callable, iterable or have __getitem__, but it is {type(source)}.")
        schema = Schema(schema) if isinstance(schema, str) else schema
        self._set_columns(column_names, column_types, schema)
        given = {"num_samples": num_samples, "shuffle": shuffle, "num_shards": num_shards, "shard_id": shard_id}
        self._check_sampling(sampler, batch_sampler, collate_fn, given)
        if not self._is_random_access:
            shuffle = False
            if hasattr(self.source, "__iter__"):
                ask_once(self.source)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)
        self._limit = num_samples or None
        self.python_multiprocessing = bool(python_multiprocessing)
        self.max_rowsize = row_sizes(max_rowsize)
        self.batch_sampler = batch_sampler
        if batch_sampler is not None:
            self.sampler = batch_sampler if isinstance(batch_sampler, Sampler) else IterSampler(batch_sampler)
        self.collate_fn = collate_fn
        self._places: np.ndarray | None = None  # of rows, for single ones

    def __getitem__(self, index: int) -> Any:
        """Return the row at that place of an iteration, as the source has it.

        Raises:
            RuntimeError: for a source without ``__getitem__``, or with a `batch_sampler`. IndexError.
        """
        if not self._is_indexed():
            raise RuntimeError("GeneratorDataset needs a source with __getitem__ and no batch_sampler for an index.")
        if self._places is None:
            self._places = self._order(Session(self, is_serial=True).epoch(0))
        place = self._places[index]
        return self.source[place if place.ndim else int(place)]

    def get_batch_size(self) -> int:
        """Return -1 with a `batch_sampler`, as its batches may differ; else 1."""
        return super().get_batch_size() if self.batch_sampler is None else -1

    def _set_columns(self, names: Any, types: Sequence[Any] | None, schema: Schema | None) -> None:
        if names is None and schema is None:
            raise ValueError("Neither columns_names nor schema are provided.")
        if names is not None:
            self._names = check_columns(names, "column_names")
        else:
            self._names = [c["name"] for c in schema.columns]  # type: ignore[union-attr]
            types = [c["type"] for c in schema.columns]  # type: ignore[union-attr]
        self._types = None if types is None else [None if t is None else numpy_dtype(t) for t in types]

    def _check_sampling(self, sampler: Any, batch_sampler: Any, collate_fn: Any, given: dict[str, Any]) -> None:
        if batch_sampler is not None and any(value is not None for value in (sampler, *given.values())):
            raise ValueError("batch_sampler excludes num_samples, shuffle, num_shards, shard_id and sampler.")
        if collate_fn is not None and batch_sampler is None:
            raise ValueError("collate_fn can be specified only when batch_sampler is set.")
        ask_once(sampler)
        if not self._is_random_access:
            what = {"sampler": sampler, "num_shards": given["num_shards"], "batch_sampler": batch_sampler}
            for name, value in what.items():
                if value is not None:
                    raise ValueError(f"{name} is not supported if source does not have attribute '__getitem__'.")

    def _column_names(self) -> list[str]:
        return self._names

    def _num_rows(self) -> int:
        return len(self.source)

    @property
    def source_len(self) -> int:
        """Number of rows of the source; -1 for one without ``__getitem__``."""
        return len(self.source) if self._is_random_access else -1

    def _is_indexed(self) -> bool:
        return self._is_random_access and self.batch_sampler is None

    def _size(self) -> int:
        if self.batch_sampler is not None:
            return sum(1 for _ in self._batches(self.sampler.independent(self.source)))
        if self._is_random_access:
            return super()._size()
        if hasattr(self.source, "__len__"):
            return min(len(self.source), self._limit or len(self.source))
        return sum(1 for _ in self._source_rows())

    def _parallelism(self) -> Parallelism:
        if self.python_multiprocessing and self._wanted_workers > 1:
            return Parallelism(processes=self.num_parallel_workers, lanes=self._wanted_workers, restarts=True)
        return Parallelism(here=True)

    def _fetch(self, index: np.ndarray) -> list[Row]:
        return [
            self._row(call_user_function(self.source.__getitem__, (i if i.ndim else int(i),), f"The {_SOURCE} failed."))
            for i in index
        ]

    def _row(self, value: Any) -> Row:
        row = to_row(value, f"The {_SOURCE}", copy=True)
        if len(row) != len(self._names):
            raise RuntimeError(
                f"Invalid Python function, the {_SOURCE} should return same number of NumPy arrays as specified in "
                f"column_names, the size of column_names is:{len(self._names)} and number of returned NumPy "
                f"array is:{len(row)}"
            )
        for array, expected in zip(row, self._types or (), strict=False):
            if expected is not None and getattr(array, "dtype", None) != expected:
                raise RuntimeError(
                    "Invalid Python function, type of returned data in 'GeneratorDataset' should be same with "
                    f"specified column_types, but the type of returned data: {getattr(array, 'dtype', type(array))}, "
                    f"specified column type: {expected}"
                )
        return row

    def _source_rows(self) -> Iterator[Any]:
        """Yield the rows of a source without numbers, from the start."""
        source = self.source
        if hasattr(source, "__iter__"):
            rows: Iterable = iter(source)
        elif hasattr(source, "__next__"):
            rows = source
        else:
            rows = source()
        return islice(_guarded(iter(rows)), self._limit)

    def _stream(self, run: Run) -> Iterator[Row]:
        if self._is_indexed():
            return super()._stream(run)
        if self.batch_sampler is not None:
            batches = enumerate(self._batches(run.session.sampler_of(self)))
            tasks = ((run.task_key(self, i), (i, np.asarray(ids))) for i, ids in batches)
            run.session.expect(self, math.inf)
            return run.session.fetch(self, self._collate, tasks, Parallelism())
        return (self._row(value) for value in self._source_rows())

    def _pass_over(self, run: Run) -> None:
        if self.batch_sampler is None:
            super()._pass_over(run)
        else:
            deque(self._batches(run.session.sampler_of(self)), maxlen=0)

    def _batches(self, sampler: Any) -> Iterator[list[int]]:
        if hasattr(self.source, "__len__"):
            sampler.dataset_size = self._num_rows()
        for ids in islice(sampler, sampler.num_samples or None):
            if isinstance(ids, (int, np.integer)):
                raise RuntimeError("Batch sampler should return a list, but got an integer.")
            if any(not isinstance(i, (int, np.integer)) for i in ids):
                raise RuntimeError(f"Python sampler should return index of type integer, but got {ids}.")
            yield list(ids)
        sampler.end_pass()

    def _collate(self, _: int, columns: list[Any]) -> Row:
        """Return a batch of columns of rows."""
        if self.collate_fn is None:
            return stack_columns(columns, self._names)
        result = call_user_function(self.collate_fn, tuple(columns), "collate_fn failed.")
        return to_row(result, "The collate_fn of GeneratorDataset")


class _Repeatable:
    """Generator that can be read again, from a cache of its rows."""

    def __init__(self, rows: Iterator[Any]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        rows, self._rows = tee(self._rows)
        return rows


def _guarded(rows: Iterator[Any]) -> Iterator[Any]:
    """Yield `rows`; exceptions of ``__next__`` become MindSpore's RuntimeError."""
    end = object()
    while True:
        row = call_user_function(next, (rows, end), f"The {_SOURCE} failed.")
        if row is end:
            return
        yield row


class NumpySlicesDataset(ArrayDataset):
    """Slices of arrays (or lists) along their first axis, as rows.

    Args:
        data: an array or list (one column), a tuple of them (one column each), or a dict from column name to them.
        column_names: default the dict's keys, else column_0, column_1, ...

    Dtypes are NumPy's: a list of int gives int64, of float float64; each row of a mixed list keeps its own.
    """

    def __init__(
        self,
        data: Any,
        column_names: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        if len(data) == 0:
            raise ValueError("Argument data cannot be empty")
        names, columns = _split_columns(data)
        if column_names is not None:
            names = check_columns(column_names, "column_names")
        self._names = names
        self._data = tuple(_as_column(column, name) for column, name in zip(columns, names, strict=True))
        if len({len(column) for column in self._data}) > 1:
            raise ValueError(f"Data length in each column is not equal: {[len(column) for column in self._data]}.")
        ask_once(sampler)
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id)

    def _column_names(self) -> list[str]:
        return self._names

    def _arrays(self) -> tuple[Any, ...]:
        return self._data

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        return [
            [column[i].copy() for i in index] if isinstance(column, list) else np.take(column, index, axis=0)
            for column in self._data
        ]


def _split_columns(data: Any) -> tuple[list[str], list[Any]]:
    if isinstance(data, dict):
        return [str(key) for key in data], list(data.values())
    columns = list(data) if isinstance(data, tuple) else [data]
    return [f"column_{i}" for i in range(len(columns))], columns


def _as_row(value: Any, name: str) -> np.ndarray:
    try:
        row = np.asarray(value)
    except ValueError as error:
        raise RuntimeError(f"Column {name}: a row cannot be made an array: {error}.") from None
    if has_object_values(row):
        raise TypeError(f"Column {name}: {value!r:.60} is no int, float, bool or string; use GeneratorDataset.")
    return row


def _as_column(values: Any, name: str) -> np.ndarray | list[np.ndarray]:
    """Return one array, or one for each row where rows of a list differ in shape or kind."""
    if hasattr(values, "asnumpy"):
        values = values.asnumpy()
    elif hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    elif isinstance(values, np.ndarray) and has_object_values(values):
        values = list(values)
    if isinstance(values, (list, tuple)) and len(values) > 0:
        return _as_rows(values, name)
    array = np.asarray(values)
    if array.ndim == 0:
        raise TypeError(f"Column {name}: expected an array or list of rows, but got {type(values)}.")
    return array


def _as_rows(values: Any, name: str) -> np.ndarray | list[np.ndarray]:
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= {int, float, bool, str, bytes}:
        return np.asarray(values)
    rows = [_as_row(row.asnumpy() if hasattr(row, "asnumpy") else row, name) for row in values]
    if len({(row.shape, row.dtype if row.dtype.kind not in "US" else row.dtype.kind) for row in rows}) > 1:
        return rows
    return np.stack(rows)


class PaddedDataset(GeneratorDataset):
    """Filler rows to concatenate to a dataset, so that its size divides by the number of shards.

    Args:
        padded_samples: one dict from column name to value per row.
    """

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        names = list(padded_samples[0])
        rows = [tuple(sample[name] for name in names) for sample in padded_samples]
        super().__init__(rows, names, shuffle=False)
        self.padded_samples = padded_samples
