"""What operations draw that others call, and contrast around a mean between two levels: MindSpore 2.10's numbers."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import transforms, vision


def same(image: Any) -> Any:
    return image


# C++ draws for those that Python calls anew at each row, and for those that C++ calls goes on
OPERATIONS: dict[str, Callable[[], Any]] = {
    "order": lambda: transforms.RandomOrder([vision.RandomCrop(20), same]),
    "order of two": lambda: transforms.RandomOrder([vision.RandomCrop(20), vision.RandomVerticalFlip()]),
    "apply": lambda: transforms.RandomApply([vision.RandomCrop(20), same], 0.7),
    "apply order": lambda: transforms.RandomApply([transforms.RandomOrder([vision.RandomCrop(20)])], 0.6),
    "choice": lambda: transforms.RandomChoice([vision.RandomCrop(20), same]),
}
#: by operation the first elements of five rows: in one thread and in one process, and in two processes
FIRST = {
    "order": ([55, 55, 55, 55, 55], [55, 454, 55, 454, 55]),
    "order of two": ([1005, 1005, 1005, 1905, 1005], [1005, 1404, 1005, 1404, 1005]),
    "apply": ([55, 650, 214, 0, 972], [55, 55, 650, 0, 214]),
    "apply order": ([55, 55, 0, 55, 55], [55, 454, 55, 0, 0]),
    "choice": ([55, 650, 214, 0, 972], [55, 55, 650, 650, 214]),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(("workers", "in_processes"), [(1, False), (1, True), (2, True)])
def test_operations_that_others_call(name: str, workers: int, in_processes: bool) -> None:
    states = random.getstate(), np.random.get_state(), ds.config.get_seed()
    try:
        ds.config.set_seed(11)
        random.seed(11)
        np.random.seed(11)
        image = np.arange(40 * 50, dtype=np.int32).reshape(40, 50, 1)
        data = ds.NumpySlicesDataset([image] * 5, ["image"], shuffle=False)
        data = data.map(OPERATIONS[name](), "image", num_parallel_workers=workers, python_multiprocessing=in_processes)
        found = [int(row.ravel()[0]) for (row,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        ds.config.set_seed(states[2])
    assert found == FIRST[name][workers - 1]


@pytest.mark.parametrize(("level", "expected"), [(10, 10), (11, 12), (112, 112), (113, 114), (200, 200)])
def test_contrast_around_a_mean_between_two_levels(level: int, expected: int) -> None:
    image = np.full((4, 6, 3), level, np.uint8)
    image[:, :3] = level + 1
    assert np.unique(vision.AdjustContrast(0.0)(image)) == [expected]
    assert np.unique(vision.RandomColorAdjust(contrast=(0.0, 0.0))(image)) == [expected]
