"""What a running pipeline costs: queues, processor time of each operation, waiting for each batch."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat import _c_dataengine as engine

CORES = os.cpu_count() or 1


@pytest.fixture
def manager() -> Iterator[Any]:
    manager = engine.GlobalContext.profiling_manager()
    ds.config.set_monitor_sampling_interval(20)
    manager.init()
    yield manager
    manager.init()
    ds.config.set_monitor_sampling_interval(1000)


class Saved:
    def __init__(self, folder: Path, rank: str = "0") -> None:
        self.operations = json.loads((folder / f"pipeline_profiling_{rank}.json").read_text())["op_info"]
        self.usage = json.loads((folder / f"minddata_cpu_utilization_{rank}.json").read_text())
        text = (folder / f"dataset_iterator_profiling_{rank}.txt").read_text()
        self.lines = [[int(word) for word in line.split()] for line in text.splitlines()]
        self.kinds = [operation["op_type"].removesuffix("Op") for operation in self.operations]

    def waits_ms(self) -> list[int]:
        return [line[3] for line in self.lines if line[:2] == [0, 0]]

    def seconds(self, kind: str) -> float:
        """Processor time of an operation, from its shares of all processors' between samples."""
        metrics = self.usage["op_info"][self.kinds.index(kind)]["metrics"]
        times = self.usage["time_stamp"]
        shares = [a + b for a, b in zip(metrics["user_utilization"], metrics["sys_utilization"], strict=True)]
        spans = np.diff(times, prepend=times[0])
        return float(np.dot(shares, spans)) / 1000 / 100 * CORES


def profiled(manager: Any, folder: Path, data: Any, epochs: int = 1) -> Saved:
    manager.start()
    iterator = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    for _ in range(epochs):
        for _ in iterator:
            pass
    manager.stop()
    manager.save(str(folder))
    return Saved(folder)


def rows() -> Any:
    return ds.NumpySlicesDataset({"a": np.arange(8), "b": np.arange(8)}, shuffle=False)


def test_operations_and_their_tree(manager: Any, tmp_path: Path) -> None:
    data = rows().project(["a"]).rename(["a"], ["c"]).filter(lambda x: x > 2).repeat(2).skip(1).take(3).shuffle(3)
    saved = profiled(manager, tmp_path, ds.zip((data.batch(2), rows().map(lambda x: x, ["a"]))), epochs=2)
    assert saved.kinds == (
        "EpochCtrl Zip Batch Shuffle Take Skip Repeat Filter Rename Project Generator Map Generator".split()
    )
    children = [operation.get("children") for operation in saved.operations]
    assert children == [[1], [2, 11], [3], [4], [5], [6], [7], [8], [9], [10], None, [12], None]
    for kind, operation in zip(saved.kinds, saved.operations, strict=True):
        is_inline = kind in "EpochCtrl Zip Take Skip Repeat Rename Project".split()
        assert (operation["metrics"] is None) is is_inline, kind
    assert len(saved.lines) == 4 * 4
    assert [line[2] for line in saved.lines[::4]] == [1, 2, 3, 4]


