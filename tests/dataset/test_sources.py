"""Sources and samplers. Expectations were taken from MindSpore 2.10."""

import gzip
import logging
import struct
from typing import ClassVar

import numpy as np
import pytest
import torch

import mindspore_compat.dataset as ds
import mindspore_compat.dataset.vision as V
from mindspore_compat._api import errors
from mindspore_compat.dataset.core.validator_helpers import cpu_count


def values(dataset, column=None):
    rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    return [row[column or next(iter(row))].tolist() for row in rows]


def first(dataset):
    return next(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def numbers(count=7, **kwargs):
    return ds.NumpySlicesDataset(np.arange(count), **kwargs)


@pytest.mark.parametrize(
    ("data", "types"),
    [
        ([1, 2], {"column_0": "int64"}),
        ([1.0, 2.5], {"column_0": "float64"}),
        ([[1, 2], [3, 4]], {"column_0": "int64"}),
        (([1, 2], [1.0, 2.0]), {"column_0": "int64", "column_1": "float64"}),
        ({"a": [1, 2], "b": ["x", "y"], "c": [True, False]}, {"a": "int64", "b": "<U1", "c": "bool"}),
        ({"a": np.zeros((2, 3), np.float16)}, {"a": "float16"}),
        (np.zeros((2, 2), np.uint32), {"column_0": "uint32"}),
    ],
)
def test_numpy_slices_types(data, types):
    assert {k: v.dtype for k, v in first(ds.NumpySlicesDataset(data, shuffle=False)).items()} == {
        k: np.dtype(t) for k, t in types.items()
    }


def test_rows_of_a_list_have_a_dtype_each():
    rows = ds.NumpySlicesDataset([1.0, 2, True], shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [row["column_0"].dtype for row in rows] == [np.float64, np.int64, np.bool_]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: ds.NumpySlicesDataset(([1, 2], [1])), ValueError),
        (lambda: numbers(num_shards=2), ValueError),
        (lambda: ds.GeneratorDataset(5, ["a"]), TypeError),
        (lambda: ds.GeneratorDataset([1], ["a", "a"]), ValueError),
        (lambda: ds.MnistDataset("/nonexistent"), ValueError),
        (lambda: ds.SubsetSampler([1.5]), TypeError),
    ],
)
def test_wrong_argument_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_sharding_and_num_samples():
    assert [values(numbers(num_shards=2, shard_id=i, shuffle=False)) for i in (0, 1)] == [[0, 2, 4, 6], [1, 3, 5, 0]]
    assert values(numbers(shuffle=False, num_samples=3)) == [0, 1, 2]
    assert len(numbers(num_samples=0)) == len(numbers(num_samples=30)) == 7
    assert values(numbers(10, shuffle=False, num_samples=3, num_shards=2, shard_id=1)) == [1, 3, 5]


def test_shards_of_a_shuffled_source_do_not_overlap_without_a_seed():
    for _ in range(3):
        shards = [values(numbers(8, num_shards=2, shard_id=i)) for i in (0, 1)]
        assert sorted(shards[0] + shards[1]) == list(range(8))


@pytest.mark.parametrize(
    ("sampler", "ids"),
    [
        (lambda: ds.SequentialSampler(2, 3), [2, 3, 4]),
        (lambda: ds.SequentialSampler(2, 20), [2, 3, 4, 5, 6]),
        (lambda: ds.SubsetSampler([3, 1]), [3, 1]),
        (lambda: [3, 1, 1], [3, 1, 1]),
        (lambda: ds.WeightedRandomSampler([0, 0, 1, 0], 4), [2, 2, 2, 2]),
        (lambda: iter([4, 2]), [4, 2]),
        (lambda: ds.DistributedSampler(3, 1, shuffle=False), [1, 4, 0]),
        (lambda: ds.DistributedSampler(3, 0, shuffle=False, offset=1), [2, 5]),
        (lambda: ds.DistributedSampler(3, 1, shuffle=False, offset=1), [0, 3, 6]),
        (lambda: ds.DistributedSampler(3, 2, shuffle=False, num_samples=2), [2, 5]),
    ],
)
def test_sampler_ids(sampler, ids):
    assert values(numbers(sampler=sampler())) == ids


