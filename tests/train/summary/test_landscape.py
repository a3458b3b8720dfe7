"""SummaryLandscape on checkpoints of a real MindSpore run, against the landscapes that real MindSpore computed from
them.
"""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from PIL import Image

import mindspore_compat as ms
import mindspore_compat.dataset
from mindspore_compat import nn
from mindspore_compat._api import errors
from mindspore_compat._format.proto.summary import LossLandscape
from mindspore_compat.train.callback._landscape import SummaryLandscape
from mindspore_compat.train.metrics import Loss
from mindspore_compat.train.summary import read_summary
from mindspore_compat.train.summary._landscape import landscape_pictures
from tests.train.summary.support import GOLDEN, copy_landscape_checkpoints, tensorboard


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
    copy_landscape_checkpoints(tmp_path)
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
            assert [getattr(getattr(a, name), axis).data_type for axis in "xyz"] == [
                getattr(getattr(b, name), axis).data_type for axis in "xyz"
            ]
    a, b = ours["landscape_[1, 4]"][0], theirs["landscape_[1, 4]"][0]
    for x, y in (
        (a.landscape, b.landscape),
        (a.loss_path.points, b.loss_path.points),
        (a.convergence_point, b.convergence_point),
    ):
        for axis in "xyz":
            np.testing.assert_allclose(_arrays(x)[axis], _arrays(y)[axis], atol=1e-4, err_msg=axis)
    np.testing.assert_array_equal(
        _arrays(ours["landscape_[4]"][0].landscape)["x"], _arrays(theirs["landscape_[4]"][0].landscape)["x"]
    )
    board = tensorboard(folder)
    assert set(board.Tags()["images"]) == {
        f"landscape_{interval}/{name}" for interval in ("[1, 4]", "[4]") for name in ("contour", "surface")
    }
    for interval, name in (("[1, 4]", "1_4"), ("[4]", "4")):
        for kind in ("contour", "surface"):
            assert (
                board.Images(f"landscape_{interval}/{kind}")[0].encoded_image_string
                == (folder / f"landscape_{name}_{kind}.png").read_bytes()
            )


def test_options_replace_the_runs_and_are_written_back(folder):
    SummaryLandscape(str(folder)).gen_landscapes_with_multi_process(
        make, {"landscape_size": 3, "create_landscape": {"train": True, "result": False}, "intervals": [[2, 3, 4]]}
    )
    ((tag, points),) = read_summary(folder).landscapes.items()
    assert tag == "landscape_[2, 4]" and list(points[0].landscape.z.dims) == [3, 3]
    assert json.loads((folder / "ckpt_dir/train_metadata.json").read_text())["epoch_group"] == {"0": [2, 3, 4]}


def test_clean_ckpt_removes_and_errors_are_clear(folder):
    landscape = SummaryLandscape(str(folder))
    with pytest.raises(ValueError):
        landscape.gen_landscapes_with_multi_process(make, {"intervals": [[1, 2, 9]]})
    landscape.clean_ckpt()
    with pytest.raises(FileNotFoundError):
        landscape.gen_landscapes_with_multi_process(make)


def _drawn(z, way=((0.5, 1.0, 0.0),)):
    """Pictures of a landscape over x 0…1, y 0…2, as arrays."""
    message = LossLandscape()
    for axis, values in zip("xyz", (np.linspace(0, 1, np.shape(z)[1]), np.linspace(0, 2, np.shape(z)[0]), np.ravel(z))):
        getattr(message.landscape, axis).float_data.extend(values)
    message.loss_path.intervals.extend(range(len(way)))
    for axis, values in zip("xyz", zip(*way)):
        getattr(message.loss_path.points, axis).float_data.extend(values)
    return {
        name: np.asarray(Image.open(io.BytesIO(picture.png)).convert("RGB")).astype(int)
        for name, picture in landscape_pictures("t", message.SerializeToString()).items()
    }


def test_the_contour_map_is_dark_where_the_loss_is_low_and_shows_the_trajectory():
    x, y = np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 2, 9))
    picture = _drawn((x - 0.25) ** 2 + (y - 0.5) ** 2, way=[(0.9, 1.9, 2.4), (0.25, 0.5, 0.0)])["contour"]

    def at(x, y):
        return picture[40 + round(480 * (1 - y / 2)), 70 + round(480 * x)]

    assert at(0.95, 0.95).sum() > at(0.35, 0.35).sum()
    assert tuple(at(0.25, 0.5)) == (220, 30, 30)  # the end of the trajectory, y upwards
    assert tuple(at(0.575, 1.2)) == (220, 30, 30)  # the line to it


def test_the_surface_hides_what_is_behind_and_shows_the_highest_point_at_the_top():
    z = np.zeros((9, 9))
    z[4, 4] = 1.0
    picture = _drawn(z)["surface"]
    flat = _drawn(np.zeros((9, 9)))["surface"]
    rows = [np.nonzero((image[40:] != 255).any(axis=(1, 2)))[0][0] for image in (picture, flat)]
    assert rows[0] < rows[1] and (picture[:, :, 0] > 200).any()


def test_without_matplotlib_pictures_are_left_out_and_the_package_is_named(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    monkeypatch.setattr(errors, "_told", set())
    assert _drawn(np.zeros((9, 9))) == {}
    assert "pip install matplotlib" in caplog.text


@pytest.mark.parametrize(
    "z, number",
    [
        (np.full((3, 3), np.nan), 0),
        (np.zeros((1, 3)), 0),
        ([[1.0, np.nan], [np.inf, 2.0]], 2),
        (np.full((2, 2), 3.0), 2),
    ],
    ids=["nan", "a line", "some nan", "constant"],
)
def test_odd_heights_draw_or_are_left_out(z, number):
    assert len(_drawn(z)) == number
