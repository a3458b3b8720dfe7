"""Holding a pipeline back until training has caught up: sync_wait and sync_update."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mindspore_compat.dataset.core.validator_helpers import check_pos_int32, refused, type_check
from mindspore_compat.dataset.engine._dataset import Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._node import Node

__all__ = ["SyncWaitDataset"]


@register_node
class SyncWaitDataset(Dataset):
    """Passes `num_batch` rows on, then waits for `sync_update`.

    The pipeline runs on demand in the thread that asks for data, so waiting there would wait forever: asking for a row
    that has not been released is an error instead of upstream's time-out.
    """

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: int, callback: Callable | None = None
    ) -> None:
        type_check(condition_name, str, "condition_name")
        check_pos_int32(num_batch, "num_batch")
        if callback is not None and not callable(callback):
            raise TypeError("Callback is not callable.")
        super().__init__(input_dataset)
        self.condition_name = condition_name
        self.num_batch = num_batch
        self.callback = callback
        self._is_disabled = False
        self._released = num_batch

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def is_sync(self) -> bool:
        return True

    def disable_sync(self) -> None:
        self._is_disabled = True

    def release(self, num_batch: int | None, data: Any) -> None:
        """Let more rows pass and hand `data` to the callback."""
        self._released += self.num_batch if num_batch is None else num_batch
        if self.callback is not None:
            self.callback(data)

    def _stream(self, run: Run) -> Iterator[Row]:
        self._released = self.num_batch
        for row in self.children[0]._stream(run):
            if not self._is_disabled and self._released <= 0:
                raise RuntimeError(
                    f"sync_wait '{self.condition_name}': no batch is released; call "
                    f"sync_update('{self.condition_name}') after every {self.num_batch} batches, or disable_sync()."
                )
            self._released -= 1
            yield row


@register_node
def sync_update(dataset: Dataset, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
    """Release the node of that name below `dataset`. Raises: RuntimeError where there is none."""
    if num_batch is not None and (not isinstance(num_batch, int) or num_batch <= 0):
        raise refused(ValueError, "num_batch must be a positive int.", num_batch)
    nodes = [n for n in _nodes(dataset) if isinstance(n, SyncWaitDataset) and n.condition_name == condition_name]
    if not nodes:
        raise RuntimeError(f"Condition name not found: {condition_name!r}.")
    for node in nodes:
        node.release(num_batch, data)


def _nodes(dataset: Node) -> Iterator[Node]:
    yield dataset
    for child in dataset.children:
        yield from _nodes(child)