def test_random_samplers():
    assert sorted(values(numbers(sampler=ds.RandomSampler()))) == list(range(7))
    assert sorted(values(numbers(sampler=ds.SubsetRandomSampler([5, 2, 3])))) == [2, 3, 5]
    assert len(values(numbers(sampler=ds.RandomSampler(True, 5)))) == 5
    assert sorted(values(numbers(3, sampler=ds.WeightedRandomSampler([1, 1, 1], 5, replacement=False)))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("weights", "count", "replacement", "ids"),
    [
        ([1.0, 0.0, 1.0], 2, True, [0, 2]),
        ([1.0, 0.0, 1.0], 5, True, [0, 2, 0]),
        ([1.0, 1.0], 5, True, [0, 1, 0]),
        ([1.0, 0.0, 1.0], 5, False, [0, 2, 1]),
        ([0.0, 0.0, 1.0], 2, False, [2, 0]),
        ([1.0, 0.0], 2, False, [0, 1]),
    ],
)
def test_a_weighted_sampler_draws_at_most_all(weights, count, replacement, ids):
    """Real MindSpore 2.10's."""
    ds.config.set_seed(3)
    dataset = numbers(3, sampler=ds.WeightedRandomSampler(weights, count, replacement))
    assert dataset.get_dataset_size() == len(ids)
    assert values(dataset) == ids


def test_child_samplers():
    parent = ds.SequentialSampler(1, 2)
    parent.add_child(ds.SubsetSampler([4, 5, 6]))
    assert values(numbers(sampler=parent)) == [5, 6]
    with pytest.raises(RuntimeError):
        parent.add_child(ds.SequentialSampler())
    dataset = numbers(sampler=ds.SubsetSampler([4, 5, 6]))
    dataset.add_sampler(ds.SequentialSampler(1, 2))
    assert values(dataset) == [5, 6]
    dataset.use_sampler(ds.SequentialSampler(2, 1))
    assert values(dataset) == [2] and len(dataset) == 1


def test_user_sampler_knows_the_size():
    class Backwards(ds.Sampler):
        def __iter__(self):
            yield from range(self.dataset_size - 1, -1, -1)

    assert values(numbers(3, sampler=Backwards())) == [2, 1, 0]
    assert values(numbers(3, sampler=Backwards(1))) == [2]
    assert len(numbers(3, sampler=Backwards())) == 3


def test_a_sampler_may_give_arrays_of_ids_to_a_generator():
    """MindSpore 1.x: the source gets each array as it is (ncf of the model zoo makes its batches so)."""

    class Batches(ds.Sampler):
        def __init__(self, batches, count=None):
            self.batches = batches
            super().__init__(count)

        def __iter__(self):
            return iter(self.batches)

    class Source:
        def __len__(self):
            return 2

        def __getitem__(self, ids):
            return np.asarray(ids) * 10

    arrays = [np.array([266934, 3]), np.array([5, 6]), np.array([7, 8])]
    for sampler, expected in (
        (Batches(arrays), [[2669340, 30], [50, 60], [70, 80]]),
        (Batches(arrays, 2), [[2669340, 30], [50, 60]]),
        (Batches([(0, 4), (4, 8)]), [[0, 40], [40, 80]]),
    ):
        dataset = ds.GeneratorDataset(Source(), "a", sampler=sampler)
        assert len(dataset) == len(expected) and values(dataset) == expected
    with pytest.raises(RuntimeError):
        len(ds.GeneratorDataset(Source(), "a", sampler=Batches([[1, 2], [3]])))
    with pytest.raises(RuntimeError):
        values(ds.NumpySlicesDataset([1, 2, 3], "a", sampler=Batches(arrays)))


