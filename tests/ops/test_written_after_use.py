"""An operator whose derivative needs its input's shape alone can be differentiated after the input was written to, as in
upstream (`_autograd/saved_shapes.py`); the written elements pass their gradient to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, nn, ops
from tests.support.versions import TELLS_HOOKS

X = np.arange(12, dtype=np.float32).reshape(3, 4) / 7
INDEX = np.array([[0, 2], [1, 1], [3, 0]])
ROWS = np.array([1, 5, 5])
#: operator -> how often each element of its input is taken
TAKEN: dict[str, tuple[Callable[[Any], Any], np.ndarray]] = {
    "gather_elements": (
        lambda x: ops.gather_elements(x, 1, Tensor(INDEX)),
        np.array([[1, 0, 1, 0], [0, 2, 0, 0], [1, 0, 0, 1]]),
    ),
    "gather_d": (lambda x: ops.gather_d(x, 1, Tensor(INDEX - 4)), np.array([[1, 0, 1, 0], [0, 2, 0, 0], [1, 0, 0, 1]])),
    "GatherD": (lambda x: ops.GatherD()(x, 1, Tensor(INDEX)), np.array([[1, 0, 1, 0], [0, 2, 0, 0], [1, 0, 0, 1]])),
    "mint.gather": (lambda x: mint.gather(x, 1, Tensor(INDEX)), np.array([[1, 0, 1, 0], [0, 2, 0, 0], [1, 0, 0, 1]])),
    "mint.masked_select": (lambda x: mint.masked_select(x, Tensor(X > 1)), (X > 1).astype(int)),
    "take": (lambda x: x.take(Tensor(ROWS)), np.array([[0, 1, 0, 0], [0, 2, 0, 0], [0, 0, 0, 0]])),
    "masked_select": (lambda x: ops.masked_select(x, Tensor(X > 1)), (X > 1).astype(int)),
}


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Written(nn.Cell):
    """Takes elements, then sets a row of what they were taken of, by a view of it, and goes on with that."""

    def __init__(self, operator: Callable[[Any], Any]) -> None:
        super().__init__()
        self.operator = operator

    def construct(self, x: Any) -> Any:
        y = x * 2
        taken = self.operator(y)
        rows = y[1:]
        rows[0] = -1.0
        return (taken * taken).sum() + rows.sum()


@pytest.mark.skipif(not TELLS_HOOKS, reason="this torch does not tell whether hooks are set")
@pytest.mark.parametrize("name", TAKEN)
def test_what_was_taken_before_is_differentiated(name: str, mode: int) -> None:
    operator, times = TAKEN[name]
    gradient = ops.grad(Written(operator))(Tensor(X)).asnumpy()
    rest = np.array([[0.0] * 4, [0.0] * 4, [2.0] * 4])  # the first of the rows is written
    np.testing.assert_allclose(gradient, 8 * X * times + rest, rtol=1e-6)


@pytest.mark.parametrize("name", TAKEN)
def test_second_derivatives(name: str) -> None:
    operator, times = TAKEN[name]
    second = ops.grad(lambda x: ops.grad(lambda y: (operator(y) ** 3).sum())(x).sum())(Tensor(X)).asnumpy()
    np.testing.assert_allclose(second, 6 * X * times, rtol=1e-5)


def test_saved_tensors_of_the_program_are_its_own() -> None:
    seen: list[tuple[int, ...]] = []

    def pack(saved: Any) -> Any:
        seen.append(tuple(saved.shape))
        return saved

    x = Tensor(X)
    with ms.saved_tensors_hooks(pack, lambda saved: saved):
        gradient = ops.grad(lambda y: ops.gather_elements(y, 1, Tensor(INDEX)).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), TAKEN["gather_elements"][1])
    assert (3, 4) in seen


def test_forward_mode() -> None:
    _, tangent = ops.jvp(lambda x: ops.gather_elements(x * x, 1, Tensor(INDEX)), Tensor(X), Tensor(np.ones_like(X)))
    np.testing.assert_allclose(tangent.asnumpy(), np.take_along_axis(2 * X, INDEX, 1), rtol=1e-6)
