"""TFRecordDataset. The expected orders, types and exceptions are those that real MindSpore 2.10 gave for the same
files.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat import dtype as mstype
from mindspore_compat._format.records import frame
from mindspore_compat._format.tfrecord import EXAMPLE

A, B, C = [100, 101, 102, 103, 104], [200, 201, 202], [300, 301, 302, 303]


def example(**columns: list[Any]) -> bytes:
    message = EXAMPLE.Example()
    for name, values in columns.items():
        entry = message.features.feature.add(key=name)
        kind = {bytes: "bytes_list", float: "float_list", int: "int64_list"}[type(values[0])]
        getattr(entry.value, kind).value.extend(values)
    return message.SerializeToString()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for name, ids in (("a", A), ("b", B), ("c", C)):
        rows = [
            example(id=[number], vec=[i + 0.5, i + 1.5], name=[f"{name}{i}".encode()], neg=[-1 - i, 5])
            for i, number in enumerate(ids)
        ]
        Path(f"{name}.tfrecord").write_bytes(b"".join(map(frame, rows)))
    return ["a.tfrecord", "b.tfrecord", "c.tfrecord"]


def ids(dataset: Any) -> list[int]:
    return [int(row["id"].item()) for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


def first(**arguments: Any) -> dict[str, np.ndarray]:
    return next(
        iter(ds.TFRecordDataset("a.tfrecord", shuffle=False, **arguments).create_dict_iterator(output_numpy=True))
    )


def schema(*columns: Any) -> ds.Schema:
    result = ds.Schema()
    for column in columns:
        result.add_column(*column)
    return result


def test_files_are_read_one_after_another_or_in_turns(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids(ds.TFRecordDataset(files, shuffle=False, num_parallel_workers=1)) == A + B + C
    assert ids(ds.TFRecordDataset(files[::-1], shuffle=False, num_parallel_workers=1)) == A + B + C
    assert ids(ds.TFRecordDataset("*.tfrecord", shuffle=False, num_parallel_workers=1)) == A + B + C
    monkeypatch.setattr("mindspore_compat.dataset.engine._node.workers_in_range", lambda number: number)
    assert (
        ids(ds.TFRecordDataset(files, shuffle=False, num_parallel_workers=2))
        == [100, 200, 101, 201, 102, 202, 103, 104, *C][:8] + C
    )


def test_columns_are_those_of_the_first_record(files: list[str]) -> None:
    row = first()
    assert {name: (value.dtype.name, value.tolist()) for name, value in row.items()} == {
        "id": ("int64", [100]),
        "name": ("uint8", [97, 48]),
        "neg": ("int64", [-1, 5]),
        "vec": ("float32", [0.5, 1.5]),
    }
    dataset = ds.TFRecordDataset("a.tfrecord")
    assert dataset.get_col_names() == ["id", "name", "neg", "vec"] and dataset.output_shapes() == [[1], [2], [2], [2]]
    assert dataset.get_dataset_size() == 5
    assert ds.TFRecordDataset("a.tfrecord", columns_list=["vec", "id"]).get_col_names() == ["vec", "id"]


def test_bytes_of_several_lengths_are_padded_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "tags.tfrecord"
    path.write_bytes(frame(example(tags=[b"a", b"bbb"])))
    (row,) = ds.TFRecordDataset(str(path), shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
    assert row["tags"].tobytes() == b"a  bbb"


def test_a_schema_gives_types_and_shapes(files: list[str], tmp_path: Path) -> None:
    row = first(
        schema=schema(
            ("id", mstype.int32, []),
            ("neg", mstype.int16, [2]),
            ("name", mstype.string, [1]),
            ("vec", mstype.float64, [-1, 1]),
        )
    )
    assert {name: (value.dtype.kind, value.dtype.itemsize, value.tolist()) for name, value in row.items()} == {
        "id": ("i", 4, 100),
        "neg": ("i", 2, [-1, 5]),
        "name": ("U", 8, ["a0"]),
        "vec": ("f", 8, [[0.5], [1.5]]),
    }
    (tmp_path / "schema.json").write_text(schema(("name", mstype.uint8), ("id", mstype.int64, [1])).to_json())
    assert first(schema="schema.json")["name"].tolist() == [97, 48]
    assert list(first(schema="schema.json", columns_list=["id"])) == ["id"]


def test_shards_take_files_or_equal_numbers_of_rows(files: list[str]) -> None:
    def shards(number: int, equal: bool) -> list[list[int]]:
        return [
            ids(
                ds.TFRecordDataset(
                    files, shuffle=False, num_shards=number, shard_id=i, shard_equal_rows=equal, num_parallel_workers=1
                )
            )
            for i in range(number)
        ]

    assert shards(2, False) == [A + C, B]
    assert shards(2, True) == [A + B[:1], B[1:] + C]
    assert shards(3, True) == [A[:4], A[4:] + B, C]
    assert shards(5, True)[4] == A[:3]  # begins again, so that all have three
    with pytest.raises(RuntimeError):
        shards(4, False)


def test_samples_are_counted_for_each_shard(files: list[str]) -> None:
    assert ids(ds.TFRecordDataset(files, shuffle=False, num_samples=7, num_parallel_workers=1)) == A + B[:2]
    assert ds.TFRecordDataset(files, num_samples=70).get_dataset_size() == 12
    assert ids(ds.TFRecordDataset(files, shuffle=False, num_samples=2, num_shards=3, shard_id=1)) == B[:2]


def test_none_shuffles_as_true_does(files: list[str]) -> None:
    """Real MindSpore 2.10's order."""
    ds.config.set_seed(3)
    assert ids(ds.TFRecordDataset("a.tfrecord", shuffle=None)) == ids(ds.TFRecordDataset("a.tfrecord")) != A
    kinds = (None, True, False, ds.Shuffle.FILES, ds.Shuffle.INFILE)
    shuffled = [ds.TFRecordDataset("a.tfrecord", shuffle=kind).is_shuffled() for kind in kinds]
    assert shuffled == [True, True, False, True, True]