def test_ids_out_of_bound():
    with pytest.raises(RuntimeError):
        values(numbers(sampler=ds.SubsetSampler([30])))
    with pytest.raises(RuntimeError):
        values(numbers(sampler=ds.SequentialSampler(20)))


class Access:
    def __getitem__(self, index):
        return np.float32(index), {"raw": index}

    def __len__(self):
        return 5


class Iterable:
    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= 3:
            raise StopIteration
        self.i += 1
        return (self.i,)


@pytest.mark.parametrize("source", [lambda: iter([1, 2, 3]), Iterable(), [1, 2, 3], lambda: (i for i in (1, 2, 3))])
def test_generator_sources_start_over_each_epoch(source):
    iterator = ds.GeneratorDataset(source, "a", shuffle=False).create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [[int(row[0]) for row in iterator] for _ in range(2)] == [[1, 2, 3]] * 2
    assert ds.GeneratorDataset(source, "a").get_dataset_size() == 3


def test_generator_rows():
    row = first(ds.GeneratorDataset(lambda: iter([(1, 2.0, "s", [1, 2])]), list("abcd")))
    assert [(v.dtype.kind, v.shape) for v in row.values()] == [("i", ()), ("f", ()), ("U", ()), ("i", (2,))]
    assert first(ds.GeneratorDataset(Access(), ["x", "d"], shuffle=False))["d"] == {"raw": 0}
    assert first(ds.GeneratorDataset([(torch.ones(2), 1)], ["x", "y"]))["x"].tolist() == [1.0, 1.0]
    batch = first(ds.GeneratorDataset([({"a": 1},), ({"a": 2},)], "d", shuffle=False).batch(2))
    assert batch["d"]["a"].tolist() == [1, 2]


def test_generator_num_samples_limits_a_stream():
    assert len(ds.GeneratorDataset(lambda: iter([(1,)] * 7), ["a"], num_samples=3)) == 3


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: ds.GeneratorDataset([(1, 2)], ["a"]),
        lambda: ds.GeneratorDataset([(1,)], ["a"], column_types=[torch.int32]),
        lambda: ds.GeneratorDataset(lambda: (1 / 0 for _ in "a"), ["a"]),
    ],
)
def test_wrong_generator_data_fails_when_it_is_read(dataset):
    with pytest.raises(RuntimeError):
        first(dataset())


def test_generator_does_not_alias_a_buffer_that_the_source_uses_again():
    buffer = np.zeros(1)

    def rows():
        for i in range(3):
            buffer[0] = i
            yield (buffer,)

    assert values(ds.GeneratorDataset(rows, ["a"]).batch(3)) == [[[0.0], [1.0], [2.0]]]


def test_batch_sampler_and_collate():
    dataset = ds.GeneratorDataset(
        [(i,) for i in range(6)], ["a"], batch_sampler=[[0, 1], [5, 4, 3]], collate_fn=lambda a: (np.stack(a) * 10,)
    )
    assert values(dataset) == [[0, 10], [50, 40, 30]] and len(dataset) == 2 and dataset.get_batch_size() == -1


@pytest.mark.parametrize(
    "options",
    [{"shuffle": True}, {"num_shards": 2, "shard_id": 1}, {"sampler": [4, 1, 3], "num_samples": 2}, {"num_samples": 3}],
)
def test_single_rows_are_those_of_an_iteration(options: dict) -> None:
    ds.config.set_seed(5)
    dataset = ds.GeneratorDataset([(i,) for i in range(6)], ["a"], **options)
    rows = values(dataset)
    assert [dataset[i][0] for i in range(len(rows))] == rows
    with pytest.raises(IndexError):
        dataset[len(rows)]


