"""With a seed and several workers rows draw as real MindSpore's do (tests/golden/dataset_lanes.json), however many
threads there are.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset.core import config, randomness, validator_helpers
from mindspore_compat.dataset.engine._execution import session
from mindspore_compat.dataset.vision import RandomCrop
from tests.dataset import lane_cases

_FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((_FOLDER / "dataset_lanes.json").read_text())


@pytest.fixture(autouse=True)
def unseeded():
    yield
    randomness.reseed(randomness.DEFAULT_SEED)


def _threads(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(validator_helpers, "cpu_count", lambda: count)
    monkeypatch.setattr(session, "cpu_count", lambda: count)


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("case", [case for case in lane_cases.CASES if case not in lane_cases.IN_PROCESSES])
def test_pipelines_draw_as_mindspores(case: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _threads(monkeypatch, threads)
    assert {seed: lane_cases.digests(ds, case, int(seed)) for seed in GOLDEN[case]} == GOLDEN[case]


@pytest.mark.multi_process
@pytest.mark.parametrize("case", lane_cases.IN_PROCESSES)
def test_functions_in_processes_draw_as_mindspores(case: str) -> None:
    assert {seed: lane_cases.digests(ds, case, int(seed)) for seed in GOLDEN[case]} == GOLDEN[case]


@pytest.mark.parametrize("case", lane_cases.OPERATIONS)
def test_operations_draw_as_mindspores(case: str) -> None:
    wanted = GOLDEN[case]
    assert {count: lane_cases.operation_digests(ds, case, int(count)) for count in wanted} == wanted


class Failing(lane_cases.Source):
    def __getitem__(self, index: int) -> Any:
        image, number = super().__getitem__(index)
        return (image[:2] if index in (9, 14, 17) else image), number


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_row_that_fails_is_the_error(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _threads(monkeypatch, threads)
    config.set_seed(3)
    data = ds.GeneratorDataset(Failing(30), ["a", "b"], shuffle=False).map(RandomCrop(9), "a", num_parallel_workers=4)
    rows = data.batch(3).create_tuple_iterator(num_epochs=1, output_numpy=True)
    for _ in range(3):
        next(rows)
    with pytest.raises(RuntimeError, match="RandomCrop"):
        next(rows)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("dataset")]


def test_rows_that_are_left_are_read_when_the_next_pass_begins() -> None:
    """Not before: the last pass needs none of them."""
    config.set_seed(3)
    seen: list[int] = []
    data = ds.NumpySlicesDataset(np.arange(20), "a", shuffle=False)
    data = data.map(lambda value: (seen.append(int(value)), value)[1], "a", num_parallel_workers=1).take(5)
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [int(row[0]) for row in rows] == seen == list(range(5))
    assert [int(row[0]) for row in rows] == list(range(5))
    assert seen == [*range(20), *range(5)]


def test_without_a_seed_rows_that_are_not_needed_are_not_read() -> None:
    seen: list[int] = []
    data = ds.NumpySlicesDataset(np.arange(20), "a", shuffle=False)
    data = data.map(lambda value: (seen.append(int(value)), value)[1], "a").take(5)
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert len(list(rows)) == len(list(rows)) == 5 and len(seen) == 10


def test_the_number_that_was_asked_for_counts_also_where_there_are_fewer_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    _threads(monkeypatch, 1)
    values = dict(config._values)

    def read(workers: int | None, later: int | None = None) -> list[Any]:
        config.set_seed(3)
        data = ds.GeneratorDataset(lane_cases.Source(9), ["a", "b"], shuffle=False)
        data = data.map(RandomCrop(9), "a", num_parallel_workers=workers)
        data.num_parallel_workers = later or data.num_parallel_workers
        return [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]

    try:
        config.set_num_parallel_workers(8)
        assert config.get_num_parallel_workers() == 1
        assert read(None) == read(8) != read(3) != read(1)
        config.set_num_parallel_workers(1)
        assert read(None) == read(1)
        _threads(monkeypatch, 4)
        assert read(3, later=2) == read(2) != read(3)
    finally:
        config._values.update(values)
