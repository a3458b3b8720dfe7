"""A Cell in 16 bits (`Cell.to_float`) and the float32 Tensors that it meets: as real MindSpore answered to
tests/answers/halves.py, and what that cannot show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["pynative", "graph"])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Masked(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.mask = Tensor(np.array([0.0, -1e-3], np.float32))
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.fails = False

    def construct(self, x: Any) -> Any:
        if self.fails:
            raise ValueError("told to fail")
        return x * self.w + self.mask


X = [1.0, 2.0]


def test_its_own_float32_tensor_does_not_widen_the_result(mode: int) -> None:
    net = Masked().to_float(ms.float16)
    result = net(Tensor(X))
    assert result.dtype == ms.float16
    np.testing.assert_array_equal(result.asnumpy(), np.array([2, 6 - 1e-3], np.float16))


def test_its_own_tensor_stays_what_it_is(mode: int) -> None:
    net = Masked().to_float(ms.float16)
    mask = net.mask
    net(Tensor(X))
    assert net.mask is mask and mask.dtype == ms.float32


def test_nothing_stays_cast_after_an_error(mode: int) -> None:
    net = Masked().to_float(ms.float16)
    mask, net.fails = net.mask, True
    with pytest.raises(ValueError, match="told to fail"):
        net(Tensor(X))
    assert net.mask is mask and (mask * 0.1).dtype == ms.float32


def test_gradients_are_of_the_types_of_what_they_are_by(mode: int) -> None:
    net = Masked().to_float(ms.float16)
    by_x, by_w = ops.grad(lambda x: net(x).sum(), 0, net.trainable_params())(Tensor(X))
    assert by_x.dtype == ms.float32 and by_w[0].dtype == ms.float32
    np.testing.assert_array_equal(by_x.asnumpy(), [2, 3])
    np.testing.assert_array_equal(by_w[0].asnumpy(), X)


def test_recomputation_casts_as_the_forward_did(mode: int) -> None:
    nets = [Masked().to_float(ms.float16), Masked().to_float(ms.float16)]
    nets[1].recompute()
    gradients = [ops.grad(lambda x, net=net: ops.square(net(x)).sum())(Tensor(X)).asnumpy() for net in nets]
    np.testing.assert_array_equal(*gradients)


def test_training_in_16_bits_moves_the_float32_parameter(mode: int) -> None:
    net = Masked().to_float(ms.float16)
    loss = nn.MSELoss()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.SGD(net.trainable_params(), 0.125))
    for _ in range(3):
        step(Tensor(X), Tensor(np.array([1.0, 1.0], np.float32)).astype(ms.float16))
    assert net.w.dtype == ms.float32
    np.testing.assert_allclose(net.w.asnumpy(), [1.669921875, 0.8129375], rtol=2e-3)  # in float64


def test_what_a_layer_keeps_is_written(mode: int) -> None:
    class Normed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(2)
            self.shift = Tensor([1.0, 2.0])

        def construct(self, x: Any) -> Any:
            return self.norm(x) + self.shift

    net = Normed().to_float(ms.float16).set_train()
    result = net(Tensor([[1.0, 2.0], [3.0, 6.0]]))
    assert result.dtype == ms.float16 and net.norm.moving_mean.dtype == ms.float32
    np.testing.assert_allclose(net.norm.moving_mean.asnumpy(), [0.2, 0.4], rtol=1e-3)


def test_only_pynative_casts_what_operators_are_given(mode: int) -> None:
    class Inside(nn.Cell):
        def construct(self, x: Any) -> Any:
            return ops.exp(x.astype(ms.float32)), x.astype(ms.float32) @ x.astype(ms.float32)

    expected = ms.float16 if mode == ms.PYNATIVE_MODE else ms.float32
    assert [item.dtype for item in Inside().to_float(ms.float16)(Tensor(X))] == [expected] * 2


def test_jit_within_such_a_cell_is_compiled() -> None:
    @ms.jit
    def compiled(x: Any) -> Any:
        return x.astype(ms.float32) / 3

    class Inside(nn.Cell):
        def construct(self, x: Any) -> Any:
            return compiled(x)

    assert Inside().to_float(ms.float16)(Tensor(X)).dtype == ms.float32


class Many(nn.Cell):
    """Products of a ParameterTuple's elements, and their gradients from inside of the Cell."""

    def __init__(self) -> None:
        super().__init__()
        named = {"b": 1.2345, "c": 3.0}
        self.many = ms.ParameterTuple([Parameter(np.full(2, value, np.float32), name) for name, value in named.items()])
        self.grad = ops.GradOperation(get_by_list=True)

    def values(self):
        return self.many

    def product(self, x):
        return ops.reduce_sum(x * self.many[0] * self.many[1])

    def construct(self, x):
        return self.product(x), self.grad(self.product, self.many)(x)


