"""`Dataset`: the operations of every dataset, each of which adds a node. MindSpore:
``mindspore.dataset.engine.datasets``.

A node is a `Dataset` itself, so this file cannot import the nodes: a class or function of `_nodes/` enters a table
under its own name by ``@register_node``, and the methods here find it by that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from mindspore_compat._api.placeholders import module_getattr
from mindspore_compat.dataset.engine._node import Node
from mindspore_compat.dataset.engine.iterators import DictIterator, TupleIterator
from mindspore_compat.mindrecord.filewriter import FileWriter

__all__ = ["Dataset", "zip"]

#: MindRecord holds fewer types than numpy: dtype -> its type, and the numpy dtype values are cast to
_STORED = {
    "bool": "int32",
    "int8": "int32",
    "uint8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}
_ROWS_AT_ONCE = 512


def _field(name: str, value: np.ndarray) -> dict[str, Any]:
    """Return the schema of a column, from its first value; the first axis may vary from row to row."""
    if value.dtype.kind in "SU":
        if value.ndim:
            raise RuntimeError(f"Dataset.save: column {name!r} has strings of shape {value.shape}; only () is stored.")
        return {"type": "bytes" if value.dtype.kind == "S" else "string"}
    try:
        stored = _STORED[value.dtype.name]
    except KeyError:
        raise RuntimeError(f"Dataset.save: column {name!r} has the type {value.dtype}, not MindRecord's.") from None
    return {"type": stored, "shape": [-1, *value.shape[1:]]} if value.ndim else {"type": stored}


def _as_stored(value: np.ndarray, field: dict[str, Any]) -> Any:
    if field["type"] in ("string", "bytes"):
        return value.item()
    cast = value.astype(field["type"])
    return cast if "shape" in field else cast.item()


def save_as_mindrecord(rows: Iterator[dict[str, np.ndarray]], file_name: str, num_files: int) -> None:
    """Write the rows; the schema comes from the first one."""
    writer = FileWriter(file_name, num_files)
    schema: dict[str, dict[str, Any]] = {}
    pending: list[dict[str, Any]] = []
    for row in rows:
        if not schema:
            schema = {name: _field(name, value) for name, value in row.items()}
            writer.add_schema(schema, "saved by Dataset.save")
        pending.append({name: _as_stored(value, schema[name]) for name, value in row.items()})
        if len(pending) == _ROWS_AT_ONCE:
            writer.write_raw_data(pending)
            pending = []
    if not schema:
        raise RuntimeError("Dataset.save: the dataset has no rows, so there is nothing to save.")
    if pending:
        writer.write_raw_data(pending)
    writer.commit()


Columns = str | Sequence[str]
Maker = TypeVar("Maker", bound=Callable[..., Any])

#: Name -> maker of the node. `_nodes/` fills it; importing any module of `engine` loads all of it.
_MAKERS: dict[str, Callable[..., Any]] = {}


def register_node(maker: Maker) -> Maker:
    """Register a node's class, or a function that makes nodes, under its name for `Dataset` (a decorator)."""
    _MAKERS[maker.__name__] = maker
    return maker


def _make(name: str, *args: Any, **kwargs: Any) -> Any:
    return _MAKERS[name](*args, **kwargs)


