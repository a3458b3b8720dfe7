"""Passes over a dataset in a loop of one's own. The orders are real MindSpore 2.10's."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat.train.dataset_helper import DatasetHelper, endless

PASSES = [[0, 1, 2, 4, 3, 5], [0, 5, 1, 4, 3, 2], [1, 3, 5, 4, 2, 0]]


def shuffled() -> Any:
    ms.set_seed(0)
    return ds.GeneratorDataset(list(range(6)), ["x"]).shuffle(6)


def values(batches: Any) -> list[int]:
    return [int(x) for (x,) in batches]


@pytest.mark.parametrize("epoch_num", [3, -1])
def test_each_pass_has_an_order_of_its_own(epoch_num: int) -> None:
    helper = DatasetHelper(shuffled(), dataset_sink_mode=False, epoch_num=epoch_num)
    assert [values(helper) for _ in range(3)] == PASSES


def test_sinking_shuffles_anew_too() -> None:
    helper = DatasetHelper(shuffled(), dataset_sink_mode=True)
    assert [values(helper) for _ in range(3)] == PASSES
    assert values(islice(endless(shuffled()), 18)) == [value for row in PASSES for value in row]


def test_a_pass_left_early_goes_on() -> None:
    helper = DatasetHelper(shuffled(), dataset_sink_mode=False, epoch_num=2)
    assert values(islice(helper, 4)) == PASSES[0][:4]
    assert values(helper) == PASSES[0][4:]
    assert values(helper) == PASSES[1]


def test_no_more_passes_than_asked_for() -> None:
    helper = DatasetHelper(shuffled(), dataset_sink_mode=False)
    assert values(helper) == PASSES[0]
    with pytest.raises(RuntimeError):
        values(helper)


def test_a_list_of_batches() -> None:
    helper = DatasetHelper([[1.0], [2.0]], dataset_sink_mode=False)
    assert [[float(x) for (x,) in helper] for _ in range(2)] == [[1.0, 2.0], [1.0, 2.0]]