def test_generators_and_zips_are_read_again() -> None:
    for source in ((i for i in range(3)), zip([0, 1, 2])):
        dataset = ds.GeneratorDataset(source, ["a"], shuffle=False)
        assert len(dataset) == 3
        assert values(dataset) == values(dataset) == [0, 1, 2]


def test_single_types_of_columns_may_be_left_out() -> None:
    rows = [(np.int8(1), np.float32(2))]
    assert ds.GeneratorDataset(rows, ["a", "b"], column_types=[None, "float32"]).output_types() == [np.int8, np.float32]
    with pytest.raises(RuntimeError):
        ds.GeneratorDataset(rows, ["a", "b"], column_types=[None, "int32"]).output_types()


def test_schema_names_and_checks_columns(tmp_path):
    schema = ds.Schema()
    schema.add_column("a", torch.int64, [])
    schema.add_column("b", "float32")
    path = tmp_path / "schema.json"
    path.write_text(schema.to_json())
    assert ds.Schema(str(path)).columns == schema.columns
    assert '"type": "float32"' in str(schema)
    only = ds.Schema()
    only.add_column("a", "int64")
    assert values(ds.GeneratorDataset([1, 2], schema=only, shuffle=False), "a") == [1, 2]


def test_padded_dataset_evens_out_shards():
    shards = []
    for i in range(4):
        dataset = ds.GeneratorDataset([(np.full(1, k),) for k in range(6)], ["a"])
        dataset = dataset + ds.PaddedDataset([{"a": np.full(1, 9)}] * 2)
        dataset.use_sampler(ds.DistributedSampler(4, i, shuffle=False))
        shards.append([v[0] for v in values(dataset)])
        assert len(dataset) == 2
    assert shards == [[0, 4], [1, 5], [2, 9], [3, 9]]


def test_too_many_workers_are_lowered_with_one_notice(caplog):
    errors._told.discard("dataset.num_parallel_workers")
    with caplog.at_level(logging.WARNING, logger="mindspore_compat"):
        for _ in range(2):
            dataset = ds.GeneratorDataset([1], "a", num_parallel_workers=100)
    assert dataset.num_parallel_workers == cpu_count()
    assert len([r for r in caplog.records if "lowered" in r.message]) == 1


@pytest.fixture
def mnist(tmp_path):
    pixels = np.random.RandomState(0).randint(0, 256, (8, 28, 28)).astype(np.uint8)
    for prefix, part in (("train", slice(0, 5)), ("t10k", slice(5, 8))):
        count = part.stop - part.start
        images = struct.pack(">iiii", 2051, count, 28, 28) + pixels[part].tobytes()
        (tmp_path / f"{prefix}-images-idx3-ubyte").write_bytes(images)
        with gzip.open(tmp_path / f"{prefix}-labels-idx1-ubyte.gz", "wb") as stream:
            stream.write(struct.pack(">ii", 2049, count) + bytes(range(count)))
    return tmp_path, pixels


def test_mnist_with_gzipped_labels(mnist):
    folder, pixels = mnist
    row = first(ds.MnistDataset(str(folder), "train", shuffle=False))
    assert (row["image"].dtype, row["image"].shape, row["label"].dtype) == (np.uint8, (28, 28, 1), np.uint32)
    np.testing.assert_array_equal(row["image"][..., 0], pixels[0])
    assert values(ds.MnistDataset(str(folder), shuffle=False), "label") == [0, 1, 2, 0, 1, 2, 3, 4]
    pairs = values(ds.MnistDataset(str(folder), "train", sampler=ds.PKSampler(2)), "label")
    assert pairs == np.repeat(np.arange(5), 2).tolist()


