"""Sources of records (lines, mostly) of files: their names, readers in turns, shards, which are runs of records."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import Order, Unshuffled
from mindspore_compat.dataset.engine._execution.buffer import files_in_order, shuffled_rows
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._sources.base import SourceDataset, check_shards
from mindspore_compat.dataset.engine._sources.described import Described, as_column
from mindspore_compat.dataset.engine.samplers import Shuffle


def found_files(dataset_files: Any) -> list[str]:
    """Return the files of a name, a pattern or a list of them, in the order of their names.

    Raises:
        TypeError: for another type. ValueError: if there is none.
    """
    if not isinstance(dataset_files, (str, list)) or not all(isinstance(item, str) for item in dataset_files):
        raise TypeError("dataset_files should be type str or a list of strings.")
    patterns = [dataset_files] if isinstance(dataset_files, str) else dataset_files
    found: list[str] = []
    missing: list[str] = []
    for pattern in patterns:
        matches = (
            [pattern]
            if os.path.isfile(pattern)
            else sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
        )
        found.extend(matches)
        missing.extend([] if matches else [pattern])
    if missing or not found:
        raise ValueError(f"The following patterns did not match any files: {missing}.")
    return sorted(found)


def equal_share(ranges: Iterable[np.ndarray], shards: int, shard: int) -> list[np.ndarray]:
    """Return the share of a shard when all get as many rows: a run of rows, which wraps around at the end."""
    ranges = list(ranges)
    total = sum(map(len, ranges))
    each = -(-total // shards)
    first, share = shard * each, []
    for begin in (0, total):  # the second time round fills up the last shard
        place = begin
        for part in ranges:
            share.append(part[max(0, first - place) : max(0, first + each - place)])
            place += len(part)
    return [part for part in share if len(part)]


def in_turns(ranges: list[np.ndarray], workers: int) -> np.ndarray:
    """Return rows in the order of `workers` readers by turns; reader k reads parts k, k + workers, …"""
    if not ranges:
        return np.empty(0, np.int64)
    lanes = [np.concatenate(ranges[lane::workers]) for lane in range(min(workers, len(ranges)))]
    turns = np.concatenate([np.arange(len(lane)) * len(lanes) + number for number, lane in enumerate(lanes)])
    return np.concatenate(lanes)[np.argsort(turns, kind="stable")]


class RecordsSource(SourceDataset):
    """Base of sources of records: which files and rows are shuffled, and this one's share. A subclass gives `_read`."""

    def __init__(
        self,
        num_samples: int | None,
        num_parallel_workers: int | None,
        shuffle: Any,
        num_shards: int | None,
        shard_id: int | None,
        cache: Any,
    ) -> None:
        super().__init__(num_parallel_workers, cache)
        check_shards(num_shards, shard_id)
        self._workers = self.num_parallel_workers
        self._is_shuffled = shuffle not in (False, Shuffle.FALSE)
        self._shuffles_rows = shuffle not in (False, Shuffle.FALSE, Shuffle.FILES, Shuffle.INFILE)
        self._shuffles_files = self._shuffles_rows or shuffle is Shuffle.FILES
        self._num_samples, self._shards, self._shard = num_samples or None, num_shards, shard_id or 0

    def _read(self, order: Order) -> np.ndarray:
        """Return numbers of the records of one pass as they are read, counted through all files."""
        raise NotImplementedError

    def _size(self) -> int:
        return len(self._read(Unshuffled()))

    def _is_indexed(self) -> bool:
        return True

    def is_shuffled(self) -> bool:
        return self._is_shuffled

    def is_sharded(self) -> bool:
        return self._shards is not None and self._shards > 1


class RecordsDataset(Described, RecordsSource):
    """Rows from records. A subclass gives `_files`, `_records` and, if a record is no row yet, `_values`.

    A missing file has no rows for `get_dataset_size`, and reading its rows raises.
    """

    def _files(self) -> list[str]:
        """Return names of the files, in order. Raises: RuntimeError."""
        raise NotImplementedError

    def _records(self, path: str) -> list[Any]:
        """Return the records of one file. Raises: RuntimeError."""
        raise NotImplementedError

    def _values(self, record: Any, path: str) -> tuple:
        """Return the values of the columns. Raises: RuntimeError."""
        return record

    @cached_property
    def _parts(self) -> list[tuple[str, list[Any]]]:
        return [(path, self._records(path) if os.path.exists(path) else []) for path in self._files()]

    def _order(self, run: Run) -> np.ndarray:
        for path, _ in self._parts:
            if not os.path.exists(path):
                raise RuntimeError(f"Invalid file, {type(self).__name__} failed to open file: {path}.")
        if not any(records for _, records in self._parts):
            raise self._nothing()
        order = run.order_of(self)
        rows = self._read(order)
        if not self._shuffles_rows:
            return rows
        return shuffled_rows(rows, len(self._parts), int(self._stops[-1]), self._shards, order)

    @cached_property
    def _stops(self) -> np.ndarray:
        return np.cumsum([len(records) for _, records in self._parts])

    def _read(self, order: Order) -> np.ndarray:
        ranges = [
            np.arange(stop - len(records), stop) for stop, (_, records) in zip(self._stops, self._parts, strict=True)
        ]
        if self._shuffles_files:
            ranges = [ranges[file] for file in files_in_order(len(ranges), self._shards, order)]
        if self._shards:
            ranges = equal_share(ranges, self._shards, self._shard)
        return in_turns(ranges, self._workers)[: self._num_samples]

    def _place(self, number: int) -> int:
        """Return the place of the file that has a record."""
        return int(np.searchsorted(self._stops, number, side="right"))

    def _file_of(self, number: int) -> str:
        return self._parts[self._place(number)][0]

    def _fetch(self, index: np.ndarray) -> list[Row]:
        kinds = [kind for _, kind in self._columns()]
        rows = []
        for number in index:
            place = self._place(number)
            path, records = self._parts[place]
            values = self._values(records[number - self._stops[place]], path)
            rows.append(tuple(as_column(kind, value) for kind, value in zip(kinds, values, strict=True)))
        return rows
