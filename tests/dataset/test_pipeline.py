"""What a pipeline delivers: rows, order, sizes, columns, errors. Expectations were taken from MindSpore 2.10."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.common.tensor import Tensor


def source(count=10, **kwargs):
    return ds.NumpySlicesDataset(np.arange(count), **{"shuffle": False, **kwargs})


def pair():
    return ds.NumpySlicesDataset((np.arange(6), np.arange(6) * 1.0), ["a", "b"], shuffle=False)


def ragged():
    return ds.GeneratorDataset([(np.ones(i + 1, np.int32), i) for i in range(4)], ["a", "b"], shuffle=False)


def values(dataset):
    return [row[0].tolist() for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def first(dataset):
    return next(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


@pytest.mark.parametrize(
    ("dataset", "size"),
    [
        (lambda d: d.batch(3), 4),
        (lambda d: d.batch(3, True), 3),
        (lambda d: d.repeat(2).batch(3), 7),
        (lambda d: d.batch(3).repeat(2), 8),
        (lambda d: d.take(3), 3),
        (lambda d: d.skip(3), 7),
        (lambda d: d + source(), 20),
        (lambda d: d.repeat(), 10),
        (lambda d: d.repeat(3).take(4), 4),
        (lambda d: d.batch(20, True), 0),
        (lambda d: d.take(-1), 10),
        (lambda d: d.filter(lambda x: x % 2 == 0), 5),
        (lambda d: d.repeat().batch(4), 3),
        (lambda d: d.shuffle(4).map(lambda x: x), 10),
        (lambda d: d.batch(-1), 1),
        (lambda d: d.skip(20), 0),
    ],
)
def test_size_is_what_comes(dataset, size):
    built = dataset(source())
    assert built.get_dataset_size() == len(built) == size
    if built.get_repeat_count() != -1:
        assert len(values(built)) == size


def test_order_without_shuffle():
    assert values(source().batch(4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert values(source(3).repeat(2)) == [0, 1, 2, 0, 1, 2]
    assert values(source(3).repeat(2).batch(4)) == [[0, 1, 2, 0], [1, 2]]
    assert values(source().skip(7)) == [7, 8, 9]
    assert values(source(2) + source(3)) == [0, 1, 0, 1, 2]


def test_shuffle_keeps_rows_and_its_buffer_bounds_how_far_they_move():
    shuffled = values(source(200).shuffle(5))
    assert sorted(shuffled) == list(range(200)) and shuffled != list(range(200))
    assert all(value <= place + 5 for place, value in enumerate(shuffled))


def test_shuffle_of_a_stream_keeps_rows():
    assert sorted(values(source(50).filter(lambda x: True).shuffle(7))) == list(range(50))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda d: d.batch(0), ValueError),
        (lambda d: d.batch(2, input_columns=["a"]), ValueError),
        (lambda d: d.map(ds.transforms.TypeCast), ValueError),
        (lambda d: d.split([6, 5]), RuntimeError),
    ],
)
def test_wrong_argument_is_refused_at_once(call, error):
    with pytest.raises(error):
        call(source())


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: pair().map(lambda x: x, "zz"),
        lambda: pair().zip(pair()),
        lambda: pair().map(lambda x: (x, x), "a"),
        lambda: pair().map(lambda x: 1 / 0, "a"),
        lambda: pair().batch(2, per_batch_map=lambda a, b, i: (a,)),
        lambda: ragged().batch(2),
        lambda: source().filter(lambda a: np.array([True, True])),
    ],
)
def test_wrong_pipeline_fails_when_it_is_read(dataset):
    with pytest.raises(RuntimeError):
        list(dataset().create_dict_iterator(num_epochs=1, output_numpy=True))


def test_columns_after_map():
    two = lambda a: (a, a)
    assert pair().map(two, "b", ["x", "y"]).get_col_names() == ["x", "y", "a"]
    assert pair().map(lambda a: a, "b", "x").get_col_names() == ["a", "x"]
    assert pair().map(lambda a, b: a, ["a", "b"], ["x"]).get_col_names() == ["x"]
    assert pair().map(lambda a: a, "a", "b").get_col_names() == ["b"]
    assert pair().map(lambda a: a, "a", "x", column_order=["b", "x"]).get_col_names() == ["b", "x"]
    assert {k: v.tolist() for k, v in first(pair().skip(2).map(two, "b", ["x", "y"])).items()} == {
        "x": 2,
        "y": 2,
        "a": 2,
    }


@pytest.mark.parametrize(
    ("result", "dtype", "shape"),
    [
        (1, np.int64, ()),
        (1.5, np.float64, ()),
        ([1, 2], np.int64, (2,)),
        ("abc", "<U3", ()),
        (Tensor([1.0]), np.float32, (1,)),
        (np.float16(1), np.float16, ()),
        (b"x", "S1", ()),
    ],
)
def test_what_a_map_function_may_return(result, dtype, shape):
    for dataset in (source(), source().filter(lambda x: True)):
        column = first(dataset.map(lambda x: result))["column_0"]
        assert (column.dtype, column.shape) == (np.dtype(dtype), shape)


def test_operations_of_a_map_run_one_after_another():
    assert values(source(3).map([lambda x: (x, x + 1), lambda a, b: a + b])) == [1, 3, 5]


def test_project_rename_zip():
    assert pair().project("b").get_col_names() == ["b"]
    assert pair().rename("a", "z").get_col_names() == ["z", "b"]
    zipped = ds.zip((pair(), source(4)))
    assert zipped.get_col_names() == ["a", "b", "column_0"] and len(zipped) == 4
    assert len(pair().zip(source(20))) == 6


def test_padded_batch():
    def batches(pad_info):
        return [r["a"].tolist() for r in ragged().padded_batch(2, pad_info=pad_info).create_dict_iterator(1, True)]

    assert batches({"a": ([4], -1)}) == [[[1, -1, -1, -1], [1, 1, -1, -1]], [[1, 1, 1, -1], [1, 1, 1, 1]]]
    assert batches({}) == [[[1, 0], [1, 1]], [[1, 1, 1, 0], [1, 1, 1, 1]]]
    assert batches({"a": (None, 9)}) == [[[1, 9], [1, 1]], [[1, 1, 1, 9], [1, 1, 1, 1]]]
    assert batches({"a": ([1], 9)}) == [[[1], [1]], [[1], [1]]]
    assert ragged().batch(2, pad_info={}).get_dataset_size() == 2
    with pytest.raises(TypeError):
        ragged().padded_batch(2, pad_info={"a": 3})
    with pytest.raises(RuntimeError):  # None asks for no padding
        batches(None)


def test_bucket_batch_by_length():
    lengths = ds.GeneratorDataset([(np.ones(i + 1, np.int32),) for i in range(8)], ["a"], shuffle=False)
    shapes = lambda **kw: [
        r[0].shape
        for r in lengths.bucket_batch_by_length(["a"], [3, 6], [2, 2, 1], **kw).create_tuple_iterator(output_numpy=True)
    ]
    assert shapes() == [(2, 2), (2, 4), (1, 6), (1, 7), (1, 8), (1, 5)]
    assert shapes(drop_remainder=True) == [(2, 2), (2, 4), (1, 6), (1, 7), (1, 8)]
    assert shapes(element_length_function=len, pad_info={"a": ([8], 0)})[0] == (2, 8)
    with pytest.raises(RuntimeError):
        shapes(pad_info={"b": (None, 0)})
    with pytest.raises(RuntimeError):
        shapes(pad_info={"a": ([None], 0)}, pad_to_bucket_boundary=True)
    with pytest.raises(ValueError):
        lengths.bucket_batch_by_length(["a"], [3, 6], [2, 2])


def test_per_batch_map_gets_lists_and_batch_info():
    seen = []

    def combine(a, b, info):
        seen.append((type(a), len(a), info.get_epoch_num(), info.get_batch_num()))
        return (np.stack(a) + 1, b)

    iterator = pair().batch(4, per_batch_map=combine, input_columns=["a", "b"]).create_dict_iterator(2, True)
    batches = [[r["a"].tolist() for r in iterator] for _ in range(2)]
    assert batches == [[[1, 2, 3, 4], [5, 6]]] * 2
    assert seen == [(list, 4, 0, 0), (list, 2, 0, 1), (list, 4, 1, 0), (list, 2, 1, 1)]


def test_batch_info_counts_epochs_of_the_iterator():
    seen = []
    dataset = (
        source(4)
        .batch(2, per_batch_map=lambda a, i: (seen.append((i.get_epoch_num(), i.get_batch_num())), (a,))[1])
        .repeat(2)
    )
    iterator = dataset.create_tuple_iterator(num_epochs=2)
    list(iterator), list(iterator)
    assert seen == [(0, 0), (0, 1)] * 2 + [(1, 0), (1, 1)] * 2


def test_per_batch_map_may_change_the_columns():
    dataset = pair().batch(3, per_batch_map=lambda a, i: (a, a, a), input_columns="a", output_columns=["x", "y", "z"])
    assert dataset.get_col_names() == ["x", "y", "z", "b"]
    assert {k: v.tolist() for k, v in first(dataset).items()}["z"] == [0, 1, 2]


def test_batch_size_function():
    dataset = source().batch(lambda info: info.get_batch_num() + 1)
    assert values(dataset) == [[0], [1, 2], [3, 4, 5], [6, 7, 8, 9]]
    assert len(dataset) == 4


def test_split():
    parts = source().split([0.5, 0.5], randomize=False)
    assert [values(p) for p in parts] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert [len(p) for p in source().split([0.35, 0.35, 0.3])] == [3, 4, 3]
    parts = source().split([6, 4])
    assert sorted(values(parts[0]) + values(parts[1])) == list(range(10))
    assert values(parts[0]) == values(parts[0])
    stream = source().filter(lambda x: True).split([4, 6], randomize=False)
    assert [values(p) for p in stream] == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]]


def test_split_parts_of_a_shuffled_source_are_disjoint():
    parts = ds.NumpySlicesDataset(np.arange(20)).split([12, 8])
    assert sorted(values(parts[0]) + values(parts[1])) == list(range(20))


def test_flat_map_and_apply():
    grown = source(3).flat_map(lambda x: source(int(x) + 1))
    assert values(grown) == [0, 0, 1, 0, 1, 2]
    assert len(source().apply(lambda d: d.batch(2))) == 5


def test_getters():
    batched = pair().batch(4)
    assert batched.output_shapes() == [[4], [4]]
    assert batched.output_types() == [np.dtype("int64"), np.dtype("float64")]
    texts = ds.NumpySlicesDataset({"s": np.array(["abc"]), "b": np.array([b"xy"])})
    assert texts.output_types() == [np.str_, np.bytes_]  # whatever the length of the first row's
    assert batched.output_shapes(estimate=True) == [[None], [None]]
    assert (batched.get_batch_size(), batched.repeat(3).get_repeat_count()) == (4, 3)
    assert source().repeat().get_repeat_count() == -1
    assert source().num_classes() is None and source().get_class_indexing() == {}
    assert source().reset() is None


def test_iterator_gives_tensors_strings_stay_numpy():
    row = next(ds.NumpySlicesDataset({"x": np.zeros(2, np.float16), "s": ["a", "b"]}).create_dict_iterator())
    assert isinstance(row["x"], Tensor) and isinstance(row["s"], np.ndarray)
    assert isinstance(next(iter(source()))[0], Tensor)


def test_batch_of_a_source_does_not_alias_it():
    data = np.arange(4.0)
    for row in ds.NumpySlicesDataset(data, shuffle=False).batch(2).create_tuple_iterator():
        row[0].fill_(-1)
    for row in ds.NumpySlicesDataset(data, shuffle=False).create_tuple_iterator(output_numpy=True):
        row[0][...] = -1
    assert data.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_iterator_ends_each_epoch_and_refuses_more_than_asked_for():
    iterator = source(3).create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [len(list(iterator)), len(list(iterator))] == [3, 3]
    with pytest.raises(RuntimeError):
        next(iterator)


def test_endless_iterator_goes_on():
    iterator = source(3).create_dict_iterator()
    assert [sum(1 for _ in iterator) for _ in range(4)] == [3, 3, 3, 3]


def test_iterator_columns():
    assert next(pair().create_tuple_iterator(columns=["b"], output_numpy=True))[0].dtype == np.float64
    assert pair().create_tuple_iterator(columns="b").get_col_names() == ["b"]


def test_init_step_resumes_within_an_epoch():
    dataset = source(4)
    dataset.set_init_step(6)
    rows = dataset.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [row[0].tolist() for row in rows] == [2, 3]
    with pytest.raises(RuntimeError):
        next(rows)


def test_an_init_step_is_known_behind_what_follows():
    dataset = source(4)
    dataset.set_init_step(6)
    mapped = dataset.map(lambda x: x * 10)
    assert mapped.get_init_step() == 6 and mapped.batch(2).get_init_step() == 6
    assert [row[0].tolist() for row in mapped.create_tuple_iterator(num_epochs=2, output_numpy=True)] == [20, 30]
    mapped.set_init_step(1)
    assert (dataset.get_init_step(), mapped.get_init_step()) == (6, 1)
    assert dataset.zip(source(4)).get_init_step() == 0  # which of the two is not known


def test_sync_wait_releases_batch_by_batch():
    told = []
    dataset = source(4).sync_wait("policy", 1, told.append).batch(2)
    for _ in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True):
        dataset.sync_update("policy", data=1)
    assert told == [1] * 2


def test_sync_wait_without_sync_update_ends_its_waiting(monkeypatch):
    said = []
    monkeypatch.setattr("mindspore_compat.log.warning", said.append)
    rows = source(4).sync_wait("policy", 2).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(row[0]) for row in rows] == [0, 1, 2, 3]
    assert len(said) == 1 and "sync_update('policy')" in said[0]


def test_columns_of_one_array_are_apart():
    def add(x):
        x += 5
        return x

    dataset = source(2).map(lambda x: (x, x), output_columns=["a", "b"]).map(add, "a")
    assert [(int(r["a"]), int(r["b"])) for r in dataset.create_dict_iterator(num_epochs=1, output_numpy=True)] == [
        (5, 0),
        (6, 1),
    ]


def test_callback_is_told_of_epochs_and_steps():
    class Log(ds.DSCallback):
        def __init__(self):
            super().__init__(step_size=2)
            self.log = []

        def ds_begin(self, context):
            self.log.append("begin")

        def ds_epoch_begin(self, context):
            self.log.append(f"epoch {context.cur_epoch_num}")

        def ds_step_begin(self, context):
            self.log.append(-context.cur_step_num)

        def ds_step_end(self, context):
            self.log.append(context.cur_step_num)

        def ds_epoch_end(self, context):
            self.log.append(f"end {context.cur_step_num}")

    log = Log()
    iterator = source(3).map(lambda x: x, callbacks=[log]).create_tuple_iterator(num_epochs=2)
    list(iterator), list(iterator)
    assert log.log == ["begin", "epoch 1", -1, 1, -3, 3, "end 3", "epoch 2", -4, 4, -6, 6, "end 6"]
    log = Log()
    list(source(4).map(lambda x: x, callbacks=[log]).repeat(2).create_tuple_iterator(num_epochs=1))
    assert log.log == ["begin", "epoch 1", -1, 1, -3, 3, -5, 5, -7, 7, "end 8"]


def test_several_callbacks_of_a_map_are_told_in_turns() -> None:
    told = []

    class Log(ds.DSCallback):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def _tell(self, what: str, context: Any) -> None:
            told.append((self.name + what, context.cur_epoch_num, context.cur_step_num))

        def ds_begin(self, ds_run_context: Any) -> None:
            self._tell("begin", ds_run_context)

        def ds_epoch_begin(self, ds_run_context: Any) -> None:
            self._tell("epoch", ds_run_context)

        def ds_step_end(self, ds_run_context: Any) -> None:
            self._tell("step", ds_run_context)

        def ds_epoch_end(self, ds_run_context: Any) -> None:
            self._tell("end", ds_run_context)

    data = source(1).map(lambda x: x, callbacks=[Log("A "), Log("B ")], num_parallel_workers=1)
    list(data.create_tuple_iterator(num_epochs=1))
    # order and numbers are real MindSpore 2.10's
    assert told == [
        *[("A begin", 0, 0), ("B begin", 0, 0), ("A epoch", 1, 0), ("B epoch", 1, 0)],
        *[("A step", 1, 1), ("B step", 1, 1), ("A end", 1, 1), ("B end", 1, 1)],
    ]


def test_concat_takes_rows_of_all_in_turns_with_a_random_sampler() -> None:
    ds.config.set_seed(5)
    parts = [ds.NumpySlicesDataset(np.arange(first, first + 30), "a", shuffle=False) for first in (0, 100)]
    mixed = parts[0].concat(parts[1])
    mixed.use_sampler(ds.RandomSampler())
    rows = [int(row[0]) for row in mixed.create_tuple_iterator(output_numpy=True, num_epochs=1)]
    assert [r for r in rows if r < 100] == list(range(30)) and [r for r in rows if r >= 100] == list(range(100, 130))
    assert len(mixed) == 60 and len({r < 100 for r in rows[:10]}) == 2
    with pytest.raises(TypeError):
        mixed.use_sampler(ds.SequentialSampler())
    with pytest.raises(ValueError):
        mixed.use_sampler(ds.RandomSampler(replacement=True))


def test_an_output_named_as_another_column_is_lost() -> None:
    data = ds.NumpySlicesDataset({"a": [1, 2], "b": [10, 20]}, shuffle=False)
    data = data.map(lambda x: (x - 1, x + 5), ["a"], ["b", "c"])
    rows = [{k: int(v) for k, v in row.items()} for row in data.create_dict_iterator(output_numpy=True, num_epochs=1)]
    assert rows == [{"c": 6, "b": 10}, {"c": 7, "b": 20}]


def test_rows_for_a_device_queue_are_the_rows() -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], shuffle=False).device_que()
    data.send(1)
    data.continue_send()
    data.stop_send()
    assert [int(row[0]) for row in data.create_tuple_iterator(output_numpy=True, num_epochs=1)] == [1, 2, 3]


def test_a_pk_sampler_takes_classes_of_a_mindrecord_column(tmp_path: Path) -> None:
    from mindspore_compat.mindrecord import FileWriter

    writer = FileWriter(str(tmp_path / "a.mindrecord"))
    writer.add_schema({"label": {"type": "string"}, "number": {"type": "int32"}})
    writer.write_raw_data([{"label": "xy"[i % 2], "number": i} for i in range(6)])
    writer.commit()
    data = ds.MindDataset(str(tmp_path / "a.mindrecord"), sampler=ds.PKSampler(2, class_column="label"))
    rows = [(str(r["label"]), int(r["number"])) for r in data.create_dict_iterator(output_numpy=True, num_epochs=1)]
    assert [label for label, _ in rows] == ["x", "x", "y", "y"]
    assert all("xy"[number % 2] == label for label, number in rows)


def _numbers(count: int, **kwargs: Any) -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset(np.arange(count), ["a"], shuffle=False, **kwargs)


def test_what_is_known_of_pipelines_without_rows_or_with_sizes_by_a_function() -> None:
    empty = _numbers(3).batch(2).skip(9)
    assert (empty.get_dataset_size(), empty.output_shapes(), empty.output_types()) == (0, [], [])
    assert _numbers(3).batch(lambda info: info.get_batch_num() + 1).get_batch_size() == -1


def test_counts_of_several_datasets_are_those_of_the_last() -> None:
    one, other = _numbers(4).repeat(2).batch(2), _numbers(4).repeat(3).rename("a", "b")
    for joined, expected in ((ds.zip((one, other)), (1, 3)), (other.zip(one), (2, 2)), (_numbers(8) + one, (2, 2))):
        assert (joined.get_batch_size(), joined.get_repeat_count()) == expected


@pytest.mark.parametrize(
    ("result", "rows"),
    [([0], 3), ((False,), 3), ([], 0), ("", 0), (None, 0), (np.array([]), 0), (np.array([[1]]), 3), (0.5, 3)]
    + [(Tensor(True), 3), (Tensor([0]), 0)],
)
def test_a_filter_keeps_what_python_takes_for_true(result: Any, rows: int) -> None:
    assert len(list(_numbers(3).filter(lambda a: result).create_tuple_iterator(num_epochs=1))) == rows


def test_a_number_is_not_padded() -> None:
    assert ds.transforms.PadEnd([5], 1)(np.array(3)).tolist() == 3


def test_a_shard_is_not_split() -> None:
    with pytest.raises(RuntimeError):
        _numbers(8, num_shards=2, shard_id=0).repeat(2).split([0.5, 0.5])
