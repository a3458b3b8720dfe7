"""``error_samples_mode``: rows of a map that fail are left out or replaced, as real MindSpore 2.10 does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import vision

Mode = ds.config.ErrorSamplesMode


@pytest.fixture(autouse=True)
def raising() -> Iterator[None]:
    yield
    ds.config.set_error_samples_mode(Mode.RETURN)


def numbers(count: int) -> Any:
    return ds.NumpySlicesDataset({"a": np.arange(count, dtype=np.int32)}, shuffle=False)


def counting(plan: list[str]) -> Callable[[Any], Any]:
    """A function that gives the number of its call, and fails where the plan says "e"."""
    calls, number = "".join(plan), iter(range(10**6))

    def function(row: Any) -> Any:
        call = next(number)
        if calls[call % len(calls)] == "e":
            raise ValueError("bad")
        return np.int32(call)

    return function


def passes(data: Any, count: int) -> list[list[Any]]:
    rows = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[row.tolist() for (row,) in rows] for _ in range(count)]


# by plan, what each pass gives: real MindSpore's
REPLACED = [
    (["eeeg", "gegg", "gggg", "egee"], [[3, 3, 3, 3], [4, 6, 7, 7], [8, 9, 10, 11], [13, 8, 9, 10]]),
    (["geee", "eeeg", "eeeg", "ggee"], [[0, 0, 0, 0], [7, 7, 0, 7], [11, 11, 0, 7], [12, 13, 12, 13]]),
    (
        ["ggee", "eegg", "eeeg", "geee", "eeeg"],
        [[0, 1, 0, 1], [6, 7, 6, 7], [11, 11, 11, 0], [12, 7, 11, 12], [19, 1, 6, 7]],
    ),
    (["ggeeeeee", "gggggggg", "eeeeeeeg"], [[0, 1] * 4, list(range(8, 16)), [23, 12, 13, 14, 15, 23, 12, 13]]),
    (["gggg" + "ge" * 3 + "gg" + "g" * 6 + "eeg"], [[0, 1, 2, 3, 4, 6, 8, 10, *range(11, 18), 20, 0, 1, 2, 3, 4]]),
    (
        ["g" * 18 + "ee", "e" * 20, "e" * 10 + "g" * 10],
        [[*range(18), 0, 1], [*range(2, 16), *range(6)], [*range(50, 60), 56, 57, 58, 59, *range(10, 16)]],
    ),
]


@pytest.mark.parametrize(("plan", "expected"), REPLACED)
def test_rows_are_replaced(plan: list[str], expected: list[list[int]]) -> None:
    ds.config.set_error_samples_mode(Mode.REPLACE)
    data = numbers(len(plan[0])).map(counting(plan), "a", num_parallel_workers=1)
    assert data.get_dataset_size() == len(plan[0])
    assert passes(data, len(plan)) == expected


def test_a_row_is_replaced_at_once_while_many_wait() -> None:
    ds.config.set_error_samples_mode(Mode.REPLACE)

    def function(row: Any) -> Any:
        if row % 2 == 0:
            raise ValueError("bad")
        return row

    first = [*range(1, 32, 2)]
    then = [number for pair in zip(range(1, 29, 2), range(33, 61, 2)) for number in pair]
    assert passes(numbers(60).map(function, "a"), 1) == [[*first, *then, *range(29, 61, 2)]]


def test_all_rows_fail() -> None:
    data = numbers(3).map(lambda row: 1 / 0, "a")
    ds.config.set_error_samples_mode(Mode.REPLACE)
    with pytest.raises(RuntimeError):
        passes(data, 1)
    ds.config.set_error_samples_mode(Mode.SKIP)
    assert passes(data, 2) == [[], []]


@pytest.mark.parametrize(("workers", "in_processes"), [(1, False), (2, True)])
def test_rows_are_left_out(workers: int, in_processes: bool) -> None:
    def function(row: Any) -> Any:
        if row in (2, 5):
            raise ValueError("bad")
        return row + 100

    data = numbers(8).map(function, "a", num_parallel_workers=workers, python_multiprocessing=in_processes)
    with pytest.raises(RuntimeError, match="bad"):
        passes(data, 1)
    ds.config.set_error_samples_mode(Mode.SKIP)
    assert passes(data.batch(3), 1) == [[[100, 101, 103], [104, 106, 107]]]
    assert passes(data.skip(2), 2) == [[103, 104, 106, 107]] * 2
    ds.config.set_error_samples_mode(Mode.REPLACE)
    assert passes(data, 1) == [[100, 101, 103, 104, 106, 107, 100, 101]]


def test_operations_of_images_fail_too() -> None:
    images = [np.full((size, size, 3), size, np.uint8) for size in (9, 4, 12, 3)]
    data = ds.GeneratorDataset(lambda: ((image,) for image in images), ["image"], shuffle=False)
    data = data.map(vision.CenterCrop(2), "image").map([vision.RandomCrop(2), vision.Pad(1)], "image")
    ds.config.set_error_samples_mode(Mode.SKIP)
    assert len(passes(data, 1)[0]) == 4
    data = ds.GeneratorDataset(lambda: ((image,) for image in images), ["image"], shuffle=False)
    data = data.map(vision.RandomCrop(6), "image").map(lambda image: image[0, 0, 0], "image")
    assert passes(data, 1) == [[9, 12]]


def test_what_is_no_operation_of_map_still_fails() -> None:
    ds.config.set_error_samples_mode(Mode.SKIP)

    def function(*columns: Any) -> Any:
        raise ValueError("bad")

    for data in (numbers(4).batch(2, per_batch_map=function), numbers(4).filter(function, "a")):
        with pytest.raises(RuntimeError, match="bad"):
            passes(data, 1)
    with pytest.raises(RuntimeError):
        passes(numbers(4).map(lambda row: (row, row) if row % 2 else row, "a"), 1)
    with pytest.raises(TypeError, match="error_samples_mode"):
        ds.config.set_error_samples_mode(2)  # type: ignore[arg-type]


def test_a_repeat_goes_on_after_a_pass_without_rows() -> None:
    ds.config.set_error_samples_mode(Mode.SKIP)
    plan = ["eeg", "gge", "eeg"]
    data = numbers(3).map(counting(plan), "a", num_parallel_workers=1).batch(2, True).repeat(2)
    assert passes(data, 3) == [[[3, 4]], [], [[12, 13]]]
