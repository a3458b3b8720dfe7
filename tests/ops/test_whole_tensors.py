"""In PYNATIVE_MODE the derivative is by a Tensor as a whole, however often it is given; numbers of real MindSpore."""

import threading

import numpy as np
import pytest
import torch

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.GRAPH_MODE)


def floats(*values):
    return Tensor(list(values), ms.float32)


def numbers(value):
    if isinstance(value, (tuple, list)):
        return tuple(numbers(item) for item in value)
    return value.asnumpy().tolist() if isinstance(value, torch.Tensor) else value


def product(x, y):
    return (x * y * y).sum()


X = (1.0, 2.0)
WHOLE, PLACES = ([3.0, 12.0], [3.0, 12.0]), ([1.0, 4.0], [2.0, 8.0])


def expected(mode, whole, places):
    return whole if mode == ms.PYNATIVE_MODE else places


def test_one_tensor_at_two_places(mode):
    x = floats(*X)
    want = expected(mode, WHOLE, PLACES)
    assert numbers(ms.grad(product, (0, 1))(x, x)) == want
    assert numbers(ms.grad(product, 0)(x, x)) == want[0]
    assert numbers(ms.grad(product, 1)(x, x)) == want[1]
    assert numbers(ms.grad(product, (0, 1))(x, y=x)) == want
    assert numbers(ms.value_and_grad(product, (0, 1))(x, x)[1]) == want
    assert numbers(ops.GradOperation(get_all=True)(product)(x, x)) == want
    assert numbers(ms.vjp(product, x, x)[1](Tensor(1.0, ms.float32))) == want
    assert not x.requires_grad
    assert numbers(ms.grad(product, (0, 1))(x, floats(*X))) == PLACES
    assert numbers(ms.grad(product, (0, 1))(x, x[:])) == PLACES


def test_compiled_code_and_jacobians_have_places():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = floats(*X)
    assert numbers(ms.jit(lambda a, b: ms.grad(product, (0, 1))(a, b))(x, x)) == PLACES
    assert numbers(ms.grad(ms.jit(product), (0, 1))(x, x)) == WHOLE
    assert numbers(ms.jacrev(product, (0, 1))(x, x)) == PLACES
    assert numbers(ms.jvp(product, (x, x), (x, x))[1]) == 27.0  # 1·1 + 2·4 + 1·2 + 2·8
    ms.set_context(mode=ms.GRAPH_MODE)


def test_integers(mode):
    x = Tensor([1, 2], ms.int32)
    assert numbers(ms.grad(product, (0, 1))(x, x)) == expected(mode, ([3, 12], [3, 12]), ([1, 4], [2, 8]))


def test_containers(mode):
    x = floats(*X)

    def of_list(pair, z):
        return (pair[0] * pair[1] * z).sum()

    # upstream gives no gradients of lists here: 2x² and x²
    assert numbers(ms.grad(of_list, (0, 1))([x, x], x)) == expected(mode, [3.0, 12.0], [1.0, 4.0])


class Holder(nn.Cell):
    def __init__(self, x):
        super().__init__()
        self.w = Parameter(floats(2.0, 1.0), name="w")
        self.x = x

    def construct(self, a):
        return (a * self.x * self.w).sum()


def test_attributes_and_globals(mode):
    x = floats(*X)
    assert numbers(ms.grad(Holder(x))(x)) == expected(mode, [4.0, 4.0], [2.0, 2.0])
    assert numbers(ms.grad(lambda a: (a * x * x).sum())(x)) == expected(mode, [3.0, 12.0], [1.0, 4.0])
    assert numbers(ms.grad(lambda a: x * 2)(x)) == expected(mode, [2.0, 2.0], [0.0, 0.0])


def test_parameters_as_inputs(mode):
    net = Holder(floats(1.0, 1.0))
    whole = ([4.0, 2.0], ([4.0, 2.0],))
    found = numbers(ms.grad(net, 0, net.trainable_params())(net.w))
    assert found == expected(mode, whole, ([2.0, 1.0], ([2.0, 1.0],)))


def test_a_frozen_parameter_has_no_gradient():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    frozen = Parameter(floats(3.0, 4.0), name="p", requires_grad=False)
    assert numbers(ms.grad(lambda a: (a * frozen).sum())(frozen)) == [0.0, 0.0]
    assert not frozen.requires_grad
    ms.set_context(mode=ms.GRAPH_MODE)


