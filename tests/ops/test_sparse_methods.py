"""Members of COOTensor and CSRTensor against dense NumPy arrays; printed lines and gradients as real MindSpore 2.10's
(its CPU has no kernels for the arithmetic of CSRTensors).
"""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import COOTensor, CSRTensor, RowTensor, Tensor, nn, ops

PLACES = Tensor([[0, 1], [1, 2], [0, 1]], ms.int64)
VALUES = Tensor([1.0, -2.0, 3.0], ms.float32)
DENSE = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
_OF = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def coo(values: Any = VALUES) -> COOTensor:
    return COOTensor(PLACES, values, (3, 4))


def csr(values: Any = None) -> CSRTensor:
    values = Tensor([1.0, -2.0], ms.float32) if values is None else values
    return CSRTensor(Tensor([0, 1, 2, 2], ms.int32), Tensor([1, 2], ms.int32), values, (3, 4))


def _dense(x: Any) -> np.ndarray:
    return (x.to_dense() if isinstance(x, (COOTensor, CSRTensor)) else x).asnumpy()


@pytest.mark.parametrize("make", [coo, csr])
def test_what_they_say_of_themselves(make: Callable[[], Any]) -> None:
    x = make()
    count = len(x.values)
    assert (x.shape, x.ndim, x.size, x.itemsize, x.dtype) == ((3, 4), 2, count, 4, ms.float32)
    assert (
        x.to_tuple()[-1] == (3, 4) and x.to_tuple()[-2] is x.values and len(x.to_tuple()) == (3 if make is coo else 4)
    )
    assert ops.dtype(x) == ms.float32 and ops.shape(x) == (3, 4)
    np.testing.assert_array_equal(x.abs().values.asnumpy(), np.abs(x.values.asnumpy()))
    np.testing.assert_array_equal((-x).values.asnumpy(), -x.values.asnumpy())
    for dtype in (ms.float64, "float16", np.int32):
        assert x.astype(dtype).values.asnumpy().dtype == x.values.astype(dtype).asnumpy().dtype
    for name in ("indices", "values", "shape"):
        with pytest.raises(AttributeError):
            setattr(x, name, 1)
    for again in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), type(x)(**{f"{make.__name__}_tensor": x})):
        np.testing.assert_array_equal(_dense(again), _dense(x))


def test_they_print_as_upstreams() -> None:
    value = "value=[ 1.00000000e+00 -2.00000000e+00"
    assert str(coo()) == (
        "COOTensor(shape=[3, 4], dtype=Float32, indices=Tensor(shape=[3, 2], dtype=Int64, value=\n[[0 1]\n [1 2]\n "
        f"[0 1]]), values=Tensor(shape=[3], dtype=Float32, {value}  3.00000000e+00]))"
    )
    assert repr(csr()) == (
        "CSRTensor(shape=[3, 4], dtype=Float32, indptr=Tensor(shape=[4], dtype=Int32, value=[0 1 2 2]), "
        f"indices=Tensor(shape=[2], dtype=Int32, value=[1 2]), values=Tensor(shape=[2], dtype=Float32, {value}]))"
    )
    rows = RowTensor(Tensor([0, 2], ms.int32), Tensor(np.ones((2, 2), np.float16)), (3, 2))
    assert str(rows) == (
        "RowTensor(shape=[3, 2], dtype=Float16, indices=Tensor(shape=[2], dtype=Int32, value=[0 2]), "
        "values=Tensor(shape=[2, 2], dtype=Float16, value=\n[[ 1.0000e+00  1.0000e+00]\n [ 1.0000e+00  1.0000e+00]]))"
    )


