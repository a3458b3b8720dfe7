"""``MS_INDEPENDENT_DATASET=True``: the pipeline in a process of its own. Numbers are real MindSpore's."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from tests.support.processes import run_python


@pytest.fixture(autouse=True)
def independent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_INDEPENDENT_DATASET", "True")


class Source:
    reads = 0

    def __getitem__(self, index: int) -> Any:
        self.reads += 1
        return np.array([os.getpid(), index])

    def __len__(self) -> int:
        return 6


class Drawing(Source):
    def __getitem__(self, index: int) -> Any:
        return np.array([np.random.randint(1000), random.randint(0, 1000)])


def test_rows_come_from_another_process_and_nothing_happens_in_this_one() -> None:
    source = Source()
    data = ds.GeneratorDataset(source, ["x"], shuffle=False).map(lambda x: x + 1).batch(4)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    for _ in range(2):
        rows = np.concatenate([row[0] for row in iterator])
        assert rows[:, 1].tolist() == [1, 2, 3, 4, 5, 6]
        assert len(set(rows[:, 0])) == 1 and rows[0, 0] != os.getpid() + 1
    assert source.reads == 0
    with pytest.raises(RuntimeError, match="EOF buffer encountered"):
        next(iterator)


def test_functions_draw_from_the_seed_in_each_iterator() -> None:
    ms.set_seed(7)
    data = ds.GeneratorDataset(Drawing(), ["x"], shuffle=False)
    for _ in range(2):
        iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        rows = [row[0].tolist() for row in iterator] + [row[0].tolist() for row in iterator]
        assert rows[:4] == [[175, 331], [196, 970], [537, 154], [502, 404]]
        assert len({tuple(row) for row in rows}) == 12


def test_without_a_seed_they_draw_from_numpys_generator_as_it_stands() -> None:
    np.random.seed(3)
    data = ds.GeneratorDataset(Drawing(), ["x"], shuffle=False)
    first = [row[0][0] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert first[:4] == [874, 664, 249, 643]
    assert np.random.randint(1000) == 874


def test_orders_and_operations_are_those_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ds.config.set_seed(5)
    images = np.random.RandomState(0).randint(0, 255, (40, 60, 50, 3), np.uint8)

    def rows() -> list[np.ndarray]:
        data = ds.NumpySlicesDataset(images, ["image"], shuffle=True)
        data = data.map([ds.vision.RandomCrop(32), ds.vision.RandomHorizontalFlip(), ds.vision.HWC2CHW()], ["image"])
        iterator = data.batch(8).create_tuple_iterator(num_epochs=2, output_numpy=True)
        return [row[0] for _ in range(2) for row in iterator]  # kept: none may be written over by those that follow

    apart = rows()
    monkeypatch.delenv("MS_INDEPENDENT_DATASET")
    here = rows()
    assert len(apart) == len(here) == 10
    assert all(np.array_equal(a, b) for a, b in zip(apart, here, strict=True))


def test_it_has_worker_processes_of_its_own_and_resumes() -> None:
    data = ds.GeneratorDataset(Source(), ["x"], shuffle=False)
    data = data.map(lambda x: np.append(x, os.getpid()), ["x"], num_parallel_workers=2, python_multiprocessing=True)
    data.set_init_step(8)  # of the second epoch's rows
    rows = [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=2, output_numpy=True)]
    assert [row[1] for row in rows] == [2, 3, 4, 5]
    assert os.getpid() not in {process for row in rows for process in (row[0], row[2])}
    assert all(row[0] != row[2] or len({row[0] for row in rows}) > 1 for row in rows)


def test_what_goes_wrong_there_is_seen_here() -> None:
    class Bad(Source):
        def __getitem__(self, index: int) -> Any:
            if index == 3:
                raise ValueError("no such picture")
            return np.array([index])

    iterator = ds.GeneratorDataset(Bad(), ["x"], shuffle=False).create_tuple_iterator(output_numpy=True)
    assert [next(iterator)[0][0] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="no such picture"):
        next(iterator)

    class Dying(Source):
        def __getitem__(self, index: int) -> Any:
            if index == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            return np.array([index])

    with pytest.raises(RuntimeError, match="was killed by signal 9"):
        list(ds.GeneratorDataset(Dying(), ["x"], shuffle=False).create_tuple_iterator())


def test_what_needs_this_process_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watching(ds.DSCallback):
        def ds_begin(self, info: Any) -> None: ...

    data = ds.NumpySlicesDataset([1, 2], shuffle=False)
    with pytest.raises(RuntimeError):
        data.map(lambda x: x, callbacks=[Watching()])
    with pytest.raises(RuntimeError):
        data.sync_wait("policy", callback=print)
    monkeypatch.delenv("MS_INDEPENDENT_DATASET")
    made = data.map(lambda x: x, callbacks=[Watching()]), data.sync_wait("policy", callback=print)
    monkeypatch.setenv("MS_INDEPENDENT_DATASET", "true")
    for each in made:
        with pytest.raises(RuntimeError):
            each.create_tuple_iterator()


def test_the_process_ends_with_the_one_that_iterates(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import numpy as np, os, mindspore_compat.dataset as ds\n"
        "def rows():\n    for _ in range(99999):\n        yield np.array([os.getpid()])\n"
        "def to_own(x):\n    return np.append(x, os.getpid())\n"
        "data = ds.GeneratorDataset(rows, ['x']).map(to_own, num_parallel_workers=2, python_multiprocessing=True)\n"
        "iterator = data.create_tuple_iterator(output_numpy=True)\n"
        "print(*next(iterator)[0])\n"
    )
    done = run_python("script.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    deadline = time.monotonic() + 20
    while alive := [number for number in done.stdout.split() if Path(f"/proc/{number}").exists()]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)
