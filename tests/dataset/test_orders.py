"""With a seed rows come in real MindSpore's order (tests/golden/dataset_orders.json), and operations draw as its do
(dataset_draws.json).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat._runtime.random_engines import LinearCongruential, MersenneTwister, MersenneTwister64
from mindspore_compat.dataset.core import randomness
from mindspore_compat.mindrecord import FileWriter
from tests.dataset import draw_cases
from tests.dataset.order_cases import CASES, make_files, orders

_FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((_FOLDER / "dataset_orders.json").read_text())
DRAWS = json.loads((_FOLDER / "dataset_draws.json").read_text())


@pytest.fixture(autouse=True)
def unseeded():
    yield
    randomness.reseed(randomness.DEFAULT_SEED)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders")
    make_files(folder, FileWriter)
    return str(folder)


@pytest.mark.parametrize("case", CASES)
def test_orders_are_those_of_mindspore(root, case):
    assert {seed: orders(ds, case, int(seed), root) for seed in GOLDEN[case]} == GOLDEN[case]


@pytest.mark.parametrize("case", draw_cases.CASES)
def test_draws_are_those_of_mindspore(case):
    assert {seed: draw_cases.drawn(ds, case, int(seed)) for seed in DRAWS[case]} == DRAWS[case]


def test_engines_give_the_numbers_that_the_standard_names():
    assert MersenneTwister(5489).raw(10000)[-1] == 4123659995
    assert LinearCongruential(1).raw(10000)[-1] + 1 == 1043618065
    engine = MersenneTwister64(5489)
    engine.skip(9999)
    assert engine.remainders(np.array([2**64 - 1], np.uint64)) == [9981545732273789042 - 2**64]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 31, 65535, 65536, 65537])
def test_a_shuffle_is_that_of_single_swaps(size):
    order, engine = list(range(size)), MersenneTwister(7)
    if engine.range // size >= size:  # two places of one number
        if size % 2 == 0:
            place = engine.integer(0, 1)
            order[1], order[place] = order[place], order[1]
        for place in range(2 - size % 2, size - 1, 2):
            both = engine.integer(0, (place + 1) * (place + 2) - 1)
            for at, target in ((place, both // (place + 2)), (place + 1, both % (place + 2))):
                order[at], order[target] = order[target], order[at]
    else:
        for place in range(1, size):
            target = engine.integer(0, place)
            order[place], order[target] = order[target], order[place]
    assert MersenneTwister(7).shuffled(size).tolist() == order


@pytest.mark.parametrize(
    "make",
    [
        "shuffle=True)",
        "shuffle=False).shuffle(7)",
        "shuffle=True).filter(lambda x: x.max() > 3)",
        "shuffle=True).map(ds.vision.RandomHorizontalFlip(), 'i', num_parallel_workers=1)",
    ],
)
def test_resuming_in_a_later_epoch_goes_on_as_if_nothing_had_happened(make):
    def rows(step):
        ds.config.set_seed(3)
        images = np.arange(20, dtype=np.uint8)[:, None, None, None] + np.array([[[0], [100]]], np.uint8)
        dataset = eval(f"ds.NumpySlicesDataset(images, ['i'], {make}", {"ds": ds, "images": images})
        dataset.set_init_step(step)
        found = dataset.create_tuple_iterator(num_epochs=3, output_numpy=True)
        size = dataset.get_dataset_size()
        return size, [[int(x[0, 0, 0]) for (x,) in found] for _ in range(3 - step // size)]

    size, all_epochs = rows(0)
    for step in (size, 2 * size, 2 * size + 5):
        later = rows(step)[1]
        assert later == [all_epochs[step // size][step % size :], *all_epochs[step // size + 1 :]]


def test_the_seed_given_last_counts():
    from mindspore_compat import set_seed

    def order():
        return [
            int(x)
            for (x,) in ds.NumpySlicesDataset(np.arange(20)).create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]

    ds.config.set_seed(5)
    five = order()
    set_seed(6)
    assert ds.config.get_seed() == 6 and order() != five
    ds.config.set_seed(5)
    assert order() == five