@pytest.mark.parametrize("name", "+-*/")
def test_a_coo_tensor_with_a_dense_one(name: str) -> None:
    x, y = coo(Tensor([1.0, -2.0, 0.0], ms.float32)), Tensor(DENSE)
    expected = _OF[name](_dense(x), DENSE)
    found = _OF[name](x, y)
    assert isinstance(found, Tensor if name in "+-" else COOTensor)
    np.testing.assert_allclose(_dense(found), expected, rtol=1e-6)
    if name != "/":
        np.testing.assert_allclose(_dense(_OF[name](y, x)), _OF[name](DENSE, _dense(x)), rtol=1e-6)


@pytest.mark.parametrize("name", "+-")
def test_sparse_ones_with_each_other(name: str) -> None:
    other = COOTensor(Tensor([[0, 0], [1, 2]], ms.int64), Tensor([5.0, 6.0], ms.float32), (3, 4))
    for x, y in ((coo(), other), (csr(), other.to_csr()), (coo(), coo()), (csr(), csr())):
        found = _OF[name](x, y)
        assert type(found) is type(x)
        np.testing.assert_array_equal(_dense(found), _OF[name](_dense(x), _dense(y)))
    np.testing.assert_array_equal(_dense(coo().add(other, Tensor(0.0))), _dense(coo()) + _dense(other))
    np.testing.assert_array_equal(
        _dense(csr().add(other.to_csr(), Tensor(2.0), Tensor(3.0))), 2 * _dense(csr()) + 3 * _dense(other)
    )


def test_a_csr_tensor_with_dense_ones() -> None:
    x, y = csr(), Tensor(DENSE)
    for found in (x * y, y * x):
        assert isinstance(found, CSRTensor)
        np.testing.assert_array_equal(_dense(found), _dense(x) * DENSE)
    np.testing.assert_allclose(_dense(x / y), _dense(x) / DENSE)
    column, matrix = np.ones((4, 1), np.float32), DENSE.T
    np.testing.assert_array_equal(x.mv(Tensor(column)).asnumpy(), _dense(x) @ column)
    np.testing.assert_array_equal(x.mm(Tensor(matrix)).asnumpy(), _dense(x) @ matrix)
    for axis in (0, 1):
        np.testing.assert_array_equal(x.sum(axis).asnumpy(), _dense(x).sum(axis, keepdims=True))


def test_conversions() -> None:
    merged = coo().coalesce()
    assert merged.indices.asnumpy().tolist() == [[0, 1], [1, 2]] and merged.values.asnumpy().tolist() == [4, -2]
    x = COOTensor(Tensor([[2, 0], [0, 3], [2, 1]], ms.int32), Tensor([1, 2, 3], ms.int32), (3, 4))
    by_rows = x.to_csr()
    assert by_rows.indptr.asnumpy().tolist() == [0, 1, 1, 3] and by_rows.indices.asnumpy().tolist() == [3, 0, 1]
    np.testing.assert_array_equal(_dense(by_rows), _dense(x))
    np.testing.assert_array_equal(_dense(by_rows.to_coo()), _dense(x))
    blocks = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([[1.0, 2.0], [3.0, 4.0]]), (2, 3, 2))
    with pytest.raises(ValueError, match="2 axes"):
        blocks.to_dense()
    with pytest.raises(ValueError, match="2 axes"):
        COOTensor(Tensor([[0, 0, 1]]), Tensor([1.0]), (2, 2, 2)).to_csr()


@pytest.mark.parametrize("make", [coo, csr])
@pytest.mark.parametrize("name", "+-*/")
def test_what_they_do_not_combine_with(name: str, make: Callable[[], Any]) -> None:
    if make is coo or name in "+-":
        with pytest.raises(ValueError, match="same shape"):
            _OF[name](make(), Tensor(DENSE[:2]))
        with pytest.raises((TypeError, AttributeError)):
            _OF[name](make(), csr() if make is coo else coo())
    with pytest.raises(TypeError):
        csr().mm(3)


