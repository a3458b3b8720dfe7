"""PYNATIVE_MODE: elements that are assigned after an operator has kept them for its derivative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from tests.support.versions import TELLS_HOOKS

pytestmark = pytest.mark.skipif(not TELLS_HOOKS, reason="this torch does not tell whether hooks are set")


@pytest.fixture(autouse=True)
def _pynative():
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Recurrent(nn.Cell):
    """Writes each state beside the one that it comes from."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.full((3, 3), 0.3, np.float32) + 0.1 * np.eye(3, dtype=np.float32)))

    def construct(self, x):
        h = ops.zeros((4, 3), ms.float32)
        h[0] = x
        for t in range(1, 4):
            h[t] = ops.tanh(ops.matmul(h[t - 1 : t], self.w))[0] + x * h[t - 1]
        return h.sum()


def test_states_beside_each_other_as_real_mindspore() -> None:
    net, x = Recurrent(), Tensor(np.array([0.5, 0.6, 0.7], np.float32))
    value, (by_x, (by_w,)) = ms.value_and_grad(net, 0, net.trainable_params())(x)
    assert value.asnumpy() == pytest.approx(13.195886, rel=1e-6)
    np.testing.assert_allclose(by_x.asnumpy(), [8.416836, 9.728523, 11.264911], rtol=1e-6)
    expected = [1.9923618, 2.085418, 2.178342, 2.338357, 2.4491994, 2.5601535, 2.7124445, 2.8414662, 2.9706984]
    np.testing.assert_allclose(by_w.asnumpy().ravel(), expected, rtol=1e-6)


def output_is_kept(x):
    y = ops.relu(x)
    y[1] = 0.5
    y[2:] = x[0]
    return ops.exp(y).sum()


def input_is_kept(x):
    y = x * 2.0
    z = y * y
    y[0] = 3.0
    return (z * y).sum()


def part_is_kept(x):
    y = x * 2.0
    z = y[1:] * y[:-1]
    y[1] = z[0] * z[0]
    return (y * y).sum() + z.sum()


def names_share(x):
    y = ops.exp(x)
    same, z = y, ops.sigmoid(y)
    z[0] = z[1] * z[2]
    y[2] = z[0]
    return (z * same).sum()


def twice(x):
    y = x * x
    z = ops.sin(y)
    y[0] = 1.0
    y[1] = y[0] * z[1]
    return (y * z).sum()


def an_inner_derivative(x):
    y = ops.tanh(x)
    inner = ms.grad(twice)(y)
    y[0] = inner[1]
    return (y * inner).sum()


def a_gradient_operator(x):
    y = x * x
    z = ops.auto_generate.TanhGrad()(ops.tanh(y), y)
    y[0] = 2.0
    return (y * z).sum()


class Gradient(nn.Cell):
    def construct(self, x):
        return ops.auto_generate.TanhGrad()(ops.tanh(x), x) * x


def a_recomputed_gradient_operator(x):
    block = Gradient()
    block.recompute()
    y = x * x
    z = block(y)
    y[0] = 2.0
    return (y * z).sum()


def mapped(x):
    y = x * x
    z = ops.vmap(lambda item: item * item)(y)
    y[0] = 2.0
    return (y * z).sum()


def alias_is_masked(x):
    y = x * x
    z = y * y
    alias = ops.stop_gradient(y)
    alias[y > 0.3] = 5.0
    w = y * z
    alias[0:1] = 2.0
    return (z * w).sum() + alias[0]


@pytest.mark.parametrize(
    "function",
    [
        alias_is_masked,
        output_is_kept,
        input_is_kept,
        part_is_kept,
        names_share,
        twice,
        an_inner_derivative,
        a_gradient_operator,
        a_recomputed_gradient_operator,
        mapped,
    ],
)
def test_derivatives_are_those_of_the_function(function: Any) -> None:
    at = np.array([0.4, 0.7, 0.9])
    found = ms.grad(function)(Tensor(at, ms.float64)).asnumpy()
    for place in range(3):
        step = np.zeros(3)
        step[place] = 1e-5
        ends = [float(function(Tensor(at + sign * step, ms.float64))) for sign in (1, -1)]
        assert found[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-7), place


