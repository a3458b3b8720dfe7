"""Solvers of ``mindspore.scipy.sparse.linalg`` against the exact solution, and its gradients."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.scipy.sparse import linalg

pytest.importorskip("scipy")

_FACTOR = np.random.RandomState(0).randn(6, 6)
_MATRIX = _FACTOR @ _FACTOR.T + 6 * np.eye(6)
_RIGHT = np.random.RandomState(1).randn(6)


@pytest.mark.parametrize("solver", [linalg.cg, linalg.gmres, linalg.bicgstab])
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64])
@pytest.mark.parametrize("form", ["tensor", "function", "csr", "preconditioned"])
def test_the_solution_solves(solver, dtype, form):
    matrix, b = Tensor(_MATRIX, dtype), Tensor(_RIGHT, dtype)
    given = {"function": lambda v: ops.matmul(matrix, v)}.get(form, matrix)
    if form == "csr":
        given = ops.dense_to_sparse_csr(matrix)
    m = Tensor(np.diag(1 / np.diag(_MATRIX)), dtype) if form == "preconditioned" else None
    x, info = solver(given, b, tol=1e-6, M=m)
    assert int(info) == 0
    assert x.dtype == dtype
    np.testing.assert_allclose(x.asnumpy(), np.linalg.solve(_MATRIX, _RIGHT), atol=1e-5)


def test_gmres_takes_a_matrix_that_is_not_symmetric():
    a = Tensor([[3.0, 2, 0], [1, -1, 0], [0, 5, 1]], ms.float32)
    b = Tensor([2.0, 4, -1], ms.float32)
    x, info = ms.scipy.sparse.linalg.gmres(a, b, solve_method="incremental")
    assert int(info) == 0
    np.testing.assert_allclose(x.asnumpy(), np.linalg.solve(a.asnumpy(), b.asnumpy()), atol=1e-5)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_gradients_are_those_of_the_solution(mode):
    ms.set_context(mode=mode)
    a, b = Tensor(_MATRIX, ms.float64), Tensor(_RIGHT, ms.float64)
    weights = Tensor(np.arange(6.0), ms.float64)
    found = ms.grad(lambda a, b: (linalg.gmres(a, b, tol=1e-12)[0] * weights).sum(), (0, 1))(a, b)
    exact = ms.grad(lambda a, b: (ops.matmul(ops.inverse(a), b) * weights).sum(), (0, 1))(a, b)
    for one, other in zip(found, exact):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), atol=1e-8)


def test_too_few_iterations_are_told():
    assert int(linalg.cg(Tensor(_MATRIX), Tensor(_RIGHT), tol=1e-12, maxiter=1)[1]) > 0
