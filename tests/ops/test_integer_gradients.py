"""Gradients by integer inputs: real MindSpore 2.10 computes them, in the integers' dtype. They were zeros here once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

INTEGERS = [ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8]

#: name -> (function, gradient at [1, 2, 3] on real MindSpore)
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "square": (lambda x: x * x, [2, 4, 6]),
    "float factor": (lambda x: x * 2.5, [2, 2, 2]),
    "sum": (lambda x: x.sum(), [1, 1, 1]),
    "part": (lambda x: x[1:], [0, 1, 1]),
    "cast": (lambda x: x.astype(ms.float32) * 3, [3, 3, 3]),
    "reshaped": (lambda x: (x.reshape(3, 1) * x).sum(), [12, 12, 12]),
    "stacked": (lambda x: ops.stack([x, x * x]).sum(), [3, 5, 7]),
    "concatenated": (lambda x: ops.concat((x, 2 * x)), [3, 3, 3]),
    "cubed": (lambda x: ops.pow(x, 3), [3, 12, 27]),
    "compared": (lambda x: ops.select(x > 1, x * x, x), [1, 4, 6]),
    "greatest": (lambda x: x.max(), [0, 0, 1]),
    "as an index": (lambda x: ops.gather(Tensor([1.0, 2.0, 3.0, 4.0]), x, 0), [0, 0, 0]),
    "class": (lambda x: ops.one_hot(x, 4, Tensor(1.0), Tensor(0.0)).sum(), [0, 0, 0]),
}


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in FUNCTIONS
        for dtype in (INTEGERS[2:4] if name in ("as an index", "class") else INTEGERS)  # indices: int32 or int64
    ],
    ids=str,
)
def test_gradient_by_integers(name: str, dtype: Any, mode: int) -> None:
    ms.set_context(mode=mode)
    function, expected = FUNCTIONS[name]
    x = Tensor([1, 2, 3]).astype(dtype)
    for found in (ops.grad(function)(x), ops.GradOperation()(function)(x), ms.value_and_grad(function)(x)[1]):
        assert found.dtype == dtype and found.asnumpy().tolist() == expected


def test_the_function_still_computes_with_integers() -> None:
    def function(x):
        halves = x // 2
        assert x.dtype == ms.int32 and halves.dtype == ms.int32
        return halves * x

    value, gradient = ms.value_and_grad(function)(Tensor([3, 5], ms.int32))
    assert value.dtype == ms.int32 and value.asnumpy().tolist() == [3, 10]
    assert gradient.asnumpy().tolist() == [1, 2]  # by the factor; a floor has no slope


def test_floats_beside_integers_keep_their_gradients() -> None:
    w = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
    x, y = Tensor([1, 2, 3], ms.int32), Tensor([4.0, 5.0, 6.0])
    (of_x, of_y), of_w = ops.value_and_grad(lambda x, y: (x * y * w).sum(), (0, 1), [w])(x, y)[1]
    assert of_x.asnumpy().tolist() == [4, 10, 18]
    assert of_y.asnumpy().tolist() == [1, 4, 9] and of_w[0].asnumpy().tolist() == [4, 10, 18]


def test_a_second_derivative() -> None:
    second = ops.grad(ops.grad(lambda x: x * x * x))
    assert second(Tensor([1, 2, 3], ms.int32)).asnumpy().tolist() == [6, 12, 18]


def test_sens_and_several_outputs() -> None:
    gradient = ops.GradOperation(sens_param=True)(lambda x: (x * x, x * 1.5))
    found = gradient(Tensor([1, 2], ms.int32), (Tensor([10, 1], ms.int32), Tensor([2.0, 4.0])))
    assert found.asnumpy().tolist() == [23, 10]


def test_a_network_with_labels_gives_its_weights_the_same_gradients() -> None:
    """get_all asks for the gradients of ids, too, which have none."""
    ms.set_seed(0)
    embedding, dense = nn.Embedding(10, 4), nn.Dense(4, 3)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.dense, self.loss = embedding, dense, loss

        def construct(self, ids, labels):
            return self.loss(self.dense(self.embedding(ids)), labels)

    net = Net()
    ids, labels = Tensor([1, 2, 3], ms.int32), Tensor([0, 1, 2], ms.int32)
    weights = net.trainable_params()
    alone = ops.GradOperation(get_by_list=True)(net, weights)(ids, labels)
    of_inputs, together = ops.GradOperation(get_all=True, get_by_list=True)(net, weights)(ids, labels)
    for one, other in zip(alone, together):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    assert all(not gradient.asnumpy().any() and gradient.dtype == ms.int32 for gradient in of_inputs)


def test_what_is_written_to() -> None:
    def into_integers(x):
        y = x * 2
        y[0] = 7
        y[1] = x[0] * x[0]
        return (y * x).sum()

    assert ops.grad(into_integers)(Tensor([3, 5, 4], ms.int32)).asnumpy().tolist() == [7 + 30, 9, 16]

    def into_floats(x):
        y = ops.zeros((3,), ms.float32)
        y[1] = x[0] * x[0]
        return (y * 2).sum()

    assert ops.grad(into_floats)(Tensor([3, 5, 4], ms.int32)).asnumpy().tolist() == [12, 0, 0]


def test_random_numbers_are_drawn_once() -> None:
    ms.set_seed(3)
    ops.grad(lambda x: (ops.standard_normal((2,)) * x).sum())(Tensor([1, 2], ms.int32))
    after = ops.standard_normal((2,)).asnumpy()
    ms.set_seed(3)
    ops.standard_normal((2,))
    np.testing.assert_array_equal(after, ops.standard_normal((2,)).asnumpy())


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=5), st.sampled_from(INTEGERS[2:4]))
def test_polynomials_have_their_derivatives(values: list[int], dtype: Any) -> None:
    x = Tensor(values, dtype)
    found = ops.grad(lambda x: 3 * x * x * x - x * x + 7 * x - 2)(x)
    assert found.asnumpy().tolist() == [9 * v * v - 2 * v + 7 for v in values]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_by_integer_parameters_and_what_stands_beside_them(dtype: Any) -> None:
    """As real MindSpore gives them; an index of the same dtype as the numbers is no number."""
    x = Parameter(Tensor([[1, 2], [3, 4]], dtype), name="x")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.x = x

        def construct(self, index, y):
            return ops.index_add(self.x, index, y, 1)

    net, index, y = Net(), Tensor([1], ms.int32), Tensor([[5], [6]], dtype)
    sens = Tensor([[1, 2], [3, 4]], dtype)
    (of_index, of_y), of_x = ops.GradOperation(True, True, True)(net, [x])(index, y, sens)
    assert of_index.asnumpy().tolist() == [0] and of_index.dtype == ms.int32
    assert of_y.asnumpy().tolist() == [[2], [4]] and of_y.dtype == dtype
    assert of_x[0].asnumpy().tolist() == [[1, 2], [3, 4]] and of_x[0].dtype == dtype
    alone = ops.GradOperation(sens_param=True)(lambda y: net(index, y))(y, sens)
    assert alone.asnumpy().tolist() == [[2], [4]]


@pytest.mark.parametrize("operator", [ops.gcd, ops.lcm])
def test_what_has_no_gradient_is_refused(operator: Any) -> None:
    x, y = Tensor([4, 6], ms.int32), Tensor([6, 9], ms.int32)
    with pytest.raises(RuntimeError, match="bprop not defined"):
        ops.grad(operator, (0, 1))(x, y)
    beside = ops.grad(lambda w: (w * operator(x, y)).sum())(Tensor([1.0, 1.0]))
    assert beside.asnumpy().tolist() == operator(x, y).asnumpy().tolist()


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64])
def test_an_operator_that_is_told_a_dtype_of_integers(dtype: Any) -> None:
    x = Tensor([[1, 2, 3], [4, 5, 6]], dtype)
    for function, expected in (
        (lambda x: ops.cumsum(x, 1), [[3, 2, 1]] * 2),
        (lambda x: ops.CumSum()(x, 0) * 2, [[4] * 3, [2] * 3]),
        (lambda x: ops.cumprod(x, 1), [[9, 4, 2], [36, 28, 20]]),
        (lambda x: ops.sum(x, dtype=ms.int64) * 3, [[3] * 3] * 2),
        (lambda x: ops.prod(x.astype(ms.int64), 1), [[6, 3, 2], [30, 24, 20]]),
    ):
        found = ops.grad(function)(x)
        assert found.dtype == dtype and found.asnumpy().tolist() == expected


def test_through_a_sum_of_another_integer_dtype() -> None:
    x = Tensor([[1, 2], [3, 4]], ms.int8)
    found = ops.grad(lambda x: ops.auto_generate.sum_ext(x * x, 0, False, dtype=ms.int32))(x)
    assert found.asnumpy().tolist() == [[2, 4], [6, 8]] and found.dtype == ms.int8


def _product(x: Any, y: Any) -> Any:
    return x * y


@pytest.mark.parametrize(
    ("function", "inputs", "along", "expected"),
    [
        (_product, ([1, 1], [2, 2]), ([1, 1], [2, 2]), [4, 4]),
        (_product, ([1.0, 1.0], [2, 2]), ([1.0, 1.0], [2, 2]), [4.0, 4.0]),
        (lambda x: x * 0.5, ([2, 2],), ([1, 1],), [0.5, 0.5]),
        (lambda x: (x * x, x * 2.0), ([3, 1],), ([1, 2],), ([6, 4], [2.0, 4.0])),
    ],
)
def test_the_derivative_along_integers(function: Any, inputs: Any, along: Any, expected: Any) -> None:
    """As real MindSpore 2.10's; for a time it was 0."""
    points, directions = (tuple(Tensor(item) for item in items) for items in (inputs, along))
    outputs, found = ms.jvp(function, points, directions)
    for item, output, wanted in zip(*((x,) if isinstance(x, Tensor) else x for x in (found, outputs)), _each(expected)):
        assert isinstance(item, Tensor) and item.dtype == output.dtype and item.asnumpy().tolist() == wanted
    rows = ops.vmap(lambda *items: ms.jvp(function, items[: len(points)], items[len(points) :])[1])
    again = rows(*[ops.stack((item, item)) for item in (*points, *directions)])
    for item, wanted in zip(again if isinstance(again, tuple) else (again,), _each(expected)):
        assert item.asnumpy().tolist() == [wanted, wanted]


def _each(expected: Any) -> Any:
    return expected if isinstance(expected, tuple) else (expected,)


def test_jacobians_of_integers_are_refused() -> None:
    x = Tensor([2, 3])
    for make, function in ((ms.jacrev, lambda x: x * x), (ms.jacfwd, lambda x: x * x), (ms.jacfwd, lambda x: x * 0.5)):
        with pytest.raises(TypeError, match="float dtype"):
            make(function)(x)
    assert ms.jacrev(lambda x: x * 1.5)(x).asnumpy().tolist() == [[1, 0], [0, 1]]  # in the input's dtype, cut