class ReadsMany(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Many()

    def construct(self, x):
        first = ops.reduce_mean(self.inner.many[0])
        return first, sum(ops.exp(ops.reduce_mean(item)) for item in self.inner.values()), self.inner(x)


def test_elements_of_a_parameter_tuple_are_read_in_16_bits(mode: int) -> None:
    net = ReadsMany().to_float(ms.float16)
    first, both, (product, gradients) = net(Tensor([1.0, 2.0]))
    assert [item.dtype for item in (first, both, product)] == [ms.float16] * 3
    assert [float(item) for item in (first, both)] == [1.234375, 23.515625]
    assert [item.dtype for item in gradients] == [ms.float32] * 2  # those of the Parameters
    assert [item.asnumpy().tolist() for item in gradients] == [[3.0, 6.0], [1.234375, 2.46875]]
    assert [item.dtype for item in net.inner.many] == [ms.float32] * 2


#: operators of (x, weight): MindSpore 2.10 computes each in float16 in PYNATIVE_MODE
IN_THE_CELLS_TYPE: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]] = {
    "MatMul": (lambda x, w: ops.MatMul(transpose_b=True)(x, w), (3, 4), (5, 4)),
    "MatMul, first": (lambda x, w: ops.MatMul(transpose_a=True)(x, w), (4, 3), (4, 5)),
    "BatchMatMul": (lambda x, w: ops.BatchMatMul(transpose_b=True)(x, w), (2, 3, 4), (2, 5, 4)),
    "BiasAdd": (lambda x, w: ops.BiasAdd()(x, w), (2, 3, 4, 4), (3,)),
    "tensor_dot": (lambda x, w: ops.tensor_dot(x, w, 1), (2, 3), (3, 4)),
    "outer": (lambda x, w: ops.outer(x, w), (3,), (4,)),
    "norm": (lambda x, w: ops.norm(w), (1,), (3, 4)),
    "ReduceSum": (lambda x, w: ops.ReduceSum()(w), (1,), (3, 4)),
    "ReduceProd": (lambda x, w: ops.ReduceProd()(w), (1,), (3, 4)),
    "CumSum": (lambda x, w: ops.CumSum()(w, 0), (1,), (3, 4)),
    "CumProd": (lambda x, w: ops.CumProd()(w, 0), (1,), (3, 4)),
    "UnsortedSegmentSum": (lambda x, w: ops.UnsortedSegmentSum()(w, Tensor([0, 1, 0]), 2), (1,), (3, 4)),
    "ScatterNd": (lambda x, w: ops.ScatterNd()(Tensor([[0], [1], [2]]), w, (5, 4)), (1,), (3, 4)),
    "GatherNd": (lambda x, w: ops.GatherNd()(w, Tensor([[0, 1], [2, 3]])), (1,), (3, 4)),
    "SpaceToDepth": (lambda x, w: ops.SpaceToDepth(2)(w), (1,), (1, 1, 4, 4)),
    "DepthToSpace": (lambda x, w: ops.DepthToSpace(2)(w), (1,), (1, 4, 2, 2)),
    "unfold": (lambda x, w: ops.unfold(w, 2), (1,), (1, 1, 3, 3)),
    "ResizeBilinearV2": (lambda x, w: ops.ResizeBilinearV2()(w, (2, 2)), (1,), (1, 1, 3, 3)),
    "numpy.matmul": (lambda x, w: ms.numpy.matmul(x, w.T), (3, 4), (3, 4)),
    "numpy.outer": (lambda x, w: ms.numpy.outer(x, w), (3,), (3,)),
}


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
@pytest.mark.parametrize("name", IN_THE_CELLS_TYPE)
def test_operators_that_reshape_first_compute_in_the_cells_type(name: str, dtype: Any) -> None:
    function, of_x, of_w = IN_THE_CELLS_TYPE[name]

    class Layer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.weight = Parameter(ops.ones(of_w, ms.float32), name="weight")

        def construct(self, x: Any) -> Any:
            return function(x.astype(dtype), self.weight)

    layer = Layer().to_float(ms.float16)
    result, (grad,) = ms.value_and_grad(
        lambda x: layer(x), None, ms.ParameterTuple(layer.trainable_params()), has_aux=False
    )(ops.ones(of_x, ms.float32))
    assert result.dtype == ms.float16 and grad.dtype == ms.float32 and grad.shape == of_w


