"""``mindspore.scipy.ops`` and ``ops_wrapper``: what `linalg_program` does not compare with real MindSpore."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.ops.auto_generate import solve_triangular
from mindspore_compat.scipy import ops, ops_wrapper
from mindspore_compat.scipy.utils import _nd_transpose

RANDOM = np.random.RandomState(1)
A = (RANDOM.randn(2, 4, 4) + 3 * np.eye(4)).astype("float32")
B = RANDOM.randn(2, 4, 3).astype("float32")


@pytest.mark.parametrize("trans", ["N", "T", "C"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_a_triangle_is_solved(trans: str, lower: bool, unit: bool) -> None:
    found = ops.SolveTriangular(lower, unit, trans)(Tensor(A), Tensor(B)).asnumpy()
    triangle = np.tril(A) if lower else np.triu(A)
    if unit:
        triangle = triangle - triangle * np.eye(4) + np.eye(4)
    read = triangle if trans == "N" else np.swapaxes(triangle, -1, -2)
    np.testing.assert_allclose(read @ found, B, rtol=1e-4, atol=1e-4)


def test_the_operators_of_triangles_are_one() -> None:
    one = ops.SolveTriangular(True)(Tensor(A), Tensor(B)).asnumpy()
    for found in (
        solve_triangular(Tensor(A), Tensor(B), 0, True),
        ms.ops.auto_generate.SolveTriangular()(Tensor(A), Tensor(B), 0, True, False),
    ):
        np.testing.assert_array_equal(found.asnumpy(), one)


def test_only_the_triangle_is_differentiated_by() -> None:
    solve = ops.SolveTriangular(lower=True)
    by_a, by_b = ms.grad(lambda a, b: solve(a, b).sum(), (0, 1))(Tensor(A), Tensor(B))
    assert np.all(np.triu(by_a.asnumpy(), 1) == 0) and np.any(np.tril(by_a.asnumpy()))
    expected = np.linalg.solve(np.swapaxes(np.tril(A), -1, -2), np.ones_like(B))
    np.testing.assert_allclose(by_b.asnumpy(), expected, rtol=1e-4, atol=1e-4)


def test_a_factored_matrix_is_its_product() -> None:
    factors, pivots, permutation = (item.asnumpy() for item in ops.LU()(Tensor(A)))
    product = permutation @ (np.tril(factors, -1) + np.eye(4)) @ np.triu(factors)
    np.testing.assert_allclose(product, A, rtol=1e-4, atol=1e-4)
    assert pivots.dtype == permutation.dtype == np.int32
    with pytest.raises(ValueError, match="no more rows than columns"):
        ops.LU()(Tensor(B))  # upstream's factors of tall matrices are wrong


def test_eigenvectors_are_scaled_by_their_matrix() -> None:
    values, vectors = (item.asnumpy() for item in ops.Eig()(Tensor(A)))
    np.testing.assert_allclose(A @ vectors, vectors * values[:, None, :], rtol=1e-3, atol=1e-4)


def test_rows_are_assigned_in_a_cell() -> None:
    pytest.importorskip("scipy")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.solve = ops.LinearSumAssignment()

        def construct(self, costs: Any, limit: Any, maximize: bool) -> Any:
            return self.solve(costs, limit, maximize)

    costs = Tensor([[2, 3, 3], [3, 2, 3], [3, 3, 2]], ms.int8)
    rows, columns = Net()(costs, Tensor(2), False)
    assert rows.asnumpy().tolist() == columns.asnumpy().tolist() == [0, 1, -1]
    with pytest.raises(RuntimeError, match="between 1 and the matrix's 3 columns, but got -1"):
        Net()(costs, Tensor(-1), False)
    with pytest.raises(TypeError, match="must be an int64 Tensor, but got None"):
        Net()(costs, None, False)


def test_operators_are_pickled() -> None:
    again = pickle.loads(pickle.dumps(ops.Eig(False)))
    assert again.compute_v is False
    np.testing.assert_allclose(again(Tensor(A))[0].asnumpy(), ops.Eig()(Tensor(A))[0].asnumpy(), rtol=1e-4)


def test_diagonals_must_be_the_matrix_s() -> None:
    x = Tensor(np.zeros((3, 4), np.float32))
    for k in (-3, 4, (-3, 0), (0, 4)):
        with pytest.raises(ValueError, match="must be between -2 and 3"):
            ops_wrapper.matrix_set_diag(x, Tensor(np.ones(3, np.float32)), k)
        with pytest.raises(ValueError, match="must be between -2 and 3"):
            ms.ops.matrix_diag_part(x, Tensor(k, ms.int32), Tensor(0.0))


def test_matrices_are_transposed() -> None:
    np.testing.assert_array_equal(_nd_transpose(Tensor(B)).asnumpy(), np.swapaxes(B, -1, -2))
    with pytest.raises(ValueError, match="two axes"):
        _nd_transpose(Tensor(B[0, 0]))
