"""Sums and the like of floats that are told to give integers, and what is differentiated through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops

X = np.array([[1.5, 2.25, 3.75], [0.5, -1.25, 2.5]], np.float32)
INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64]
SUMS: dict[str, Callable[..., Any]] = {
    "Tensor.sum": lambda x, kind: x.sum(0, dtype=kind),
    "ops.sum": lambda x, kind: ops.sum(x, 0, dtype=kind),
    "mint.sum": lambda x, kind: mint.sum(x, 0, dtype=kind),
    "sum_ext": lambda x, kind: ops.auto_generate.sum_ext(x, 0, False, kind),
    "mnp.sum": lambda x, kind: ms.numpy.sum(x, 0, dtype=kind),
}
PRODUCTS: dict[str, Callable[..., Any]] = {
    "Tensor.prod": lambda x, kind: x.prod(0, dtype=kind),
    "ops.prod": lambda x, kind: ops.prod(x, 0, dtype=kind),
    "mint.prod": lambda x, kind: mint.prod(x, 0, dtype=kind),
}
#: what has been cut before it is summed, of real MindSpore: result, gradient
ANSWERS: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    **{name: (function, [1, 1, 5], np.ones((2, 3))) for name, function in SUMS.items()},
    **{name: (function, [0, -2, 6], [[0, -1, 2], [1, 2, 3]]) for name, function in PRODUCTS.items()},
    "ops.cumsum": (lambda x, kind: ops.cumsum(x, 0, kind), [[1, 2, 3], [1, 1, 5]], [[2, 2, 2], [1, 1, 1]]),
    "Tensor.cumsum": (lambda x, kind: x.cumsum(0, dtype=kind), [[1, 2, 3], [2, 1, 6]], [[2, 2, 2], [1, 1, 1]]),
    "ops.cumprod": (lambda x, kind: ops.cumprod(x, 0, kind), [[1, 2, 3], [0, -2, 6]], [[1, 0, 3], [1, 2, 3]]),
    "ops.nansum": (lambda x, kind: ops.nansum(x, 0, dtype=kind), [2, 1, 6], np.ones((2, 3))),
    "mint.nansum": (lambda x, kind: mint.nansum(x, 0, dtype=kind), [2, 1, 6], np.ones((2, 3))),
    "Tensor.mean": (lambda x, kind: x.mean(0, dtype=kind), [0, 0, 2], np.full((2, 3), 0.5)),
    "mint.mean": (lambda x, kind: mint.mean(x, 0, dtype=kind), [0, 0, 2], np.full((2, 3), 0.5)),
}


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("name", ANSWERS)
def test_integers_of_floats(name: str, kind: Any) -> None:
    function, expected, gradient = ANSWERS[name]
    found = function(Tensor(X), kind)
    assert found.dtype == kind
    np.testing.assert_array_equal(found.asnumpy(), expected)
    inside, by_x = ms.value_and_grad(lambda x: function(x, kind))(Tensor(X))
    np.testing.assert_array_equal(inside.asnumpy(), expected)
    assert inside.dtype == kind and by_x.dtype == ms.float32
    np.testing.assert_array_equal(by_x.asnumpy(), gradient)


def test_all_axes_at_once() -> None:
    for function in (lambda x: ops.prod(x, dtype=ms.int32), lambda x: x.prod(dtype=ms.int32)):
        by_x = ms.grad(function)(Tensor([[2.5, 3.5], [1.5, 2.5]]))
        np.testing.assert_array_equal(by_x.asnumpy(), [[6, 4], [12, 6]])


def test_complex_sums_are_differentiated() -> None:
    for function in (Tensor.sum, mint.sum, Tensor.prod):
        by_x = ms.grad(lambda x, f=function: f(x, dtype=ms.complex64).real() * 3)(Tensor([2.0]))
        assert by_x.dtype == ms.float32 and by_x.asnumpy().tolist() == [3.0]


def test_counts_beside_a_loss_have_no_gradient() -> None:
    """A network may count with what it is differentiated by; upstream goes on through the count."""

    class Net(nn.Cell):
        def construct(self, x: Any) -> Any:
            count = (x > 1).astype(ms.float32).sum(dtype=ms.int32) + x.sum(dtype=ms.int32)
            return (x * x).sum() / count

    by_x = ms.grad(Net())(Tensor([1.5, 2.5]))
    np.testing.assert_allclose(by_x.asnumpy(), [0.6, 1.0], rtol=1e-6)


def test_the_seed_may_be_of_integers() -> None:
    derivative = ops.GradOperation(sens_param=True)(lambda x: x.sum(0, dtype=ms.int32))
    found = derivative(Tensor(X), Tensor([1, 2, 3], ms.int32))
    np.testing.assert_array_equal(found.asnumpy(), [[1, 2, 3], [1, 2, 3]])


class Own(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x * y, x + y

    def bprop(self, x: Any, y: Any, out: Any, dout: Any) -> Any:
        assert x.dtype == y.dtype == out[0].dtype == dout[0].dtype == ms.int64
        return dout[0] * 5 + x, dout[1] * 7 + out[0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_cell_s_own_gradient_is_that_by_integers(mode: int) -> None:
    """Numbers of real MindSpore, in both modes."""

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.own = Own()

        def construct(self, x: Any, y: Any) -> Any:
            product, total = self.own(x * 2, y)
            return product * 3 + total * x

    ms.set_context(mode=mode)
    try:
        by_x, by_y = ms.grad(Net(), (0, 1))(Tensor([2, 3]), Tensor([4, 5]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert by_x.dtype == by_y.dtype == ms.int64
    assert by_x.asnumpy().tolist() == [46, 53] and by_y.asnumpy().tolist() == [30, 51]
