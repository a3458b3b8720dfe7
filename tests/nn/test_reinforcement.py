"""nn.TensorArray, which real MindSpore 2.10 no longer has: as its documentation says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn


def test_an_array_grows_and_gaps_hold_zeros() -> None:
    array = nn.TensorArray(ms.float32, (2,))
    assert array.stack().shape == (0, 2)
    assert array.write(2, Tensor([1.0, 2.0])) is True
    assert array.stack().asnumpy().tolist() == [[0, 0], [0, 0], [1, 2]] and int(array.size()) == 3
    array.write(Tensor(0, ms.int64), Tensor([3.0, 4.0]))
    assert array.read(0).asnumpy().tolist() == [3, 4] and array.read(Tensor(1)).asnumpy().tolist() == [0, 0]
    assert array.clear() is True and int(array.size()) == 0 and array.size().dtype == ms.int64
    array.write(1, Tensor([5.0, 6.0]))
    assert array.stack().asnumpy().tolist() == [[0, 0], [5, 6]]
    assert array.close() is True
    with pytest.raises(RuntimeError, match="no TensorArray"):
        array.read(0)


def test_an_array_of_fixed_size_is_stacked_whole() -> None:
    array = nn.TensorArray(ms.int64, (), dynamic_size=False, size=4)
    array.write(1, 7)
    assert array.stack().asnumpy().tolist() == [0, 7, 0, 0] and int(array.size()) == 2
    with pytest.raises(ValueError, match="out of a size of 4"):
        array.write(4, 1)


def test_values_are_copies_and_constants() -> None:
    array, x = nn.TensorArray(ms.float32, (2,)), Tensor([1.0, 2.0])
    array.write(0, x)
    x[0] = 9.0
    array.read(0)[1] = 9.0
    assert array.read(0).asnumpy().tolist() == [1, 2]

    def through(x: Tensor) -> Tensor:
        array.write(0, x * 3)
        return (array.stack() * x).sum()

    assert ms.grad(through)(Tensor([1.0, 2.0])).asnumpy().tolist() == [3, 6]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.array = nn.TensorArray(ms.int64, ())

    def construct(self, index: Tensor, value: Tensor) -> Any:
        self.array.write(index, value)
        return self.array.read(index), self.array.stack()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_in_a_cell(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net()
    for i in range(5):
        value, stacked = net(Tensor(i, ms.int64), Tensor(i * i, ms.int64))
        assert int(value) == i * i and np.array_equal(stacked.asnumpy(), np.arange(i + 1) ** 2)


def test_former_places_of_the_class() -> None:
    from mindspore_compat.nn.reinforcement.tensor_array import TensorArray

    assert TensorArray is nn.TensorArray
