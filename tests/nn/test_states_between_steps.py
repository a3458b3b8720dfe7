"""What a step gives back and the next one takes, and derivatives behind kept forwards; numbers of real MindSpore."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.GRAPH_MODE)


def numbers(value):
    if isinstance(value, (tuple, list)):
        return tuple(numbers(item) for item in value)
    return value.asnumpy().tolist()


def dense(outputs, prefix):
    layer = nn.Dense(2, outputs, "ones", "zeros")
    layer.update_parameters_name(prefix)
    layer.set_grad()
    return layer


X = Tensor([[1.0, 2.0]], ms.float32)
SECOND = ([[3.0, 3.0]], [1.0])
CONNECTED = ([[1.0, 2.0], [1.0, 2.0]], [1.0, 1.0], *SECOND)
ALONE = ([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0], *SECOND)


class Two(nn.Cell):
    def __init__(self, first, second, weights):
        super().__init__()
        self.first, self.second, self.weights = first, second, weights
        self.gradient = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        y = self.first(x)
        self.second(y)
        return self.gradient(self.second, self.weights)(y)


def test_a_compiled_derivative_is_of_its_function_alone(mode):
    first, second = dense(2, "a."), dense(1, "b.")
    weights = ms.ParameterTuple(first.trainable_params() + second.trainable_params())
    expected = CONNECTED if mode == ms.PYNATIVE_MODE else ALONE
    assert numbers(Two(first, second, weights)(X)) == expected
    y = first(X)
    second(y)
    assert numbers(ops.GradOperation(get_by_list=True)(second, weights)(y)) == expected
    y = first(X)
    assert numbers(ops.GradOperation(get_by_list=True)(second, weights)(y)) == expected


class Carrying(nn.Cell):
    def __init__(self, net, after=None):
        super().__init__()
        self.net, self.after = net, after
        self.weights = ms.ParameterTuple(net.trainable_params())
        self.gradient = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        y = self.net(x)
        found = self.gradient(self.net, self.weights)(x)
        return y if self.after is None else self.after(y), found


@pytest.mark.parametrize("after", [None, lambda y: y * 1.0], ids=["as it is", "computed further"])
def test_a_state_is_a_constant_for_the_next_step(after):
    ms.set_context(mode=ms.GRAPH_MODE)
    step, state, seen = Carrying(dense(2, "n."), after), X, []
    for _ in range(6):
        state, found = step(state)
        seen.append(numbers((state, found)))
    assert seen[:3] == [
        ([[3.0, 3.0]], ([[1.0, 2.0], [1.0, 2.0]], [1.0, 1.0])),
        ([[6.0, 6.0]], ([[3.0, 3.0], [3.0, 3.0]], [1.0, 1.0])),
        ([[12.0, 12.0]], ([[6.0, 6.0], [6.0, 6.0]], [1.0, 1.0])),
    ]
    assert numbers(state) == [[96.0, 96.0]]


def test_torch_goes_through_two_kept_forwards():
    """Where nothing was differentiated yet, what Cells give at top level keeps its graph, in both modes."""
    first, second = dense(2, "a."), dense(1, "b.")
    second(first(X)).sum().backward()
    np.testing.assert_array_equal(first.weight.grad, [[1.0, 2.0], [1.0, 2.0]])


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.dropout = nn.Dense(4, 4, "ones"), nn.Dropout(p=0.5)

    def construct(self, x, state):
        y = self.dropout(x)
        return self.dropout(y + state).sum(), self.dense(y) * 0.1


class Step(nn.Cell):
    def __init__(self, net, rate):
        super().__init__(auto_prefix=False)
        self.net = net
        self.net.set_grad()
        self.optimizer = nn.SGD(net.trainable_params(), rate)
        self.weights = self.optimizer.parameters
        self.gradient = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x, state):
        loss, new = self.net(x, state)
        found = self.gradient(self.net, self.weights)(x, state, (ops.ones_like(loss), ops.ones_like(new)))
        return ops.depend(loss, self.optimizer(found)), new


def test_dropout_goes_on_whatever_the_arguments_come_from():
    """A state with a graph, one Tensor at two places, a copy: the same masks, as one graph of upstream draws them."""
    ms.set_context(mode=ms.GRAPH_MODE)

    def losses(of_state, first):
        ms.set_seed(5)
        step = Step(Recurrent(), 0.01)
        step.set_train()
        x, found = Tensor(np.ones((3, 4)), ms.float32), []
        state = x if first == "same" else Tensor(np.ones((3, 4)), ms.float32)
        for _ in range(6):
            loss, state = step(x, state)
            found.append(float(loss.asnumpy()))
            state = of_state(state)
        return found

    copied = losses(lambda state: Tensor(state.asnumpy()), "other")
    assert len(set(copied)) == len(copied)
    assert losses(lambda state: state, "other") == pytest.approx(copied, rel=1e-6)
    assert losses(lambda state: state, "same") == pytest.approx(copied, rel=1e-6)


class Reused(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(p=0.5)
        self.w = ms.Parameter(Tensor(1.0, ms.float32), name="w")

    def construct(self, x):
        once = self.dropout(x) * self.w
        twice = self.dropout(once) * self.w
        return once.sum(), twice.sum()


@pytest.mark.cpu_only("a GPU draws torch's numbers")
def test_a_kept_forward_of_a_graph_draws_by_place():
    """A layer that a graph calls twice has a kernel at each place, both with one seed."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(3)
    net = Reused()
    net.set_train()
    net.set_grad()
    once, twice = net(Tensor(np.ones((4, 10)), ms.float32))
    assert numbers(twice) == 2 * numbers(once) != 0