def test_rows_or_files_are_shuffled_anew_in_each_epoch(files: list[str]) -> None:
    iterator = ds.TFRecordDataset(files, columns_list=["id"]).create_tuple_iterator(num_epochs=2, output_numpy=True)
    one, other = ([int(row[0].item()) for row in iterator] for _ in range(2))
    assert sorted(one) == sorted(other) == A + B + C and one != other
    orders = {
        tuple(ids(ds.TFRecordDataset(files, shuffle=ds.Shuffle.FILES, num_parallel_workers=1))) for _ in range(40)
    }
    assert orders <= {
        tuple(x + y + z) for x in (A, B, C) for y in (A, B, C) for z in (A, B, C) if len({id(x), id(y), id(z)}) == 3
    }
    assert len(orders) > 1


@pytest.mark.parametrize(("kind", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_compressed_files(files: list[str], kind: str, compress: Any) -> None:
    Path("small").write_bytes(compress(Path("a.tfrecord").read_bytes()))
    assert ids(ds.TFRecordDataset("small", shuffle=False, compression_type=kind)) == A
    with pytest.raises(RuntimeError):
        ds.TFRecordDataset("small", compression_type={"GZIP": "ZLIB", "ZLIB": "GZIP"}[kind])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [({"num_samples": -1}, ValueError), ({"columns_list": ["zz"]}, KeyError), ({"compression_type": "X"}, ValueError)],
)
def test_wrong_arguments(files: list[str], arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        ds.TFRecordDataset(**{"dataset_files": files, **arguments})


def test_wrong_files_are_named(files: list[str]) -> None:
    Path("bad").write_bytes(b"x" * 100)
    Path("empty").write_bytes(b"")
    Path("cut").write_bytes(Path("a.tfrecord").read_bytes()[:-6])
    with pytest.raises(RuntimeError):
        ds.TFRecordDataset("bad")
    with pytest.raises(RuntimeError):
        ds.TFRecordDataset("empty")
    with pytest.raises(RuntimeError):
        ids(ds.TFRecordDataset("cut"))
    for columns, text in (
        (("nope", mstype.int32), "Feature name: nope"),
        (("vec", mstype.float32, [3]), "shape of vec"),
        (("vec", mstype.int32), "holds float"),
    ):
        with pytest.raises(RuntimeError, match=text):
            first(schema=schema(columns))
