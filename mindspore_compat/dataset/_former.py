"""Data sets of earlier releases of MindSpore, where they gave something else; see `mindspore_compat._releases`."""

from __future__ import annotations

import operator
import os

from mindspore_compat._api.releases import with_arguments
from mindspore_compat.dataset.engine._dataset import Dataset
from mindspore_compat.dataset.engine._nodes.batch import BatchDataset

#: method: its arguments by position before 2.0
_ORDERS = {
    "map": "operations input_columns output_columns column_order num_parallel_workers",
    "batch": "batch_size drop_remainder num_parallel_workers per_batch_map input_columns output_columns column_order "
    "pad_info",
}


def select(number: tuple[int, int]) -> None:
    """Give data sets their meaning of a release before 2.1."""
    _before_2_1()
    if number < (2, 0):
        for name, order in _ORDERS.items():
            setattr(Dataset, name, with_arguments(getattr(Dataset, name), order.split(), {}))


def _before_2_1() -> None:
    os.environ.setdefault("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "True")
    BatchDataset.epoch_of = operator.attrgetter("pass_number")