def test_gradients_go_through_them() -> None:
    dense = Tensor(DENSE)
    for function, expected in (
        (lambda v: (coo(v) * dense).values.sum(), [2, 7, 2]),
        (lambda v: coo(v * 2), [2, 2, 2]),
        (lambda v: coo(v).abs(), [1, -1, 1]),
        (lambda v: coo(v).to_dense() * dense, [2, 7, 2]),
        (lambda v: coo(v).to_tuple(), [1, 1, 1]),
    ):
        assert ms.grad(function)(VALUES).asnumpy().tolist() == expected
    assert ms.grad(lambda x: x.values.sum() * 2)(coo()).asnumpy().tolist() == [2, 2, 2]
    assert ms.grad(lambda x: x.abs().values)(csr()).asnumpy().tolist() == [1, -1]
    np.testing.assert_array_equal(ms.grad(lambda d: (coo() * d).values.sum())(dense).asnumpy(), _dense(coo()))
    found = ops.GradOperation(get_all=True)(lambda i, v, s: COOTensor(i, v, s))(PLACES, VALUES, (3, 4))
    assert [item.asnumpy().tolist() for item in found] == [[[0, 0]] * 3, [1, 1, 1]]
    value, gradient = ms.value_and_grad(lambda v: coo(v * 2))(VALUES)
    assert isinstance(value, COOTensor) and not value.values.requires_grad and gradient.asnumpy().tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    "make",
    [Tensor.to_csr, Tensor.to_coo, ops.dense_to_sparse_csr, ops.dense_to_sparse_coo],
    ids=lambda f: f.__qualname__,
)
def test_gradients_go_into_what_is_made_sparse(make: Any) -> None:
    dense = Tensor(np.where(DENSE % 3 == 1, DENSE, 0))
    found = ms.grad(lambda x: (make(x).values ** 2).sum())(dense)
    np.testing.assert_array_equal(found.asnumpy(), 2 * dense.asnumpy())
    with_sens = ops.GradOperation(sens_param=True)(lambda x: make(x))(dense, make(dense).values)
    np.testing.assert_array_equal(with_sens.asnumpy(), dense.asnumpy())
    assert not make(dense).values.requires_grad


def test_cells_take_and_give_them() -> None:
    class Doubled(nn.Cell):
        def construct(self, x: Any) -> Any:
            return x.astype(ms.float16), x._like(x.values * 2)

    for x in (coo(), csr()):
        half, doubled = Doubled()(x)
        assert half.dtype == ms.float16 and type(half) is type(x)
        np.testing.assert_array_equal(_dense(doubled), 2 * _dense(x))


def test_what_coo_concat_refuses() -> None:
    wider = COOTensor(PLACES, VALUES, (3, 5))
    with pytest.raises(ValueError, match="coo_concat"):
        ops.coo_concat([coo(), wider])
    with pytest.raises(ValueError):
        ops.coo_concat([coo(), coo()], 2)
    assert ops.coo_concat([coo(), wider], 1).shape == (3, 9)


def test_compiled_the_gradient_by_a_sparse_tensor_is_sparse() -> None:
    class Cubed(nn.Cell):
        def construct(self, x: Any, y: Any) -> Any:
            return x._like(x.values * x.values * y)

    for x in (coo(), csr()):
        by_values = 2 * x.values.asnumpy() * 3
        for mode, kind in ((ms.PYNATIVE_MODE, Tensor), (ms.GRAPH_MODE, type(x))):
            ms.set_context(mode=mode)
            by_x, by_y = ops.GradOperation(get_all=True)(Cubed())(x, Tensor(3.0))
            assert isinstance(by_x, kind)
            found = by_x if kind is Tensor else by_x.values
            np.testing.assert_allclose(found.asnumpy(), by_values)
            np.testing.assert_allclose(by_y.asnumpy(), (x.values.asnumpy() ** 2).sum())
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_the_sparse_tensor_of_1x_names_its_shape_as_then() -> None:
    found = ms.SparseTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (3, 4))
    assert found.dense_shape == found.shape == (3, 4) and found.values.asnumpy().tolist() == [1, 2]
