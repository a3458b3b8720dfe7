"""Nodes that combine rows: batch, padded_batch, bucket_batch_by_length."""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.memory import empty
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, check_columns, check_value, row_sizes
from mindspore_compat.dataset.engine._dataset import Columns, Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import (
    Row,
    positions,
    rows_of,
    stack_column,
    stack_columns,
    to_column,
)
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run
from mindspore_compat.dataset.engine._nodes._column_maps import column_map, with_outputs
from mindspore_compat.dataset.engine._nodes.rows import waiting
from mindspore_compat.dataset.transforms._operation import call_user_function

__all__ = ["BatchDataset", "BatchInfo", "BucketBatchByLengthDataset", "PaddedBatchDataset"]

#: Column name -> (shape to reach, None for the largest of the batch; fill value).
PadInfo = dict[str, tuple]


@dataclass(frozen=True)
class BatchInfo:
    """Argument of `batch_size` and `per_batch_map` functions: the numbers of the batch."""

    _epoch: int
    _batch: int

    def get_epoch_num(self) -> int:
        """Return number of the iterator's epoch, from 0; all passes of a repeat are one."""
        return self._epoch

    def get_batch_num(self) -> int:
        """Return number of the batch within the pass, from 0."""
        return self._batch


_MIXED = "Batch: mismatched types returned from per_batch_map"


def _check_kinds(results: Sequence[Any]) -> None:
    """Raise RuntimeError for a dict beside a value that is no dict and fits no array, as in MindSpore: one dict for the
    batch goes with dicts only, lists of dicts with anything of as many rows.
    """
    if any(isinstance(result, dict) for result in results) and not all(
        isinstance(result, (dict, np.ndarray)) for result in results
    ):
        raise RuntimeError(f"{_MIXED}: {[type(result).__name__ for result in results]}. Return dicts for all columns.")


def _as_rows(results: tuple, names: Sequence[str], count: int) -> tuple:
    """Return `results` in MindSpore's form: arrays (and dicts) are whole batches of any length; where one column is
    anything else, each column is a list of the batch's `count` rows. Raises: RuntimeError.
    """
    if all(isinstance(result, (np.ndarray, dict)) for result in results):
        return results
    columns = tuple(call_user_function(list, (result,), "batch operation: per_batch_map failed.") for result in results)
    for column, name in zip(columns, names, strict=True):
        if len(column) != count:
            raise RuntimeError(f"column: {name} expects: {count} rows returned from 'per_batch_map', not {len(column)}")
    return columns


def _merged(dicts: list[Any]) -> dict[Any, list[Any]]:
    """Return {key: its values} of the dicts that a batch has for its rows."""
    if not all(isinstance(item, dict) and item.keys() == dicts[0].keys() for item in dicts):
        raise RuntimeError(f"{_MIXED}: the rows of a column must be dicts with the same keys.")
    return {key: [item[key] for item in dicts] for key in dicts[0]}


def _is_plain(values: list[Any]) -> bool:
    """Return whether NumPy converts all values together as it does each: others have no dtype in common."""
    return type(values[0]) in (int, float, bool, str, bytes) and all(type(v) is type(values[0]) for v in values)


def _to_batch_column(result: Any, what: str) -> Any:
    if isinstance(result, list) and any(isinstance(item, dict) for item in result):
        return _merged([item if isinstance(item, dict) else None for item in result])
    if isinstance(result, list) and not _is_plain(result):
        return stack_column([to_column(value, what) for value in result], "of per_batch_map")
    return to_column(result, what)


