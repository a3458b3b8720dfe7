"""What an attack on differentiation found: derivatives in a ``bprop`` and where gradients are disabled, constants after
updates, vmap, stale forwards.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, context, nn, ops
from mindspore_compat.ops.function.grad import jacrev, jvp, vjp
from tests.ops.test_differentiation import MODES, Kept, X


class Square(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x * x


class OwnSquare(nn.Cell):
    """Its ``bprop`` takes a derivative itself: 10 times that of the square."""

    def __init__(self, derivative: Any) -> None:
        super().__init__()
        self.inner, self.derivative = Square(), derivative

    def construct(self, x: Any) -> Any:
        return self.inner(x)

    def bprop(self, x: Any, out: Any, dout: Any) -> Any:
        return (dout * self.derivative(self.inner, x) * 10,)


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize(
    "derivative",
    [
        lambda net, x: ops.GradOperation()(net)(x),
        lambda net, x: ops.grad(net)(x),
        lambda net, x: vjp(net, x)[1](ops.ones_like(x))[0],
        lambda net, x: jvp(net, x, ops.ones_like(x))[1],
        lambda net, x: jacrev(net)(x).reshape((1,)),
    ],
)
def test_a_derivative_inside_of_a_bprop(derivative: Any, mode: int) -> None:
    context.set_context(mode=mode)
    for _ in range(4):
        assert float(ops.grad(OwnSquare(derivative))(Tensor([X]))) == 10 * 2 * X
        assert float(ops.grad(ops.grad(OwnSquare(derivative)))(Tensor([X]))) == 20
    context.set_context(mode=context.PYNATIVE_MODE)


def test_a_derivative_inside_of_the_construct_of_a_cell_with_bprop_and_where_gradients_are_disabled() -> None:
    class Slope(OwnSquare):
        def construct(self, x: Any) -> Any:
            return self.derivative(self.inner, x)

    slope = Slope(lambda net, x: ops.grad(net)(x))
    assert (
        float(slope(Tensor([X])))
        == float(ops.value_and_grad(slope)(Tensor([X]))[0])
        == float(slope.set_grad()(Tensor([X])))
        == 2 * X
    )

    def function(x: Any) -> Any:
        with torch.no_grad():
            found = ops.grad(Square())(x)
        return x * found

    assert [float(item) for item in ops.value_and_grad(function)(Tensor([X]))] == [2 * X * X, 2 * X]


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize(
    "optimizer",
    [
        lambda p: nn.SGD(p, 0.01),
        lambda p: nn.Momentum(p, 0.01, 0.9),
        lambda p: nn.Adam(p, 0.01),
        lambda p: nn.AdamWeightDecay(p, 0.01),
        lambda p: nn.RMSProp(p, 0.01),
        lambda p: nn.Rprop(p, 0.01),
    ],
)
def test_constants_outlive_updates(optimizer: Any, mode: int) -> None:
    """Log-probabilities of an old policy, values, targets, states: computed once at top level, used in the losses of
    several steps.
    """

    def run(constant: Any) -> list[float]:
        net = nn.SequentialCell(
            nn.Dense(3, 4, weight_init="ones", bias_init="zeros"),
            nn.Tanh(),
            nn.Dense(4, 1, weight_init="ones", bias_init="zeros"),
        )
        x = Tensor(np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32))
        old = constant(ops.exp(net(x)))
        update = optimizer(net.trainable_params())
        grad_of = ops.value_and_grad(lambda x: ((net(x) - old) ** 2).sum() + net(x).sum(), None, net.trainable_params())
        found = []
        for _ in range(5):
            loss, grads = grad_of(x)
            update(grads)
            found.append(float(loss))
        return found

    context.set_context(mode=mode)
    np.testing.assert_allclose(run(lambda old: old), run(lambda old: Tensor(old.asnumpy())), 1e-6)
    context.set_context(mode=context.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_gradients_by_weights_for_each_input(mode: int) -> None:
    context.set_context(mode=mode)
    w, x = Parameter(Tensor(3.0), name="w"), Tensor([1.0, 2.0, 3.0])

    def function(x: Any) -> Any:
        return w * x * x * x

    for _ in range(5):
        assert ops.vmap(ops.grad(function, None, [w]))(x)[0].tolist() == [1.0, 8.0, 27.0]
        value, (of_x, (of_w,)) = ops.vmap(ops.value_and_grad(function, 0, [w]))(x)
        assert [item.tolist() for item in (value, of_x, of_w)] == [
            [3.0, 24.0, 81.0],
            [9.0, 36.0, 81.0],
            [1.0, 8.0, 27.0],
        ]
    context.set_context(mode=context.PYNATIVE_MODE)


def test_forwards_that_are_no_longer_kept() -> None:
    class Failing(Kept):
        fails = False

        def construct(self, x: Any) -> Any:
            if self.fails:
                raise ValueError("no")
            return super().construct(x)

    net, x = Failing(), Tensor([X])
    net(x)
    net.fails = True
    with pytest.raises(ValueError, match="no"):
        net(x)
    net.fails = False
    net.w.set_data(Tensor([5.0]))
    assert float(ops.grad(net)(x)) == 3 * 5 * X**2

    class Sum(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([2.0]), name="w")

        def construct(self, items: Any) -> Any:
            return self.w * sum(items)

    net, items = Sum().set_grad(), [Tensor([1.0]), Tensor([2.0])]
    net(items)
    items[0] = Tensor([100.0])
    items.append(Tensor([50.0]))
    assert float(ops.grad(net, None, [net.w])(items)[0]) == 152.0


@pytest.mark.parametrize(
    "mode, found", [(context.GRAPH_MODE, 5.0), (context.PYNATIVE_MODE, 3.0)], ids=["graph", "pynative"]
)
def test_a_kept_forward_after_an_update(mode: int, found: float) -> None:
    """As in real MindSpore: GRAPH_MODE computes anew, PYNATIVE_MODE has computed (w·x, with w read from then)."""

    class Linear(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = Parameter(Tensor([3.0]), name="w")

        def construct(self, x: Any) -> Any:
            return (self.w * x) * self.w

    context.set_context(mode=mode)
    for update in (
        lambda net: net.w.set_data(Tensor([5.0])),
        lambda net: ops.assign(net.w, Tensor([5.0])),
        lambda net: nn.SGD([net.w], 1.0)((Tensor([-2.0]),)),
    ):
        net, x = Linear().set_grad(), Tensor([X])
        net(x)
        update(net)
        assert float(ops.grad(net, None, [net.w])(x)[0]) == (found + 5.0) * X
    context.set_context(mode=context.PYNATIVE_MODE)


def test_a_queue_written_in_a_forward() -> None:
    class Queue(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w, self.q = (
                Parameter(Tensor([2.0]), name="w"),
                Parameter(Tensor([1.0, 1.0]), name="q", requires_grad=False),
            )

        def construct(self, x: Any) -> Any:
            key = self.w * x
            self.q[1:2] = key
            return (self.q * key).sum()

    net = Queue()
    for _ in range(3):  # the queue is a constant: key·(1 + key) by w, its second key a constant
        found = ops.grad(net, None, [net.w])(Tensor([3.0]))
        assert float(found[0]) == 3 * (1 + 6) and net.q.tolist() == [1.0, 6.0]


def test_a_bprop_that_gives_a_number_for_a_tensor() -> None:
    class Scaled(nn.Cell):
        def construct(self, x: Any, n: Any) -> Any:
            return x * n

        def bprop(self, x: Any, n: Any, out: Any, dout: Any) -> Any:
            return dout * n, 0

    assert [float(item) for item in ops.grad(Scaled(), (0, 1))(Tensor([2.0]), Tensor([5.0]))] == [5.0, 0.0]


# --- Tensors that are made of Tensors; the numbers are real MindSpore 2.10's in PYNATIVE_MODE --------------------------


def _written(x: Any) -> Any:
    made = x * 2
    again = Tensor(made)
    again[0] = 100.0
    return again * made


_OF_TENSORS: list[tuple[Any, list[float]]] = [
    (lambda x: Tensor(x) * x, [2.0, 4.0, 6.0]),
    (lambda x: Tensor(x * 2) * x, [4.0, 8.0, 12.0]),
    (lambda x: Tensor(x * 2, ms.float32) * x, [4.0, 8.0, 12.0]),
    (lambda x: Tensor(x * 2, ms.float16).astype(ms.float32) * x, [4.0, 8.0, 12.0]),
    (lambda x: ms.tensor(x * 2, dtype=ms.float64) * x, [4.0, 8.0, 12.0]),
    (lambda x: Tensor(input_data=x * 2, const_arg=True) * x, [4.0, 8.0, 12.0]),
    (lambda x: copy.deepcopy(x * 2) * x, [4.0, 8.0, 12.0]),
    (_written, [200.0, 16.0, 24.0]),
    (lambda x: Tensor(Parameter(x * 2, name="p")) * x, [2.0, 4.0, 6.0]),
    (lambda x: Parameter(x * 2, name="p") * x, [2.0, 4.0, 6.0]),
    (lambda x: Tensor((x * 2).asnumpy()) * x, [2.0, 4.0, 6.0]),
]


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
@pytest.mark.parametrize("function, expected", _OF_TENSORS)
def test_a_tensor_of_a_tensor_has_its_derivative(function: Any, expected: list[float], mode: int) -> None:
    context.set_context(mode=mode)
    x = Tensor([1.0, 2.0, 3.0])
    assert ops.grad(lambda x: function(x).sum())(x).asnumpy().tolist() == expected


@pytest.mark.parametrize("mode", MODES, ids=["graph", "pynative"])
def test_a_tensor_of_a_parameter_is_constant(mode: int) -> None:
    context.set_context(mode=mode)
    w, x = Parameter(Tensor([2.0, 3.0]), name="w"), Tensor([1.0, 2.0])
    assert ops.grad(lambda x: (Tensor(w) * x).sum(), None, w)(x).asnumpy().tolist() == [0.0, 0.0]
    assert ops.grad(lambda x: (Tensor(w * 1) * x).sum(), None, w)(x).asnumpy().tolist() == [1.0, 2.0]


def test_higher_and_forward_derivatives_of_a_tensor_of_a_tensor() -> None:
    x = Tensor([1.0, 2.0, 3.0])
    cube = lambda x: Tensor(x * x) * x
    slope = ops.grad(lambda x: cube(x).sum())
    assert ops.grad(lambda x: slope(x).sum())(x).asnumpy().tolist() == [6.0, 12.0, 18.0]
    assert jvp(cube, x, x)[1].asnumpy().tolist() == [3.0, 24.0, 81.0]
    assert jacrev(cube)(x).asnumpy().diagonal().tolist() == [3.0, 12.0, 27.0]
    assert ops.vmap(cube)(x).asnumpy().tolist() == [1.0, 8.0, 27.0]


def test_a_tensor_of_what_a_network_gave_holds_no_graph() -> None:
    net = nn.Dense(2, 2).set_train()
    assert Tensor(net(Tensor([[1.0, 2.0]]))).grad_fn is None


# --- a forward that writes to what it is differentiated by -------------------------------------------------------------


def _writes(x: Any) -> Any:
    x[0, 0] = 5.0
    return x * x


def _writes_to_a_view(x: Any) -> Any:
    flat = x.view(3)
    flat[0] = flat[1] * 2
    return flat * flat


def _writes_to_an_element(x: Any) -> Any:
    row = x[0]
    row[0] = row[1] * 2
    return row * row


@pytest.mark.parametrize("function", [_writes, _writes_to_a_view, _writes_to_an_element])
def test_what_has_a_history_is_not_changed_unseen(function: Any) -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    x = nn.Dense(3, 3).set_train()(Tensor([[1.0, 2.0, 3.0]]))
    with pytest.raises(RuntimeError, match="inplace"):
        ops.grad(lambda x: function(x).sum())(x)
    with pytest.raises(RuntimeError, match="inplace"):
        ops.grad(lambda x: ops.grad(lambda x: function(x).sum())(x * 2).sum())(Tensor([[1.0, 2.0, 3.0]]))


def test_an_input_that_a_forward_has_written_to_before() -> None:
    context.set_context(mode=context.PYNATIVE_MODE)
    layer, x = nn.Dense(3, 3).set_train(), Tensor([[1.0, 2.0, 3.0]])

    def function(x: Any) -> Any:
        rows = x.view(1, 3)
        rows[0] = layer(rows)[0]
        return (rows * rows).sum()

    function(x)
    with pytest.raises(RuntimeError, match="inplace"):
        ops.grad(function)(x)
