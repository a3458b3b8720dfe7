"""Which Parameters compiled code gives to the program as they are: each case's kind is real MindSpore's."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


class Holder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0, 2.0]), name="p")
        self.q = Parameter(Tensor([3.0, 4.0]), name="q")


class Given(Holder):
    def construct(self, x):
        return self.p


class Unused(Holder):
    def construct(self, x):
        self.p - x
        return self.p


class ByMode(Holder):
    def construct(self, x):
        if self.training:
            return self.p
        return self.q


class Written(Holder):
    def construct(self, x):
        ops.assign(self.p, x)
        return self.p


class OtherWritten(Holder):
    def construct(self, x):
        ops.assign(self.q, x)
        return self.p


class Added(Holder):
    def construct(self, x):
        self.q += x
        return self.p


class Set(Holder):
    def construct(self, x):
        self.p = x
        return self.p


class Value(Holder):
    def construct(self, x):
        return self.p.value()


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize(("cell", "name"), [(Given, "p"), (Unused, "p"), (ByMode, "q")])
def test_the_parameter_itself_where_nothing_is_written(cell, name):
    net = cell()
    for _ in range(2):
        assert net(Tensor([5.0, 6.0])) is getattr(net, name)


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("cell", [Written, OtherWritten, Added, Set, Value])
def test_a_tensor_of_its_own_where_something_is_written(cell):
    net = cell()
    for _ in range(2):
        given = net(Tensor([5.0, 6.0]))
        assert type(given) is Tensor
        before = given.asnumpy().copy()
        net.p.set_data(Tensor([7.0, 8.0]))
        assert given.asnumpy().tolist() == before.tolist()


def test_functions_under_jit_alike():
    net = Holder()

    @ms.jit
    def given(x):
        return net.p

    @ms.jit
    def written(x):
        ops.assign(net.q, x)
        return net.p

    assert given(Tensor([5.0, 6.0])) is net.p
    assert type(written(Tensor([5.0, 6.0]))) is Tensor
