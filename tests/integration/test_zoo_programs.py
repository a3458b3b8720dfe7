"""Scripts as the model zoo writes them run untouched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.processes import run_python

PROGRAMS = Path(__file__).with_name("programs")


@pytest.mark.parametrize("amp", ["O0", "O2"])
def test_a_resnet_script_trains_saves_and_loads(amp: str, tmp_path: Path) -> None:
    done = run_python("-m", "mindspore_compat", str(PROGRAMS / "zoo_resnet.py"), "--amp", amp, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    losses = [float(value) for value in re.findall(r"^epoch: \d step: \d, loss is (\S+)$", done.stdout, re.MULTILINE)]
    assert len(losses) == 8 and losses[-1] < losses[0]
    assert "([], ['global_step', 'momentum', 'learning_rate'])" in done.stdout
    assert sorted(path.name for path in (tmp_path / "ck" / "ckpt_0").iterdir()) == ["resnet-2_4.ckpt"]
    assert "np.int" in done.stderr, "numpy's old names were given back, and it was said"
