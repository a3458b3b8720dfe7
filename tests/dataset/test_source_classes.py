"""The data sets by name read what real MindSpore reads from the same folders (tests/golden/sources.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat._api.errors import UnsupportedError
from tests.dataset.source_cases import CASES, DEFECTS, agree, evaluate
from tests.dataset.source_trees import make_trees
from tests.support.oracle import run_oracle

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "sources.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("scipy")
    root = tmp_path_factory.mktemp("trees")
    make_trees(root)
    return root


def rows(dataset: Any) -> list[dict[str, Any]]:
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.parametrize("case", [case for case in CASES if case not in DEFECTS])
def test_columns_rows_sizes_and_exceptions_are_those_of_mindspore(trees: Path, case: str) -> None:
    found = json.loads(json.dumps(evaluate(ds, case, trees)))
    assert agree(found, GOLDEN[case]), (found, GOLDEN[case])


def test_where_real_mindspore_reads_wrongly(trees: Path) -> None:
    """tests/dataset/source_cases.py: DEFECTS."""
    talk = rows(ds.TedliumDataset(str(trees / "tedlium"), "release2", "dev", shuffle=False))
    samples = np.frombuffer((trees / "tedlium/dev/sph/devTalk.sph").read_bytes()[1024:], ">i2")
    assert [row["waveform"].shape for row in talk] == [(1, 32), (1, 32)]
    assert (
        np.array_equal(talk[1]["waveform"][0], samples[16:48].astype(np.float32) / np.float32(32767))
        and talk[1]["transcript"] == "second"
    )
    (row,) = rows(ds.YesNoDataset(str(trees / "wave8")))
    raw = np.frombuffer((trees / "wave8/1_0_0_1_1_0_0_1.wav").read_bytes()[44:], np.uint8)
    assert np.array_equal(row["waveform"][0], (raw.astype(np.float32) - 128) / 128)
    shard = rows(
        ds.AGNewsDataset(str(trees / "ag_news"), num_shards=2, shard_id=1, shuffle=False, num_parallel_workers=1)
    )
    assert [(str(row["index"]), str(row["title"])[:7]) for row in shard] == [
        ("2", "train 1"),
        ("3", "train 2"),
        ("1", "test 0,"),
    ]
    with pytest.raises(RuntimeError, match="quote"):
        ds.CSVDataset(str(trees / "csv/quote.csv"), column_names=["a", "b", "c"]).get_dataset_size()


@pytest.mark.parametrize(
    ("name", "usage", "labels"),
    [
        ("Cifar10", None, [1, 1, 2, 9]),
        ("Cifar10", "train", [1, 1, 2]),
        ("Cifar10", "test", [9]),
        ("Cifar100", None, [9, 1, 1, 1]),
        ("Cifar100", "test", [9]),
    ],
)
def test_cifar_takes_the_files_that_are_there(tmp_path: Path, name: str, usage: str | None, labels: list[int]) -> None:
    """Upstream's order of files; there a file must have 10,000 records, here any number will do."""
    for file, label, count in (
        (("data_batch_1", 1, 2), ("data_batch_3", 2, 1), ("test_batch", 9, 1))
        if name == "Cifar10"
        else (("train", 1, 3), ("test", 9, 1))
    ):
        content = np.zeros((count, 3073 + (name == "Cifar100")), np.uint8)
        content[:, 0] = label
        (tmp_path / f"{file}.bin").write_bytes(content.tobytes())
    dataset = getattr(ds, f"{name}Dataset")(str(tmp_path), usage, shuffle=False)
    assert [
        int(row["label" if name == "Cifar10" else "coarse_label"]) for row in rows(dataset)
    ] == labels and dataset.get_dataset_size() == len(labels)


def test_records_that_are_cut_off_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_batch.bin").write_bytes(bytes(3000))
    with pytest.raises(RuntimeError):
        rows(ds.Cifar10Dataset(str(tmp_path)))