class Writes(nn.Cell):
    """Calls an operator that writes to its first Parameter; they are 1."""

    def __init__(self, operator: Any, *shape: int) -> None:
        super().__init__()
        self.operator, self.count = operator, 3 if "BatchNorm" in type(operator).__name__ else 0
        self.moving = Parameter(ops.ones(shape, ms.float32), name="moving")
        self.weight = Parameter(ops.ones(shape, ms.float32), name="weight")

    def construct(self, *inputs: Any) -> Any:
        if self.count:
            return self.operator(*inputs, self.weight, self.weight, self.moving, self.weight)
        return self.operator(self.moving, *inputs)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
def test_batch_norm_in_16_bits_moves_its_statistics(mode: int, dtype: Any) -> None:
    net = Writes(ops.BatchNorm(is_training=True, momentum=0.5), 2).to_float(ms.float16)
    y, mean, variance, *_ = net(Tensor([[1.0, 5.0], [2.0, 9.0]], dtype))
    assert [item.dtype for item in (y, mean, variance)] == [ms.float16, ms.float32, ms.float32]
    assert (mean.asnumpy().tolist(), variance.asnumpy().tolist()) == ([1.5, 7.0], [0.25, 4.0])
    assert (net.moving.dtype, net.moving.asnumpy().tolist()) == (ms.float32, [1.25, 4.0])


@pytest.mark.parametrize("name", ["ScatterSub", "ScatterNdSub", "ScatterAdd", "IndexAdd", "AssignAdd"])
def test_an_operator_that_writes_returns_the_parameters_own_digits(name: str, mode: int) -> None:
    """A counter above 2,048 would stand still in float16."""
    net = Writes(ops.IndexAdd(0) if name == "IndexAdd" else getattr(ops, name)(), 1).to_float(ms.float16)
    net.moving.set_data(Tensor([2050.0]))
    step = Tensor([-1.0 if "Sub" in name else 1.0])
    places = () if name == "AssignAdd" else (Tensor([[0]] if "Nd" in name else [0], ms.int32),)
    result = net(*places, step)
    assert (result.dtype, result.asnumpy().tolist()) == (ms.float32, [2051.0])
    assert net.moving.asnumpy().tolist() == [2051.0]


@pytest.mark.parametrize("name", ["assign_add", "index_add"])
def test_a_differentiated_write_keeps_the_parameters_own_digits(name: str, mode: int) -> None:
    class Counts(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = Parameter(Tensor([2050.0]), name="count")

        def construct(self, x: Any) -> Any:
            if name == "assign_add":
                return ops.assign_add(self.count, x)
            return ops.index_add(self.count, Tensor([0], ms.int32), x, 0)

    net = Counts().to_float(ms.float16)
    value, gradient = ms.value_and_grad(lambda x: net(x).sum(), 0)(Tensor([1.0]))
    assert net.count.asnumpy().tolist() == [2051.0]
    assert float(value) == 2051.0 and gradient.asnumpy().tolist() == [1.0]
