"""Derivatives by tuples, lists and dicts beside weights, by name, in training; tests/answers/containers.py has the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_weights_and_containers_together() -> None:
    weight = ms.Parameter(Tensor([2.0, 3.0]), name="weight")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = weight

        def construct(self, pair: Any, x: Tensor) -> Tensor:
            return pair["a"][0] * self.weight * x + pair["b"]

    x, y = Tensor([1.0, 5.0]), Tensor([7.0, 11.0])
    pair = ms.mutable({"a": [x, 4], "b": y})
    by_inputs, by_weights = ops.GradOperation(get_all=True, get_by_list=True)(Net(), [weight])(pair, y)
    assert [type(item) for item in by_inputs] == [dict, Tensor] and by_inputs[0]["a"][1] == 0
    assert by_inputs[0]["a"][0].asnumpy().tolist() == [14, 33] and by_inputs[0]["b"].asnumpy().tolist() == [1, 1]
    assert by_weights[0].asnumpy().tolist() == [7, 55]


def test_by_name_and_found_by_its_position() -> None:
    x, pair = Tensor([1.0, 5.0]), ms.mutable({"a": (Tensor([7.0, 11.0]),)})
    named = ms.grad(lambda x, pair: pair["a"][0] * x, (0, 1), return_ids=True)(x, pair=pair)
    assert ms.get_grad(named, 1)["a"][0].asnumpy().tolist() == [1, 5]


def test_steps_by_a_state_in_a_tuple() -> None:
    """Five steps along the gradients of a mutable tuple, each from a new one."""
    state = [Tensor([1.0]), Tensor([4.0])]
    gradient = ms.grad(lambda state: (state[0] - 2) ** 2 + (state[1] * state[0]) ** 2)
    values, expected, (x, y) = [], [], (1.0, 4.0)
    for _ in range(5):
        found = gradient(ms.mutable(tuple(state)))
        state = [item - 0.01 * by for item, by in zip(state, found)]
        values.append(float(state[0]))
        x, y = x - 0.01 * (2 * (x - 2) + 2 * x * y**2), y - 0.01 * 2 * x * x * y
        expected.append(x)
    assert values == pytest.approx(expected, rel=1e-5)