class Dataset(Node):
    """Base class of all datasets. Its methods that return a dataset add a node and leave this one unchanged.

    Args:
        children: the node or nodes this one reads from.
        num_parallel_workers: workers for this node, default `config.get_num_parallel_workers`; more than the CPUs is
            lowered.
        cache: accepted without effect (MindSpore's cache server).
    """

    # ---- operations

    def __add__(self, datasets: Dataset) -> Dataset:
        return self.concat(datasets)

    def batch(
        self,
        batch_size: int | Callable,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Return batches of `batch_size` rows (or of ``batch_size(BatchInfo)`` rows).

        Args:
            drop_remainder: leave out a last batch that is too small.
            kwargs: per_batch_map, input_columns, output_columns, python_multiprocessing, max_rowsize; the 1.x names
                column_order and pad_info still work.

        Examples:
            >>> data = ds.NumpySlicesDataset(np.arange(5), ["x"], shuffle=False)
            >>> print([row["x"].tolist() for row in data.batch(2).create_dict_iterator(output_numpy=True)])
            [[0, 1], [2, 3], [4]]
        """
        order = kwargs.pop("column_order", None)
        pad_info = kwargs.pop("pad_info", None)
        node: Dataset
        if pad_info is not None:
            node = _make(
                "PaddedBatchDataset", self, batch_size, drop_remainder, num_parallel_workers, pad_info, **kwargs
            )
        else:
            node = _make("BatchDataset", self, batch_size, drop_remainder, num_parallel_workers, **kwargs)
        return node if order is None else node.project(order)

    def padded_batch(
        self,
        batch_size: int | Callable,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict[str, tuple] | None = None,
    ) -> Dataset:
        """Return batches with columns padded to ``pad_info[column] = (shape or None for the largest, value)``; ``{}``
        pads all columns with zeros, None none.
        """
        return _make("PaddedBatchDataset", self, batch_size, drop_remainder, num_parallel_workers, pad_info)

    def bucket_batch_by_length(
        self,
        column_names: Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable | None = None,
        pad_info: dict[str, tuple] | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Batch rows of similar length together: one bucket between each two boundaries, each with its batch size."""
        return _make(
            "BucketBatchByLengthDataset",
            self,
            column_names,
            bucket_boundaries,
            bucket_batch_sizes,
            element_length_function,
            pad_info,
            pad_to_bucket_boundary,
            drop_remainder,
        )

    def map(
        self,
        operations: Any,
        input_columns: Columns | None = None,
        output_columns: Columns | None = None,
        num_parallel_workers: int | None = None,
        **kwargs: Any,
    ) -> Dataset:
        """Apply `operations` one after another to `input_columns` (default: the first) of every row.

        Args:
            output_columns: new names; needed where the number of columns changes.
            kwargs: python_multiprocessing, cache, callbacks, max_rowsize, offload; the 1.x name column_order still
                works.

        Examples:
            >>> data = ds.NumpySlicesDataset(np.arange(3), ["x"], shuffle=False)
            >>> data = data.map(lambda x: x * 2, input_columns=["x"])
            >>> print([int(row["x"]) for row in data.create_dict_iterator(output_numpy=True)])
            [0, 2, 4]
        """
        order = kwargs.pop("column_order", None)
        node = _make("MapDataset", self, operations, input_columns, output_columns, num_parallel_workers, **kwargs)
        return node if order is None else node.project(order)

    def filter(
        self, predicate: Callable, input_columns: Columns | None = None, num_parallel_workers: int | None = None
    ) -> Dataset:
        """Keep the rows for which ``predicate(*input_columns)`` holds."""
        return _make("FilterDataset", self, predicate, input_columns, num_parallel_workers)

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """Return the rows of all the datasets ``func(*columns)`` of this one's rows, one after another."""
        return _make("flat_map", self, func)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Draw each row from a buffer of the next `buffer_size` (at least 2); anew in every epoch."""
        return _make("ShuffleDataset", self, buffer_size)

    def repeat(self, count: int | None = None) -> Dataset:
        """Return the rows `count` times; None or -1 without end.

        Examples:
            >>> print(ds.NumpySlicesDataset(np.arange(3)).repeat(2).get_dataset_size())
            6
        """
        return _make("RepeatDataset", self, count)

    def skip(self, count: int) -> Dataset:
        """Drop the first `count` rows."""
        return _make("SkipDataset", self, count)

    def take(self, count: int = -1) -> Dataset:
        """Return the first `count` rows; -1 takes all."""
        return _make("TakeDataset", self, count)

    def split(self, sizes: Sequence[int] | Sequence[float], randomize: bool = True) -> list[Dataset]:
        """Return disjoint parts of the given sizes or fractions; with `randomize` their rows are shuffled."""
        return _make("split", self, sizes, randomize)

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """Return the columns of all datasets side by side, as long as the shortest."""
        others = (datasets,) if isinstance(datasets, Dataset) else datasets
        return _make("ZipDataset", (self, *others))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """Return the rows of this and then of the other datasets; columns must agree."""
        return _make("ConcatDataset", [self, *([datasets] if isinstance(datasets, Dataset) else datasets)])

    def rename(self, input_columns: Columns, output_columns: Columns) -> Dataset:
        """Rename columns."""
        return _make("RenameDataset", self, input_columns, output_columns)

    def project(self, columns: Columns) -> Dataset:
        """Keep only `columns`, in that order."""
        return _make("ProjectDataset", self, columns)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return ``apply_func(self)``."""
        return apply_func(self)

    def device_que(
        self, send_epoch_end: bool = True, create_data_info_queue: bool = False, queue_name: str = ""
    ) -> Dataset:
        """Return this dataset's rows. There is no device queue to fill, so ``send``, ``continue_send`` and
        ``stop_send`` of the result do nothing: the training loop prefetches to the device itself.
        """
        return _make("TransferDataset", self)

    def sync_wait(self, condition_name: str, num_batch: int = 1, callback: Callable | None = None) -> Dataset:
        """Hold the pipeline back until `sync_update` releases the next `num_batch` batches."""
        return _make("SyncWaitDataset", self, condition_name, num_batch, callback)

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
        """Release a `sync_wait` node and call its callback with `data`."""
        _make("sync_update", self, condition_name, num_batch, data)

    # ---- iterating

    def create_tuple_iterator(
        self, columns: Columns | None = None, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> TupleIterator:
        """Return an iterator of lists. It ends after each epoch and can be iterated `num_epochs` times (-1: always).

        Args:
            columns: which, and in what order; default all.
            output_numpy: NumPy arrays instead of Tensors. do_copy: Tensors own their memory.
        """
        return TupleIterator(self, columns, num_epochs, output_numpy, do_copy)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DictIterator:
        """Return an iterator of dicts from column name to value; see `create_tuple_iterator`.

        Examples:
            >>> data = ds.NumpySlicesDataset(np.arange(3), ["x"], shuffle=False)
            >>> for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
            ...     print(row["x"])
            0
            1
            2
        """
        return DictIterator(self, num_epochs, output_numpy, do_copy)

    def __iter__(self) -> Iterator[Any]:
        return self.create_tuple_iterator(num_epochs=1)

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write the rows as MindRecord files, which `MindDataset` reads. Small ints become int32, float16 float32.

        Raises:
            ValueError: for another file type. RuntimeError: for columns that MindRecord cannot
                hold.
        """
        if file_type != "mindrecord":
            raise ValueError(f"{file_type} dataset format is not supported; use 'mindrecord'.")
        save_as_mindrecord(self.create_dict_iterator(num_epochs=1, output_numpy=True), file_name, num_files)

    def to_json(self, filename: str = "") -> dict[str, Any]:
        """Return the pipeline as a dict, as `mindspore.dataset.serialize` does; also write it to the JSON file, if
        named.
        """
        return __getattr__("serialize")(self, filename)

    def build_sentencepiece_vocab(
        self, columns: Any, vocab_size: int, character_coverage: float, model_type: Any, params: dict[str, str]
    ) -> Any:
        """Return a `text.SentencePieceVocab` of the texts in ``columns``; see `SentencePieceVocab.from_dataset`.

        Differs: MindSpore 2.10's only warns and returns None.
        """
        from mindspore_compat.dataset.text.utils import SentencePieceVocab

        return SentencePieceVocab.from_dataset(self, columns, vocab_size, character_coverage, model_type, params)

    def build_vocab(self, columns: Any, freq_range: Any, top_k: Any, special_tokens: Any, special_first: bool) -> Any:
        """Return a `text.Vocab` of the words in ``columns``; see `Vocab.from_dataset`."""
        from mindspore_compat.dataset.text.utils import Vocab

        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)


#: upward, so by name: it knows all nodes
__getattr__ = module_getattr(__name__, {"serialize": "dataset._serialized"})


def zip(datasets: tuple[Dataset, ...]) -> Dataset:
    """Return the columns of all `datasets` side by side."""
    return _make("ZipDataset", datasets)
