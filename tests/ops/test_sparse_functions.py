"""Functions of CSRTensors that real MindSpore's CPU has no kernels for, against dense NumPy arrays; the others are
compared with it (cases_9_sparse.txt).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

R = np.random.RandomState(2)


def _sparse(rows: int, columns: int) -> np.ndarray:
    return (R.randn(rows, columns) * (R.rand(rows, columns) < 0.5)).astype(np.float32)


A, B_, W, V = _sparse(5, 6), _sparse(6, 4), R.randn(6, 3).astype(np.float32), R.randn(6, 1).astype(np.float32)
DENSE = R.uniform(0.5, 2, (5, 6)).astype(np.float32)
_SOFT = np.where(A != 0, np.exp(A), 0)

_TABLE: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "csr_mul": (lambda a: ops.csr_mul(a, Tensor(DENSE)), A * DENSE),
    "csr_mul of a column": (lambda a: ops.csr_mul(a, Tensor(DENSE[:, :1])), A * DENSE[:, :1]),
    "csr_mul of a row": (lambda a: ops.csr_mul(a, Tensor(DENSE[0])), A * DENSE[0]),
    "csr_div": (lambda a: ops.csr_div(a, Tensor(DENSE)), A / DENSE),
    "csr_mv": (lambda a: ops.csr_mv(a, Tensor(V)), A @ V),
    "csr_mm": (lambda a: ops.csr_mm(a, Tensor(W)), A @ W),
    "csr_mm transposed": (lambda a: ops.csr_mm(a, Tensor(DENSE), trans_a=True), A.T @ DENSE),
    "csr_mm both": (lambda a: ops.csr_mm(a, Tensor(W.T), trans_b=True), A @ W),
    "csr_mm adjoint": (lambda a: ops.csr_mm(a, Tensor(DENSE), adjoint_a=True), A.T @ DENSE),
    "csr_mm sparse": (lambda a: ops.csr_mm(a, ops.dense_to_sparse_csr(Tensor(B_))), A @ B_),
    "csr_add": (lambda a: ops.csr_add(a, a, Tensor(2.0), Tensor(0.5)), A * 2.5),
    "csr_reduce_sum": (lambda a: ops.csr_reduce_sum(a, 1), A.sum(1, keepdims=True)),
    "csr_reduce_sum of columns": (lambda a: ops.csr_reduce_sum(a, 0), A.sum(0, keepdims=True)),
    "csr_softmax": (lambda a: ops.csr_softmax(a, ms.float32), _SOFT / np.maximum(_SOFT.sum(1, keepdims=True), 1e-30)),
    "csr_to_coo": (ops.csr_to_coo, A),
    "augassign_add": (lambda a: ops.augassign_add(a, a), A * 2),
    "augassign_sub": (lambda a: ops.augassign_sub(a, a), A * 0),
    "augassign_mul": (lambda a: ops.augassign_mul(a, Tensor(DENSE)), A * DENSE),
}


def _dense(x: Any) -> np.ndarray:
    return (
        x.to_dense()
        if hasattr(x, "to_dense") and hasattr(x, "indices") and hasattr(x, "shape") and not isinstance(x, Tensor)
        else x
    ).asnumpy()


@pytest.mark.parametrize("name", list(_TABLE))
def test_same_as_dense(name: str) -> None:
    call, expected = _TABLE[name]
    np.testing.assert_allclose(_dense(call(ops.dense_to_sparse_csr(Tensor(A)))), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in _TABLE if name not in ("csr_to_coo", "csr_mm sparse")])
def test_gradient_of_the_values_is_that_of_finite_differences(name: str) -> None:
    call, _ = _TABLE[name]
    csr = ops.dense_to_sparse_csr(Tensor(A))
    weights = np.cos(np.arange(200, dtype=np.float32))

    def total(values: Any) -> Any:
        out = call(ms.CSRTensor(csr.indptr, csr.indices, values, csr.shape))
        out = out if isinstance(out, Tensor) else out.values
        return (out * Tensor(weights[: out.size].reshape(out.shape))).sum()

    found = ms.grad(total)(csr.values).asnumpy()
    values, step = csr.values.asnumpy(), 1e-2
    for place in range(0, len(values), 3):
        moved = [values.copy(), values.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        slope = float(total(Tensor(moved[0])) - total(Tensor(moved[1]))) / (2 * step)
        assert abs(found[place] - slope) < 2e-2


def test_rows_to_borders_and_back() -> None:
    csr = ops.dense_to_sparse_csr(Tensor(A))
    rows, columns = np.nonzero(A)
    assert np.array_equal(ops.csr2coo(csr.indptr, len(rows)).asnumpy(), rows)
    assert np.array_equal(ops.coo2csr(Tensor(rows, ms.int32), 5).asnumpy(), csr.indptr.asnumpy())
    assert ops.coo2csr(Tensor([0, 2], ms.int32), 4).asnumpy().tolist() == [0, 1, 1, 2, 2]
    gathered = ops.csr_gather(csr.indptr, csr.indices, Tensor(DENSE), (5, 6))
    assert np.array_equal(gathered.asnumpy(), DENSE[rows, columns])


def test_numbers_give_the_values_alone() -> None:
    csr = ops.dense_to_sparse_csr(Tensor(A))
    for found, expected in ((ops.csr_mul(csr, 2), A[A != 0] * 2), (ops.csr_div(csr, Tensor(4.0)), A[A != 0] / 4)):
        np.testing.assert_allclose(found.asnumpy(), expected)


def test_parts_are_made_and_taken() -> None:
    indices, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0])
    for made in (ops.make_coo_tensor(indices, values, (2, 3)), ops.make_sparse_tensor(indices, values, (2, 3))):
        assert made.to_dense().asnumpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    csr = ops.make_csr_tensor(Tensor([0, 1, 2], ms.int32), Tensor([1, 2], ms.int32), values, (2, 3))
    assert csr.to_dense().asnumpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    rows = ops.make_row_tensor(Tensor([0, 2], ms.int32), Tensor(DENSE[:2]), (5, 6))
    assert ops.row_tensor_get_dense_shape(rows) == (5, 6)
    assert ops.row_tensor_get_indices(rows).asnumpy().tolist() == [0, 2]
    assert np.array_equal(ops.row_tensor_get_values(rows).asnumpy(), DENSE[:2])
    total = ops.row_tensor_add(rows, Tensor(DENSE)).asnumpy()
    assert np.allclose(total[0], DENSE[0] * 2) and np.allclose(total[2], DENSE[2] + DENSE[1])
    assert np.array_equal(ops.augassign_add(rows, Tensor(DENSE)).asnumpy(), total)


def test_coalesce() -> None:
    indices, values = Tensor([[0, 0, 1], [1, 1, 2]], ms.int64), Tensor([1.0, 5.0, 4.0])
    found = ops.coalesce(indices, values, Tensor([3, 3], ms.int64))
    assert [item.asnumpy().tolist() for item in found] == [[[0, 1], [1, 2]], [6.0, 4.0], [3, 3]]


def test_cells_of_sparse_tensors() -> None:
    indices, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1.0, 2.0])
    assert nn.SparseToDense()(ms.COOTensor(indices, values, (2, 3))).asnumpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    found = nn.SparseTensorDenseMatmul()(indices, values, (2, 3), Tensor(W[:3]))
    np.testing.assert_allclose(found.asnumpy(), np.stack((W[1], 2 * W[2])), rtol=1e-6)
    turned = nn.SparseTensorDenseMatmul(adjoint_st=True)(indices, values, (2, 3), Tensor(W[:2]))
    np.testing.assert_allclose(turned.asnumpy(), np.stack((W[0] * 0, W[0], 2 * W[1])), rtol=1e-6)
    with pytest.raises(ValueError, match="do not fit"):
        ops.SparseTensorDenseMatmul()(indices, values, (3, 2), Tensor(W[:3]))


def _coo(places: list, values: list, dtype: Any = ms.int64) -> Any:
    return ms.COOTensor(ms.Tensor(places, dtype), ms.Tensor(values, ms.float32), (3, 4))


_ORDERED = [[0, 1], [1, 0], [2, 3]]


@pytest.mark.parametrize(
    ("left", "right", "places", "values"),
    [
        (
            (_ORDERED, [1, 2, 3]),
            ([[0, 1], [0, 1], [2, 3], [1, 0]], [1, 2, 3, 4]),
            [[0, 1], [0, 1], [1, 0], [2, 3], [1, 0]],
            [2, 2, 2, 6, 4],
        ),
        (
            ([[2, 3], [0, 1], [1, 0]], [1, 2, 3]),
            (_ORDERED, [1, 2, 3]),
            [[0, 1], [1, 0], [2, 3], [0, 1], [1, 0]],
            [1, 2, 4, 2, 3],
        ),
    ],
)
def test_places_out_of_order_are_merged_as_upstream_does(left: Any, right: Any, places: list, values: list) -> None:
    total = _coo(*left) + _coo(*right)
    assert (total.indices.tolist(), total.values.tolist()) == (places, values)
    dense = _coo(*left).to_dense() + _coo(*right).to_dense()
    assert total.to_dense().tolist() == dense.tolist()


@pytest.mark.parametrize("other", [ms.int16, ms.int32])
def test_indices_of_coo_tensors_are_promoted(other: Any) -> None:
    for total in (
        _coo(_ORDERED, [1, 2, 3], other) + _coo(_ORDERED, [1, 2, 3]),
        _coo(_ORDERED, [1, 2, 3]) + _coo(_ORDERED, [1, 2, 3], other),
    ):
        assert total.indices.dtype == ms.int64
        assert total.values.tolist() == [2, 4, 6]


def test_magnitudes_of_bools() -> None:
    flags = ms.COOTensor(ms.Tensor(_ORDERED, ms.int32), ms.Tensor([True, False, True]), (3, 4)).abs()
    assert flags.values.tolist() == [True, False, True]


_AT, _VALUES = np.array([[0, 1], [0, 3], [2, 0]]), np.array([1.0, 2.0, 3.0], np.float32)
_FULL = R.uniform(0.5, 2, (3, 4)).astype(np.float32)


def _scattered(values: Any, fill: float = 0.0) -> np.ndarray:
    dense = np.full((3, 4), fill, np.float32)
    dense[tuple(_AT.T)] = values
    return dense


def test_coordinate_operators_of_1_9() -> None:
    one = (Tensor(_AT), Tensor(_VALUES), Tensor([3, 4]))
    at_places = _FULL[tuple(_AT.T)]
    expected = {
        "SparseDenseCwiseAdd": _VALUES + at_places,
        "SparseDenseCwiseMul": _VALUES * at_places,
        "SparseDenseCwiseDiv": _VALUES / at_places,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(ops, name)()(*one, Tensor(_FULL)).asnumpy(), values, 1e-6)
    assert ops.operations.AddV2()(Tensor([1, 2]), Tensor([3, 4])).asnumpy().tolist() == [4, 6]
    other = (Tensor([[0, 1], [1, 1]]), Tensor([4.0, -1.0]), Tensor([3, 4]))
    for name, values in {"SparseSparseMaximum": [4, 2, 0, 3], "SparseSparseMinimum": [1, 0, -1, 0]}.items():
        indices, found = getattr(ops, name)()(*one, *other)
        assert indices.asnumpy().tolist() == [[0, 1], [0, 3], [1, 1], [2, 0]]
        assert found.asnumpy().tolist() == values
    dense = ops.SparseToDenseV2()(Tensor(_AT), Tensor([3, 4]), Tensor(_VALUES), Tensor(-1.0))
    np.testing.assert_array_equal(dense.asnumpy(), _scattered(_VALUES, -1))
    soft = ops.SparseSoftmax()(Tensor(_AT), Tensor([1000.0, 1001.0, -1000.0]), Tensor([3, 4]))
    np.testing.assert_allclose(soft.asnumpy(), [1 / (1 + np.e), np.e / (1 + np.e), 1], 1e-6)


def test_segments_of_1_9() -> None:
    given = (Tensor(_FULL), Tensor([0, 2, 1], ms.int32), Tensor([0, 0, 2], ms.int32))
    nothing, summed = np.zeros(4, np.float32), _FULL[0] + _FULL[2]
    sums, means = [summed, nothing, _FULL[1]], [summed / 2, nothing, _FULL[1]]
    for name, expected in {"SparseSegmentSum": sums, "SparseSegmentMean": means}.items():
        np.testing.assert_allclose(getattr(ops, name)()(*given).asnumpy(), expected, 1e-6)
    counted = (*given, Tensor([4], ms.int32))
    for name, expected in {"SparseSegmentSumWithNumSegments": sums, "SparseSegmentMeanWithNumSegments": means}.items():
        np.testing.assert_allclose(getattr(ops, name)()(*counted).asnumpy(), [*expected, nothing], 1e-6)


def test_integers_are_divided_to_integers() -> None:
    """As MindSpore's GPU kernel, and TensorFlow's."""
    given = Tensor(_AT), Tensor([-7, 7, 1], ms.int32), Tensor([3, 4]), Tensor(np.full((3, 4), 2, np.int32))
    found = ops.SparseDenseCwiseDiv()(*given)
    assert found.dtype == ms.int32 and found.asnumpy().tolist() == [-3, 3, 0]