def test_an_operator_keeps_the_values_before_a_mask() -> None:
    def loss(x):
        y = x * x
        constant = ops.stop_gradient(y)
        product = constant * y
        constant[y > 0.3] = 5.0
        return (product * product).sum()

    x = np.array([0.4, 0.7, 0.9])
    np.testing.assert_allclose(ms.grad(loss)(Tensor(x, ms.float64)).asnumpy(), 4 * x**7)


def test_second_derivatives() -> None:
    at = np.array([0.4, 0.7, 0.9])
    found = ms.grad(lambda x: ms.grad(part_is_kept)(x).sum())(Tensor(at, ms.float64)).asnumpy()
    for place in range(3):
        step = np.zeros(3)
        step[place] = 1e-5
        ends = [float(ms.grad(part_is_kept)(Tensor(at + sign * step, ms.float64)).sum()) for sign in (1, -1)]
        assert found[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6), place


class Blocks(nn.Cell):
    def __init__(self, recomputed: bool) -> None:
        super().__init__()
        self.fc = nn.Dense(3, 3, weight_init="ones", has_bias=False)
        if recomputed:
            self.fc.recompute()

    def construct(self, x):
        y = ops.relu(self.fc(x))
        y[:, 1:] = 0.0
        return (y * y).sum()


def test_training_cells_and_recomputation() -> None:
    for recomputed in (False, True):
        net = Blocks(recomputed)
        step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01))
        losses = [float(step(Tensor(np.ones((2, 3), np.float32)))) for _ in range(2)]
        assert losses[0] == pytest.approx(18.0) and losses[1] == pytest.approx(2 * 2.64**2)
        assert net.fc.weight.asnumpy()[1:].tolist() == [[1.0] * 3] * 2


class Overwriting(nn.Cell):
    """What it has kept is overwritten in the block itself, or in a function that it calls."""

    def __init__(self, by_function: bool) -> None:
        super().__init__()
        self.w = Parameter(Tensor(np.array([1.0, 2.0, 3.0], np.float32)))
        self.by_function = by_function

    def construct(self, x):
        y = ops.exp(x * self.w)
        z = y * y
        if self.by_function:
            overwrite(y, z)
        else:
            y[0] = 3.0
            y[1] = z[2]
        return z * y


def overwrite(y, z):
    y[0] = 3.0
    y[1] = z[2]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("by_function", [False, True])
def test_a_recomputed_block_that_overwrites_has_its_own_gradients(by_function: bool, mode: int) -> None:
    ms.set_context(mode=mode)
    found = []
    x = Tensor(np.array([0.5, 0.6, 0.7], np.float32))
    for wrapped in (lambda net: net, lambda net: net.recompute() or net, ops.recompute_block):
        net = Overwriting(by_function)
        block = wrapped(net)
        found.append(ms.grad(lambda v: (block(v) * block(v * 0.5)).sum())(x).asnumpy())
    if mode == ms.PYNATIVE_MODE or not by_function:  # compiled, a function changes its own name for y alone
        np.testing.assert_allclose(
            found[0], [121.00557, 119581.883, 350932.094], rtol=2e-5
        )  # real MindSpore's GRAPH_MODE
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def written_in_place(x):
    y = x * x
    z = y * y
    y[0] = 1.0
    y.add_(1.0)
    return z.sum() + y.sum()


def written_after_it(x):
    y = x * x
    y[0] = 1.0
    return y, y * y


def test_other_writes_are_refused_as_torch_does() -> None:
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        ms.grad(lambda x: (lambda y: (y * y, y.add_(1.0))[0].sum())(x * x))(Tensor([1.0, 2.0]))
    found = ms.grad(written_in_place)(Tensor([1.0, 2.0])).asnumpy()  # the copy is made before both
    np.testing.assert_allclose(found, [4.0, 4.0 * 8.0 + 4.0])
    outputs, pull = ms.vjp(written_after_it, Tensor([1.0, 2.0]))
    assert outputs[1].tolist() == [1.0, 16.0]
    np.testing.assert_allclose(pull((Tensor([0.0, 0.0]), Tensor([1.0, 1.0])))[0].asnumpy(), [0.0, 32.0])
