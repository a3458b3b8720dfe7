"""Second derivatives of operators whose gradients are this package's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

ORDERS, PLACES = np.array([0.7, 1.5, 2.2]), np.array([0.9, 0.4, 3.0])


@pytest.mark.parametrize(("function", "sign"), [(ops.igamma, 1), (ops.igammac, -1)])
def test_incomplete_gamma_by_order_and_place(function: Any, sign: int) -> None:
    """d²P/dx² = P' ((a - 1) / x - 1), d²P/dadx = P' (log x - digamma a); d²P/da² against differences."""
    a, x = Tensor(ORDERS), Tensor(PLACES)
    slope = ms.grad(function, 1)(a, x)
    second, mixed = ms.grad(lambda a, x: ms.grad(function, 1)(a, x).sum(), (1, 0))(a, x)
    np.testing.assert_allclose(second.asnumpy(), (slope * ((a - 1) / x - 1)).asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(mixed.asnumpy(), (slope * (ops.log(x) - ops.digamma(a))).asnumpy(), rtol=1e-6)
    by_order, other_mixed = ms.grad(lambda a, x: ms.grad(function)(a, x).sum(), (0, 1))(a, x)
    np.testing.assert_allclose(other_mixed.asnumpy(), mixed.asnumpy(), rtol=1e-6)
    up, here, down = (sign * ops.igamma(a + step, x).asnumpy() for step in (1e-3, 0, -1e-3))
    np.testing.assert_allclose(by_order.asnumpy(), (up - 2 * here + down) / 1e-6, rtol=1e-4, atol=1e-5)
