"""The main job: the untouched script trains, its checkpoint scores the same in torch, and in real MindSpore."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.support.oracle import run_oracle
from tests.support.processes import run_command, run_python

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, str]:
    """(folder of the checkpoints, what the script printed)."""
    if importlib.util.find_spec("sklearn") is None:
        pytest.skip("the demo's digits come with scikit-learn (make demo installs it)")
    folder = tmp_path_factory.mktemp("demo")
    done = run_command(str(EXAMPLES / "lenet_digits.py"), "--ckpt_dir", str(folder), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def _accuracy(text: str) -> float:
    return float(re.search(r"Test.*?([01]\.\d+)", text).group(1))


def test_the_script_prints_upstreams_lines_and_reaches_97_percent(demo) -> None:
    folder, printed = demo
    assert re.search(r"^epoch: 1 step: 44, loss is \d\.\d+$", printed, re.MULTILINE)
    assert re.search(r"^Train epoch time: \d+\.\d{3} ms, per step time: \d+\.\d{3} ms$", printed, re.MULTILINE)
    assert _accuracy(printed) >= 0.97
    assert sorted(item.name for item in folder.glob("*.ckpt")) == [
        "LeNet5-10_44.ckpt",
        "LeNet5-15_44.ckpt",
        "LeNet5-20_44.ckpt",
    ]


def test_a_plain_torch_lenet_scores_the_same(demo) -> None:
    folder, printed = demo
    done = run_python(str(EXAMPLES / "lenet_in_torch.py"), "LeNet5-20_44.ckpt", cwd=folder)
    assert "0 missing" in done.stdout, done.stderr
    assert _accuracy(done.stdout) == pytest.approx(_accuracy(printed), abs=1e-6)


_REAL = """
import sys
import numpy as np
import mindspore as ms
from mindspore import nn
sys.path.insert(0, sys.argv[1])
source = open(sys.argv[1] + "/lenet_digits.py").read()
body = source[source.index("class LeNet5"):source.index("class Digits")]
space = {"nn": nn, "Normal": ms.common.initializer.Normal}
exec(body, space)
net = space["LeNet5"]()
missing, unused = ms.load_param_into_net(net, ms.load_checkpoint(sys.argv[2]), strict_load=True)
net.set_train(False)
data = np.load(sys.argv[3])
give({"missing": missing, "predicted": net(ms.Tensor(data["x"])).asnumpy().argmax(1).tolist()})
"""


@pytest.mark.oracle
def test_real_mindspore_loads_the_checkpoint_and_predicts_the_same(demo, tmp_path) -> None:
    import torch

    sys.path.insert(0, str(EXAMPLES))
    try:
        import lenet_in_torch
    finally:
        sys.path.remove(str(EXAMPLES))
    from mindspore_compat import load_checkpoint, load_param_into_net

    checkpoint = str(demo[0] / "LeNet5-20_44.ckpt")
    images, _ = lenet_in_torch.test_digits()
    np.savez(tmp_path / "digits.npz", x=images.numpy())
    net = lenet_in_torch.LeNet5()
    load_param_into_net(net, load_checkpoint(checkpoint))
    with torch.no_grad():
        ours = net(images).argmax(1).tolist()
    real = run_oracle(_REAL, str(EXAMPLES), checkpoint, str(tmp_path / "digits.npz"))
    assert real["missing"] == [] and real["predicted"] == ours
