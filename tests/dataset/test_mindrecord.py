"""MindRecord files: MindSpore's are read, and ours are what MindSpore writes."""

import itertools
import shutil
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.mindrecord import FileReader, FileWriter, MindPage, MRMInvalidSchemaError, MRMOpenError
from mindspore_compat.mindrecord._codec import decode_blobs, decode_map, encode_blobs, encode_map
from tests.golden.make_dataset_mindrecord import SCHEMAS, rows, write

GOLDEN = np.load(Path(__file__).parents[1] / "golden" / "dataset_mindrecord.npz")


def upstream_file(folder, name):
    for part in (name, f"{name}.db"):
        GOLDEN[part].tofile(folder / part)
    return str(folder / name)


def write_rows(path, schema, data, shards=1):
    writer = FileWriter(str(path), shards, overwrite=True)
    writer.add_schema(schema)
    writer.write_raw_data(data)
    writer.commit()
    return str(path)


def numbers(folder, count=7, shards=1):
    return write_rows(folder / "n", {"a": {"type": "int64"}}, [{"a": i} for i in range(count)], shards)


def values(dataset, name="a"):
    return [row[name].tolist() for row in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)]


def same(got, wanted):
    if isinstance(wanted, bytes):
        return got.tobytes() == wanted
    return np.array_equal(got, np.asarray(wanted, got.dtype if got.dtype.kind == "f" else None))


@pytest.mark.parametrize("name", SCHEMAS)
def test_reads_what_mindspore_wrote(tmp_path, name):
    dataset = ds.MindDataset(upstream_file(tmp_path, name), shuffle=False)
    assert dataset.get_col_names() == sorted(SCHEMAS[name])
    read = list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert len(read) == len(dataset) == len(rows(name))
    for got, wanted in zip(read, rows(name), strict=True):
        assert all(same(got[key], wanted[key]) for key in wanted)


@pytest.mark.parametrize("name", SCHEMAS)
def test_writes_what_mindspore_writes(tmp_path, name):
    path = tmp_path / name
    write(FileWriter, str(path), name)
    ours, theirs = path.read_bytes(), GOLDEN[name].tobytes()
    if name == "pages":  # upstream puts its raw pages elsewhere
        start = ours.index(b'"page_size":32768')
        assert ours[8:start].count(b"BLOB_DATA") == theirs[8 : theirs.index(b'"page_size":32768')].count(b"BLOB_DATA")
    else:
        assert ours == theirs
    query = "SELECT * FROM INDEXES ORDER BY ROW_ID"
    GOLDEN[f"{name}.db"].tofile(tmp_path / "theirs.db")
    with closing(sqlite3.connect(tmp_path / f"{name}.db")) as a, closing(sqlite3.connect(tmp_path / "theirs.db")) as b:
        found, wanted = a.execute(query).fetchall(), b.execute(query).fetchall()
    assert len(found) == len(wanted)
    if name != "pages":
        assert [row[:8] for row in found] == [row[:8] for row in wanted]


@pytest.mark.parametrize("name", SCHEMAS)
def test_our_own_file_comes_back(tmp_path, name):
    write(FileWriter, str(tmp_path / name), name)
    for got, wanted in zip(FileReader(str(tmp_path / name)).get_next(), rows(name), strict=True):
        assert all(np.array_equal(got[k], v) for k, v in wanted.items())


def test_column_types(tmp_path):
    row = next(ds.MindDataset(upstream_file(tmp_path, "mixed"), shuffle=False).create_dict_iterator(output_numpy=True))
    assert {k: (v.dtype.str[1:], v.shape) for k, v in row.items()} == {
        "arr": ("f4", (1,)),
        "big": ("i8", ()),
        "box": ("i4", (1, 2)),
        "data": ("S4", (1,)),
        "exact": ("f8", ()),
        "ids": ("i8", (3,)),
        "label": ("i4", ()),
        "name": ("U2", ()),
        "score": ("f4", ()),
    }


def test_shards_of_a_file(tmp_path):
    path = numbers(tmp_path, shards=3)
    assert values(ds.MindDataset(path + "0", shuffle=False)) == [0, 1, 2, 3, 4, 5, 6]
    assert values(ds.MindDataset(dataset_file=path + "0", shuffle=False)) == [0, 1, 2, 3, 4, 5, 6]  # 1.x's name
    with pytest.raises(ValueError, match="dataset_files"):
        ds.MindDataset(shuffle=False)
    assert values(ds.MindDataset([path + "1"], shuffle=False)) == [3, 4]
    assert FileReader(path + "1").len() == 7
    assert [values(ds.MindDataset(path + "0", num_shards=2, shard_id=i, shuffle=False)) for i in (0, 1)] == [
        [0, 2, 4, 6],
        [1, 3, 5, 0],
    ]


