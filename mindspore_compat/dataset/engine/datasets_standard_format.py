"""Sources in file formats of their own. MindSpore: ``mindspore.dataset.engine.datasets_standard_format``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mindspore_compat._format.compressed import CompressedFile, most_bytes
from mindspore_compat._format.examples import read_in_step
from mindspore_compat._format.ragged import gather
from mindspore_compat._format.tfrecord import EXAMPLE, record_offsets
from mindspore_compat._format.wire import FormatError
from mindspore_compat._runtime.random_engines import LinearCongruential, MersenneTwister
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.core.validator_helpers import check_columns, check_num_samples, check_value
from mindspore_compat.dataset.engine._execution.buffer import files_in_order, shuffled_rows
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run
from mindspore_compat.dataset.engine._sources.base import MappableDataset
from mindspore_compat.dataset.engine._sources.described import REQUIRED, TEXTS, Argument
from mindspore_compat.dataset.engine._sources.files import read_bytes, reading
from mindspore_compat.dataset.engine._sources.records import (
    RecordsDataset,
    RecordsSource,
    equal_share,
    found_files,
    in_turns,
)
from mindspore_compat.dataset.engine.samplers import (
    BuiltinSampler,
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Shuffle,
    SubsetRandomSampler,
    SubsetSampler,
)
from mindspore_compat.dataset.engine.schema import Schema
from mindspore_compat.mindrecord import _codec
from mindspore_compat.mindrecord._file import Shard, read_columns, shard_paths

__all__ = ["CSVDataset", "MindDataset", "TFRecordDataset"]


@lru_cache
def _field(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"((?:[^"]|"")*+)"|([^"{mark}\r\n]*+))({mark}|[\r\n]+|\Z)')


def csv_rows(path: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a file. Raises: RuntimeError."""
    text = read_bytes(path).decode("utf-8", "surrogateescape").lstrip("\r\n")
    rows: list[list[str]] = []
    row: list[str] = []
    place, pattern = 0, _field(delimiter)
    while place < len(text) or row:
        match = pattern.match(text, place)
        if match is None:
            raise RuntimeError(
                f"Invalid csv, {path} has a quote where none may be, or one that does not end, in row {len(rows) + 1}."
            )
        quoted, plain, end = match.groups()
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        if end != delimiter:
            rows.append(row)
            row = []
        place = match.end()
    return rows


FILES = Argument("dataset_files", REQUIRED, None, REQUIRED)


def _check_delimiter(value: Any, name: str) -> None:
    if len(value) != 1 or value in '"\r\n':
        raise ValueError(f"{name} should be one character, no quote and no line end, but got {value!r}.")


def _check_defaults(value: Any, name: str) -> None:
    if not all(isinstance(item, (str, int, float)) for item in value):
        raise TypeError(f"{name} should be a list of str, int or float, but got {value!r}.")


class CSVDataset(RecordsDataset):
    """Rows of CSV files.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; files are read in alphabetical order.
        column_defaults: an int, a float or a text for each column says its type, int32, float32 or text; default: all
            texts.
        column_names: default: the first row of the file, which then is no data.
        shuffle, num_shards, shard_id: as of `TextFileDataset`.

    Raises:
        ValueError: if there is no such file, or an argument is out of range. RuntimeError: if a row has another number
            of columns, or a value another type.
    """

    arguments = (
        FILES,
        Argument("field_delim", ",", _check_delimiter, ","),
        Argument("column_defaults", None, _check_defaults, ()),
        Argument("column_names", None, None, ()),
        *TEXTS,
    )
    dataset_files: list[str]
    field_delim: str
    column_defaults: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dataset_files = found_files(self.dataset_files)
        # `column_names` is a dataset's own attribute: the argument is stored elsewhere
        self._given_names: list[str] = list(self.__dict__.pop("column_names"))
        self._has_header = not self._given_names
        if self._has_header:
            rows = csv_rows(self.dataset_files[0], self.field_delim)
            if not rows:
                raise self._nothing()
            self._given_names = rows[0]

    def _columns(self) -> list[tuple[str, str]]:
        kinds = [
            "int32" if isinstance(value, int) else "float32" if isinstance(value, float) else "text"
            for value in self.column_defaults
        ]
        return [(name, kinds[i] if i < len(kinds) else "text") for i, name in enumerate(self._given_names)]

    def _files(self) -> list[str]:
        return self.dataset_files

    def _records(self, path: str) -> list[Any]:
        rows = csv_rows(path, self.field_delim)
        if self._has_header and rows[:1] != [self._given_names]:
            raise RuntimeError(f"Invalid csv, the first row of {path} is not {self._given_names}.")
        return rows[1:] if self._has_header else rows

    def _values(self, record: Any, path: str) -> tuple:
        columns = self._columns()
        if len(record) != len(columns):
            raise RuntimeError(f"Invalid csv, {path} has {len(record)} columns, not {len(columns)}: {record!r:.200}.")
        return tuple(_number(kind, value, path) for (_, kind), value in zip(columns, record, strict=True))


