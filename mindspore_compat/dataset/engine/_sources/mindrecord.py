"""`MindDataset`: rows of MindRecord files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.random_engines import LinearCongruential, MersenneTwister
from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.core.validator_helpers import check_columns, check_value
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run
from mindspore_compat.dataset.engine._sources.base import MappableDataset
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
)
from mindspore_compat.mindrecord._file import Shard, read_columns, shard_paths


class MindDataset(MappableDataset):
    """Rows of MindRecord files, written by `mindrecord.FileWriter` or MindSpore.

    Args:
        dataset_files: one name stands for all shards written with it; a list for just those files. (``dataset_file`` in
            1.x.)
        columns_list: fields to read, in that order; default all, by name.
        padded_sample, num_padded: a row (dict), and how often it is added at the end.

    With the environment variable ``MS_DEV_MINDRECORD_SHARD_BY_BLOCK=True`` a shard is a block of rows that follow each
    other instead of every ``num_shards``-th row.

    Fields of type bytes come as arrays of one string, ``S<length>`` of shape (1,), as in MindSpore.

    Examples:
        >>> writer = ms.mindrecord.FileWriter("data.mindrecord")
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": 3}, {"label": 4}])
        >>> writer.commit()
        >>> print(ds.MindDataset("data.mindrecord").get_col_names())
        ['label']
    """

    def __init__(
        self,
        dataset_files: str | list[str] | None = None,
        columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Any = None,
        padded_sample: dict[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: Any = None,
        dataset_file: str | list[str] | None = None,
    ) -> None:
        dataset_files = dataset_file if dataset_files is None else dataset_files
        if not dataset_files:
            raise ValueError("MindDataset needs dataset_files.")
        if (padded_sample is None) != (num_padded is None):
            raise ValueError("padded_sample and num_padded need to be specified together.")
        super().__init__(num_parallel_workers, sampler, num_samples, shuffle, num_shards, shard_id, cache)
        self._shards = [Shard(path) for path in shard_paths(dataset_files)]
        self._schema = self._shards[0].schema
        for shard in self._shards[1:]:
            if shard.schema != self._schema:
                raise RuntimeError(f"Invalid data, schema of {shard.path} differs from that of {self._shards[0].path}.")
        self._names = sorted(self._schema) if columns_list is None else check_columns(columns_list, "columns_list")
        for name in self._names:
            if name not in self._schema:
                raise RuntimeError(f"Invalid data, column {name} is not in the schema: {sorted(self._schema)}.")
        self._stops = np.cumsum([len(shard) for shard in self._shards])
        self._padded: Row | None = None
        self._num_padded = 0
        if padded_sample is not None and num_padded is not None:
            check_value(num_padded, (0, 2147483647), "num_padded")
            self._padded = self._padded_row(padded_sample)
            self._num_padded = num_padded

    def _padded_row(self, sample: dict[str, Any]) -> Row:
        return tuple(self._to_column(name, sample[name]) for name in self._names)

    def _to_column(self, name: str, value: Any) -> np.ndarray:
        kind = self._schema[name]["type"]
        if kind == "bytes" and isinstance(value, bytes):
            return np.frombuffer(bytearray(value), f"S{max(len(value), 1)}") if value else np.array([b""])
        return np.array(value, dtype=None if kind in ("string", "bytes") else kind)

    def _column_names(self) -> list[str]:
        return self._names

    def _labels(self) -> np.ndarray | None:
        """Return the values of the column of `PKSampler`."""
        column = next((s.class_column for s in self.sampler.chain() if isinstance(s, PKSampler)), None)
        if column is None:
            return None
        values = [shard.row(number, [column])[column] for shard in self._shards for number in range(len(shard))]
        return np.array(values)

    def _size(self) -> int:
        if isinstance(self.sampler, SubsetSampler) and self.sampler.child_sampler is None:
            return self.sampler.get_num_samples() or 0
        return super()._size()

    def _sampled(self, run: Run, further: Sequence[BuiltinSampler] = ()) -> np.ndarray:
        if not self._num_rows():
            return np.empty(0, np.int64)
        in_blocks = os.environ.get("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "").lower() == "true"
        stops = np.append(self._stops, self._num_rows()) if self._num_padded else self._stops
        sampler = run.session.sampler_of(self)
        chain = [*sampler.chain(), *further]
        rows = MindRecordOrder(chain, stops, in_blocks).rows(self._num_rows(), run.order_of(self), self._labels())
        sampler.end_pass()
        return rows

    def _parallelism(self) -> Parallelism:
        return Parallelism(threads=1)  # more would wait for each other: rows are decoded under the GIL

    def _num_rows(self) -> int:
        return int(self._stops[-1]) + self._num_padded

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        places = np.searchsorted(self._stops, index, side="right")
        if (places == len(self._stops)).any():  # padded rows
            return super()._fetch_columns(index)
        counts = np.array([len(shard) for shard in self._shards])
        try:
            columns = read_columns(self._shards, places, index - (self._stops - counts)[places], self._names)
        except (ValueError, FormatError):
            return super()._fetch_columns(index)  # raises the detailed error
        return [self._rows_of(name, columns[name]) for name in self._names]

    def _rows_of(self, name: str, values: Any) -> Any:
        """Return the values of plain fields as rows or a block of numbers; blob fields stay."""
        field = self._schema[name]
        if field["type"] == "bytes" or "shape" in field:
            return values
        return [np.array(value) for value in values] if field["type"] == "string" else np.array(values, field["type"])

    def _fetch(self, index: np.ndarray) -> list[Row]:
        return [self._row(int(i)) for i in index]

    def _file_of(self, number: int) -> str:
        place = int(np.searchsorted(self._stops, number, side="right"))
        return str(self._shards[place].path) if place < len(self._shards) else ""

    def _row(self, number: int) -> Row:
        if number >= self._stops[-1]:
            assert self._padded is not None
            return tuple(column.copy() for column in self._padded)
        place = int(np.searchsorted(self._stops, number, side="right"))
        shard = self._shards[place]
        row = shard.row(number - int(self._stops[place]) + len(shard), self._names)
        return tuple(self._to_column(name, row[name]) for name in self._names)


class MindRecordOrder:
    """The numbers of the rows of one pass: MindSpore's MindRecord has samplers of its own.

    Args:
        chain: the samplers, innermost first. stops: where each file ends. in_blocks: whether a shard is a run of rows
            that follow each other, whatever the offset.
    """

    def __init__(self, chain: list[BuiltinSampler], stops: np.ndarray, in_blocks: bool) -> None:
        self._chain, self._stops, self._in_blocks = chain, stops, in_blocks

    def rows(self, size: int, order: Order, labels: np.ndarray | None) -> np.ndarray:
        """Return row numbers of the pass of `order`."""
        return order.continued("rows", lambda state, passes: self._pass(state, passes, size, order, labels))[0]

    def _pass(
        self, state: tuple[np.ndarray, np.ndarray] | None, passes: int, size: int, order: Order, labels: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (rows of this pass, rows to take the shard of)."""
        again = [sampler for sampler in self._chain if isinstance(sampler, DistributedSampler)]
        if state is None:
            rows = whole = np.arange(size)
            for sampler in self._chain:
                whole = rows if sampler in again else whole
                rows = self._through(sampler, rows, Order(order.seed), labels)
            return rows, whole
        rows, whole = state
        if again:
            return self._through(again[-1], whole, Order(order.seed, passes), labels), whole
        for sampler in self._chain:
            if isinstance(sampler, RandomSampler):
                rows = self._through(sampler, rows, Order(order.seed, passes), labels)
        return rows, whole

    def _through(self, sampler: BuiltinSampler, rows: np.ndarray, order: Order, labels: Any) -> np.ndarray:
        """Return the rows that `sampler` chooses from `rows`."""
        if isinstance(sampler, RandomSampler):
            seed = order.seed + (1 + order.passes if sampler.reshuffle_each_epoch else 0)
            if sampler.replacement:
                count = sampler.num_samples or len(rows)
                return rows[[MersenneTwister(seed + i).integer(0, len(rows) - 1) for i in range(count)]]
            return rows[self._shuffled(sampler.shuffle, len(rows), seed)][: sampler.num_samples or None]
        if isinstance(sampler, DistributedSampler):
            sampler.check()
            if sampler.shuffle != Shuffle.FALSE:
                rows = rows[self._shuffled(sampler.shuffle, len(rows), sampler.seed + 1 + order.passes)]
            return rows[sampler.share(len(rows), self._in_blocks)]
        if isinstance(sampler, SubsetSampler):  # modulo; negative ones as unsigned numbers
            chosen = sampler.indices_list[: sampler.num_samples or None].astype(np.uint64)
            rows = rows[(chosen % np.uint64(len(rows))).astype(np.int64)]
            is_random = isinstance(sampler, SubsetRandomSampler)
            return rows[LinearCongruential(order.seed + 1).shuffled(len(rows))] if is_random else rows
        return rows[sampler._choose(len(rows), order, None if labels is None else labels[rows])]

    def _shuffled(self, how: Any, size: int, seed: int) -> np.ndarray:
        """Return places of rows in random order; of files; or within each file."""
        if how not in (Shuffle.FILES, Shuffle.INFILE) or self._stops[-1] != size:
            return LinearCongruential(seed).shuffled(size)
        files = np.split(np.arange(size), self._stops[:-1])
        if how == Shuffle.FILES:
            return np.concatenate([files[number] for number in LinearCongruential(seed).shuffled(len(files))])
        return np.concatenate([file[LinearCongruential(seed).shuffled(len(file))] for file in files])