@pytest.mark.parametrize(
    ("rows", "shards", "found"),
    [
        (10, 3, [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]]),
        (10, 4, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 0, 1]]),
        (7, 2, [[0, 1, 2, 3], [4, 5, 6, 0]]),
    ],
)
def test_shards_in_blocks(tmp_path, monkeypatch, rows, shards, found):
    """As real MindSpore's, which reads the variable when it begins to read; an offset has no effect then."""
    path = numbers(tmp_path, rows)
    monkeypatch.setenv("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "True")
    made = [ds.MindDataset(path, num_shards=shards, shard_id=i, shuffle=False) for i in range(shards)]
    assert [values(data) for data in made] == found
    sampler = ds.DistributedSampler(shards, 1, shuffle=False, offset=1)
    assert values(ds.MindDataset(path, sampler=sampler)) == found[1]
    whole = [values(ds.MindDataset(path, num_shards=shards, shard_id=i, shuffle=True)) for i in range(shards)]
    assert set().union(*whole) == set(range(rows)) and [len(part) for part in whole] == [len(part) for part in found]
    monkeypatch.setenv("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "0")
    assert values(made[1])[:2] == [1, 1 + shards]
    data = ds.NumpySlicesDataset(list(range(rows)), ["a"], sampler=sampler)
    assert values(data) == list(range(0, rows, shards))


@pytest.mark.parametrize("shards", [1, 2])
def test_shuffle_of_files_or_within(tmp_path, shards):
    path = numbers(tmp_path, 14, shards=4) + "0"
    files = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10], [11, 12, 13]]

    def orders(**how):
        for seed in range(6):
            ds.config.set_seed(seed)
            made = [ds.MindDataset(path, **how, **part) for part in parts]
            yield [item for group in zip(*map(values, made)) for item in group]

    parts = [{}] if shards == 1 else [{"num_shards": shards, "shard_id": i} for i in range(shards)]
    by_files, within = list(orders(shuffle=ds.Shuffle.FILES)), list(orders(shuffle=ds.Shuffle.INFILE))
    if shards == 1:
        assert all(order in list(orders(sampler=ds.RandomSampler(shuffle=ds.Shuffle.FILES))) for order in by_files)
    for found in by_files:
        assert found in [list(itertools.chain(*order)) for order in itertools.permutations(files)]
    assert len(set(map(tuple, by_files))) > 1
    for found in within:
        assert [sorted(found[a:b]) for a, b in ((0, 4), (4, 8), (8, 11), (11, 14))] == files and found != sorted(found)


def test_columns_padding_and_shuffle(tmp_path):
    path = numbers(tmp_path, 3)
    dataset = ds.MindDataset(path, ["a"], shuffle=False, padded_sample={"a": -1}, num_padded=2)
    assert values(dataset) == [0, 1, 2, -1, -1]
    assert sorted(values(ds.MindDataset(path))) == [0, 1, 2]
    with pytest.raises(RuntimeError):
        ds.MindDataset(path, ["q"])


def test_append(tmp_path):
    path = numbers(tmp_path, 3)
    writer = FileWriter.open_for_append(path)
    writer.write_raw_data([{"a": 10}, {"a": 11}])
    writer.commit()
    assert values(ds.MindDataset(path, shuffle=False)) == [0, 1, 2, 10, 11]


@pytest.mark.multi_process
def test_worker_processes_read_their_own_file(tmp_path):
    dataset = ds.MindDataset(numbers(tmp_path, 40), shuffle=False)
    values(dataset.take(1))
    dataset = dataset.map(lambda a: a * 2, "a", num_parallel_workers=2, python_multiprocessing=True).batch(8)
    assert np.concatenate(values(dataset)).tolist() == list(range(0, 80, 2))


def test_existing_file_is_not_overwritten_unasked(tmp_path):
    writer = FileWriter(numbers(tmp_path))
    writer.add_schema({"a": {"type": "int64"}})
    with pytest.raises(RuntimeError):
        writer.write_raw_data([{"a": 1}])


@pytest.mark.parametrize("schema", [{"a": {"type": "int33"}}, {"a": {"type": "int32", "shape": [-1, -1]}}])
def test_wrong_schema(tmp_path, schema):
    with pytest.raises(MRMInvalidSchemaError):
        FileWriter(str(tmp_path / "x")).add_schema(schema)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "int32"}, "x"),
        ({"type": "int32"}, 2**31),
        ({"type": "int32", "shape": [2]}, np.ones(3, np.int32)),
        ({"type": "int32", "shape": [2]}, np.ones(2, np.float32)),
        ({"type": "bytes"}, "x"),
        ({"type": "string"}, b"x"),
        ({"type": "int64"}, 2**64),
        ({"type": "float32"}, True),
    ],
)
def test_row_that_does_not_fit_is_left_out_and_no_row_is_an_error(tmp_path, field, value, caplog):
    writer = FileWriter(str(tmp_path / "x"))
    writer.add_schema({"a": field})
    with pytest.raises(RuntimeError):
        writer.write_raw_data([{"a": value}, {}])
    assert "row 0 is left out" in caplog.text and "field 'a' is missing" in caplog.text
    writer.commit()


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<Q", 2**60) + b"{}",
        struct.pack("<Q", 4) + b"abcd" + bytes(100),
        struct.pack("<Q", 18) + b'{"header_size": 1}',
        b"x",
    ],
)
def test_broken_header_is_refused(tmp_path, content):
    path = Path(upstream_file(tmp_path, "one_blob"))
    path.write_bytes(content)
    with pytest.raises(MRMOpenError):
        ds.MindDataset(str(path))


