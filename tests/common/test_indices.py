"""Indices and values that MindSpore refuses; types as real MindSpore 2.10's, torch's beside them."""

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor

REFUSED: dict[str, tuple[Any, type[Exception]]] = {
    "too large": (7, IndexError),
    "too small": ((0, -9), IndexError),
    "too many": ((0, 0, 0, 0), IndexError),
    "two ellipses": ((Ellipsis, 0, Ellipsis), IndexError),
    "a float": (1.5, IndexError),
    "text": ("a", IndexError),
    "a float in a tuple": ((0, 1.5), TypeError),
    "text in a tuple": ((0, "a"), IndexError),
    "a set": ({1}, IndexError),
    "floats in a list": ([1.0, 2.0], TypeError),
    "floats in a nested list": (([[0, 1.5]], 0), TypeError),
    "floats in an array": (np.array([0.5]), IndexError),
    "floats in a Tensor": (Tensor([1.0]), IndexError),
    "a short mask": (Tensor([True, True]), ValueError),
    "a mask of another shape": (Tensor(np.ones((3, 5), bool)), ValueError),
    "Tensors that do not broadcast": ((Tensor([0, 1]), Tensor([0, 1, 2])), ValueError),
    "a slice of floats": (slice(0, 1.5), RuntimeError),
}


def cube() -> Tensor:
    return Tensor(np.arange(60, dtype=np.float32).reshape(3, 4, 5))


@pytest.mark.parametrize("name", REFUSED)
def test_refused_indices(name: str) -> None:
    index, kind = REFUSED[name]
    with pytest.raises((kind, TypeError, IndexError)):
        cube()[index]
    x = cube()
    with pytest.raises((kind, TypeError, IndexError)):
        x[index] = 1
    assert np.array_equal(x.asnumpy(), cube().asnumpy())


def test_a_tensor_of_floats_is_no_index_even_of_itself() -> None:
    x = cube()
    with pytest.raises((IndexError, RuntimeError)):
        x[x] = 5


def test_false_reads_nothing_and_writes_nothing() -> None:
    for index in (False, (False, 1), (slice(None), False)):
        assert cube()[index].shape == cube().asnumpy()[index].shape
    x = cube()
    x[False] = 1
    assert np.array_equal(x.asnumpy(), cube().asnumpy())
    assert x[True].shape == (1, 3, 4, 5)


@pytest.mark.parametrize("value", [Tensor([1.0, 2.0]), [1, 2], Tensor(np.ones((2, 3, 4, 5), np.float32))], ids=str)
@pytest.mark.parametrize("index", [Ellipsis, slice(0, 2), 0, Tensor([0, 1]), ([0, 1],), Tensor(1)], ids=str)
def test_values_that_do_not_fit_are_refused(index: Any, value: Any) -> None:
    x = cube()
    with pytest.raises(RuntimeError):
        x[index] = value
    assert np.array_equal(x.asnumpy(), cube().asnumpy())


@pytest.mark.parametrize("dtype", [ms.int8, ms.int16, ms.int32, ms.int64])
def test_indices_of_any_signed_ints(dtype: Any) -> None:
    rows, columns = Tensor(np.array([1, 0, 1]), dtype), Tensor(np.array([2, 1, 0]), ms.int32)
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert x[rows].asnumpy().tolist() == [[3, 4, 5], [0, 1, 2], [3, 4, 5]]
    assert x[rows, columns].asnumpy().tolist() == [5, 1, 3]
    x[rows, columns] = 9
    assert x.asnumpy().tolist() == [[0, 9, 2], [9, 4, 9]]
    x[rows] = 7
    assert x.asnumpy().tolist() == [[7, 7, 7], [7, 7, 7]]


@pytest.mark.parametrize(
    "index", [Tensor(np.array([1, 0]), ms.uint8), np.array([1, 0], np.uint8)], ids=["Tensor", "array"]
)
@pytest.mark.parametrize("within", [lambda index: index, lambda index: (index, 1)], ids=["alone", "tuple"])
def test_uint8_is_no_index(index: Any, within: Any) -> None:
    """torch would take it for a mask, numpy for places; real MindSpore refuses it."""
    x = Tensor(np.ones((2, 3), np.float32))
    with pytest.raises(IndexError):
        x[within(index)]
    with pytest.raises(IndexError):
        x[within(index)] = 0
