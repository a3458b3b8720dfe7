"""Other formats to MindRecord, and rows by categories."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat import mindrecord as mr
from mindspore_compat._format.records import frame
from mindspore_compat._format.tfrecord import EXAMPLE
from mindspore_compat.dataset import vision
from tests.support.oracle import run_oracle


def smooth(number: int, channels: int = 3) -> np.ndarray:
    """An image that JPEG keeps nearly as it is."""
    rows, columns = np.mgrid[:32, :32]
    return np.stack([np.clip(rows * 4 + columns * (c + 1) + 10 * number, 0, 255) for c in range(channels)], -1).astype(
        np.uint8
    )


def read(path: Path, real: bool) -> list[dict[str, Any]]:
    """Rows of a file, by ours or by real MindSpore (bytes as lists)."""
    if real:
        code = """
import sys, mindspore.dataset as ds
give([{k: v.tolist() if v.dtype.kind not in "S" else [list(x) for x in v] for k, v in row.items()}
      for row in ds.MindDataset(sys.argv[1], shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)])
"""
        rows = run_oracle(code, str(path))
        return [
            {k: bytes(v[0]) if isinstance(v, list) and v and isinstance(v[0], list) else v for k, v in row.items()}
            for row in rows
        ]
    rows = ds.MindDataset(str(path), shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
    return [{k: v.tobytes() if v.dtype.kind == "S" else v.tolist() for k, v in row.items()} for row in rows]


BOTH = pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.oracle)])


def pixels(row: dict[str, Any], name: str = "data") -> np.ndarray:
    return vision.Decode()(np.frombuffer(row[name], np.uint8)).astype(int)


@BOTH
@pytest.mark.parametrize("kind", [10, 100])
def test_cifar(tmp_path: Path, real: bool, kind: int) -> None:
    (tmp_path / "in").mkdir()
    names = {"data_batch_1": 3, "data_batch_2": 2, "test_batch": 1} if kind == 10 else {"train": 5, "test": 1}
    for name, count in names.items():
        images = np.stack([smooth(i).transpose(2, 0, 1).reshape(-1) for i in range(count)])
        labels = (
            {b"labels": list(range(count))}
            if kind == 10
            else {b"fine_labels": list(range(count)), b"coarse_labels": [7] * count}
        )
        (tmp_path / "in" / name).write_bytes(pickle.dumps({b"data": images, **labels}))
    converter = (mr.Cifar10ToMR if kind == 10 else mr.Cifar100ToMR)(str(tmp_path / "in"), str(tmp_path / "out"))
    assert converter.run(["label" if kind == 10 else "fine_label"]) == mr.SUCCESS
    rows = read(tmp_path / "out", real)
    assert [row["id"] for row in rows] == [0, 1, 2, 3, 4] and len(read(tmp_path / "out_test", real)) == 1
    assert [row["label" if kind == 10 else "fine_label"] for row in rows] == (
        [0, 1, 2, 0, 1] if kind == 10 else [0, 1, 2, 3, 4]
    )
    assert np.abs(pixels(rows[1]) - smooth(1)).max() < 12


def test_cifar_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "train").write_bytes(pickle.dumps(print))
    with pytest.raises(mr.PathNotExistsError):
        mr.Cifar100ToMR(str(tmp_path), str(tmp_path / "out"))
    (tmp_path / "test").write_bytes(b"x")
    with pytest.raises(RuntimeError):
        mr.Cifar100ToMR(str(tmp_path), str(tmp_path / "out")).transform()


@BOTH
def test_mnist(tmp_path: Path, real: bool) -> None:
    for part, count in (("train", 3), ("t10k", 2)):
        images = np.stack([smooth(i, 1)[:28, :28, 0] for i in range(count)])
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(
            gzip.compress(struct.pack(">4I", 2051, count, 28, 28) + images.tobytes())
        )
        (tmp_path / f"{part}-labels-idx1-ubyte.gz").write_bytes(
            gzip.compress(struct.pack(">2I", 2049, count) + bytes(range(count)))
        )
    mr.MnistToMR(str(tmp_path), str(tmp_path / "m")).transform()
    rows = read(tmp_path / "m_train.mindrecord", real)
    assert [row["label"] for row in rows] == [0, 1, 2] and len(read(tmp_path / "m_test.mindrecord", real)) == 2
    assert np.abs(pixels(rows[2])[..., 0] - smooth(2, 1)[:28, :28, 0]).max() < 12


@BOTH
def test_csv(tmp_path: Path, real: bool) -> None:
    (tmp_path / "a.csv").write_text('age,size,name,is_it\n3,1.5,"x, é",True\n-4,,y,False\n', encoding="utf-8")
    mr.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "all")).transform()
    rows = read(tmp_path / "all", real)
    assert (
        [(row["age"], row["name"], row["is_it"]) for row in rows] == [(3, "x, é", 1), (-4, "y", 0)]
        and rows[0]["size"] == 1.5
        and np.isnan(rows[1]["size"])
    )
    mr.CsvToMR(str(tmp_path / "a.csv"), str(tmp_path / "some"), ["name", "age"]).run()
    assert read(tmp_path / "some", real) == [{"age": 3, "name": "x, é"}, {"age": -4, "name": "y"}]


@BOTH
def test_imagenet(tmp_path: Path, real: bool) -> None:
    for folder, name in (("n1", "b.JPEG"), ("n1", "a.jpg"), ("n2", "c.JPEG"), ("n2", "notes.txt")):
        (tmp_path / "images" / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / "images" / folder / name).write_bytes(name.encode())
    (tmp_path / "map").write_text("n1 0\nn2 1\nn3 2\n")
    mr.ImageNetToMR(str(tmp_path / "map"), str(tmp_path / "images"), str(tmp_path / "out"), 1).transform()
    rows = read(tmp_path / "out", real)
    assert [(row["label"], Path(row["file_name"]).name, row["image"]) for row in rows] == [
        (0, "a.jpg", b"a.jpg"),
        (0, "b.JPEG", b"b.JPEG"),
        (1, "c.JPEG", b"c.JPEG"),
    ]


@BOTH
def test_tfrecord(tmp_path: Path, real: bool) -> None:
    content = b""
    for i in range(3):
        example = EXAMPLE.Example()
        for key, kind, values in (
            ("image/label", "int64_list", [i]),
            ("vector", "float_list", [i, 0.5]),
            ("name", "bytes_list", [f"é{i}".encode()]),
            ("raw", "bytes_list", [b"\xff\0"]),
        ):
            getattr(example.features.feature.add(key=key).value, kind).value.extend(values)
        content += frame(example.SerializeToString())
    (tmp_path / "in").write_bytes(content)
    features = {
        "image/label": SimpleNamespace(shape=[], dtype="int64"),
        "vector": SimpleNamespace(shape=[2], dtype=np.float32),
        "name": SimpleNamespace(shape=[], dtype="string"),
        "raw": SimpleNamespace(shape=[], dtype="string"),
    }
    mr.TFRecordToMR(str(tmp_path / "in"), str(tmp_path / "out"), features, ["raw"]).transform()
    rows = read(tmp_path / "out", real)
    assert [(row["image_label"], row["vector"], row["name"]) for row in rows] == [
        (i, [i, 0.5], f"é{i}") for i in range(3)
    ]
    # NumPy's strings end where zeros begin, in real MindSpore's rows as well
    assert [row["raw"].rstrip(b"\0") for row in rows] == [b"\xff"] * 3
    features["vector"].shape = [3]
    with pytest.raises(ValueError, match="vector"):
        mr.TFRecordToMR(str(tmp_path / "in"), str(tmp_path / "b"), features, ["raw"]).transform()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda p: mr.CsvToMR(f"{p}/none", f"{p}/o").transform(), OSError),
        (lambda p: mr.Cifar10ToMR(p, f"{p}/o"), mr.PathNotExistsError),
    ],
)
def test_wrong_arguments(tmp_path: Path, call: Any, error: type[Exception]) -> None:
    (tmp_path / "digits").write_text("1,2\n3,4\n")
    with pytest.raises(error):
        call(str(tmp_path))


PAGES = """
def answers(mr, path):
    page = mr.MindPage(path)
    found = [page.candidate_fields, page.category_field]
    def ask(f):
        try:
            rows = f()
            found.append([{k: list(v) if isinstance(v, bytes) else v for k, v in r.items()} for r in rows] if isinstance(rows, list) else rows)
        except Exception as error:
            found.append(type(error).__name__)
    ask(page.read_category_info)
    for field in ("label", "x", "name"):
        ask(lambda: setattr(page, "category_field", field))
        ask(page.read_category_info)
        for arguments in ((0, 0, 1), (0, 0, 10), (0, 1, 2), (0, 5, 2), (99, 0, 1)):
            ask(lambda: page.read_at_page_by_id(*arguments))
        for name in ("2", "n1", "zz"):
            ask(lambda: page.read_at_page_by_name(name, 0, 1))
    return found