def test_truncated_file_and_lost_index(tmp_path):
    path = Path(upstream_file(tmp_path, "one_blob"))
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(MRMOpenError):
        list(FileReader(str(path)).get_next())
    (tmp_path / "one_blob.db").unlink()
    with pytest.raises(RuntimeError):
        ds.MindDataset(str(path))


@pytest.mark.parametrize(
    "value", [0, 127, 128, 255, 256, 65535, 2**32, 2**63, -1, -32, -33, -129, -40000, -(2**40), 0.5, 0.1, 1e300]
)
def test_numbers_come_back(value):
    assert decode_map(encode_map({"v": value}))["v"] == value


def test_long_strings_and_many_fields_come_back():
    record = {f"f{i:02d}": "\u00e4" * size for i, size in enumerate([0, 31, 32, 255, 70000] * 4)}
    assert decode_map(encode_map(record)) == record


@pytest.mark.parametrize("data", [b"\x82\xa1a", b"\x81\xa5ab", b"\xc0", b"", b"\x81\xa1a\xc1"])
def test_broken_record_is_an_error(data):
    with pytest.raises(ValueError, match=r"broken|expected|unknown"):
        decode_map(data)


def test_integer_arrays_come_back_packed():
    rng = np.random.default_rng(0)
    field = [{"type": "int64", "shape": [-1]}]
    for count in range(12):
        array = rng.integers(-(2**63), 2**63 - 1, count) >> rng.integers(0, 63, count)
        (back,) = decode_blobs(encode_blobs([array]), field)
        np.testing.assert_array_equal(back, array)
    with pytest.raises(ValueError):
        decode_blobs(struct.pack(">I", 2**31) + b"\x00", field)


def test_a_reader_gives_each_row_once(tmp_path):
    """As real MindSpore: a loop that is left goes on in the next, and nothing comes after `close`."""
    path = numbers(tmp_path, 6)
    reader = FileReader(path)
    assert [row["a"] for row, _ in zip(reader.get_next(), range(3), strict=False)] == [0, 1, 2]
    assert [row["a"] for row in reader.get_next()] == [4, 5]  # zip took one row more
    assert list(reader.get_next()) == []
    reader = FileReader(path)
    taken = []
    for row in reader.get_next():
        taken.append(row["a"])
        if len(taken) == 2:
            reader.close()
    assert taken == [0, 1]
    assert list(reader.get_next()) == []


def test_files_that_are_missing_or_broken_raise_what_upstreams_do(tmp_path):
    missing = str(tmp_path / "nope")
    for call in (FileReader, MindPage, FileWriter.open_for_append, ds.MindDataset):
        with pytest.raises(RuntimeError):
            call(missing)
    (tmp_path / "empty").touch()
    with pytest.raises(RuntimeError):
        FileReader(str(tmp_path / "empty"))
    write_rows(tmp_path / "y", {"a": {"type": "int64"}}, [{"a": i} for i in range(4)], shards=2)
    (tmp_path / "y1").unlink()
    with pytest.raises(RuntimeError):
        ds.MindDataset(str(tmp_path / "y0"))
    with pytest.raises(RuntimeError):
        FileReader([str(tmp_path / "y0"), str(tmp_path / "y1")])


@pytest.mark.parametrize(
    "is_broken",
    [
        lambda path: (path / "s1.db").unlink(),
        lambda path: (path / "s0.db").unlink(),
        lambda path: (path / "s1.db").write_text("text"),
        lambda path: shutil.copy(path / "s0.db", path / "s1.db"),
    ],
)
@pytest.mark.parametrize("reads", [FileReader, MindPage, ds.MindDataset, FileWriter.open_for_append])
def test_indexes_that_are_not_the_files_own(tmp_path, is_broken, reads):
    write_rows(tmp_path / "s", {"a": {"type": "int64"}}, [{"a": i} for i in range(4)], shards=2)
    is_broken(tmp_path)
    with pytest.raises(RuntimeError):
        reads(str(tmp_path / "s0"))


def test_nothing_is_written_after_commit(tmp_path):
    writer = FileWriter(str(tmp_path / "m"), overwrite=True)
    writer.add_schema({"a": {"type": "int64"}})
    writer.write_raw_data([{"a": 1}])
    writer.commit()
    with pytest.raises(RuntimeError):
        writer.write_raw_data([{"a": 2}])
