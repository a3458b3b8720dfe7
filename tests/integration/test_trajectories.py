"""50 steps from one start on one set of data: our losses and parameters are real MindSpore's.

tests/golden/trajectory_*.npz were written by trajectory_program.py under real MindSpore 2.10 (PyNative); the oracle
test writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.support.oracle import run_oracle
from tests.support.processes import run_command

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = HERE / "trajectory_program.py"
PATHS = [str(ROOT / "benchmarks"), str(ROOT)]
NETS = ["lenet", "resnet", "encoder"]


def _numbers(file: Path) -> dict[str, np.ndarray]:
    with np.load(file) as numbers:
        return dict(numbers)


def _ours(name: str, folder: Path) -> dict[str, np.ndarray]:
    done = run_command(str(PROGRAM), name, "ours.npz", cwd=folder, environment={"PYTHONPATH": os.pathsep.join(PATHS)})
    assert done.returncode == 0, done.stderr[-2000:]
    return _numbers(folder / "ours.npz")


def _check(ours: dict[str, np.ndarray], real: dict[str, np.ndarray]) -> None:
    assert list(ours) == list(real), "parameter names or their order differ"
    np.testing.assert_allclose(ours["losses"], real["losses"], rtol=1e-4)
    for name in real:
        if name != "losses" and not name.startswith(("moments.", "moment1.", "moment2.")):
            np.testing.assert_allclose(ours[name], real[name], rtol=1e-3, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("name", NETS)
def test_fifty_steps_as_the_golden_run(name: str, tmp_path: Path) -> None:
    _check(_ours(name, tmp_path), _numbers(ROOT / "tests" / "golden" / f"trajectory_{name}.npz"))


@pytest.mark.oracle
@pytest.mark.parametrize("name", NETS)
def test_fifty_steps_as_real_mindspore(name: str, tmp_path: Path) -> None:
    run_oracle(f"import sys\nsys.path[:0] = {PATHS!r}\n{PROGRAM.read_text()}", name, "real.npz", cwd=tmp_path)
    _check(_ours(name, tmp_path), _numbers(tmp_path / "real.npz"))
