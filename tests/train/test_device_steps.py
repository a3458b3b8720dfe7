"""Training steps on a CUDA device: no host waits, the same numbers as on the CPU, CUDA graphs. Without a GPU on the fake
device (tests/support/fakecuda), in a process of its own.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.support import fakecuda
from tests.support.processes import run_python

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() and not fakecuda.available(), reason="no CUDA device and no C++ compiler"
)


@functools.cache
def results() -> dict[str, Any]:
    run = run_python("-m", "tests.train.device_steps_program", cwd=ROOT, timeout=1200, fresh=True)
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_no_step_waits_for_the_device() -> None:
    found = results()["waits"]
    assert len(found) > 60
    assert {name: waits for name, waits in found.items() if waits} == {}


def test_steps_are_those_of_the_cpu() -> None:
    found = results()["equal"]
    assert len(found) > 140
    assert {name: item for name, item in found.items() if not item["difference"] < 1e-5} == {}
    # the first call runs eagerly, two are recorded, three warm up, the seventh is captured
    assert {name: item for name, item in found.items() if item["graphs"] != name.startswith("GRAPH")} == {}


@pytest.mark.skipif(torch.cuda.is_available(), reason="seen on the fake device only")
def test_the_loop_waits_only_for_prints_and_sends_batches_ahead() -> None:
    found = results()["loop"]
    assert (found["LossMonitor(1)"], found["LossMonitor(5)"], found["LossMonitor(0)"]) == (5, 1, 0)
    assert "In epoch: 1 step: 1, loss is NAN or INF" in found["nan"]
    assert found["batches"]["h2d_nb"] >= 10  # five batches of two columns
    assert found["batches"]["record_stream"] == 10
    assert found["batches"]["wait_event"] == 5
    assert found["left of the run"] == 0
    assert found["steps before a bad batch"] == [0, 1, 3]  # as on a CPU, although one more was read
    assert found["sinks"] == 4
    assert found["losses stay"] == 20  # what a graph gave is not overwritten by its next run


AS_GRAPH = "as one CUDA graph"


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("plain", AS_GRAPH),
        ("shapes", AS_GRAPH),
        ("own optimizer", AS_GRAPH),
        ("O1", AS_GRAPH),
        ("returns its inputs", AS_GRAPH),
        ("a number on the host", "takes or gives a tensor on the CPU"),
        ("branch on a value", AS_GRAPH),  # up to the branch
        ("sizes of values", ""),
    ],
)
def test_graphs_compute_what_python_does(case: str, said: str) -> None:
    found = results()["graphs"].get(case)
    if found is None:
        pytest.skip("seen on the fake device only")
    assert found["difference"] < 1e-5
    assert said in "".join(found["said"])
    assert bool(found["said"]) == bool(said)


def test_graphs_draw_new_random_numbers() -> None:
    found = results()["graphs"]["dropout"]
    assert found["repeats"] == 0
    assert found["losses"] == 14
    assert AS_GRAPH in found["said"][0]
