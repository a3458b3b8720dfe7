"""Pipelines as JSON: what MindSpore writes, and what either makes of the other's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat.dataset import transforms, vision
from tests.dataset.serialized_cases import OPERATIONS, PIPELINES, prepare, serialized
from tests.support.oracle import run_oracle

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "pipelines.json").read_text())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pipelines")
    prepare(path)
    return path


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def test_json_is_upstreams(here: Path) -> None:
    before = ds.config.get_num_parallel_workers()
    found = serialized(ms)
    ds.config.set_num_parallel_workers(before)
    assert found.keys() == GOLDEN.keys() and len(found) == len(OPERATIONS) + len(PIPELINES)
    for case, expected in GOLDEN.items():
        assert found[case] == expected, case


def of_operations(operations: Any) -> dict[str, Any]:
    source = GOLDEN['ds.MnistDataset("mn")']
    return {
        "op_type": "Map",
        "children": [source],
        "input_columns": ["image"],
        "output_columns": [],
        "operations": operations,
    }


@pytest.mark.parametrize("case", GOLDEN)
def test_upstreams_json_is_read(here: Path, case: str) -> None:
    expected = GOLDEN[case]
    made = ds.deserialize(of_operations(expected) if isinstance(expected, list) else expected)
    found = ds.serialize(made)
    assert (found["operations"] if isinstance(expected, list) else found) == expected


def rows(pipeline: Any) -> list[np.ndarray]:
    return [value for row in pipeline.create_tuple_iterator(output_numpy=True) for value in row]


def pipeline() -> Any:
    mapped = ds.MnistDataset("mn", shuffle=False).map(
        [
            vision.Resize((9, 10), vision.Inter.BICUBIC),
            vision.Crop((1, 2), (6, 7)),
            vision.Rescale(0.1, 0.5),
            vision.HWC2CHW(),
        ],
        ["image"],
    )
    typed = mapped.map(transforms.TypeCast("int32"), ["label"], ["number"])
    return (typed.skip(1).take(9) + typed).rename("image", "x").batch(4, drop_remainder=True).repeat(2)


def test_the_pipeline_gives_the_same_rows(here: Path) -> None:
    ds.serialize(pipeline(), "p.json")
    made, again = ds.deserialize("p.json"), ds.deserialize(json.loads(Path("p.json").read_text()))
    assert made is not None and ds.compare(made, again) and not ds.compare(made, pipeline().take(1))
    expected = rows(pipeline())
    assert len(expected) == 2 * 2 * 7
    for one, other in zip(expected, rows(made), strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)


@pytest.mark.oracle
def test_the_oracle_reads_our_file(here: Path) -> None:
    ds.serialize(pipeline(), "ours.json")
    found = run_oracle(
        "import mindspore.dataset as ds\npipeline = ds.deserialize(json_filepath='ours.json')\n"
        "give([[row[0].sum(dtype='f8'), *row[1].tolist()] for row in pipeline.create_tuple_iterator(output_numpy=True)])",
        cwd=here,
    )
    expected = rows(pipeline())
    assert [row[1:] for row in found] == [item.tolist() for item in expected[1::2]]
    assert np.allclose([row[0] for row in found], [item.sum(dtype="f8") for item in expected[::2]], rtol=1e-3)


def test_python_is_written_by_name_and_refused(here: Path) -> None:
    digits = ds.MnistDataset("mn")
    for made, text in (
        (digits.map(len, ["image"]), "not known"),
        (digits.map(vision.Grayscale(1), ["image"]), "not known"),
        (digits.batch(2, per_batch_map=lambda items, info: (items,), input_columns=["image"]), "per_batch_map"),
        (digits.filter(bool, ["label"]), "predicate"),
        (ds.NumpySlicesDataset([1]), "op_type"),
    ):
        with pytest.raises(ValueError, match=text):
            ds.deserialize(ds.serialize(made))


def test_what_the_format_cannot_hold(here: Path) -> None:
    digits = ds.MnistDataset("mn")
    child = ds.SequentialSampler()
    child.add_child(ds.SequentialSampler())
    for made in (
        digits.padded_batch(2),
        digits.batch(lambda info: 2),
        digits.bucket_batch_by_length(["image"], [2], [1, 1], element_length_function=len),
        ds.CSVDataset("e/l.txt", column_defaults=["a"]),
        ds.MnistDataset("mn", sampler=child),
        ds.MnistDataset("mn", sampler=iter([1])),
    ):
        with pytest.raises(ValueError, match="serialize"):
            ds.serialize(made)


@pytest.mark.parametrize(
    "data",
    [
        {"op_type": "Nothing", "children": []},
        {"op_type": "Batch", "children": []},
        {"op_type": "Batch"},
        {"op_type": "MnistDataset"},
        {"op_type": "Take", "count": 1, "children": ["MnistDataset"]},
        {"op_type": ["Take"]},
        of_operations([3]),
        of_operations([{"tensor_op_name": "Resize", "tensor_op_params": {"size": [3]}}]),
        of_operations([{"tensor_op_name": "Fill", "tensor_op_params": {"data": []}}]),
        of_operations(
            [{"tensor_op_name": "Resize", "tensor_op_params": {"size": [3], "interpolation": 77, "device_target": 0}}]
        ),
    ],
)
def test_damaged_json(here: Path, data: Any) -> None:
    with pytest.raises(ValueError, match="deserialize"):
        ds.deserialize(data)


def test_no_json(here: Path) -> None:
    assert ds.deserialize() is None and ds.deserialize({}) is None
    with pytest.raises(OSError, match="nowhere"):
        ds.deserialize(json_filepath="nowhere.json")
    Path("bad.json").write_text("{")
    with pytest.raises(ValueError, match=r"bad\.json"):
        ds.deserialize(json_filepath="bad.json")
    deep: Any = GOLDEN['ds.MnistDataset("mn")']
    for _ in range(3000):
        deep = {"op_type": "Take", "count": 1, "children": [deep]}
    with pytest.raises(ValueError):
        ds.deserialize(deep)


def test_show_writes_to_the_log(
    here: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="mindspore_compat"):
        ds.show(ds.MnistDataset("mn"))
    assert '"op_type": "MnistDataset"' in caplog.text + "".join(capfd.readouterr())
