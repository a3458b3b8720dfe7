"""``x += y`` and its like give new Tensors in both modes (docs/differences.md): real MindSpore's compiled code writes in place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def _add(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    old = x
    x += y
    return old, x


def _divide(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    old = x
    x /= y
    return old, x


class _Summing(nn.Cell):
    """Sums into a constant, as losses do, and into a local name of its Parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")

    def construct(self, x: Tensor) -> Tensor:
        total = Tensor([0.0, 0.0])
        total += x
        weight = self.weight
        weight += x
        x *= 2
        return total + weight + x


def test_augmented_assignment_makes_a_new_tensor_in_both_modes(mode: int) -> None:
    for function, wanted in ((_add, [4.0, 6.0]), (_divide, [1 / 3, 0.5])):
        for called in (function, ms.jit(function)):
            x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
            old, new = called(x, y)
            np.testing.assert_allclose(new.asnumpy(), wanted, rtol=1e-6)
            for unchanged in (old, x):
                assert unchanged.asnumpy().tolist() == [1.0, 2.0]


def test_a_dtype_that_grows_does_so_in_both_modes(mode: int) -> None:
    def halves(x: Tensor) -> Tensor:
        x *= 2.5
        return x

    assert ms.jit(halves)(Tensor([1, 2], ms.int32)).asnumpy().tolist() == [2.5, 5.0]


def test_sums_do_not_grow_from_call_to_call(mode: int) -> None:
    net, x = _Summing(), Tensor([3.0, 4.0])
    for _ in range(4):
        assert net(x).asnumpy().tolist() == [13.0, 18.0]
    assert net.weight.asnumpy().tolist() == [1.0, 2.0] and x.asnumpy().tolist() == [3.0, 4.0]
