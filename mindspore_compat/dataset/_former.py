"""Data sets of earlier releases of MindSpore, where they gave something else; see `mindspore_compat._releases`."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore_compat._api.releases import around, with_arguments
from mindspore_compat._format.images import is_pil
from mindspore_compat.dataset.engine import MindDataset, MnistDataset, samplers
from mindspore_compat.dataset.engine._dataset import Dataset
from mindspore_compat.dataset.engine._nodes.batch import BatchDataset
from mindspore_compat.dataset.transforms.py_transforms import OneHotOp
from mindspore_compat.dataset.vision import _resize, c_transforms

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
    if number < (1, 1):
        _of_1_0()


def _before_2_1() -> None:
    os.environ.setdefault("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "True")
    BatchDataset.epoch_of = operator.attrgetter("pass_number")

    def as_numbers(found: Any, dataset: Any, name: str, _: Any) -> Any:
        if dataset._schema[name]["type"] != "bytes":
            return found
        return found.view(np.uint8) if isinstance(found, np.ndarray) else [value.view(np.uint8) for value in found]

    for method in ("_rows_of", "_to_column"):
        around(MindDataset, method, as_numbers)


def _of_1_0() -> None:
    around(MnistDataset, "_load_part", lambda found, *_: (np.where(found[0], np.uint8(255), found[0]), found[1]))
    samplers.configured_seed = lambda: 0  # of shards
    around(OneHotOp, "_compute", lambda found, *_: np.atleast_2d(found))

    def choose(self: Any, size: int, order: Any, labels: Any) -> Any:
        ids = self.indices_list[order.shuffled(len(self.indices_list), step=0)]
        return ids[: self._limit(len(ids))]

    setattr(samplers.SubsetRandomSampler, "_choose", choose)  # noqa: B010
    resize = _resize.resize_image

    def resized(image: Any, size: Any, interpolation: Any) -> Any:
        if isinstance(size, int) and not is_pil(image):
            height, width = image.shape[:2]
            size = tuple(int(size * length / min(height, width) + 0.5) for length in (height, width))
        return resize(image, size, interpolation)

    _resize.resize_image = resized
    for name in ("Pad", "RandomCrop", "RandomCropWithBBox"):
        base = getattr(c_transforms, name)
        parts = {"_prepare": _with_sides_of_1_0(base._prepare), "__module__": c_transforms.__name__}
        setattr(c_transforms, name, type(name, (base,), parts))


def _with_sides_of_1_0(prepare: Callable[..., Any]) -> Callable[..., Any]:
    def prepared(self: Any) -> None:
        prepare(self)
        crop = getattr(self, "_crop", self)
        left, top, right, bottom = crop.padding  # were (top, bottom, left, right), and colors blue first
        crop.padding, crop.fill_value = (right, left, bottom, top), crop.fill_value[::-1]

    return prepared
