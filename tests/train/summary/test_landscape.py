"""SummaryLandscape on checkpoints of a real MindSpore run, against the landscapes that real MindSpore computed from them."""
from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset
from mindspore_compat import nn
from mindspore_compat.train.callback._landscape import SummaryLandscape
from mindspore_compat.train.metrics import Loss
from mindspore_compat.train.summary import read_summary
from tests.train.summary.support import GOLDEN, tensorboard


class Small(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="valid", has_bias=False)
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()
        self.flat = nn.Flatten()
        self.fc = nn.Dense(32, 3)

    def construct(self, x):
        return self.fc(self.flat(self.relu(self.bn(self.conv(x)))))


def make():
    random = np.random.RandomState(11)
    x, y = random.randn(12, 1, 6, 6).astype(np.float32), random.randint(0, 3, 12).astype(np.int32)
    net = Small()
    metrics = {"Loss": Loss()}
    model = ms.Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), metrics=metrics)
    return model, net, ms.dataset.NumpySlicesDataset({"image": x, "label": y}, shuffle=False).batch(4), metrics


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(GOLDEN / "landscape/ckpt_dir", tmp_path / "ckpt_dir")
    path = tmp_path / "ckpt_dir/train_metadata.json"
    data = json.loads(path.read_text())
    data["model_params_file_map"] = {key: str(tmp_path / value) for key, value in data["model_params_file_map"].items()}
    path.write_text(json.dumps(data))
    return tmp_path


def _arrays(point):
    return {name: np.array(getattr(point, name).float_data).reshape(list(getattr(point, name).dims)) for name in "xyz"}


@pytest.mark.parametrize("devices", [None, [0, 1]], ids=["one", "two workers"])
def test_landscapes_equal_real_mindspores(folder, devices):
    np.random.seed(4)
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(make, device_ids=devices)
    ours, theirs = read_summary(folder).landscapes, read_summary(GOLDEN / "landscape").landscapes
    assert list(ours) == list(theirs) == ["landscape_[1, 4]", "landscape_[4]"]
    for tag in ours:
        a, b = ours[tag][0], theirs[tag][0]
        assert a.metadata == b.metadata and list(a.loss_path.intervals) == list(b.loss_path.intervals)
        for name in ("landscape", "convergence_point"):
            assert [getattr(getattr(a, name), axis).data_type for axis in "xyz"] == [getattr(getattr(b, name), axis).data_type for axis in "xyz"]
    a, b = ours["landscape_[1, 4]"][0], theirs["landscape_[1, 4]"][0]
    for x, y in ((a.landscape, b.landscape), (a.loss_path.points, b.loss_path.points), (a.convergence_point, b.convergence_point)):
        for axis in "xyz":
            np.testing.assert_allclose(_arrays(x)[axis], _arrays(y)[axis], atol=1e-4, err_msg=axis)
    np.testing.assert_array_equal(_arrays(ours["landscape_[4]"][0].landscape)["x"], _arrays(theirs["landscape_[4]"][0].landscape)["x"])
    assert {"landscape_[1, 4]", "landscape_[4]"} <= set(tensorboard(folder).Tags()["images"])


def test_options_replace_the_runs_and_are_written_back(folder):
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(
        make, {"landscape_size": 3, "create_landscape": {"train": True, "result": False}, "intervals": [[2, 3, 4]]})
    (tag, points), = read_summary(folder).landscapes.items()
    assert tag == "landscape_[2, 4]" and list(points[0].landscape.z.dims) == [3, 3]
    assert json.loads((folder / "ckpt_dir/train_metadata.json").read_text())["epoch_group"] == {"0": [2, 3, 4]}


def test_clean_ckpt_removes_and_errors_are_clear(folder):
    landscape = SummaryLandscape(str(folder))
    with pytest.raises(TypeError, match="device_ids"):
        landscape.gen_landscapes_with_multi_process(make, device_ids=["a"])
    with pytest.raises(ValueError, match="between 0 and 7"):
        landscape.gen_landscapes_with_multi_process(make, device_ids=[8])
    with pytest.raises(ValueError, match="there is no checkpoint of step 9"):
        landscape.gen_landscapes_with_multi_process(make, {"intervals": [[1, 2, 9]]})
    landscape.clean_ckpt()
    with pytest.raises(FileNotFoundError, match=r"train_metadata\.json"):
        landscape.gen_landscapes_with_multi_process(make)
