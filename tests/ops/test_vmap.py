"""`ops.vmap`: axes of nested inputs and results, numbers among the results, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


def tensor(shape: tuple[int, ...], first: float = 0.0) -> Tensor:
    return Tensor((np.arange(np.prod(shape)).reshape(shape) + first).astype("float32"))


X, Y = tensor((2, 3)), tensor((2, 3), 10.0)


def test_inputs_are_nested() -> None:
    rows = X.asnumpy().T + 2 * Y.asnumpy().T
    found = ops.vmap(lambda a, b: a + b[0] * b[1], in_axes=(1, [-1, None]))(X, (Y, 2))
    np.testing.assert_array_equal(found.asnumpy(), rows)
    for axes, second in (([1, (1, 1)], [Y, Y]), ((1, (1, 1, 1)), (Y, Y)), ((1, 1), (Y, Y)), (1, (Y, (Y, Y)))):
        found = ops.vmap(lambda a, b: a + b[0], in_axes=axes)(X, second)
        np.testing.assert_array_equal(found.asnumpy(), (X + Y).asnumpy().T)


def test_results_are_nested() -> None:
    for out_axes in (((0, None), 0), [(0, None), 0]):
        (ones, two), rows = ops.vmap(lambda a: ((1, 2), a), in_axes=1, out_axes=out_axes)(X)
        assert (ones.asnumpy().tolist(), ones.dtype, two) == ([1, 1, 1], ms.int64, 2)
        np.testing.assert_array_equal(rows.asnumpy(), X.asnumpy().T)
    rows, halves, flags = ops.vmap(lambda a: (a, 0.5, True), in_axes=1, out_axes=(1, 0, 0))(X)
    np.testing.assert_array_equal(rows.asnumpy(), X.asnumpy())
    assert (halves.dtype, flags.dtype, halves.shape) == (ms.float32, ms.bool_, (3,))


def test_results_that_do_not_depend_on_the_element() -> None:
    _, same = ops.vmap(lambda a: (a, Y), in_axes=1, out_axes=(0, None))(X)
    np.testing.assert_array_equal(same.asnumpy(), Y.asnumpy())
    _, each = ops.vmap(lambda a: (a, Y), in_axes=1, out_axes=(0, 1))(X)
    np.testing.assert_array_equal(each.asnumpy(), np.stack([Y.asnumpy()] * 3, 1))


@pytest.mark.parametrize("pair", [tuple, list])
def test_what_torch_cannot_vectorize_takes_nested_inputs_too(pair: Any) -> None:
    def derivative(a: Any, b: Any) -> Any:
        return ops.jvp(lambda p, q: p * q, a, b)

    value, along = ops.vmap(derivative)(pair((X, Y)), pair((X, Y)))
    np.testing.assert_array_equal(value.asnumpy(), (X * Y).asnumpy())
    np.testing.assert_array_equal(along.asnumpy(), (2 * X * Y).asnumpy())


def test_cells_of_a_list_take_nested_inputs() -> None:
    class Scaled(nn.Cell):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def construct(self, x):
            return x[0] * self.by + x[1], 1

    cells = nn.CellList([Scaled(1.0), Scaled(10.0)])
    found, ones = ops.vmap(cells, in_axes=((0, None),), out_axes=0)((X, Tensor(1.0)))
    np.testing.assert_array_equal(found.asnumpy(), X.asnumpy() * [[1.0], [10.0]] + 1)
    assert ones.asnumpy().tolist() == [1, 1]


def test_last_axes_of_an_operator_with_two_inputs() -> None:
    """torch's batch rule of grid_sample takes the length of one input's axis from the other."""
    images, places = tensor((1, 2, 5, 5, 3)), tensor((2, 2, 3)) / 20

    def sampled(image: Tensor, place: Tensor) -> Tensor:
        return ops.grid_sample(image, place.expand_dims(0).expand_dims(1), align_corners=True)

    found = ops.vmap(sampled, -1)(images, places)
    expected = np.stack([sampled(images[..., i], places[..., i]).asnumpy() for i in range(3)])
    np.testing.assert_array_equal(found.asnumpy(), expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.vmap(lambda a, b: a, (1,))(X, Y),
        lambda: ops.vmap(lambda a: (a, a), 1, (0, 0, 0))(X),
        lambda: ops.vmap(lambda a: (a, "text"), 1)(X),
    ],
)
def test_what_is_refused(call: Any) -> None:
    with pytest.raises(RuntimeError):
        call()


def test_other_numbers_than_cells_and_functions_have() -> None:
    cells = [nn.Dense(3, 2), nn.Dense(3, 2), nn.Dense(3, 2, has_bias=False)]
    with pytest.raises(ValueError):
        ops.vmap(nn.CellList(cells))(X)


@pytest.mark.parametrize(
    "function",
    [
        ops.leaky_relu,
        ops.relu6,
        ops.hardtanh,
        lambda x: ops.binary_cross_entropy(x, ops.ones_like(x), reduction="none"),
        lambda x: nn.SoftmaxCrossEntropyWithLogits()(x, ops.ones_like(x)),
        ops.bessel_j0,
        lambda x: ops.igamma(x, ops.ones_like(x)),
        lambda x: ops.Betainc()(ops.ones_like(x), ops.ones_like(x), x),
    ],
)
def test_own_derivatives_take_batches_of_gradients(function: Any) -> None:
    """torch's ``is_grads_batched``, which Jacobians of torch's ask for."""
    x = torch.linspace(0.1, 0.9, 6).reshape(2, 3).requires_grad_()
    result = function(x)
    gradients = torch.randn(4, *result.shape)
    (found,) = torch.autograd.grad(result, x, gradients, is_grads_batched=True, retain_graph=True)
    one_by_one = [torch.autograd.grad(result, x, each, retain_graph=True)[0] for each in gradients]
    torch.testing.assert_close(found, torch.stack(one_by_one))


def test_labels_get_no_gradient_from_a_softmax_of_constants() -> None:
    for dtype in (torch.float32, torch.float16):
        labels = torch.ones(2, 3, dtype=dtype).requires_grad_()
        assert not nn.SoftmaxCrossEntropyWithLogits()(torch.ones(2, 3, dtype=dtype), labels).requires_grad


def test_the_axis_of_a_result_by_itself_may_be_in_a_sequence() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    for axes in ((1,), [1]):
        np.testing.assert_array_equal(ops.vmap(lambda a: a * 2, 0, axes)(x).asnumpy(), x.asnumpy().T * 2)
    with pytest.raises(RuntimeError, match="result size: 1, but got size: 2"):
        ops.vmap(lambda a: a * 2, 0, (0, 1))(x)
