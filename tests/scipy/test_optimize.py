"""``scipy.optimize``: minima, steps and assignments that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.scipy.optimize import line_search, linear_sum_assignment, minimize

pytest.importorskip("scipy", reason="SciPy is not installed")


def himmelblau(p: Any) -> Any:
    x, y = p
    return (x**2 + y - 11.0) ** 2 + (x + y**2 - 7.0) ** 2


@pytest.mark.parametrize("method", ["BFGS", "lbfgs"])
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64])
def test_a_minimum_is_found(method: str, dtype: Any) -> None:
    found = minimize(himmelblau, Tensor(np.zeros(2), dtype), method=method, options={"maxiter": None, "gtol": 1e-6})
    np.testing.assert_allclose(found.x.asnumpy(), [3, 2], atol=1e-3)
    assert found.success and found.status == 0 and float(found.fun) < 1e-5 and found.x.dtype == dtype
    assert found.nfev >= found.nit > 1 and np.abs(found.jac.asnumpy()).max() < 1e-2
    assert (found.hess_inv is None) == (method == "lbfgs")


def test_arguments_and_an_own_gradient() -> None:
    goal = Tensor([1.0, -2.0])
    calls = []

    def gradient(x: Any, goal: Any) -> Any:
        calls.append(1)
        return 2 * (x - goal)

    found = minimize(lambda x, goal: ((x - goal) ** 2).sum(), Tensor([0.0, 0.0]), (goal,), "BFGS", gradient)
    np.testing.assert_allclose(found.x.asnumpy(), [1, -2], atol=1e-5)
    assert calls and found.njev == len(calls)


def test_a_step_fulfils_the_strong_wolfe_conditions() -> None:
    def function(x: Any) -> Any:
        return (x**4).sum() + x[0]

    start, direction = Tensor([1.0, 2.0]), Tensor([-5.0, -32.0])
    found = line_search(function, start, direction)
    assert not found.failed and found.status == 0 and 0 < float(found.a_k) < 1
    slope = float((direction.asnumpy() * np.array([5.0, 32.0])).sum())
    assert float(found.f_k) <= float(function(start)) + 1e-4 * float(found.a_k) * slope
    assert abs((found.g_k.asnumpy() * direction.asnumpy()).sum()) <= 0.9 * abs(slope)
    assert line_search(lambda x: x.sum(), start, Tensor([1.0, 1.0])).failed  # no descent


def test_assignments() -> None:
    costs = Tensor([[2.0, 3.0, 3.0], [3.0, 2.0, 3.0], [3.0, 3.0, 2.0]])
    rows, columns = linear_sum_assignment(costs, False)
    assert rows.asnumpy().tolist() == columns.asnumpy().tolist() == [0, 1, 2] and rows.dtype == ms.int64
    rows, columns = linear_sum_assignment(costs, False, Tensor(2))
    assert rows.asnumpy().tolist() == columns.asnumpy().tolist() == [0, 1, -1]
    assert linear_sum_assignment(Tensor([[1, 5], [9, 2], [3, 4]]), True)[1].asnumpy().tolist() == [1, 0]


def test_a_step_of_one_number_is_searched() -> None:
    """SciPy's own search of x⁴ - x³ - x from 0 upwards; numbers are of shape ()."""
    found = line_search(lambda x: -x - x**3 + x**4, Tensor(0.0), Tensor(1.0), maxiter=10)
    assert not found.failed and found.a_k.shape == found.f_k.shape == found.g_k.shape == ()
    assert float(found.a_k) == pytest.approx(1.0) and float(found.f_k) == pytest.approx(-1.0)
