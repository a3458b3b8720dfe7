"""`mindspore-compat check-gpu`, on the fake CUDA device in a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from mindspore_compat.cli import check_gpu, main
from tests.support import fakecuda
from tests.support.processes import run_python

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys, torch
from tests.support import fakecuda
if not torch.cuda.is_available():
    fakecuda.install(devices=1)
import mindspore_compat as ms
from mindspore_compat.cli import check_gpu, main
{change}
sys.exit(main(["check-gpu"]))
"""
#: Adam with another rate on the device, and a step that takes more memory
WRONG = """
check_gpu._OURS["Adam"] = lambda p: ms.nn.Adam(p, 2e-3 if ms.get_context("device_target") == "GPU" else 1e-3)
check_gpu._cost = lambda name, mode: (3.4 if mode == "PYNATIVE_MODE" and name == "Adam" else 3.0, 100, 0, 1.0)
"""
needs_device = pytest.mark.skipif(
    not torch.cuda.is_available() and not fakecuda.available(), reason="no CUDA device and no C++ compiler"
)


@needs_device
def test_all_checks_hold() -> None:
    done = run_python("-c", PROGRAM.format(change=""), cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "check-gpu: no checks failed"
    for name in ("Momentum", "Adam"):
        for mode in ("PYNATIVE_MODE", "GRAPH_MODE"):
            assert re.search(rf"^ok +{name}, {mode}: GPU and CPU differ by .* scale 1024 to 256$", done.stdout, re.M)
            assert re.search(rf"^ok +a step of {name}, {mode}: memory .* 0 host waits, ", done.stdout, re.M)
        assert f"{name}, GRAPH_MODE: a step runs as one CUDA graph" in done.stdout
    assert re.search(r"^ok +THOR: an inverse", done.stdout, re.M)


@needs_device
def test_what_differs_is_named() -> None:
    done = run_python("-c", PROGRAM.format(change=WRONG), cwd=ROOT)
    assert done.returncode == 1, done.stdout + done.stderr
    failed = re.findall(r"^FAILED (.*?): ", done.stdout, re.M)
    assert failed == ["Adam, PYNATIVE_MODE", "Adam, GRAPH_MODE", "a step of Adam, PYNATIVE_MODE"]
    assert done.stdout.splitlines()[-1] == "check-gpu: 3 checks failed"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_no_device_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-gpu"]) == 1
    assert "check-gpu: no CUDA device" in capsys.readouterr().out


def test_nan_is_a_difference() -> None:
    numbers = [np.ones(3, np.float32)]
    assert not check_gpu._difference(numbers, [np.array([1, np.nan, 1], np.float32)]) <= 1e-4
    assert check_gpu._difference(numbers, [np.array([1, 1.5, 1], np.float32)]) == 0.5