def test_memory_and_processors(manager: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK_ID", "3")
    manager.start()
    for _ in rows().batch(2):
        time.sleep(0.05)
    manager.stop()
    manager.save(str(tmp_path))
    usage = Saved(tmp_path, "3").usage
    count = len(usage["time_stamp"])
    assert count >= 5 and usage["cpu_processor_num"] == CORES and usage["sampling_interval"] == 20
    assert usage["time_stamp"] == sorted(usage["time_stamp"])
    process, system = usage["process_memory_info"], usage["system_memory_info"]
    assert all(0 < pss <= rss < vss for pss, rss, vss in zip(*(process[f"{k}_mbytes"] for k in ("pss", "rss", "vss"))))
    assert all(len(values) == count for values in [*process.values(), *system.values(), *usage["device_info"].values()])
    assert max(system["used_sys_memory_mbytes"]) < system["total_sys_memory_mbytes"][0]


def burn(x: np.ndarray) -> np.ndarray:
    end = time.thread_time() + 0.03
    while time.thread_time() < end:
        pass
    return x


class Burning:
    def __init__(self, is_slow: bool) -> None:
        self.is_slow = is_slow

    def __getitem__(self, index: int) -> np.ndarray:
        return burn(np.array([index])) if self.is_slow else np.array([index])

    def __len__(self) -> int:
        return 10


@pytest.mark.parametrize("where", ["here", "processes", "source", "filter", "batch", "stream"])
def test_processor_time_goes_to_the_operation_that_works(manager: Any, tmp_path: Path, where: str) -> None:
    if where == "stream":  # a source without numbers
        data = ds.GeneratorDataset(lambda: (burn(np.array([i])) for i in range(10)), ["x"])
    else:
        data = ds.GeneratorDataset(Burning(where == "source"), ["x"], shuffle=False)
    data = data.map(burn if where in ("here", "processes") else abs, ["x"], python_multiprocessing=where == "processes")
    data = data.filter(lambda x: bool(burn(x).size) if where == "filter" else True)
    data = data.batch(2, per_batch_map=lambda x, info: [burn(burn(v)) for v in x] if where == "batch" else x)
    kind = {"here": "Map", "processes": "Map", "filter": "Filter", "batch": "Batch"}.get(where, "Generator")
    saved = profiled(manager, tmp_path, data)
    others = sum(saved.seconds(other) for other in saved.kinds if other != kind)
    assert 0.2 < saved.seconds(kind) < 0.9, saved.usage["op_info"]
    assert others < 0.1
    assert sum(saved.waits_ms()) > 200


def test_threads_run_ahead_of_a_slow_reader(manager: Any, tmp_path: Path) -> None:
    images = np.zeros((16, 40, 40, 3), np.uint8)
    data = ds.NumpySlicesDataset(images, ["image"], shuffle=False).map(ds.vision.Resize(32), ["image"]).batch(2)
    manager.start()
    for number, _ in enumerate(data.create_tuple_iterator(num_epochs=1)):
        time.sleep(0.2 if number == 1 else 0)
    manager.stop()
    manager.save(str(tmp_path))
    saved = Saved(tmp_path)
    queue = saved.operations[saved.kinds.index("Batch")]["metrics"]["output_queue"]
    assert queue["length"] >= 6 and max(queue["size"]) >= 5
    assert {line[1] for line in saved.lines if line[0] == 1 and line[2] > 1} == {queue["length"]}


def test_only_what_is_recorded_counts(manager: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number, _ in enumerate(rows().create_tuple_iterator(num_epochs=1)):
        if number == 2:
            manager.start()
        elif number == 4:
            manager.save(str(tmp_path))  # what there is up to now
            assert len(Saved(tmp_path).lines) == 4 * 2
        elif number == 5:
            manager.stop()
            manager.save(str(tmp_path))
    assert len(Saved(tmp_path).lines) == 4 * 3
    manager.start()
    for other in (rows(), rows().batch(8)):
        for _ in other.create_tuple_iterator(num_epochs=1):
            pass
    manager.stop()
    manager.save(str(tmp_path))
    assert Saved(tmp_path).kinds == ["Generator"]
    assert caplog.text.count("already enabled for a different data pipeline") == 1


def test_a_process_of_its_own(manager: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MS_INDEPENDENT_DATASET", "True")
    saved = profiled(manager, tmp_path, ds.GeneratorDataset(Burning(True), ["x"], shuffle=False).batch(2))
    assert saved.kinds == ["ReceiveBridge"]
    assert 0.2 < saved.seconds("ReceiveBridge") < 0.9
    assert saved.operations[0]["metrics"]["output_queue"]["length"] > 0
    assert len(saved.lines) == 4 * 5


def test_wrong_order_of_calls(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    manager = engine.GlobalContext.profiling_manager()
    manager.init()
    with pytest.raises(RuntimeError, match="MD ProfilingManager has not started yet"):
        manager.stop()
    manager.start()
    with pytest.raises(RuntimeError, match="MD ProfilingManager is already running"):
        manager.start()
    with pytest.raises(RuntimeError, match="Stop MD Profiler before reinitializing"):
        manager.init()
    manager.stop()
    manager.stop()
    assert "MD ProfilingManager had already stopped" in caplog.text
    manager.save(str(tmp_path))
    assert list(tmp_path.iterdir()) == []  # no pipeline ran
    with pytest.raises(RuntimeError, match="can not get realpath"):
        manager.save(str(tmp_path / "absent"))
    assert not [thread for thread in threading.enumerate() if thread.name == "dataset profile"]


def test_debug_mode_is_not_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    manager = engine.GlobalContext.profiling_manager()
    manager.init()
    ds.config.set_debug_mode(True)
    try:
        manager.start()
        list(rows().create_tuple_iterator(num_epochs=1))
        manager.stop()
    finally:
        ds.config.set_debug_mode(False)
    assert "not enabled in debug mode" in caplog.text
    manager.save(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