_LEADING = {"int32": re.compile(r"\s*[+-]?\d+"), "float32": re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")}


def _number(kind: str, text: str, path: str) -> Any:
    """Return the number at the start of a text, as in MindSpore."""
    if kind == "text":
        return text
    match = _LEADING[kind].match(text)
    if match is None or (kind == "int32" and not -(2**31) <= int(match[0]) < 2**31):
        raise RuntimeError(f"Invalid csv, failed to parse {text!r:.80} of {path} as {kind}.")
    return int(match[0]) if kind == "int32" else np.float32(match[0])


class MindDataset(MappableDataset):
    """Rows of MindRecord files, written by `mindrecord.FileWriter` or MindSpore.

    Args:
        dataset_files: one name stands for all shards written with it; a list for just those files. (``dataset_file`` in
            1.x.)
        columns_list: fields to read, in that order; default all, by name.
        padded_sample, num_padded: a row (dict), and how often it is added at the end.

    With the environment variable ``MS_DEV_MINDRECORD_SHARD_BY_BLOCK=True`` a shard is a block of rows that follow each
    other instead of every ``num_shards``-th row.

    Fields of type bytes come as arrays of one string, ``S<length>`` of shape (1,); before 2.1 as uint8.

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
            return _codec.bytes_column(np.frombuffer(bytearray(value), np.uint8))
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


_COMPRESSIONS = ("", "ZLIB", "GZIP")


_NATIVE: dict[str, Any] = {"int64_list": np.int64, "float_list": np.float32}


class TFRecordDataset(RecordsSource):
    """Rows of TFRecord files with ``tf.train.Example`` messages as records.

    Args:
        dataset_files: a name, a glob pattern, or a list of them; each list or pattern is sorted.
        schema: a `Schema` or its JSON file; without it the columns and types are those of the first record: int64,
            float32, and uint8 for bytes.
        columns_list: columns to read, in that order.
        shuffle: True or GLOBAL: all rows; FILES: the order of the files; False, INFILE: none.
        num_shards, shard_id: this one's share: every num_shards-th file, or with ``shard_equal_rows`` the same number
            of rows.
        compression_type: "", "ZLIB" or "GZIP".

    Without shuffling, ``num_parallel_workers`` files are read in turns, row by row, as in MindSpore; 1 reads one after
    another.

    Raises:
        ValueError: if there is no such file, or an argument is out of range.
        RuntimeError: if a file is no TFRecord file, or does not have the columns.
    """

    def __init__(
        self,
        dataset_files: str | list[str],
        schema: Schema | str | None = None,
        columns_list: list[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: Any = None,
        compression_type: str | None = None,
    ) -> None:
        if num_samples is not None:
            check_num_samples(num_samples)
        if compression_type is not None and compression_type not in _COMPRESSIONS:
            raise ValueError(f"Input compression_type must be '', 'ZLIB' or 'GZIP', but got {compression_type!r}.")
        super().__init__(num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._files = found_files(dataset_files)
        self._compression = compression_type or ""
        self._equal = shard_equal_rows
        self._contents: list[CompressedFile | None] = []
        self._opened: dict[str, CompressedFile] = {}
        self._streams: dict[str, Any] = {}
        self._index: list[np.ndarray] | None = None
        self._schema = self._columns_of(schema)
        if columns_list is not None:
            by_name = {column[0]: column for column in self._schema}
            self._schema = [by_name[name] for name in check_columns(columns_list, "columns_list")]

    # --- where rows are -----------------------------------------------------------------------------------------------

    def _places(self) -> list[np.ndarray]:
        """Return (rows, 2) offsets and lengths of each file, found when first needed."""
        if self._index is None:
            self._contents = [self._content(path) for path in self._files]
            index = []
            for path, content in zip(self._files, self._contents):
                with reading(path):
                    index.append(np.array(list(record_offsets(path, content)), np.int64).reshape(-1, 2))
            self._index = index
        return self._index

    def _content(self, path: str) -> CompressedFile | None:
        """Return the content of a compressed file."""
        if not self._compression:
            return None
        if path not in self._opened:
            with reading(path):
                self._opened[path] = CompressedFile(path, self._compression)
        return self._opened[path]

    def _first_record(self) -> tuple[str, bytes]:
        for path in self._files:
            content = self._content(path)
            with reading(path):
                for offset, length in record_offsets(path, content):
                    return path, _bytes_at(path, content, offset, length)
        raise RuntimeError(f"Invalid file. The following files are not valid TFRecordDataset files: {self._files}.")

    def _order(self, run: Run) -> np.ndarray:
        order = run.order_of(self)
        rows = self._read(order)
        if not self._shuffles_rows:
            return rows
        return shuffled_rows(rows, len(self._files), sum(map(len, self._places())), self._shards, order)

    def _read(self, order: Order) -> np.ndarray:
        counts = list(map(len, self._places()))
        starts = np.cumsum([0, *counts])
        files = list(range(len(counts)))
        by_files = bool(self._shards) and not self._equal
        if self._shards and by_files and len(files) < self._shards:
            raise RuntimeError(f"{len(files)} files for num_shards {self._shards}; shard_equal_rows divides rows.")
        if self._shuffles_files:
            files = files_in_order(len(files), self._shards, order).tolist()
        if by_files:
            files = files[self._shard :: self._shards]
        ranges = [np.arange(starts[file], starts[file + 1]) for file in files]
        if self._shards and self._equal:
            ranges = equal_share(ranges, self._shards, self._shard)
        return in_turns(ranges, self._workers)[: self._num_samples]

    # --- contents -----------------------------------------------------------------------------------------------------

    def _columns_of(self, schema: Schema | str | None) -> list[tuple[str, np.dtype | None, list[int] | None]]:
        """Return (name, dtype, shape) of each column; the dtype is None if it comes from the record."""
        if schema is None:
            features = self._features(*self._first_record())
            return [(name, None, None) for name in sorted(features)]
        if isinstance(schema, str):
            schema = Schema(schema)
        if not schema.columns:
            raise RuntimeError("Invalid data, the schema has no columns: add some with Schema.add_column.")
        if schema.num_rows and self._num_samples is None:
            self._num_samples = schema.num_rows
        return [(item["name"], numpy_dtype(item["type"]), item.get("shape")) for item in schema.columns]

    def _column_names(self) -> list[str]:
        return [name for name, _, _ in self._schema]

    def _parallelism(self) -> Parallelism:
        return Parallelism(threads=1)  # more would wait for each other: rows are decoded under the GIL

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        places = self._places()
        stops = np.cumsum(list(map(len, places)))
        files = np.searchsorted(stops, index, side="right")
        found = np.concatenate(places)[index] if len(places) > 1 else places[0][index]
        if not self._compression:
            columns = self._read_in_step(files, found)
            if columns is not None:
                return columns
        rows = [
            self._row(file, _bytes_at(self._files[file], self._contents[file], *place))
            for file, place in zip(files, found.tolist())
        ]
        return [list(column) for column in zip(*rows, strict=True)]

    def _file_of(self, number: int) -> str:
        return self._files[int(np.searchsorted(np.cumsum(list(map(len, self._places()))), number, side="right"))]

    def _read_in_step(self, files: np.ndarray, places: np.ndarray) -> list[Any] | None:
        """Return columns of uniform rows; None for rows to be read one by one, which also raises errors."""
        try:
            records = gather([self._handle(path) for path in self._files], files, places[:, 0], places[:, 1])
        except (FormatError, OSError):
            return None
        features = read_in_step(*records, {name for name, _, _ in self._schema})
        if features is None:
            return None
        columns = []
        for name, dtype, shape in self._schema:
            kind, values = features.get(name, ("", []))
            is_fitting = dtype is None or (
                dtype.kind != "U" and (kind == "bytes_list" or (dtype.kind == "f") == (kind == "float_list"))
            )
            if not kind or not is_fitting:
                return None
            try:
                columns.append(
                    _in_shape(
                        values, np.dtype(np.uint8) if kind == "bytes_list" else dtype or np.dtype(_NATIVE[kind]), shape
                    )
                )
            except ValueError:
                return None
        return columns

    def _handle(self, path: str) -> int:
        """Return an open file's descriptor; it is read by position, so forks and threads may share it."""
        stream = self._streams.get(path)
        if stream is None:
            stream = self._streams.setdefault(path, open(path, "rb", buffering=0))  # noqa: SIM115
        return stream.fileno()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_streams": {}}

    @staticmethod
    def _features(path: str, record: bytes) -> dict[str, Any]:
        try:
            features = {item.key: item.value for item in EXAMPLE.Example.FromString(record).features.feature}
        except Exception as error:  # protobuf's DecodeError
            raise RuntimeError(f"A record of {path} is no tf.train.Example: {error}") from error
        if not all(isinstance(name, str) for name in features):
            raise RuntimeError(f"A record of {path} is no tf.train.Example: the name of a feature is no UTF-8 text")
        return features

    def _row(self, file: int, record: bytes) -> Row:
        features = self._features(self._files[file], record)
        row = []
        for name, dtype, shape in self._schema:
            if name not in features:
                raise RuntimeError(f"Feature name: {name} of the schema is not in {self._files[file]}.")
            row.append(_column(name, features[name], dtype, shape, self._files[file]))
        return tuple(row)


def _in_shape(values: Any, dtype: np.dtype, shape: list[int] | None) -> Any:
    """Return a column of numbers in its type and shape. Raises: ValueError."""
    if isinstance(values, np.ndarray):
        values = values.astype(dtype, copy=False)
        if shape is None:
            return values
        if -1 in shape:
            return values.reshape(len(values), *values[0].reshape(shape).shape)
        return values.reshape(len(values), *shape)
    return [value.astype(dtype, copy=False).reshape(value.shape if shape is None else shape) for value in values]


def _column(name: str, feature: Any, dtype: np.dtype | None, shape: list[int] | None, path: str) -> np.ndarray:
    kind = next((field.name for field, _ in feature.ListFields()), None)
    if kind is None:
        array = np.empty(0, dtype or np.int64)
    elif kind == "bytes_list":
        array = _bytes_column(feature.bytes_list.value, dtype, path)
    else:
        if dtype is not None and (dtype.kind == "U" or (dtype.kind == "f") != (kind == "float_list")):
            raise RuntimeError(f"Column {name} is of {dtype} in the schema, but holds {kind} in {path}.")
        array = np.array(getattr(feature, kind).value, _NATIVE[kind])
        if dtype is not None:
            array = array.astype(dtype)
    if shape is None:
        return array
    try:
        return array.reshape(shape)
    except ValueError:
        raise RuntimeError(f"The shape of {name} in {path} is {array.shape}, in the schema {shape}.") from None


def _bytes_column(values: Any, dtype: np.dtype | None, path: str) -> np.ndarray:
    """Return texts, or the bytes themselves: one after another, padded with spaces to the longest of several."""
    if len(values) * max(map(len, values), default=0) > most_bytes(
        path
    ):  # many short ones and a long one would be mostly padding
        raise RuntimeError(f"Invalid data, a row of {path} has {len(values)} values of very different length.")
    if dtype is not None and dtype.kind == "U":
        return np.array([value.decode("utf-8", "surrogateescape") for value in values])
    longest = max(map(len, values), default=0)
    return np.frombuffer(b"".join(value.ljust(longest) for value in values), np.uint8).copy()


def _bytes_at(path: str, content: CompressedFile | None, offset: int, length: int) -> bytes:
    if content is not None:
        with reading(path):
            return content.read(offset, length)
    with open(path, "rb") as stream:
        stream.seek(offset)
        return stream.read(length)
