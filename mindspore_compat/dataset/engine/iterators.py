"""Iterators over a pipeline. MindSpore: ``mindspore.dataset.engine.iterators``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Iterator as RowIterator
from typing import Any
from weakref import ref

import numpy as np

from mindspore_compat.common.tensor import Tensor
from mindspore_compat.dataset.core import config
from mindspore_compat.dataset.core.validator_helpers import check_columns
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.subprocess_session import Epochs, epochs_of

__all__ = ["DictIterator", "Iterator", "TupleIterator"]

#: Weak references to the live iterators, which test suites end after each test with ``_cleanup``.
ITERATORS_LIST: list[ref[Iterator]] = []


def _cleanup() -> None:
    """End every iterator that lives."""
    for known in reversed(ITERATORS_LIST):
        iterator = known()
        if iterator is not None:
            iterator.release()


class Iterator:
    """Iterator over the rows of one epoch; the next ``for`` loop over it is the next epoch.

    Worker processes live as long as the iterator. A `for` loop left early resumes at that row, as in MindSpore.
    """

    def __init__(self, dataset: Any, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False) -> None:
        names = dataset._column_names()
        visible = [name for name in names if not name.startswith("_meta-")]  # a source's extra columns are for renaming
        if len(visible) < len(names):
            dataset = dataset.project(visible)
        self.dataset = dataset
        self._num_epochs = num_epochs
        self._names = dataset._column_names()
        self._rows: RowIterator[Row] | None = None
        ITERATORS_LIST.append(ref(self))
        self._convert = _converter(output_numpy, do_copy or config.get_iterator_mode()["do_copy"])
        skip: int = dataset.get_init_step()
        epoch, skip = divmod(skip, max(dataset.get_dataset_size(), 1)) if skip else (0, 0)
        self._epoch: int = epoch
        self._epochs: Epochs | None = epochs_of(dataset, self._epoch, skip)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return self._output(self._next_row())

    def get_next(self) -> Any:
        """Return the next row. From MindSpore 1.x; the same as `next`."""
        return next(self)

    def _output(self, row: Row) -> Any:
        raise NotImplementedError

    def _next_row(self) -> Row:
        if self._rows is None:
            if self._epochs is None:
                raise RuntimeError("The iterator was stopped.")
            if self._num_epochs != -1 and self._epoch >= self._num_epochs:
                raise RuntimeError(
                    "EOF buffer encountered. User tries to fetch data beyond the specified number of epochs, "
                    f"num_epochs: {self._num_epochs}."
                )
            self._rows = self._epochs.epoch(self._epoch)
            self._epoch += 1
        try:
            return next(self._rows)
        except StopIteration:
            self._rows = None
            if self._epoch == self._num_epochs and self._epochs is not None:
                self._epochs.close()
            raise
        except Exception:
            self.stop()
            raise

    def get_col_names(self) -> list[str]:
        """Return names of the columns."""
        return list(self._names)

    def stop(self) -> None:
        """End the worker processes now."""
        epochs, self._epochs = getattr(self, "_epochs", None), None
        self._rows = None
        ITERATORS_LIST[:] = [known for known in ITERATORS_LIST if known() not in (None, self)]
        if epochs is not None:
            epochs.close()

    release = stop

    def __del__(self) -> None:
        self.stop()


class DictIterator(Iterator):
    """Rows as dicts from column name to value."""

    def _output(self, row: Row) -> dict[str, Any]:
        convert = self._convert
        return {name: convert(value) for name, value in zip(self._names, row, strict=True)}


class TupleIterator(Iterator):
    """Rows as lists of values."""

    def __init__(
        self,
        dataset: Any,
        columns: str | Sequence[str] | None = None,
        num_epochs: int = -1,
        output_numpy: bool = False,
        do_copy: bool = False,
    ) -> None:
        if columns is not None:
            dataset = dataset.project(check_columns(columns, "column_names"))
        super().__init__(dataset, num_epochs, output_numpy, do_copy)

    def _output(self, row: Row) -> list[Any]:
        return [self._convert(value) for value in row]


def _converter(output_numpy: bool, do_copy: bool) -> Callable[[Any], Any]:
    """Return the converter of a column for the user; texts stay NumPy arrays, objects are converted leaf by leaf."""

    def to_array(value: Any) -> Any:
        return np.array(value) if do_copy else np.asarray(value)

    def to_tensor(value: Any) -> Any:
        value = np.asarray(value)
        if value.dtype.kind not in "biufc":
            return value
        if do_copy or not value.flags.writeable or not value.flags.c_contiguous:
            value = np.array(value, order="C")
        return Tensor.from_numpy(value)

    leaf = to_array if output_numpy else to_tensor

    def convert(value: Any) -> Any:
        return _leaf_by_leaf(value, leaf) if isinstance(value, dict) else leaf(value)

    return convert


def _leaf_by_leaf(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return a Python object with its numbers, texts and arrays converted; other leaves stay unchanged."""
    if isinstance(value, dict):
        return {key: _leaf_by_leaf(item, leaf) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_leaf_by_leaf(item, leaf) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, (int, float, str, np.ndarray, np.generic)):
        return leaf(value)
    return value
