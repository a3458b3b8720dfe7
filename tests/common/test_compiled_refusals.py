"""What upstream's compiler refuses, though Python could run it: real MindSpore refused each of these programs."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


@pytest.fixture(autouse=True)
def _pynative():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def twice(gradient):
    return gradient * 2


class Hooked(nn.Cell):
    def __init__(self, both):
        super().__init__()
        self.both = both

    def construct(self, x):
        y = x * 2
        y.register_hook(twice)
        z = y if self.both else y * 1
        z.register_hook(twice)
        return z * 3


class Renaming(nn.Cell):
    def __init__(self):
        super().__init__()
        self.x = Parameter(Tensor([1.0]), name="x")

    def construct(self):
        self.x.name = "y"
        return self.x


@ms.jit
def first(pair, y):
    return 2 * pair[0] + y


def of_text(x, y):
    return first((x * 3, None), y)


def of_numbers(x, y):
    return first((x * 3, 1), y)


def of_inputs(x, y):
    return first((x, "a"), y)


class Owner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.param = Parameter(Tensor(2.0), name="same")

    @ms.jit
    def product(self, x, y):
        return self.param * x * y

    def construct(self, y):
        return self.product(self.param, y)


def added(index, x):
    return x * x + index


class Looped(nn.Cell):
    def __init__(self, unroll):
        super().__init__()
        self.loop, self.unroll = ops.ForiLoop(), unroll

    def construct(self, x):
        return self.loop(0, 2, added, x, self.unroll)


def second_derivative(unroll):
    return ms.jit(lambda x: ops.grad(ops.grad(Looped(unroll)))(x))(Tensor([1.0]))


def test_a_second_hook_of_an_intermediate_value():
    x = Tensor([1.0])
    assert ops.grad(Hooked(True))(x) == 24
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ops.grad(Hooked(False))(x) == 24
    with pytest.raises(RuntimeError, match="not supported to register multiple hooks"):
        ops.grad(Hooked(True))(x)


def test_a_parameter_named_in_compiled_code():
    assert Renaming()().name == "y"
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(ValueError, match="Do not support to set attribute for a parameter"):
        Renaming()()


def test_a_derivative_through_a_tuple_that_is_not_mutable():
    x, y = Tensor([1.0, 2.0]), Tensor([1.0, 1.0])
    assert of_text(x, y).asnumpy().tolist() == [7.0, 13.0]
    assert ops.grad(of_numbers)(x, y).asnumpy().tolist() == [6.0, 6.0]
    assert ops.grad(of_inputs)(x, y).asnumpy().tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="contains tensor with gradient but can not mutable"):
        ops.grad(of_text)(x, y)
    with pytest.raises(RuntimeError, match="contains tensor with gradient but can not mutable"):
        ops.grad(of_text)(Tensor([1, 2]), Tensor([1, 1]))


def test_a_computed_tensor_in_a_tuple_without_differentiation():
    net = nn.Dense(2, 2)
    found = first((net(Tensor([[1.0, 2.0]])), None), Tensor(1.0))
    assert found.shape == (1, 2)


def test_a_parameter_beside_another_of_its_name():
    net = Owner()
    assert net(Tensor(3.0)) == 12
    assert net(Parameter(Tensor(3.0), name="other")) == 12
    with pytest.raises(ValueError, match="its name 'same' already exists"):
        net(Parameter(Tensor(3.0), name="same"))


def test_higher_derivatives_of_a_loop_that_is_not_unrolled():
    assert second_derivative(True) == 12
    assert ops.grad(Looped(False))(Tensor([1.0])) == 4
    with pytest.raises(RuntimeError, match="unroll set as false is not allow do higher order grad"):
        second_derivative(False)
