"""`TextFileDataset` and `CLUEDataset`: rows as real MindSpore 2.10 gave them for these files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds

TARGET = {"span2_index": 37, "span1_index": 5, "span1_text": "床", "span2_text": "它"}
SPANS = {"span1_index": np.uint32(5), "span1_text": "床", "span2_index": np.uint32(37), "span2_text": "它"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n\ntwo \r\n  three\n\r\nfour")
    (tmp_path / "b.txt").write_bytes(b"B1\nB2\nB3\n")
    return tmp_path


def texts(*args: Any, **kwargs: Any) -> list[str]:
    dataset = ds.TextFileDataset(*args, **kwargs)
    rows = [str(row["text"]) for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]
    assert len(rows) == dataset.get_dataset_size()
    return rows


A = ["one", "two \r", "  three", "\r", "four"]


def test_lines_without_the_empty_ones(files: Path) -> None:
    assert texts(str(files / "a.txt"), shuffle=False) == A
    assert texts(str(files / "[ab].txt"), shuffle=False, num_parallel_workers=1) == [*A, "B1", "B2", "B3"]
    assert texts([str(files / "b.txt"), str(files / "a.txt")], 3, 1, False) == A[:3]


def test_shards_are_runs_of_lines_and_as_long(files: Path) -> None:
    found = [
        texts(str(files / "*.txt"), shuffle=False, num_shards=3, shard_id=shard, num_parallel_workers=1)
        for shard in range(3)
    ]
    assert found == [A[:3], [*A[3:], "B1"], ["B2", "B3", "one"]]


def test_shuffled_lines_are_the_same_lines(files: Path) -> None:
    assert sorted(texts(str(files / "*.txt"))) == sorted([*A, "B1", "B2", "B3"])
    by_file = texts(str(files / "*.txt"), shuffle=ds.Shuffle.FILES, num_parallel_workers=1)
    assert by_file in ([*A, "B1", "B2", "B3"], ["B1", "B2", "B3", *A])


def test_vocabulary_of_lines(files: Path) -> None:
    vocab = ds.TextFileDataset(str(files / "b.txt"), shuffle=False).build_vocab("text", None, None, ["<unk>"], True)
    assert vocab.vocab() == {"<unk>": 0, "B1": 1, "B2": 2, "B3": 3}


@pytest.mark.parametrize(
    ("task", "usage", "line", "expected"),
    [
        (
            "AFQMC",
            "train",
            {"sentence1": "借呗 a", "sentence2": "b", "label": "0"},
            {"label": "0", "sentence1": "借呗 a", "sentence2": "b"},
        ),
        (
            "AFQMC",
            "train",
            {"sentence1": "a", "sentence2": -3, "label": 1},
            {"label": np.uint32(1), "sentence1": "a", "sentence2": np.int32(-3)},
        ),
        (
            "AFQMC",
            "train",
            {"sentence1": 1.5, "sentence2": [], "label": "1"},
            {"label": "1", "sentence1": np.float32(1.5), "sentence2": np.array([], "U1")},
        ),
        (
            "AFQMC",
            "test",
            {"id": 7, "sentence1": "x", "sentence2": "y"},
            {"id": np.uint32(7), "sentence1": "x", "sentence2": "y"},
        ),
        (
            "CMNLI",
            "eval",
            {"sentence1": "a", "sentence2": "b", "label": "neutral"},
            {"label": "neutral", "sentence1": "a", "sentence2": "b"},
        ),
        (
            "TNEWS",
            "train",
            {"label": "108", "label_desc": "edu", "sentence": "s", "keywords": "k,l"},
            {"keywords": "k,l", "label": "108", "label_desc": "edu", "sentence": "s"},
        ),
        (
            "TNEWS",
            "test",
            {"id": 3, "sentence": "s", "keywords": ""},
            {"id": np.uint32(3), "keywords": "", "sentence": "s"},
        ),
        (
            "IFLYTEK",
            "eval",
            {"label": "2", "label_des": "u", "sentence": "v"},
            {"label": "2", "label_des": "u", "sentence": "v"},
        ),
        ("IFLYTEK", "test", {"id": 1, "sentence": "q"}, {"id": np.uint32(1), "sentence": "q"}),
        (
            "WSC",
            "train",
            {"target": TARGET, "idx": 261, "label": "false", "text": "这"},
            {"idx": np.uint32(261), "label": "false", **SPANS, "text": "这"},
        ),
        ("WSC", "test", {"target": TARGET, "idx": 0, "text": "这"}, {"idx": np.uint32(0), **SPANS, "text": "这"}),
        (
            "CSL",
            "train",
            {"id": 1, "abst": "ab", "keyword": ["k1", "k22"], "label": "1"},
            {"abst": "ab", "id": np.uint32(1), "keyword": ["k1", "k22"], "label": "1"},
        ),
        (
            "CSL",
            "test",
            {"id": 2, "abst": "ab", "keyword": ["k"]},
            {"abst": "ab", "id": np.uint32(2), "keyword": ["k"]},
        ),
    ],
)
def test_clue_columns(tmp_path: Path, task: str, usage: str, line: dict[str, Any], expected: dict[str, Any]) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    dataset = ds.CLUEDataset(str(path), task, usage, shuffle=False)
    assert dataset.get_col_names() == list(expected)
    row = next(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    for name, value in expected.items():
        assert row[name].dtype == np.asarray(value).dtype and row[name].tolist() == np.asarray(value).tolist()


def test_clue_files_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('{"id": 1}\n')
    with pytest.raises(ValueError):
        ds.CLUEDataset(str(path), "AFQ")
    with pytest.raises(ValueError):
        ds.CLUEDataset(str(path), "CSL", "dev")
    with pytest.raises(RuntimeError):
        list(ds.CLUEDataset(str(path), "CSL").create_dict_iterator(num_epochs=1))
    path.write_text("no json\n")
    with pytest.raises(RuntimeError):
        list(ds.CLUEDataset(str(path), "CSL").create_dict_iterator(num_epochs=1))


def test_sizes_of_rows_and_indexes_can_be_read() -> None:
    dataset = (
        ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False)
        .batch(2, max_rowsize=3)
        .map(lambda x: x, max_rowsize=[4, 5])
    )
    assert (dataset.max_rowsize, dataset.children[0].max_rowsize) == ([4, 5], [6, 6])
    assert dataset.input_indexs == () and dataset.parse() is dataset
    dataset.children[0].input_indexs = 10
    assert dataset.input_indexs == 10
    with pytest.raises(TypeError, match="max_rowsize"):
        dataset.batch(2, max_rowsize=(1, 2))
    with pytest.raises(ValueError, match="max_rowsize"):
        dataset.batch(2, max_rowsize=-2)


def test_compose_of_0x_gives_its_operation_when_called() -> None:
    from mindspore_compat.dataset.vision import ComposeOp, py_transforms

    operation = ComposeOp([py_transforms.ToTensor()])()
    assert operation(np.zeros((4, 5, 3), np.uint8))[0].shape == (3, 4, 5) and py_transforms.ComposeOp is ComposeOp