"""


@pytest.mark.oracle
def test_pages_of_categories_are_those_of_mindspore(tmp_path: Path) -> None:
    path = str(tmp_path / "p")
    writer = mr.FileWriter(path)
    writer.add_schema(
        {"name": {"type": "string"}, "label": {"type": "int32"}, "data": {"type": "bytes"}, "x": {"type": "float64"}}
    )
    writer.add_index(["name", "label"])
    writer.write_raw_data([{"name": f"n{i}", "label": i % 3, "data": bytes([i] * 3), "x": i / 2} for i in range(7)])
    writer.commit()
    ours: dict[str, Any] = {}
    exec(PAGES, ours)
    assert json.loads(json.dumps(ours["answers"](mr, path))) == run_oracle(
        f"import mindspore.mindrecord as mr\n{PAGES}\ngive(answers(mr, {path!r}))"
    )


def test_pages_of_categories(tmp_path: Path) -> None:
    writer = mr.FileWriter(str(tmp_path / "p"), 2)
    writer.add_schema({"label": {"type": "int32"}, "data": {"type": "bytes"}})
    writer.add_index(["label"])
    writer.write_raw_data([{"label": i % 2, "data": bytes([i])} for i in range(5)])
    writer.commit()
    page = mr.MindPage(str(tmp_path / "p0"))
    with pytest.raises(RuntimeError):
        page.read_category_info()
    page.category_field = "label"
    assert json.loads(page.read_category_info()) == {
        "key": "label_0",
        "categories": [{"id": 0, "name": "0", "count": 3}, {"id": 1, "name": "1", "count": 2}],
    }
    assert page.read_at_page_by_id(0, 1, 2) == [{"label": 0, "data": b"\4"}] and page.read_at_page_by_name(
        "1", 0, 1
    ) == [{"label": 1, "data": b"\1"}]
    with pytest.raises(mr.MRMDefineCategoryError, match="data"):
        page.category_field = "data"