def test_the_extra_column_shows_when_it_was_renamed(trees: Path) -> None:
    dataset = ds.VOCDataset(str(trees / "voc"), "Detection", shuffle=False, extra_metadata=True)
    assert dataset.get_col_names()[-1] == "_meta-filename" and list(rows(dataset)[0]) == [
        "image",
        "bbox",
        "label",
        "difficult",
        "truncate",
    ]
    assert len(next(dataset.create_tuple_iterator(num_epochs=1))) == 5
    assert [str(row["name"]) for row in rows(dataset.rename("_meta-filename", "name"))] == ["000002", "000001"]


def test_signatures_are_those_of_mindspore() -> None:
    import inspect

    assert str(inspect.signature(ds.MnistDataset)).startswith(
        "(dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,"
    )
    assert list(inspect.signature(ds.CelebADataset).parameters)[:6] == [
        "dataset_dir",
        "num_parallel_workers",
        "shuffle",
        "usage",
        "sampler",
        "decode",
    ]


@pytest.mark.oracle
def test_all_signatures_are_those_of_mindspore() -> None:
    import inspect

    code = """
import inspect, mindspore.dataset as ds
give({n: [(p.name, repr(p.default)) for p in inspect.signature(getattr(ds, n)).parameters.values()] for n in dir(ds) if n.endswith("Dataset") and n != "GraphDataset"})
"""
    for name, real in run_oracle(code).items():
        if issubclass(getattr(ds, name, int), ds.engine._sources.described.Described):
            ours = [(p.name, repr(p.default)) for p in inspect.signature(getattr(ds, name)).parameters.values()]
            assert [[n, d.replace("mindspore_compat", "mindspore")] for n, d in ours] == real, name


def test_classes_of_users_can_derive(trees: Path) -> None:
    class Own(ds.MnistDataset):
        def __init__(self, folder: str) -> None:
            super().__init__(folder, "train", shuffle=False)

    assert len(rows(Own(str(trees / "mnist")).batch(2))) == 2


def test_random_rows_of_a_schema() -> None:
    schema = ds.Schema()
    schema.add_column("image", "uint8", [2, 3])
    schema.add_column("label", "float32", [1])
    dataset = ds.RandomDataset(5, schema)
    first = rows(dataset)
    assert (
        len(first) == dataset.get_dataset_size() == 5
        and first[0]["image"].shape == (2, 3)
        and len(np.unique(first[0]["image"])) == 1
    )
    assert first[0]["label"].dtype == np.float32 and len({int(row["image"][0, 0]) for row in first}) > 1
    assert ds.RandomDataset(5, schema, ["label"]).get_col_names() == ["label"]
    with pytest.raises(UnsupportedError, match="schema"):
        ds.RandomDataset(5)


@pytest.mark.parametrize("name", ["/etc/hostname", "../../outside", "x/../../../outside"])
def test_a_list_does_not_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "voc/ImageSets/Main").mkdir(parents=True)
    (tmp_path / "voc/ImageSets/Main/train.txt").write_text(name + "\n")
    (tmp_path / "images").mkdir()
    (tmp_path / "outside.jpg").write_bytes(b"secret")
    (tmp_path / "coco.json").write_text(
        json.dumps(
            {
                "images": [{"id": 1, "file_name": f"{name}.jpg", "height": 1, "width": 1}],
                "categories": [{"id": 1, "name": "a"}],
                "annotations": [
                    {"id": 1, "image_id": 1, "category_id": 1, "iscrowd": 0, "bbox": [0, 0, 1, 1], "area": 1}
                ],
            }
        )
    )
    with pytest.raises(RuntimeError, match="outside of it"):
        rows(ds.VOCDataset(str(tmp_path / "voc"), "Detection", "train"))
    with pytest.raises(RuntimeError, match="outside of it"):
        rows(ds.CocoDataset(str(tmp_path / "images"), str(tmp_path / "coco.json")))
