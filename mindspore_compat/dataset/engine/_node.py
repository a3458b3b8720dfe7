"""Base of every pipeline node. `_dataset.py` adds the operations, `_nodes/` and `_sources/` have the nodes.

Any node streams: `_stream` yields the rows of one pass. A node that can be read by row number (`_is_indexed`) also has
`_order`, the numbers of one pass; then a batch is one task for the chain of nodes below it: the source's `_fetch`
(rows) or `_fetch_columns`, then each node's `_step`, from columns to columns. A column is a block (an array with one
more axis in front, if it lies in one array already or an operation can treat it as a whole) or a list of the rows'
values. Nodes that only order rows never touch data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.validator_helpers import workers_in_range
from mindspore_compat.dataset.engine._execution.columns import Row, first_row
from mindspore_compat.dataset.engine._execution.rng_workers import WorkerTask
from mindspore_compat.dataset.engine._execution.session import Parallelism, Run, Session


class Node:
    """Node of the pipeline with its children: the interface of the engine and of users. Operations are those of
    `Dataset`, which every node is.

    Args:
        children: the node or nodes this one reads from.
        num_parallel_workers: workers for this node, default `config.get_num_parallel_workers`; more than the CPUs
            is lowered.
        cache: accepted without effect (MindSpore's cache server).
    """

    def __init__(
        self, children: Node | Sequence[Node] | None = None, num_parallel_workers: int | None = None, cache: Any = None
    ) -> None:
        self.children: list[Node] = [children] if isinstance(children, Node) else list(children or ())
        if num_parallel_workers is None:
            self._lowered = config.get_num_parallel_workers(), config.wanted_workers()
        else:
            self._lowered = workers_in_range(num_parallel_workers), num_parallel_workers
        self.num_parallel_workers = self._lowered[0]
        self._cached_size: int | None = None
        self._cached_signature: tuple[list[list[int]], list[Any]] | None = None
        self._init_step: int | None = None
        self._input_indexs: Any = ()

    @property
    def _wanted_workers(self) -> int:
        """`num_parallel_workers` before it was lowered to the CPUs, unless it was set again since: each of so many
        workers has its own random numbers.
        """
        lowered, wanted = self._lowered
        return wanted if self.num_parallel_workers == lowered else self.num_parallel_workers

    # ---- what nodes implement

    def _column_names(self) -> list[str]:
        return self.children[0]._column_names()

    def _size(self) -> int:
        """Return the number of rows of one pass; by default they are counted."""
        return sum(1 for _ in _one_pass(self))

    def _stream(self, run: Run) -> Iterator[Row]:
        tasks = ((run.task_key(self, i), (None, index)) for i, index in enumerate(self._order(run)[:, None]))
        return run.session.fetch(self, first_row, tasks, Parallelism())

    def _is_indexed(self) -> bool:
        return False

    def _order(self, run: Run) -> np.ndarray:
        raise NotImplementedError

    def _fetch(self, index: np.ndarray) -> list[Row]:
        """Return rows of a source by number."""
        raise NotImplementedError

    def _fetch_columns(self, index: np.ndarray) -> list[Any]:
        """Return rows of a source as columns."""
        return [list(column) for column in zip(*self._fetch(index), strict=True)]

    def _file_of(self, number: int) -> str:
        """Return the file that a row of a source is read from, for messages; empty where there is none."""
        return ""

    def _step_in_lanes(self, value: Any, ticket: WorkerTask) -> list[Any]:
        """Run `_step`, for a node with rows that draw at random lane by lane."""
        return self._step(value)

    def _step(self, value: Any) -> list[Any]:
        """Return this node's part of a batch: from row numbers to columns for a source, else columns to columns."""
        return value if self.children else self._fetch_columns(value)

    def _parallelism(self) -> Parallelism:
        """Return this node's parallelism, without those below."""
        return Parallelism()

    #: Whether other rows than come from below leave, or in another order.
    _moves_rows = False
    #: Operations that others call, which begin alike in all lanes.
    _called_operations: Sequence[Any] = ()

    def _begin_session(self) -> None:
        """Prepare for a new iterator."""

    def __len__(self) -> int:
        return self.get_dataset_size()

    # ---- questions

    def get_col_names(self) -> list[str]:
        """Return names of the columns, in order."""
        return list(self._column_names())

    @cached_property
    def column_names(self) -> list[str]:
        """Names of the columns, in order."""
        return self.get_col_names()

    def get_dataset_size(self) -> int:
        """Return the rows (batches, after `batch`) of one epoch; an endless `repeat` counts once.

        Examples:
            >>> print(ds.NumpySlicesDataset(np.arange(10)).batch(4).get_dataset_size())
            3
        """
        if self._cached_size is None:
            self._cached_size = self._size()
        return self._cached_size

    def output_shapes(self, estimate: bool = False) -> list[list[Any]]:
        """Return the shape of each column, from the first row; with `estimate` None marks sizes that differ."""
        if not estimate:
            return [list(shape) for shape in self._signature()[0]]
        shapes: list[list[Any]] = [list(shape) for shape in self._signature()[0]]
        for row in _one_pass(self):
            for shape, value in zip(shapes, row):
                shape[:] = [a if a == b else None for a, b in zip(shape, np.shape(value))]
        return shapes

    def output_types(self) -> list[Any]:
        """Return the NumPy dtype of each column, from the first row."""
        return list(self._signature()[1])

    def _signature(self) -> tuple[list[list[int]], list[Any]]:
        if self._cached_signature is None:
            row = next(_one_pass(self, is_serial=True), None)
            if row is None:
                return [], []  # nothing is known of the columns
            self._cached_signature = (
                [[0] if isinstance(v, dict) else list(getattr(v, "shape", ())) for v in row],
                [_type_of(value) for value in row],
            )
        return self._cached_signature

    def get_batch_size(self) -> int:
        """Return the size of the batches that this pipeline makes, 1 where it makes none."""
        return self.children[-1].get_batch_size() if self.children else 1

    def get_repeat_count(self) -> int:
        """Return the count of the topmost `repeat`, 1 without one, -1 if endless; of several datasets the last."""
        return self.children[-1].get_repeat_count() if self.children else 1

    def num_classes(self) -> int | None:
        """Return number of classes of the source, None where it has no classes."""
        return self.children[0].num_classes() if self.children else None

    def get_class_indexing(self) -> dict[str, int]:
        """Return the labels by class name, empty where the source has none."""
        return self.children[0].get_class_indexing() if self.children else {}

    def is_shuffled(self) -> bool:
        """Return whether the order is random."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self) -> bool:
        """Return whether only a shard is read."""
        return any(child.is_sharded() for child in self.children)

    def is_sync(self) -> bool:
        """Return whether a `sync_wait` is in the pipeline."""
        return any(child.is_sync() for child in self.children)

    def disable_sync(self) -> None:
        """Let every `sync_wait` pass."""
        for child in self.children:
            child.disable_sync()

    def reset(self) -> None:
        """Start over at the next iterator; kept for old scripts."""

    def set_init_step(self, init_step: int) -> None:
        """Set the steps to skip when the next iterator is made (to resume within an epoch)."""
        self._init_step = init_step

    def get_init_step(self) -> int:
        """Return the steps of `set_init_step`; by default those of the only input."""
        if self._init_step is not None:
            return self._init_step
        return self.children[0].get_init_step() if len(self.children) == 1 else 0

    @property
    def input_indexs(self) -> Any:
        """The value set on this node, or on the first node below that has it; without effect (MindSpore's device queue
        read it).
        """
        found = (child.input_indexs for child in self.children)
        return self._input_indexs if self._input_indexs != () else next((value for value in found if value != ()), ())

    @input_indexs.setter
    def input_indexs(self, value: Any) -> None:
        self._input_indexs = value

    def parse(self, children: Any = None) -> Node:
        """Return the node that the engine runs. MindSpore builds a C++ object from ``children``; here a dataset is its
        own node.
        """
        return self

    @property
    def dataset_size(self) -> int | None:
        """The size if it is known already."""
        return self._cached_size

    @dataset_size.setter
    def dataset_size(self, value: int | None) -> None:
        self._cached_size = value


def _one_pass(node: Node, is_serial: bool = False) -> Iterator[Row]:
    session = Session(node, is_serial)
    try:
        yield from node._stream(session.epoch(0))
    finally:
        session.close()


def _type_of(value: Any) -> Any:
    """Return the type of a column; that of strings and bytes has no length."""
    if isinstance(value, dict):
        return np.dtype(object)
    dtype = getattr(value, "dtype", type(value))
    return np.dtype(dtype.kind) if getattr(dtype, "kind", None) in ("S", "U") else dtype
