"""The Dataset base class and the nodes of the pipeline. Upstream: ``mindspore.dataset.engine.datasets``.

A node gives rows in one of two ways. Any node streams: `_stream` yields the rows of one pass. A node whose rows can
be asked for by number (`_is_indexed`) also has `_order`, the numbers of one pass; then a batch is one task for the
chain of nodes below it: the source's `_fetch` (rows) or `_fetch_columns`, then each node's `_step`, from columns to
columns. A column is a block (an array with one more axis in front, where it lies in one array already or an
operation can treat it as a whole) or a list of the rows' values. Nodes that only order rows never touch data.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, type_check, workers_in_range
from mindspore_compat.dataset.engine._columns import Row, first_row
from mindspore_compat.dataset.engine._session import Parallelism, Run, Session

if TYPE_CHECKING:
    from mindspore_compat.dataset.engine.iterators import DictIterator, TupleIterator

__all__ = ["Dataset", "zip"]

Columns = str | Sequence[str]


class Dataset:
    """Base class of all datasets: a pipeline node with its children.

    Args:
        children: the node or nodes this one reads from.
        num_parallel_workers: workers for this node, default `config.get_num_parallel_workers`; more than the CPUs
            is lowered.
        cache: accepted without effect (upstream's cache server).
    """

    def __init__(
        self,
        children: Dataset | Sequence[Dataset] | None = None,
        num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:
        self.children: list[Dataset] = [children] if isinstance(children, Dataset) else list(children or ())
        self.num_parallel_workers = (
            config.get_num_parallel_workers()
            if num_parallel_workers is None
            else workers_in_range(num_parallel_workers)
        )
        self._cached_size: int | None = None
        self._cached_signature: tuple[list[list[int]], list[Any]] | None = None
        self._init_step = 0
        self._input_indexs: Any = ()

    # ---- what nodes implement

    def _column_names(self) -> list[str]:
        return self.children[0]._column_names()

    def _size(self) -> int:
        """Rows of one pass; the general way is to count them."""
        return sum(1 for _ in _one_pass(self))

    def _stream(self, run: Run) -> Iterator[Row]:
        tasks = ((run.task_key(self, i), (None, index)) for i, index in enumerate(self._order(run)[:, None]))
        return run.session.fetch(self, first_row, tasks, Parallelism())

    def _is_indexed(self) -> bool:
        return False

    def _order(self, run: Run) -> np.ndarray:
        raise NotImplementedError

    def _fetch(self, index: np.ndarray) -> list[Row]:
        """Rows of a source by number."""
        raise NotImplementedError

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        """Rows of a source as columns."""
        return [list(column) for column in _zip(*self._fetch(index), strict=True)]

    def _step(self, value: Any) -> list[Any]:
        """This node's part of a batch: from row numbers to columns for a source, else from columns to columns."""
        return value if self.children else self._fetch_columns(value)

    def _parallelism(self) -> Parallelism:
        """What this node asks for, without those below."""
        return Parallelism()

    def _begin_session(self) -> None:
        """Called when an iterator is made."""

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
        """Batches of `batch_size` rows (or of ``batch_size(BatchInfo)`` rows).

        Args:
            drop_remainder: leave out a last batch that is too small.
            kwargs: per_batch_map, input_columns, output_columns, python_multiprocessing, max_rowsize; the 1.x names
                column_order and pad_info still work.
        """
        from mindspore_compat.dataset.engine._batch_nodes import BatchDataset, PaddedBatchDataset

        order = kwargs.pop("column_order", None)
        pad_info = kwargs.pop("pad_info", None)
        node: Dataset
        if pad_info is not None:
            node = PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info, **kwargs)
        else:
            node = BatchDataset(self, batch_size, drop_remainder, num_parallel_workers, **kwargs)
        return node if order is None else node.project(order)

    def padded_batch(
        self,
        batch_size: int | Callable,
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict[str, tuple] | None = None,
    ) -> Dataset:
        """Batches whose columns are filled up to ``pad_info[column] = (shape or None for the largest, value)``."""
        from mindspore_compat.dataset.engine._batch_nodes import PaddedBatchDataset

        return PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)

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
        from mindspore_compat.dataset.engine._batch_nodes import BucketBatchByLengthDataset

        return BucketBatchByLengthDataset(
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
        """
        from mindspore_compat.dataset.engine._row_nodes import MapDataset

        order = kwargs.pop("column_order", None)
        node = MapDataset(self, operations, input_columns, output_columns, num_parallel_workers, **kwargs)
        return node if order is None else node.project(order)

    def filter(
        self, predicate: Callable, input_columns: Columns | None = None, num_parallel_workers: int | None = None
    ) -> Dataset:
        """Keep the rows for which ``predicate(*input_columns)`` holds."""
        from mindspore_compat.dataset.engine._row_nodes import FilterDataset

        return FilterDataset(self, predicate, input_columns, num_parallel_workers)

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """The rows of all the datasets ``func(*columns)`` of this one's rows, one after another."""
        from mindspore_compat.dataset.engine._row_nodes import flat_map

        return flat_map(self, func)

    def shuffle(self, buffer_size: int) -> Dataset:
        """Draw each row from a buffer of the next `buffer_size` (at least 2); anew in every epoch."""
        from mindspore_compat.dataset.engine._index_nodes import ShuffleDataset

        return ShuffleDataset(self, buffer_size)

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows `count` times; None or -1 without end."""
        from mindspore_compat.dataset.engine._index_nodes import RepeatDataset

        return RepeatDataset(self, count)

    def skip(self, count: int) -> Dataset:
        """Without the first `count` rows."""
        from mindspore_compat.dataset.engine._index_nodes import SkipDataset

        return SkipDataset(self, count)

    def take(self, count: int = -1) -> Dataset:
        """The first `count` rows; -1 takes all."""
        from mindspore_compat.dataset.engine._index_nodes import TakeDataset

        return TakeDataset(self, count)

    def split(self, sizes: Sequence[int] | Sequence[float], randomize: bool = True) -> list[Dataset]:
        """Disjoint parts of the given sizes or fractions; with `randomize` their rows are shuffled."""
        from mindspore_compat.dataset.engine._split import split

        return split(self, sizes, randomize)

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """The columns of all datasets side by side, as long as the shortest."""
        from mindspore_compat.dataset.engine._row_nodes import ZipDataset

        type_check(datasets, (tuple, Dataset), "datasets")
        others = (datasets,) if isinstance(datasets, Dataset) else datasets
        return ZipDataset((self, *others))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The rows of this and then of the other datasets; columns must agree."""
        from mindspore_compat.dataset.engine._row_nodes import ConcatDataset

        type_check(datasets, (list, Dataset), "datasets")
        return ConcatDataset([self, *([datasets] if isinstance(datasets, Dataset) else datasets)])

    def rename(self, input_columns: Columns, output_columns: Columns) -> Dataset:
        """Columns under other names."""
        from mindspore_compat.dataset.engine._row_nodes import RenameDataset

        return RenameDataset(self, input_columns, output_columns)

    def project(self, columns: Columns) -> Dataset:
        """Only `columns`, in that order."""
        from mindspore_compat.dataset.engine._row_nodes import ProjectDataset

        return ProjectDataset(self, columns)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """``apply_func(self)``."""
        if not callable(apply_func):
            raise TypeError("apply_func must be a function.")
        dataset = apply_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"apply_func must return a dataset, but got {type(dataset)}.")
        return dataset

    def device_que(
        self, send_epoch_end: bool = True, create_data_info_queue: bool = False, queue_name: str = ""
    ) -> Dataset:
        """This dataset: there is no device queue to fill; the training loop prefetches to the device itself."""
        return self

    def sync_wait(self, condition_name: str, num_batch: int = 1, callback: Callable | None = None) -> Dataset:
        """Hold the pipeline back until `sync_update` releases the next `num_batch` batches."""
        from mindspore_compat.dataset.engine._sync import SyncWaitDataset

        return SyncWaitDataset(self, condition_name, num_batch, callback)

    def sync_update(self, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
        """Release a `sync_wait` node and call its callback with `data`."""
        from mindspore_compat.dataset.engine._sync import sync_update

        sync_update(self, condition_name, num_batch, data)

    # ---- iterating

    def create_tuple_iterator(
        self, columns: Columns | None = None, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> TupleIterator:
        """An iterator of lists. It ends after each epoch and can be iterated again, `num_epochs` times (-1: always).

        Args:
            columns: which, and in what order; default all.
            output_numpy: NumPy arrays instead of Tensors. do_copy: Tensors own their memory.
        """
        from mindspore_compat.dataset.engine.iterators import TupleIterator

        return TupleIterator(self, columns, num_epochs, output_numpy, do_copy)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DictIterator:
        """An iterator of dicts from column name to value; see `create_tuple_iterator`."""
        from mindspore_compat.dataset.engine.iterators import DictIterator

        return DictIterator(self, num_epochs, output_numpy, do_copy)

    def __iter__(self) -> Iterator[Any]:
        return self.create_tuple_iterator(num_epochs=1)

    def save(self, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
        """Write the rows as MindRecord files, which `MindDataset` reads. Small ints become int32, float16 float32.

        Raises:
            ValueError: for another file type or number of files. RuntimeError: for columns that MindRecord can not
                hold.
        """
        if file_type != "mindrecord":
            raise ValueError(f"{file_type} dataset format is not supported; use 'mindrecord'.")
        if isinstance(num_files, bool) or not isinstance(num_files, int) or not 1 <= num_files <= 1000:
            raise ValueError(f"num_files should be an int between 1 and 1000, but got {num_files!r}.")
        from mindspore_compat.dataset.engine._save import save_as_mindrecord

        save_as_mindrecord(self.create_dict_iterator(num_epochs=1, output_numpy=True), file_name, num_files)

    def __len__(self) -> int:
        return self.get_dataset_size()

    # ---- questions

    def get_col_names(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._column_names())

    @cached_property
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
        return self.get_col_names()

    def get_dataset_size(self) -> int:
        """Rows (batches, after `batch`) of one epoch; an endless `repeat` counts once."""
        if self._cached_size is None:
            self._cached_size = self._size()
        return self._cached_size

    def output_shapes(self, estimate: bool = False) -> list[list[Any]]:
        """Shape of each column, from the first row; with `estimate` None stands for sizes that differ between rows."""
        type_check(estimate, bool, "estimate")
        if not estimate:
            return [list(shape) for shape in self._signature()[0]]
        shapes: list[list[Any]] = [list(shape) for shape in self._signature()[0]]
        for row in _one_pass(self):
            for shape, value in _zip(shapes, row):
                shape[:] = [a if a == b else None for a, b in _zip(shape, np.shape(value))]
        return shapes

    def output_types(self) -> list[Any]:
        """NumPy dtype of each column, from the first row."""
        return list(self._signature()[1])

    def _signature(self) -> tuple[list[list[int]], list[Any]]:
        if self._cached_signature is None:
            row = next(_one_pass(self, is_serial=True), None)
            if row is None:
                raise RuntimeError("The dataset has no rows, so the shapes and types of its columns are unknown.")
            self._cached_signature = (
                [list(getattr(v, "shape", ())) for v in row],
                [getattr(v, "dtype", type(v)) for v in row],
            )
        return self._cached_signature

    def get_batch_size(self) -> int:
        """The size of the batches that this pipeline makes, 1 where it makes none."""
        return self.children[0].get_batch_size() if self.children else 1

    def get_repeat_count(self) -> int:
        """The count of the topmost `repeat`, 1 without one, -1 for an endless one."""
        return self.children[0].get_repeat_count() if self.children else 1

    def num_classes(self) -> int | None:
        """Number of classes of the source, None where it has no classes."""
        return self.children[0].num_classes() if self.children else None

    def get_class_indexing(self) -> dict[str, int]:
        """From class name to label, empty where the source has none."""
        return self.children[0].get_class_indexing() if self.children else {}

    def is_shuffled(self) -> bool:
        """Whether the order is random."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self) -> bool:
        """Whether only a shard is read."""
        return any(child.is_sharded() for child in self.children)

    def is_sync(self) -> bool:
        """Whether a `sync_wait` is in the pipeline."""
        return any(child.is_sync() for child in self.children)

    def disable_sync(self) -> None:
        """Let every `sync_wait` pass."""
        for child in self.children:
            child.disable_sync()

    def reset(self) -> None:
        """Start over at the next iterator; kept for old scripts."""

    def set_init_step(self, init_step: int) -> None:
        """Number of steps to leave out when the next iterator is made (to resume within an epoch)."""
        self._init_step = init_step

    def get_init_step(self) -> int:
        """See `set_init_step`."""
        return self._init_step

    @property
    def input_indexs(self) -> Any:
        """What was set on this node, or on the first of those below that has it; without effect (upstream's device
        queue read it).
        """
        found = (child.input_indexs for child in self.children)
        return self._input_indexs if self._input_indexs != () else next((value for value in found if value != ()), ())

    @input_indexs.setter
    def input_indexs(self, value: Any) -> None:
        self._input_indexs = value

    def parse(self, children: Any = None) -> Dataset:
        """The node that the engine runs. Upstream's is a C++ object made of ``children``'s; here a dataset is its own
        node.
        """
        return self

    def build_vocab(self, columns: Any, freq_range: Any, top_k: Any, special_tokens: Any, special_first: bool) -> Any:
        """A `text.Vocab` of the words in ``columns``; see `Vocab.from_dataset`."""
        from mindspore_compat.dataset.text.utils import Vocab

        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    @property
    def dataset_size(self) -> int | None:
        """The size if it is known already."""
        return self._cached_size

    @dataset_size.setter
    def dataset_size(self, value: int | None) -> None:
        self._cached_size = value


def zip(datasets: tuple[Dataset, ...]) -> Dataset:
    """The columns of all `datasets` side by side. Raises: TypeError, ValueError for fewer than two or more than
    INT32_MAX.
    """
    from mindspore_compat.dataset.engine._row_nodes import ZipDataset

    type_check(datasets, tuple, "datasets")
    if not 2 <= len(datasets) <= INT32_MAX:
        raise ValueError(f"Can't zip empty or just one dataset! Got {len(datasets)}.")
    return ZipDataset(datasets)


_zip = builtins.zip


def _one_pass(dataset: Dataset, is_serial: bool = False) -> Iterator[Row]:
    session = Session(dataset, is_serial)
    try:
        yield from dataset._stream(session.epoch(0))
    finally:
        session.close()


def __getattr__(name: str) -> Any:
    """The node classes live in modules of their own; upstream has them all here."""
    from importlib import import_module

    for module in ("_index_nodes", "_row_nodes", "_batch_nodes", "_sync", "_source_nodes", "schema", "samplers"):
        found = import_module(f"mindspore_compat.dataset.engine.{module}")
        if name in found.__all__:
            return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
