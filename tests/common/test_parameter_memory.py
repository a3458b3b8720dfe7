"""A Parameter has memory of its own: a Tensor that it was made from stays as it is, and the other way round. As real
MindSpore.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common.initializer import initializer
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.common.tensor import Tensor


def _tensor() -> Tensor:
    return Tensor(np.arange(4, dtype=np.float32))


def _set_item(parameter: Any) -> None:
    parameter[0] = 9


CHANGES: list[Callable[[Any], Any]] = [
    lambda p: p.set_data(Tensor(np.ones(4, np.float32))),
    lambda p: ops.assign(p, Tensor(np.ones(4, np.float32))),
    lambda p: ops.assign_add(p, _tensor() + 1),
    lambda p: nn.SGD([p], 0.1)((_tensor() + 1,)),
    lambda p: ops.ScatterUpdate()(p, Tensor([1]), Tensor(np.array([7], np.float32))),
    _set_item,
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_tensor_stays(change: Callable[[Any], Any]) -> None:
    tensor = _tensor()
    parameter = Parameter(tensor, name="p")
    again = Parameter(parameter, name="q")
    change(again)
    assert again.asnumpy().tolist() != [0, 1, 2, 3]
    assert tensor.asnumpy().tolist() == parameter.asnumpy().tolist() == [0, 1, 2, 3]


def test_the_parameter_stays() -> None:
    tensor = _tensor()
    parameter = Parameter(tensor, name="p")
    tensor[0] = 9
    assert parameter.asnumpy().tolist() == [0, 1, 2, 3]


def test_layers_that_start_from_one_tensor_are_trained_apart() -> None:
    start = Tensor(np.ones((2, 3), np.float32))
    first, second = nn.Dense(3, 2, weight_init=start), nn.Dense(3, 2, weight_init=start)
    first.weight.set_data(Tensor(np.zeros((2, 3), np.float32)))
    assert second.weight.asnumpy().all() and start.asnumpy().all()


def test_a_fresh_start_value_is_not_copied() -> None:
    fresh = initializer("ones", (3,))
    place = fresh.data_ptr()
    first, second = Parameter(fresh, name="a"), Parameter(fresh, name="b")
    assert first.data_ptr() == place != second.data_ptr()


def test_torchs_tensors_are_shared_as_torchs_parameters_share_them() -> None:
    plain = torch.zeros(3)
    assert Parameter(plain, name="p").data_ptr() == plain.data_ptr()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_value_is_what_the_parameter_held_then(mode: int) -> None:
    """As in real MindSpore 2.10, where neither sees what is written to the other."""
    ms.set_context(mode=mode)
    weight = Parameter(Tensor(np.array([1, 2], np.float32)), name="w")
    before = weight.value()
    assert type(before) is Tensor and not isinstance(before, Parameter)
    nn.SGD([weight], 1.0)((Tensor([1.0, 1.0]),))
    np.testing.assert_array_equal(before, [1, 2])
    ops.AssignAdd()(weight.value(), Tensor([5.0, 5.0]))
    np.testing.assert_array_equal(weight, [0, 1])

    def loss(x: Tensor) -> Tensor:
        return (x * weight.value()).sum()

    (gradient,) = ms.grad(loss, None, ms.ParameterTuple([weight]))(Tensor(3.0))
    np.testing.assert_array_equal(gradient, [3, 3])


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda p: p.copy_(Tensor([5.0, 6.0, 7.0, 8.0])), [5, 6, 7, 8]),
        (lambda p: p.add_(1), [1, 2, 3, 4]),
        (lambda p: p.mul_(2), [0, 2, 4, 6]),
        (lambda p: p.zero_(), [0, 0, 0, 0]),
        (lambda p: p.fill_(3), [3, 3, 3, 3]),
        (lambda p: p.uniform_(2, 2), [2, 2, 2, 2]),
        (lambda p: p.clamp_(1, 2), [1, 1, 2, 2]),
        (lambda p: p.index_add_(0, Tensor([1]), Tensor([4.0])), [0, 5, 2, 3]),
    ],
)
def test_in_place_methods_write_to_what_is_trained(write: Any, expected: list[float]) -> None:
    parameter = Parameter(_tensor(), name="w")
    assert write(parameter) is parameter
    assert isinstance(parameter, Parameter) and parameter.requires_grad and parameter.is_leaf
    assert parameter.asnumpy().tolist() == expected
    gradient = ms.grad(lambda: (parameter * parameter).sum(), None, [parameter])()[0]
    assert gradient.asnumpy().tolist() == [2 * number for number in expected]


def test_in_place_methods_are_refused_where_a_gradient_is_computed() -> None:
    parameter = Parameter(_tensor(), name="w")

    def loss() -> Any:
        parameter.copy_(Tensor([5.0, 6.0, 7.0, 8.0]))
        return (parameter * parameter).sum()

    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        ms.value_and_grad(loss, None, [parameter])()


def test_data_of_a_parameter_takes_data_as_before_2_0() -> None:
    parameter = Parameter(_tensor(), name="w")
    parameter.data.set_data(Tensor([5.0, 6.0, 7.0, 8.0]))
    assert parameter.asnumpy().tolist() == [5, 6, 7, 8]