@pytest.mark.parametrize(
    ("kind", "label_bytes", "names"),
    [(ds.Cifar10Dataset, 1, ["label"]), (ds.Cifar100Dataset, 2, ["coarse_label", "fine_label"])],
)
def test_cifar(tmp_path, kind, label_bytes, names):
    records = np.random.RandomState(0).randint(0, 256, (3, label_bytes + 3072)).astype(np.uint8)
    records.tofile(tmp_path / ("test_batch.bin" if label_bytes == 1 else "test.bin"))
    row = first(kind(str(tmp_path), "test", shuffle=False))
    assert list(row) == ["image", *names] and row["image"].shape == (32, 32, 3)
    assert [int(row[n]) for n in names] == records[0, :label_bytes].tolist()
    assert row["image"][0, 1].tolist() == [records[0, label_bytes + c * 1024 + 1] for c in range(3)]
    assert kind(str(tmp_path), "train").get_dataset_size() == 0  # as upstream
    with pytest.raises(RuntimeError):
        first(kind(str(tmp_path), "train"))


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("b", "a")):
        (tmp_path / name).mkdir()
        for i in range(2):
            V.write_png(str(tmp_path / name / f"{i}.png"), np.full((4 + i, 6, 3), 100 * number + i, np.uint8))
        V.write_jpeg(str(tmp_path / name / "2.jpg"), np.zeros((5, 5, 3), np.uint8))
    return str(tmp_path)


def test_image_folder_pipeline_in_threads(folder):
    dataset = ds.ImageFolderDataset(folder, shuffle=False).map(
        [V.Decode(), V.Resize((8, 9)), V.Rescale(1 / 255.0, 0.0), V.HWC2CHW()], "image", num_parallel_workers=2
    )
    batch = first(dataset.batch(6))
    assert (batch["image"].shape, batch["image"].dtype) == ((6, 3, 8, 9), np.float32)


