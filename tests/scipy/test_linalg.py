"""``mindspore.scipy.linalg`` against real MindSpore and the equations that its results solve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.scipy import linalg
from tests.support.oracle import run_program_both

PROGRAM = Path(__file__).with_name("linalg_program.py")
REFUSED = {"lu permuted"}  # upstream's own product of an int32 permutation and float32 factors fails


def _compare(ours: Any, real: Any, name: str) -> None:
    if isinstance(real, str) and real.endswith("Error"):
        return
    if isinstance(real, list) and real and isinstance(real[0], str):
        assert ours[0] == real[0], name
        np.testing.assert_allclose(ours[1], real[1], rtol=2e-4, atol=2e-5, err_msg=name)
    elif isinstance(real, list):
        assert len(ours) == len(real), name
        for one, other in zip(ours, real):
            _compare(one, other, name)
    else:
        assert ours == real, name


@pytest.mark.oracle
def test_results_are_those_of_real_mindspore(tmp_path: Path) -> None:
    ours, real = run_program_both(PROGRAM, tmp_path)
    assert ours.keys() == real.keys() and len(real) > 30
    for name in real.keys() - REFUSED:
        _compare(ours[name], real[name], name)


RANDOM = np.random.RandomState(0)
A = RANDOM.randn(4, 4).astype("float32")
SPD = (A @ A.T + 4 * np.eye(4)).astype("float32")
B = RANDOM.randn(4, 2).astype("float32")


def T(value: Any) -> Tensor:
    return Tensor(value)


def test_equations_hold() -> None:
    np.testing.assert_allclose(A @ linalg.inv(T(A)).asnumpy(), np.eye(4), atol=1e-4)
    permutation, lower, upper = (item.asnumpy() for item in linalg.lu(T(A)))
    np.testing.assert_allclose(permutation @ lower @ upper, A, atol=1e-5)
    permuted, upper = (item.asnumpy() for item in linalg.lu(T(A), permute_l=True))
    np.testing.assert_allclose(permuted @ upper, A, atol=1e-5)
    for trans, matrix in ((0, A), (1, A.T)):
        found = linalg.lu_solve(linalg.lu_factor(T(A)), T(B), trans).asnumpy()
        np.testing.assert_allclose(matrix @ found, B, atol=1e-4)
    for lower_half in (True, False):
        found = linalg.cho_solve(linalg.cho_factor(T(SPD), lower=lower_half), T(B)).asnumpy()
        np.testing.assert_allclose(SPD @ found, B, atol=1e-4)
        triangle = np.tril(A) if lower_half else np.triu(A)
        for trans, matrix in (("N", triangle), ("T", triangle.T), ("C", triangle.T)):
            found = linalg.solve_triangular(T(A), T(B), trans, lower=lower_half).asnumpy()
            np.testing.assert_allclose(matrix @ found, B, atol=1e-3)
    values, vectors = (item.asnumpy() for item in linalg.eigh(T(SPD)))
    np.testing.assert_allclose(SPD @ vectors, vectors * values, atol=1e-4)
    assert float(linalg.det(T(A))) == pytest.approx(np.linalg.det(A), rel=1e-4)
    solution, *_ = linalg.lstsq(T(np.vstack([A, A + 1])), T(np.vstack([B, B])))
    expected = np.linalg.lstsq(np.vstack([A, A + 1]), np.vstack([B, B]), rcond=None)[0]
    np.testing.assert_allclose(solution.asnumpy(), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: linalg.inv(a),
        lambda a: linalg.cholesky(a @ a.T + ms.ops.eye(4)),
        lambda a: linalg.eigh(a @ a.T, eigvals_only=True),
        lambda a: linalg.solve_triangular(a, Tensor(B.astype("float64"))),
        lambda a: linalg.det(a),
    ],
)
def test_gradients_are_those_of_differences(function: Any) -> None:
    gradient = ms.grad(lambda a: (function(a) ** 2).sum())(T(A.astype("float64"))).asnumpy()
    step = np.zeros((4, 4))
    step[1, 2] = 1e-6
    high, low = (float((function(T(A + sign * step)) ** 2).sum()) for sign in (1, -1))
    assert gradient[1, 2] == pytest.approx((high - low) / 2e-6, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("lower", [True, False])
def test_derivatives_are_by_the_triangle_that_counts(lower: bool) -> None:
    """Against differences, element by element; what the other triangle holds plays no part."""
    random = np.random.default_rng(0)
    base = random.normal(size=(3, 3))
    symmetric = base @ base.T + 3 * np.eye(3)
    factor = np.linalg.cholesky(symmetric)
    factor = factor + np.triu(base, 1) if lower else factor.T + np.tril(base, -1)
    right, weights = Tensor(random.normal(size=(3, 2))), Tensor([1.0, 2.0, 5.0], ms.float64)
    cases = (
        (lambda c: linalg.cho_solve((c, lower), right).sum(), factor),
        (lambda a: (linalg.eigh(a, lower=lower, eigvals_only=True) * weights).sum(), symmetric),
        (lambda a: (linalg.eigh(a, lower=lower)[0] * weights).sum(), symmetric),
        (lambda a: (linalg.eigh(a, lower=lower)[1] ** 4).sum(), symmetric),
        (lambda a: (ops.operations.linalg_ops.Eigh(True, lower)(a)[0] * weights).sum(), symmetric),
    )
    for function, point in cases:
        found = ops.grad(function)(Tensor(point)).asnumpy()
        for place in np.ndindex(3, 3):
            step = np.zeros((3, 3))
            step[place] = 1e-6
            slope = (float(function(Tensor(point + step))) - float(function(Tensor(point - step)))) / 2e-6
            assert abs(found[place] - slope) < 1e-6
