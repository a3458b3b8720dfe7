"""Second derivatives of operators whose gradients are this package's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops

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


def _attended(x: Tensor) -> Any:
    """Attention of two heads by steps."""
    heads = x.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)
    weights = ops.softmax(ops.matmul(heads, heads.swapaxes(-1, -2)) / 2**0.5, -1)
    return (ops.matmul(weights, heads) ** 3).sum()


def _fused(x: Tensor) -> Any:
    heads = x.reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)
    return (ops.flash_attention_score(heads, heads, heads, 2, scalar_value=2**-0.5, input_layout="BNSD") ** 3).sum()


def test_fused_attention() -> None:
    """torch's fused kernel has no second derivative."""
    x = Tensor(np.random.RandomState(0).randn(2, 3, 4).astype(np.float32))
    direction = ops.cos(x)
    for twice in (
        lambda f: ms.grad(lambda x: (ms.grad(f)(x) ** 2).sum())(x),
        lambda f: ms.jvp(f, (x,), (direction,))[1],
        lambda f: ms.jvp(ms.grad(f), (x,), (direction,))[1],
    ):
        np.testing.assert_allclose(twice(_fused).asnumpy(), twice(_attended).asnumpy(), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_layers_with_attention(mode: int) -> None:
    ms.set_context(mode=mode)
    try:
        x = Tensor(np.random.RandomState(1).randn(4, 3, 8).astype(np.float32))
        net, weights = nn.TransformerEncoderLayer(8, 2, 16, 0.0), ops.cos(ops.arange(96.0).reshape(4, 3, 8))
        _, along = ms.jvp(lambda x: (net(x) * weights).sum(), (x,), (weights,))
        step = 1e-2
        up, down = ((net(x + sign * step * weights) * weights).sum() for sign in (1, -1))
        np.testing.assert_allclose(along.asnumpy(), ((up - down) / (2 * step)).asnumpy(), rtol=2e-2)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("function", [ops.hardsigmoid, nn.HSigmoid()])
def test_hardsigmoid(function: Any) -> None:
    x = Tensor([-4.0, -3.0, -1.0, 2.0, 3.0, 5.0])
    slope = ms.grad(lambda x: (ms.grad(lambda x: (function(x) ** 2).sum())(x)).sum())(x)
    np.testing.assert_allclose(slope.asnumpy(), [0, 0, 1 / 18, 1 / 18, 0, 0], rtol=1e-6)
