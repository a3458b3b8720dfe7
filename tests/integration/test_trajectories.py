"""50 steps from one start on one set of data: our losses and parameters are real MindSpore's.

tests/golden/trajectory_*.npz were written by trajectory_program.py under real MindSpore 2.10 (PyNative); the oracle
test writes them anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.oracle import oracle_python

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NETS = ["lenet", "resnet", "encoder"]


def _run(command: list[str], name: str, out: Path) -> dict[str, np.ndarray]:
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "benchmarks"), str(ROOT)]),
        "GLOG_v": "3",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "DNNL_MAX_CPU_ISA": "AVX2",
    }
    subprocess.run([*command, str(HERE / "trajectory_program.py"), name, str(out)], env=env, check=True, timeout=300)
    with np.load(out) as file:
        return dict(file)


def _check(ours: dict[str, np.ndarray], real: dict[str, np.ndarray]) -> None:
    assert list(ours) == list(real), "parameter names or their order differ"
    np.testing.assert_allclose(ours["losses"], real["losses"], rtol=1e-4)
    for name in real:
        if name != "losses" and not name.startswith(("moments.", "moment1.", "moment2.")):
            np.testing.assert_allclose(ours[name], real[name], rtol=1e-3, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("name", NETS)
def test_fifty_steps_as_the_golden_run(name: str, tmp_path: Path) -> None:
    with np.load(ROOT / "tests" / "golden" / f"trajectory_{name}.npz") as file:
        _check(_run([sys.executable, "-m", "mindspore_compat"], name, tmp_path / "ours.npz"), dict(file))


@pytest.mark.oracle
@pytest.mark.parametrize("name", NETS)
def test_fifty_steps_as_real_mindspore(name: str, tmp_path: Path) -> None:
    real = _run([str(oracle_python()), "-W", "ignore"], name, tmp_path / "real.npz")
    _check(_run([sys.executable, "-m", "mindspore_compat"], name, tmp_path / "ours.npz"), real)
