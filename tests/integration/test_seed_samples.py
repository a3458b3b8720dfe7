"""The samples of MindSpore's documentation run as printed; only what they take for granted (data, LeNet5, imports) is put in front."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindspore_compat

SAMPLES = Path(__file__).parents[1] / "golden" / "seed_samples"

IMPORTS = """
import numpy as np
import mindspore
from mindspore import DatasetHelper, FixedLossScaleManager, Model, Tensor, connect_network_with_dataset, nn
from mindspore import dataset as ds
from mindspore.nn import Momentum
from mindspore.train.callback import Callback
"""
DATA = """
def get_dataset():
    images = np.random.rand(2, 3, 224, 224).astype(np.float32)
    return ds.NumpySlicesDataset((images, np.array([1, 2], np.int32)), ["image", "label"]).batch(2)
def create_dataset(path=None):
    images = np.random.rand(64, 1, 32, 32).astype(np.float32)
    return ds.NumpySlicesDataset((images, np.random.randint(0, 10, 64).astype(np.int32)), ["image", "label"]).batch(32)
"""
NET = (SAMPLES / "model.py").read_text().split("net = Net()")[0]
LENET = (SAMPLES / "model_checkpoint.py").read_text().split("net = LeNet5()")[
    0
] + "from mindspore.train.callback import LossMonitor, TimeMonitor\n"
#: sample: (what stands in front, what it prints)
CASES = {
    "callback": ("", ["step_num:  1", "step_num:  2"]),
    "callback_of_2": ("", ["step_num:  1", "step_num:  2"]),
    "loss_monitor": (LENET, ["epoch: 10 step: 2, loss is "]),
    "time_monitor": (LENET, ["Train epoch time: "]),
    "model_checkpoint": ("", []),
    "learning_rate_scheduler": ("", []),
    "history": ("", ["{'epoch': [1, 2]}", "{'net_output': ["]),
    "lambda_callback": ("", ["loss: "]),
    "model": ("", []),
    "model_eval": (NET, []),
    "model_predict": (NET, []),
    "model_loss_scale": (NET, []),
    "dataset_helper": (
        "dataset = create_dataset()\nclass Net(nn.Cell):\n    def construct(self, image, label): return image\nnetwork = Net()\n",
        [],
    ),
    "connect_network": ("class Net(nn.Cell): pass\n", []),
    "print_info": (
        "epoch, dataset = 1, create_dataset()\nnet = nn.SequentialCell(nn.Flatten(), nn.Dense(1024, 10))\n"
        "model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean'), Momentum(net.trainable_params(), 0.1, 0.9))\n",
        ["1\n1", "1\n2"],
    ),
}


@pytest.fixture
def alias():
    """`import mindspore` delivers ours, for one test."""
    mindspore_compat.install()
    yield
    mindspore_compat.uninstall()


@pytest.mark.parametrize("name", CASES)
def test_sample_runs_as_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], alias: None
) -> None:
    before, expected = CASES[name]
    monkeypatch.chdir(tmp_path)
    exec(
        compile(IMPORTS + DATA + before + (SAMPLES / f"{name}.py").read_text(), f"{name}.py", "exec"),
        {"__name__": "__main__"},
    )
    printed = capsys.readouterr().out
    for text in expected:
        assert text in printed
    if name == "model_checkpoint":
        names = sorted(path.name for path in (tmp_path / "checkpoint").iterdir())
        assert names == [
            "LeNet5-10_1.ckpt",
            "LeNet5-10_2.ckpt",
            "LeNet5-8_2.ckpt",
            "LeNet5-9_1.ckpt",
            "LeNet5-9_2.ckpt",
        ]
