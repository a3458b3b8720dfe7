"""What functions of ``batch`` may take and give, and the ends of nodes: rows without axes or none, as in real MindSpore 2.10."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat import Tensor


def pairs(count: int = 4) -> Any:
    return ds.NumpySlicesDataset({"a": np.arange(count), "b": np.arange(count) * 2}, shuffle=False)


def first_batch(given: Callable, **kwargs: Any) -> list:
    batches = pairs().batch(2, per_batch_map=given, **kwargs).create_tuple_iterator(num_epochs=1, output_numpy=True)
    return [(str(column.dtype), column.tolist()) for column in next(iter(batches))]


ROWS = [
    ([1, 2], ("int64", [1, 2])),
    ((1, 2), ("int64", [1, 2])),
    ({1, 2}, ("int64", [1, 2])),
    (range(2), ("int64", [0, 1])),
    ("ab", ("<U1", ["a", "b"])),
    (b"ab", ("int64", [97, 98])),
    (["a", "bcd"], ("<U3", ["a", "bcd"])),
    ([[1, 2], [3, 4]], ("int64", [[1, 2], [3, 4]])),
    ([np.array(1), 2], ("int64", [1, 2])),
    (Tensor([1, 2]), ("int64", [1, 2])),
    (Tensor([[1, 2], [3, 4]]), ("int64", [[1, 2], [3, 4]])),
]


@pytest.mark.parametrize(("rows", "expected"), ROWS, ids=[str(rows) for rows, _ in ROWS])
def test_what_is_no_array_holds_the_rows_of_the_batch(rows: Any, expected: tuple) -> None:
    assert first_batch(lambda a, b, info: (rows, b)) == [expected, ("int64", [0, 2])]


def test_arrays_alone_may_have_any_number_of_rows() -> None:
    given = first_batch(lambda a, b, info: (np.array([1, 2, 3]), np.array([1])))
    assert given == [("int64", [1, 2, 3]), ("int64", [1])]


@pytest.mark.parametrize(
    "given",
    [
        lambda a, b, info: (a + a, b + b),
        lambda a, b, info: ([], []),
        lambda a, b, info: (a, Tensor([1, 2, 3])),
        lambda a, b, info: ([1, 2.5], b),
        lambda a, b, info: ([[1, 2], [3]], b),
    ],
)
def test_other_rows_are_refused(given: Callable) -> None:
    with pytest.raises(RuntimeError):
        first_batch(given)


def take_two(x: Any, info: Any) -> tuple:
    return (x,)


def test_functions_that_fit_are_called() -> None:
    assert first_batch(partial(lambda scale, x, info: (x,), 2), input_columns="a")[0] == ("int64", [0, 1])
    assert first_batch(take_two, input_columns=["a"])[0] == ("int64", [0, 1])
    assert first_batch(lambda *x: x[:-1])[1] == ("int64", [0, 2])  # no columns named: not asked for


def test_a_bucket_of_rows_without_axes() -> None:
    batches = pairs(5).bucket_batch_by_length(["a"], [1], [2, 3]).create_tuple_iterator(output_numpy=True)
    assert [row[0].tolist() for row in batches] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize(
    ("given", "count"),
    [(2, 2), (np.int8(2), 2), (np.float32(2.5), 2), (np.array([2]), 2), (Tensor(2), 2), (True, 1)]
    + [(bad, 0) for bad in (2.5, float("nan"), "2", b"2", None, [2], np.array([1, 2]), 2**40, 1 + 2j, object())],
)
def test_numbers_of_functions_are_those_that_fit_an_int(given: Any, count: int) -> None:
    for dataset in (
        pairs().batch(lambda info: given),
        pairs().bucket_batch_by_length(["a"], [1, 2], [9, 1, 2], lambda a: given),
    ):
        batches = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
        if count == 0:
            with pytest.raises(RuntimeError):
                next(iter(batches))
        else:
            assert len(next(iter(batches))[0]) == count


def dicts() -> Any:
    return ds.GeneratorDataset(lambda: iter([({"k": 1},), ({"k": 2},)]), ["x"])


def test_dicts_are_not_padded() -> None:
    for dataset in (
        dicts().padded_batch(2, pad_info={}),
        dicts().bucket_batch_by_length(["x"], [2], [2, 2]),
        dicts().bucket_batch_by_length(["x"], [2], [2, 2], lambda x: 1),
    ):
        row = next(dataset.create_tuple_iterator(num_epochs=1, output_numpy=True))
        assert row[0]["k"].tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="PadEnd"):
        list(dicts().padded_batch(2, pad_info={"x": ([3], 0)}).create_tuple_iterator(num_epochs=1))


def test_a_repeat_of_one_is_none() -> None:
    assert pairs().repeat(2).repeat(1).get_repeat_count() == 2
    assert pairs().repeat(-1).repeat(1).get_repeat_count() == -1
    assert pairs().repeat(2).repeat(3).get_repeat_count() == 3


def test_a_sampler_has_its_own_number_of_samples() -> None:
    with pytest.raises(ValueError):
        ds.NumpySlicesDataset([1, 2], sampler=ds.SequentialSampler(), num_samples=0)
    assert ds.NumpySlicesDataset([1, 2], sampler=[0, 1], num_samples=0).get_dataset_size() == 2
