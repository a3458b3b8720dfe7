"""`TFRecordDataset`: positions and order of rows, and columns from ``tf.train.Example`` messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore_compat._format.compressed import CompressedFile, most_bytes
from mindspore_compat._format.examples import read_in_step
from mindspore_compat._format.ragged import gather
from mindspore_compat._format.tfrecord import EXAMPLE, record_offsets
from mindspore_compat._format.wire import FormatError
from mindspore_compat.dataset.core.datatypes import numpy_dtype
from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.core.validator_helpers import check_columns, check_num_samples
from mindspore_compat.dataset.engine._execution.buffer import files_in_order, shuffled_rows
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run
from mindspore_compat.dataset.engine._sources.files import reading
from mindspore_compat.dataset.engine._sources.records import RecordsSource
from mindspore_compat.dataset.engine._sources.shards import equal_share, found_files, in_turns
from mindspore_compat.dataset.engine.samplers import Shuffle
from mindspore_compat.dataset.engine.schema import Schema

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
