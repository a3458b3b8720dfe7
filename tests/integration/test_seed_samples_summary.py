"""The summary samples of MindSpore's documentation run as printed; only what they take for granted (data, LeNet5, imports) is put in front."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindspore_compat
from mindspore_compat.train.summary import read_summary

SAMPLES = Path(__file__).parents[1] / "golden" / "seed_samples"
IMPORTS = """
import numpy as np
from mindspore import Model, Tensor, nn
from mindspore import dataset as ds
from mindspore.train.callback import SummaryCollector
from mindspore.train.summary import SummaryRecord
"""
DATA = """
def create_dataset(path=None, batch_size=32):
    random = np.random.RandomState(0)
    images = random.rand(160, 1, 32, 32).astype(np.float32)
    return ds.NumpySlicesDataset((images, random.randint(0, 10, 160).astype(np.int32)), ["image", "label"], shuffle=False).batch(batch_size)
"""
LENET = (SAMPLES / "model_checkpoint.py").read_text().split("net = LeNet5()")[0]
MODEL = """
network = LeNet5(10)
model = Model(network, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Momentum(network.trainable_params(), 0.01, 0.9))
epoch, dataset = 1, create_dataset()
"""
RECORD = ("record", "add_value", "close", "flush", "log_dir", "record_step", "set_mode")


def _run(name: str, before: str = "") -> None:
    source = IMPORTS + before + (SAMPLES / "summary" / f"{name}.py").read_text()
    mindspore_compat.install()
    try:
        exec(compile(source, f"{name}.py", "exec"), {"__name__": "__main__"})
    finally:
        mindspore_compat.uninstall()
        mindspore_compat.set_context(mode=mindspore_compat.PYNATIVE_MODE, device_target="CPU", device_id=0)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [f"{name}{version}" for name in RECORD for version in ("", "_1")])
def test_samples_of_summary_record(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _run(name)
    assert (tmp_path / "summary_dir").is_dir()
    printed = capsys.readouterr().out
    if name == "record_step":
        assert printed == "True\n"
    if name == "log_dir_1":
        assert printed.startswith(f"{tmp_path}/summary_dir/xxx_.out.events.summary.") and printed.endswith("_yyy\n")


@pytest.mark.parametrize("name", ["collector", "collector_2"])
def test_samples_of_summary_collector(name: str, tmp_path: Path) -> None:
    _run(name, DATA + LENET)
    data = read_summary(tmp_path / "summary_dir")
    assert list(data.scalars["loss/auto"]) == [1] and list(data.images["input_data/auto"]) == [1]
    assert len(data.histograms) == 5 and "conv1.weight/auto" in data.histograms
    assert len(data.files) == 4 and len(data.graphs) == 2 and len(data.lineage["train_lineage"]) == 2
    second = read_summary([path for path in data.files if path.endswith("_MS")][1])
    assert not second.scalars and list(second.histograms) == ["conv1.weight/auto"]


def test_the_sample_of_an_old_summary_collector(tmp_path: Path) -> None:
    _run("collector_1", DATA + LENET + MODEL)
    data = read_summary(tmp_path / "summary_dir")
    third = read_summary([path for path in data.files if path.endswith("_MS")][2])
    assert set(third.scalars) == {"loss/auto"} and not third.histograms
    assert data.lineage["custom_lineage_data"][0].user_info[0].map_str["version"] == "resnet50_v1"


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_sample_of_summary_landscape(tmp_path: Path) -> None:
    _run("landscape", DATA + LENET)
    folder = tmp_path / "summary/lenet_interval_1"
    assert {path.name for path in (folder / "ckpt_dir").iterdir()} == {
        f"LeNet5_{step}_step.ckpt" for step in range(1, 6)
    } | {"train_metadata.json"}
    assert not read_summary(folder).landscapes  # the sample asks for neither of the two
