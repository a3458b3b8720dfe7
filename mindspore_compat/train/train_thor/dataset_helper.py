"""Batches for `thor`. MindSpore: ``mindspore.train.train_thor.dataset_helper``."""

from __future__ import annotations

from typing import Any

from mindspore_compat.train import dataset_helper

__all__ = ["DatasetHelper"]


class DatasetHelper(dataset_helper.DatasetHelper):
    """`mindspore.train.DatasetHelper`; ``iter_first_order``, steps of the first-order graph, has no effect: there is
    one schedule.
    """

    def __init__(
        self,
        dataset: Any,
        dataset_sink_mode: bool = True,
        sink_size: int = -1,
        epoch_num: int = 1,
        iter_first_order: int = 1,
    ) -> None:
        super().__init__(dataset, dataset_sink_mode, sink_size, epoch_num)
        self.iter_first_order = iter_first_order