def test_line_reader(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("eins\nzwei\r\nd\u00e4\n".encode())
    reader = ds.LineReader(str(path))
    assert (len(reader), reader.readline(2), reader[3]) == (3, "zwei", "d\u00e4")
    with pytest.raises(ValueError):
        reader.readline(4)
    reader.close()


def test_a_sampler_is_what_iter_takes() -> None:
    class ByIndex:
        ids = (3, 1, 1, 0)

        def __getitem__(self, index):
            return self.ids[index]

        def __len__(self):
            return len(self.ids)

    assert [int(row) for (row,) in numbers(sampler=ByIndex())] == [3, 1, 1, 0]


def test_a_given_number_of_shuffled_samples_is_drawn_with_replacement() -> None:
    """As upstream's select_sampler does; without `num_samples` each row comes once."""
    given = np.concatenate([values(numbers(20, shuffle=True, num_samples=18)) for _ in range(3)])
    assert len(given) == 54 and set(given.tolist()) <= set(range(20))
    assert any(len(set(values(numbers(20, num_samples=18)))) < 18 for _ in range(3))
    assert sorted(values(numbers(20))) == list(range(20))


class _Drawing(ds.Sampler):
    """Draws an order for each pass from a generator of its own, and notes what it is asked for."""

    asked: ClassVar[list[str]] = []

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.draws = np.random.default_rng(0)

    def __iter__(self):
        self.asked.append("ids")
        return iter([int(i) for i in self.draws.permutation(4)])

    def reset(self) -> None:
        self.asked.append("reset")


def test_each_iterator_has_its_own_sampler() -> None:
    """Real MindSpore copies the pipeline for an iterator: a sampler's state goes on from epoch to epoch, and begins
    anew with the next iterator.
    """
    dataset = numbers(4, sampler=_Drawing())
    assert len(dataset) == 4
    _Drawing.asked.clear()
    rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [[int(row) for (row,) in rows] for _ in range(2)] == [[2, 0, 1, 3], [3, 2, 1, 0]]
    assert _Drawing.asked == ["ids", "reset"] * 2
    assert values(dataset) == values(dataset) == [2, 0, 1, 3]
    assert values(dataset.repeat(2)) == [2, 0, 1, 3, 3, 2, 1, 0]
    parent = ds.SequentialSampler(1, 2)
    parent.add_child(_Drawing())
    dataset = numbers(4, sampler=parent)
    assert values(dataset) == values(dataset) == [0, 1]


def test_epochs_that_are_left_out_move_a_sampler() -> None:
    for kind, sampler in (("sampler", _Drawing()), ("batch_sampler", [[3], [1]])):
        dataset = ds.GeneratorDataset([0, 1, 2, 3], "a", **{kind: sampler})
        rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
        read = [row.tolist() for _ in range(2) for (row,) in rows]
        dataset.set_init_step(len(dataset))
        rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
        assert [row.tolist() for (row,) in rows] == read[len(dataset) :]


def test_a_samplers_own_settings_count_when_the_iterator_is_made() -> None:
    class Shifted:
        epoch = 0

        def __iter__(self):
            return iter([(i + self.epoch) % 3 for i in range(3)])

    sampler = Shifted()
    dataset = numbers(3, sampler=sampler)
    rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    first = [int(row) for (row,) in rows]
    sampler.epoch = 1
    assert [first, [int(row) for (row,) in rows], values(dataset)] == [[0, 1, 2], [0, 1, 2], [1, 2, 0]]


def test_a_batch_samplers_state_and_length() -> None:
    class Batches:
        def __init__(self) -> None:
            self.draws = np.random.default_rng(0)

        def __iter__(self):
            batches = [[0], [1, 2], [3]]
            self.draws.shuffle(batches)
            return iter(batches)

    class Two(Batches):
        def __len__(self) -> int:
            return 2

    def epochs(dataset, count):
        rows = dataset.create_tuple_iterator(num_epochs=count, output_numpy=True)
        return [[row.tolist() for (row,) in rows] for _ in range(count)]

    for kind, count, expected in ((Batches, 3, [[3], [0], [1, 2]]), (Two, 2, [[3], [0]])):
        dataset = ds.GeneratorDataset([0, 1, 2, 3], "a", batch_sampler=kind())
        assert len(dataset) == count
        assert epochs(dataset, 1) == [expected]
        assert epochs(dataset, 2) == [expected, [[3], [1, 2], [0]][:count]]


def test_what_a_sampler_can_not_copy_is_shared() -> None:
    dataset = numbers(3, sampler=ds.IterSampler(i for i in (2, 0)))
    assert values(dataset) == [2, 0]
    assert values(dataset) == []


def test_rows_of_a_list_keep_their_own_shapes_and_kinds():
    def rows(data):
        dataset = ds.NumpySlicesDataset(data, ["a", "b"] if isinstance(data, tuple) else ["a"], shuffle=False)
        found = list(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))
        return [[(item.tolist(), item.dtype.kind) for item in row] for row in found]

    # real MindSpore 2.10's
    assert rows([[1], [1, 2]]) == [[([1], "i")], [([1, 2], "i")]]
    assert rows([1, 2.5, "a"]) == [[(1, "i")], [(2.5, "f")], [("a", "U")]]
    assert rows([True, 2]) == [[(True, "b")], [(2, "i")]]
    assert rows([[1], 2]) == [[([1], "i")], [(2, "i")]]
    assert rows(([[1], [1, 2]], [3, 4])) == [[([1], "i"), (3, "i")], [([1, 2], "i"), (4, "i")]]
    assert rows(np.array([np.array([1]), np.array([1, 2])], dtype=object)) == [[([1], "i")], [([1, 2], "i")]]
    dataset = ds.NumpySlicesDataset([[1], [1, 2], [3, 4, 5]], ["a"], shuffle=False)
    batches = list(dataset.padded_batch(3, pad_info={}).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert batches[0][0].tolist() == [[1, 0, 0], [1, 2, 0], [3, 4, 5]]


def test_the_length_of_a_source() -> None:
    assert ds.GeneratorDataset([(1,)] * 6, ["a"], num_samples=2).source_len == 6
    assert ds.GeneratorDataset(lambda: iter([(1,)]), ["a"]).source_len == -1
