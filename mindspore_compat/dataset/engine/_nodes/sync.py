"""Pipelines that wait for training: sync_wait and sync_update."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mindspore_compat import log
from mindspore_compat.dataset.core.independent import refuse_if_independent
from mindspore_compat.dataset.engine._dataset import Dataset, register_node
from mindspore_compat.dataset.engine._execution.columns import Row
from mindspore_compat.dataset.engine._execution.session import Run
from mindspore_compat.dataset.engine._node import Node

__all__ = ["SyncWaitDataset"]


@register_node
class SyncWaitDataset(Dataset):
    """Node that passes on rows for `num_batch` batches above it, then those that `sync_update` releases.

    The pipeline runs on demand in the reading thread, so waiting there would never end: reading an unreleased row ends
    the waiting for good, with a warning, as MindSpore's time-out does.
    """

    condition_name: str

    def __init__(
        self, input_dataset: Dataset, condition_name: str, num_batch: int, callback: Callable | None = None
    ) -> None:
        refuse_if_independent("Dataset sync wait")
        super().__init__(input_dataset)
        self.condition_name = condition_name
        self.num_batch = num_batch
        self.callback = callback
        self._is_disabled = False
        self._released = self._at_once = num_batch  # rows

    def _size(self) -> int:
        return self.children[0].get_dataset_size()

    def is_sync(self) -> bool:
        return True

    def disable_sync(self) -> None:
        self._is_disabled = True

    def batched(self, batch_size: int) -> None:
        """Count so many rows as one batch above."""
        self._at_once *= batch_size
        self._released = self._at_once

    def release(self, rows: int | None, data: Any) -> None:
        """Let more rows pass and hand `data` to the callback."""
        self._released += self._at_once if rows is None else rows
        if self.callback is not None:
            self.callback(data)

    def _stream(self, run: Run) -> Iterator[Row]:
        self._released = self._at_once
        for row in self.children[0]._stream(run):
            if not self._is_disabled and self._released <= 0:
                log.warning(
                    f"sync_wait '{self.condition_name}': no row is released, and it waits no longer. Call "
                    f"sync_update('{self.condition_name}') after every {self.num_batch} batches."
                )
                self._is_disabled = True
            self._released -= 1
            yield row


@register_node
def sync_update(dataset: Dataset, condition_name: str, num_batch: int | None = None, data: Any = None) -> None:
    """Release the node of that name below `dataset`. Raises: RuntimeError where there is none."""
    nodes = [node for node in waiting(dataset) if node.condition_name == condition_name]
    if not nodes:
        raise RuntimeError(f"Condition name not found: {condition_name!r}.")
    for node in nodes:
        node.release(num_batch, data)


def waiting(dataset: Node) -> Iterator[SyncWaitDataset]:
    """Yield the `SyncWaitDataset` nodes in a pipeline."""
    if isinstance(dataset, SyncWaitDataset):
        yield dataset
    for child in dataset.children:
        yield from waiting(child)
