"""A sampler of the program that counts its epochs: MindSpore asks it once when the pipeline is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds


class Counting:
    """Another order in each epoch, of which the first is not read."""

    epoch = 0

    def __iter__(self) -> Iterator[int]:
        order = np.random.RandomState(self.epoch).permutation(6).tolist()
        self.epoch += 1
        return iter(order)

    def __len__(self) -> int:
        return 6


class Numbers:
    """Rows 0 to 5."""

    def __getitem__(self, place: int) -> tuple[np.ndarray, ...]:
        return (np.array(place),)

    def __len__(self) -> int:
        return 6


class Rows:
    """Rows without a length, which count how often they are read."""

    passes = 0

    def __iter__(self) -> Iterator[tuple[np.ndarray, ...]]:
        self.passes += 1
        return iter([(np.array(place),) for place in range(3)])


MAKERS: dict[str, Callable[[Counting], Any]] = {
    "generator": lambda sampler: ds.GeneratorDataset(Numbers(), ["x"], sampler=sampler),
    "slices": lambda sampler: ds.NumpySlicesDataset(list(range(6)), ["x"], sampler=sampler),
    "batches": lambda sampler: ds.GeneratorDataset(Numbers(), ["x"], sampler=sampler).batch(1),
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_first_order_is_asked_for_and_not_read(name: str) -> None:
    sampler = Counting()
    rows = MAKERS[name](sampler).create_tuple_iterator(num_epochs=2, output_numpy=True)
    found = [[int(np.ravel(row[0])[0]) for row in rows] for _ in range(2)]
    # of real MindSpore 2.10: the orders of epochs 1 and 2
    assert found == [[4, 1, 3, 2, 5, 0], [3, 5, 4, 1, 0, 2]]


def test_concat_reads_sources_without_a_length_once() -> None:
    sources = [Rows(), Rows()]
    first, second = (ds.GeneratorDataset(source, ["x"]) for source in sources)
    assert [source.passes for source in sources] == [1, 1]
    first.concat(second)
    assert [source.passes for source in sources] == [2, 2]
