"""Nodes that only change selection and order of rows: shuffle, repeat, skip, take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count as count_from
from itertools import islice
from typing import Any

import numpy as np

from mindspore_compat.dataset.core.randomness import Order
from mindspore_compat.dataset.core.validator_helpers import INT32_MAX, check_columns, check_value
from mindspore_compat.dataset.engine._dataset import Columns, Dataset, register_node
from mindspore_compat.dataset.engine._execution.buffer import shuffled_places, through_buffer
from mindspore_compat.dataset.engine._execution.columns import Row, positions
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.transforms._operation import call_user_function

__all__ = ["FilterDataset", "RepeatDataset", "ShuffleDataset", "SkipDataset", "TakeDataset", "TransferDataset"]


class _IndexNode(Dataset):
    """Base of nodes that pass their child's rows on; a subclass gives `_order` and `_pick`."""

    def __init__(self, input_dataset: Dataset) -> None:
        super().__init__(input_dataset)

    def _is_indexed(self) -> bool:
        return self.children[0]._is_indexed()

    def _stream(self, run: Run) -> Iterator[Row]:
        return super()._stream(run) if run.session.by_number(self) else self._pick(run)

    def _pick(self, run: Run) -> Iterator[Row]:
        raise NotImplementedError


@register_node
class TransferDataset(_IndexNode):
    """Result of `Dataset.device_que`: the rows unchanged."""

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)

    def _pick(self, run: Run) -> Iterator[Row]:
        return self.children[0]._stream(run)

    def send(self, num_epochs: int = -1) -> None:
        """Do nothing: there is no queue on the device; see `Dataset.device_que`."""

    def continue_send(self) -> None:
        """Do nothing; see `send`."""

    def stop_send(self) -> None:
        """Do nothing; see `send`."""


@register_node
class ShuffleDataset(_IndexNode):
    """Rows drawn from a buffer of the next `buffer_size`."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, buffer_size: int) -> None:
        check_value(buffer_size, (2, INT32_MAX), "buffer_size")
        super().__init__(input_dataset)
        self.buffer_size = buffer_size
        self._reshuffles = True  # at each pass

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def is_shuffled(self) -> bool:
        return True

    def _order(self, run: Run) -> np.ndarray:
        order = self.children[0]._order(run)
        return order[shuffled_places(len(order), self.buffer_size, self._random_order(run))]

    def _random_order(self, run: Run) -> Order:
        order = run.order_of(self)
        return order if self._reshuffles else order.first()

    def _pick(self, run: Run) -> Iterator[Row]:
        rows, count = self.children[0]._stream(run), self.children[0].get_dataset_size
        return through_buffer(rows, self.buffer_size, self._random_order(run), count)


@register_node
class RepeatDataset(_IndexNode):
    """The child's rows `count` times, each pass shuffled and augmented anew; -1 or None without end."""

    def __init__(self, input_dataset: Dataset, count: int | None = None) -> None:
        if count not in (None, -1):
            check_value(count, (1, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = -1 if count is None else count

    def _size(self) -> int:
        return self.children[0].get_dataset_size() * max(self.count, 1)

    def get_repeat_count(self) -> int:
        return super().get_repeat_count() if self.count == 1 else self.count

    def _is_indexed(self) -> bool:
        return self.count > 0 and super()._is_indexed()

    def _order(self, run: Run) -> np.ndarray:
        return np.concatenate([self.children[0]._order(run.repeated(i, self.count)) for i in range(self.count)])

    def _pick(self, run: Run) -> Iterator[Row]:
        for i in range(self.count) if self.count > 0 else count_from():
            is_empty = True
            for row in self.children[0]._stream(run.repeated(i, self.count)):
                is_empty = False
                yield row
            if is_empty and self.count < 0:  # it may be so for ever
                return


@register_node
class SkipDataset(_IndexNode):
    """The rows after the first `count`."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        check_value(count, (0, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = count

    def _size(self) -> int:
        return max(0, self.children[0].get_dataset_size() - self.count)

    def _order(self, run: Run) -> np.ndarray:
        return self.children[0]._order(run)[self.count :]

    def _pick(self, run: Run) -> Iterator[Row]:
        return islice(self.children[0]._stream(run), self.count, None)


@register_node
class TakeDataset(_IndexNode):
    """The first `count` rows; -1 takes all."""

    _moves_rows = True

    def __init__(self, input_dataset: Dataset, count: int = -1) -> None:
        if count != -1:
            check_value(count, (1, INT32_MAX), "count")
        super().__init__(input_dataset)
        self.count = count

    def _size(self) -> int:
        child = self.children[0]
        if self.count < 0:
            return child.get_dataset_size()
        if child.get_repeat_count() == -1:  # an endless stream has enough rows
            return self.count
        return min(self.count, child.get_dataset_size())

    def _order(self, run: Run) -> np.ndarray:
        order = self.children[0]._order(run)
        return order if self.count < 0 else order[: self.count]

    def _pick(self, run: Run) -> Iterator[Row]:
        run.session.read_on(self)
        rows = self.children[0]._stream(run)
        yield from rows if self.count < 0 else islice(rows, self.count)
        run.session.leave(self, rows)


@register_node
class FilterDataset(Dataset):
    """The rows for which the predicate holds."""

    def __init__(
        self,
        input_dataset: Dataset,
        predicate: Callable,
        input_columns: Columns | None = None,
        num_parallel_workers: int | None = None,
    ) -> None:
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate = predicate
        self.input_columns = None if input_columns is None else check_columns(input_columns, "input_columns")

    def _stream(self, run: Run) -> Iterator[Row]:
        names = self.children[0]._column_names()
        places = positions(self.input_columns or names, names, "input")
        for row in self.children[0]._stream(run):
            if call_user_function(self._holds, tuple(row[i] for i in places), "filter operation failed."):
                yield row

    def _holds(self, *values: Any) -> bool:
        result = self.predicate(*values)
        if isinstance(result, np.ndarray) and result.size == 0:
            return False
        return bool(result)  # as `if` decides: an error for several elements
