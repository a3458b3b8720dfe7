"""The makers write what the formats say, edits and losses are found, a run is recorded; the projects themselves:
test_projects.py.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat.dataset as ds

cv2 = pytest.importorskip("cv2")

from . import makers  # noqa: E402
from .recipe import Edit, Project, Stage, losses_in  # noqa: E402
from .recipes import PROJECTS  # noqa: E402
from .report import page, summary  # noqa: E402
from .run import run_project  # noqa: E402


@pytest.mark.parametrize(
    ("text", "losses"),
    [
        ("epoch: 1 step: 1, loss is 2.3048", [2.3048]),
        ("avg_loss: 2.5, per step time: 12.1", [2.5]),
        ("loss:[0.647/0.651], time:[3.2]", [0.647]),
        ("Loss=1e-3 loss = -1.5e-03\nloss scale: 1024", [-1.5e-3]),
        ("step 3, loss nan", [float("nan")]),
        ("closs 3, no number of 2.0", []),
    ],
)
def test_losses_are_found(text: str, losses: list[float]) -> None:
    np.testing.assert_equal(losses_in(text), losses)


def test_pictures_are_read_back(tmp_path: Path) -> None:
    makers.image_folder(tmp_path / "folders", classes=3, each=2)
    assert len(ds.ImageFolderDataset(str(tmp_path / "folders/train"))) == 6
    makers.mnist(tmp_path / "mnist", 5, 3)
    assert [len(ds.MnistDataset(str(tmp_path / "mnist" / half), half)) for half in ("train", "test")] == [5, 3]
    makers.cifar10(tmp_path, 10, 5)
    labels = [
        int(label)
        for _, label in ds.Cifar10Dataset(
            str(tmp_path / "cifar-10-batches-bin"), "test", shuffle=False
        ).create_tuple_iterator(output_numpy=True)
    ]
    assert labels == [0, 1, 2, 3, 4]
    makers.cifar100(tmp_path / "cifar100", 4, 4)
    assert len(ds.Cifar100Dataset(str(tmp_path / "cifar100"), "train")) == 4


def test_annotations_fit_their_pictures(tmp_path: Path) -> None:
    makers.coco(tmp_path)
    written = json.loads((tmp_path / "annotations/instances_train2017.json").read_text())
    sizes = {image["id"]: (image["width"], image["height"]) for image in written["images"]}
    for image in written["images"]:
        assert cv2.imread(str(tmp_path / "train2017" / image["file_name"])).shape[:2] == (
            image["height"],
            image["width"],
        )
    assert written["annotations"] and all(
        x + w <= sizes[a["image_id"]][0] and y + h <= sizes[a["image_id"]][1]
        for a in written["annotations"]
        for x, y, w, h in [a["bbox"]]
    )
    makers.voc(tmp_path / "voc")
    for name in (tmp_path / "voc/ImageSets/Main/train.txt").read_text().split():
        mask = cv2.imread(str(tmp_path / f"voc/SegmentationClass/{name}.png"), cv2.IMREAD_GRAYSCALE)
        assert mask.shape == cv2.imread(str(tmp_path / f"voc/JPEGImages/{name}.jpg")).shape[:2] and 0 < mask.max() <= 20
        assert (
            f"<name>{makers.VOC_NAMES[int(mask.max()) - 1]}</name>"
            in (tmp_path / f"voc/Annotations/{name}.xml").read_text()
        )


def test_recipes_change_only_configuration_for_ours() -> None:
    for project in PROJECTS.values():
        for edit in project.edits:
            assert edit.glob.endswith((".yaml", ".yml", ".json", ".txt", ".cfg")) or any(
                word in edit.glob.lower() for word in ("config", "cfg", "option", "setting")
            ), (project.name, edit)
        assert bool(project.real) == bool(project.real_why), project.name


_SCRIPT = """
import sys, time
import mindspore
from pathlib import Path
from config import rate
print("loss is", 2 * rate); print("loss is", rate)
if sys.argv[1] == "sleep": time.sleep(60)
if sys.argv[1] == "fail": raise KeyError("what")
if sys.argv[1] == "save": Path("net.ckpt").write_bytes(b"")
"""


def test_a_run_is_recorded(tmp_path: Path) -> None:
    home = tmp_path / "models/official/x"
    home.mkdir(parents=True)
    (home / "train.py").write_text(_SCRIPT)
    (home / "config.py").write_text("rate = 1.0\n")
    project = Project(
        "x",
        "official/x",
        "none",
        lambda folder: (folder / "a").write_text("b"),
        (
            Stage("train", "train.py save"),
            Stage("again", "train.py none", makes="**/*.ckpt"),
            Stage("broken", "train.py fail"),
            Stage("long", "train.py sleep", timeout=4),
            Stage("eval", "train.py {newest:**/*.ckpt}", says="accuracy"),
            Stage("export", "train.py {newest:**/*.onnx}"),
        ),
        edits=(Edit("config.py", r"1\.0", "0.5"),),
    )
    began = time.monotonic()
    came = run_project(project, tmp_path / "models")
    assert time.monotonic() - began < 60
    assert (home / "config.py").read_text() == "rate = 1.0\n", "the checkout stays as it is"
    assert came["train"]["end"] == "ended" and came["train"]["losses"] == [1.0, 0.5]
    assert {stage: (one["end"], one["error"]) for stage, one in came.items() if stage != "train"} == {
        "again": ("failed", "ended, but made no **/*.ckpt"),
        "broken": ("failed", "KeyError: 'what'"),
        "long": ("timeout", "not at its end after 4 s"),
        "eval": ("failed", "ended, but did not say 'accuracy'"),
        "export": ("failed", "an earlier stage left no **/*.onnx"),
    }
    stored = {"x": {"ours": came, "real": {"train": {**came["train"], "seconds": 2.0}}}}
    assert (
        "1 projects, 6 runs: 1 end here; 0 projects end here with every stage.\nReal MindSpore ends 1; of these 1 end "
        "here (100.0 %)." in summary({"x": project}, stored)
    )
    assert "| `official/x` | broken | ours | KeyError: 'what' |" in page({"x": project}, stored)
    with pytest.raises(ValueError, match="nothing in"):
        run_project(
            Project("y", "official/x", "none", lambda folder: None, (), edits=(Edit("config.py", "no such", ""),)),
            tmp_path / "models",
        )
