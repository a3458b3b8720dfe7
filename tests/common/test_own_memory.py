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


ROWS = np.arange(25, dtype=np.float32).reshape(5, 5)
#: methods that change a Tensor, as (the Tensor's part, the value's part, what NumPy does)
CHANGES: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "copy_": lambda x, y: y,
    "add_": lambda x, y: x + y,
    "sub_": lambda x, y: x - y,
    "mul_": lambda x, y: x * y,
    "div_": lambda x, y: x / (y + 1),
    "floor_divide_": lambda x, y: x // (y + 1),
}
PARTS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "columns": (lambda x: x[:, 1:], lambda x: x[:, :-1]),
    "rows": (lambda x: x[1:], lambda x: x[:-1]),
    "transposed": (lambda x: x[:], lambda x: x.T),
    "first column": (lambda x: x[:], lambda x: x[:, 0:1]),
    "a row": (lambda x: x[:], lambda x: x[2]),
    "itself": (lambda x: x[:], lambda x: x[:]),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("part", PARTS)
def test_methods_that_change_a_tensor_by_what_lies_in_it(name: str, part: str) -> None:
    target, value = PARTS[part]
    expected = ROWS.copy()
    target(expected)[...] = CHANGES[name](target(expected), value(expected)).copy()
    for dtype in (ms.float32, ms.int32) if name not in ("div_",) else (ms.float32,):
        x = Tensor(ROWS, dtype)
        other = value(x)
        getattr(target(x), name)(other + 1 if "div" in name else other)
        np.testing.assert_array_equal(x.asnumpy(), expected.astype(x.asnumpy().dtype), err_msg=str(dtype))
    if "div" not in name:
        x = Tensor(ROWS)
        getattr(target(x), name)(**{"src" if name == "copy_" else "other": value(x)})
        np.testing.assert_array_equal(x.asnumpy(), expected)


def test_arguments_have_upstreams_names() -> None:
    x, places = ops.zeros((2, 3)), Tensor([1])
    x.index_copy_(dim=0, index=places, tensor=ops.ones((1, 3)))
    assert x.asnumpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert set(x.random_(from_=3, to=5).asnumpy().flat) <= {3, 4}
    assert 3 <= x.uniform_(from_=3.0, to=5.0).asnumpy().min() <= x.asnumpy().max() < 5


def test_methods_with_indices_read_what_was_there() -> None:
    def changed(name: str, *arguments: Callable[[Tensor], Any]) -> list[float]:
        x = Tensor(ROWS)
        getattr(x, name)(*(argument(x) for argument in arguments))
        return x.asnumpy()[:, 0].tolist()

    places = Tensor([0, 1])
    assert changed("index_add_", lambda x: 0, lambda x: places, lambda x: x[1:3]) == [5, 15, 10, 15, 20]
    assert changed("index_copy_", lambda x: 0, lambda x: places, lambda x: x[1:3]) == [5, 10, 10, 15, 20]
    zeros = Tensor(np.zeros((1, 5), np.int64))
    assert changed("scatter_", lambda x: 0, lambda x: zeros, lambda x: x[3:4]) == [15, 5, 10, 15, 20]
    assert changed("addmm_", lambda x: x, lambda x: x) == (ROWS @ ROWS + ROWS)[:, 0].tolist()


def test_arrays_that_lie_in_a_tensor() -> None:
    x = Tensor(ROWS)
    x[1:] = x.asnumpy()[:-1]
    np.testing.assert_array_equal(x.asnumpy(), ROWS[[0, 0, 1, 2, 3]])
    x = Tensor(ROWS)
    x[:, 1:] = Tensor.from_numpy(x.asnumpy()[:, :-1])
    np.testing.assert_array_equal(x.asnumpy(), ROWS[:, [0, 0, 1, 2, 3]])


@pytest.mark.cpu_only("arrays share memory with Tensors on a CPU alone")
def test_from_numpy_copies_what_has_gaps() -> None:
    array = ROWS.copy()
    shares, copies = Tensor.from_numpy(array[1:]), [Tensor.from_numpy(part) for part in (array.T, array[:, ::2])]
    array[...] = -1
    assert shares.asnumpy().min() == shares.asnumpy().max() == -1
    assert [part.asnumpy().max() for part in copies] == [24, 24]
    assert all(part.is_contiguous() for part in copies)