def _to_int32(value: Any, refusal: str, least: int = -(2**31)) -> int:
    """Return a function's result `value` as a C++ int. Raise RuntimeError for Python's floats, strings, arrays of
    several numbers, and numbers below `least` or beyond 32 bits.
    """
    is_refused = (
        isinstance(value, (float, str, bytes))
        or np.iscomplexobj(value)
        or (isinstance(value, np.ndarray) and value.size != 1)
    )
    try:
        number = None if is_refused else int(value.flat[0] if isinstance(value, np.ndarray) else value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not least <= number < 2**31:
        raise RuntimeError(f"{refusal}, but got {value!r}.")
    return number


@register_node
class BatchDataset(Dataset):
    """Batches of rows.

    Args:
        batch_size: a number, -1 for all rows in one batch, or a function of a `BatchInfo`.
        per_batch_map: ``f(col1, col2, ..., batch_info) -> tuple of columns``, each column a list of one array per row.
    """

    epoch_of: Callable[[Run], int] = operator.attrgetter("epoch")  #: of a `BatchInfo`

    def __init__(
        self,
        input_dataset: Dataset,
        batch_size: int | Callable,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        per_batch_map: Callable | None = None,
        input_columns: Columns | None = None,
        output_columns: Columns | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: Any = None,
    ) -> None:
        if not callable(batch_size) and batch_size != -1:
            check_value(batch_size, (1, INT32_MAX), "batch_size")
        if input_columns is not None and per_batch_map is None:
            raise ValueError("input_columns can be specified only when per_batch_map is set.")
        super().__init__(input_dataset, num_parallel_workers)
        if isinstance(batch_size, int):
            for node in waiting(input_dataset):
                node.batched(batch_size)
        self.batch_size = batch_size
        self.drop_remainder = drop_remainder
        self.max_rowsize = row_sizes(max_rowsize, batch_size)
        self.per_batch_map = per_batch_map
        self.input_columns = None if input_columns is None else check_columns(input_columns, "input_columns")
        self.output_columns = None if output_columns is None else check_columns(output_columns, "output_columns")
        self.python_multiprocessing = python_multiprocessing

    def get_batch_size(self) -> int:
        return -1 if callable(self.batch_size) else self.batch_size

    def _size(self) -> int:
        if callable(self.batch_size):
            return super()._size()
        rows = self.children[0].get_dataset_size()
        if self.batch_size == -1:
            return min(rows, 1)
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def _columns(self) -> tuple[list[int], list[str]]:
        """Return positions of the inputs of `per_batch_map`, and the resulting names."""
        names = self.children[0]._column_names()
        if self.per_batch_map is None:
            return [], names
        inputs = self.input_columns or names
        outputs = self.output_columns or inputs
        places = positions(inputs, names, "input")
        if len(outputs) == len(inputs):
            renamed = list(names)
            for place, output in zip(places, outputs, strict=True):
                renamed[place] = output
            return places, renamed
        return places, [*outputs, *(n for n in column_map(self.children[0]) if n not in inputs)]

    def _column_map(self) -> list[str]:
        below = column_map(self.children[0])
        inputs = self.input_columns or self.children[0]._column_names()
        return with_outputs(below, inputs, self.output_columns or inputs) if self.per_batch_map else below

    def _column_names(self) -> list[str]:
        return self._columns()[1]

    def _begin_session(self) -> None:
        self._columns()

    def _parallelism(self) -> Parallelism:
        if self.per_batch_map is None:
            return Parallelism()
        if not self.python_multiprocessing:
            return Parallelism(here=True)
        return Parallelism(processes=self.num_parallel_workers, lanes=self._wanted_workers)

    def _stream(self, run: Run) -> Iterator[Row]:
        child = self.children[0]
        if run.session.by_number(child) and isinstance(self.batch_size, int):
            batches = run.session.fetch(child, self._make_full, self._index_tasks(run), self._parallelism())
            return (batch for batch in batches if batch is not None)
        tasks = ((run.task_key(self, info.get_batch_num()), (info, rows)) for info, rows in self._groups(run))
        return run.session.map(self, self._make_from_rows, tasks, self._parallelism())

    def _index_tasks(self, run: Run) -> Iterator[Any]:
        order = self.children[0]._order(run)
        assert isinstance(self.batch_size, int)
        size = max(len(order), 1) if self.batch_size == -1 else self.batch_size
        stop = len(order) - len(order) % size if self.drop_remainder else len(order)
        for number, start in enumerate(range(0, stop, size)):
            yield run.task_key(self, number), (BatchInfo(self.epoch_of(run), number), order[start : start + size])
        if stop < len(order) and run.session.draws_below(self.children[0]):  # the rows that are dropped draw, too
            yield run.task_key(self, stop // size), (None, order[stop:])

    def _groups(self, run: Run) -> Iterator[tuple[BatchInfo, list[Row]]]:
        rows = iter(self.children[0]._stream(run))
        number = 0
        while True:
            info = BatchInfo(self.epoch_of(run), number)
            size = self._size_for(info)
            group = list(islice(rows, size))
            if not group or (self.drop_remainder and size is not None and len(group) < size):
                return
            yield info, group
            number += 1

    def _size_for(self, info: BatchInfo) -> int | None:
        if not callable(self.batch_size):
            return None if self.batch_size == -1 else self.batch_size
        size = call_user_function(self.batch_size, (info,), "batch_size function failed.")
        return _to_int32(size, "Invalid batch_size function, expected a return value > 0", 1)

    def _make_from_rows(self, work: tuple[BatchInfo, list[Row]]) -> Row:
        info, rows = work
        return self._make(info, list(zip(*rows, strict=True)))

    def _make_full(self, info: BatchInfo | None, columns: Sequence[Any]) -> Row | None:
        return None if info is None else self._make(info, columns)

    def _make(self, info: BatchInfo, columns: Sequence[Any]) -> Row:
        """Return a batch of columns of rows."""
        if self.per_batch_map is not None:
            return self._map_batch(info, columns)
        return stack_columns(columns, self.children[0]._column_names())

    def _map_batch(self, info: BatchInfo, values: Sequence[Any]) -> Row:
        assert self.per_batch_map is not None
        places, names = self._columns()
        columns = [list(rows_of(column)) for column in values]
        result = call_user_function(
            self.per_batch_map, (*(columns[i] for i in places), info), "batch operation: per_batch_map failed."
        )
        results = result if isinstance(result, tuple) else (result,)
        before = self.children[0]._column_names()
        outputs = self.output_columns or [before[i] for i in places]
        if len(results) != len(outputs):
            raise RuntimeError(
                "Invalid columns, the number of columns returned in per_batch_map function should match the number of "
                f"output columns, but got {len(results)} columns returned and {len(outputs)} output columns."
            )
        _check_kinds(results)
        results = _as_rows(results, outputs, len(columns[0]))
        what = "The per_batch_map of batch"
        done = dict(zip(outputs, (_to_batch_column(r, what) for r in results), strict=True))
        rest = {n: c for i, (n, c) in enumerate(zip(before, columns, strict=True)) if i not in places}
        stacked = dict(zip(rest, stack_columns(list(rest.values()), list(rest)), strict=True))
        return tuple(done[n] if n in done else stacked[n] for n in names)


def _check_pad_info(pad_info: Any) -> PadInfo:
    for name, value in (pad_info or {}).items():
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError(f"pad_info of {name!r} needs to be a tuple (shape, fill value), but got {value!r}.")
    return pad_info or {}


def _pad_columns(columns: Sequence[Any], names: Sequence[str], pad_info: PadInfo) -> Row:
    """Return a batch of columns of rows, those of `pad_info` (all if it is empty) brought to one shape."""
    padded = []
    for name, column in zip(names, columns, strict=True):
        values = rows_of(column)
        if isinstance(values[0], dict):
            if name in pad_info:
                raise RuntimeError(f"PadEnd: cannot pad dicts, of which column {name} is.")
        elif name in pad_info or not pad_info:
            values = _pad_column(values, name, *pad_info.get(name, (None, None)))
        padded.append(values)
    return stack_columns(padded, names)


def _pad_column(values: Sequence[np.ndarray], name: str, shape: list | None, fill: Any) -> Any:
    largest = [max(sizes) for sizes in zip(*(v.shape for v in values), strict=True)]
    if shape is not None and len(shape) != len(largest):
        raise RuntimeError(f"pad_info of column {name}: shape {shape} has not the rank of the data, {largest}.")
    text = {"U": "", "S": b""}.get(values[0].dtype.kind)
    fill = (0 if text is None else text) if fill is None else fill
    if isinstance(fill, (str, bytes)) if text is None else not isinstance(fill, type(text)):
        raise RuntimeError(
            f"pad_info of column {name}: a column of {values[0].dtype.type.__name__} cannot be padded with {fill!r}."
        )
    if text is not None:
        common = np.result_type(np.asarray(fill), *values)
        values = [value.astype(common) for value in values]
    target = largest if shape is None else [b if a in (None, -1) else a for a, b in zip(shape, largest, strict=True)]
    if any(v.dtype != values[0].dtype for v in values):
        return [_filled([v], target, fill)[0] for v in values]  # an error, on stacking
    return list(values) if all(list(v.shape) == target for v in values) else _filled(values, target, fill)


def _filled(values: Sequence[np.ndarray], shape: Sequence[int], fill: Any) -> np.ndarray:
    """Return each array in the corner of one of `shape`; larger arrays are cut off, as in MindSpore."""
    padded = empty((len(values), *shape), values[0].dtype)
    padded[...] = fill
    for place, value in zip(padded, values, strict=True):
        box = tuple(slice(0, min(a, b)) for a, b in zip(value.shape, shape, strict=True))
        place[box] = value[box]
    return padded


@register_node
class PaddedBatchDataset(BatchDataset):
    """Batches of rows of different shapes, padded."""

    def __init__(
        self,
        input_dataset: Dataset,
        batch_size: int | Callable,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: PadInfo | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers, **kwargs)
        self.pads = pad_info is not None  # an empty dict pads every column, None none
        self.pad_info = _check_pad_info(pad_info)

    def _begin_session(self) -> None:
        positions(list(self.pad_info), self.children[0]._column_names(), "pad_info")

    def _make(self, info: BatchInfo, columns: Sequence[Any]) -> Row:
        names = self.children[0]._column_names()
        if self.per_batch_map is None:
            return _pad_columns(columns, names, self.pad_info) if self.pads else super()._make(info, columns)
        padded = [
            _pad_column(rows_of(column), name, *self.pad_info[name]) if name in self.pad_info else column
            for name, column in zip(names, columns, strict=True)
        ]
        return self._map_batch(info, padded)


@register_node
class BucketBatchByLengthDataset(Dataset):
    """Rows of similar length batched together, each bucket with its own batch size."""

    def __init__(
        self,
        input_dataset: Dataset,
        column_names: Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable | None,
        pad_info: PadInfo | None,
        pad_to_bucket_boundary: bool,
        drop_remainder: bool,
    ) -> None:
        self.column_names = check_columns(column_names, "column_names")
        _check_buckets(bucket_boundaries, bucket_batch_sizes)
        if element_length_function is None and len(self.column_names) != 1:
            raise ValueError("If element_length_function is not specified, exactly one column name should be passed.")
        super().__init__(input_dataset)
        self.boundaries = list(bucket_boundaries)
        self.batch_sizes = list(bucket_batch_sizes)
        self.element_length_function = element_length_function
        self.pad_info = _check_pad_info(pad_info)
        self.pad_to_bucket_boundary = pad_to_bucket_boundary
        self.drop_remainder = drop_remainder

    def _stream(self, run: Run) -> Iterator[Row]:
        names = self.children[0]._column_names()
        places = positions(self.column_names, names, "bucket_batch_by_length")
        positions(list(self.pad_info), names, "pad_info")
        buckets: list[list[Row]] = [[] for _ in self.batch_sizes]
        for row in self.children[0]._stream(run):
            number = bisect_right(self.boundaries, self._length(tuple(row[i] for i in places)))
            buckets[number].append(row)
            if len(buckets[number]) == self.batch_sizes[number]:
                yield self._batch(buckets[number], number, names)
                buckets[number] = []
        for number, rows in enumerate(buckets):
            if rows and not self.drop_remainder:
                yield self._batch(rows, number, names)

    def _length(self, values: tuple) -> int:
        if self.element_length_function is None:
            return next(iter(getattr(values[0], "shape", ())), 0)
        length = call_user_function(self.element_length_function, values, "element_length_function failed.")
        return _to_int32(length, "Invalid element_length_function, the return value should be an integer")

    def _batch(self, rows: list[Row], number: int, names: Sequence[str]) -> Row:
        if not self.pad_to_bucket_boundary:
            return _pad_columns(list(zip(*rows, strict=True)), names, self.pad_info)
        pad_info = {
            name: (None if shape is None else [self._boundary(number) if n in (None, -1) else n for n in shape], fill)
            for name, (shape, fill) in self.pad_info.items()
        }
        return _pad_columns(list(zip(*rows, strict=True)), names, pad_info)

    def _boundary(self, number: int) -> int:
        if number >= len(self.boundaries):
            raise RuntimeError("pad_to_bucket_boundary: the element falls in the last bucket, which has no boundary.")
        return self.boundaries[number] - 1


def _check_buckets(boundaries: Any, batch_sizes: Any) -> None:
    if any(a >= b for a, b in pairwise(boundaries)):
        raise ValueError(f"bucket_boundaries should be strictly increasing, but got {boundaries}.")
    if len(batch_sizes) != len(boundaries) + 1 or min(batch_sizes) < 1:
        raise ValueError(f"bucket_batch_sizes must be {len(boundaries) + 1} positive numbers, but got {batch_sizes}.")
