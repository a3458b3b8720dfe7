"""Methods beside ``construct`` of a Cell that computes in 16 bits, where real MindSpore 2.10 compiles them: by `jit`, by
differentiation and by another Cell's call. The dtypes and numbers are real MindSpore's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

HALF, SINGLE = ms.float16, ms.float32
X = Tensor(np.full((2, 3), 1.0001, np.float32))  # 1 in float16


@pytest.fixture
def graph_mode() -> Any:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Base(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Tensor(np.ones(3, np.float32))
        self.p = Parameter(Tensor(np.full(3, 1.0001, np.float32)), name="p")

    def encode(self, x: Any) -> Any:
        return x * self.w, x, self.p * 2, Tensor([1.5]) * 2

    @staticmethod
    def doubled(x: Any) -> Any:
        return x * 2


class Inner(Base):
    def encode(self, x: Any) -> Any:
        return (*super().encode(x), x)

    def construct(self, x: Any) -> Any:
        return x * self.w

    def loss(self, x: Any) -> Any:
        return (x * self.w * self.p).sum()

    def inside(self, xs: Any, held: Any, i: Any, k: float) -> Any:
        return xs[0] * 1, held["x"] * 1, i + 1, k

    def put(self, p: Any, v: Any) -> Any:
        ops.assign(p, v)
        return p * 1

    @ms.jit
    def compiled(self, x: Any, **more: Any) -> Any:
        return x * self.w, x, self.p * 2, self.loss(x), {name: item * 1 for name, item in more.items()}["y"]


class Outer(nn.Cell):
    def __init__(self, inner: Inner) -> None:
        super().__init__()
        self.inner = inner

    def construct(self, x: Any, what: int) -> Any:
        if what == 0:
            return self.inner.encode(x)
        if what == 1:
            return self.inner.inside([x, x], {"x": x}, ops.ones(3, ms.int32), 1.5)
        if what == 2:
            return self.inner.doubled(x)
        return self.inner.put(self.inner.p, x[0])


def kinds(values: Any) -> list[Any]:
    return [item.dtype if isinstance(item, Tensor) else item for item in values]


def test_another_cell_calls_them(graph_mode: None) -> None:
    inner = Inner().to_float(ms.float16)
    outer = Outer(inner)
    assert kinds(outer(X, 0)) == [HALF, HALF, HALF, SINGLE, HALF]
    assert kinds(outer(X, 1)) == [HALF, HALF, ms.int32, 1.5]
    assert kinds([outer(X, 2)]) == [SINGLE]
    assert inner.w.dtype == SINGLE and inner.p.dtype == SINGLE


def test_what_they_write_to_a_parameter_reaches_it(graph_mode: None) -> None:
    inner = Inner().to_float(ms.float16)
    assert Outer(inner)(X, 3).dtype == HALF
    assert inner.p.dtype == SINGLE
    # 1.0001 came as float16. Real MindSpore loses what a method writes to a Parameter that it was given: a defect
    np.testing.assert_array_equal(inner.p.asnumpy(), np.ones(3, np.float32))


def test_in_pynative_they_compute_as_they_are_called() -> None:
    inner = Inner().to_float(ms.float16)
    assert kinds(Outer(inner)(X, 0)) == [SINGLE] * 5
    assert kinds(inner.encode(X)) == [SINGLE] * 5
    np.testing.assert_allclose(inner.loss(X).asnumpy(), 6 * 1.0001**2, rtol=1e-6)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_a_method_under_jit(mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        inner = Inner().to_float(ms.float16)
        assert kinds(inner.compiled(X, y=X)) == [HALF] * 5
        assert ms.jit(inner.loss)(X).dtype == HALF

        @ms.jit
        def free(x: Any) -> Any:
            return inner.loss(x), x

        assert kinds(free(X)) == [HALF, SINGLE]
        assert kinds(Inner().compiled(X, y=X)) == [SINGLE] * 5
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_a_method_that_is_differentiated(graph_mode: None) -> None:
    inner = Inner().to_float(ms.float16)
    loss, (gradient,) = ms.value_and_grad(inner.loss, None, inner.trainable_params())(X)
    assert (loss.dtype, gradient.dtype) == (HALF, SINGLE)
    np.testing.assert_array_equal(gradient.asnumpy(), [2, 2, 2])
    assert inner.loss(X).dtype == SINGLE  # called by the script itself


def test_a_function_that_is_given_such_a_cell_is_none_of_its_methods() -> None:
    @ms.jit
    def free(cell: Any, x: Any) -> Any:
        return x * 1

    assert free(Inner().to_float(ms.float16), X).dtype == SINGLE
