"""Scripts as the model zoo writes them run untouched, with the losses of real MindSpore
(tests/golden/make_json.py zoo_programs).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.processes import run_command

PROGRAMS = Path(__file__).with_name("programs")
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "zoo_programs.json").read_text())


def run(name: str, *arguments: str, folder: Path) -> dict[str, Any]:
    done = run_command(str(PROGRAMS / f"{name}.py"), *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.mark.parametrize("name", GOLDEN)
def test_twenty_steps_have_the_losses_of_mindspore(name: str, tmp_path: Path) -> None:
    ours, real = run(name, folder=tmp_path), GOLDEN[name]
    assert ours.pop("parameters") == real["parameters"]
    assert len(ours["losses"]) == 20
    for key, value in ours.items():
        np.testing.assert_allclose(value, real[key], rtol=1e-3, err_msg=key)


def test_lamb_with_a_dynamic_loss_scale_trains_as_without(tmp_path: Path) -> None:
    scaled, plain = (
        run("bert_pretrain", "Lamb", "scaled", folder=tmp_path),
        run("bert_pretrain", "Lamb", "plain", folder=tmp_path),
    )
    np.testing.assert_allclose(scaled["losses"], plain["losses"], rtol=1e-3)
    assert np.mean(scaled["losses"][-4:]) < 0.75 * np.mean(scaled["losses"][:4])
    assert scaled["overflows"] == [False] * 20
    assert scaled["scales"] == [2.0 ** (16 + (step + 1) // 5) for step in range(20)]


@pytest.mark.parametrize("amp", ["O0", "O2"])
def test_a_resnet_script_trains_saves_and_loads(amp: str, tmp_path: Path) -> None:
    done = run_command(str(PROGRAMS / "zoo_resnet.py"), "--amp", amp, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    losses = [float(value) for value in re.findall(r"^epoch: \d step: \d, loss is (\S+)$", done.stdout, re.MULTILINE)]
    assert len(losses) == 8 and losses[-1] < losses[0]
    assert "([], ['global_step', 'momentum', 'learning_rate'])" in done.stdout
    assert sorted(path.name for path in (tmp_path / "ck" / "ckpt_0").iterdir()) == [
        "resnet-2_4.ckpt",
        "resnet-graph.meta",
    ]
    assert "np.int" in done.stderr, "numpy's old names were given back, and it was said"