def test_derivatives_compose(mode):
    x = floats(*X)

    def cube(a):
        return (a * x * a).sum()

    def sum_of_gradient(a):
        return ms.grad(cube)(a).sum()

    def with_product(a, b):
        return (ms.grad(cube)(a) * b).sum()

    assert numbers(ms.grad(sum_of_gradient)(x)) == expected(mode, [6.0, 12.0], [2.0, 4.0])
    whole = [9.0, 36.0]  # 3x³
    assert numbers(ms.grad(with_product, (0, 1))(x, x)) == expected(mode, (whole, whole), ([2.0, 8.0], [2.0, 8.0]))


def test_what_was_computed_before_is_no_further_followed():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(2, 2, "ones", "zeros")
    net.set_grad()
    out = net(floats(*X).reshape(1, 2))
    by_out, by_weights = ms.grad(lambda a: (a * out).sum(), 0, net.trainable_params())(out)
    assert numbers(by_out) == [[6.0, 6.0]]
    assert numbers(by_weights) == ([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0])
    assert numbers(ms.grad(lambda a: (a * out).sum(), None, net.trainable_params())(out)) == (
        [[6.0, 12.0], [6.0, 12.0]],
        [6.0, 6.0],
    )
    ms.set_context(mode=ms.GRAPH_MODE)


def test_kept_forwards():
    ms.set_context(mode=ms.PYNATIVE_MODE)

    class Net(nn.Cell):
        def construct(self, a, b):
            return a * 2 + b * b

    net, x = Net(), floats(*X)
    net.set_grad()
    net(x, x)
    assert numbers(ops.GradOperation(get_all=True)(net)(x, x)) == ([4.0, 6.0], [4.0, 6.0])
    assert not x.requires_grad
    ms.set_context(mode=ms.GRAPH_MODE)


def test_a_hook_sees_the_whole_once():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x, seen = floats(*X), []
    x.register_hook(lambda gradient: (seen.append(numbers(gradient)), gradient * 2)[1])
    for _ in range(2):
        assert numbers(ms.grad(product, (0, 1))(x, x)) == ([6.0, 24.0], [6.0, 24.0])
    assert seen == [[3.0, 12.0]] * 2
    ms.set_context(mode=ms.GRAPH_MODE)


def test_errors_leave_no_trace(mode):
    x = floats(*X)

    def fails(a):
        raise KeyError("no")

    with pytest.raises(KeyError):
        ms.grad(fails)(x)
    assert not x.requires_grad
    x += 1  # a leaf that requires a gradient would refuse
    np.testing.assert_array_equal(x.asnumpy(), [2.0, 3.0])


def test_recomputed_blocks(mode):
    x = floats(*X)
    block = Holder(x)
    plain = numbers(ms.grad(block)(x))
    block.recompute()
    assert numbers(ms.grad(block)(x)) == plain
    assert numbers(ms.grad(lambda a: ms.grad(block)(a).sum())(x)) == expected(mode, [4.0, 2.0], [0.0, 0.0])


def doubling_hook(x):
    seen = []
    x.register_hook(lambda gradient: (seen.append(numbers(gradient)), gradient * 2)[1])
    return seen


def test_a_hook_sees_every_use_of_a_tensor():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        x = floats(1, 2, 3)
        seen = doubling_hook(x)
        assert numbers(ms.grad(lambda a: a * a * x)(x)) == [6, 24, 54]
        assert numbers(ms.grad(lambda a, items: a * items[0])(x, [x])) == [4, 8, 12]
        assert numbers(ms.grad(lambda a: a * 2)(floats(1))) == [2]
        assert seen == [[3, 12, 27], [2, 4, 6]]
        assert not x.requires_grad
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def test_derivatives_go_through_what_a_hook_returns():
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def inside(a):
        squares = a * a
        squares.register_hook(lambda gradient: gradient * 2)
        return (squares * a).sum()

    try:
        assert numbers(ms.grad(lambda a: ms.grad(inside)(a).sum())(floats(1, 2, 3))) == [12, 24, 36]
        x = floats(1, 2, 3)
        seen = doubling_hook(x)
        assert numbers(ms.grad(lambda a: ms.grad(lambda b: (b * b * x).sum())(a).sum())(x)) == [24, 48, 72]
        assert seen == [[3, 12, 27], [12, 24, 36]]
    finally:
        ms.set_context(mode=ms.GRAPH_MODE)


def test_threads_share_a_tensor():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x, found = floats(1, 2, 3), []

    def work():
        found.extend([numbers(ms.grad(lambda a, b: a * b * x, (0, 1))(x, x)[0]) for _ in range(50)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ms.set_context(mode=ms.GRAPH_MODE)
    assert found == [[3, 12, 27]] * 200
    assert not x.requires_grad
