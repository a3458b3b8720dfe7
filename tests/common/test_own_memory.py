"""A Tensor or Parameter is given what lies in its own memory: the values from before, as in NumPy, and as real MindSpore
2.10 in GRAPH_MODE and inside of a differentiation (its PYNATIVE_MODE reads what it has just written, or refuses).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops

SQUARE = np.arange(9, dtype=np.float32).reshape(3, 3)
WEIGHTS = np.random.RandomState(2).randn(3, 4).astype(np.float32)


def down(x: Any) -> Any:
    x[1:] = x[:2]
    return x


def up(x: Any) -> Any:
    x[:2] = x[1:]
    return x


def right(x: Any) -> Any:
    x[:, 1:] = x[:, :-1]
    return x


def aslant(x: Any) -> Any:
    x[1:3, 1:] = x[0:2, :-1]
    return x


def transposed(x: Any) -> Any:
    x[:] = x.T
    return x


SHIFTS: list[Callable[[Any], Any]] = [down, up, right, aslant, transposed]


@pytest.mark.parametrize("shift", SHIFTS)
def test_elements_of_its_own(shift: Callable[[Any], Any]) -> None:
    expected = shift(SQUARE.copy())
    np.testing.assert_array_equal(shift(Tensor(SQUARE)).asnumpy(), expected)
    np.testing.assert_array_equal(ms.jit(shift)(Tensor(SQUARE)).asnumpy(), expected)
    weight = Parameter(Tensor(SQUARE), name="w")
    np.testing.assert_array_equal(shift(weight).asnumpy(), expected)


def test_through_another_name() -> None:
    x = Tensor(SQUARE)
    view = x.view(9)
    view[1:] = view[:8]
    np.testing.assert_array_equal(x.asnumpy().ravel(), [0, 0, 1, 2, 3, 4, 5, 6, 7])


@pytest.mark.parametrize(("shift", "loss"), [(right, -5.6740584), (aslant, -7.628251)])  # real MindSpore's losses
def test_inside_of_a_differentiation(shift: Callable[[Any], Any], loss: float) -> None:
    values = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) + 1)
    found, gradient = ms.value_and_grad(lambda x: (shift(x * 1) * Tensor(WEIGHTS)).sum())(values)
    np.testing.assert_allclose(found.asnumpy(), loss, rtol=1e-6)
    moved = shift(np.arange(12).reshape(3, 4))  # where each element came from
    expected = np.bincount(moved.ravel(), WEIGHTS.ravel(), minlength=12).reshape(3, 4)
    np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=1e-6)


def _set_data(weight: Any) -> None:
    weight.set_data(weight.T)


def _assign(weight: Any) -> None:
    ops.assign(weight, weight.T)


def _assign_value(weight: Any) -> None:
    weight.assign_value(weight.T)


@pytest.mark.parametrize("put", [_set_data, _assign, _assign_value])
def test_a_parameter_is_set_to_its_transpose(put: Callable[[Any], None]) -> None:
    weight = Parameter(Tensor(SQUARE), name="w")
    put(weight)
    np.testing.assert_array_equal(weight.asnumpy(), [[0, 3, 6], [1, 4, 7], [2, 5, 8]])  # as real MindSpore
